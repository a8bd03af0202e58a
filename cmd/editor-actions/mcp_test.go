package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/token"
	"editor-actions/internal/typo3"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// withAgents switches the HTTP side on.
// withAgents serves agents, who may call as fast as a test does.
func withAgents(c *config.Settings) { c.MCP.Enabled, c.MCP.CallsPerMinute = true, 10_000 }

func (s *service) tokens() *token.Store {
	return token.New(s.site.DB, typo3.New(s.site.DB, s.settings.Load, time.Now), s.settings.Load, slog.New(slog.DiscardHandler), time.Now)
}

// tokenOf makes an access token for a user.
func (s *service) tokenOf(uid typo3.UserUID, scopes ...token.Scope) (secret, id string) {
	s.t.Helper()
	if len(scopes) == 0 {
		scopes = token.Scopes()
	}
	text, t, err := s.tokens().Create(s.t.Context(), token.NewToken{Name: "Test agent", User: uid, Scopes: scopes, Lifetime: time.Hour})
	if err != nil {
		s.t.Fatal(err)
	}
	return text.Reveal(), t.ID
}

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// peer is an agent connected with the official client.
type peer struct {
	*sdk.ClientSession
	t        *testing.T
	progress chan string
}

// link says how an agent reaches the service: over HTTP with this or that version of the
// protocol, or over the standard streams of a process of its own.
type link struct {
	name    string
	version string // of the protocol, "" = the newest
	stdio   bool
}

var links = []link{{name: "HTTP"}, {name: "HTTP 2025-06-18", version: "2025-06-18"}, {name: "stdio", stdio: true}}

// mcpFile is a settings file for the service's site and keys.
func (s *service) mcpFile(more string) string {
	s.t.Helper()
	file := s.keysFile()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := io.WriteString(f, more); err != nil {
		s.t.Fatal(err)
	}
	return file
}

func (s *service) connect(l link, secret, name string) (*peer, error) {
	s.t.Helper()
	p := &peer{t: s.t, progress: make(chan string, 16)}
	client := sdk.NewClient(&sdk.Implementation{Name: name, Version: "1.2"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { p.progress <- r.Params.Message },
	})
	var via sdk.Transport = &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(secret)}, MaxRetries: -1}
	if l.stdio {
		cmd := exec.CommandContext(s.t.Context(), os.Args[0], "mcp", "--config", s.mcpFile("server: {publicOrigin: 'http://127.0.0.1:8080'}\nmcp: {callsPerMinute: 10000}\n"))
		cmd.Env = append(os.Environ(), envRunMain+"=1", tokenVariable+"="+secret)
		cmd.Stderr = s.log
		via = &sdk.CommandTransport{Command: cmd}
	}
	session, err := client.Connect(s.t.Context(), via, &sdk.ClientSessionOptions{ProtocolVersion: l.version})
	if err != nil {
		return nil, err
	}
	s.t.Cleanup(func() { _ = session.Close() })
	p.ClientSession = session
	return p, nil
}

