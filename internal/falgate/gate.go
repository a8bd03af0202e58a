package falgate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/typo3"

	"gorm.io/gorm"
)

// Gate decides about files and opens them. It keeps no decision, and is safe
// for concurrent use.
type Gate struct {
	cms      *typo3.CMS
	db       *gorm.DB
	settings func() *config.Settings
	log      *slog.Logger
	warned   sync.Map // causes that were reported
	window   int      // rows of the index one Search looks at
}

// New makes a Gate on TYPO3's database.
func New(cms *typo3.CMS, db *gorm.DB, settings func() *config.Settings, log *slog.Logger) *Gate {
	return &Gate{cms: cms, db: db, settings: settings, log: log, window: searchWindow}
}

// joinedRow is a file with its storage and its live default metadata.
type joinedRow struct {
	UID              uint32            `gorm:"column:uid"`
	StorageUID       uint32            `gorm:"column:storage"`
	Identifier       string            `gorm:"column:identifier"`
	Name             string            `gorm:"column:name"`
	MimeType         string            `gorm:"column:mime_type"`
	Extension        string            `gorm:"column:extension"`
	Size             int64             `gorm:"column:size"`
	SHA1             string            `gorm:"column:sha1"`
	Missing          bool              `gorm:"column:missing"`
	ModificationDate int64             `gorm:"column:modification_date"`
	Storage          storageRow        `gorm:"embedded;embeddedPrefix:s_"`
	Metadata         typo3.MetadataRow `gorm:"embedded;embeddedPrefix:m_"`
	Width            int               `gorm:"column:m_width"`
	Height           int               `gorm:"column:m_height"`
}

const joined = `SELECT f.uid, f.storage, COALESCE(f.identifier, '') AS identifier, COALESCE(f.name, '') AS name, f.mime_type, f.extension,
 f.size, f.sha1, f.missing, f.modification_date,
 COALESCE(s.uid, 0) AS s_uid, COALESCE(s.name, '') AS s_name, COALESCE(s.driver, '') AS s_driver, s.configuration AS s_configuration,
 s.processingfolder AS s_processingfolder, COALESCE(s.is_online, 0) AS s_is_online, COALESCE(s.is_writable, 0) AS s_is_writable,
 COALESCE(s.is_browsable, 0) AS s_is_browsable, COALESCE(s.is_default, 0) AS s_is_default,
 COALESCE(m.uid, 0) AS m_uid, COALESCE(m.file, 0) AS m_file, COALESCE(m.sys_language_uid, 0) AS m_sys_language_uid, COALESCE(m.l10n_parent, 0) AS m_l10n_parent,
 o.entry_value AS s_offline_until,
 m.title AS m_title, m.alternative AS m_alternative, m.description AS m_description, m.l10n_diffsource AS m_l10n_diffsource, COALESCE(m.tstamp, 0) AS m_tstamp,
 COALESCE(m.width, 0) AS m_width, COALESCE(m.height, 0) AS m_height
 FROM (SELECT f.* FROM sys_file f `

const joinedTo = `) f
 LEFT JOIN sys_file_storage s ON s.uid = f.storage AND s.deleted = 0
 ` + offlineJoin + `
 LEFT JOIN sys_file_metadata m ON m.uid = (SELECT MIN(d.uid) FROM sys_file_metadata d WHERE d.file = f.uid AND +d.sys_language_uid = 0 AND +d.t3ver_wsid = 0 AND +d.t3ver_oid = 0)
 ORDER BY f.uid`

// offlineJoin finds the mark of a storage that TYPO3 has taken offline for a while.
const offlineJoin = `LEFT JOIN sys_registry o ON o.entry_namespace = 'core' AND o.entry_key = CONCAT('sys_file_storage-', s.uid, '-offline-until')`

// rows reads files in the order of their uids. The condition is on sys_file f
// alone and is met before anything is joined: a list asks the storage and the
// metadata of one page only.
func (g *Gate) rows(ctx context.Context, condition string, args ...any) ([]*File, error) {
	return g.rowsIn(ctx, g.db, condition, args...)
}

