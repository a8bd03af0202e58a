package suspend_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/database"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"

	"gorm.io/gorm"
)

// moves are all ways to change a run that is named, with what they need to be right.
func (s *site) moves() map[string]func(*suspend.Run) error {
	ctx := s.Context()
	return map[string]func(*suspend.Run) error{
		"requeue": func(r *suspend.Run) error { return s.Requeue(ctx, r.ID, r.LeaseOwner, 0) },
		"save":    func(r *suspend.Run) error { return s.SaveProgress(ctx, r.ID, r.LeaseOwner, asked(), providers.Usage{}) },
		"renew":   func(r *suspend.Run) error { return s.Renew(ctx, r.ID, r.LeaseOwner, lease) },
		"suspend": func(r *suspend.Run) error {
			_, err := s.Suspend(ctx, r.ID, r.LeaseOwner, suspend.Suspension{State: asked(), Turn: r.Turn + 1})
			return err
		},
		"complete": func(r *suspend.Run) error {
			return s.Settle(ctx, r.ID, r.LeaseOwner, suspend.Settlement{Status: suspend.Completed, Reason: suspend.ReasonNoProposal})
		},
		"fail": func(r *suspend.Run) error {
			return s.Settle(ctx, r.ID, r.LeaseOwner, suspend.Settlement{Status: suspend.Failed, Reason: suspend.ReasonInternal})
		},
		"pause": func(r *suspend.Run) error {
			return s.Pause(ctx, r.ID, r.LeaseOwner, suspend.Suspension{State: asked(), Turn: r.Turn + 1}, proposals(1))
		},
		"resume": func(*suspend.Run) error {
			n, err := s.Resume(ctx, 10)
			if err == nil && n == 0 {
				return errors.New("nothing resumed")
			}
			return err
		},
		"approve":   func(r *suspend.Run) error { return s.Approve(ctx, nil, s.on(r, 9), closing()) },
		"ask again": func(r *suspend.Run) error { return s.AskAgain(ctx, nil, s.on(r, 9), closing()) },
		"reject":    func(r *suspend.Run) error { return s.Reject(ctx, nil, s.on(r, 9)) },
		"redraw": func(r *suspend.Run) error {
			_, err := s.Redraw(ctx, suspend.Redrawing{Run: r.ID, Turn: r.Turn, Digest: r.Digest, State: asked()})
			return err
		},
		"cancel": func(r *suspend.Run) error { return s.Cancel(ctx, r.ID, 1) },
		"expire": func(*suspend.Run) error {
			n, err := s.Expire(ctx, s.clock.now().Add(time.Hour), 1000)
			if err == nil && n == 0 {
				return errors.New("nothing expired")
			}
			return err
		},
		"claim": func(r *suspend.Run) error {
			run, _, err := s.Claim(ctx, "other", lease, 3)
			if err == nil && run.ID != r.ID {
				return errors.New("claimed another run")
			}
			return err
		},
	}
}