func (s *service) agent(l link, secret string) *peer {
	s.t.Helper()
	p, err := s.connect(l, secret, "go-client")
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// use calls a tool and gives its text.
func (p *peer) use(tool string, args any) (text string, refused bool) {
	p.t.Helper()
	res, err := p.CallTool(p.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		p.t.Fatalf("%s: %v", tool, err)
	}
	if len(res.Content) != 1 {
		p.t.Fatalf("%s: %d blocks", tool, len(res.Content))
	}
	block, ok := res.Content[0].(*sdk.TextContent)
	if !ok {
		p.t.Fatalf("%s: a block of %T", tool, res.Content[0])
	}
	return block.Text, res.IsError
}

// told is an answer of the proposal tools.
type told struct {
	Proposal string            `json:"proposal"`
	State    string            `json:"state"`
	Review   string            `json:"review"`
	Written  map[string]string `json:"written"`
	Wrong    string            `json:"wrong"`
	Feedback string            `json:"reviewer_feedback"`
	Already  bool              `json:"already_proposed"`
}

func (p *peer) ask(tool string, args any) told {
	p.t.Helper()
	text, refused := p.use(tool, args)
	var out told
	if err := json.Unmarshal([]byte(text), &out); refused || err != nil {
		p.t.Fatalf("%s: %s", tool, text)
	}
	return out
}

// eachLink runs fn over every transport, on both databases.
func eachLink(t *testing.T, fn func(t *testing.T, s *service, l link)) {
	t.Helper()
	eachService(t, withAgents, func(t *testing.T, s *service) {
		for _, l := range links {
			t.Run(l.name, func(t *testing.T) {
				was := s.t
				s.t = t
				defer func() { s.t = was }()
				fn(t, s, l)
			})
		}
	})
}

func TestP1_MCP_ToolsAreRightAndWriteNothing(t *testing.T) {
	eachLink(t, func(t *testing.T, s *service, l link) {
		secret, _ := s.tokenOf(editorUID)
		p := s.agent(l, secret)
		tools, err := p.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		before, stored := s.writes(), s.metadata(fileLake)
		proposes := map[string]bool{altTool: true, metaTool: true}
		seen := map[string]bool{}
		for _, tool := range tools.Tools {
			seen[tool.Name] = true
			a := tool.Annotations
			if a == nil || a.ReadOnlyHint == proposes[tool.Name] || a.DestructiveHint == nil || *a.DestructiveHint || !a.IdempotentHint || a.OpenWorldHint == nil || *a.OpenWorldHint || a.Title == "" {
				t.Errorf("%s: annotations %+v", tool.Name, a)
			}
			if tool.OutputSchema != nil {
				t.Errorf("%s: has an output schema", tool.Name)
			}
			if proposes[tool.Name] && !strings.Contains(tool.Description, "writes nothing") {
				t.Errorf("%s: does not say that it writes nothing", tool.Name)
			}
			// Whatever a tool is called with, nothing is written.
			for _, args := range []any{
				map[string]any{},
				map[string]any{"uid": fileLake, "alternative": "A lake", "title": "Lake", "approve": true},
				map[string]any{"uid": fileLake, "alternative": "A lake at " + t.Name()},
				map[string]any{"uid": fileLake, "title": "Lake " + l.name},
			} {
				_, _ = p.use(tool.Name, args)
			}
		}
		if !seen[altTool] || !seen[metaTool] || !seen["get_proposal"] || !seen["list_proposals"] {
			t.Errorf("tools are %v", seen)
		}
		for name := range seen {
			for _, word := range []string{"approve", "decide", "write", "delete", "restore"} {
				if strings.Contains(name, word) {
					t.Errorf("there is a tool %s", name)
				}
			}
		}
		if after := s.metadata(fileLake); s.writes() != before || text(after.Alternative) != text(stored.Alternative) || text(after.Title) != text(stored.Title) {
			t.Error("something was written")
		}
		if _, err := p.CallTool(t.Context(), &sdk.CallToolParams{Name: "approve", Arguments: map[string]any{}}); err == nil {
			t.Error("a tool that does not exist answered")
		}
	})
}

func TestMCP_AProposalsWay(t *testing.T) {
	eachLink(t, func(t *testing.T, s *service, l link) {
		secret, _ := s.tokenOf(editorUID)
		p, reviewer := s.agent(l, secret), s.as(s.reviewer())
		text := "Two people row across a lake, seen over " + l.name
		res, err := p.CallTool(t.Context(), &sdk.CallToolParams{
			Meta: sdk.Meta{"progressToken": "p1"}, Name: altTool, Arguments: map[string]any{"uid": fileLake, "alternative": text},
		})
		if err != nil || res.IsError || res.StructuredContent == nil {
			t.Fatalf("%+v %v", res, err)
		}
		for range 2 {
			select {
			case <-p.progress:
			case <-time.After(10 * time.Second):
				t.Fatal("no progress was told")
			}
		}
		made := p.ask(altTool, map[string]any{"uid": fileLake, "alternative": text})
		if made.State != "waiting" || !made.Already || !strings.HasSuffix(made.Review, "/review/"+made.Proposal) || !strings.HasPrefix(made.Review, "http://127.0.0.1:") {
			t.Fatalf("%+v", made)
		}
		if got := p.ask("get_proposal", map[string]any{"proposal": made.Proposal}); got.State != "waiting" {
			t.Errorf("%+v", got)
		}
		page := string(reviewer.get("/review/" + made.Proposal).body)
		if !strings.Contains(page, "Test agent") || l.version == "" && !strings.Contains(page, "Test agent (go-client 1.2)") {
			t.Error("the card does not say who proposed")
		}
		card := reviewer.card(made.Proposal)
		body := decisionBody(card, "approve")
		body["edits"] = map[string]string{"alternative": text + "."}
		r, dec := reviewer.decide(made.Proposal, body)
		mustOutcome(t, r, dec, "written")
		if got := p.ask("get_proposal", map[string]any{"proposal": made.Proposal}); got.State != "edited" || got.Written["alternative"] != text+"." {
			t.Errorf("%+v", got)
		}
		reviewer.await(made.Proposal, "completed")

		made = p.ask(metaTool, map[string]any{"uid": fileLake, "title": "Over " + l.name})
		body = decisionBody(reviewer.card(made.Proposal), "reject")
		body["category"], body["reason"] = "tone", "Less dry."
		r, dec = reviewer.decide(made.Proposal, body)
		mustOutcome(t, r, dec, "rejected")
		got := p.ask("get_proposal", map[string]any{"proposal": made.Proposal})
		if got.State != "rejected" || got.Wrong != "tone" || got.Feedback != "The tone of the text does not fit. Less dry." {
			t.Errorf("%+v", got)
		}
		if list, _ := p.use("list_proposals", map[string]any{}); !strings.Contains(list, made.Proposal) {
			t.Errorf("the list does not hold it: %s", list)
		}
	})
}

func TestMCP_RefusalsAreResultsWithASentence(t *testing.T) {
	eachLink(t, func(t *testing.T, s *service, l link) {
		secret, _ := s.tokenOf(editorUID)
		p := s.agent(l, secret)
		other, _ := s.tokenOf(adminUID)
		foreign := s.agent(links[0], other).ask(altTool, map[string]any{"uid": fileSunset, "alternative": "The administrator's own, " + l.name})
		started := s.as(editorUID).begin(suggestAlternative, fileLake, "")
		for name, c := range map[string]struct {
			tool string
			args any
			code string
		}{
			"unknown argument":    {altTool, map[string]any{"uid": fileLake, "alternative": "x", "force": "yes"}, "argument_unknown"},
			"missing file":        {altTool, map[string]any{"uid": 999999, "alternative": "x"}, "not_available"},
			"file out of reach":   {altTool, map[string]any{"uid": 43, "alternative": "x"}, "not_available"},
			"markup":              {altTool, map[string]any{"uid": fileLake, "alternative": "<b>x</b>"}, "value_html"},
			"wrong type":          {altTool, map[string]any{"uid": "23", "alternative": "x"}, "argument_type"},
			"a list":              {altTool, []any{1}, "arguments_not_object"},
			"forged proposal":     {"get_proposal", map[string]any{"proposal": "01a23207-de6f-7f30-8fa9-41ae0659420c"}, "proposal_not_found"},
			"foreign proposal":    {"get_proposal", map[string]any{"proposal": foreign.Proposal}, "proposal_not_found"},
			"own run, no agent's": {"get_proposal", map[string]any{"proposal": started}, "proposal_not_found"},
			"no id":               {"get_proposal", map[string]any{}, "proposal_arguments"},
			"more than the id":    {"get_proposal", map[string]any{"proposal": foreign.Proposal, "user": 1}, "proposal_arguments"},
			"injected":            {"get_proposal", map[string]any{"proposal": "' OR 1=1 --"}, "proposal_not_found"},
			"no ASCII":            {"get_proposal", map[string]any{"proposal": "💥"}, "proposal_not_found"},
		} {
			if text, refused := p.use(c.tool, c.args); !refused || !strings.HasSuffix(text, "["+c.code+"]") {
				t.Errorf("%s: %v %s", name, refused, text)
			}
		}
		if list, _ := p.use("list_proposals", map[string]any{}); strings.Contains(list, foreign.Proposal) || strings.Contains(list, started) {
			t.Errorf("the list holds what is not theirs: %s", list)
		}
	})
}

func TestP11_MCP_RightsAreAskedOnEveryCall(t *testing.T) {
	eachLink(t, func(t *testing.T, s *service, l link) {
		secret, id := s.tokenOf(editorUID)
		p := s.agent(l, secret)
		args := map[string]any{"uid": fileLake, "alternative": "First, over " + l.name}
		if made := p.ask(altTool, args); made.State != "waiting" {
			t.Fatalf("%+v", made)
		}
		uri := fmt.Sprintf("typo3-file://%d", fileLake)
		read := func() error {
			_, err := p.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
			return err
		}
		if err := read(); err != nil {
			t.Fatal(err)
		}
		// The user loses their groups between two calls, and gets them back.
		var groups string
		if err := s.site.DB.Raw("SELECT usergroup FROM be_users WHERE uid = ?", editorUID).Scan(&groups).Error; err != nil {
			t.Fatal(err)
		}
		s.exec("UPDATE be_users SET usergroup = '' WHERE uid = ?", editorUID)
		if text, refused := p.use(altTool, map[string]any{"uid": fileLake, "alternative": "Second"}); !refused || !strings.Contains(text, "[not_available]") {
			t.Errorf("without groups: %s", text)
		}
		if err := read(); err == nil {
			t.Error("a file out of reach was read")
		}
		s.exec("UPDATE be_users SET usergroup = ? WHERE uid = ?", groups, editorUID)
		if err := read(); err != nil {
			t.Errorf("with groups again: %v", err)
		}
		if err := s.tokens().Revoke(t.Context(), 0, id); err != nil {
			t.Fatal(err)
		}
		_, err := p.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_proposals", Arguments: map[string]any{}})
		if err == nil || !strings.Contains(err.Error(), map[bool]string{true: "not valid", false: "Unauthorized"}[l.stdio]) {
			t.Errorf("a revoked token: %v", err)
		}
	})
}

func TestMCP_ScopesAndSwitches(t *testing.T) {
	eachLink(t, func(t *testing.T, s *service, l link) {
		names := func(p *peer) string {
			t.Helper()
			list, err := p.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, tool := range list.Tools {
				out = append(out, tool.Name)
			}
			return strings.Join(out, " ")
		}
		s.exec("UPDATE be_users SET lang = 'de' WHERE uid = ?", editorUID)
		secret, _ := s.tokenOf(editorUID, token.Read)
		reader := s.agent(l, secret)
		if got := names(reader); strings.Contains(got, altTool) || !strings.Contains(got, "get_proposal") {
			t.Errorf("a reader's tools: %s", got)
		}
		if text, refused := reader.use(altTool, map[string]any{"uid": fileLake, "alternative": "x"}); !refused || !strings.Contains(text, "[token_scope]") {
			t.Error(text)
		}
		secret, _ = s.tokenOf(editorUID, token.Propose)
		proposer := s.agent(l, secret)
		if _, err := proposer.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: fmt.Sprintf("typo3-file://%d", fileLake)}); err == nil || !strings.Contains(err.Error(), "without the scope read") {
			t.Errorf("read without the scope: %v", err)
		}
		if _, err := proposer.ListResources(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "without the scope read") {
			t.Errorf("list without the scope: %v", err)
		}
		listed := names(proposer)
		for _, tool := range []string{"search_files", "read_file_metadata", "view_file_image", "find_file_usages"} {
			if text, refused := proposer.use(tool, map[string]any{"uid": fileLake}); !refused || !strings.Contains(text, "[token_scope]") || strings.Contains(listed, tool) {
				t.Errorf("%s without the scope: %s; listed %s", tool, text, listed)
			}
		}
		list, err := proposer.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			wanted := map[string]string{altTool: "in German (de). `alternative` has at most 900 characters.", metaTool: "in German (de). `description` has at most 1800 characters."}[tool.Name]
			if !strings.Contains(tool.Description, wanted) || wanted == "" && strings.Contains(tool.Description, "German") {
				t.Errorf("%s: %s", tool.Name, tool.Description)
			}
		}
		if text, refused := proposer.use(altTool, map[string]any{"uid": fileLake, "alternative": "Nebel steht über einem stillen See"}); refused || !strings.Contains(text, `"language":"de"`) {
			t.Error(text)
		}
		if l.stdio {
			return // its settings are those of its own process
		}
		s.change(func(c *config.Settings) { c.Tools.SetFileAlternativeText = false })
		if got := names(proposer); strings.Contains(got, altTool) || !strings.Contains(got, metaTool) {
			t.Errorf("with a tool off: %s", got)
		}
		s.change(func(c *config.Settings) { c.Tools.SetFileAlternativeText = true })
	})
}

