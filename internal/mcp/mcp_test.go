package mcp_test

import (
	"bytes"
	"context"
	"encoding/base64"
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
	"testing"
	"time"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/config"
	"editor-actions/internal/content"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
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
	return &agent.Proposed{Run: &suspend.Run{ID: "r1", SubjectUID: 7}, Created: true}, nil
}

func (f *fakeProposals) Proposal(context.Context, *typo3.BackendUser, suspend.RunID) (*agent.Proposal, error) {
	return nil, agent.ErrProposalNotFound
}

func (f *fakeProposals) Proposals(context.Context, *typo3.BackendUser) ([]agent.Proposal, error) {
	return nil, nil
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

func (fakeFiles) Look(context.Context, *typo3.BackendUser, typo3.FileUID) (*falgate.File, error) {
	return nil, falgate.ErrNotAvailable
}

func (fakeFiles) Roots(context.Context, *typo3.BackendUser) ([]falgate.Folder, error) {
	return []falgate.Folder{{Combined: "1:/a/"}, {Combined: "1:/b/"}}, nil
}

func (fakeFiles) Files(_ context.Context, _ *typo3.BackendUser, q falgate.FileQuery) (falgate.FilePage, error) {
	page := falgate.FilePage{}
	for uid := q.After + 1; uid <= 70 && len(page.Files) < q.Limit; uid++ {
		page.Files = append(page.Files, falgate.FileWithMetadata{File: falgate.File{UID: uid, Name: q.Folder, Identifier: "/x.png", Storage: 1}})
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

func TestE3_I01_I02_I03_PicturesTravelAsTheFlagSays(t *testing.T) {
	t.Parallel()
	d := setup(t)
	want := d.look.result.Image.Bytes()
	envelope, err := media.Envelope("x.png", want, media.DefaultMaxInlineBinary)
	if err != nil {
		t.Fatal(err)
	}
	if got := textOf(t, d.call("view_file_image", map[string]any{"uid": 7})); got != envelope { // I01
		t.Errorf("off: %s", got)
	}
	d.settings.MCP.Vision = true
	res := d.call("view_file_image", map[string]any{"uid": 7})
	if len(res.Content) != 1 || res.StructuredContent != nil || res.IsError { // I03
		t.Fatalf("%+v", res)
	}
	block, ok := res.Content[0].(*sdk.ImageContent)
	if !ok || !bytes.Equal(block.Data, want) || block.MIMEType != "image/png" { // I02
		t.Fatalf("%+v", res.Content[0])
	}
	wire := d.wire("view_file_image")
	encoded := base64.StdEncoding.EncodeToString(want)
	if strings.Count(wire, encoded) != 1 || strings.Contains(wire, base64.StdEncoding.EncodeToString([]byte(encoded))[:40]) || strings.Contains(wire, "structuredContent") {
		t.Errorf("I02: it does not travel once, encoded once: %.400s", wire)
	}
	tools, err := d.client("").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if tool.OutputSchema != nil { // I03
			t.Errorf("%s has an output schema", tool.Name)
		}
	}
	// The name follows the bytes: a copy is a PNG or a JPEG whatever the original was.
	d.settings.MCP.Vision = false
	d.look.result.Title = "Größe.tiff"
	if got := textOf(t, d.call("view_file_image", nil)); !strings.HasPrefix(got, `{"name":"Größe.png","media_type":"image/png"`) {
		t.Errorf("%.100s", got)
	}
}

func TestE3_I08_I09_I10_Ceilings(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.settings.MCP.Vision = true
	d.settings.Inline.MaxImageBytes = 8
	if got := textOf(t, d.call("view_file_image", nil)); !strings.Contains(got, `"encoding":"base64"`) { // I08
		t.Errorf("I08: %.200s", got)
	}
	d.settings.Inline.MaxBinaryBytes = 8
	if got := textOf(t, d.call("view_file_image", nil)); !strings.Contains(got, `"encoding":"none"`) || strings.Contains(got, `"content"`) { // I09
		t.Errorf("I09: %.200s", got)
	}
	d.settings.Inline = config.DefaultSettings().Inline
	d.look.result.Image = noisy(t, 330)
	if d.look.result.Image.Size() < 100<<10 {
		t.Fatal("the picture is too small for this test")
	}
	if _, ok := d.call("view_file_image", nil).Content[0].(*sdk.ImageContent); !ok {
		t.Error("I10: not a picture")
	}
	d.settings.MCP.Vision = false
	if got := textOf(t, d.call("view_file_image", nil)); !strings.Contains(got, `"encoding":"none"`) {
		t.Errorf("I10, flag off: %.200s", got)
	}
}

func TestE3_I12_TextToolsStayText(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for _, on := range []bool{false, true} {
		d.settings.MCP.Vision = on
		if got := textOf(t, d.call("search_files", nil)); got != "nothing\nfound" {
			t.Errorf("vision %v: %q", on, got)
		}
	}
}

func TestE3_I13_RefusalsComeBeforeClassification(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.look.result, d.look.err = readtools.Result{}, falgate.ErrNotAvailable
	for _, on := range []bool{false, true} {
		d.settings.MCP.Vision = on
		res := d.call("view_file_image", map[string]any{"uid": 9})
		if got := textOf(t, res); !res.IsError || got != "This action is not available for that record. [not_available]" {
			t.Errorf("vision %v: %v %s", on, res.IsError, got)
		}
	}
}

func TestE3_I14_CeilingsThatCannotBeAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*config.Inline){func(i *config.Inline) { i.MaxImageBytes = -1 }, func(i *config.Inline) { i.MaxBinaryBytes = -1 }} {
		s := config.DefaultSettings() // vision is off
		change(&s.Inline)
		if _, err := content.New(noFiles{t}, noFiles{t}, func() *config.Settings { return &s }); err == nil {
			t.Errorf("%+v was taken", s.Inline)
		}
	}
}

