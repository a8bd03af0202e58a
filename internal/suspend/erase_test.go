package suspend_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/suspend"

	"gorm.io/gorm"
)

// A run that is cancelled while tools work for it leaves nothing, however they meet.
func TestSaveArtifact_AgainstCancel(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		other := s.instance(connect(t, s.dsn))
		for range 15 {
			run := s.running("w")
			var wg sync.WaitGroup
			for i := range 6 {
				wg.Go(func() {
					body := fmt.Sprint(i)
					if _, err := other.SaveArtifact(t.Context(), artifactOf(run, body), []byte(body)); err != nil && !errors.Is(err, suspend.ErrRunEnded) {
						t.Error(err)
					}
				})
			}
			wg.Go(func() {
				if err := s.Cancel(t.Context(), run.ID, 3); err != nil {
					t.Error(err)
				}
			})
			wg.Wait()
			if n := s.artifacts(run); n != 0 {
				t.Fatalf("%d pictures of a run that ended", n)
			}
		}
	})
}

// E9 X03: every end of a run erases its pictures with its state, and no other move does.
func TestE9_X03_EveryEndErasesTheArtifacts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		bystander := s.queued()
		s.kept(bystander, "x")
		s.exec("UPDATE tx_editoractions_run SET queued_at = '2030-01-01 00:00:00' WHERE id = ?", string(bystander.ID))
		ends := map[string]func() *suspend.Run{
			"settle": func() *suspend.Run {
				run := s.running("w")
				s.kept(run, "x")
				s.must(s.Settle(ctx, run.ID, "w", suspend.Settlement{Status: suspend.Completed, Reason: suspend.ReasonNoProposal}))
				return run
			},
			"reject": func() *suspend.Run {
				run := s.waiting()
				s.kept(run, "x")
				s.must(s.Reject(ctx, nil, s.on(run, 9)))
				return run
			},
			"cancel": func() *suspend.Run {
				run := s.waiting()
				s.kept(run, "x")
				s.must(s.Cancel(ctx, run.ID, 3))
				return run
			},
			"expire": func() *suspend.Run {
				run := s.waiting()
				s.kept(run, "x")
				if n, err := s.Expire(ctx, s.clock.now().Add(time.Hour), 10); err != nil || n != 1 {
					t.Errorf("%d %v", n, err)
				}
				return run
			},
			"give up": func() *suspend.Run {
				run := s.running("w")
				s.kept(run, "x")
				s.clock.pass(lease + time.Second)
				if _, _, err := s.Claim(ctx, "other", lease, 1); !errors.Is(err, suspend.ErrNothingToDo) {
					t.Error(err)
				}
				return run
			},
			"closing turn": func() *suspend.Run {
				run := s.waiting()
				s.kept(run, "x")
				s.must(s.approve(s.Store, s.on(run, 9)))
				if s.artifacts(run) != 1 {
					t.Error("an approval is not the end")
				}
				_, _, err := s.Claim(ctx, "w", lease, 3)
				s.must(err)
				s.must(s.Settle(ctx, run.ID, "w", suspend.Settlement{Status: suspend.Failed, Reason: suspend.ReasonInternal}))
				return run
			},
		}
		for name, end := range ends {
			run := end()
			if got := s.now(run.ID); !got.Status.Terminal() || s.artifacts(run) != 0 {
				t.Errorf("%s: %s, %d pictures are left", name, got.Status, s.artifacts(run))
			}
		}
		if s.artifacts(bystander) != 1 {
			t.Error("a run that goes on lost its picture")
		}
		if n, err := s.PurgeArtifacts(ctx, 10); err != nil || n != 0 {
			t.Errorf("%d left for the net, %v", n, err)
		}
		going := s.running("w")
		s.kept(going, "x")
		going = s.suspended(going, "w")
		s.must(s.AskAgain(ctx, nil, s.on(going, 9), closing()))
		_, _, err := s.Claim(ctx, "w", lease, 3)
		s.must(err)
		s.must(s.Requeue(ctx, going.ID, "w", 0))
		if s.artifacts(going) != 1 {
			t.Error("a move that is no end erased a picture")
		}
		if err := s.Settle(ctx, going.ID, "w", suspend.Settlement{Status: suspend.Failed, Reason: suspend.ReasonInternal}); !errors.Is(err, suspend.ErrLeaseLost) || s.artifacts(going) != 1 {
			t.Errorf("a settlement that met no run: %v, %d pictures", err, s.artifacts(going))
		}
	})
}

