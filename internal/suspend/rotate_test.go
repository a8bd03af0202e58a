package suspend_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/suspend"
)

// sealedKeys are the wrapped data keys and the large values of all runs.
func (s *site) sealedKeys() (keys, bodies map[string][]byte) {
	s.Helper()
	rows, err := s.db.Raw("SELECT id, sealed_key, sealed_state FROM tx_editoractions_run WHERE sealed_key IS NOT NULL").Rows()
	s.must(err)
	defer func() { _ = rows.Close() }()
	keys, bodies = map[string][]byte{}, map[string][]byte{}
	for rows.Next() {
		var id string
		var key, body []byte
		s.must(rows.Scan(&id, &key, &body))
		keys[id], bodies[id] = key, body
	}
	return keys, bodies
}

func TestS46_RotationRenewsEveryKeyAndNoBody(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		const runs = 500
		for i := range runs {
			n := newRun()
			if i%2 == 0 {
				n.State = asked() // born waiting
			}
			_, _, err := s.Create(t.Context(), n)
			s.must(err)
		}
		keysBefore, bodiesBefore := s.sealedKeys()
		id, err := suspend.AddPrimaryKey(s.keyset)
		s.must(err)
		done, err := s.Rewrap(t.Context(), nil)
		if err != nil || done != (suspend.Rewrapped{Renewed: runs}) {
			t.Fatalf("%+v %v", done, err)
		}
		keys, bodies := s.sealedKeys()
		for run := range keysBefore {
			if bytes.Equal(keys[run], keysBefore[run]) || !bytes.Equal(bodies[run], bodiesBefore[run]) {
				t.Fatalf("run %s: the key was kept, or the body was changed", run)
			}
			if _, _, err := s.Load(t.Context(), suspend.RunID(run)); err != nil {
				t.Fatalf("run %s: %v", run, err)
			}
		}
		if done, err = s.Rewrap(t.Context(), nil); err != nil || done != (suspend.Rewrapped{Already: runs}) {
			t.Errorf("again: %+v %v", done, err)
		}
		status, foreign, err := s.Keys(t.Context())
		if err != nil || foreign.Any() || len(status) != 2 || status[0].Rows != 0 || status[1] != (suspend.KeyInfo{ID: id, Primary: true, Rows: runs}) {
			t.Errorf("%+v %+v %v", status, foreign, err)
		}
	})
}

// A rotation that was stopped goes on where it was, and rows that open with no key are
// counted, kept, and hold nobody up.
func TestRewrap_StoppedAndUnreadable(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		const runs = 450 // three batches
		for range runs {
			_, _, err := s.Create(t.Context(), newRun())
			s.must(err)
		}
		keys, _ := s.sealedKeys()
		ids := make([]string, 0, runs)
		for id := range keys {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		damaged := append([]byte{1, 0, 0, 0, 9}, bytes.Repeat([]byte("x"), 40)...)
		for _, i := range []int{0, 199, 200, 449} { // at the ends of batches
			s.exec("UPDATE tx_editoractions_run SET sealed_key = ? WHERE id = ?", damaged, ids[i])
		}
		_, err := suspend.AddPrimaryKey(s.keyset)
		s.must(err)
		ctx, stop := context.WithCancel(t.Context())
		first, err := s.Rewrap(ctx, func(int) { stop() })
		if err == nil || first.Renewed != 198 || first.Unreadable != 2 {
			t.Fatalf("stopped: %+v %v", first, err)
		}
		rest, err := s.Rewrap(t.Context(), nil)
		if err != nil || rest != (suspend.Rewrapped{Renewed: runs - 4 - 198, Already: 198, Unreadable: 4}) {
			t.Errorf("%+v %v", rest, err)
		}
		after, _ := s.sealedKeys()
		if !bytes.Equal(after[ids[0]], damaged) {
			t.Error("what does not open was changed")
		}
		if _, foreign, err := s.Keys(t.Context()); err != nil || foreign.Runs != 4 {
			t.Errorf("%+v with a key that is not there, %v", foreign, err)
		}
	})
}

