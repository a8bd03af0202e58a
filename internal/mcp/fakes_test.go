package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/config"
	"editor-actions/internal/content"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/mcp"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/readtools"
	"editor-actions/internal/suspend"
	"editor-actions/internal/token"
	"editor-actions/internal/typo3"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var owner = &typo3.BackendUser{UID: 10, Username: "ed", TSconfig: &typo3.TSconfig{}}

// fakeTokens knows one token, "good".
type fakeTokens struct{}

func (fakeTokens) Check(_ context.Context, text string) (*token.Token, *typo3.BackendUser, error) {
	if text == "broken" {
		return nil, nil, errors.New("CANARY database")
	}
	if text != "good" {
		return nil, nil, token.ErrInvalid
	}
	return &token.Token{ID: "t1", Name: "T", User: owner.UID, Scopes: token.Scopes()}, owner, nil
}

// fakeProposals answers what a test put there.
type fakeProposals struct {
	err     error
	entered chan struct{} // told when a proposal begins, which then waits for its context
	left    chan error
}

func (f *fakeProposals) Propose(ctx context.Context, r agent.ProposeRequest) (*agent.Proposed, error) {
	if f.entered != nil {
		f.entered <- struct{}{}
		<-ctx.Done()
		f.left <- ctx.Err()
		return nil, ctx.Err()
	}
	if f.err != nil {
		return nil, f.err
	}
	return &agent.Proposed{Run: &suspend.Run{ID: "r1", SubjectUID: 7}, File: falgate.File{Name: hiding}, Created: true}, nil
}

func (f *fakeProposals) Proposal(context.Context, *typo3.BackendUser, suspend.RunID) (*agent.Proposal, error) {
	return nil, agent.ErrProposalNotFound
}

func (f *fakeProposals) Proposals(context.Context, *typo3.BackendUser) ([]agent.Proposal, error) {
	return []agent.Proposal{{Run: "r1", FileName: hiding}}, nil
}

// noFiles fails the test when bytes are read.
type noFiles struct{ t *testing.T }

func (n noFiles) View(context.Context, *typo3.BackendUser, typo3.FileUID) (*falgate.Opened, error) {
	n.t.Error("bytes were read")
	return nil, falgate.ErrNotAvailable
}

func (n noFiles) Fit(context.Context, []byte, int) (*downscaler.Result, error) {
	n.t.Error("a picture was scaled")
	return nil, falgate.ErrNotAvailable
}

// fakeFiles is a gate of rows.
type fakeFiles struct{}

// hiding has words in tag characters and a turned direction, which people do not see.
const hiding = "a\U000E0069\U000E0067\U000E006E\u202eb"

func (fakeFiles) Look(_ context.Context, _ *typo3.BackendUser, uid typo3.FileUID) (*falgate.File, error) {
	if uid != 7 {
		return nil, falgate.ErrNotAvailable
	}
	return &falgate.File{UID: 7, Storage: 1, Name: hiding + "\n.png", Identifier: "/" + hiding, MimeType: hiding, Metadata: &typo3.Metadata{Title: hiding, Alternative: hiding, Description: hiding + "\nc"}}, nil
}

func (fakeFiles) Roots(context.Context, *typo3.BackendUser) ([]falgate.Folder, error) {
	return []falgate.Folder{{Combined: "1:/a/"}, {Combined: "1:/b/"}}, nil
}

func (fakeFiles) Files(_ context.Context, _ *typo3.BackendUser, q falgate.FileQuery) (falgate.FilePage, error) {
	page := falgate.FilePage{}
	for uid := q.After + 1; uid <= 70 && len(page.Files) < q.Limit; uid++ {
		page.Files = append(page.Files, falgate.FileWithMetadata{File: falgate.File{UID: uid, Name: q.Folder + hiding, Identifier: "/" + hiding + ".png", Storage: 1}})
		page.Next = uid
	}
	if page.Next == 70 {
		page.Next = 0
	}
	return page, nil
}

// fakeTool is a question whose answer the test knows.
type fakeTool struct {
	name   string
	image  bool
	result readtools.Result
	err    error
	panics any
	hold   chan struct{} // when set, a call waits for it
	inside atomic.Int32
}

