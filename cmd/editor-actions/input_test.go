package main

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/testsite"
)

func (c *client) postForm(path string, form url.Values) reply {
	c.t.Helper()
	if form == nil {
		form = url.Values{}
	}
	if !form.Has("token") {
		form.Set("token", c.token)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return c.do(req)
}

func TestInput_StartRefusesNonsense(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		for name, body := range map[string]string{
			"uid 0":          `{"action":"suggest_alternative_text","table":"sys_file","uid":0}`,
			"uid 2^63":       `{"action":"suggest_alternative_text","table":"sys_file","uid":9223372036854775808}`,
			"uid negative":   `{"action":"suggest_alternative_text","table":"sys_file","uid":-1}`,
			"uid a string":   `{"action":"suggest_alternative_text","table":"sys_file","uid":"23"}`,
			"uid a fraction": `{"action":"suggest_alternative_text","table":"sys_file","uid":23.5}`,
			"unknown action": `{"action":"delete_everything","table":"sys_file","uid":23}`,
			"other table":    `{"action":"suggest_alternative_text","table":"be_users","uid":1}`,
			"unknown member": `{"action":"suggest_alternative_text","table":"sys_file","uid":23,"tool":"x"}`,
			"two values":     `{"action":"suggest_alternative_text","table":"sys_file","uid":23}{}`,
			"no JSON":        `<html>`,
			"empty":          ``,
			"1 MB note":      `{"action":"suggest_alternative_text","table":"sys_file","uid":23,"note":"` + strings.Repeat("n", 1<<20) + `"}`,
		} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.base+"/api/v1/runs", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("X-EA-Token", c.token)
			req.Header.Set("Idempotency-Key", "input-test-0001")
			r := c.do(req)
			if r.code < 400 || r.code >= 500 || r.problem() == "" {
				t.Errorf("%s: %d %s", name, r.code, r.body)
			}
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != 0 {
			t.Errorf("%d runs", n)
		}
	})
}

func TestInput_DoubleClickMakesOneRun(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		a := c.postKey("/api/v1/runs", "double-click-01", startBody(suggestAlternative, fileLake, ""))
		b := c.postKey("/api/v1/runs", "double-click-01", startBody(suggestAlternative, fileLake, ""))
		var one, two apiRun
		a.decode(&one)
		b.decode(&two)
		if one.ID == "" || one.ID != two.ID || s.count("SELECT COUNT(*) FROM tx_editoractions_run") != 1 {
			t.Errorf("%s and %s", one.ID, two.ID)
		}
	})
}

func TestInput_ForgedAndExpired(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		forged := *c
		forged.token = "x"
		if r := forged.post("/api/v1/runs", startBody(suggestAlternative, fileLake, "")); r.code != http.StatusForbidden || r.problem() != "form_token" {
			t.Errorf("wrong token: %d %s", r.code, r.body)
		}
		if r := c.postForm("/actions/start", url.Values{"token": {""}, "action": {suggestAlternative}, "table": {"sys_file"}, "uid": {"23"}}); r.code != http.StatusForbidden {
			t.Errorf("form without token: %d", r.code)
		}
		other := s.as(adminUID)
		forged.token = other.token
		if r := forged.post("/api/v1/runs", startBody(suggestAlternative, fileLake, "")); r.code != http.StatusForbidden {
			t.Errorf("somebody else's token: %d", r.code)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.base+"/api/v1/runs", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", "https://evil.example")
		req.Header.Set("Sec-Fetch-Site", "cross-site")
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-EA-Token", c.token)
		if r := c.do(req); r.code != http.StatusForbidden {
			t.Errorf("cross origin: %d", r.code)
		}
		s.exec("UPDATE be_sessions SET ses_tstamp = 1")
		if r := c.post("/api/v1/runs", startBody(suggestAlternative, fileLake, "")); r.code != http.StatusUnauthorized {
			t.Errorf("expired session: %d %s", r.code, r.body)
		}
		anonymous := &client{t: t, base: s.url}
		if r := anonymous.get("/api/v1/review"); r.code != http.StatusUnauthorized {
			t.Errorf("nobody: %d", r.code)
		}
		if s.count("SELECT COUNT(*) FROM tx_editoractions_run") != 0 {
			t.Error("a run was made")
		}
	})
}

