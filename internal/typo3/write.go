package typo3

import (
	"context"
	"crypto/md5" //nolint:gosec // TYPO3's correlation ids are made with it; it protects nothing
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"

	"editor-actions/internal/fault"

	"gorm.io/gorm"
)

// Sizes of the columns in bytes; more fails the whole UPDATE. The description is
// larger since 13.4, but no text of a picture needs that.
const (
	maxTitleBytes = 255    // tinytext
	maxTextBytes  = 65_535 // text
)

// Errors of a write. Where TYPO3 drops a field without a word, the whole write
// is refused with the field's name.
var (
	ErrMetadataChanged = fault.New(fault.Stale, "metadata_changed", "The texts of this file changed meanwhile. Nothing was written.")
	errTable           = fault.New(fault.Forbidden, "table_not_allowed", "The metadata of files may not be changed in the name of this user. Nothing was written.")
	errLanguage        = fault.New(fault.Forbidden, "language_not_allowed", "Texts in this language may not be changed in the name of this user. Nothing was written.")
	errWorkspace       = fault.New(fault.Forbidden, "not_live_workspace", "This user works in a workspace. Texts of files are written in the live workspace only.")
)

// MetadataWrite is one change of one row. Fields and Old have the same keys:
// title, alternative, description.
type MetadataWrite struct {
	Actor       *BackendUser // in whose name; resolved for this moment
	File        FileUID
	MetadataUID MetadataUID
	Fields      map[string]string // new texts
	Old         map[string]string // what must stand there, byte for byte; NULL counts as ""
	Current     *Metadata         // the row as read a moment ago; nil reads it
	RemoteIP    string
}

// fieldOrder is how TYPO3's form sends them.
var fieldOrder = []string{"alternative", "title", "description"}

// WriteMetadata is the one function that writes (P1). It leaves behind what
// TYPO3's form leaves behind (P14): the row with its timestamp and translation
// source, a history row, a log row, and the cached pages of the record's tags
// gone. It runs inside the caller's transaction; the caller has checked the file
// mount. ErrMetadataChanged when an old text is not what Old says: the caller
// rolls back. The result is the history row, 0 when every text was the stored one
// already and TYPO3 would have written nothing.
func (c *CMS) WriteMetadata(ctx context.Context, tx *gorm.DB, w MetadataWrite) (uint32, error) {
	if tx == nil {
		return 0, errors.New("typo3: a write needs a transaction")
	}
	tx = tx.WithContext(ctx)
	row, err := c.current(tx, w)
	if err != nil {
		return 0, err
	}
	if err := mayWrite(w, row); err != nil {
		return 0, err
	}
	var changed []string
	for _, f := range fieldOrder {
		if text, ok := w.Fields[f]; ok && text != value(row.column(f)) {
			changed = append(changed, f)
		}
	}
	if len(changed) == 0 {
		return 0, c.unchanged(row, w)
	}
	now := c.now().Unix()
	diff, err := c.diffsource(tx, w, row)
	if err != nil {
		return 0, err
	}
	if err := update(tx, w, row, changed, diff, now); err != nil {
		return 0, err
	}
	history, err := insertHistory(tx, w, row, changed, diff, now)
	if err != nil {
		return 0, err
	}
	if err := c.insertLog(tx, w, row, history, now); err != nil {
		return 0, err
	}
	return history, c.flushCaches(ctx, tx, w)
}

func (c *CMS) current(tx *gorm.DB, w MetadataWrite) (*MetadataRow, error) {
	if w.Current != nil && w.Current.UID == w.MetadataUID {
		return &w.Current.row, nil
	}
	var row MetadataRow
	err := tx.Where("uid = ? AND file = ? AND t3ver_wsid = 0 AND t3ver_oid = 0", uint32(w.MetadataUID), uint32(w.File)).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, ErrMetadataChanged
	}
	if err != nil {
		return nil, fmt.Errorf("typo3: read metadata: %w", err)
	}
	return &row, nil
}

// mayWrite are the gates of the DataHandler that do not depend on the file.
func mayWrite(w MetadataWrite, row *MetadataRow) error {
	switch {
	case w.Actor == nil || !w.Actor.MetadataTable:
		return errTable
	case !w.Actor.Live() || w.Actor.Frozen:
		return errWorkspace
	case !w.Actor.MayUseLanguage(LanguageUID(row.Language)):
		return errLanguage
	}
	if title, ok := w.Fields["title"]; ok {
		if !w.Actor.TitleField {
			return fault.New(fault.Forbidden, "field_not_permitted", "The field `%s` may not be changed in the name of this user. Nothing was written.", "title")
		}
		if len(title) > maxTitleBytes {
			return fault.New(fault.Invalid, "title_too_many_bytes", "The title has %d bytes; its column holds %d.", len(title), maxTitleBytes)
		}
	}
	for f, text := range w.Fields {
		if len(text) > maxTextBytes {
			return fault.New(fault.Invalid, "text_too_many_bytes", "The field `%s` has %d bytes; its column holds %d.", f, len(text), maxTextBytes)
		}
		if _, ok := w.Old[f]; !ok || f != "title" && f != "alternative" && f != "description" {
			return fmt.Errorf("typo3: write of field %q without its old text", f)
		}
	}
	return nil
}

