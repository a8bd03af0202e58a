package suspend_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/secret"
	"editor-actions/internal/suspend"
	"editor-actions/internal/testsite"

	"gorm.io/gorm"
)

const lease = time.Minute

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

// site is one database with a store on it.
type site struct {
	testing.TB
	dsn     string
	keyset  string // file
	db      *gorm.DB
	sealer  *suspend.Sealer
	clock   *clock
	privacy string
	*suspend.Store
}

// each runs fn on a fresh SQLite and on a fresh MariaDB database.
func each(t *testing.T, fn func(t *testing.T, s *site)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { fn(t, newSite(t, sqliteDSN(t))) })
	t.Run("MariaDB", func(t *testing.T) { fn(t, newSite(t, testsite.EmptyMariaDB(t))) })
}

func sqliteDSN(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "runs.sqlite")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return "sqlite://" + file
}

func connect(t testing.TB, dsn string) *gorm.DB {
	t.Helper()
	db, _, err := database.Open(secret.New(dsn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close(db) })
	return db
}

func newSite(t testing.TB, dsn string) *site {
	t.Helper()
	s := &site{TB: t, dsn: dsn, keyset: newKeyset(t), clock: &clock{t: time.Date(2026, 3, 4, 5, 6, 7, 120_000_000, time.UTC)}}
	s.sealer = loadKeyset(t, s.keyset)
	s.db = connect(t, dsn)
	if err := database.Migrate(t.Context(), s.db); err != nil {
		t.Fatal(err)
	}
	s.Store = s.instance(s.db)
	return s
}

// instance is a store as another process would have it.
func (s *site) instance(db *gorm.DB) *suspend.Store {
	return suspend.NewStore(db, s.sealer, suspend.Options{
		Now: s.clock.now, Privacy: func() string { return s.privacy }, Redact: func(t string) string { return "<" + t[:min(len(t), 9)] },
	})
}

// The site's own moves take states that a test made up; the store takes only those that
// follow an opened one.

func (s *site) Suspend(ctx context.Context, id suspend.RunID, owner string, n suspend.Suspension) (string, error) {
	n.State = s.Follow(ctx, id, n.State)
	return s.Store.Suspend(ctx, id, owner, n)
}

func (s *site) SaveProgress(ctx context.Context, id suspend.RunID, owner string, st suspend.State, u providers.Usage) error {
	return s.Store.SaveProgress(ctx, id, owner, s.Follow(ctx, id, st), u)
}

func (s *site) Approve(ctx context.Context, tx *gorm.DB, d suspend.Decision, next suspend.State) error {
	return s.Store.Approve(ctx, tx, d, s.Follow(ctx, d.Run, next))
}

func (s *site) AskAgain(ctx context.Context, tx *gorm.DB, d suspend.Decision, next suspend.State) error {
	return s.Store.AskAgain(ctx, tx, d, s.Follow(ctx, d.Run, next))
}

func (s *site) Redraw(ctx context.Context, r suspend.Redrawing) (string, error) {
	r.State = s.Follow(ctx, r.Run, r.State)
	return s.Store.Redraw(ctx, r)
}

func newSealer(t testing.TB) *suspend.Sealer {
	t.Helper()
	return loadKeyset(t, newKeyset(t))
}

func newKeyset(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keyset.json")
	if err := suspend.InitKeyset(file); err != nil {
		t.Fatal(err)
	}
	return file
}

func loadKeyset(t testing.TB, file string) *suspend.Sealer {
	t.Helper()
	s, err := suspend.LoadKeyset(config.Sealing{KeysetFile: file})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// count answers a SELECT COUNT(*).
func (s *site) count(query string, args ...any) int {
	s.Helper()
	var n int
	s.must(s.db.Raw(query, args...).Row().Scan(&n))
	return n
}

func (s *site) exec(query string, args ...any) {
	s.Helper()
	s.must(s.db.Exec(query, args...).Error)
}

// raw is a whole row as bytes, to see that it was left alone.
func (s *site) raw(id suspend.RunID) string {
	s.Helper()
	rows, err := s.db.Raw("SELECT * FROM tx_editoractions_run WHERE id = ?", string(id)).Rows()
	s.must(err)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	s.must(err)
	values, pointers := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		pointers[i] = &values[i]
	}
	if !rows.Next() {
		s.Fatal("no such row")
	}
	s.must(rows.Scan(pointers...))
	return fmt.Sprint(values)
}

