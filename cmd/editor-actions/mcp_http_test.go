package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const pingBody = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`

// raw sends one request to /mcp as it is.
func (s *service) raw(method, body string, header map[string]string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/mcp", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range header {
		if k == "Host" {
			req.Host = v
			continue
		}
		req.Header.Set(k, v)
	}
	return (&client{t: s.t, base: s.url}).do(req)
}

func TestMCP_HTTP_OnlyATokenInTheHeaderCounts(t *testing.T) {
	eachService(t, withAgents, func(t *testing.T, s *service) {
		secret, _ := s.tokenOf(editorUID)
		session := s.as(editorUID)
		good := "Bearer " + secret
		if r := s.raw("POST", pingBody, map[string]string{"Authorization": good}); r.code != http.StatusOK || !strings.Contains(string(r.body), altTool) {
			t.Fatalf("%d %s", r.code, r.body)
		}
		var first []byte
		for name, header := range map[string]map[string]string{
			"none":                 {},
			"another kind":         {"Authorization": "Basic " + secret},
			"wrong":                {"Authorization": "Bearer eact_" + strings.Repeat("0", 64)},
			"empty":                {"Authorization": "Bearer "},
			"no shape":             {"Authorization": "Bearer x"},
			"the session's cookie": {"Cookie": session.cookie.Name + "=" + session.cookie.Value},
			"the form token":       {"Cookie": session.cookie.Name + "=" + session.cookie.Value, "X-EA-Token": session.token},
		} {
			r := s.raw("POST", pingBody, header)
			if r.code != http.StatusUnauthorized || !strings.HasPrefix(r.header.Get("WWW-Authenticate"), `Bearer realm="editor-actions"`) {
				t.Errorf("%s: %d %s", name, r.code, r.body)
			}
			if first == nil {
				first = r.body
			}
			if !bytes.Equal(first, r.body) {
				t.Errorf("%s: another body: %s", name, r.body)
			}
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mcp?access_token="+secret, strings.NewReader(pingBody))
		if err != nil {
			t.Fatal(err)
		}
		if r := session.do(req); r.code != http.StatusUnauthorized {
			t.Errorf("a token in the address: %d", r.code)
		}
		// And a token opens nothing else.
		req, _ = http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1/session", nil)
		req.Header.Set("Authorization", good)
		if r := (&client{t: t, base: s.url}).do(req); r.code != http.StatusUnauthorized {
			t.Errorf("the API took a token: %d", r.code)
		}
		s.change(func(c *config.Settings) { c.TYPO3.IPMaskList = "203.0.113.*" })
		if r := s.raw("POST", pingBody, map[string]string{"Authorization": good}); r.code != http.StatusUnauthorized {
			t.Errorf("from an address that TYPO3 keeps out: %d", r.code)
		}
		if strings.Contains(s.log.String(), secret) || strings.Contains(s.log.String(), secret[5:20]) {
			t.Error("the log holds a token (P15)")
		}
	})
}

func TestMCP_HTTP_ForeignPagesAreRefused(t *testing.T) {
	eachService(t, func(c *config.Settings) { withAgents(c); c.Server.PublicOrigin = "https://www.example.org" }, func(t *testing.T, s *service) {
		secret, _ := s.tokenOf(editorUID)
		host := strings.TrimPrefix(s.url, "http://")
		for name, c := range map[string]struct {
			header map[string]string
			code   int
		}{
			"no browser":             {map[string]string{}, 200},
			"own page":               {map[string]string{"Origin": "https://www.example.org", "Host": "www.example.org"}, 200},
			"this machine":           {map[string]string{"Origin": s.url, "Host": host}, 200},
			"foreign page":           {map[string]string{"Origin": "https://evil.example"}, 403},
			"null":                   {map[string]string{"Origin": "null"}, 403},
			"another port":           {map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
			"a bent host name":       {map[string]string{"Origin": "http://evil.example:8080", "Host": "evil.example:8080"}, 403},
			"fetched from elsewhere": {map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
			"fetched from a sibling": {map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
			"fetched by a person":    {map[string]string{"Sec-Fetch-Site": "none"}, 200},
		} {
			c.header["Authorization"] = "Bearer " + secret
			r := s.raw("POST", pingBody, c.header)
			if r.code != c.code {
				t.Errorf("%s: %d %s", name, r.code, r.body)
			}
			if c.code == 403 && !strings.Contains(string(r.body), `"jsonrpc":"2.0"`) {
				t.Errorf("%s: refused in words that no client of the protocol reads: %s", name, r.body)
			}
		}
	})
}

func TestMCP_HTTP_MisuseIsRefusedByTheProtocol(t *testing.T) {
	eachService(t, withAgents, func(t *testing.T, s *service) {
		secret, _ := s.tokenOf(editorUID)
		auth := map[string]string{"Authorization": "Bearer " + secret}
		big := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + altTool + `","arguments":{"uid":23,"alternative":"` + strings.Repeat("x", 300<<10) + `"}}}`
		for name, c := range map[string]struct {
			method, body string
			code         int
			says         string
		}{
			"GET":              {"GET", "", 405, ""},
			"DELETE":           {"DELETE", "", 405, ""},
			"oversized":        {"POST", big, 413, ""},
			"no JSON":          {"POST", "{", 400, ""},
			"unknown method":   {"POST", `{"jsonrpc":"2.0","id":1,"method":"files/write"}`, 400, ""},
			"unknown tool":     {"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_file","arguments":{}}}`, 200, `"code":-32602`},
			"bad cursor":       {"POST", `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"x"}}`, 200, "resource_cursor"},
			"unknown resource": {"POST", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`, 200, `"error"`},
		} {
			if r := s.raw(c.method, c.body, auth); r.code != c.code || !strings.Contains(string(r.body), c.says) {
				t.Errorf("%s: %d %.300s", name, r.code, r.body)
			}
		}
		// A body without an end is cut off as well.
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mcp", io.LimitReader(endless{}, 4<<20))
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = -1
		for k, v := range map[string]string{"Authorization": auth["Authorization"], "Content-Type": "application/json", "Accept": "application/json, text/event-stream"} {
			req.Header.Set(k, v)
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			if resp.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("an endless body: %d", resp.StatusCode)
			}
			_ = resp.Body.Close()
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != 0 {
			t.Errorf("%d runs", n)
		}
	})
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestMCP_HTTP_OffByDefault(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		secret, _ := s.tokenOf(editorUID)
		if r := s.raw("POST", pingBody, map[string]string{"Authorization": "Bearer " + secret}); r.code != http.StatusNotFound {
			t.Errorf("%d %s", r.code, r.body)
		}
	})
}

