package suspend_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/database"
	"editor-actions/internal/suspend"

	"gorm.io/gorm"
)

// races is how often a pair meets: two approvals a thousand times, the others as often as
// the time allows. A meeting takes MariaDB some milliseconds.
func (s *site) races(pair string) int {
	switch {
	case testing.Short():
		return 50
	case pair == pairs[0].name:
		return 1000
	case s.db.Name() == "sqlite":
		return 400
	default:
		return 200
	}
}

// runner is one of two instances of the service: a connection of its own and a store.
type runner struct {
	db    *gorm.DB
	store *suspend.Store
}

// contender is one move of a race. After a win the run has status; what it answers when
// the other one won is in loses.
type contender struct {
	move  func(s *site, r runner, run *suspend.Run, next suspend.State) error
	after suspend.Status
	loses error
}

var errNothingExpired = errors.New("nothing expired")

// decided retries what the database ended for its own reasons, as the agent does.
func decided(r runner, fn func(tx *gorm.DB) error) error {
	for range 20 {
		if err := r.db.WithContext(context.Background()).Transaction(fn); !database.IsTransient(err) {
			return err
		}
	}
	return errors.New("the database stays busy")
}

var (
	approves = contender{func(s *site, r runner, run *suspend.Run, next suspend.State) error {
		return decided(r, func(tx *gorm.DB) error {
			if err := tx.Exec("INSERT INTO written (run) VALUES (?)", string(run.ID)).Error; err != nil {
				return err
			}
			return r.store.Approve(context.Background(), tx, s.on(run, 9), next)
		})
	}, suspend.Queued, suspend.ErrAlreadyDecided}
	asksAgain = contender{func(s *site, r runner, run *suspend.Run, next suspend.State) error {
		return decided(r, func(tx *gorm.DB) error { return r.store.AskAgain(context.Background(), tx, s.on(run, 8), next) })
	}, suspend.Queued, suspend.ErrAlreadyDecided}
	rejects = contender{func(s *site, r runner, run *suspend.Run, _ suspend.State) error {
		return decided(r, func(tx *gorm.DB) error { return r.store.Reject(context.Background(), tx, s.on(run, 7)) })
	}, suspend.Rejected, suspend.ErrAlreadyDecided}
	redraws = contender{func(_ *site, r runner, run *suspend.Run, next suspend.State) error {
		next.Pending = asked().Pending
		_, err := r.store.Redraw(context.Background(), suspend.Redrawing{Run: run.ID, Turn: run.Turn, Digest: run.Digest, State: next})
		return err
	}, suspend.Waiting, suspend.ErrAlreadyDecided}
	cancels = contender{func(_ *site, r runner, run *suspend.Run, _ suspend.State) error {
		return r.store.Cancel(context.Background(), run.ID, 6)
	}, suspend.Cancelled, suspend.ErrNotCancellable}
	expires = contender{func(s *site, r runner, _ *suspend.Run, _ suspend.State) error {
		n, err := r.store.Expire(context.Background(), s.clock.now().Add(time.Hour), 10)
		if err == nil && n == 0 {
			return errNothingExpired
		}
		return err
	}, suspend.Expired, errNothingExpired}
	claims = contender{func(_ *site, r runner, run *suspend.Run, _ suspend.State) error {
		got, _, err := r.store.Claim(context.Background(), "claimer", lease, 3)
		if err == nil && got.ID != run.ID {
			return errors.New("claimed another run")
		}
		return err
	}, suspend.Running, suspend.ErrNothingToDo}
	suspends = contender{func(_ *site, r runner, run *suspend.Run, next suspend.State) error {
		next.Pending = asked().Pending
		_, err := r.store.Suspend(context.Background(), run.ID, "w", suspend.Suspension{State: next, Turn: run.Turn + 1})
		return err
	}, suspend.Waiting, suspend.ErrLeaseLost}
	settles = contender{func(_ *site, r runner, run *suspend.Run, _ suspend.State) error {
		return r.store.Settle(context.Background(), run.ID, "w", suspend.Settlement{Status: suspend.Failed, Reason: suspend.ReasonProviderFailed})
	}, suspend.Failed, suspend.ErrLeaseLost}
	renews = contender{func(_ *site, r runner, run *suspend.Run, _ suspend.State) error {
		return r.store.Renew(context.Background(), run.ID, "w", lease)
	}, suspend.Running, suspend.ErrLeaseLost}
)

