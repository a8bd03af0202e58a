package falgate_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/falgate"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// site is a copy of the data set with the two rooms on it.
type site struct {
	*testsite.Site
	t        *testing.T
	cms      *typo3.CMS
	gate     *falgate.Gate
	settings *config.Settings
	queries  *database.Counter
	log      *bytes.Buffer
}

// Files of the data set.
const (
	lake        = 23 // /user_upload/lake_morning.jpg
	nested      = 36 // /user_upload/nested/plasma_a.jpg
	deeper      = 37 // /user_upload/nested/deeper/plasma_b.jpg
	noRow       = 51 // /user_upload/tiny.png
	marked      = 55 // /products/will_be_missing.jpg, marked missing
	gone        = 3  // /user_upload/also_missing.png, not on disk
	private     = 46 // /private/hr/staff_badge.jpg
	phpName     = 32 // /user_upload/old_page.php.jpg
	archive     = 57 // 2:/letters/letter_a.jpg
	offlineFile = 61 // 3:/maps/city.png
	readOnly    = 63 // 4:/stock/stock_1.jpg
)

func each(t *testing.T, fn func(t *testing.T, s *site)) {
	t.Helper()
	testsite.Each(t, func(t *testing.T, ts *testsite.Site) { fn(t, open(t, ts)) })
}

func onSQLite(t *testing.T) *site {
	t.Helper()
	return open(t, testsite.SQLite(t))
}

func open(t *testing.T, ts *testsite.Site) *site {
	t.Helper()
	cfg := ts.Settings
	s := &site{Site: ts, t: t, settings: &cfg, log: &bytes.Buffer{}}
	settings := func() *config.Settings { return s.settings }
	s.cms = typo3.New(ts.DB, settings, time.Now)
	s.gate = falgate.New(s.cms, ts.DB, settings, slog.New(slog.NewJSONHandler(s.log, nil)))
	var err error
	if s.queries, err = database.CountQueries(ts.DB); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *site) user(name string) *typo3.BackendUser {
	s.t.Helper()
	u, err := s.cms.UserByName(s.t.Context(), name)
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	return u
}

func (s *site) exec(statement string, args ...any) {
	s.t.Helper()
	if err := s.DB.Exec(statement, args...).Error; err != nil {
		s.t.Fatal(err)
	}
}

// access asks and fails on errors of the database.
func (s *site) access(who string, uid typo3.FileUID) falgate.Access {
	s.t.Helper()
	a, _, err := s.gate.Access(s.t.Context(), s.user(who), uid)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// path is a file of storage 1 on disk.
func (s *site) path(identifier string) string {
	return filepath.Join(s.Public, "fileadmin", filepath.FromSlash(identifier))
}

// file puts a picture on disk and into the index, with a metadata row.
func (s *site) file(uid typo3.FileUID, storage int, base, identifier string) {
	s.t.Helper()
	at := filepath.Join(base, filepath.FromSlash(identifier))
	if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte("picture "+identifier), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.row(uid, storage, identifier)
}

func (s *site) row(uid typo3.FileUID, storage int, identifier string) {
	s.t.Helper()
	s.exec("INSERT INTO sys_file (uid, storage, identifier, name, extension, mime_type, type, identifier_hash, folder_hash) VALUES (?, ?, ?, ?, 'jpg', 'image/jpeg', 2, ?, ?)",
		uid, storage, identifier, filepath.Base(identifier), falgate.SHA1(identifier), falgate.FolderHash(filepath.Dir(identifier)))
	s.exec("INSERT INTO sys_file_metadata (file) VALUES (?)", uid)
}
