package agent

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
	"editor-actions/internal/testsite"
)

// A panic ends the stretch of its run alone: the process goes on, the run waits a little,
// counts the claim, and is given up after as many as a worker's death would allow.
func TestWork_APanicCostsItsRunAClaim(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		file := filepath.Join(t.TempDir(), "keyset.json")
		if err := suspend.InitKeyset(file); err != nil {
			t.Fatal(err)
		}
		sealer, err := suspend.LoadKeyset(config.Sealing{KeysetFile: file})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 12, 3, 10, 0, 0, 0, time.UTC)
		clock := func() time.Time { return now }
		store := suspend.NewStore(s.DB, sealer, suspend.Options{Now: clock})
		var log bytes.Buffer
		settings := s.Settings
		settings.Agent.MaxAttempts = 2
		// Without a catalogue the first thing a run asks for is not there.
		a := New(Deps{Store: store, DB: s.DB, Settings: func() *config.Settings { return &settings }, Log: slog.New(slog.NewJSONHandler(&log, nil)), Now: clock})
		run, _, err := store.Create(t.Context(), suspend.NewRun{
			Action: "file.alternative", Tool: "set_file_alternative_text", SubjectTable: "sys_file", SubjectUID: 23, StorageUID: 1,
			Initiator: 10, Language: "en", Configuration: "main",
			State: suspend.State{Messages: []providers.Message{{Role: providers.User, Text: "NEEDLE in a prompt"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		status := func() *suspend.Run {
			t.Helper()
			got, err := store.Get(t.Context(), run.ID)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		for attempt := 1; attempt <= 2; attempt++ {
			if err := a.WorkOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := status(); got.Status != suspend.Queued || got.Attempts != attempt {
				t.Fatalf("after panic %d: %s, %d claims", attempt, got.Status, got.Attempts)
			}
			if err := a.WorkOnce(t.Context()); err != nil || status().Attempts != attempt {
				t.Errorf("claimed at once again: %v", err)
			}
			now = now.Add(panicDelay + time.Second)
		}
		if err := a.WorkOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := status(); got.Status != suspend.Failed {
			t.Errorf("not given up: %s %s", got.Status, got.Reason)
		}
		if n := strings.Count(log.String(), "recovered panic"); n != 2 || strings.Contains(log.String(), "NEEDLE") {
			t.Errorf("%d panics in %s", n, log.String())
		}
	})
}
