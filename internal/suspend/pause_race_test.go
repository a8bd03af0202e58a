package suspend_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/suspend"

	"gorm.io/gorm"
)

// family is an assistant run with what it has proposed. The states are those from before
// the race, as whoever meets there has read them.
type family struct {
	*site
	parent   *suspend.Run
	state    suspend.State
	children []suspend.Run
}

// next is the state that follows the approval of a proposal.
func (f family) next(child int) suspend.State {
	f.Helper()
	return f.Follow(f.Context(), f.children[child].ID, closing())
}

// familyRace is a pair of moves that meet at an assistant run. prepare brings the family
// to where they meet; check holds against each other what both were told and what is stored.
type familyRace struct {
	name     string
	prepare  func(s *site) family
	one, two func(f family, r runner) error
	check    func(t *testing.T, f family, one, two error) string // which one won, for the log
}

// errNothingResumed is the answer of a resume that found nothing to queue.
var errNothingResumed = errors.New("nothing resumed")

func resumes(_ family, r runner) error {
	n, err := r.store.Resume(context.Background(), 100)
	if err == nil && n == 0 {
		return errNothingResumed
	}
	return err
}

func cancelsParent(f family, r runner) error {
	return r.store.Cancel(context.Background(), f.parent.ID, 6)
}

func cancelsChild(f family, r runner) error {
	return r.store.Cancel(context.Background(), f.children[0].ID, 6)
}

func expiresChildren(f family, r runner) error {
	n, err := r.store.Expire(context.Background(), f.clock.now().Add(time.Hour), 10)
	if err == nil && n == 0 {
		return errNothingExpired
	}
	return err
}

// approvesChild approves with a write beside it, as the agent does.
func approvesChild(child int) func(f family, r runner) error {
	return func(f family, r runner) error {
		next := f.next(child)
		return decided(r, func(tx *gorm.DB) error {
			if err := tx.Exec("INSERT INTO written (run) VALUES (?)", string(f.children[child].ID)).Error; err != nil {
				return err
			}
			return r.store.Approve(context.Background(), tx, f.on(&f.children[child], 9), next)
		})
	}
}

func sendsChildBack(child int) func(f family, r runner) error {
	return func(f family, r runner) error {
		return r.store.SendBack(context.Background(), f.on(&f.children[child], 8), f.parent.ID)
	}
}

// thenResumes is a move that the worker it wakes follows at once.
func thenResumes(move func(f family, r runner) error) func(f family, r runner) error {
	return func(f family, r runner) error {
		if err := move(f, r); err != nil {
			return err
		}
		_, err := r.store.Resume(context.Background(), 100)
		return err
	}
}

func pauses(f family, r runner) error {
	return r.store.Pause(context.Background(), f.parent.ID, "w", suspend.Suspension{State: f.state, Turn: f.parent.Turn + 1}, proposals(2))
}

func takesOver(f family, r runner) error {
	got, _, err := r.store.Claim(context.Background(), "claimer", lease, 3)
	if err == nil && got.ID != f.parent.ID {
		return errors.New("claimed another run")
	}
	return err
}

func savesPicture(f family, r runner) error {
	_, err := r.store.SaveArtifact(context.Background(), kept(f.parent.ID), []byte("pixels"))
	return err
}

func kept(id suspend.RunID) suspend.Artifact {
	return suspend.Artifact{Run: id, ScopeHash: hash64(string(id)), Source: "file:1", SHA256: hash64("pixels"), MIME: "image/png", Width: 1, Height: 1, Size: 6}
}

func hash64(s string) string {
	const hex = "0123456789abcdef"
	out := make([]byte, 64)
	for i := range out {
		out[i] = hex[(int(s[i%len(s)])+i)%16]
	}
	return string(out)
}

func purgesRuns(f family, r runner) error {
	_, err := r.store.PurgeRuns(context.Background(), f.clock.now().Add(time.Hour), 100)
	return err
}

func purgesArtifacts(_ family, r runner) error {
	_, err := r.store.PurgeArtifacts(context.Background(), 100)
	return err
}

// where are the ways to begin.
func pausedWith(n int, decide ...int) func(s *site) family {
	return func(s *site) family {
		s.Helper()
		parent, children := s.paused(n)
		for _, i := range decide {
			s.must(s.Reject(s.Context(), nil, s.on(&children[i], 7)))
		}
		return family{site: s, parent: parent, children: children}
	}
}

func pausedWithPicture(s *site) family {
	s.Helper()
	run := s.running("w")
	_, err := s.SaveArtifact(s.Context(), kept(run.ID), []byte("pixels"))
	s.must(err)
	s.must(s.Pause(s.Context(), run.ID, "w", suspend.Suspension{State: asked(), Turn: 1}, proposals(1)))
	children, err := s.Proposed(s.Context(), run.ID)
	s.must(err)
	s.must(s.Reject(s.Context(), nil, s.on(&children[0], 7)))
	return family{site: s, parent: s.now(run.ID), children: children}
}

func atWork(s *site) family {
	s.Helper()
	run := s.running("w")
	return family{site: s, parent: run, state: s.Follow(s.Context(), run.ID, asked())}
}