func TestInput_ImageDeletedBetweenClickAndRun(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Agent.Workers = 1 }, func(t *testing.T, s *service) {
		release := make(chan struct{})
		s.model.Script(providertest.Hold(release, providertest.Text("busy")))
		c := s.as(editorUID)
		first := c.begin(suggestAlternative, fileSunset, "")
		c.await(first, "running")
		id := c.begin(suggestAlternative, fileLake, "") // waits for the only worker
		if err := os.Remove(filepath.Join(s.site.Public, "fileadmin", lakeIdentifier)); err != nil {
			t.Fatal(err)
		}
		sent := len(s.model.Requests())
		close(release)
		run := c.await(id, "failed", "waiting", "completed")
		if run.Status != "failed" || run.Reason != "file_gone" {
			t.Errorf("run is %s because %s", run.Status, run.Reason)
		}
		if len(s.model.Requests()) != sent {
			t.Error("the picture of a deleted file was sent")
		}
	})
}

// command runs a subcommand in this process.
func command(t *testing.T, env map[string]string, args ...string) (int, string, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, func(name string) (string, bool) { v, ok := env[name]; return v, ok }, &out, &errs)
	return code, out.String(), errs.String()
}

func settingsFile(t *testing.T, yaml string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "site.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInput_BrokenStarts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		yaml string
		args []string
		want []string
	}{
		"unknown key":          {"vision:\n  maxImageEdgee: 3\n", []string{"check-config"}, []string{"site.yaml:2", "vision.maxImageEdgee", "is not a known key"}},
		"all at once":          {"vision: {maxImageEdge: 9}\nagent: {maxTurns: x}\nnonsense: 1\n", []string{"check-config"}, []string{"agent.maxTurns", "nonsense"}},
		"bad value":            {"vision: {maxImageEdge: 9}\n", []string{"check-config"}, []string{"site.yaml:1", "vision.maxImageEdge", "64 to 4096"}},
		"wrong key length":     {"typo3: {encryptionKey: abc}\n", []string{"check-config"}, []string{"typo3.encryptionKey", "96 hex digits"}},
		"unreachable database": {"typo3: {dsn: 'mysql://u:pass-CANARY@127.0.0.1:1/x'}\n", []string{"serve"}, []string{"typo3.dsn", "cannot be reached"}},
		"no database":          {"", []string{"serve"}, []string{"typo3.dsn is not set"}},
		"demo on MariaDB":      {"typo3: {dsn: 'mysql://u@127.0.0.1:1/x'}\nserver: {signIn: demo}\n", []string{"serve"}, []string{"server.signIn", "SQLite only"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, _, errs := command(t, nil, append([]string{"--config", settingsFile(t, tc.yaml)}, tc.args...)...)
			if code == 0 {
				t.Fatal("succeeded")
			}
			for _, w := range tc.want {
				if !strings.Contains(errs, w) {
					t.Errorf("%q does not say %q", errs, w)
				}
			}
			if strings.Contains(errs, "CANARY") {
				t.Error("the password is printed")
			}
		})
	}
}

func TestInput_MissingTableNamesTheNextStep(t *testing.T) {
	t.Parallel()
	site := testsite.SQLite(t)
	if err := site.DB.Exec("DROP TABLE tx_editoractions_migration").Error; err != nil {
		t.Fatal(err)
	}
	code, _, errs := command(t, nil, "serve", "--config", settingsFile(t, "typo3: {dsn: '"+site.DSN+"'}\n"))
	if code == 0 || !strings.Contains(errs, "editor-actions migrate") {
		t.Errorf("%d %q", code, errs)
	}
}

func TestInput_WrongUsage(t *testing.T) {
	t.Parallel()
	if code, _, _ := command(t, nil, "inspect", "access"); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
	if code, _, _ := command(t, nil, "--nonsense"); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
}
