package suspend_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/database"
	"editor-actions/internal/suspend"

	"gorm.io/gorm"
)

// kept stores bytes as an artifact of a run.
func (s *site) kept(run *suspend.Run, body string) suspend.Artifact {
	s.Helper()
	a, err := s.SaveArtifact(s.Context(), artifactOf(run, body), []byte(body))
	s.must(err)
	return a
}

func artifactOf(run *suspend.Run, body string) suspend.Artifact {
	return suspend.Artifact{
		Run: run.ID, ScopeHash: "scope of " + string(run.ID)[20:], ActingUser: 3, Source: "tool", SHA256: fmt.Sprintf("%064x", body),
		MIME: "image/png", Width: 8, Height: 6, Size: len(body), Title: "Größe <b>",
	}
}

func (s *site) artifacts(run *suspend.Run) int {
	s.Helper()
	return s.count("SELECT COUNT(*) FROM tx_editoractions_artifact WHERE run_id = ?", string(run.ID))
}

func TestArtifact_StoredSealedAndRead(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		a := s.kept(run, "pixels of a lake")
		want := artifactOf(run, "pixels of a lake")
		want.ID, want.VersionID, want.Created = a.ID, a.VersionID, s.clock.now()
		got, err := s.Artifact(t.Context(), a.ID)
		if err != nil || got != want || a != want || !got.Live() || a.ID == a.VersionID {
			t.Errorf("%+v\n%+v %v", got, want, err)
		}
		if body, err := s.OpenArtifact(t.Context(), a); err != nil || string(body) != "pixels of a lake" {
			t.Errorf("%q %v", body, err)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_artifact WHERE sealed_body LIKE '%lake%' OR sealed_key LIKE '%lake%'"); n != 0 {
			t.Error("the bytes lie in the clear")
		}
		if list, err := s.Artifacts(t.Context(), run.ID); err != nil || len(list) != 1 || list[0] != want {
			t.Errorf("%+v %v", list, err)
		}
		for _, id := range []string{"", "nobody's", strings.Repeat("x", 300)} {
			if _, err := s.Artifact(t.Context(), id); !errors.Is(err, suspend.ErrArtifactNotFound) {
				t.Errorf("%q: %v", id, err)
			}
		}
		a.VersionID = a.ID
		if _, err := s.OpenArtifact(t.Context(), a); !errors.Is(err, suspend.ErrArtifactNotFound) {
			t.Errorf("another version: %v", err)
		}
	})
}

// Reading what is known about artifacts touches nothing sealed.
func TestArtifacts_ListsReadNoSealedColumn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		a := s.kept(run, "x")
		var seen []string
		s.must(s.db.Callback().Query().After("gorm:query").Register("test:sql", func(tx *gorm.DB) { seen = append(seen, tx.Statement.SQL.String()) }))
		_, err := s.Artifacts(t.Context(), run.ID)
		s.must(err)
		_, err = s.Artifact(t.Context(), a.ID)
		s.must(err)
		if len(seen) != 2 || strings.Contains(strings.Join(seen, ""), "sealed") || strings.Contains(strings.Join(seen, ""), "*") {
			t.Errorf("%q", seen)
		}
	})
}

// Run states are sealed as they always were, so that rows from before open; what a record
// holds opens nowhere else.
func TestSeal_RecordsAreBoundAndStatesAreNot(t *testing.T) {
	t.Parallel()
	s := newSealer(t)
	state, err := s.Seal([]byte("state"), "purpose", "run")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.OpenRecord(state, "purpose", "run", ""); err != nil || string(got) != "state" {
		t.Errorf("without a record both are the same: %q %v", got, err)
	}
	record, err := s.SealRecord([]byte("record"), "purpose", "run", "one")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.OpenRecord(record, "purpose", "run", "one"); err != nil || string(got) != "record" {
		t.Errorf("%q %v", got, err)
	}
	for _, place := range [][3]string{{"purpose", "run", "two"}, {"purpose", "run", ""}, {"purpose", "other", "one"}, {"else", "run", "one"}} {
		if _, err := s.OpenRecord(record, place[0], suspend.RunID(place[1]), place[2]); !errors.Is(err, suspend.ErrUnreadable) {
			t.Errorf("%v: %v", place, err)
		}
	}
	if _, err := s.OpenRecord(suspend.Sealed{Key: record.Key, Body: state.Body}, "purpose", "run", "one"); !errors.Is(err, suspend.ErrUnreadable) {
		t.Errorf("a body of another key: %v", err)
	}
}

