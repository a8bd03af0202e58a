package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/demo"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/secret"
	"editor-actions/internal/suspend"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"

	"github.com/google/uuid"
)

// Users and files of the data set that most tests use.
const (
	adminUID  = 1
	editorUID = 10 // ed_uploads: reads and writes /user_upload/

	fileLake   = 23 // /user_upload/lake_morning.jpg
	fileSunset = 48 // /user_upload/sunrise_over_hills.jpg, 6000x4000
)

// service is one instance of the program in this process, on a site of its
// own, with a scripted model behind real HTTP.
type service struct {
	t        *testing.T
	site     *testsite.Site
	model    *providertest.Server
	settings *atomic.Pointer[config.Settings]
	url      string
	log      *logBuffer
	stop     func()
}

// logBuffer collects the log for tests that look for what must not be there.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// eachService runs fn on SQLite and on MariaDB.
func eachService(t *testing.T, change func(*config.Settings), fn func(t *testing.T, s *service)) {
	t.Helper()
	t.Parallel()
	for name, open := range map[string]func(testing.TB) *testsite.Site{"SQLite": testsite.SQLite, "MariaDB": testsite.MariaDB} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fn(t, startService(t, open(t), change))
		})
	}
}

// prepare fills the settings of a test: the scripted model, a keyset, a free port.
func prepare(t *testing.T, site *testsite.Site, model *providertest.Server, change func(*config.Settings)) *config.Settings {
	t.Helper()
	s := site.Settings
	s.Providers.Default = "scripted"
	s.Providers.Configurations = map[string]config.ProviderConfiguration{"scripted": {
		Active: true, Vendor: config.VendorCompatible, BaseURL: model.URL, PrivateNetwork: true, APIKey: secret.New("CANARY-KEY-0123456789"),
		Model: "scripted-vision", Detail: "auto", MaxOutputTokens: 500, TimeoutSeconds: 20, MaxRetries: 0,
	}}
	s.Providers.Models = []config.Model{{ID: "scripted-vision", Vendor: config.VendorCompatible, Capabilities: []string{"chat", "vision", "tools"}}}
	s.Sealing.KeysetFile = filepath.Join(t.TempDir(), "keyset.json")
	if err := suspend.InitKeyset(s.Sealing.KeysetFile); err != nil {
		t.Fatal(err)
	}
	s.Server.Listen, s.Server.LogLevel = "127.0.0.1:0", "debug"
	s.Images.Workers = 1
	if change != nil {
		change(&s)
	}
	return &s
}

func startService(t *testing.T, site *testsite.Site, change func(*config.Settings)) *service {
	t.Helper()
	s := &service{t: t, site: site, model: providertest.New(t), settings: &atomic.Pointer[config.Settings]{}, log: &logBuffer{}}
	s.settings.Store(prepare(t, site, s.model, change))
	t.Cleanup(s.logFailure)
	s.start()
	return s
}

// logFailure shows what the service complained about when a test failed.
func (s *service) logFailure() {
	if !s.t.Failed() {
		return
	}
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, `"level":"WARN"`) || strings.Contains(line, "refused action") {
			s.t.Log(strings.TrimSpace(line))
		}
	}
}

// start runs serve until stop.
func (s *service) start() {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	log := slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	go func() {
		done <- serve(ctx, s.settings.Load, log, func(a net.Addr) { ready <- "http://" + a.String() })
	}()
	select {
	case s.url = <-ready:
	case err := <-done:
		s.t.Fatalf("service did not start: %v", err)
	}
	var once sync.Once
	s.stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
				s.t.Errorf("service ended with %v", err)
			}
		})
	}
	s.t.Cleanup(s.stop)
}

// change swaps the settings, as a reload does.
func (s *service) change(fn func(*config.Settings)) {
	next := *s.settings.Load()
	fn(&next)
	s.settings.Store(&next)
}

// client is one signed-in person.
type client struct {
	t      *testing.T
	base   string
	cookie *http.Cookie
	token  string
}

// as signs a backend user in with a session like TYPO3's own.
func (s *service) as(uid typo3.UserUID) *client {
	s.t.Helper()
	host := strings.TrimPrefix(s.url, "http://")
	sessions := &demo.Sessions{DB: s.site.DB, Settings: s.settings.Load, Now: time.Now}
	value, err := sessions.IssueSession(s.t.Context(), uid, host, "127.0.0.1")
	if err != nil {
		s.t.Fatal(err)
	}
	c := &client{t: s.t, base: s.url, cookie: &http.Cookie{Name: s.settings.Load().TYPO3.CookieName, Value: value}}
	var in struct {
		Token string `json:"token"`
	}
	if r := c.get("/api/v1/session"); r.code != http.StatusOK {
		s.t.Fatalf("user %d cannot sign in: %d %s", uid, r.code, r.body)
	} else {
		r.decode(&in)
	}
	c.token = in.Token
	return c
}

// reply is one response.
type reply struct {
	t      *testing.T
	code   int
	header http.Header
	body   []byte
}

