package web

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"editor-actions/internal/typo3"
)

// attemptLimit slows down guessing of passwords: per address and per user name.
type attemptLimit struct {
	now func() time.Time
	mu  sync.Mutex
	by  map[string]*rate.Limiter
}

const (
	attemptEvery = 6 * time.Second
	attemptBurst = 10
	attemptKeys  = 4096 // entries kept; more than that and the oldest knowledge goes
)

func newAttemptLimit(now func() time.Time) *attemptLimit {
	return &attemptLimit{now: now, by: map[string]*rate.Limiter{}}
}

// allow counts one attempt against the keys in order and reports whether all
// permit it. It stops at the first that does not: whoever is refused must not be
// able to make so many new keys that what is known is forgotten.
func (l *attemptLimit) allow(keys ...string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for _, k := range keys {
		lim, known := l.by[k]
		if !known {
			l.makeRoom(now)
			lim = rate.NewLimiter(rate.Every(attemptEvery), attemptBurst)
			l.by[k] = lim
		}
		if !lim.AllowN(now, 1) {
			return false
		}
	}
	return true
}

// makeRoom forgets whoever has not tried for a while, and everybody when that is not enough.
func (l *attemptLimit) makeRoom(now time.Time) {
	if len(l.by) < attemptKeys {
		return
	}
	for k, lim := range l.by {
		if lim.TokensAt(now) >= attemptBurst {
			delete(l.by, k)
		}
	}
	if len(l.by) >= attemptKeys {
		clear(l.by)
	}
}

// thumbLimit lets a page's many thumbnails wait for their turn instead of
// filling the scaler's queue; its own queue is bounded too.
type thumbLimit struct {
	turn  chan struct{}
	queue chan struct{}
}

const thumbQueue = 128

func newThumbLimit(workers int) *thumbLimit {
	return &thumbLimit{turn: make(chan struct{}, max(1, workers)), queue: make(chan struct{}, thumbQueue)}
}

// enter waits for a turn. The returned function ends it.
func (l *thumbLimit) enter(ctx context.Context) (func(), error) {
	select {
	case l.queue <- struct{}{}:
	default:
		return nil, errThumbsBusy
	}
	defer func() { <-l.queue }()
	select {
	case l.turn <- struct{}{}:
		return func() { <-l.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// streamLimit bounds the open event streams, in all and per user.
type streamLimit struct {
	mu   sync.Mutex
	all  int
	user map[typo3.UserUID]int
}

const (
	streamsAll  = 512
	streamsUser = 12
)

func newStreamLimit() *streamLimit { return &streamLimit{user: map[typo3.UserUID]int{}} }

func (l *streamLimit) enter(u typo3.UserUID) (func(), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= streamsAll || l.user[u] >= streamsUser {
		return nil, errManyStreams
	}
	l.all++
	l.user[u]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.all--
		if l.user[u]--; l.user[u] == 0 {
			delete(l.user, u)
		}
	}, nil
}
