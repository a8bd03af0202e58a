package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"editor-actions/migrations"

	"github.com/pressly/goose/v3"
	goosedb "github.com/pressly/goose/v3/database"
	"gorm.io/gorm"
)

// versionTable records which migrations ran.
const versionTable = "tx_editoractions_migration"

// Status says how far the service's own tables are.
type Status struct {
	Applied int64 // the newest migration in the database, 0 = none
	Latest  int64 // the newest one this program brings
}

// Pending reports whether a migration has not been applied yet.
func (s Status) Pending() bool { return s.Applied < s.Latest }

// Newer reports whether a later release has been here.
func (s Status) Newer() bool { return s.Applied > s.Latest }

func provider(db *gorm.DB) (*goose.Provider, error) {
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	dialect, folder := goosedb.DialectMySQL, string(MySQL)
	if db.Name() == string(SQLite) {
		dialect, folder = goosedb.DialectSQLite3, string(SQLite)
	}
	store, err := goosedb.NewStore(dialect, versionTable)
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(migrations.FS, folder)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider("", pool, files, goose.WithStore(store))
}

// Migrate applies what is missing of the service's own tables. It is safe to
// repeat, also from several instances at once, and touches no table of TYPO3's.
func Migrate(ctx context.Context, db *gorm.DB) error {
	p, err := provider(db)
	if err != nil {
		return fmt.Errorf("database: prepare migrations: %w", err)
	}
	err = alone(ctx, db, func() error {
		if err := zeroVersion(ctx, db); err != nil {
			return err
		}
		_, err := p.Up(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("database: apply migrations: %w", err)
	}
	return nil
}

// zeroVersion completes a table of versions that somebody made and left empty: a
// process that died between the two statements, or TYPO3's database analyser.
// Goose refuses one without its first row.
func zeroVersion(ctx context.Context, db *gorm.DB) error {
	there, err := hasTable(ctx, db, versionTable)
	if err != nil || !there {
		return err
	}
	var rows int64
	if err := db.WithContext(ctx).Table(versionTable).Count(&rows).Error; err != nil || rows > 0 {
		return err
	}
	return db.WithContext(ctx).Exec("INSERT INTO "+versionTable+" (version_id, is_applied) VALUES (?, ?)", 0, true).Error
}

// ReadStatus reads the state of the service's own tables and changes nothing.
func ReadStatus(ctx context.Context, db *gorm.DB) (Status, error) {
	p, err := provider(db)
	if err != nil {
		return Status{}, fmt.Errorf("database: prepare migrations: %w", err)
	}
	var s Status
	for _, source := range p.ListSources() {
		s.Latest = max(s.Latest, source.Version)
	}
	there, err := hasTable(ctx, db, versionTable)
	if err != nil {
		return Status{}, fmt.Errorf("database: read migration state: %w", err)
	}
	if !there { // asking goose would create the table
		return s, nil
	}
	if err := db.WithContext(ctx).Table(versionTable).Select("COALESCE(MAX(version_id), 0)").Scan(&s.Applied).Error; err != nil {
		return Status{}, fmt.Errorf("database: read migration state: %w", err)
	}
	return s, nil
}

// lockName is one per database: the server's lock names are global.
const lockName = "CONCAT('tx_editoractions:', MD5(DATABASE()))"

const lockWait = time.Minute

// alone runs f while no other instance runs one. The server releases the lock when
// its connection ends. Goose's own session lock is not enough: it makes and reads the
// table of versions before it takes the lock. One process uses a SQLite file.
func alone(ctx context.Context, db *gorm.DB, f func() error) error {
	if db.Name() == string(SQLite) {
		return f()
	}
	pool, err := db.DB()
	if err != nil {
		return err
	}
	c, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	var got sql.NullInt64
	if err := c.QueryRowContext(ctx, "SELECT GET_LOCK("+lockName+", ?)", int(lockWait.Seconds())).Scan(&got); err != nil {
		return err
	}
	if got.Int64 != 1 {
		return errors.New("another instance is migrating: try again when it has finished")
	}
	err = f()
	_, unlock := c.ExecContext(context.WithoutCancel(ctx), "DO RELEASE_LOCK("+lockName+")")
	return errors.Join(err, unlock)
}
