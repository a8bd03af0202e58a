package demo_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/demo"
	"editor-actions/internal/fault"

	"golang.org/x/crypto/argon2"
)

func build(t *testing.T, dir string, opts demo.Options) *demo.Site {
	t.Helper()
	site, err := demo.Build(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func open(t *testing.T, site *demo.Site) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+site.Database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// dump writes every row of every table, in order.
func dump(t *testing.T, site *demo.Site) string {
	t.Helper()
	db := open(t, site)
	var out strings.Builder
	var tables []string
	rows, err := db.QueryContext(t.Context(), `SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, n)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		rows, err := db.QueryContext(t.Context(), `SELECT * FROM "`+table+`" ORDER BY 1`)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values, at := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				at[i] = &values[i]
			}
			if err := rows.Scan(at...); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&out, table, values)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// The one test that paints the real pictures: all of them, and all are right.
// Under the race detector drafts stand in for them.
func TestBuild_RowsAndFilesBelongTogether(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("paints four dozen large pictures")
	}
	site := build(t, filepath.Join(t.TempDir(), "demo site", "100% new"), demo.Options{Draft: raced})
	if err := demo.Verify(t.Context(), site); err != nil {
		t.Error(err)
	}
	if !site.Built {
		t.Error("a new site does not say that it was built")
	}
	db := open(t, site)
	rows, err := db.QueryContext(t.Context(), `SELECT f.storage, f.identifier, f.mime_type, m.width, m.height FROM sys_file f JOIN sys_file_metadata m ON m.file = f.uid AND m.sys_language_uid = 0 WHERE f.missing = 0 AND f.type = 2 AND f.mime_type <> 'image/svg+xml'`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var storage, width, height int
		var identifier, mime string
		if err := rows.Scan(&storage, &identifier, &mime, &width, &height); err != nil {
			t.Fatal(err)
		}
		base := filepath.Join(site.Public, "fileadmin")
		if storage == int(demo.ArchiveStorage) {
			base = site.Archive
		}
		f, err := os.Open(filepath.Join(base, identifier))
		if err != nil {
			t.Fatal(err)
		}
		cfg, kind, err := image.DecodeConfig(f)
		_ = f.Close()
		if err != nil || "image/"+kind != mime {
			t.Errorf("%s: %v, %s, row says %s", identifier, err, kind, mime)
		}
		if strings.HasSuffix(identifier, "DSC00042.jpg") {
			cfg.Width, cfg.Height = cfg.Height, cfg.Width // metadata is upright, the bitmap is not
		}
		if cfg.Width != width || cfg.Height != height {
			t.Errorf("%s is %dx%d, metadata says %dx%d", identifier, cfg.Width, cfg.Height, width, height)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

func TestBuild_TwiceGivesTheSameRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one := build(t, filepath.Join(dir, "one"), demo.Options{Draft: true})
	two := build(t, filepath.Join(dir, "two"), demo.Options{Draft: true})
	want := dump(t, one)
	if got := dump(t, two); got != want {
		t.Error("two folders hold different rows")
	}
	again := build(t, filepath.Join(dir, "one"), demo.Options{Draft: true, Fresh: true})
	if !again.Built {
		t.Error("Fresh did not build")
	}
	if got := dump(t, again); got != want {
		t.Error("a fresh build holds different rows")
	}
	if err := demo.Verify(t.Context(), again); err != nil {
		t.Error(err)
	}
}

func TestBuild_ACompleteSiteIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	site := build(t, dir, demo.Options{Draft: true})
	db := open(t, site)
	if _, err := db.ExecContext(t.Context(), `UPDATE sys_file_metadata SET alternative = 'approved yesterday' WHERE file = 2`); err != nil {
		t.Fatal(err)
	}
	before := dump(t, site)
	again := build(t, dir, demo.Options{Draft: true})
	if again.Built {
		t.Error("says it was built again")
	}
	if dump(t, again) != before {
		t.Error("the work of the people in the demo is lost")
	}
}

func TestBuild_AHalfBuiltSiteIsBuiltAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := demo.Build(ctx, dir, demo.Options{Draft: true}); !errors.Is(err, context.Canceled) {
		t.Fatalf("want the build to stop, got %v", err)
	}
	own := filepath.Join(dir, "public", "fileadmin", "mine.txt")
	if err := os.WriteFile(own, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	site := build(t, dir, demo.Options{Draft: true})
	if err := demo.Verify(t.Context(), site); err != nil || !site.Built {
		t.Errorf("not complete: %v", err)
	}
	if raw, err := os.ReadFile(own); err != nil || string(raw) != "mine" {
		t.Errorf("a file that is not the demo's was touched: %v", err)
	}
}

func TestBuild_AForeignFolderIsRefused(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"something else": "thesis.txt", "a manifest of something else": "demo.json", "a database": "site.sqlite"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, file), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := demo.Build(t.Context(), dir, demo.Options{Draft: true})
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != "demo_folder_in_use" {
				t.Fatalf("got %v", err)
			}
			there, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range there {
				if e.Name() != file {
					t.Errorf("left %s behind", e.Name())
				}
			}
		})
	}
}

func TestBuild_TwoAtATime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	built := make([]bool, 3)
	for i := range built {
		wg.Go(func() {
			site, err := demo.Build(t.Context(), dir, demo.Options{Draft: true})
			if err != nil {
				t.Error(err)
				return
			}
			built[i] = site.Built
			if err := demo.Verify(t.Context(), site); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	n := 0
	for _, b := range built {
		if b {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d builds, want one", n)
	}
}

func TestSignIns_PasswordsOpenTheirRows(t *testing.T) {
	t.Parallel()
	site := build(t, t.TempDir(), demo.Options{Draft: true})
	db := open(t, site)
	want := []string{"admin", "editor", "editor-readonly", "reviewer"}
	for i, s := range demo.SignIns {
		if s.Username != want[i] || s.Role == "" {
			t.Errorf("sign-in %d is %q", i, s.Username)
		}
		var uid int
		var hash string
		if err := db.QueryRowContext(t.Context(), `SELECT uid, password FROM be_users WHERE username = ?`, s.Username).Scan(&uid, &hash); err != nil {
			t.Fatal(err)
		}
		if uid != i+1 || !matches(t, hash, s.Password) || matches(t, hash, s.Password+"x") {
			t.Errorf("%s: uid %d, hash %s", s.Username, uid, hash)
		}
	}
}

func TestSettings_LeaveTheBaseAlone(t *testing.T) {
	t.Parallel()
	site := build(t, t.TempDir(), demo.Options{Draft: true})
	base := &config.Settings{}
	base.Providers.Configurations = map[string]config.ProviderConfiguration{"house": {Active: true, Vendor: config.VendorOpenAI}}
	base.Providers.Default = "house"
	got := site.Settings(base)
	if len(base.Providers.Configurations) != 1 || base.Providers.Default != "house" || !base.TYPO3.DSN.Empty() {
		t.Error("base was changed")
	}
	if c, ok := got.Providers.Configurations["demo"]; !ok || !c.Active || c.Vendor != config.VendorDemo || got.Providers.Default != "demo" {
		t.Errorf("no active demo model: %+v", got.Providers)
	}
	if got.TYPO3.DSN.Reveal() != site.DSN() || !strings.HasPrefix(site.DSN(), "sqlite:///") || !filepath.IsAbs(site.Database) || got.Server.SignIn != config.SignInDemo {
		t.Error("database or sign-in is wrong")
	}
	key := got.TYPO3.EncryptionKey.Reveal()
	if again := build(t, site.Dir, demo.Options{}).Settings(base).TYPO3.EncryptionKey.Reveal(); len(key) != 96 || again != key {
		t.Error("the site has no encryption key of its own, or another one each time")
	}
	if !got.Review.RequireSecondApprover || len(got.Review.ApproverGroups) != 1 || len(got.FAL.AllowedStorages) != 2 {
		t.Errorf("review %+v, storages %v", got.Review, got.FAL.AllowedStorages)
	}
}

func matches(t *testing.T, hash, password string) bool {
	t.Helper()
	var version, memory, cost, lanes int
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		t.Fatalf("%q is no Argon2id hash", hash)
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &cost, &lanes); err != nil || version != argon2.Version {
		t.Fatal(err)
	}
	salt, key := unbase64(t, parts[4]), unbase64(t, parts[5])
	return string(argon2.IDKey([]byte(password), salt, uint32(cost), uint32(memory), uint8(lanes), uint32(len(key)))) == string(key)
}

func unbase64(t *testing.T, s string) []byte {
	t.Helper()
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSettings_NameADatabaseTheServiceCanOpen(t *testing.T) {
	t.Parallel()
	site := build(t, filepath.Join(t.TempDir(), "ein Ordner, 100% für #1?"), demo.Options{Draft: true})
	db, dialect, err := database.Open(site.Settings(&config.Settings{}).TYPO3.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = database.Close(db) }()
	var n int64
	if err := db.Table("sys_file").Count(&n).Error; err != nil || n == 0 || dialect != database.SQLite {
		t.Errorf("%d files, %v", n, err)
	}
	if err := database.Migrate(t.Context(), db); err != nil {
		t.Errorf("our own tables: %v", err)
	}
}

func TestFind_OnlyACompleteSite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Join(dir, "nowhere")} {
		_, err := demo.Find(d)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != "demo_not_found" {
			t.Errorf("%s: %v", d, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("something was made: %v %v", entries, err)
	}
	built := build(t, dir, demo.Options{Draft: true})
	site, err := demo.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, b := built.Settings(&config.Settings{}), site.Settings(&config.Settings{})
	if a.TYPO3.EncryptionKey.Reveal() != b.TYPO3.EncryptionKey.Reveal() || a.TYPO3.DSN.Reveal() != b.TYPO3.DSN.Reveal() || !b.MCP.Enabled {
		t.Error("the settings differ")
	}
	if origin, err := site.Origin(); err != nil || origin != "" {
		t.Errorf("%q %v", origin, err)
	}
	if err := site.Served("http://127.0.0.1:8080"); err != nil {
		t.Fatal(err)
	}
	if origin, err := site.Origin(); err != nil || origin != "http://127.0.0.1:8080" {
		t.Errorf("%q %v", origin, err)
	}
}
