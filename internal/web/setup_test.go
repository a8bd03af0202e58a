package web_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/config"
	"editor-actions/internal/content"
	"editor-actions/internal/falgate"
	"editor-actions/internal/media"
	"editor-actions/internal/secret"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
	"editor-actions/internal/web"
)

// Ids of the fake site's runs.
const (
	runWaiting = suspend.RunID("0193f0aa-0000-7000-8000-000000000001")
	runTwo     = suspend.RunID("0193f0aa-0000-7000-8000-000000000002") // two fields
	runWorking = suspend.RunID("0193f0aa-0000-7000-8000-000000000003")
	runDone    = suspend.RunID("0193f0aa-0000-7000-8000-000000000004")
	runFailed  = suspend.RunID("0193f0aa-0000-7000-8000-000000000005")
	runBroken  = suspend.RunID("0193f0aa-0000-7000-8000-000000000006") // unreadable
	runHidden  = suspend.RunID("0193f0aa-0000-7000-8000-000000000007") // withheld
	runUnknown = suspend.RunID("0193f0aa-0000-7000-8000-0000000000ff")
)

const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

// hostile is what people, files and models can call things.
const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>`

type fixture struct {
	t        *testing.T
	settings *config.Settings
	cms      *fakeCMS
	gate     *fakeGate
	runs     *fakeRuns
	cat      *fakeCatalogue
	scaler   *fakeScaler
	tokens   *fakeTokens
	models   *fakeModels
	sessions *fakeSessions
	logs     *strings.Builder
	now      time.Time
	base     string
	handler  http.Handler
	agents   func(open func(*http.Request) bool) http.Handler
}

func settingsFor(mode string) *config.Settings {
	return &config.Settings{
		Server: config.Server{SignIn: mode, TYPO3Origin: "https://cms.example"},
		TYPO3:  config.TYPO3{DSN: secret.New("sqlite:///demo.sqlite"), CookieName: "be_typo_user", EncryptionKey: secret.New("0123456789abcdef"), SitePath: "/"},
		Images: config.Images{Workers: 2},
	}
}

// setup makes a server over a small site, changed by opts before it is built.
func setup(t *testing.T, opts ...func(*fixture)) *fixture {
	t.Helper()
	f := &fixture{t: t, settings: settingsFor(config.SignInDemo), logs: &strings.Builder{}, now: clock}
	f.cms = &fakeCMS{users: []*typo3.BackendUser{admin, editor, reviewer, german, nobody}, metadata: map[typo3.FileUID]*typo3.Metadata{}}
	root := falgate.Folder{Storage: 1, Path: "/", Name: "fileadmin", Combined: "1:/"}
	f.gate = &fakeGate{
		roots:  []falgate.Folder{root, {Storage: 2, Path: "/", Name: "Archive", Combined: "2:/"}},
		sub:    []falgate.Folder{{Storage: 1, Path: "/press/", Name: "press", Combined: "1:/press/"}},
		hidden: map[typo3.FileUID]bool{90: true}, readOnly: map[typo3.FileUID]bool{8: true}, data: map[typo3.FileUID][]byte{},
	}
	f.addFile(7, "hero.jpg", "image/jpeg", &typo3.Metadata{UID: 70, Title: "Hero", Alternative: "IMG_1234.JPG"})
	f.addFile(8, "Büro & Küche.png", "image/png", &typo3.Metadata{UID: 80})
	f.addFile(9, hostile, "image/png", &typo3.Metadata{UID: 81, Title: hostile, Alternative: hostile, Description: hostile})
	f.addFile(10, "report.pdf", "application/pdf", nil)
	f.addFile(90, "hidden.jpg", "image/jpeg", nil)
	f.runs = &fakeRuns{gate: f.gate, cards: map[suspend.RunID]*agent.Card{}, history: map[typo3.FileUID][]suspend.Decision{}, watch: make(chan agent.RunView, 4)}
	f.addRuns()
	f.cat, f.scaler = &fakeCatalogue{}, &fakeScaler{}
	f.sessions = &fakeSessions{cms: f.cms}
	f.tokens = &fakeTokens{now: func() time.Time { return f.now }}
	f.models = &fakeModels{entered: make(chan struct{}, 1)}
	for _, o := range opts {
		o(f)
	}
	f.base = strings.TrimRight(f.settings.Server.BasePath, "/")
	ids := 0
	files, err := content.New(f.gate, f.scaler, func() *config.Settings { return f.settings })
	if err != nil {
		t.Fatal(err)
	}
	s, err := web.New(web.Deps{
		Content: files, Agents: f.agents, Tokens: f.tokens,
		Settings: func() *config.Settings { return f.settings }, Agent: f.runs, Catalogue: f.cat, Models: f.models, Gate: f.gate, CMS: f.cms,
		Scaler: f.scaler, Sessions: f.sessions, Log: slog.New(slog.NewTextHandler(f.logs, nil)),
		Now:   func() time.Time { return f.now },
		NewID: func() string { ids++; return fmt.Sprintf("id-%08d", ids) },
	})
	if err != nil {
		t.Fatal(err)
	}
	f.handler = s.Handler()
	return f
}

func (f *fixture) addFile(uid typo3.FileUID, name, mime string, m *typo3.Metadata) {
	ext := name[strings.LastIndex(name, ".")+1:]
	file := falgate.File{UID: uid, Storage: 1, Identifier: "/" + name, Name: name, MimeType: mime, Extension: ext, Size: 123456, SHA1: "da39a3ee5e6b4b0d3255bfef95601890afd80709", Modified: clock.Add(-48 * time.Hour)}
	file.Metadata = m
	f.gate.files = append(f.gate.files, falgate.FileWithMetadata{File: file})
	f.gate.data[uid] = testPicture(f.t)
	if m != nil {
		f.cms.metadata[uid] = m
	}
}

func (f *fixture) addRuns() {
	f.t.Helper()
	img, err := media.NewImage(testPicture(f.t), media.PNG, 48, 32)
	if err != nil {
		f.t.Fatal(err)
	}
	hero, bad := &f.gate.files[0].File, &f.gate.files[2].File
	run := func(id suspend.RunID, status suspend.Status) *suspend.Run {
		return &suspend.Run{
			ID: id, Action: actions.SuggestAlternativeText, Tool: actions.SetFileAlternativeText, SubjectTable: "sys_file", SubjectUID: 7,
			Initiator: uint32(editor.UID), Language: "de", Status: status, Turn: 1, Digest: digest, Version: 3, Model: "demo-vision", Created: clock.Add(-time.Hour), WaitingSince: clock.Add(-30 * time.Minute),
		}
	}
	view := func(r *suspend.Run, file *falgate.File, d ...suspend.Decision) agent.RunView {
		return agent.RunView{Run: r, File: file, Initiator: "Edit Or", CanCancel: !r.Status.Terminal(), Decisions: d}
	}
	waiting := run(runWaiting, suspend.Waiting)
	f.runs.add(&agent.Card{
		View: view(waiting, hero), Image: img, Turn: 1, Digest: digest, Note: "Mention the bridge",
		Fields:     []agent.CardField{{Field: actions.Alternative, Old: "IMG_1234.JPG", Proposed: "Eine Brücke über dem Fluss", Language: "de", MaxLength: 120}},
		CanApprove: true, CanDecide: true, TurnsLeft: 3, Provider: "demo (demo-vision)",
	})
	f.runs.cards[runWaiting].View.Pick, f.runs.cards[runWaiting].Next = agent.PickReady, runTwo
	two := run(runTwo, suspend.Waiting)
	two.Action, two.SubjectUID, two.Turn = actions.SuggestTitleAndDescription, 9, 2
	f.runs.add(&agent.Card{
		View: view(two, bad), Image: img, Turn: 2, Digest: digest, Note: hostile, Moved: []actions.Field{actions.Title}, FileMoved: true,
		Fields: []agent.CardField{
			{Field: actions.Title, Old: hostile, Proposed: "A " + hostile, Language: "en", Findings: []actions.Finding{{Level: actions.LevelError, Rule: actions.RuleHTML, Message: "The text has HTML in it."}}},
			{Field: actions.Description, Old: "", Proposed: "Two lines\nof text", Language: "en"},
		},
		Refusal: "value_html", RefusalArg: []any{"title"}, Refused: "The text for `title` has HTML in it.",
		Warnings: []string{"tiny_source", "first_frame", "flattened"}, CanApprove: true, CanDecide: true, TurnsLeft: 0,
		Earlier: []agent.EarlierProposal{{Turn: 1, Fields: map[actions.Field]string{actions.Title: "First try"}, Reason: hostile, By: "Revi Ewer"}}, ExpiresAt: clock.AddDate(0, 0, 30),
	})
	f.runs.cards[runTwo].View.Pick, f.runs.cards[runTwo].View.Overdue = agent.PickHinting, true
	working := run(runWorking, suspend.Running)
	working.Turn = 0
	f.runs.add(&agent.Card{View: view(working, hero)})
	done := run(runDone, suspend.Completed)
	done.Written, done.Reason, done.Message, done.Settled = true, suspend.ReasonApproved, "Der Text ist gespeichert.", clock
	approved := suspend.Decision{
		Run: runDone, Turn: 1, Verb: suspend.VerbApprove, By: uint32(reviewer.UID), ByName: "Revi Ewer", At: clock, Edited: true,
		Fields: map[string]suspend.FieldChange{"alternative": {Old: "IMG_1234.JPG", New: "Eine Brücke", Proposed: "Eine Brücke über dem Fluss"}},
	}
	f.runs.add(&agent.Card{View: view(done, hero, approved)})
	f.runs.history[7] = []suspend.Decision{approved, {Run: runFailed, Verb: suspend.VerbReject, ByName: hostile, At: clock, Reason: hostile}}
	failed := run(runFailed, suspend.Failed)
	failed.Reason, failed.ErrorKind, failed.Settled = suspend.ReasonProviderFailed, "timeout", clock
	f.runs.add(&agent.Card{View: view(failed, hero)})
	f.runs.add(&agent.Card{View: view(run(runBroken, suspend.Waiting), hero), Turn: 1, Digest: digest, Unreadable: true, CanDecide: true})
	f.runs.add(&agent.Card{View: view(run(runHidden, suspend.Waiting), nil), Turn: 1, Digest: digest, Withheld: true, CanApprove: true, CanDecide: true})
}

// request is one request as a user; "" means nobody.
type request struct {
	method, path string
	user         *typo3.BackendUser
	body         string
	header       map[string]string
	cookies      []*http.Cookie
}

func (f *fixture) do(r request) *http.Response {
	f.t.Helper()
	if r.method == "" {
		r.method = http.MethodGet
	}
	req := httptest.NewRequest(r.method, "http://cms.example"+f.base+r.path, strings.NewReader(r.body))
	if r.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for k, v := range r.header {
		req.Header.Set(k, v)
	}
	if r.user != nil {
		req.AddCookie(&http.Cookie{Name: "be_typo_user", Value: cookieOf(r.user)})
	}
	for _, c := range r.cookies {
		req.AddCookie(c)
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, req)
	return w.Result()
}

func (f *fixture) get(user *typo3.BackendUser, path string) (*http.Response, *html.Node) {
	f.t.Helper()
	res := f.do(request{path: path, user: user})
	return res, parse(f.t, res)
}

// token is the form token of a user, read from the API.
func (f *fixture) token(user *typo3.BackendUser) string {
	f.t.Helper()
	_, after, ok := strings.Cut(body(f.t, f.do(request{path: "/api/v1/session", user: user})), `"token":"`)
	if !ok {
		f.t.Fatal("no token")
	}
	token, _, _ := strings.Cut(after, `"`)
	return token
}

// post sends a form with the user's token, unless the form brings its own.
func (f *fixture) post(user *typo3.BackendUser, path string, form url.Values) *http.Response {
	f.t.Helper()
	if !form.Has("token") {
		form.Set("token", f.token(user))
	}
	return f.do(request{method: http.MethodPost, path: path, user: user, body: form.Encode()})
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func parse(t *testing.T, res *http.Response) *html.Node {
	t.Helper()
	n, err := html.Parse(strings.NewReader(body(t, res)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func wantStatus(t *testing.T, res *http.Response, want int) {
	t.Helper()
	if res.StatusCode != want {
		t.Fatalf("status %d, want %d", res.StatusCode, want)
	}
}
