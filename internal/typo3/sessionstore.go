package typo3

import (
	"context"

	"editor-actions/internal/config"
)

// sessionStore is where TYPO3 keeps the sessions of backend users. It is only read.
type sessionStore interface {
	// find gives the session of a stored id; nil when there is none. An error means
	// that the store did not answer.
	find(ctx context.Context, id string) (*sessionRow, error)
}

func (c *CMS) sessions(t *config.TYPO3) sessionStore {
	if t.SessionBackend == config.SessionsInRedis {
		return c.redis.store(t)
	}
	return databaseSessions{c}
}

// databaseSessions is TYPO3's DatabaseSessionBackend.
type databaseSessions struct{ c *CMS }

func (d databaseSessions) find(ctx context.Context, id string) (*sessionRow, error) {
	return first[sessionRow](d.c.fields(ctx).Where("ses_id = ?", id))
}