// Another instance notices the new key by itself, goes on with its old one until then, and
// everything opens everywhere at any time.
func TestRotation_InstancesNoticeByThemselves(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		other := suspend.NewStore(connect(t, s.dsn), loadKeyset(t, s.keyset), suspend.Options{Now: s.clock.now, Privacy: func() string { return "" }})
		old, _, err := other.Create(t.Context(), newRun())
		s.must(err)
		var wg sync.WaitGroup
		stop := make(chan struct{})
		wg.Go(func() { // the other instance works all the while
			for {
				select {
				case <-stop:
					return
				default:
				}
				run, _, err := other.Create(t.Context(), newRun())
				if err == nil {
					_, _, err = s.Load(t.Context(), run.ID)
				}
				if err == nil {
					_, _, err = other.Load(t.Context(), run.ID)
				}
				if err != nil {
					t.Errorf("during a rotation: %v", err)
					return
				}
			}
		})
		for range 3 {
			if _, err := suspend.AddPrimaryKey(s.keyset); err != nil {
				t.Error(err)
			}
			if _, err := s.Rewrap(t.Context(), nil); err != nil {
				t.Error(err)
			}
		}
		close(stop)
		wg.Wait()
		if _, _, err := other.Load(t.Context(), old.ID); err != nil {
			t.Errorf("a run under the newest key: %v", err)
		}
	})
}

func TestRetireKeys_OnlyWhatSealsNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run, _, err := s.Create(t.Context(), newRun())
		s.must(err)
		_, err = suspend.AddPrimaryKey(s.keyset)
		s.must(err)
		s.must(os.Chtimes(s.keyset, s.clock.now(), s.clock.now()))
		if _, err := s.RetireKeys(t.Context(), s.keyset); !errors.Is(err, suspend.ErrKeysetFresh) {
			t.Errorf("at once: %v", err)
		}
		s.clock.pass(2 * time.Minute)
		if gone, err := s.RetireKeys(t.Context(), s.keyset); err != nil || len(gone) != 0 {
			t.Errorf("a key that seals a run: %v %v", gone, err)
		}
		_, err = s.Rewrap(t.Context(), nil)
		s.must(err)
		gone, err := s.RetireKeys(t.Context(), s.keyset)
		if err != nil || len(gone) != 1 {
			t.Fatalf("%v %v", gone, err)
		}
		keys, foreign, err := s.Keys(t.Context())
		if err != nil || foreign.Any() || len(keys) != 1 || !keys[0].Primary || keys[0].Rows != 1 {
			t.Errorf("%+v %+v %v", keys, foreign, err)
		}
		if _, _, err := s.Load(t.Context(), run.ID); err != nil {
			t.Error(err)
		}
	})
}

func TestAddPrimaryKey_ManyAtOnceLoseNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, sqliteDSN(t))
	s.must(os.Chmod(s.keyset, 0o640))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := suspend.AddPrimaryKey(s.keyset); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	keys, _, err := s.Keys(t.Context())
	if err != nil || len(keys) != 9 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
	if info, err := os.Stat(s.keyset); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := suspend.AddPrimaryKey(s.keyset + ".gone"); err == nil {
		t.Error("a file that is not there")
	}
}

// A keyset that is loaded while others are put in its place is one of them, whole, and
// notices the next.
func TestLoadKeyset_DuringRotations(t *testing.T) {
	t.Parallel()
	file := newKeyset(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := suspend.AddPrimaryKey(file); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	var loaded []*suspend.Sealer
	for range 400 {
		loaded = append(loaded, loadKeyset(t, file))
	}
	close(stop)
	wg.Wait()
	sealed, err := loadKeyset(t, file).Seal([]byte("new"), "purpose", "run")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range loaded {
		if _, err := s.Open(sealed, "purpose", "run"); err != nil {
			t.Errorf("load %d does not open what the newest key sealed: %v", i, err)
		}
	}
}

func TestAddPrimaryKey_ALinkStaysALink(t *testing.T) {
	t.Parallel()
	s := newSite(t, sqliteDSN(t))
	link := filepath.Join(t.TempDir(), "link.json")
	s.must(os.Symlink(s.keyset, link))
	_, err := suspend.AddPrimaryKey(link)
	s.must(err)
	if to, err := os.Readlink(link); err != nil || to != s.keyset {
		t.Errorf("%s %v", to, err)
	}
	if keys, _, err := s.Keys(t.Context()); err != nil || len(keys) != 2 {
		t.Errorf("%+v %v", keys, err)
	}
}
