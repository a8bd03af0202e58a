package notice_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/notice"
	"editor-actions/internal/providers"
	"editor-actions/internal/secret"
	"editor-actions/internal/suspend"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
	"editor-actions/internal/webhook"

	"gorm.io/gorm"
)

// clock is a time that only tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// logBuffer is a log that tests read while it is written.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// What must be nowhere below privacy.level full.
const (
	canaryFile = "CANARY-file.jpg"
	canaryText = "CANARY text"
)

// shownCards answers for a card what the agent would.
type shownCards struct{ err error }

func (c *shownCards) Shown(context.Context, suspend.RunID) (string, map[string]string, error) {
	return canaryFile, map[string]string{"alternative": canaryText}, c.err
}

// fixture is a site with runs and notifiers on it.
type fixture struct {
	*testing.T
	site     *testsite.Site
	db       *gorm.DB
	clock    *clock
	settings *config.Settings // replaced, never changed in place
	runs     *suspend.Store
	cards    *shownCards
	log      *logBuffer
}

const hookSecret = "0123456789abcdef"

// each runs fn on SQLite and on MariaDB.
func each(t *testing.T, fn func(t *testing.T, f *fixture)) {
	t.Helper()
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		f := &fixture{T: t, site: s, db: s.DB, clock: &clock{t: time.Date(2026, 12, 3, 10, 0, 0, 120_000_000, time.UTC)}, cards: &shownCards{}, log: &logBuffer{}}
		c := s.Settings
		c.Server.PublicOrigin, c.Server.BasePath = "https://www.example.org", "/editor-actions"
		c.Notices.Webhook.URL, c.Notices.Webhook.Secret = "https://hooks.example.org/in", secret.New(hookSecret)
		f.settings = &c
		file := filepath.Join(t.TempDir(), "keyset.json")
		if err := suspend.InitKeyset(file); err != nil {
			t.Fatal(err)
		}
		sealer, err := suspend.LoadKeyset(config.Sealing{KeysetFile: file})
		if err != nil {
			t.Fatal(err)
		}
		f.runs = suspend.NewStore(s.DB, sealer, suspend.Options{Now: f.clock.now})
		fn(t, f)
	})
}

// set changes the settings as a reload does.
func (f *fixture) set(change func(*config.Settings)) {
	c := *f.settings
	change(&c)
	f.settings = &c
}

// instance is a notifier as another process would have it.
func (f *fixture) instance(hooks interface {
	Send(ctx context.Context, t webhook.Target, m webhook.Message) error
},
) *notice.Notifier {
	settings := func() *config.Settings { return f.settings }
	cms := typo3.New(f.db, settings, f.clock.now)
	f.Cleanup(func() { _ = cms.Close() })
	return notice.New(notice.Deps{
		DB: f.db, Runs: f.runs, Cards: f.cards, Users: cms, Webhooks: hooks, Settings: settings,
		Log: slog.New(slog.NewJSONHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug})), Now: f.clock.now,
	})
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) exec(query string, args ...any) {
	f.Helper()
	f.must(f.db.Exec(query, args...).Error)
}

func (f *fixture) count(query string, args ...any) int {
	f.Helper()
	var n int
	f.must(f.db.Raw(query, args...).Row().Scan(&n))
	return n
}

// dump is everything in a table.
func (f *fixture) dump(table string) string {
	f.Helper()
	rows, err := f.db.Raw("SELECT * FROM " + table).Rows()
	f.must(err)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	f.must(err)
	var out strings.Builder
	for rows.Next() {
		values, pointers := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			pointers[i] = &values[i]
		}
		f.must(rows.Scan(pointers...))
		for _, v := range values {
			if b, ok := v.([]byte); ok {
				v = string(b)
			}
			_, _ = fmt.Fprintf(&out, "%v ", v)
		}
	}
	return out.String()
}

// proposed is a state that a person has to decide.
func proposed() suspend.State {
	call := json.RawMessage(`{"uid":23,"alternative":"` + canaryText + `"}`)
	return suspend.State{
		Messages: []providers.Message{{Role: providers.User, Text: "Describe " + canaryFile}},
		Pending:  []suspend.PendingCall{{ID: "call_1", Name: "set_file_alternative_text", Arguments: call}},
		Preview:  json.RawMessage(`{"file_name":"` + canaryFile + `"}`),
	}
}

// waiting makes a card that waits for a decision from now on, and lets a second pass.
func (f *fixture) waiting(initiator uint32) *suspend.Run {
	f.Helper()
	run, _, err := f.runs.Create(f.Context(), suspend.NewRun{
		Action: "file.alternative", Tool: "set_file_alternative_text", SubjectTable: "sys_file", SubjectUID: 23, StorageUID: 1,
		Initiator: initiator, Language: "de", State: proposed(),
	})
	f.must(err)
	f.clock.pass(time.Second)
	return run
}

func (f *fixture) decision(run *suspend.Run, by uint32) suspend.Decision {
	return suspend.Decision{Run: run.ID, Turn: run.Turn, Digest: run.Digest, By: by, ByName: "CANARY name", Reason: "CANARY reason", At: f.clock.now(), FileUID: run.SubjectUID}
}

// decided is the state of a waiting run with its call answered.
func (f *fixture) decided(id suspend.RunID) suspend.State {
	f.Helper()
	_, s, err := f.runs.Load(f.Context(), id)
	f.must(err)
	s.Pending = nil
	return *s
}

// suspendAgain has a worker bring a queued run to its next card.
func (f *fixture) suspendAgain(id suspend.RunID) *suspend.Run {
	f.Helper()
	run, state, err := f.runs.Claim(f.Context(), "worker", time.Minute, 3)
	f.must(err)
	if run.ID != id {
		f.Fatalf("claimed %s", run.ID)
	}
	again := proposed()
	state.Messages, state.Pending, state.Preview = again.Messages, again.Pending, again.Preview
	_, err = f.runs.Suspend(f.Context(), id, "worker", suspend.Suspension{State: *state, Turn: run.Turn + 1})
	f.must(err)
	run, err = f.runs.Get(f.Context(), id)
	f.must(err)
	f.clock.pass(time.Second)
	return run
}

// receiver is a program that is told. Answer decides what it says to a message, nil
// takes it.
type receiver struct {
	mu     sync.Mutex
	answer func(n int, m webhook.Message) error
	got    []webhook.Message // every attempt
	bodies []string
}

func (r *receiver) Send(_ context.Context, t webhook.Target, m webhook.Message) error {
	body, err := json.Marshal(m.Data)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.got, r.bodies = append(r.got, m), append(r.bodies, string(body))
	n, answer := len(r.got), r.answer
	r.mu.Unlock()
	if t.URL == "" || t.Secret.Reveal() != hookSecret || t.Timeout != 5*time.Second {
		return fmt.Errorf("target %+v", t)
	}
	if answer == nil {
		return nil
	}
	return answer(n, m)
}

// ids are the attempts so far, by id.
func (r *receiver) ids() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]int{}
	for _, m := range r.got {
		out[m.ID]++
	}
	return out
}
