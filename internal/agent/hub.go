package agent

import (
	"sync"

	"editor-actions/internal/suspend"
)

// hub tells goroutines of this process that a run changed: workers wait for
// any change, watchers for one run. It is a hint that saves waiting; the
// database stays the truth, and other instances are seen by polling.
type hub struct {
	mu       sync.Mutex
	work     chan struct{}
	watchers map[suspend.RunID]map[chan struct{}]struct{}
}

func newHub() *hub {
	return &hub{work: make(chan struct{}, 64), watchers: map[suspend.RunID]map[chan struct{}]struct{}{}}
}

// changed wakes one worker and all watchers of the run. It never blocks.
func (h *hub) changed(id suspend.RunID) {
	select {
	case h.work <- struct{}{}:
	default:
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.watchers[id] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// watch returns a channel that receives after a change, and the function that ends it.
func (h *hub) watch(id suspend.RunID) (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers[id] == nil {
		h.watchers[id] = map[chan struct{}]struct{}{}
	}
	h.watchers[id][c] = struct{}{}
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers[id], c)
		if len(h.watchers[id]) == 0 {
			delete(h.watchers, id)
		}
	}
}
