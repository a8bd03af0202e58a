package toolimages_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/secret"
	"editor-actions/internal/suspend"
	"editor-actions/internal/testsite"
	"editor-actions/internal/toolimages"

	"gorm.io/gorm"
)

// scaler is the real one, shared by all tests.
var scaler *downscaler.Scaler

// TestMain lets the test binary be an image worker, and a process that dies while it saves.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case downscaler.WorkerCommand:
			os.Exit(downscaler.WorkerMain(os.Stdin, os.Stdout))
		case dieInSave:
			os.Exit(saveAndDie(os.Args[2], os.Args[3], os.Args[4]))
		}
	}
	limits := config.DefaultSettings().Images
	limits.TimeoutSeconds, limits.Workers, limits.CacheMiB, limits.QueueLength = 120, 2, 0, 100
	var err error
	if scaler, err = downscaler.New(limits, downscaler.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = scaler.Close()
	os.Exit(code)
}

// spy is the real store; it counts and can give other bytes.
type spy struct {
	*suspend.Store
	saves, looks, reads atomic.Int32
	bytes               func(a suspend.Artifact, data []byte) []byte
	row                 func(a *suspend.Artifact)
	fail                error
}

func (s *spy) SaveArtifact(ctx context.Context, a suspend.Artifact, plain []byte) (suspend.Artifact, error) {
	s.saves.Add(1)
	return s.Store.SaveArtifact(ctx, a, plain)
}

func (s *spy) Artifact(ctx context.Context, id string) (suspend.Artifact, error) {
	s.looks.Add(1)
	if s.fail != nil {
		return suspend.Artifact{}, s.fail
	}
	a, err := s.Store.Artifact(ctx, id)
	if s.row != nil {
		s.row(&a)
	}
	return a, err
}

func (s *spy) OpenArtifact(ctx context.Context, a suspend.Artifact) ([]byte, error) {
	s.reads.Add(1)
	data, err := s.Store.OpenArtifact(ctx, a)
	if s.bytes != nil {
		data = s.bytes(a, data)
	}
	return data, err
}

// calls answers what was counted and begins anew.
func (s *spy) calls() (saves, looks, reads int32) {
	return s.saves.Swap(0), s.looks.Swap(0), s.reads.Swap(0)
}

// asIs keeps JPEG and PNG as they are: for tests that are not about normalising.
type asIs struct{}

func (asIs) Normalize(_ context.Context, src []byte, _ int) (*media.Image, error) {
	return media.Decode(src, media.Limits{Types: []media.Type{media.JPEG, media.PNG}})
}

// room is a service on one database, with a run that goes on.
type room struct {
	testing.TB
	dsn, keyset string
	db          *gorm.DB
	spy         *spy
	run         *suspend.Run
	scope       toolimages.Scope
	host        toolimages.Host
	*toolimages.Service
}

// each runs fn on both databases.
func each(t *testing.T, fn func(t *testing.T, r *room)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		fn(t, newSQLite(t))
	})
	t.Run("MariaDB", func(t *testing.T) {
		t.Parallel()
		fn(t, newRoom(t, testsite.EmptyMariaDB(t)))
	})
}

// newSQLite is for tests that are not about the database.
func newSQLite(t testing.TB) *room {
	t.Helper()
	file := filepath.Join(t.TempDir(), "runs.sqlite")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return newRoom(t, "sqlite://"+file)
}

const installation = "site-1"

func newRoom(t testing.TB, dsn string) *room {
	t.Helper()
	r := &room{TB: t, dsn: dsn, keyset: filepath.Join(t.TempDir(), "keyset.json")}
	r.must(suspend.InitKeyset(r.keyset))
	r.db = connect(t, dsn)
	r.must(database.Migrate(t.Context(), r.db))
	r.spy = &spy{Store: r.instance(r.db)}
	r.run = r.started(3)
	r.scope = toolimages.ForRun(installation, r.run)
	r.host = toolimages.Host{
		Scope:   func(context.Context) (toolimages.Scope, error) { return r.scope, nil },
		MayLook: func(context.Context, uint32) error { return nil },
		Screen:  func(s string) (string, error) { return strings.ReplaceAll(s, "sk-secret", "***"), nil },
		MaxEdge: func() int { return 1024 },
	}
	r.Service = r.service(asIs{}, toolimages.DefaultConfig())
	return r
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

// instance is a store as another process has it.
func (r *room) instance(db *gorm.DB) *suspend.Store {
	r.Helper()
	sealer, err := suspend.LoadKeyset(config.Sealing{KeysetFile: r.keyset})
	r.must(err)
	return suspend.NewStore(db, sealer, suspend.Options{Privacy: func() string { return "full" }})
}

// service is one with another scaler or other bounds.
func (r *room) service(norm interface {
	Normalize(ctx context.Context, src []byte, maxEdge int) (*media.Image, error)
}, cfg toolimages.Config,
) *toolimages.Service {
	r.Helper()
	s, err := toolimages.New(r.spy, norm, r.host, cfg)
	r.must(err)
	return s
}

// real is the service with libvips.
func (r *room) real() *toolimages.Service {
	r.Helper()
	return r.service(scaler, toolimages.DefaultConfig())
}

// started is another run.
func (r *room) started(by uint32) *suspend.Run {
	r.Helper()
	run, _, err := r.spy.Create(r.Context(), suspend.NewRun{
		Action: "file.alternative", Tool: "set_file_alternative_text", SubjectTable: "sys_file", SubjectUID: 7, Initiator: by, Configuration: "demo",
		State: suspend.State{Messages: subject()},
	})
	r.must(err)
	return run
}

func (r *room) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *room) rows() int {
	r.Helper()
	var n int
	r.must(r.db.Raw("SELECT COUNT(*) FROM tx_editoractions_artifact").Row().Scan(&n))
	return n
}

