package typo3

import (
	"context"
	"errors"
	"sync"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/fault"

	"gorm.io/gorm"
)

// Errors of this room.
var (
	ErrUserNotFound = fault.New(fault.NotFound, "user_not_found", "There is no such backend user.")
	ErrUserDisabled = fault.New(fault.Forbidden, "user_disabled", "This backend user may not sign in.")
	ErrNoMetadata   = errors.New("typo3: the file has no metadata row in the default language and live workspace")
)

// CMS reads and writes TYPO3's tables. It is safe for concurrent use.
type CMS struct {
	db       *gorm.DB
	settings func() *config.Settings
	now      func() time.Time
	tables   sync.Map // table name -> bool: whether it exists
	redis    redisClients
}

// New makes a CMS on TYPO3's database.
func New(db *gorm.DB, settings func() *config.Settings, now func() time.Time) *CMS {
	return &CMS{db: db, settings: settings, now: now}
}

// Close ends the connection to TYPO3's session store, when it has one of its own.
// The database belongs to the caller.
func (c *CMS) Close() error { return c.redis.close() }

func (c *CMS) conn(ctx context.Context, tx *gorm.DB) *gorm.DB {
	if tx == nil {
		tx = c.db
	}
	return tx.WithContext(ctx)
}

// has reports whether a table exists. Tables come and go only with
// extensions, so one look per process is enough.
func (c *CMS) has(ctx context.Context, table string) bool {
	if v, ok := c.tables.Load(table); ok {
		return v.(bool) //nolint:forcetypeassert // only bools are stored
	}
	exists := c.db.WithContext(ctx).Migrator().HasTable(table)
	if ctx.Err() == nil {
		c.tables.Store(table, exists)
	}
	return exists
}