// race is a pair that meets at runs of one kind.
type race struct {
	name     string
	at       suspend.Status
	one, two contender
	// last is the move that may also follow the other one: it always gets through, and
	// the other one gets through before it or not at all.
	last *contender
}

var pairs = []race{
	{name: "approve and approve", at: suspend.Waiting, one: approves, two: approves},
	{name: "approve and reject", at: suspend.Waiting, one: approves, two: rejects},
	{name: "approve and ask again", at: suspend.Waiting, one: approves, two: asksAgain},
	{name: "approve and redraw", at: suspend.Waiting, one: approves, two: redraws},
	{name: "approve and cancel", at: suspend.Waiting, one: approves, two: cancels},
	{name: "approve and expire", at: suspend.Waiting, one: approves, two: expires},
	{name: "claim and claim", at: suspend.Queued, one: claims, two: claims},
	{name: "claim and cancel", at: suspend.Queued, one: claims, two: cancels, last: &cancels},
	{name: "suspend and cancel", at: suspend.Running, one: suspends, two: cancels, last: &cancels},
	{name: "settle and take over", at: suspend.Running, one: settles, two: claims},
	{name: "renew and take over", at: suspend.Running, one: renews, two: claims},
}

// Two instances on connections of their own, each pair many times: exactly one wins, the
// other one learns it, and what is stored says the same.
func TestP10_RacesHaveOneWinner(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		t.Parallel()
		s.exec("CREATE TABLE written (run VARCHAR(36) NOT NULL)")
		runners := [2]runner{}
		for i := range runners {
			db := connect(t, s.dsn)
			runners[i] = runner{db, s.instance(db)}
		}
		began, met := time.Now(), 0
		for _, pair := range pairs {
			t.Run(pair.name, func(t *testing.T) {
				for _, table := range []string{"written", "tx_editoractions_decision", "tx_editoractions_run"} {
					s.exec("DELETE FROM " + table)
				}
				wins := map[string]int{}
				for _, parked := range s.parked(pair.at, s.races(pair.name)) {
					wins[s.meet(t, pair, runners, parked)]++
					met++
					if t.Failed() {
						return
					}
				}
				s.agree(t)
				t.Logf("%v", wins)
			})
		}
		t.Logf("%d races in %s", met, time.Since(began).Round(time.Millisecond))
	})
}

