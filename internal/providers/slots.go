package providers

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	defaultConcurrent = 8
	shrinkPause       = time.Second // requests that were under way together are one lesson
)

// slots bound how many requests of one key are under way. The bound adapts as TCP's
// does: a request that was turned away for its rate halves it, each one that was
// answered lets it grow by a fraction, so that a full round adds one. It is safe for
// concurrent use.
//
// It is our own because the limiters of the known libraries go by latency or by the
// rate of failures, and a provider says 429 when it means this.
type slots struct {
	mu      sync.Mutex
	limit   float64
	most    int
	used    int
	shrunk  time.Time
	waiting []chan struct{} // in the order they came
}

func newSlots(most int) *slots {
	s := &slots{}
	s.bound(most)
	s.limit = float64(s.most)
	return s
}

// bound sets the ceiling; 0 is the shipped one.
func (s *slots) bound(most int) {
	if most <= 0 {
		most = defaultConcurrent
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if most > s.most && s.limit == float64(s.most) { // at its ceiling, so nothing has been learned
		s.limit = float64(most)
	}
	s.most, s.limit = most, min(s.limit, float64(most))
	s.wake()
}

// take waits for a place, first come, first served.
func (s *slots) take(ctx context.Context) error {
	s.mu.Lock()
	if s.used < int(s.limit) && len(s.waiting) == 0 {
		s.used++
		s.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	s.waiting = append(s.waiting, turn)
	s.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range s.waiting {
		if w == turn {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			return context.Cause(ctx)
		}
	}
	s.used-- // the place was given in the same moment
	s.wake()
	return context.Cause(ctx)
}

// free gives the place back and learns from how the request ended.
func (s *slots) free(err error, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	e, failed := errors.AsType[*Error](err)
	switch {
	case err == nil:
		s.limit = min(float64(s.most), s.limit+1/s.limit)
	case failed && e.Kind == RateLimited && now.Sub(s.shrunk) >= shrinkPause:
		s.limit, s.shrunk = max(1, s.limit/2), now
	}
	s.wake()
}

// wake gives free places to those who wait. The caller holds mu.
func (s *slots) wake() {
	for len(s.waiting) > 0 && s.used < int(s.limit) {
		close(s.waiting[0])
		s.waiting = s.waiting[1:]
		s.used++
	}
}