// Every move from every status: allowed exactly where this table says, and a
// refused one leaves the row byte for byte as it was.
func TestTransitions_EveryMoveFromEveryStatus(t *testing.T) {
	t.Parallel()
	allowed := map[suspend.Status]map[string]suspend.Status{
		suspend.Queued: {"claim": suspend.Running, "cancel": suspend.Cancelled},
		suspend.Running: {
			"requeue": suspend.Queued, "save": suspend.Running, "renew": suspend.Running, "suspend": suspend.Waiting, "pause": suspend.Paused,
			"complete": suspend.Completed, "fail": suspend.Failed, "cancel": suspend.Cancelled,
		},
		suspend.Waiting: {
			"approve": suspend.Queued, "ask again": suspend.Queued, "reject": suspend.Rejected, "redraw": suspend.Waiting,
			"cancel": suspend.Cancelled, "expire": suspend.Expired,
		},
		suspend.Paused:    {"resume": suspend.Queued, "cancel": suspend.Cancelled},
		suspend.Completed: {}, suspend.Rejected: {}, suspend.Failed: {}, suspend.Cancelled: {}, suspend.Expired: {},
	}
	each(t, func(t *testing.T, s *site) {
		moves := s.moves()
		reach := map[suspend.Status]func() *suspend.Run{
			suspend.Queued:  s.queued,
			suspend.Running: func() *suspend.Run { return s.running("w") },
			suspend.Waiting: s.waiting,
			suspend.Paused: func() *suspend.Run {
				run, _ := s.paused(1)
				s.exec("DELETE FROM tx_editoractions_run WHERE parent <> ''") // moves of its own
				return run
			},
		}
		for status, end := range map[suspend.Status]string{
			suspend.Completed: "complete", suspend.Failed: "fail", suspend.Rejected: "reject", suspend.Cancelled: "cancel", suspend.Expired: "expire",
		} {
			reach[status] = func() *suspend.Run {
				run := reach[suspend.Waiting]
				if end == "complete" || end == "fail" {
					run = reach[suspend.Running]
				}
				r := run()
				s.must(moves[end](r))
				return r // as a page opened before would have it
			}
		}
		for status, there := range reach {
			for name, move := range moves {
				s.exec("DELETE FROM tx_editoractions_run")
				run := there()
				if got := s.now(run.ID); got.Status != status {
					t.Fatalf("is %s, not %s", got.Status, status)
				}
				before := s.raw(run.ID)
				err := move(run)
				want, ok := allowed[status][name]
				if (err == nil) != ok {
					t.Errorf("%s when %s: %v", name, status, err)
				}
				if !ok && s.raw(run.ID) != before {
					t.Errorf("%s when %s changed the row", name, status)
				}
				if got := s.now(run.ID); ok && got.Status != want {
					t.Errorf("%s when %s: is %s", name, status, got.Status)
				}
			}
		}
	})
}

