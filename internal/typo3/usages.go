package typo3

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// MaxUsages bounds how many file references, and how many links, are looked at.
const MaxUsages = 1000

// maxOverride bounds how many characters of a reference's own text are read.
const maxOverride = 4000

// FileUsage is one place where a file is used, as a user may see it.
type FileUsage struct {
	Table  string
	Field  string
	Record uint32 // uid in Table

	// Reference is the sys_file_reference, 0 for a link in a text, which has no
	// texts of its own.
	Reference uint32

	Heading  string // "" when the table's label is not known
	Language LanguageUID
	Hidden   bool // the record or the reference is hidden; the backend shows both
	Page     Page // zero for a record at the root of the page tree

	// The reference's own texts; nil = those of the file, "" = none on purpose.
	Title, Alternative, Description *string
}

// headings are the labels of tables that ship with TYPO3 or are known by their
// name. TCA is not in the database, so others have none.
var headings = map[string]string{
	"pages": "title", "tt_content": "header", "sys_category": "title", "sys_file_collection": "title", "tx_news_domain_model_news": "title",
}

// usageRow is a use of a file before anybody's rights are asked.
type usageRow struct {
	UID         uint32  `gorm:"column:uid"` // of the reference, 0 = a link
	Table       string  `gorm:"column:tablenames"`
	Field       string  `gorm:"column:fieldname"`
	Record      uint32  `gorm:"column:uid_foreign"`
	Language    int32   `gorm:"column:sys_language_uid"`
	Hidden      bool    `gorm:"column:hidden"`
	Title       *string `gorm:"column:title"`
	Alternative *string `gorm:"column:alternative"`
	Description *string `gorm:"column:description"`
}

// usingRecord is the record that a file is used in.
type usingRecord struct {
	Table    string `gorm:"column:using_table"`
	UID      uint32 `gorm:"column:uid"`
	PID      uint32 `gorm:"column:pid"`
	Hidden   bool   `gorm:"column:hidden"`
	Language int32  `gorm:"column:language"`
	Heading  string `gorm:"column:heading"`
}

type recordKey struct {
	table string
	uid   uint32
}

// FileUsages lists where a file is used, references by uid and then links, in
// five queries at most. A use is listed only when the user may see the table
// (tables_select), the page that holds the record (VisiblePages; a record at the root
// is for administrators) and, for a translated record, its language. Deleted
// references, records and pages and drafts of a workspace are not listed. Links come
// from sys_refindex and are as fresh as that index. The caller has decided about the file.
func (c *CMS) FileUsages(ctx context.Context, who *BackendUser, file FileUID) ([]FileUsage, error) {
	uses, err := c.usages(ctx, file)
	if err != nil {
		return nil, err
	}
	byTable := map[string][]uint32{}
	for _, u := range uses {
		if who.MayReadTable(u.Table) {
			byTable[u.Table] = append(byTable[u.Table], u.Record)
		}
	}
	records, err := c.usingRecords(ctx, byTable)
	if err != nil {
		return nil, err
	}
	var pages []PageUID
	for _, r := range records {
		pages = append(pages, r.page())
	}
	visible, err := c.VisiblePages(ctx, who, pages)
	if err != nil {
		return nil, err
	}
	var out []FileUsage
	for _, u := range uses {
		r, ok := records[recordKey{u.Table, u.Record}]
		if !ok {
			continue
		}
		page, seen := visible[r.page()]
		if !seen && (r.page() != 0 || !who.Admin) || !mayRead(who, r.Language) || !mayRead(who, u.Language) {
			continue
		}
		out = append(out, FileUsage{
			Table: u.Table, Field: u.Field, Record: u.Record, Reference: u.UID, Heading: r.Heading, Language: LanguageUID(r.Language),
			Hidden: u.Hidden || r.Hidden, Page: page, Title: u.Title, Alternative: u.Alternative, Description: u.Description,
		})
	}
	return out, nil
}

// mayRead asks for the language of a translation. Records of the default
// language are what translators work from: TYPO3 shows them to everybody.
func mayRead(who *BackendUser, language int32) bool {
	return language <= 0 || who.MayUseLanguage(LanguageUID(language))
}

// page is where a record lies; a page lies in itself.
func (r *usingRecord) page() PageUID {
	if r.Table == "pages" {
		return PageUID(r.UID)
	}
	return PageUID(r.PID)
}

