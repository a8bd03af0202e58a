package testsite

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/secret"

	"github.com/go-sql-driver/mysql"
	"gorm.io/gorm"
)

// EnvMySQL names the environment variable with the test server's address,
// mysql://user@host:port/ without a database. scripts/mariadb.sh sets it.
const EnvMySQL = "EDITOR_ACTIONS_TEST_MYSQL"

// Site is one fresh copy of the data set.
type Site struct {
	DB       *gorm.DB
	DSN      string
	Dialect  database.Dialect
	Root     string // project folder: holds public/ and archive_store/
	Public   string
	Settings config.Settings // defaults, with typo3.* of the data set and the offline model
}

// Each runs fn on SQLite and on MariaDB as two subtests.
func Each(t *testing.T, fn func(t *testing.T, s *Site)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { fn(t, SQLite(t)) })
	t.Run("MariaDB", func(t *testing.T) { fn(t, MariaDB(t)) })
}

// Lookup is the path of a file in the repository's testdata folder.
func Lookup(t testing.TB, name string) string {
	t.Helper()
	_, self, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("testsite: no source path")
	}
	return filepath.Join(filepath.Dir(self), "..", "..", "testdata", filepath.FromSlash(name))
}

// Read reads a file of testdata; one that ends in .gz is unpacked.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open(Lookup(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read-only
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// unpacked keeps files of testdata for all tests of a process. It is read-only
// after the first use of a name.
var unpacked struct {
	sync.Mutex
	files map[string][]byte
}

func cached(t testing.TB, name string) []byte {
	t.Helper()
	unpacked.Lock()
	defer unpacked.Unlock()
	if data, ok := unpacked.files[name]; ok {
		return data
	}
	data := Read(t, name)
	if unpacked.files == nil {
		unpacked.files = map[string][]byte{}
	}
	unpacked.files[name] = data
	return data
}

// SQLite makes a site on a file of its own.
func SQLite(t testing.TB) *Site {
	t.Helper()
	file := filepath.Join(t.TempDir(), "site.sqlite")
	if err := os.WriteFile(file, cached(t, "typo3/main.sqlite.gz"), 0o600); err != nil {
		t.Fatal(err)
	}
	return finish(t, (&url.URL{Scheme: "sqlite", Path: filepath.ToSlash(file)}).String(), database.SQLite)
}

// MariaDB makes a site in a database of its own on the test server.
func MariaDB(t testing.TB) *Site {
	t.Helper()
	dsn := EmptyMariaDB(t)
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	load := connect(t, u, strings.TrimPrefix(u.Path, "/"))
	exec(t, load, string(cached(t, "typo3/main.sql.gz")))
	_ = load.Close()
	return finish(t, dsn, database.MySQL)
}

// EmptyMariaDB makes an empty database on the test server, gives its address, and
// removes it after the test. Without a server the test fails: it would be the only
// proof. Only -short skips it.
func EmptyMariaDB(t testing.TB) string {
	t.Helper()
	base := os.Getenv(EnvMySQL)
	if base == "" {
		if testing.Short() {
			t.Skip("needs MariaDB: " + EnvMySQL + " is not set")
		}
		t.Fatal(EnvMySQL + ` is not set: run eval "$(scripts/mariadb.sh start)" or make test`)
	}
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	name := "ea_test_" + hex.EncodeToString(b[:])
	admin := connect(t, u, "")
	exec(t, admin, "CREATE DATABASE "+name+" CHARACTER SET utf8mb4")
	t.Cleanup(func() {
		_, _ = admin.ExecContext(context.Background(), "DROP DATABASE "+name) // the server is thrown away anyway
		_ = admin.Close()
	})
	u.Path = "/" + name
	return u.String()
}

func connect(t testing.TB, u *url.URL, name string) *sql.DB {
	t.Helper()
	c := mysql.NewConfig()
	c.Net, c.Addr, c.DBName, c.MultiStatements = "tcp", u.Host, name, true
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password()
	db, err := sql.Open("mysql", c.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func exec(t testing.TB, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("testsite: %v", err)
	}
}

func finish(t testing.TB, dsn string, dialect database.Dialect) *Site {
	t.Helper()
	db, _, err := database.Open(secret.New(dsn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close(db) })
	if err := database.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	unpack(t, root)
	s := &Site{DB: db, DSN: dsn, Dialect: dialect, Root: root, Public: filepath.Join(root, "public")}
	s.Settings = settings(t, s)
	return s
}

// settings are the shipped ones with the site's own TYPO3 settings and the
// offline model.
func settings(t testing.TB, site *Site) config.Settings {
	t.Helper()
	var facts struct {
		EncryptionKey string `json:"encryptionKey"`
		CookieName    string `json:"cookie_name"`
		BE            struct {
			SessionTimeout  int    `json:"sessionTimeout"`
			UserHomePath    string `json:"userHomePath"`
			GroupHomePath   string `json:"groupHomePath"`
			UserUploadDir   string `json:"userUploadDir"`
			FileDenyPattern string `json:"fileDenyPattern"`
		} `json:"BE"`
	}
	if err := json.Unmarshal(cached(t, "typo3/main-sessions.json.gz"), &facts); err != nil {
		t.Fatal(err)
	}
	s := config.DefaultSettings()
	s.TYPO3.DSN = secret.New(site.DSN)
	s.TYPO3.RootPath, s.TYPO3.PublicPath = site.Root, site.Public
	s.TYPO3.EncryptionKey = secret.New(facts.EncryptionKey)
	s.TYPO3.CookieName, s.TYPO3.SessionTimeout = facts.CookieName, facts.BE.SessionTimeout
	s.TYPO3.UserHomePath, s.TYPO3.GroupHomePath = facts.BE.UserHomePath, facts.BE.GroupHomePath
	s.TYPO3.UserUploadDir, s.TYPO3.FileDenyPattern = facts.BE.UserUploadDir, facts.BE.FileDenyPattern
	s.Providers.Default = "demo"
	s.Providers.Configurations = map[string]config.ProviderConfiguration{
		"demo": {Active: true, Vendor: config.VendorDemo, Model: "demo", TimeoutSeconds: 30},
	}
	s.Server.StateDir = t.TempDir()
	return s
}
