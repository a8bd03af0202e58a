package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"editor-actions/internal/config"
)

var shownSecret = regexp.MustCompile(`value="(eact_[0-9a-f]{64})"`)

// A person makes a token on the page: it works at once, with their rights and no more, and
// not for another minute after they revoked it. The secret is in that one answer alone.
func TestTokens_MadeOnThePage(t *testing.T) {
	eachService(t, func(c *config.Settings) { withAgents(c); c.MCP.SelfService = true }, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		form := url.Values{"token": {c.token}, "key": {"a-form-of-the-page"}, "name": {"From the page"}, "scope": {"read"}, "days": {"7"}}
		made := c.postForm("/tokens", form)
		secret := shownSecret.FindSubmatch(made.body)
		if made.code != http.StatusOK || secret == nil {
			t.Fatalf("%d %s", made.code, made.body)
		}
		good := map[string]string{"Authorization": "Bearer " + string(secret[1])}
		r := s.raw("POST", pingBody, good)
		if r.code != http.StatusOK || strings.Contains(string(r.body), altTool) || !strings.Contains(string(r.body), "search_files") {
			t.Errorf("a token that only looks: %d %s", r.code, r.body)
		}
		if page := c.get("/tokens"); strings.Contains(string(page.body), string(secret[1])) || !strings.Contains(string(page.body), "From the page") {
			t.Error("the list")
		}
		if again := c.postForm("/tokens", form); again.code != http.StatusConflict {
			t.Errorf("the form after the token was used: %d", again.code)
		}
		// A session that an administrator entered by "switch user" makes none.
		s.exec("UPDATE be_sessions SET ses_data = ? WHERE ses_userid = ?", []byte(`a:1:{s:10:"backuserid";i:1;}`), editorUID)
		form.Set("key", "another-form")
		if r := c.postForm("/tokens", form); r.code != http.StatusForbidden || !strings.Contains(string(r.body), "switch user") || s.count("SELECT COUNT(*) FROM tx_editoractions_token") != 1 {
			t.Errorf("in somebody else's name: %d", r.code)
		}
		id := ""
		if err := s.site.DB.Raw("SELECT id FROM tx_editoractions_token").Scan(&id).Error; err != nil {
			t.Fatal(err)
		}
		stranger := s.as(11)
		if r := stranger.postForm("/tokens/revoke", url.Values{"token": {stranger.token}, "id": {id}}); r.code != http.StatusNotFound {
			t.Errorf("a stranger: %d", r.code)
		}
		if r := c.postForm("/tokens/revoke", url.Values{"token": {c.token}, "id": {id}}); r.code != http.StatusSeeOther {
			t.Errorf("the owner: %d", r.code)
		}
		if r := s.raw("POST", pingBody, good); r.code != http.StatusUnauthorized {
			t.Errorf("after it was revoked: %d", r.code)
		}
		if strings.Contains(s.log.String(), string(secret[1])) {
			t.Error("the log holds the secret (P15)")
		}
	})
}

// mcp.enabled holds for a running service: off is off with the next call, and on again on.
func TestMCP_SwitchedOffWhileItRuns(t *testing.T) {
	eachService(t, withAgents, func(t *testing.T, s *service) {
		secret, _ := s.tokenOf(editorUID)
		good := map[string]string{"Authorization": "Bearer " + secret}
		for _, on := range []bool{true, false, true} {
			s.change(func(c *config.Settings) { c.MCP.Enabled = on })
			want := http.StatusNotFound
			if on {
				want = http.StatusOK
			}
			if r := s.raw("POST", pingBody, good); r.code != want {
				t.Errorf("enabled %t: %d %s", on, r.code, r.body)
			}
		}
	})
}
