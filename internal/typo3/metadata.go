package typo3

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
)

// MetadataRow is sys_file_metadata as far as texts and their history need it.
// Rooms that join the table embed it under its own column names.
type MetadataRow struct {
	UID         uint32  `gorm:"column:uid"`
	File        uint32  `gorm:"column:file"`
	Language    int32   `gorm:"column:sys_language_uid"`
	L10nParent  uint32  `gorm:"column:l10n_parent"`
	Title       *string `gorm:"column:title"`
	Alternative *string `gorm:"column:alternative"`
	Description *string `gorm:"column:description"`
	Diffsource  []byte  `gorm:"column:l10n_diffsource"`
	Tstamp      int64   `gorm:"column:tstamp"`
}

// TableName implements gorm's tabler.
func (MetadataRow) TableName() string { return "sys_file_metadata" }

// Metadata is the metadata of a file in one language. NULL and "" both mean
// "nothing" to TYPO3 and are both "" here.
type Metadata struct {
	UID         MetadataUID
	File        FileUID
	Language    LanguageUID
	Title       string
	Alternative string
	Description string

	row MetadataRow // as read, for the history of a write
}

// Metadata makes the Metadata of a row.
func (r MetadataRow) Metadata() *Metadata {
	return &Metadata{
		UID: MetadataUID(r.UID), File: FileUID(r.File), Language: LanguageUID(r.Language),
		Title: value(r.Title), Alternative: value(r.Alternative), Description: value(r.Description), row: r,
	}
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// column is the stored value of a text column, nil for NULL.
func (r *MetadataRow) column(field string) *string {
	switch field {
	case "title":
		return r.Title
	case "alternative":
		return r.Alternative
	case "description":
		return r.Description
	}
	return nil
}

// Live is the condition for the one row of a file that counts: default
// language, live workspace, never a draft. Of several the lowest uid. The signs
// keep SQLite, which has no statistics here, from the index on the version, which
// nearly every row fits; the one on the file is meant.
const Live = "+sys_language_uid = 0 AND +t3ver_wsid = 0 AND +t3ver_oid = 0"

// Metadata reads the row of a file that counts. ErrNoMetadata when there is
// none. tx may be nil.
func (c *CMS) Metadata(ctx context.Context, tx *gorm.DB, file FileUID) (*Metadata, error) {
	var row MetadataRow
	err := c.conn(ctx, tx).Where("file = ? AND "+Live, uint32(file)).Order("uid").Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, ErrNoMetadata
	}
	if err != nil {
		return nil, fmt.Errorf("typo3: read metadata: %w", err)
	}
	return row.Metadata(), nil
}

// MetadataRecord is one live metadata row of a file, with what only some sites have.
type MetadataRecord struct {
	Metadata
	Caption string // "" also when the site has no such column (TYPO3's filemetadata adds it)
}

// maxMetadataRecords bounds the languages of one file.
const maxMetadataRecords = 200

// MetadataRecords reads the live rows of a file in every language, by uid.
func (c *CMS) MetadataRecords(ctx context.Context, file FileUID) ([]MetadataRecord, error) {
	var rows []struct {
		MetadataRow
		Caption *string `gorm:"column:caption"`
	}
	// Every column, because a missing one must not be named.
	err := c.conn(ctx, nil).Raw("SELECT * FROM sys_file_metadata WHERE file = ? AND +t3ver_wsid = 0 AND +t3ver_oid = 0 ORDER BY uid LIMIT ?",
		uint32(file), maxMetadataRecords).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("typo3: read metadata records: %w", err)
	}
	out := make([]MetadataRecord, len(rows))
	for i := range rows {
		out[i] = MetadataRecord{Metadata: *rows[i].Metadata(), Caption: value(rows[i].Caption)}
	}
	return out, nil
}
