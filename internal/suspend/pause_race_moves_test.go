package suspend_test

import (
	"context"
	"errors"
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

func renewsKeys(_ family, r runner) error {
	_, err := r.store.Rewrap(context.Background(), nil)
	return err
}

// withANewKey begins as another race does, with a keyset that has just got a new key.
func withANewKey(prepare func(s *site) family) func(s *site) family {
	return func(s *site) family {
		s.Helper()
		f := prepare(s)
		_, err := suspend.AddPrimaryKey(s.keyset)
		s.must(err)
		return f
	}
}

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

// opens checks that everything of the family opens with the keys there are.
func (f family) opens(t *testing.T) {
	t.Helper()
	children, err := f.Proposed(t.Context(), f.parent.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range append([]suspend.RunID{f.parent.ID}, idsOf(children)...) {
		if run, state, err := f.Load(t.Context(), id); err != nil || !run.Status.Terminal() && state == nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	pictures, err := f.Artifacts(t.Context(), f.parent.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range pictures {
		if got, err := f.OpenArtifact(t.Context(), a); err != nil || string(got) != "pixels" {
			t.Errorf("%q %v", got, err)
		}
	}
	if _, foreign, err := f.Keys(t.Context()); err != nil || foreign.Any() {
		t.Errorf("%+v %v", foreign, err)
	}
}

func idsOf(runs []suspend.Run) (ids []suspend.RunID) {
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	return ids
}

func (f family) is(t *testing.T, run suspend.RunID, want suspend.Status) {
	t.Helper()
	if got := f.now(run).Status; got != want {
		t.Errorf("%s is %s, not %s", run, got, want)
	}
}