func TestMCP_EachTokenHasItsPace(t *testing.T) {
	eachService(t, func(c *config.Settings) { withAgents(c); c.MCP.CallsPerMinute = 20 }, func(t *testing.T, s *service) {
		secret, _ := s.tokenOf(editorUID)
		auth := map[string]string{"Authorization": "Bearer " + secret}
		const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_proposals","arguments":{}}}`
		ok := 0
		var last reply
		for range 12 {
			if last = s.raw("POST", call, auth); !strings.Contains(string(last.body), "too_many_calls") {
				ok++
			}
		}
		if ok != 5 || !strings.Contains(string(last.body), `"isError":true`) {
			t.Errorf("%d calls passed: %s", ok, last.body)
		}
		other, _ := s.tokenOf(editorUID)
		if r := s.raw("POST", call, map[string]string{"Authorization": "Bearer " + other}); strings.Contains(string(r.body), "too_many_calls") {
			t.Error("another token is slowed down too")
		}
	})
}

// A client that stops waiting cancels the work, over either transport.
func TestMCP_CancellationReachesTheWork(t *testing.T) {
	eachService(t, withAgents, func(t *testing.T, s *service) {
		secret, _ := s.tokenOf(editorUID)
		p := s.agent(links[0], secret)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := p.CallTool(ctx, &sdk.CallToolParams{Name: altTool, Arguments: json.RawMessage(alternativeOf(fileSunset, "A hill"))})
		if err == nil {
			t.Error("a cancelled call answered")
		}
		// Nobody is held up: the next call is answered at once.
		next, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		if _, err := p.CallTool(next, &sdk.CallToolParams{Name: "list_proposals", Arguments: map[string]any{}}); err != nil {
			t.Error(err)
		}
	})
}
