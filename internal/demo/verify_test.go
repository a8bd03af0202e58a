package demo

import (
	"context"
	"crypto/sha1"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// Verify reads the whole site again and answers every difference between the
// rows and the files at once (errors.Join); nil = all is as it should be. A
// site in which people have replaced or removed files differs, of course.
func Verify(ctx context.Context, site *Site) (err error) {
	root, err := os.OpenRoot(site.Dir)
	if err != nil {
		return fmt.Errorf("demo: open %s: %w", site.Dir, err)
	}
	defer func() { _ = root.Close() }()
	m, err := readManifest(root)
	if err != nil {
		return err
	}
	if !m.Complete {
		return fmt.Errorf("demo: the site in %s is not complete", site.Dir)
	}
	db, err := sql.Open("sqlite3", fileURI(site.Database, "mode=ro"))
	if err != nil {
		return fmt.Errorf("demo: open database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return errors.Join(verifyFiles(ctx, db, root), verifyReferences(ctx, db))
}

func verifyFiles(ctx context.Context, db *sql.DB, root *os.Root) error {
	rows, err := db.QueryContext(ctx, `SELECT uid, storage, identifier, identifier_hash, folder_hash, name, sha1, size, mime_type, type, missing FROM sys_file ORDER BY uid`)
	if err != nil {
		return fmt.Errorf("demo: read sys_file: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var problems []error
	n := 0
	for rows.Next() {
		var uid, storage, kind int
		var size int64
		var missing bool
		var identifier, idHash, folderHash, name, content, mime string
		if err := rows.Scan(&uid, &storage, &identifier, &idHash, &folderHash, &name, &content, &size, &mime, &kind, &missing); err != nil {
			return fmt.Errorf("demo: read sys_file: %w", err)
		}
		n++
		wrong := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("sys_file %d (%s): "+format, append([]any{uid, identifier}, args...)...))
		}
		folder := path.Dir(identifier)
		if folder != "/" {
			folder += "/"
		}
		if idHash != sum(identifier) || folderHash != sum(path.Dir(identifier)) || path.Base(identifier) != name {
			wrong("hashes or name do not belong to the identifier")
		}
		got, data, err := look(root, entry{storage: storage, folder: folder, name: name})
		switch {
		case missing && err == nil:
			wrong("is marked missing and is there")
		case missing:
		case err != nil:
			wrong("cannot be read: %w", err)
		case got != content:
			wrong("content has another hash than the row")
		case int64(len(data)) != size:
			wrong("has %d bytes, the row says %d", len(data), size)
		case mediaType(data) != mime || fileType(mime) != kind:
			wrong("is %s, the row says %s, type %d", mediaType(data), mime, kind)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("demo: read sys_file: %w", err)
	}
	if n != len(entries) {
		problems = append(problems, fmt.Errorf("sys_file has %d rows, not %d", n, len(entries)))
	}
	return errors.Join(problems...)
}

func look(root *os.Root, e entry) (hash string, data []byte, err error) {
	f, err := root.Open(e.path())
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = f.Close() }()
	if data, err = io.ReadAll(f); err != nil {
		return "", nil, err
	}
	h := sha1.Sum(data)
	return hex.EncodeToString(h[:]), data, nil
}

// verifyReferences finds rows that point to nothing.
func verifyReferences(ctx context.Context, db *sql.DB) error {
	var problems []error
	for _, q := range []struct{ what, sql string }{
		{"metadata of no file", `SELECT COUNT(*) FROM sys_file_metadata m LEFT JOIN sys_file f ON f.uid = m.file WHERE f.uid IS NULL`},
		{"uses of no file", `SELECT COUNT(*) FROM sys_file_reference r LEFT JOIN sys_file f ON f.uid = r.uid_local WHERE f.uid IS NULL`},
		{"uses in no content", `SELECT COUNT(*) FROM sys_file_reference r LEFT JOIN tt_content c ON c.uid = r.uid_foreign WHERE c.uid IS NULL`},
		{"content on no page", `SELECT COUNT(*) FROM tt_content c LEFT JOIN pages p ON p.uid = c.pid WHERE p.uid IS NULL`},
		{"translations of no row", `SELECT COUNT(*) FROM sys_file_metadata t LEFT JOIN sys_file_metadata m ON m.uid = t.l10n_parent AND m.file = t.file WHERE t.l10n_parent > 0 AND m.uid IS NULL`},
	} {
		var n int
		if err := db.QueryRowContext(ctx, q.sql).Scan(&n); err != nil {
			return fmt.Errorf("demo: look for %s: %w", q.what, err)
		}
		if n > 0 {
			problems = append(problems, fmt.Errorf("%d %s", n, q.what))
		}
	}
	return errors.Join(problems...)
}
