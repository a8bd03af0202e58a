package downscaler

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"editor-actions/internal/fault"
)

var (
	errBusy   = fault.New(fault.RateLimited, "image_busy", "Too many pictures are waiting to be scaled. Try again in a moment.")
	errTime   = fault.New(fault.Unavailable, "image_timeout", "The picture could not be scaled in time.")
	errNoWork = fault.New(fault.Unavailable, "image_failed", "The picture cannot be decoded.")
	errClosed = errors.New("downscaler: closed")
)

// pool holds a fixed number of warm workers and a bounded queue in front of them.
type pool struct {
	start   func() (*process, error)
	slots   chan *process // nil = a worker that could not be started
	queue   int64
	waiting atomic.Int64
	closing chan struct{}
	once    sync.Once

	mu   sync.Mutex
	busy map[*process]struct{}
}

// newPool starts size workers, so that the first picture finds a warm one.
func newPool(size, queue int, start func() (*process, error)) (*pool, error) {
	p := &pool{start: start, slots: make(chan *process, size), queue: int64(queue), closing: make(chan struct{}), busy: map[*process]struct{}{}}
	for i := range size {
		w, err := start()
		if err != nil {
			for range i {
				(<-p.slots).close()
			}
			return nil, err
		}
		p.slots <- w
	}
	return p, nil
}

// acquire waits for a worker, in a queue of bounded length.
func (p *pool) acquire(ctx context.Context) (*process, error) {
	var w *process
	select {
	case w = <-p.slots:
	default:
		if p.waiting.Add(1) > p.queue {
			p.waiting.Add(-1)
			return nil, errBusy
		}
		defer p.waiting.Add(-1)
		select {
		case w = <-p.slots:
		case <-ctx.Done():
			return nil, errTime.Because(ctx.Err())
		case <-p.closing:
			return nil, errNoWork.Because(errClosed)
		}
	}
	select {
	case <-p.closing:
		p.slots <- w
		return nil, errNoWork.Because(errClosed)
	default:
	}
	if w == nil {
		var err error
		if w, err = p.start(); err != nil {
			p.slots <- nil
			return nil, errNoWork.Because(err)
		}
	}
	p.mu.Lock()
	p.busy[w] = struct{}{}
	p.mu.Unlock()
	return w, nil
}

// release takes a worker back. One that is gone or worn out is replaced by a
// new one, which warms up while nobody waits for it.
func (p *pool) release(w *process, wornOut bool) {
	p.mu.Lock()
	delete(p.busy, w)
	p.mu.Unlock()
	if w.gone || wornOut {
		w.close()
		w = nil
		select {
		case <-p.closing:
		default:
			if fresh, err := p.start(); err == nil {
				w = fresh
			}
		}
	}
	p.slots <- w
}

// close waits for pictures in work, kills what is still at work after patience,
// and ends all workers. A second call does nothing.
func (p *pool) close(patience time.Duration) {
	p.once.Do(func() {
		close(p.closing)
		late := time.AfterFunc(patience, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			for w := range p.busy {
				w.abort()
			}
		})
		defer late.Stop()
		for range cap(p.slots) {
			if w := <-p.slots; w != nil {
				w.close()
			}
		}
	})
}
