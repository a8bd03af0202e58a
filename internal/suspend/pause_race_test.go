package suspend_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"editor-actions/internal/suspend"
)

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
	{"renew the keys and pause", withANewKey(atWork), renewsKeys, pauses, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		none(t, one, two)
		f.is(t, f.parent.ID, suspend.Paused)
		f.opens(t)
		return "both"
	}},
	{"renew the keys and resume", withANewKey(pausedWithPicture), renewsKeys, resumes, func(t *testing.T, f family, one, two error) string {
		t.Helper()
		none(t, one, two)
		f.is(t, f.parent.ID, suspend.Queued)
		f.opens(t)
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
func (s *site) rounds(race string) int {
	switch {
	case testing.Short():
		return 20
	case strings.HasPrefix(race, "renew"): // each adds a key
		return 100
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
				for range s.rounds(race.name) {
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