func TestMCP_HostileClientName(t *testing.T) {
	eachService(t, withAgents, func(t *testing.T, s *service) {
		secret, _ := s.tokenOf(editorUID)
		const evil = "<script>alert(1)</script>\u202e\n\"'>{{.}} approved by admin"
		for _, l := range []link{links[0], links[2]} {
			p, err := s.connect(l, secret, evil+strings.Repeat("A", 5000))
			if err != nil {
				t.Fatal(err)
			}
			made := p.ask(altTool, map[string]any{"uid": fileLake, "alternative": "A lake, over " + l.name})
			c := s.as(s.reviewer())
			for _, path := range []string{"/review/" + made.Proposal, "/api/v1/runs/" + made.Proposal} {
				body := string(c.get(path).body)
				if strings.Contains(body, "<script>alert") || strings.Contains(body, "\u202e") || strings.Contains(body, strings.Repeat("A", 100)) {
					t.Errorf("%s: the client's name is not made harmless", path)
				}
			}
			if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND model LIKE 'Test agent (%'", made.Proposal); n != 1 {
				t.Error("the token's name does not stand first")
			}
		}
		if strings.Contains(s.log.String(), "alert(1)") || strings.Contains(s.log.String(), secret) {
			t.Error("the log holds the client's words or the token (P15)")
		}
	})
}
