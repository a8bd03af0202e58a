package demo

import (
	"context"
	"crypto/sha1" //nolint:gosec // TYPO3's identifier hashes are SHA-1
	"database/sql"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	_ "github.com/mattn/go-sqlite3" // the driver behind sql.Open
)

//go:embed schema.sql
var schema string

// row is a table row: column to value. Columns that are not named keep TYPO3's default.
type row map[string]any

// writeDatabase makes the database beside its place and moves it there when it
// is whole. Side files of an older one would be replayed into the new one.
func writeDatabase(ctx context.Context, root *os.Root, site *Site, files []stored) error {
	part := site.Database + ".part"
	for _, name := range []string{databaseFile + ".part", databaseFile + ".part-journal"} {
		if err := removeOwn(root, name); err != nil {
			return err
		}
	}
	if err := fillDatabase(ctx, part, files); err != nil {
		return err
	}
	for _, name := range []string{databaseFile, databaseFile + "-wal", databaseFile + "-shm"} {
		if err := removeOwn(root, name); err != nil {
			return err
		}
	}
	if err := root.Rename(databaseFile+".part", databaseFile); err != nil {
		return fmt.Errorf("demo: place database: %w", err)
	}
	return nil
}

func removeOwn(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("demo: remove %s: %w", name, err)
	}
	return nil
}

func fillDatabase(ctx context.Context, file string, files []stored) (err error) {
	db, err := sql.Open("sqlite3", fileURI(file, "_journal_mode=DELETE&_synchronous=OFF"))
	if err != nil {
		return fmt.Errorf("demo: open database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return fmt.Errorf("demo: create tables: %w", err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("demo: begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // nothing left to roll back after the commit
	w := &writer{ctx: ctx, tx: tx}
	w.all("be_users", userRows())
	w.all("be_groups", groupRows)
	w.all("sys_filemounts", mountRows)
	w.all("sys_file_storage", storageRows())
	w.files(files)
	w.pages(files)
	if w.err != nil {
		return w.err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("demo: commit: %w", err)
	}
	return nil
}

// fileURI is how the SQLite driver is told a file with options.
func fileURI(name, options string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(name), RawQuery: options}).String()
}

// writer inserts rows and keeps the first error.
type writer struct {
	ctx context.Context //nolint:containedctx // lives for one call of fillDatabase
	tx  *sql.Tx
	err error
}

// all inserts rows with uids from 1 on and the dates TYPO3 keeps.
func (w *writer) all(table string, rows []row) {
	for i, r := range rows {
		r := maps.Clone(r)
		r["uid"], r["tstamp"] = i+1, epoch.Unix()
		if table != "sys_filemounts" {
			r["crdate"] = epoch.Unix()
		}
		if table == "sys_filemounts" || table == "pages" || table == "tt_content" {
			r["sorting"] = (i + 1) * 256
		}
		w.insert(table, r)
	}
}

func (w *writer) insert(table string, r row) {
	if w.err != nil {
		return
	}
	columns := slices.Sorted(maps.Keys(r))
	values := make([]any, len(columns))
	for i, c := range columns {
		values[i] = r[c]
		columns[i] = `"` + c + `"`
	}
	// names come from this package, values travel as parameters
	query := `INSERT INTO "` + table + `" (` + strings.Join(columns, ", ") + `) VALUES (?` + strings.Repeat(", ?", len(columns)-1) + `)` //nolint:gosec // as said above
	if _, err := w.tx.ExecContext(w.ctx, query, values...); err != nil {
		w.err = fmt.Errorf("demo: insert into %s: %w", table, err)
	}
}

func storageRows() []row {
	flex := func(base string) string {
		field := func(name, value string) string {
			return fmt.Sprintf("                <field index=\"%s\">\n                    <value index=\"vDEF\">%s</value>\n                </field>\n", name, value)
		}
		return "<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\" ?>\n<T3FlexForms>\n    <data>\n        <sheet index=\"sDEF\">\n            <language index=\"lDEF\">\n" +
			field("basePath", base) + field("pathType", "relative") + field("baseUri", "") + field("caseSensitive", "1") +
			"            </language>\n        </sheet>\n    </data>\n</T3FlexForms>\n"
	}
	return []row{
		{
			"name": "fileadmin", "driver": "Local", "is_public": 1, "is_default": 1, "configuration": flex("fileadmin/"),
			"description": "Files of the web site.",
		},
		{
			"name": "Archive", "driver": "Local", "is_public": 0, "configuration": flex("../" + archiveFolder + "/"),
			"description": "Old photographs and postcards, outside the public folder.",
		},
	}
}

func (w *writer) files(files []stored) {
	metadata := 0
	for i, f := range files {
		uid := i + 1
		w.insert("sys_file", row{
			"uid": uid, "tstamp": epoch.Unix(), "last_indexed": epoch.Unix(), "storage": f.storage,
			"identifier": f.identifier(), "identifier_hash": sum(f.identifier()), "folder_hash": sum(path.Dir(f.identifier())),
			"name": f.name, "extension": strings.TrimPrefix(path.Ext(f.name), "."), "sha1": f.sha1, "size": f.size,
			"mime_type": f.mime, "type": fileType(f.mime), "missing": f.missing,
			"creation_date": f.modified.Unix(), "modification_date": f.modified.Unix(),
		})
		if f.noRow {
			continue
		}
		metadata++
		parent := metadata
		w.insert("sys_file_metadata", f.metadata(parent, uid, 0, 0, f.en))
		if f.de != nil {
			metadata++
			w.insert("sys_file_metadata", f.metadata(metadata, uid, 1, parent, *f.de))
		}
	}
}

func (f stored) metadata(uid, file, language, parent int, t texts) row {
	r := row{
		"uid": uid, "file": file, "sys_language_uid": language, "l10n_parent": parent,
		"tstamp": epoch.Unix(), "crdate": epoch.Unix(), "width": f.width, "height": f.height,
	}
	for column, text := range map[string]string{"title": t.title, "alternative": t.alternative, "description": t.description} {
		if text != "" {
			r[column] = text
		}
	}
	if t.decorative {
		r["alternative"] = ""
	}
	return r
}

// sum is how TYPO3 hashes identifiers.
func sum(s string) string {
	h := sha1.Sum([]byte(s)) //nolint:gosec // see import
	return hex.EncodeToString(h[:])
}
