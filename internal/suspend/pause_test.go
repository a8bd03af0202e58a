package suspend_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
)

// proposals are n runs that come with their call.
func proposals(n int) []suspend.NewRun {
	out := make([]suspend.NewRun, n)
	for i := range out {
		out[i] = newRun()
		out[i].IdempotencyKey, out[i].State = "", asked()
	}
	return out
}

// paused is an assistant run with n proposals that wait.
func (s *site) paused(n int) (*suspend.Run, []suspend.Run) {
	s.Helper()
	run := s.running("w")
	s.must(s.Pause(s.Context(), run.ID, "w", suspend.Suspension{State: asked(), Turn: run.Turn + 1, Usage: providers.Usage{InputTokens: 3}, Model: "m", Vendor: "v"}, proposals(n)))
	children, err := s.Proposed(s.Context(), run.ID)
	s.must(err)
	return s.now(run.ID), children
}

func (s *site) resume() int {
	s.Helper()
	n, err := s.Resume(s.Context(), 100)
	s.must(err)
	return n
}

func TestPause_WaitsForEveryProposal(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run, children := s.paused(3)
		if run.Status != suspend.Paused || len(children) != 3 || children[0].Status != suspend.Waiting || children[0].Parent != run.ID || !children[0].WithoutModel() {
			t.Fatalf("%+v %+v", run, children)
		}
		if s.resume() != 0 || s.now(run.ID).Status != suspend.Paused {
			t.Error("it goes on with undecided proposals")
		}
		s.must(s.approve(s.Store, s.on(&children[0], 9)))
		s.must(s.Reject(t.Context(), nil, s.on(&children[1], 9)))
		if s.resume() != 0 {
			t.Error("it goes on with one undecided proposal")
		}
		d := s.on(&children[2], 9)
		d.Verb = suspend.VerbAskAgain
		s.must(s.Reject(t.Context(), nil, d))
		if s.resume() != 1 || s.now(run.ID).Status != suspend.Queued || s.resume() != 0 {
			t.Error("it does not go on once")
		}
		found, err := s.Decisions(t.Context(), children[1].ID, children[2].ID)
		s.must(err)
		if found[children[1].ID][0].Verb != suspend.VerbReject || found[children[2].ID][0].Verb != suspend.VerbAskAgain {
			t.Errorf("%+v", found)
		}
		again, state, err := s.Claim(t.Context(), "v", lease, 3)
		s.must(err)
		for again.ID != run.ID { // the closing of the approved one may come first
			again, state, err = s.Claim(t.Context(), "v", lease, 3)
			s.must(err)
		}
		if len(state.Pending) == 0 {
			t.Error("the pending calls are gone")
		}
	})
}

func TestPause_AllOrNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		n := suspend.Suspension{State: asked(), Turn: run.Turn + 1}
		if err := s.Pause(t.Context(), run.ID, "other", n, proposals(2)); !errors.Is(err, suspend.ErrLeaseLost) {
			t.Errorf("another owner: %v", err)
		}
		bad := proposals(2)
		bad[1].Configuration, bad[1].State.Pending = "", nil
		if err := s.Pause(t.Context(), run.ID, "w", n, bad); err == nil {
			t.Error("a proposal without a call is stored")
		}
		if err := s.Pause(t.Context(), run.ID, "w", n, nil); err == nil {
			t.Error("nothing to decide is stored")
		}
		if children := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE parent <> ''"); children != 0 || s.now(run.ID).Status != suspend.Running {
			t.Errorf("%d proposals are there, the run is %s", children, s.now(run.ID).Status)
		}
	})
}

func TestPause_CancelledItsProposalsStay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run, children := s.paused(1)
		s.must(s.Cancel(t.Context(), run.ID, 1))
		if s.now(run.ID).Status != suspend.Cancelled || s.now(children[0].ID).Status != suspend.Waiting {
			t.Error("the proposal does not wait any more")
		}
		s.must(s.Reject(t.Context(), nil, s.on(&children[0], 9)))
		if s.resume() != 0 {
			t.Error("a cancelled run goes on")
		}
	})
}

func TestResume_OnceForManyInstances(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		_, children := s.paused(1)
		s.must(s.Reject(t.Context(), nil, s.on(&children[0], 9)))
		var wg sync.WaitGroup
		var mu sync.Mutex
		all := 0
		for range 8 {
			wg.Go(func() {
				n, err := s.Resume(t.Context(), 10)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				all += n
			})
		}
		wg.Wait()
		if all != 1 {
			t.Errorf("resumed %d times", all)
		}
	})
}

// Pause takes a state that a test made up, as the other moves of a site.
func (s *site) Pause(ctx context.Context, id suspend.RunID, owner string, n suspend.Suspension, proposals []suspend.NewRun) error {
	n.State = s.Follow(ctx, id, n.State)
	return s.Store.Pause(ctx, id, owner, n, proposals)
}