func (r reply) decode(v any) {
	r.t.Helper()
	if err := json.Unmarshal(r.body, v); err != nil {
		r.t.Fatalf("no JSON: %v: %s", err, r.body)
	}
}

// problem is the code of a problem answer.
func (r reply) problem() string {
	var p struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal(r.body, &p) // no JSON, no code
	return p.Code
}

func (c *client) do(req *http.Request) reply {
	c.t.Helper()
	if c.cookie != nil {
		req.AddCookie(c.cookie)
	}
	h := &http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := h.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return reply{c.t, resp.StatusCode, resp.Header, body}
}

func (c *client) get(path string) reply {
	c.t.Helper()
	return c.getWith(path, "Accept", "*/*")
}

// getWith sends one header of its own.
func (c *client) getWith(path, header, value string) reply {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.base+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set(header, value)
	return c.do(req)
}

func (c *client) post(path string, body any) reply {
	c.t.Helper()
	return c.postKey(path, uuid.NewString(), body)
}

func (c *client) postKey(path, key string, body any) reply {
	c.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.base+path, bytes.NewReader(raw))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-EA-Token", c.token)
	req.Header.Set("Idempotency-Key", key)
	return c.do(req)
}

// Forms of the JSON API, as far as the tests read them.
type apiRun struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Reason    string `json:"reason"`
	Written   bool   `json:"written"`
	Turn      int    `json:"turn"`
	Message   string `json:"message"`
	ErrorKind string `json:"error_kind"`
}

type apiField struct {
	Field    string `json:"field"`
	Old      string `json:"old"`
	Proposed string `json:"proposed"`
	Findings []struct {
		Level   string `json:"level"`
		Rule    string `json:"rule"`
		Message string `json:"message"`
	} `json:"findings"`
}

type apiCard struct {
	Run        apiRun     `json:"run"`
	Turn       int        `json:"turn"`
	Digest     string     `json:"digest"`
	Fields     []apiField `json:"fields"`
	Refusal    string     `json:"refusal"`
	Moved      []string   `json:"moved"`
	FileMoved  bool       `json:"file_moved"`
	CanApprove bool       `json:"can_approve"`
	WhyNot     string     `json:"why_not"`
	Unreadable bool       `json:"unreadable"`
	Withheld   bool       `json:"withheld"`
}

type apiResult struct {
	Outcome string `json:"outcome"`
	Run     apiRun `json:"run"`
	Moved   []string
}

const (
	suggestAlternative = "suggest_alternative_text"
	suggestTitle       = "suggest_title_and_description"
)

func startBody(action string, uid uint64, note string) map[string]any {
	return map[string]any{"action": action, "table": "sys_file", "uid": uid, "note": note}
}

// begin starts an action and returns the run's id.
func (c *client) begin(action string, uid uint64, note string) string {
	c.t.Helper()
	r := c.post("/api/v1/runs", startBody(action, uid, note))
	if r.code != http.StatusCreated {
		c.t.Fatalf("start: %d %s", r.code, r.body)
	}
	var run apiRun
	r.decode(&run)
	return run.ID
}

func (c *client) run(id string) apiRun {
	c.t.Helper()
	r := c.get("/api/v1/runs/" + id)
	if r.code != http.StatusOK {
		c.t.Fatalf("run: %d %s", r.code, r.body)
	}
	var run apiRun
	r.decode(&run)
	return run
}

// await polls until the run has one of the statuses.
func (c *client) await(id string, statuses ...string) apiRun {
	c.t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	for {
		run := c.run(id)
		for _, s := range statuses {
			if run.Status == s {
				return run
			}
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("run stays %s (%s), want %v", run.Status, run.Reason, statuses)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (c *client) card(id string) apiCard {
	c.t.Helper()
	r := c.get("/api/v1/review/" + id)
	if r.code != http.StatusOK {
		c.t.Fatalf("card: %d %s", r.code, r.body)
	}
	var card apiCard
	r.decode(&card)
	return card
}

func decisionBody(card apiCard, verb string) map[string]any {
	return map[string]any{"verb": verb, "turn": card.Turn, "digest": card.Digest}
}

func (c *client) decide(id string, body map[string]any) (reply, apiResult) {
	c.t.Helper()
	r := c.post("/api/v1/review/"+id+"/decision", body)
	var res apiResult
	if r.code == http.StatusOK || r.code == http.StatusConflict {
		_ = json.Unmarshal(r.body, &res) // a problem has no outcome
	}
	return r, res
}

// proposed starts the alternative text action as the editor and waits for its card.
func (s *service) proposed(c *client, file uint64) (string, apiCard) {
	s.t.Helper()
	id := c.begin(suggestAlternative, file, "")
	c.await(id, "waiting")
	return id, c.card(id)
}

func mustOutcome(t *testing.T, r reply, got apiResult, want string) {
	t.Helper()
	if got.Outcome != want {
		t.Fatalf("outcome %q, want %q: %d %s", got.Outcome, want, r.code, r.body)
	}
}