// leftAlone is a run at work whose worker is as good as dead.
func leftAlone(s *site) family {
	s.Helper()
	f := atWork(s)
	s.exec("UPDATE tx_editoractions_run SET lease_expires = ? WHERE id = ?", s.clock.now().Add(-time.Second), string(f.parent.ID))
	return f
}

func (f family) is(t *testing.T, run suspend.RunID, want suspend.Status) {
	t.Helper()
	if got := f.now(run).Status; got != want {
		t.Errorf("%s is %s, not %s", run, got, want)
	}
}

// none checks that both moves got through, in whatever order.
func none(t *testing.T, one, two error) {
	t.Helper()
	if one != nil || two != nil {
		t.Errorf("%v and %v", one, two)
	}
}

// either checks that exactly one got through and the other one was told why not.
func either(t *testing.T, one, two, oneLoses, twoLoses error) (first bool) {
	t.Helper()
	if (one == nil) == (two == nil) || one != nil && !errors.Is(one, oneLoses) || two != nil && !errors.Is(two, twoLoses) {
		t.Errorf("%v and %v", one, two)
	}
	return one == nil
}

func word(first bool) string {
	if first {
		return "first"
	}
	return "second"
}

// goesOn checks that a family whose proposals are all decided is queued by whoever looks.
func (f family) goesOn(t *testing.T) {
	t.Helper()
	if _, err := f.Resume(t.Context(), 100); err != nil {
		t.Error(err)
	}
	f.is(t, f.parent.ID, suspend.Queued)
	if n, err := f.Resume(t.Context(), 100); err != nil || n != 0 {
		t.Errorf("resumed again: %d %v", n, err)
	}
}

var familyRaces = []familyRace{
	{"approve the last proposal and cancel its run", pausedWith(2, 0), approvesChild(1), cancelsParent, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		none(t, one, two)
		f.is(t, f.parent.ID, suspend.Cancelled)
		f.is(t, f.children[1].ID, suspend.Queued)
		return "both"
	}},
	{"approve the last proposal and resume", pausedWith(2, 0), thenResumes(approvesChild(1)), resumes, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		if one != nil || two != nil && !errors.Is(two, errNothingResumed) {
			t.Errorf("%v and %v", one, two)
		}
		f.goesOn(t)
		return word(two != nil)
	}},
	{"approve a proposal and approve its sibling", pausedWith(2), thenResumes(approvesChild(0)), thenResumes(approvesChild(1)), func(t *testing.T, f family, one, two error) string {
		t.Helper()
		none(t, one, two)
		f.goesOn(t)
		return "both"
	}},
	{"approve a proposal and approve it", pausedWith(1), thenResumes(approvesChild(0)), thenResumes(approvesChild(0)), func(t *testing.T, f family, one, two error) string {
		t.Helper()
		first := either(t, one, two, suspend.ErrAlreadyDecided, suspend.ErrAlreadyDecided)
		f.goesOn(t)
		return word(first)
	}},
	{"approve a proposal and send it back", pausedWith(1), thenResumes(approvesChild(0)), thenResumes(sendsChildBack(0)), func(t *testing.T, f family, one, two error) string {
		t.Helper()
		// Whoever sends back may also find that the run has gone on already.
		if errors.Is(two, suspend.ErrNotPaused) {
			two = suspend.ErrAlreadyDecided
		}
		first := either(t, one, two, suspend.ErrAlreadyDecided, suspend.ErrAlreadyDecided)
		f.goesOn(t)
		return word(first)
	}},
	{"send two proposals back", pausedWith(2), thenResumes(sendsChildBack(0)), thenResumes(sendsChildBack(1)), func(t *testing.T, f family, one, two error) string {
		t.Helper()
		none(t, one, two)
		f.goesOn(t)
		return "both"
	}},
	{"send a proposal back and cancel its run", pausedWith(2), sendsChildBack(0), cancelsParent, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		if two != nil || one != nil && !errors.Is(one, suspend.ErrNotPaused) {
			t.Errorf("%v and %v", one, two)
		}
		f.is(t, f.parent.ID, suspend.Cancelled)
		if one != nil { // nobody is there to ask again, so the card stays
			f.is(t, f.children[0].ID, suspend.Waiting)
			return "second"
		}
		f.is(t, f.children[0].ID, suspend.Rejected)
		return "both"
	}},
	{"approve a proposal and expire", pausedWith(1), thenResumes(approvesChild(0)), thenResumes(expiresChildren), func(t *testing.T, f family, one, two error) string {
		t.Helper()
		first := either(t, one, two, suspend.ErrAlreadyDecided, errNothingExpired)
		f.goesOn(t)
		return word(first)
	}},
	{"cancel a proposal and expire", pausedWith(1), thenResumes(cancelsChild), thenResumes(expiresChildren), func(t *testing.T, f family, one, two error) string {
		t.Helper()
		first := either(t, one, two, suspend.ErrNotCancellable, errNothingExpired)
		f.goesOn(t)
		return word(first)
	}},
	{"cancel a proposal and cancel its run", pausedWith(1), cancelsChild, cancelsParent, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		none(t, one, two)
		f.is(t, f.parent.ID, suspend.Cancelled)
		f.is(t, f.children[0].ID, suspend.Cancelled)
		return "both"
	}},
	{"resume and resume", pausedWith(1, 0), resumes, resumes, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		first := either(t, one, two, errNothingResumed, errNothingResumed)
		f.goesOn(t)
		return word(first)
	}},
	{"resume and cancel", pausedWith(1, 0), resumes, cancelsParent, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		if two != nil || one != nil && !errors.Is(one, errNothingResumed) {
			t.Errorf("%v and %v", one, two)
		}
		f.is(t, f.parent.ID, suspend.Cancelled)
		return word(one != nil)
	}},
	{"pause and cancel", atWork, pauses, cancelsParent, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		if two != nil || one != nil && !errors.Is(one, suspend.ErrLeaseLost) {
			t.Errorf("%v and %v", one, two)
		}
		f.is(t, f.parent.ID, suspend.Cancelled)
		return f.proposed(t, one == nil)
	}},
	{"pause and take over", leftAlone, pauses, takesOver, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		first := either(t, one, two, suspend.ErrLeaseLost, suspend.ErrNothingToDo)
		f.is(t, f.parent.ID, map[bool]suspend.Status{true: suspend.Paused, false: suspend.Running}[first])
		f.proposed(t, first)
		return word(first)
	}},
	{"keep a picture and cancel", atWork, savesPicture, cancelsParent, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		if two != nil || one != nil && !errors.Is(one, suspend.ErrRunEnded) {
			t.Errorf("%v and %v", one, two)
		}
		f.pictures(t, 0)
		return word(one != nil)
	}},
	{"erase with a cancellation and resume", pausedWithPicture, cancelsParent, resumes, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		if one != nil || two != nil && !errors.Is(two, errNothingResumed) {
			t.Errorf("%v and %v", one, two)
		}
		f.is(t, f.parent.ID, suspend.Cancelled)
		f.pictures(t, 0)
		return word(two != nil)
	}},
	{"purge pictures and resume", pausedWithPicture, purgesArtifacts, resumes, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		none(t, one, two)
		f.is(t, f.parent.ID, suspend.Queued)
		f.pictures(t, 1)
		return "both"
	}},
	{"purge runs and resume", pausedWith(2, 0, 1), purgesRuns, resumes, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		none(t, one, two)
		f.proposed(t, true)
		return "both"
	}},
	{"purge runs and send the last proposal back", pausedWith(2, 0), purgesRuns, thenResumes(sendsChildBack(1)), func(t *testing.T, f family, one, two error) string {
		t.Helper()
		none(t, one, two)
		f.proposed(t, true)
		f.goesOn(t)
		return "both"
	}},
}