func (f *fakeTool) Name() string { return f.name }
func (f *fakeTool) Image() bool  { return f.image }
func (f *fakeTool) Definition() providers.Tool {
	return providers.Tool{Name: f.name, Description: "A question.", Parameters: json.RawMessage(`{"type":"object","properties":{"uid":{"type":"integer"}},"additionalProperties":false}`)}
}

func (f *fakeTool) Run(_ context.Context, actor *typo3.BackendUser, _ json.RawMessage) (readtools.Result, error) {
	if actor != owner {
		return readtools.Result{}, errors.New("another actor")
	}
	if f.panics != nil {
		panic(f.panics)
	}
	if f.hold != nil {
		f.inside.Add(1)
		<-f.hold
	}
	return f.result, f.err
}

// noisy is a PNG of so many bytes and more.
func noisy(t *testing.T, edge int) *media.Image {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, edge, edge))
	x := uint32(1)
	for i := range img.Pix {
		x = x*1664525 + 1013904223
		img.Pix[i] = byte(x >> 24)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	out, err := media.NewImage(b.Bytes(), media.PNG, edge, edge)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// desk is a server with fakes around it.
type desk struct {
	t         *testing.T
	settings  *config.Settings
	proposals *fakeProposals
	look      *fakeTool // answers with a picture
	text      *fakeTool
	url       string
	mu        sync.Mutex
	log       bytes.Buffer
}

func (d *desk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.Write(p)
}

func (d *desk) logged() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.String()
}

func setup(t *testing.T) *desk {
	t.Helper()
	s := config.DefaultSettings()
	s.Server.PublicOrigin = "https://www.example.org"
	s.Server.BasePath = "/ea"
	d := &desk{t: t, settings: &s, proposals: &fakeProposals{}}
	d.look = &fakeTool{name: "view_file_image", image: true, result: readtools.Result{Image: noisy(t, 8), Title: "x.png", Text: "A summary."}}
	d.text = &fakeTool{name: "search_files", result: readtools.Result{Text: "nothing\nfound"}}
	settings := func() *config.Settings { return d.settings }
	files, err := content.New(noFiles{t}, noFiles{t}, settings)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewJSONHandler(d, nil))
	server := mcp.New(mcp.Deps{
		Tokens: fakeTokens{}, Proposals: d.proposals, WriteTools: actions.NewCatalogue(nil, nil, nil, nil, settings, log),
		ReadTools: []readtools.Tool{d.look, d.text}, Files: fakeFiles{}, Content: files, Settings: settings, Log: log, Version: "1",
	})
	web := httptest.NewServer(server.Handler(func(*http.Request) bool { return true }))
	t.Cleanup(web.Close)
	d.url = web.URL
	return d
}

type auth struct{ text string }

func (a auth) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+a.text)
	return http.DefaultTransport.RoundTrip(r)
}

func (d *desk) client(version string) *sdk.ClientSession {
	d.t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(d.t.Context(), &sdk.StreamableClientTransport{Endpoint: d.url, HTTPClient: &http.Client{Transport: auth{"good"}}, MaxRetries: -1}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = session.Close() })
	return session
}

func (d *desk) call(tool string, args any) *sdk.CallToolResult {
	d.t.Helper()
	res, err := d.client("").CallTool(d.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		d.t.Fatalf("%s: %v", tool, err)
	}
	return res
}

// told is the text that a tool answers a client there is, for goroutines of a test.
func (d *desk) told(c *sdk.ClientSession, tool string) string {
	res, err := c.CallTool(d.t.Context(), &sdk.CallToolParams{Name: tool})
	if err != nil {
		return err.Error()
	}
	block, _ := res.Content[0].(*sdk.TextContent)
	return block.Text
}

// wire is the answer to a call as it travels.
func (d *desk) wire(tool string) string {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, d.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":{}}}`))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer good")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(body)
}

func textOf(t *testing.T, r *sdk.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d blocks", len(r.Content))
	}
	block, ok := r.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("a block of %T", r.Content[0])
	}
	return block.Text
}
