package notice

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
	"editor-actions/internal/webhook"

	"gorm.io/gorm"
)

const (
	scanInterval   = 5 * time.Second
	digestInterval = time.Minute
	fullInterval   = time.Hour        // how often everything is compared and old rows are deleted
	recent         = 10 * time.Minute // how far back the scans between look; clocks and commits differ by less
	settleTimeout  = 10 * time.Second // to record an outcome after a shutdown began
	mailTimeout    = 30 * time.Second
)

// messenger sends one message; webhook.Sender is the real one.
type messenger interface {
	Send(ctx context.Context, t webhook.Target, m webhook.Message) error
}

// runs answers what a message says about a run.
type runs interface {
	Get(ctx context.Context, id suspend.RunID) (*suspend.Run, error)
	Decisions(ctx context.Context, ids ...suspend.RunID) (map[suspend.RunID][]suspend.Decision, error)
}

// cards answers what a waiting card shows; asked at privacy.level full only.
type cards interface {
	Shown(ctx context.Context, id suspend.RunID) (fileName string, texts map[string]string, err error)
}

// userSource loads backend users with their rights as of now.
type userSource interface {
	AllUserNames(ctx context.Context) (names []string, all map[string]typo3.UserUID, err error)
	Users(ctx context.Context, ids ...typo3.UserUID) (map[typo3.UserUID]*typo3.BackendUser, error)
	Emails(ctx context.Context, ids []typo3.UserUID) (map[typo3.UserUID]string, error)
}

// Deps is what a Notifier is built from. The Try methods need Webhooks, Settings, Log
// and Now only.
type Deps struct {
	DB       *gorm.DB // migrated
	Runs     runs
	Cards    cards
	Users    userSource
	Webhooks messenger
	Settings func() *config.Settings
	Log      *slog.Logger
	Now      func() time.Time
}

// Notifier tells programs and people. It is safe for concurrent use, by any number of
// instances on one database; each calls Work once.
type Notifier struct {
	Deps
	mailTimeout time.Duration

	// What only the loop of messages touches.
	pausedUntil time.Time // the receiver did not answer
	scanned     time.Time // all of it
	// What only the loop of digests touches.
	told           time.Time // the period that needs nothing more
	serverPause    time.Time // the mail server takes nothing
	serverFailures int       // in a row
}

// New makes a Notifier.
func New(d Deps) *Notifier { return &Notifier{Deps: d, mailTimeout: mailTimeout} }

// now is UTC with the microseconds that both databases keep.
func (n *Notifier) now() time.Time { return n.Now().UTC().Truncate(time.Microsecond) }

// Work sends what is due until ctx is done, and returns ctx's error. Messages and mails
// do not wait for each other.
func (n *Notifier) Work(ctx context.Context) error {
	var wg sync.WaitGroup
	wg.Go(func() { every(ctx, scanInterval, n.messages) })
	wg.Go(func() { every(ctx, digestInterval, n.digests) })
	wg.Wait()
	return ctx.Err()
}

func every(ctx context.Context, interval time.Duration, do func(context.Context)) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		do(ctx)
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// messages finds, sends and purges messages, unless nobody wants any.
func (n *Notifier) messages(ctx context.Context) {
	if n.Settings().Notices.Webhook.URL == "" {
		n.scanned = time.Time{} // whoever is named next hears of everything that waits
		return
	}
	err := n.scan(ctx, n.now())
	if !n.now().Before(n.pausedUntil) {
		err = errors.Join(err, n.deliver(ctx))
	}
	if err != nil && ctx.Err() == nil {
		n.Log.ErrorContext(ctx, "look after notices", "err", err)
	}
}

// scan compares the outbox with the runs: all of it now and then, which takes seconds
// with 100,000 waiting cards, and what is recent between, which takes milliseconds.
func (n *Notifier) scan(ctx context.Context, now time.Time) error {
	if since := now.Add(-recent); now.Sub(n.scanned) < fullInterval {
		return errors.Join(n.announce(ctx, since), n.concludeRecent(ctx, since))
	}
	everything := func(db *gorm.DB) *gorm.DB { return db }
	err := errors.Join(n.announce(ctx, time.Unix(0, 0).UTC()), n.conclude(ctx, everything), n.purge(ctx))
	if err == nil {
		n.scanned = now
	}
	return err
}

// reviewPage is the address of the review page, or of one card on it.
func reviewPage(s *config.Settings, id suspend.RunID) string {
	address := s.Server.PublicOrigin + s.Server.BasePath + "/review"
	if id != "" {
		address += "/" + url.PathEscape(string(id))
	}
	return address
}

// detached is a context to record an outcome in, also after a shutdown began.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
}
