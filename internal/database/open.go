package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"editor-actions/internal/secret"

	mysqldriver "github.com/go-sql-driver/mysql"
	"github.com/mattn/go-sqlite3"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Dialect of a database. The word is the folder of its migrations.
type Dialect string

// The dialects.
const (
	MySQL  Dialect = "mysql" // MySQL and MariaDB
	SQLite Dialect = "sqlite"
)

const (
	maxConnections  = 20
	connMaxLifetime = 5 * time.Minute
)

// Open prepares connections to "mysql://user:pass@host:port/name" or
// "sqlite:///absolute/path". It does not wait for a server: Ready does. Errors
// never hold the password. End what it returns with Close.
//
// MySQL takes two parts in the address: ?tls=true|preferred|skip-verify and
// ?socket=/path. Both dialects count the rows a statement found, not those it
// changed, read times as UTC, and refuse a text that is too long for its column
// (SQLite has no such columns).
func Open(dsn secret.String) (*gorm.DB, Dialect, error) {
	scheme, _, _ := strings.Cut(dsn.Reveal(), "://")
	switch scheme {
	case "mysql":
		db, err := openMySQL(dsn)
		return db, MySQL, err
	case "sqlite":
		db, err := openSQLite(dsn)
		return db, SQLite, err
	}
	return nil, "", errors.New("must begin with mysql:// or sqlite:///")
}

// options: the rooms open their transactions themselves and log their errors
// themselves; values never reach a log.
func options() *gorm.Config {
	return &gorm.Config{
		Logger: logger.Discard, TranslateError: true, SkipDefaultTransaction: true, DisableAutomaticPing: true,
		NowFunc: func() time.Time { return time.Now().UTC() },
	}
}

func limit(c driver.Connector) *sql.DB {
	pool := sql.OpenDB(c)
	bound(pool)
	return pool
}

func bound(pool *sql.DB) {
	pool.SetMaxOpenConns(maxConnections)
	pool.SetMaxIdleConns(maxConnections)
	pool.SetConnMaxLifetime(connMaxLifetime)
}

// Close ends all connections.
func Close(db *gorm.DB) error {
	pool, err := db.DB()
	if err != nil {
		return err
	}
	return pool.Close()
}

// Ping asks the database for a sign of life.
func Ping(ctx context.Context, db *gorm.DB) error {
	pool, err := db.DB()
	if err != nil {
		return err
	}
	return pool.PingContext(ctx)
}

// Ready answers whether the database can be reached and holds both TYPO3's
// tables and ours, in one sentence with the next step when not.
func Ready(ctx context.Context, db *gorm.DB) error {
	if err := Ping(ctx, db); err != nil {
		return fmt.Errorf("typo3.dsn: the database cannot be reached: %w", err)
	}
	for _, t := range []string{"be_users", "be_groups", "sys_file", "sys_file_metadata", "sys_file_storage"} {
		there, err := hasTable(ctx, db, t)
		if err != nil {
			return fmt.Errorf("typo3.dsn: the database cannot be read: %w", err)
		}
		if !there {
			return fmt.Errorf("typo3.dsn: the database has no table %s: it is not a TYPO3 database", t)
		}
	}
	s, err := ReadStatus(ctx, db)
	if err != nil {
		return err
	}
	switch {
	case s.Newer():
		return fmt.Errorf("the service's own tables are of a newer release (version %d, this release knows %d): update the service", s.Applied, s.Latest)
	case s.Pending():
		return errors.New("the service's own tables are missing or old: run `editor-actions migrate`")
	}
	return nil
}

// hasTable looks the name up in the database's own list of tables.
func hasTable(ctx context.Context, db *gorm.DB, name string) (bool, error) {
	query := "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?"
	if db.Name() == string(SQLite) {
		query = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
	}
	var n int64
	err := db.WithContext(ctx).Raw(query, name).Scan(&n).Error
	return n > 0, err
}

// IsTransient reports whether the database ended a transaction for its own
// reasons, so that the same one may succeed when it is tried again: deadlock,
// lock wait, a snapshot that was overtaken, a busy file.
func IsTransient(err error) bool {
	if m, ok := errors.AsType[*mysqldriver.MySQLError](err); ok {
		return m.Number == 1213 || m.Number == 1205 || m.Number == 1020
	}
	if s, ok := errors.AsType[sqlite3.Error](err); ok {
		return s.Code == sqlite3.ErrBusy || s.Code == sqlite3.ErrLocked
	}
	return false
}
