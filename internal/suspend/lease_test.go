package suspend_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/database"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
)

func TestClaim_OldestFirstAndOnlyOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		first, second := s.queued(), s.queued()
		for _, want := range []*suspend.Run{first, second} {
			run, state, err := s.Claim(t.Context(), "w", lease, 3)
			s.must(err)
			if run.ID != want.ID || run.Status != suspend.Running || run.LeaseOwner != "w" || run.Attempts != 1 || state.Note != note {
				t.Errorf("claimed %+v, want %s", run, want.ID)
			}
			if stored := s.now(run.ID); *stored != *run {
				t.Errorf("answered %+v, stored %+v", run, stored)
			}
		}
		if _, _, err := s.Claim(t.Context(), "w", lease, 3); !errors.Is(err, suspend.ErrNothingToDo) {
			t.Error(err)
		}
	})
}

func TestClaim_TwoQueries(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		s.queued()
		counter, err := database.CountQueries(s.db)
		s.must(err)
		_, _, err = s.Claim(t.Context(), "w", lease, 3)
		s.must(err)
		if n := counter.Count(); n != 2 {
			t.Errorf("%d queries", n)
		}
		counter.Reset()
		_, _, _ = s.Claim(t.Context(), "w", lease, 3)
		if n := counter.Count(); n != 1 {
			t.Errorf("%d queries when there is nothing to do", n)
		}
	})
}

// A process that dies leaves its lease behind.
func TestClaim_TakesOverWhenTheLeaseRanOut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		run := s.running("dead")
		if _, _, err := s.Claim(ctx, "other", lease, 3); !errors.Is(err, suspend.ErrNothingToDo) {
			t.Error("took a live lease", err)
		}
		s.clock.pass(lease + time.Second)
		again, state, err := s.Claim(ctx, "other", lease, 3)
		s.must(err)
		if again.ID != run.ID || again.LeaseOwner != "other" || again.Attempts != 2 || state == nil || !again.Started.Equal(run.Started) {
			t.Errorf("%+v", again)
		}
		// The dead one wakes up: it must change nothing.
		before := s.raw(run.ID)
		lost := []error{
			s.Renew(ctx, run.ID, "dead", lease),
			s.SaveProgress(ctx, run.ID, "dead", asked(), providers.Usage{}),
			s.Requeue(ctx, run.ID, "dead", 0),
			s.Settle(ctx, run.ID, "dead", suspend.Settlement{Status: suspend.Failed, Reason: suspend.ReasonInternal}),
		}
		_, err = s.Suspend(ctx, run.ID, "dead", suspend.Suspension{State: asked(), Turn: 1})
		for i, err := range append(lost, err) {
			if !errors.Is(err, suspend.ErrLeaseLost) {
				t.Error(i, err)
			}
		}
		if s.raw(run.ID) != before {
			t.Error("a lost lease changed the row")
		}
	})
}

func TestClaim_GivesUpAfterTooManyAttempts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.queued()
		for range 3 {
			_, _, err := s.Claim(t.Context(), "w", lease, 3)
			s.must(err)
			s.clock.pass(lease + time.Second)
		}
		if _, _, err := s.Claim(t.Context(), "w", lease, 3); !errors.Is(err, suspend.ErrNothingToDo) {
			t.Error(err)
		}
		if got := s.now(run.ID); got.Status != suspend.Failed || got.Reason != suspend.ReasonRetriesExhausted || got.Written {
			t.Errorf("%+v", got)
		}
	})
}

func TestClaim_AttemptsStartAnewAfterACard(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.waiting()
		s.must(s.AskAgain(t.Context(), nil, s.on(run, 9), closing()))
		if again, _, err := s.Claim(t.Context(), "w", lease, 1); err != nil || again.Attempts != 1 {
			t.Errorf("%+v %v", again, err)
		}
	})
}

func TestRenew_KeepsARunFromBeingTakenOver(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		for range 3 {
			s.clock.pass(lease - time.Second)
			s.must(s.Renew(t.Context(), run.ID, "w", lease))
			s.must(s.Renew(t.Context(), run.ID, "w", lease)) // the same values again are no loss
			if _, _, err := s.Claim(t.Context(), "other", lease, 3); !errors.Is(err, suspend.ErrNothingToDo) {
				t.Error(err)
			}
		}
	})
}

// A renewal that lands between the look and the claim wins.
func TestClaim_RenewalInBetweenWins(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		for _, attempts := range []int{3, 1} { // to be claimed; to be given up
			run := s.running("slow")
			s.clock.pass(lease + time.Second)
			stop := afterLook(t, s, func() { s.must(s.Renew(t.Context(), run.ID, "slow", lease)) })
			_, _, err := s.Claim(t.Context(), "other", lease, attempts)
			stop()
			if !errors.Is(err, suspend.ErrNothingToDo) {
				t.Error(err)
			}
			if got := s.now(run.ID); got.Status != suspend.Running || got.LeaseOwner != "slow" || got.Attempts != 1 {
				t.Errorf("%+v", got)
			}
			s.must(s.Cancel(t.Context(), run.ID, 1))
		}
	})
}