// proposed checks that a run has both proposals or none.
func (f family) proposed(t *testing.T, want bool) string {
	t.Helper()
	children, err := f.Proposed(t.Context(), f.parent.ID)
	if err != nil || want && len(children) != 2 || !want && len(children) != 0 {
		t.Errorf("%d proposals, wanted are some: %t, %v", len(children), want, err)
	}
	if want {
		return "both"
	}
	return "second"
}

func (f family) pictures(t *testing.T, want int) {
	t.Helper()
	if n := f.count("SELECT COUNT(*) FROM tx_editoractions_artifact WHERE run_id = ?", string(f.parent.ID)); n != want {
		t.Errorf("%d pictures, not %d", n, want)
	}
}

// rounds is how often a pair meets. Each round makes a family of its own first.
func (s *site) rounds() int {
	switch {
	case testing.Short():
		return 20
	case s.db.Name() == "sqlite":
		return 300
	default:
		return 200
	}
}

// Two instances meet at an assistant run: whatever comes first, a run that waits for its
// proposals goes on exactly once or stays ended, and what was decided is what is stored.
func TestPause_RacesLeaveNoRunBehind(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		t.Parallel()
		s.exec("CREATE TABLE written (run VARCHAR(36) NOT NULL)")
		runners := [2]runner{}
		for i := range runners {
			db := connect(t, s.dsn)
			runners[i] = runner{db, s.instance(db)}
		}
		for _, race := range familyRaces {
			t.Run(race.name, func(t *testing.T) {
				wins := map[string]int{}
				for range s.rounds() {
					// Nothing of the round before is found by this one.
					for _, table := range []string{"written", "tx_editoractions_artifact", "tx_editoractions_decision", "tx_editoractions_run"} {
						s.exec("DELETE FROM " + table)
					}
					f := race.prepare(s)
					var (
						errs  [2]error
						start = make(chan struct{})
						wg    sync.WaitGroup
					)
					for i, move := range []func(family, runner) error{race.one, race.two} {
						wg.Go(func() {
							<-start
							errs[i] = move(f, runners[i])
						})
					}
					close(start)
					wg.Wait()
					wins[race.check(t, f, errs[0], errs[1])]++
					if s.agree(t); t.Failed() {
						return
					}
				}
				t.Logf("%v", wins)
			})
		}
	})
}