// parked makes runs that nothing finds before meet puts them in place.
func (s *site) parked(at suspend.Status, n int) []*suspend.Run {
	s.Helper()
	runs := make([]*suspend.Run, 0, n)
	s.must(s.db.Transaction(func(tx *gorm.DB) error {
		store := s.instance(tx)
		n := newRun()
		if at == suspend.Waiting {
			n.State.Pending = asked().Pending
		}
		for range cap(runs) {
			run, _, err := store.Create(s.Context(), n)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		return tx.Exec("UPDATE tx_editoractions_run SET status = 'parked'").Error
	}))
	return runs
}

// meet has both moves of a pair meet at one run, in either order of starting, and
// answers which one won.
func (s *site) meet(t *testing.T, pair race, runners [2]runner, run *suspend.Run) string {
	t.Helper()
	changes := map[string]any{"status": string(pair.at)}
	if pair.at == suspend.Running { // its worker is as good as dead
		changes["lease_owner"], changes["lease_expires"] = "w", s.clock.now().Add(-time.Second)
	}
	s.must(s.db.Table("tx_editoractions_run").Where("id = ?", string(run.ID)).Updates(changes).Error)
	next := s.Follow(t.Context(), run.ID, begun())
	contenders := [2]contender{pair.one, pair.two}
	var (
		errs  [2]error
		seen  [2]suspend.Status // by the loser, on its own connection
		start = make(chan struct{})
		wg    sync.WaitGroup
	)
	for i, c := range contenders {
		wg.Go(func() {
			<-start
			if errs[i] = c.move(s, runners[i], run, next); errs[i] != nil {
				if now, err := runners[i].store.Get(context.Background(), run.ID); err == nil {
					seen[i] = now.Status
				}
			}
		})
	}
	close(start)
	wg.Wait()
	got := s.now(run.ID)
	// What is left would be found by the next pair's claims.
	defer s.exec("UPDATE tx_editoractions_run SET status = 'parked', digest = '' WHERE id = ? AND settled_at IS NULL", string(run.ID))
	if pair.last != nil {
		if errs[1] != nil || got.Status != pair.last.after || errs[0] != nil && !errors.Is(errs[0], contenders[0].loses) {
			t.Errorf("%v and %v: %+v", errs[0], errs[1], got)
		}
		if err := runners[0].store.Renew(t.Context(), run.ID, "claimer", lease); !errors.Is(err, suspend.ErrLeaseLost) {
			t.Errorf("whoever held the run is not told: %v", err)
		}
		if errs[0] == nil {
			return "both"
		}
		return "second"
	}
	winner, loser := 0, 1
	if errs[0] != nil {
		winner, loser = 1, 0
	}
	lost := contenders[loser].loses
	if got.Status == suspend.Waiting { // redrawn: the decision met another card
		lost = suspend.ErrStaleTurn
	}
	if errs[winner] != nil || !errors.Is(errs[loser], lost) {
		t.Errorf("%v and %v", errs[0], errs[1])
	}
	if got.Status != contenders[winner].after || seen[loser] != got.Status {
		t.Errorf("%d won, the run is %s, the loser saw %s", winner, got.Status, seen[loser])
	}
	if pair.at == suspend.Running && winner == 1 && got.LeaseOwner != "claimer" {
		t.Errorf("taken over by %q", got.LeaseOwner)
	}
	return [...]string{"first", "second"}[winner]
}

// agree holds what is stored against each other: writes, approvals, runs, decisions.
func (s *site) agree(t *testing.T) {
	t.Helper()
	writes, approvals := s.count("SELECT COUNT(*) FROM written"), s.count("SELECT COUNT(*) FROM tx_editoractions_decision WHERE verb = 'approve'")
	marked := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE written = 1")
	both := s.count("SELECT COUNT(*) FROM tx_editoractions_run r JOIN written w ON w.run = r.id JOIN tx_editoractions_decision d ON d.run_id = r.id AND d.verb = 'approve' WHERE r.written = 1")
	if writes != approvals || writes != marked || writes != both {
		t.Errorf("%d writes, %d approvals, %d runs marked as written, %d with all three", writes, approvals, marked, both)
	}
	if n := s.count("SELECT COUNT(*) FROM (SELECT run_id FROM tx_editoractions_decision GROUP BY run_id HAVING COUNT(*) > 1) twice"); n != 0 {
		t.Errorf("%d runs were decided twice", n)
	}
	if n := s.count("SELECT COUNT(*) FROM tx_editoractions_decision d LEFT JOIN tx_editoractions_run r ON r.id = d.run_id WHERE NOT (d.verb = 'approve' AND r.written = 1 OR d.verb = 'reject' AND r.status = 'rejected' OR d.verb = 'ask_again' AND r.written = 0 AND r.phase = 'propose')"); n != 0 {
		t.Errorf("%d decisions are not what became of their runs", n)
	}
}
