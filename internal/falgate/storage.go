package falgate

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/typo3"
)

// storageRow is sys_file_storage.
type storageRow struct {
	UID              uint32  `gorm:"column:uid"`
	Name             string  `gorm:"column:name"`
	Driver           string  `gorm:"column:driver"`
	Configuration    *string `gorm:"column:configuration"`
	ProcessingFolder *string `gorm:"column:processingfolder"`
	Online           bool    `gorm:"column:is_online"`
	Writable         bool    `gorm:"column:is_writable"`
	Browsable        bool    `gorm:"column:is_browsable"`
	Default          bool    `gorm:"column:is_default"`
	OfflineUntil     []byte  `gorm:"column:offline_until"` // of sys_registry
}

// TableName implements gorm's tabler.
func (storageRow) TableName() string { return "sys_file_storage" }

// storage is a storage of the Local driver, ready to be decided about.
type storage struct {
	uid           typo3.StorageUID
	name          string
	driver        string
	online        bool
	writable      bool
	browsable     bool
	isDefault     bool
	caseSensitive bool
	base          string         // absolute folder on disk, "" when the configuration is not sound
	processing    string         // canonical folder without a slash at its end
	deny          *regexp.Regexp // names nobody may use; nil = all
}

const localDriver = "Local"

// flexForm is the XML that TYPO3 keeps a storage's configuration in.
type flexForm struct {
	Sheets []struct {
		Index     string `xml:"index,attr"`
		Languages []struct {
			Index  string `xml:"index,attr"`
			Fields []struct {
				Index  string `xml:"index,attr"`
				Values []struct {
					Index string `xml:"index,attr"`
					Text  string `xml:",chardata"`
				} `xml:"value"`
			} `xml:"field"`
		} `xml:"language"`
	} `xml:"data>sheet"`
}

// flexValues reads the default sheet; nil when the text is no FlexForm.
func flexValues(text string) map[string]string {
	var f flexForm
	if len(text) > 1<<20 || xml.Unmarshal([]byte(text), &f) != nil {
		return nil
	}
	out := map[string]string{}
	for _, sheet := range f.Sheets {
		if sheet.Index != "sDEF" {
			continue
		}
		for _, lang := range sheet.Languages {
			if lang.Index != "lDEF" {
				continue
			}
			for _, field := range lang.Fields {
				for _, v := range field.Values {
					if v.Index == "vDEF" {
						out[field.Index] = v.Text
					}
				}
			}
		}
	}
	return out
}

// newStorage resolves a row. A base path that is missing or not allowed leaves
// base empty: such a storage is never opened, although TYPO3 would let its driver
// point at the root of the file system.
func newStorage(r storageRow, t config.TYPO3) *storage {
	s := &storage{
		uid: typo3.StorageUID(r.UID), name: r.Name, driver: r.Driver, online: r.Online && !offline(r.OfflineUntil, time.Now()), writable: r.Writable,
		browsable: r.Browsable, isDefault: r.Default, caseSensitive: true, processing: "/_processed_",
		deny: denyPattern(t.FileDenyPattern),
	}
	if r.ProcessingFolder != nil && *r.ProcessingFolder != "" {
		folder := *r.ProcessingFolder
		if _, path, ok := strings.Cut(folder, ":"); ok {
			folder = path
		}
		s.processing = typo3.CanonicalPath(folder)
	}
	if r.Driver != localDriver || r.UID == 0 || r.Configuration == nil {
		return s
	}
	v := flexValues(*r.Configuration)
	if c, ok := v["caseSensitive"]; ok {
		s.caseSensitive = c != "" && c != "0"
	}
	if v["basePath"] != "" {
		s.base = basePath(v, t)
	}
	return s
}

// offline reads the moment until which TYPO3 has taken a storage offline after
// a failure (ResourceStorage::markAsTemporaryOffline): a PHP-serialised number.
// What cannot be read counts as offline.
func offline(until []byte, now time.Time) bool {
	if len(until) == 0 {
		return false
	}
	digits, ok := strings.CutPrefix(string(until), "i:")
	n, err := strconv.ParseInt(strings.TrimSuffix(digits, ";"), 10, 64)
	return !ok || err != nil || n > now.Unix()
}

func basePath(v map[string]string, t config.TYPO3) string {
	path := filepath.Clean("/" + v["basePath"])
	if v["pathType"] == "relative" {
		path = filepath.Join(t.PublicPath, v["basePath"])
	}
	allowed := false
	for _, prefix := range append([]string{t.RootPath, t.PublicPath}, t.LockRootPath...) {
		allowed = allowed || prefix != "" && under(path, filepath.Clean(prefix))
	}
	if info, err := os.Stat(path); !allowed || err != nil || !info.IsDir() {
		return ""
	}
	return path
}

func under(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, strings.TrimSuffix(prefix, "/")+"/")
}

// fold is a path as the storage compares it.
func (s *storage) fold(path string) string {
	if s.caseSensitive {
		return path
	}
	return strings.ToLower(path)
}

// within reports whether an identifier is a folder or lies below it. The folder
// has a slash at its end.
func (s *storage) within(identifier, folder string) bool {
	id, f := s.fold(identifier), s.fold(folder)
	return id == strings.TrimSuffix(f, "/") || strings.HasPrefix(id, f)
}

// local is an identifier as a path for os.Root, false when it is none.
func (s *storage) local(identifier string) (string, bool) {
	p := strings.TrimPrefix(s.fold(identifier), "/")
	if p == "" {
		p = "."
	}
	return p, filepath.IsLocal(p) && !strings.ContainsRune(p, 0)
}

// processingFolder is where TYPO3 keeps derivatives. What lies there counts as
// inside everybody's mounts for TYPO3, whatever storage the folder belongs to; as a
// picture to describe it is refused.
func (s *storage) processingFolder() string { return strings.TrimSuffix(s.processing, "/") + "/" }

// stat looks at a path inside the storage without leaving it.
func (s *storage) stat(identifier string) (os.FileInfo, error) {
	p, ok := s.local(identifier)
	if !ok || s.base == "" {
		return nil, os.ErrNotExist
	}
	root, err := os.OpenRoot(s.base)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // only looked
	return root.Stat(p)
}

// hasFolder reports whether a mount's folder is there.
func (s *storage) hasFolder(path string) bool {
	info, err := s.stat(strings.TrimSuffix(path, "/"))
	return err == nil && info.IsDir()
}