// unchanged makes sure that a write without a change is one on the texts that
// were shown.
func (c *CMS) unchanged(row *MetadataRow, w MetadataWrite) error {
	for f, old := range w.Old {
		if value(row.column(f)) != old {
			return ErrMetadataChanged
		}
	}
	return nil
}

// update changes the row if, and only if, every old text is still there. The
// comparison is by bytes: TYPO3's collations ignore case and trailing blanks.
func update(tx *gorm.DB, w MetadataWrite, row *MetadataRow, changed []string, diff string, now int64) error {
	kind := "BINARY"
	if tx.Name() == "sqlite" {
		kind = "BLOB"
	}
	where := []string{"uid = ?", "file = ?", "t3ver_wsid = 0", "t3ver_oid = 0"}
	args := []any{row.UID, uint32(w.File)}
	for _, f := range fieldOrder {
		if old, ok := w.Old[f]; ok {
			where = append(where, "CAST(COALESCE("+f+", '') AS "+kind+") = CAST(? AS "+kind+")")
			args = append(args, old)
		}
	}
	set := map[string]any{"tstamp": now}
	for _, f := range changed {
		set[f] = w.Fields[f]
	}
	if diff != string(row.Diffsource) {
		set["l10n_diffsource"] = []byte(diff)
	}
	res := tx.Table("sys_file_metadata").Where(strings.Join(where, " AND "), args...).Updates(set)
	if res.Error != nil {
		return fmt.Errorf("typo3: write metadata: %w", res.Error)
	}
	if res.RowsAffected != 1 {
		return ErrMetadataChanged
	}
	return nil
}

type historyRow struct {
	UID            uint32 `gorm:"column:uid;primaryKey"`
	Tstamp         int64  `gorm:"column:tstamp"`
	Actiontype     int    `gorm:"column:actiontype"`
	Usertype       string `gorm:"column:usertype"`
	Userid         uint32 `gorm:"column:userid"`
	Originaluserid uint32 `gorm:"column:originaluserid"`
	Recuid         uint32 `gorm:"column:recuid"`
	Tablename      string `gorm:"column:tablename"`
	HistoryData    string `gorm:"column:history_data"`
	Workspace      int    `gorm:"column:workspace"`
	CorrelationID  string `gorm:"column:correlation_id"`
}

// TableName implements gorm's tabler.
func (historyRow) TableName() string { return "sys_history" }

// actionModify is TYPO3's number for a changed record, in history and log alike.
const actionModify = 2

func insertHistory(tx *gorm.DB, w MetadataWrite, row *MetadataRow, changed []string, diff string, now int64) (uint32, error) {
	var before, after phpObject
	for _, f := range changed {
		before.add(f, row.column(f))
		text := w.Fields[f]
		after.add(f, &text)
	}
	if old := string(row.Diffsource); old != diff {
		if row.Diffsource == nil {
			before.add("l10n_diffsource", nil)
		} else {
			before.add("l10n_diffsource", &old)
		}
		after.add("l10n_diffsource", &diff)
	}
	h := historyRow{
		Tstamp: now, Actiontype: actionModify, Usertype: "BE", Userid: uint32(w.Actor.UID), Originaluserid: uint32(w.Actor.OriginalUID),
		Recuid: row.UID, Tablename: "sys_file_metadata", HistoryData: `{"oldRecord":` + before.String() + `,"newRecord":` + after.String() + `}`,
		CorrelationID: correlationID(row.UID),
	}
	if err := tx.Create(&h).Error; err != nil {
		return 0, fmt.Errorf("typo3: write history: %w", err)
	}
	return h.UID, nil
}

// correlationID groups the history rows of one request: a version, a random
// part, and the record.
func correlationID(uid uint32) string {
	var b [24]byte
	_, _ = rand.Read(b[:])                                      // never fails
	sum := md5.Sum([]byte("sys_file_metadata:" + decimal(uid))) //nolint:gosec // see the import
	return "0400$" + base64.RawURLEncoding.EncodeToString(b[:]) + ":" + hex.EncodeToString(sum[:])
}

// insertLog writes the log row in the form of the TYPO3 version: 12.4 has the
// record's title in the sentence.
func (c *CMS) insertLog(tx *gorm.DB, w MetadataWrite, row *MetadataRow, history uint32, now int64) error {
	var data phpObject
	table, number := "sys_file_metadata", decimal(history)
	details := "Record {table}:{uid} was updated"
	values := map[string]any{}
	if strings.HasPrefix(c.settings().TYPO3.Version, "12.") {
		values["details_nr"] = 10 // DataHandler::updateDB
		details = `Record "{title}" ({table}:{uid}) was updated.`
		title := value(row.Title)
		if t, ok := w.Fields["title"]; ok {
			title = t
		}
		data.add("title", &title)
	}
	data.add("table", &table)
	data.number("uid", row.UID)
	data.add("history", &number)
	if w.Actor.OriginalUID != 0 {
		data.number("originalUser", uint32(w.Actor.OriginalUID))
	}
	maps.Copy(values, map[string]any{
		"userid": uint32(w.Actor.UID), "type": 1, "channel": "content", "level": "info", "action": actionModify, "error": 0,
		"details": details, "log_data": data.String(), "tablename": table, "recuid": row.UID, "IP": w.RemoteIP,
		"tstamp": now, "event_pid": 0, "workspace": 0,
	})
	if err := tx.Table("sys_log").Create(values).Error; err != nil {
		return fmt.Errorf("typo3: write log: %w", err)
	}
	return nil
}