func TestE3_I18_ListingReadsNoBytes(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.settings.MCP.Vision = true
	c := d.client("")
	seen, pages := 0, 0
	for cursor := ""; ; pages++ {
		res, err := c.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Resources) > 50 {
			t.Errorf("a page of %d", len(res.Resources))
		}
		seen += len(res.Resources)
		if cursor = res.NextCursor; cursor == "" {
			break
		}
	}
	if seen != 140 || pages < 3 {
		t.Errorf("%d files on %d pages", seen, pages+1)
	}
	for _, cursor := range []string{"x", "0", "-1.0", "0.99999999999", "0.1;DROP"} {
		if _, err := c.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: cursor}); err == nil {
			t.Errorf("the cursor %q was taken", cursor)
		}
	}
	if res, err := c.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: "99.0"}); err != nil || len(res.Resources) != 0 {
		t.Errorf("%+v %v", res, err)
	}
}

func TestRefusals_OursAreAFixedSentence(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for name, err := range map[string]error{
		"no fault":       errors.New("CANARY dsn mysql://u:p@h"),
		"internal fault": fault.New(fault.Internal, "not_stored", "CANARY").Because(errors.New("CANARY")),
	} {
		d.proposals.err = err
		res := d.call(actions.SetFileAlternativeText, map[string]any{"uid": 7, "alternative": "x"})
		if got := textOf(t, res); !res.IsError || strings.Contains(got, "CANARY") || !strings.Contains(got, "Tell the operator this number: ") || !strings.HasSuffix(got, "[internal]") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if !strings.Contains(d.logged(), "CANARY dsn") {
		t.Error("the operator is not told")
	}
	d.proposals.err = &agent.TextError{Field: actions.Alternative, Finding: actions.Finding{Level: actions.LevelError, Rule: "html", Message: "No markup."}}
	if got := textOf(t, d.call(actions.SetFileAlternativeText, map[string]any{"uid": 7, "alternative": "x"})); got != "No markup. [text_html]" {
		t.Errorf("a finding: %s", got)
	}
}

// Whoever stops waiting stops the work, whichever version of the protocol they speak.
func TestCancellation_ReachesTheWork(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "2025-06-18"} {
		t.Run("version "+version, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			d.proposals.entered, d.proposals.left = make(chan struct{}, 1), make(chan error, 1)
			c := d.client(version)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-d.proposals.entered
				cancel()
			}()
			if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: actions.SetFileAlternativeText, Arguments: map[string]any{"uid": 7, "alternative": "x"}}); err == nil {
				t.Error("a cancelled call answered")
			}
			_ = c.Close()
			select {
			case err := <-d.proposals.left:
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			case <-time.After(20 * time.Second):
				t.Error("the work goes on")
			}
		})
	}
}

func TestHTTP_ABrokenDatabaseIsNoInvalidToken(t *testing.T) {
	t.Parallel()
	d := setup(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer broken")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusInternalServerError || strings.Contains(string(body), "CANARY") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestProposals_TheReviewAddressIsPublic(t *testing.T) {
	t.Parallel()
	d := setup(t)
	if got := textOf(t, d.call(actions.SetFileAlternativeText, map[string]any{"uid": 7, "alternative": "x"})); !strings.Contains(got, `"review":"https://www.example.org/ea/review/r1"`) {
		t.Error(got)
	}
}
