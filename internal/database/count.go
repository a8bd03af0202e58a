package database

import (
	"fmt"
	"slices"
	"sync"

	"gorm.io/gorm"
)

// Counter counts the statements that were sent through a database since it was
// made. It is safe for concurrent use.
type Counter struct {
	mu         sync.Mutex
	statements []string
}

// Count is the number of statements so far.
func (c *Counter) Count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.statements)
}

// Reset forgets what was counted and returns it.
func (c *Counter) Reset() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.statements
	c.statements = nil
	return s
}

// Statements returns a copy of the texts so far, with placeholders for values.
func (c *Counter) Statements() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.statements)
}

// CountQueries hooks a Counter into every statement of db. For tests and
// benchmarks. BEGIN and COMMIT are not statements here.
func CountQueries(db *gorm.DB) (*Counter, error) {
	c := &Counter{}
	hook := func(tx *gorm.DB) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.statements = append(c.statements, tx.Statement.SQL.String())
	}
	name := fmt.Sprintf("count:%p", c) // several counters may watch one database
	cb := db.Callback()
	for _, err := range []error{
		cb.Query().After("gorm:query").Register(name, hook),
		cb.Create().After("gorm:create").Register(name, hook),
		cb.Update().After("gorm:update").Register(name, hook),
		cb.Delete().After("gorm:delete").Register(name, hook),
		cb.Row().After("gorm:row").Register(name, hook),
		cb.Raw().After("gorm:raw").Register(name, hook),
	} {
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}
