package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"editor-actions/internal/suspend"
)

const (
	pollInterval  = time.Second      // how soon work of other instances is seen
	houseInterval = time.Minute      // how often expiry and retention are looked after
	settleTimeout = 10 * time.Second // to record an outcome after a shutdown began
	houseBatch    = 100
)

// Work executes queued runs until ctx is done, then waits for the segments in
// hand: each either reaches a stored state or keeps its lease, which another
// worker takes over when it runs out. It returns ctx's error.
func (a *Agent) Work(ctx context.Context) error {
	var wg sync.WaitGroup
	for i := range a.Settings().Agent.Workers {
		wg.Go(func() { a.worker(ctx, i) })
	}
	wg.Go(func() { a.housekeeper(ctx) })
	wg.Wait()
	return ctx.Err()
}

func (a *Agent) worker(ctx context.Context, n int) {
	for segment := 0; ctx.Err() == nil; segment++ {
		// The owner names the segment, so that a lease left behind tells who left it.
		owner := fmt.Sprintf("%s:%d:%d", a.name, n, segment)
		worked, err := a.step(ctx, owner)
		if err != nil && ctx.Err() == nil {
			a.Log.ErrorContext(ctx, "claim run", "err", err)
		}
		if worked {
			continue
		}
		select {
		case <-ctx.Done():
		case <-a.hub.work:
		case <-time.After(pollInterval):
		}
	}
}

// step claims and executes at most one segment. The error is about the claim;
// what goes wrong inside a segment settles its run.
func (a *Agent) step(ctx context.Context, owner string) (bool, error) {
	cfg := a.Settings().Agent
	lease := time.Duration(cfg.LeaseSeconds) * time.Second
	if _, err := a.Store.Resume(ctx, houseBatch); err != nil {
		return false, err
	}
	run, state, err := a.Store.Claim(ctx, owner, lease, cfg.MaxAttempts)
	if errors.Is(err, suspend.ErrNothingToDo) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	a.hub.changed(run.ID)
	defer a.hub.changed(run.ID)

	seg := &segment{a: a, run: run, state: state, owner: owner}
	segCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	wg.Go(func() { seg.keepLease(segCtx, cancel, lease) })
	seg.guarded(segCtx)
	cancel(nil)
	wg.Wait()
	return true, nil
}

// panicDelay is how long a run waits that made its worker panic.
const panicDelay = 10 * time.Second

// guarded executes the segment. A panic costs this run one of its claims, as the death of
// its worker would, and no other run anything.
func (s *segment) guarded(ctx context.Context) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		s.a.Log.ErrorContext(ctx, "recovered panic", "run_id", s.run.ID, "err", fmt.Sprint(r), "stack", string(debug.Stack()))
		store, cancel := detached(ctx)
		defer cancel()
		if err := s.a.Store.Requeue(store, s.run.ID, s.owner, panicDelay); err != nil {
			s.a.Log.WarnContext(ctx, "give run back", "run_id", s.run.ID, "err", err)
		}
	}()
	s.execute(ctx)
}

// keepLease renews the lease until ctx ends. A lease that is lost, or cannot be
// renewed, ends the segment: its owner must not store anything any more.
func (s *segment) keepLease(ctx context.Context, cancel context.CancelCauseFunc, lease time.Duration) {
	t := time.NewTicker(lease / 3)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := s.a.Store.Renew(ctx, s.run.ID, s.owner, lease); err != nil && ctx.Err() == nil {
				s.a.Log.WarnContext(ctx, "lost lease", "run_id", s.run.ID, "err", err)
				cancel(suspend.ErrLeaseLost)
				return
			}
		}
	}
}

// housekeeper does now and then what time alone makes due.
func (a *Agent) housekeeper(ctx context.Context) {
	t := time.NewTicker(houseInterval)
	defer t.Stop()
	for {
		s := a.Settings()
		if days := s.Review.ExpireAfterDays; days > 0 {
			a.repeat(ctx, "expire runs", days, a.Store.Expire)
		}
		if days := s.Privacy.RetentionDays; days > 0 {
			a.repeat(ctx, "delete old events", days, a.Store.PurgeEvents)
		}
		a.repeat(ctx, "forget opened cards", openedDays, a.Store.PurgeOpened)
		a.repeat(ctx, "delete pictures without a run", 0, func(ctx context.Context, _ time.Time, limit int) (int, error) {
			return a.Store.PurgeArtifacts(ctx, limit)
		})
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// repeat has do work on what is older than so many days, in batches, until nothing
// is left.
func (a *Agent) repeat(ctx context.Context, what string, days int, do func(ctx context.Context, before time.Time, limit int) (int, error)) {
	before, done := a.Now().AddDate(0, 0, -days), 0
	for ctx.Err() == nil {
		n, err := do(ctx, before, houseBatch)
		done += n
		if err != nil && ctx.Err() == nil {
			a.Log.ErrorContext(ctx, "keep house", "what", what, "err", err)
		}
		if err != nil || n < houseBatch {
			break
		}
	}
	if done > 0 {
		a.Log.InfoContext(ctx, "kept house", "what", what, "count", done)
	}
}

// WorkOnce executes at most one segment in the caller's goroutine, for commands
// and tests that want no workers.
func (a *Agent) WorkOnce(ctx context.Context) error {
	_, err := a.step(ctx, a.name+":once")
	return err
}
