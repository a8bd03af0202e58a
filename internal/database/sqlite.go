package database

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"editor-actions/internal/secret"

	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
)

// sqliteOptions: wait for a lock instead of failing, let readers and a writer
// work side by side, and take the write lock at BEGIN, so that a transaction never
// finds its snapshot overtaken. A file that is not there is an error, not a new
// and empty database.
var sqliteOptions = url.Values{
	"mode":          {"rw"},
	"_foreign_keys": {"on"},
	"_busy_timeout": {"10000"},
	"_journal_mode": {"WAL"},
	"_txlock":       {"immediate"},
	"_loc":          {"UTC"},
}

func openSQLite(dsn secret.String) (*gorm.DB, error) {
	u, err := url.Parse(dsn.Reveal())
	if err != nil || u.Host != "" || u.RawQuery != "" || u.Fragment != "" || !filepath.IsAbs(u.Path) {
		return nil, errors.New("is no address of the form sqlite:///absolute/path (a special character is written as %XX)")
	}
	file := (&url.URL{Scheme: "file", Path: u.Path, RawQuery: sqliteOptions.Encode()}).String()
	db, err := gorm.Open(sqlite.Open(file), options())
	if err != nil {
		return nil, fmt.Errorf("the database cannot be reached: SQLite file %s: %w", u.Path, err)
	}
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	bound(pool)
	return db, nil
}