func (g *Gate) rowsIn(ctx context.Context, db *gorm.DB, condition string, args ...any) ([]*File, error) {
	var rows []joinedRow
	if err := db.WithContext(ctx).Raw(joined+condition+joinedTo, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("falgate: read files: %w", err)
	}
	t := g.settings().TYPO3
	storages := map[uint32]*storage{}
	out := make([]*File, len(rows))
	for i, r := range rows {
		s, ok := storages[r.Storage.UID]
		if !ok {
			s = newStorage(r.Storage, t)
			storages[r.Storage.UID] = s
			g.report(ctx, s)
		}
		out[i] = r.file(s)
	}
	return out, nil
}

func (r *joinedRow) file(s *storage) *File {
	f := &File{
		UID: typo3.FileUID(r.UID), Storage: typo3.StorageUID(r.StorageUID), StorageName: s.name, Identifier: r.Identifier,
		Name: r.Name, MimeType: r.MimeType, Extension: r.Extension, Size: r.Size, SHA1: r.SHA1, Missing: r.Missing,
		Modified: time.Unix(r.ModificationDate, 0).UTC(), Width: r.Width, Height: r.Height, storage: s,
	}
	if r.Metadata.UID != 0 {
		f.Metadata = r.Metadata.Metadata()
	}
	return f
}

// cause is why a storage cannot be used: a new one is reported anew.
type cause struct {
	storage        typo3.StorageUID
	reason, driver string
}

// report tells the operator once about a storage that cannot be used.
func (g *Gate) report(ctx context.Context, s *storage) {
	var reason string
	switch {
	case s.uid == 0:
		return
	case s.driver != localDriver:
		reason = ReasonDriver
	case s.base == "":
		reason = ReasonBasePath
	default:
		return
	}
	if _, known := g.warned.LoadOrStore(cause{s.uid, reason, s.driver}, true); !known {
		g.log.WarnContext(ctx, "cannot use storage", "storage_uid", s.uid, "reason", reason, "driver", s.driver)
	}
}