// A run that went round once between the look and the claim has another state.
func TestClaim_ARunThatMovedInBetweenIsReadAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		run := s.queued()
		stop := afterLook(t, s, func() {
			claimed, _, err := s.Claim(ctx, "quick", lease, 3)
			s.must(err)
			s.must(s.AskAgain(ctx, nil, s.on(s.suspended(claimed, "quick"), 9), closing()))
		})
		defer stop()
		again, state, err := s.Claim(ctx, "slow", lease, 3)
		s.must(err)
		if again.ID != run.ID || again.Turn != 1 || len(state.Messages) != len(closing().Messages) {
			t.Errorf("%+v with %d messages", again, len(state.Messages))
		}
	})
}

func TestRequeue_WaitsAndStaysCounted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		run := s.running("w")
		st := begun()
		st.Note = "further"
		s.must(s.SaveProgress(ctx, run.ID, "w", st, providers.Usage{InputTokens: 7, OutputTokens: 1}))
		s.must(s.Requeue(ctx, run.ID, "w", time.Minute))
		if _, _, err := s.Claim(ctx, "w", lease, 3); !errors.Is(err, suspend.ErrNothingToDo) {
			t.Error("did not wait:", err)
		}
		s.clock.pass(time.Minute)
		again, state, err := s.Claim(ctx, "w", lease, 3)
		s.must(err)
		if again.Attempts != 1 || state.Note != "further" || again.Usage.InputTokens != 7 {
			t.Errorf("after progress: %+v", again)
		}
		s.must(s.Requeue(ctx, run.ID, "w", 0))
		if again, _, err = s.Claim(ctx, "w", lease, 3); err != nil || again.Attempts != 2 {
			t.Errorf("given back without progress: %+v %v", again, err)
		}
	})
}

func TestSuspend_RefusesWhatNobodyCouldDecide(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		if _, err := s.Suspend(t.Context(), run.ID, "w", suspend.Suspension{State: begun(), Turn: 1}); err == nil {
			t.Error("a turn without a call waits")
		}
		run = s.suspended(run, "w")
		s.must(s.AskAgain(t.Context(), nil, s.on(run, 9), closing()))
		_, _, err := s.Claim(t.Context(), "w", lease, 3)
		s.must(err)
		if _, err := s.Suspend(t.Context(), run.ID, "w", suspend.Suspension{State: asked(), Turn: run.Turn}); err == nil {
			t.Error("a turn that was decided waits again")
		}
	})
}

func TestCancel_MakesTheWorkerLoseItsLease(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		s.must(s.Cancel(t.Context(), run.ID, 5))
		if err := s.Renew(t.Context(), run.ID, "w", lease); !errors.Is(err, suspend.ErrLeaseLost) {
			t.Error(err)
		}
		if err := s.Cancel(t.Context(), run.ID, 5); !errors.Is(err, suspend.ErrNotCancellable) {
			t.Error(err)
		}
		if err := s.Cancel(t.Context(), "nothing", 5); !errors.Is(err, suspend.ErrRunNotFound) {
			t.Error(err)
		}
	})
}

func TestExpire_OnlyWhatWaitedTooLong(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		old, older := s.waiting(), s.waiting()
		s.clock.pass(48 * time.Hour)
		young, working := s.waiting(), s.running("w")
		limit := s.clock.now().Add(-24 * time.Hour)
		for _, c := range []struct{ limit, want int }{{1, 1}, {10, 1}, {10, 0}} {
			if n, err := s.Expire(t.Context(), limit, c.limit); err != nil || n != c.want {
				t.Errorf("%d %v", n, err)
			}
		}
		for id, want := range map[suspend.RunID]suspend.Status{
			old.ID: suspend.Expired, older.ID: suspend.Expired, young.ID: suspend.Waiting, working.ID: suspend.Running,
		} {
			if got := s.now(id); got.Status != want {
				t.Errorf("%s, want %s", got.Status, want)
			}
		}
	})
}

func TestP10_ManyWorkersOnTwoInstancesClaimEachRunOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		const runs, workers = 30, 8
		for range runs {
			s.queued()
		}
		stores := []*suspend.Store{s.Store, s.instance(connect(t, s.dsn))}
		var (
			mu      sync.Mutex
			claimed = map[suspend.RunID]int{}
			wg      sync.WaitGroup
		)
		for i := range workers {
			wg.Go(func() {
				for {
					run, _, err := stores[i%2].Claim(context.Background(), "w"+string(rune('a'+i)), lease, 3)
					if errors.Is(err, suspend.ErrNothingToDo) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					claimed[run.ID]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(claimed) != runs {
			t.Errorf("claimed %d runs", len(claimed))
		}
		for id, n := range claimed {
			if n != 1 {
				t.Errorf("%s was claimed %d times", id, n)
			}
		}
	})
}

// A claim that got somewhere is not counted against the run: a long run that several
// restarts interrupt, each after some progress, is not given up.
func TestClaim_ProgressIsNotAnAttempt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		s.queued()
		for n := range 5 {
			run, _, err := s.Claim(t.Context(), "w", lease, 2)
			if err != nil {
				t.Fatalf("after %d claims: %v", n, err)
			}
			s.must(s.SaveProgress(t.Context(), run.ID, "w", begun(), providers.Usage{}))
			s.clock.pass(2 * lease)
		}
		for range 2 {
			_, _, err := s.Claim(t.Context(), "w", lease, 2)
			s.must(err)
			s.clock.pass(2 * lease)
		}
		if _, _, err := s.Claim(t.Context(), "w", lease, 2); !errors.Is(err, suspend.ErrNothingToDo) {
			t.Errorf("a run that gets nowhere is not given up: %v", err)
		}
	})
}