var picture = sync.OnceValue(func() *media.Image {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 48))); err != nil {
		panic(err)
	}
	img, err := media.NewImage(b.Bytes(), media.PNG, 64, 48)
	if err != nil {
		panic(err)
	}
	return img
})

const note = "the bridge in spring"

// begun is the state of a run that was just started.
func begun() suspend.State {
	return suspend.State{
		Messages: []providers.Message{
			{Role: providers.User, Text: "Describe the picture. " + note},
			{Role: providers.User, Parts: []providers.Part{{Type: providers.ImagePart, Image: picture()}}},
		},
		Note: note, Warnings: []string{"tiny_source"},
	}
}

// arguments are bytes that a JSON encoder would write differently.
const arguments = `{ "uid":7,  "alternative" : "Brücke <1>" }`

// asked is the state of a run whose model wants to write.
func asked() suspend.State {
	st := begun()
	call := providers.ToolCall{ID: "call_1", Name: "set_file_alternative_text", Arguments: json.RawMessage(arguments)}
	st.Messages = append(st.Messages, providers.Message{Role: providers.Assistant, ToolCalls: []providers.ToolCall{call}})
	st.Pending = []suspend.PendingCall{{ID: call.ID, Name: call.Name, Arguments: call.Arguments}}
	st.Preview = json.RawMessage(`{"fields":[{"old":"a","new":"b"}]}`)
	return st
}

func newRun() suspend.NewRun {
	return suspend.NewRun{
		Action: "file.alternative", Tool: "set_file_alternative_text", SubjectTable: "sys_file", SubjectUID: 7, StorageUID: 1,
		Initiator: 3, OriginalUser: 1, Language: "de", Configuration: "demo", SourceSHA256: strings.Repeat("a", 64), State: begun(),
	}
}

// queued starts a run; the clock moves, so that later runs are later.
func (s *site) queued() *suspend.Run {
	s.Helper()
	run, created, err := s.Create(s.Context(), newRun())
	s.must(err)
	if !created {
		s.Fatal("not created")
	}
	s.clock.pass(time.Millisecond)
	return run
}

// running starts a run and claims it for owner.
func (s *site) running(owner string) *suspend.Run {
	s.Helper()
	s.queued()
	run, _, err := s.Claim(s.Context(), owner, lease, 3)
	s.must(err)
	return run
}

// waiting starts a run and brings it to its first card.
func (s *site) waiting() *suspend.Run {
	s.Helper()
	return s.suspended(s.running("worker"), "worker")
}

func (s *site) suspended(run *suspend.Run, owner string) *suspend.Run {
	s.Helper()
	_, err := s.Suspend(s.Context(), run.ID, owner, suspend.Suspension{
		State: asked(), Turn: run.Turn + 1, Usage: providers.Usage{InputTokens: 100, OutputTokens: 10}, Model: "eye-1", Vendor: "openai",
	})
	s.must(err)
	s.clock.pass(time.Millisecond)
	return s.now(run.ID)
}

func (s *site) now(id suspend.RunID) *suspend.Run {
	s.Helper()
	run, err := s.Get(s.Context(), id)
	s.must(err)
	return run
}

// on is a decision about the card that run shows.
func (s *site) on(run *suspend.Run, by uint32) suspend.Decision {
	return suspend.Decision{
		Run: run.ID, Turn: run.Turn, Digest: run.Digest, By: by, ByName: "Revi Ewer", At: s.clock.now(),
		FileUID: run.SubjectUID, Model: run.Model,
	}
}

// closing is the state of a run whose change was written.
func closing() suspend.State {
	st := asked()
	st.Messages = append(st.Messages, providers.Message{Role: providers.ToolRole, ToolCallID: "call_1", ToolName: "set_file_alternative_text", Text: `{"status":"done"}`})
	st.Pending = nil
	return st
}

// approve decides in a transaction of its own, as the agent does.
func (s *site) approve(store *suspend.Store, d suspend.Decision) error {
	next := s.Follow(s.Context(), d.Run, closing())
	return s.db.WithContext(s.Context()).Transaction(func(tx *gorm.DB) error {
		return store.Approve(s.Context(), tx, d, next)
	})
}

// afterLook runs fn once, just after the next SELECT that goes through the site's
// connection: before whatever is done with what it found.
func afterLook(t *testing.T, s *site, fn func()) (stop func()) {
	t.Helper()
	done := false
	err := s.db.Callback().Query().After("gorm:query").Register("test:intercept", func(*gorm.DB) {
		if !done {
			done = true
			fn()
		}
	})
	s.must(err)
	return func() { s.must(s.db.Callback().Query().Remove("test:intercept")) }
}