// State and pictures go together: when the pictures cannot be erased, the run has not ended.
func TestE9_X03_OneTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		run, waiting := s.running("w"), s.waiting()
		s.kept(run, "x")
		s.kept(waiting, "x")
		broken := errors.New("the table is gone")
		s.must(s.db.Callback().Delete().Before("gorm:delete").Register("test:fail", func(tx *gorm.DB) { _ = tx.AddError(broken) }))
		for name, err := range map[string]error{
			"settle": s.Settle(ctx, run.ID, "w", suspend.Settlement{Status: suspend.Completed, Reason: suspend.ReasonNoProposal}),
			"cancel": s.Cancel(ctx, run.ID, 3),
			"reject": s.Reject(ctx, nil, s.on(waiting, 9)),
		} {
			if !errors.Is(err, broken) {
				t.Errorf("%s: %v", name, err)
			}
		}
		s.must(s.db.Callback().Delete().Remove("test:fail"))
		for _, r := range []*suspend.Run{run, waiting} {
			if _, state, err := s.Load(ctx, r.ID); err != nil || state == nil || s.now(r.ID).Status != r.Status || s.artifacts(r) != 1 {
				t.Errorf("half an end: %+v %v", s.now(r.ID), err)
			}
		}
		if d, err := s.Decisions(ctx, waiting.ID); err != nil || len(d) != 0 {
			t.Errorf("a decision that was not carried out: %v %v", d, err)
		}
	})
}

// A state that does not open is kept, and so are the pictures it refers to. What has lost
// its run is the net's.
func TestPurgeArtifacts_OrphansOnly(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		buried := s.queued()
		s.kept(buried, "x")
		s.exec("UPDATE tx_editoractions_run SET sealed_state = 'damaged' WHERE id = ?", string(buried.ID))
		if _, _, err := s.Claim(ctx, "w", lease, 3); !errors.Is(err, suspend.ErrNothingToDo) || s.now(buried.ID).Reason != suspend.ReasonUnreadable {
			t.Fatal(err)
		}
		open, gone := s.queued(), s.queued()
		s.kept(open, "x")
		for i := range 3 {
			s.kept(gone, fmt.Sprint(i))
		}
		s.exec("DELETE FROM tx_editoractions_run WHERE id = ?", string(gone.ID))
		if due, err := s.CountDue(ctx, time.Time{}, time.Time{}, time.Time{}); err != nil || due != (suspend.Due{Artifacts: 3}) {
			t.Errorf("%+v %v", due, err)
		}
		for _, want := range []int{2, 1, 0} {
			if n, err := s.PurgeArtifacts(ctx, 2); err != nil || n != want {
				t.Errorf("%d, want %d, %v", n, want, err)
			}
		}
		if s.artifacts(buried) != 1 || s.artifacts(open) != 1 || s.artifacts(gone) != 0 {
			t.Errorf("%d %d %d", s.artifacts(buried), s.artifacts(open), s.artifacts(gone))
		}
		s.exec("UPDATE tx_editoractions_run SET sealed_state = NULL WHERE id = ?", string(buried.ID)) // given up by hand
		if n, err := s.PurgeRuns(ctx, s.clock.now().Add(time.Hour), 10); err != nil || n != 1 || s.artifacts(buried) != 0 {
			t.Errorf("%d %v", n, err)
		}
	})
}