// usages reads the uses of a file. The signs keep SQLite from the indexes that
// nearly every row fits.
func (c *CMS) usages(ctx context.Context, file FileUID) ([]usageRow, error) {
	var references, links []usageRow
	err := c.conn(ctx, nil).Raw(`SELECT uid, tablenames, fieldname, uid_foreign, sys_language_uid, hidden,
 SUBSTR(title, 1, ?) AS title, SUBSTR(alternative, 1, ?) AS alternative, SUBSTR(description, 1, ?) AS description FROM sys_file_reference
 WHERE uid_local = ? AND uid_foreign > 0 AND +deleted = 0 AND +t3ver_wsid = 0 AND +t3ver_oid = 0 ORDER BY uid LIMIT ?`,
		maxOverride, maxOverride, maxOverride, uint32(file), MaxUsages).Scan(&references).Error
	if err != nil {
		return nil, fmt.Errorf("typo3: read file references: %w", err)
	}
	err = c.conn(ctx, nil).Raw(`SELECT DISTINCT tablename AS tablenames, field AS fieldname, recuid AS uid_foreign FROM sys_refindex
 WHERE ref_table = 'sys_file' AND ref_uid = ? AND softref_key <> '' AND workspace = 0 ORDER BY tablename, recuid, field LIMIT ?`,
		uint32(file), MaxUsages).Scan(&links).Error
	if err != nil {
		return nil, fmt.Errorf("typo3: read reference index: %w", err)
	}
	return append(references, links...), nil
}

// tableName is what a table may be called to be put into a statement.
var tableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

// usingRecords reads the live records behind uses, of whatever tables, in two
// queries: which columns the tables have, and the records. A table that is not there
// or has no uid and pid gives none.
func (c *CMS) usingRecords(ctx context.Context, byTable map[string][]uint32) (map[recordKey]*usingRecord, error) {
	out := map[recordKey]*usingRecord{}
	maps.DeleteFunc(byTable, func(table string, _ []uint32) bool { return !tableName.MatchString(table) })
	if len(byTable) == 0 {
		return out, nil
	}
	columns, err := c.columns(ctx, slices.Sorted(maps.Keys(byTable)))
	if err != nil {
		return nil, err
	}
	var parts []string
	var args []any
	for _, table := range slices.Sorted(maps.Keys(byTable)) {
		if columns[table]["uid"] && columns[table]["pid"] {
			parts = append(parts, selectRecords(table, columns[table]))
			args = append(args, byTable[table])
		}
	}
	if len(parts) == 0 {
		return out, nil
	}
	var rows []usingRecord
	if err := c.conn(ctx, nil).Raw(strings.Join(parts, " UNION ALL "), args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("typo3: read using records: %w", err)
	}
	for i := range rows {
		out[recordKey{rows[i].Table, rows[i].UID}] = &rows[i]
	}
	return out, nil
}

// selectRecords reads records of one table by the columns it has. The columns
// that say deleted, hidden, language and version have these names in TYPO3's own
// tables and in nearly every other one.
func selectRecords(table string, has map[string]bool) string {
	column := func(name, otherwise string) string {
		if has[name] {
			return name
		}
		return otherwise
	}
	heading := "''"
	if label := headings[table]; has[label] {
		heading = "CAST(COALESCE(" + label + ", '') AS CHAR)" // one collation for all parts of the UNION
	}
	s := "SELECT '" + table + "' AS using_table, uid, pid, " + column("hidden", "0") + " AS hidden, " + column("sys_language_uid", "0") + " AS language, " +
		heading + " AS heading FROM `" + table + "` WHERE uid IN ?"
	for _, name := range []string{"deleted", "t3ver_wsid", "t3ver_oid"} {
		if has[name] {
			s += " AND +" + name + " = 0"
		}
	}
	return s
}

// columns answers the columns of tables, in one query.
func (c *CMS) columns(ctx context.Context, tables []string) (map[string]map[string]bool, error) {
	statement := `SELECT table_name AS owner, column_name AS name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name IN ?`
	if c.db.Name() == "sqlite" {
		statement = `SELECT m.name AS owner, p.name AS name FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name IN ?`
	}
	var rows []struct{ Owner, Name string }
	if err := c.conn(ctx, nil).Raw(statement, tables).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("typo3: read columns: %w", err)
	}
	out := map[string]map[string]bool{}
	for _, r := range rows {
		if out[r.Owner] == nil {
			out[r.Owner] = map[string]bool{}
		}
		out[r.Owner][r.Name] = true
	}
	return out, nil
}