// E6 W17: sealed bytes that were moved to another row do not open there.
func TestE6_W17_SealedBytesOfAnotherRow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		a, b := s.kept(run, "aaaa"), s.kept(run, "bbbb")
		other := s.kept(s.queued(), "cccc")
		for _, from := range []suspend.Artifact{a, other} {
			var key, body []byte
			s.must(s.db.Raw("SELECT sealed_key, sealed_body FROM tx_editoractions_artifact WHERE id = ?", from.ID).Row().Scan(&key, &body))
			s.exec("UPDATE tx_editoractions_artifact SET sealed_key = ?, sealed_body = ? WHERE id = ?", key, body, b.ID)
			if _, err := s.OpenArtifact(t.Context(), b); !errors.Is(err, suspend.ErrUnreadable) {
				t.Errorf("%v", err)
			}
		}
	})
}

func TestSaveArtifact_SameBytesAreOneRow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		first := s.kept(run, "x")
		if again := s.kept(run, "x"); again != first {
			t.Errorf("%+v and %+v", first, again)
		}
		fromFile := artifactOf(run, "x")
		fromFile.Source = "sys_file:7"
		file, err := s.SaveArtifact(t.Context(), fromFile, []byte("x"))
		if err != nil || file.ID == first.ID {
			t.Errorf("bytes of a file are not those of a tool: %+v %v", file, err)
		}
		if other := s.kept(s.queued(), "x"); other.ID == first.ID || other.VersionID == first.VersionID {
			t.Error("another run has the same artifact")
		}
		if s.artifacts(run) != 2 {
			t.Errorf("%d rows", s.artifacts(run))
		}
	})
}

// E4 S25: parallel saves of the same bytes, on connections of their own, are one version.
func TestE4_S25_ParallelSavesAreOneVersion(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		stores := []*suspend.Store{s.Store}
		for range 4 {
			stores = append(stores, s.instance(connect(t, s.dsn)))
		}
		var wg sync.WaitGroup
		versions := make([]string, 20)
		for i := range versions {
			wg.Go(func() {
				a, err := stores[i%len(stores)].SaveArtifact(t.Context(), artifactOf(run, "x"), []byte("x"))
				if err != nil {
					t.Error(err)
				}
				versions[i] = a.VersionID
			})
		}
		wg.Wait()
		if slices.Sort(versions); len(slices.Compact(versions)) != 1 || s.artifacts(run) != 1 {
			t.Errorf("%v, %d rows", versions, s.artifacts(run))
		}
	})
}

func TestRevokeArtifact_IsForGood(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		first := s.kept(run, "x")
		for range 2 {
			s.must(s.RevokeArtifact(t.Context(), first.ID))
			s.clock.pass(time.Minute)
		}
		got, err := s.Artifact(t.Context(), first.ID)
		if err != nil || got.Live() || !got.Revoked.Equal(s.clock.now().Add(-2*time.Minute)) {
			t.Errorf("%+v %v", got, err)
		}
		if _, err := s.OpenArtifact(t.Context(), first); !errors.Is(err, suspend.ErrArtifactNotFound) {
			t.Error(err)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_artifact WHERE sealed_key IS NULL AND sealed_body IS NULL"); n != 1 {
			t.Error("the bytes are still there")
		}
		for range 3 { // saved and revoked again and again: tombstones do not collide
			next := s.kept(run, "x")
			if next.ID == first.ID || next.VersionID == first.VersionID {
				t.Error("revived")
			}
			s.must(s.RevokeArtifact(t.Context(), next.ID))
		}
		if err := s.RevokeArtifact(t.Context(), "nobody's"); !errors.Is(err, suspend.ErrArtifactNotFound) {
			t.Error(err)
		}
	})
}

func TestSaveArtifact_AfterTheEnd(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		s.must(s.Cancel(t.Context(), run.ID, 3))
		for _, of := range []suspend.RunID{run.ID, "01a23207-de6f-7f30-8fa9-41ae0659420c"} {
			a := artifactOf(run, "x")
			a.Run = of
			if _, err := s.SaveArtifact(t.Context(), a, []byte("x")); !errors.Is(err, suspend.ErrRunEnded) {
				t.Errorf("%s: %v", of, err)
			}
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_artifact"); n != 0 {
			t.Errorf("%d rows", n)
		}
	})
}