func (r *room) exec(query string, args ...any) {
	r.Helper()
	r.must(r.db.Exec(query, args...).Error)
}

// subject begins a run: prompt and picture.
func subject() []providers.Message {
	img, err := media.NewImage(drawing(64, 48, 9), media.PNG, 64, 48)
	if err != nil {
		panic(err)
	}
	return []providers.Message{
		{Role: providers.User, Text: "Describe the picture."},
		{Role: providers.User, Parts: []providers.Part{{Type: providers.ImagePart, Image: img}}},
	}
}

// drawing is a PNG; another shade has other bytes.
func drawing(w, h int, shade uint8) []byte {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = shade + uint8(i)%7
	}
	m.SetGray(0, 0, color.Gray{Y: shade})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// saved keeps a drawing of 8 x 6.
func (r *room) saved(title string, shade uint8) toolimages.Presentation {
	r.Helper()
	p, err := r.Save(r.Context(), toolimages.SaveInput{Data: drawing(8, 6, shade), MIMEType: "image/png", Title: title})
	r.must(err)
	return p
}

const (
	viewPage = "view_page"  // an image tool
	listAll  = "list_pages" // another one
)

var imageTools = map[string]struct{}{viewPage: {}, "view_file": {}}

// asked is a model's message with calls: pairs of id and name.
func asked(pairs ...string) providers.Message {
	m := providers.Message{Role: providers.Assistant}
	for c := range slices.Chunk(pairs, 2) {
		m.ToolCalls = append(m.ToolCalls, providers.ToolCall{ID: c[0], Name: c[1], Arguments: json.RawMessage(`{}`)})
	}
	return m
}

// shown is the reply of an image tool.
func (r *room) shown(id, name, summary string, p ...toolimages.Presentation) providers.Message {
	r.Helper()
	m, err := r.Result(providers.ToolCall{ID: id, Name: name}, summary, p...)
	r.must(err)
	return m
}

func said(id, name, text string) providers.Message {
	return providers.Message{Role: providers.ToolRole, ToolCallID: id, ToolName: name, Text: text}
}

func failed(id, name, text string) providers.Message {
	m := said(id, name, text)
	m.ToolError = true
	return m
}

// transcript is a run up to its last message.
func transcript(more ...providers.Message) []providers.Message { return append(subject(), more...) }

// project is Project with the tools of the tests.
func (r *room) project(durable []providers.Message) ([]providers.Message, providers.Requirements, error) {
	r.Helper()
	out, need, err := r.Project(r.Context(), durable, imageTools)
	return slices.Collect(out.All()), need, err
}

// refused wants an error, and no bytes read.
func (r *room) refused(what string, durable []providers.Message, want error, reads int32) {
	r.Helper()
	_, _, _ = r.spy.calls()
	out, need, err := r.project(durable)
	_, _, got := r.spy.calls()
	if !errors.Is(err, want) || got != reads || len(out) != 0 || need.Vision != providers.NeedNone {
		r.Errorf("%s: %v (%s), %d reads, want %v and %d; %d messages", what, err, toolimages.Reason(err), got, want, reads, len(out))
	}
	if err != nil && toolimages.Reason(err) == "" {
		r.Errorf("%s: %v has no reason", what, err)
	}
}

// pictures are the image parts of messages, in order.
func pictures(messages []providers.Message) []*media.Image {
	var out []*media.Image
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Image != nil {
				out = append(out, p.Image)
			}
		}
	}
	return out
}

// texts are all texts of a message.
func texts(m providers.Message) string {
	all := []string{m.Text}
	for _, p := range m.Parts {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n")
}

// encoded is a transcript to the byte.
func encoded(t testing.TB, messages []providers.Message) []byte {
	t.Helper()
	data, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