// Random interleavings of everything that can happen to a few runs, by several
// instances at once, with processes that die in the middle. A write is a row in
// the transaction of an approval, as in the agent.
func TestP1_P10_RandomInterleavingsWriteOncePerApprovalAndNeverWithout(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	if v, err := strconv.ParseUint(os.Getenv("EDITOR_ACTIONS_TEST_SEED"), 10, 64); err == nil {
		seed = v
	}
	t.Logf("EDITOR_ACTIONS_TEST_SEED=%d", seed)
	each(t, func(t *testing.T, s *site) {
		s.exec("CREATE TABLE written (run VARCHAR(36) NOT NULL, turn INTEGER NOT NULL)")
		const actors, steps, runs = 6, 150, 25
		dbs := []*gorm.DB{s.db, connect(t, s.dsn)}
		var ids []suspend.RunID
		for range runs {
			ids = append(ids, s.queued().ID)
		}
		var wg sync.WaitGroup
		for a := range actors {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(seed, uint64(a)))
				actor := &actor{s: s, r: r, db: dbs[a%2], store: s.instance(dbs[a%2]), name: fmt.Sprint("actor", a)}
				for range steps {
					if err := actor.step(ids[r.IntN(runs)]); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		if n := s.count(`SELECT COUNT(*) FROM written w LEFT JOIN tx_editoractions_decision d ON d.run_id = w.run AND d.turn = w.turn AND d.verb = 'approve' WHERE d.run_id IS NULL`); n != 0 {
			t.Errorf("%d writes without an approval", n)
		}
		if a, w := s.count("SELECT COUNT(*) FROM tx_editoractions_decision WHERE verb = 'approve'"), s.count("SELECT COUNT(*) FROM written"); a != w {
			t.Errorf("%d approvals, %d writes", a, w)
		}
		t.Logf("%d decisions, %d writes, %d claims of open runs", s.count("SELECT COUNT(*) FROM tx_editoractions_decision"),
			s.count("SELECT COUNT(*) FROM written"), s.count("SELECT COALESCE(SUM(attempts), 0) FROM tx_editoractions_run"))
		if n := s.count("SELECT COUNT(*) FROM (SELECT run FROM written GROUP BY run HAVING COUNT(*) > 1) x"); n != 0 {
			t.Errorf("%d runs wrote more than once", n)
		}
		for _, id := range ids {
			s.checkInvariants(id)
		}
	})
}

func (s *site) checkInvariants(id suspend.RunID) {
	s.Helper()
	run := s.now(id)
	wrote := s.count("SELECT COUNT(*) FROM written WHERE run = ?", string(id)) == 1
	sealed := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND sealed_state IS NOT NULL AND sealed_key IS NOT NULL", string(id)) == 1
	open := slices.Contains([]suspend.Status{suspend.Queued, suspend.Running, suspend.Waiting}, run.Status)
	switch {
	case open && !s.opens(id),
		run.Written != wrote,
		run.Written && open && run.Phase != suspend.PhaseClose,
		run.Written && !open && run.Status != suspend.Completed,
		run.Settled.IsZero() != open, sealed != open,
		(run.Digest != "") != (run.Status == suspend.Waiting),
		run.WaitingSince.IsZero() == (run.Status == suspend.Waiting),
		(run.LeaseOwner != "") != (run.Status == suspend.Running),
		run.LeaseExpires.IsZero() == (run.Status == suspend.Running),
		!open && !run.Reason.Valid():
		s.Errorf("written %v, sealed %v: %+v", wrote, sealed, run)
	}
}

func (s *site) opens(id suspend.RunID) bool {
	_, state, err := s.Load(s.Context(), id)
	return err == nil && state != nil
}

type actor struct {
	s     *site
	r     *rand.Rand
	db    *gorm.DB
	store *suspend.Store
	name  string
	held  *suspend.Run // a claim that may have been lost meanwhile
	seen  *suspend.Run // a card that may be old meanwhile
}

// known reports whether err is an answer the room promises, not a breakdown.
func known(err error) bool {
	for _, k := range []error{nil, suspend.ErrAlreadyDecided, suspend.ErrStaleTurn, suspend.ErrLeaseLost, suspend.ErrNothingToDo, suspend.ErrNotCancellable} {
		if errors.Is(err, k) {
			return true
		}
	}
	return database.IsTransient(err)
}

var errCrash = errors.New("the process died")

func (a *actor) step(id suspend.RunID) error {
	ctx := context.Background()
	var err error
	switch p := a.r.IntN(100); {
	case p < 20:
		var run *suspend.Run
		if run, _, err = a.store.Claim(ctx, a.name, lease, 5); err == nil {
			a.held = run
		}
	case p < 40 && a.held != nil:
		_, err = a.store.Suspend(ctx, a.held.ID, a.name, suspend.Suspension{State: a.store.Follow(ctx, a.held.ID, asked()), Turn: a.held.Turn + 1})
	case p < 42 && a.held != nil:
		err = a.store.Settle(ctx, a.held.ID, a.name, suspend.Settlement{Status: suspend.Failed, Reason: suspend.ReasonProviderFailed})
	case p < 45 && a.held != nil:
		err = a.store.Requeue(ctx, a.held.ID, a.name, 0)
	case p < 47:
		a.s.clock.pass(lease / 2) // leases run out: whoever holds one is as good as dead
	case p < 48:
		err = a.store.Cancel(ctx, id, 1)
	case p < 49:
		_, err = a.store.Expire(ctx, a.s.clock.now().Add(-3*lease), 1)
	case p < 70:
		var runs []suspend.Run
		if runs, _, err = a.store.Waiting(ctx, suspend.Query{Limit: 3}); len(runs) > 0 {
			a.seen = &runs[a.r.IntN(len(runs))]
		}
	case a.seen == nil:
	case p < 80:
		err = a.approve(ctx)
	case p < 90:
		err = a.store.AskAgain(ctx, nil, a.s.on(a.seen, 9), a.store.Follow(ctx, a.seen.ID, closing()))
	case p < 97:
		_, err = a.store.Redraw(ctx, suspend.Redrawing{Run: a.seen.ID, Turn: a.seen.Turn, Digest: a.seen.Digest, State: a.store.Follow(ctx, a.seen.ID, asked())})
	default:
		err = a.store.Reject(ctx, nil, a.s.on(a.seen, 9))
	}
	if known(err) {
		return nil
	}
	return fmt.Errorf("%s: %w", a.name, err)
}

func (a *actor) approve(ctx context.Context) error {
	next := a.store.Follow(ctx, a.seen.ID, closing())
	err := a.db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec("INSERT INTO written (run, turn) VALUES (?, ?)", string(a.seen.ID), a.seen.Turn).Error; err != nil {
			return err
		}
		if err := a.store.Approve(ctx, tx, a.s.on(a.seen, 9), next); err != nil {
			return err
		}
		if a.r.IntN(3) == 0 {
			return errCrash
		}
		return nil
	})
	if errors.Is(err, errCrash) {
		return nil
	}
	return err
}