// E6 W18: a rotation renews the keys of pictures too, and no key that seals one is retired.
func TestE6_W18_RotationCoversArtifacts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		pictures := map[string]suspend.Artifact{}
		for i := range 250 { // more than one batch
			body := fmt.Sprint(i)
			pictures[body] = s.kept(run, body)
		}
		s.must(s.RevokeArtifact(t.Context(), pictures["7"].ID))
		delete(pictures, "7")
		var before []byte
		s.must(s.db.Raw("SELECT sealed_body FROM tx_editoractions_artifact WHERE id = ?", pictures["8"].ID).Row().Scan(&before))
		id, err := suspend.AddPrimaryKey(s.keyset)
		s.must(err)
		if done, err := s.Rewrap(t.Context(), nil); err != nil || done != (suspend.Rewrapped{Renewed: 250}) {
			t.Fatalf("%+v %v", done, err)
		}
		keys, foreign, err := s.Keys(t.Context())
		if err != nil || foreign.Any() || keys[1] != (suspend.KeyInfo{ID: id, Primary: true, Rows: 1, Artifacts: 249}) || keys[0].Artifacts != 0 {
			t.Errorf("%+v %+v %v", keys, foreign, err)
		}
		fresh := suspend.NewStore(connect(t, s.dsn), loadKeyset(t, s.keyset), suspend.Options{})
		for body, a := range pictures {
			if got, err := fresh.OpenArtifact(t.Context(), a); err != nil || string(got) != body {
				t.Fatalf("%q: %q %v", body, got, err)
			}
		}
		var after []byte
		s.must(s.db.Raw("SELECT sealed_body FROM tx_editoractions_artifact WHERE id = ?", pictures["8"].ID).Row().Scan(&after))
		if !bytes.Equal(before, after) {
			t.Error("a large value was changed")
		}
		// A picture under a key that is not there is counted and kept.
		damaged := append([]byte{1, 0, 0, 0, 9}, bytes.Repeat([]byte("x"), 40)...)
		s.exec("UPDATE tx_editoractions_artifact SET sealed_key = ? WHERE id = ?", damaged, pictures["8"].ID)
		if done, err := s.Rewrap(t.Context(), nil); err != nil || done != (suspend.Rewrapped{Already: 249, Unreadable: 1}) {
			t.Errorf("%+v %v", done, err)
		}
		if _, foreign, err := s.Keys(t.Context()); err != nil || foreign != (suspend.Foreign{Artifacts: 1}) {
			t.Errorf("%+v %v", foreign, err)
		}
		if _, err := s.OpenArtifact(t.Context(), pictures["8"]); !errors.Is(err, suspend.ErrUnreadable) {
			t.Error(err)
		}
	})
}

// What DESIGN.md says an end and an artifact cost.
func TestArtifacts_Cost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		run, waiting := s.running("w"), s.waiting()
		counter, err := database.CountQueries(s.db)
		s.must(err)
		costs := func(what string, want int, err error) {
			t.Helper()
			if n := len(counter.Reset()); n != want || err != nil {
				t.Errorf("%s: %d queries, want %d, %v", what, n, want, err)
			}
		}
		a, err := s.SaveArtifact(ctx, artifactOf(run, "x"), []byte("x"))
		costs("save", 3, err)
		_, err = s.Artifact(ctx, a.ID)
		costs("look up", 1, err)
		_, err = s.OpenArtifact(ctx, a)
		costs("open", 1, err)
		costs("settle", 2, s.Settle(ctx, run.ID, "w", suspend.Settlement{Status: suspend.Completed, Reason: suspend.ReasonNoProposal}))
		costs("reject", 3, s.Reject(ctx, nil, s.on(waiting, 9)))
	})
}

// A key that seals nothing but a picture is not retired.
func TestRetireKeys_NotWhatSealsAPicture(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		s.kept(run, "x")
		s.exec("UPDATE tx_editoractions_run SET sealed_key = NULL, sealed_state = NULL")
		_, err := suspend.AddPrimaryKey(s.keyset)
		s.must(err)
		s.clock.pass(time.Since(s.clock.now()) + time.Hour)
		if gone, err := s.RetireKeys(t.Context(), s.keyset); err != nil || len(gone) != 0 {
			t.Errorf("%v %v", gone, err)
		}
		_, err = s.Rewrap(t.Context(), nil)
		s.must(err)
		if gone, err := s.RetireKeys(t.Context(), s.keyset); err != nil || len(gone) != 1 {
			t.Errorf("%v %v", gone, err)
		}
	})
}