// Access answers what a user may do with a file. A file that does not exist
// gives no File, and reasons in place of answers; the error is for the database only.
func (g *Gate) Access(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (Access, *File, error) {
	return g.AccessIn(ctx, g.db, who, uid)
}

// AccessIn is Access inside a transaction: the write it allows happens in the
// same one, and no second connection is taken while the first is held.
func (g *Gate) AccessIn(ctx context.Context, tx *gorm.DB, who *typo3.BackendUser, uid typo3.FileUID) (Access, *File, error) {
	if tx == nil {
		tx = g.db
	}
	files, err := g.rowsIn(ctx, tx, "WHERE f.uid = ?", uint32(uid))
	if err != nil {
		return Access{}, nil, err
	}
	if len(files) == 0 {
		return Access{WriteAlternative: "no", WriteTitle: "no", WriteDescription: "no", Visible: ReasonNoFile, Usable: ReasonNoFile}, nil, nil
	}
	f := files[0]
	return decide(g.settings(), who, f, 0, f.Metadata != nil), f, nil
}

// Look answers a file that the user may see, without its bytes; else ErrNotAvailable.
func (g *Gate) Look(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (*File, error) {
	f, _, err := g.LookWithAccess(ctx, who, uid)
	return f, err
}

// LookWithAccess is Look, with what the user may do with the file.
func (g *Gate) LookWithAccess(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (*File, Access, error) {
	a, f, err := g.Access(ctx, who, uid)
	if err != nil {
		return nil, a, err
	}
	if a.Visible != Yes {
		return nil, a, notAvailable(a.Visible, nil)
	}
	if a.Usable == ReasonMissing {
		return nil, a, notAvailable(ReasonMissing, nil)
	}
	return f, a, nil
}

// Sees reports whether a user may see a file that this gate has read for
// somebody else. It asks the disk, and no query.
func (g *Gate) Sees(who *typo3.BackendUser, f *File) bool {
	return decide(g.settings(), who, f, 0, f.Metadata != nil).Visible == Yes
}

// Accessed is a file and what a user may do with it.
type Accessed struct {
	File   *File
	Access Access
}

// AccessMany is Access for several files, in one query. Files that do not exist are left out.
func (g *Gate) AccessMany(ctx context.Context, who *typo3.BackendUser, uids []typo3.FileUID) (map[typo3.FileUID]Accessed, error) {
	out := make(map[typo3.FileUID]Accessed, len(uids))
	if len(uids) == 0 {
		return out, nil
	}
	files, err := g.rows(ctx, "WHERE f.uid IN ?", uids)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		out[f.UID] = Accessed{f, decide(g.settings(), who, f, 0, f.Metadata != nil)}
	}
	return out, nil
}

// LookMany answers those of several files that the user may see, in one query.
func (g *Gate) LookMany(ctx context.Context, who *typo3.BackendUser, uids []typo3.FileUID) (map[typo3.FileUID]*File, error) {
	all, err := g.AccessMany(ctx, who, uids)
	if err != nil {
		return nil, err
	}
	out := make(map[typo3.FileUID]*File, len(all))
	for uid, a := range all {
		if a.Access.Visible == Yes {
			out[uid] = a.File
		}
	}
	return out, nil
}

// Open reads a file that may be described in the user's name; else
// ErrNotAvailable with the reason behind it.
func (g *Gate) Open(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (*Opened, error) {
	return g.open(ctx, who, uid, func(a Access) string { return a.Usable })
}

// View reads a file that the user may see, whether or not they may describe it.
func (g *Gate) View(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (*Opened, error) {
	return g.open(ctx, who, uid, func(a Access) string { return a.Visible })
}

func (g *Gate) open(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID, answer func(Access) string) (*Opened, error) {
	a, f, err := g.Access(ctx, who, uid)
	if err != nil {
		return nil, err
	}
	if reason := answer(a); reason != Yes {
		return nil, notAvailable(reason, nil)
	}
	data, err := g.read(f)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	return &Opened{File: *f, Access: a, Data: data, SHA256: hex.EncodeToString(sum[:])}, nil
}

// content opens a file inside its storage: neither ".." nor a symbolic link
// leads out of it. It must be a regular file; opening does not wait for one that
// is none.
func (f *File) content() (*os.File, error) {
	p, ok := f.storage.local(f.Identifier)
	if !ok || !sound(f.Identifier) {
		return nil, notAvailable(ReasonUnreadable, errors.New("the identifier is no path inside the storage"))
	}
	root, err := os.OpenRoot(f.storage.base)
	if err != nil {
		return nil, notAvailable(ReasonUnreadable, err)
	}
	defer func() { _ = root.Close() }() // the file stays open without it
	file, err := root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, notAvailable(ReasonUnreadable, err)
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = file.Close() // nothing was read
		return nil, notAvailable(ReasonUnreadable, errors.Join(err, errors.New("no regular file")))
	}
	return file, nil
}

func (g *Gate) read(f *File) ([]byte, error) {
	file, err := f.content()
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // read-only
	limit := g.settings().Images.MaxFileBytes
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, notAvailable(ReasonUnreadable, err)
	}
	if int64(len(data)) > limit {
		return nil, notAvailable(ReasonTooLarge, nil)
	}
	return data, nil
}

// ContentHash is the SHA-256 of a file's bytes as of now, in hex. The file must
// come from this gate, which has decided about it.
func (g *Gate) ContentHash(_ context.Context, f *File) (string, error) {
	file, err := f.content()
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // read-only
	limit := g.settings().Images.MaxFileBytes
	h := sha256.New()
	switch n, err := io.Copy(h, io.LimitReader(file, limit+1)); {
	case err != nil:
		return "", notAvailable(ReasonUnreadable, err)
	case n > limit:
		return "", notAvailable(ReasonTooLarge, nil)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
