package downscaler

import (
	"sync"
	"time"
)

// A picture that took workers down is refused for a while, so that it cannot
// keep doing so.
const (
	attemptsPerPicture = 2
	banTime            = 10 * time.Minute
	maxAttempts        = 1000 // pictures remembered
)

// attempts counts, per picture, the workers it took down.
type attempts struct {
	now func() time.Time

	mu     sync.Mutex
	deaths map[string]deaths
}

type deaths struct {
	count int
	last  time.Time
}

func newAttempts(now func() time.Time) *attempts {
	return &attempts{now: now, deaths: map[string]deaths{}}
}

// died notes that the picture took a worker down.
func (a *attempts) died(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.deaths) >= maxAttempts {
		clear(a.deaths)
	}
	a.deaths[id] = deaths{a.deaths[id].count + 1, a.now()}
}

// done forgets a picture that was scaled after all: something else ended the worker.
func (a *attempts) done(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.deaths, id)
}

// banned reports whether the picture had its attempts and when it gets new ones.
func (a *attempts) banned(id string) (until time.Time, yes bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d, ok := a.deaths[id]
	if !ok || d.count < attemptsPerPicture {
		return time.Time{}, false
	}
	until = d.last.Add(banTime)
	if a.now().After(until) {
		delete(a.deaths, id)
		return time.Time{}, false
	}
	return until, true
}
