package main

import (
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/agent"
	"editor-actions/internal/config"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/suspend"
	"editor-actions/internal/testsite"
)

// instance opens the rooms as one process of the service has them, without its workers.
func instance(t *testing.T, cfg *config.Settings) *rooms {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	r, err := openSite(func() *config.Settings { return cfg }, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	if err := r.withScaler(log); err != nil {
		t.Fatal(err)
	}
	r.withCatalogue(log)
	if err := r.withAgent(log); err != nil {
		t.Fatal(err)
	}
	return r
}

// copyOf makes a run that waits with the same card as another one.
func copyOf(t *testing.T, r *rooms, run *suspend.Run, state *suspend.State) *suspend.Run {
	t.Helper()
	made, _, err := r.store.Create(t.Context(), suspend.NewRun{
		Action: run.Action, Tool: run.Tool, SubjectTable: run.SubjectTable, SubjectUID: run.SubjectUID, StorageUID: run.StorageUID,
		Initiator: run.Initiator, Language: run.Language, Configuration: run.Configuration, SourceSHA256: run.SourceSHA256, State: *state,
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Two instances approve the same card at the same moment, again and again, with the real
// write: each time one writes and the other one learns that it was decided.
func TestP10_DoubleApprovalsWriteOnce(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		rounds := 200
		switch {
		case testing.Short():
			rounds = 20
		case site.DB.Name() == "sqlite":
			rounds = 1000
		}
		cfg := prepare(t, site, providertest.New(t), nil)
		both := [2]*rooms{instance(t, cfg), instance(t, cfg)}
		s := &service{t: t, site: site}
		editor, err := both[0].cms.User(t.Context(), editorUID)
		if err != nil {
			t.Fatal(err)
		}
		admin, err := both[0].cms.User(t.Context(), adminUID)
		if err != nil {
			t.Fatal(err)
		}
		first, err := both[0].agent.Start(t.Context(), agent.StartRequest{User: editor, Action: suggestAlternative, Table: "sys_file", UID: fileLake})
		if err != nil {
			t.Fatal(err)
		}
		if err := both[0].agent.WorkOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		model, state, err := both[0].store.Load(t.Context(), first.ID)
		if err != nil {
			t.Fatal(err)
		}
		row, was := s.metadata(fileLake), text(s.metadata(fileLake).Alternative)
		before, began, won := s.writes(), time.Now(), [2]int{}
		for range rounds {
			s.exec("UPDATE sys_file_metadata SET alternative = ? WHERE uid = ?", was, row.UID)
			run := copyOf(t, both[0], model, state)
			var (
				results [2]agent.DecideResult
				errs    [2]error
				start   = make(chan struct{})
				wg      sync.WaitGroup
			)
			for i, r := range both {
				wg.Go(func() {
					<-start
					results[i], errs[i] = r.agent.Decide(t.Context(), agent.DecideRequest{
						Reviewer: admin, Run: run.ID, Turn: run.Turn, Digest: run.Digest, Verb: suspend.VerbApprove, RemoteIP: "127.0.0.1",
					})
				})
			}
			close(start)
			wg.Wait()
			winner := 0
			if results[0].Outcome != agent.Written {
				winner = 1
			}
			won[winner]++
			late := results[1-winner]
			if errors.Join(errs[:]...) != nil || results[winner].Outcome != agent.Written || late.Outcome != agent.AlreadyDecided || late.Earlier == nil || late.Earlier.Verb != suspend.VerbApprove {
				t.Fatalf("%+v %v, %+v %v", results[0], errs[0], results[1], errs[1])
			}
		}
		t.Logf("%d double approvals in %s, won %v", rounds, time.Since(began).Round(time.Millisecond), won)
		if n := s.writes() - before; n != rounds {
			t.Errorf("%d writes, want %d", n, rounds)
		}
		for query, want := range map[string]int{
			"SELECT COUNT(*) FROM tx_editoractions_decision WHERE verb = 'approve'":                                         rounds,
			"SELECT COUNT(*) FROM tx_editoractions_run WHERE written = 1 AND status = 'queued' AND phase = 'close'":         rounds,
			"SELECT COUNT(DISTINCT history_uid) FROM tx_editoractions_decision WHERE verb = 'approve' AND history_uid <> 0": rounds,
		} {
			if n := s.count(query); n != want {
				t.Errorf("%s: %d, want %d", query, n, want)
			}
		}
	})
}
