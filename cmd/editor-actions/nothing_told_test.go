package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/testsite"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// needles are what an installation must say to nobody, by what it is.
type needles map[string]string

func (s *service) needles() needles {
	s.t.Helper()
	c := s.settings.Load()
	keys, err := os.ReadFile(c.Sealing.KeysetFile)
	if err != nil {
		s.t.Fatal(err)
	}
	return needles{
		"the site's folder": s.site.Root, "the storage's folder": "fileadmin", "a file's folder": "user_upload", "the keyset's place": c.Sealing.KeysetFile,
		"the keyset": string(keys[len(keys)/2 : len(keys)/2+24]), "the provider's key": "CANARY-KEY-0123456789",
		"the encryption key": c.TYPO3.EncryptionKey.Reveal()[:24], "the database": c.TYPO3.DSN.Reveal(),
	}
}

// picture adds windows of a picture's base64, whose place in a text nobody can foresee.
func (n needles) picture(name string, data []byte) {
	if len(data) < 60 {
		return
	}
	for shift := range 3 {
		at := len(data)/2 + shift
		n[fmt.Sprintf("%s, window %d", name, shift)] = base64.StdEncoding.EncodeToString(data[at : at+24])
	}
}

// in are the needles that a text holds.
func (n needles) in(text string) (found []string) {
	for name, needle := range n {
		if strings.Contains(text, needle) {
			found = append(found, name)
		}
	}
	return found
}

// X08: a picture of a tool that fails between the round that made it and the request that
// would show it. Nobody is told pixels, a place or a secret; the operator is told why.
func TestAssistant_X08_AFailedProjectionTellsNothing(t *testing.T) {
	const where = " WHERE run_id = (SELECT id FROM tx_editoractions_run WHERE id = ?)"
	update := func(set string) func(s *service, id string) {
		return func(s *service, id string) { s.exec("UPDATE tx_editoractions_artifact SET "+set+where, id) }
	}
	cases := map[string]struct {
		tamper func(s *service, id string)
		log    string
	}{
		"other width":      {update("width = width + 1"), "it has another size"},
		"other type":       {update("mime = 'image/png'"), "it has another type"},
		"other hash":       {update("sha256 = '" + strings.Repeat("ab", 32) + "'"), "it has another hash"},
		"other source":     {update("source = 'sys_file:24'"), "it has another source"},
		"other user":       {update("acting_user = 1"), "it is of another scope"},
		"other scope":      {update("scope_hash = 'x'"), "it is of another scope"},
		"other version":    {update("version_id = 'x'"), "it has another version"},
		"damaged bytes":    {update("sealed_body = 'CANARY-KEY-0123456789'"), "state_unreadable"},
		"no bytes":         {update("sealed_body = NULL, sealed_key = NULL"), "state_unreadable"},
		"revoked":          {update("live = NULL"), "it was revoked"},
		"gone":             {func(s *service, id string) { s.exec("DELETE FROM tx_editoractions_artifact"+where, id) }, "artifact_not_found"},
		"file not visible": {func(s *service, _ string) { s.exec("UPDATE sys_file SET missing = 1 WHERE uid = ?", fileLake) }, "file 23"},
	}
	eachService(t, withAssistant, func(t *testing.T, s *service) {
		editor := s.as(editorUID)
		hidden := s.needles()
		hidden["the session"], hidden["the form token"] = editor.cookie.Value, editor.token
		for name, c := range cases {
			s.model.Reset()
			sent := len(s.model.Requests())
			release := make(chan struct{})
			s.model.Script(providertest.Calls(look("a1", fileLake)), providertest.Hold(release, providertest.Text("too late")), providertest.Text("never asked"))
			logged := len(s.log.String())
			id := editor.ask("1:/user_upload/", "Look: "+name)
			for deadline := time.Now().Add(time.Minute); len(s.model.Requests()) < sent+2 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			}
			if n, _ := lastParts(s.model.Requests()[sent+1]); n != 1 {
				t.Fatalf("%s: %d pictures before", name, n)
			}
			for _, p := range s.model.Requests()[sent+1].Messages[len(s.model.Requests()[sent+1].Messages)-1].Parts() {
				if _, data, ok := strings.Cut(p.ImageURL.URL, ";base64,"); ok {
					raw, _ := base64.StdEncoding.DecodeString(data)
					hidden.picture("the picture", raw)
				}
			}
			c.tamper(s, id)
			s.exec("UPDATE tx_editoractions_run SET lease_expires = '2020-01-01 00:00:00' WHERE id = ?", id)
			run := editor.await(id, "failed", "completed")
			close(release)
			s.exec("UPDATE sys_file SET missing = 0 WHERE uid = ?", fileLake)
			if run.Status != "failed" || run.Reason != "file_gone" || len(s.model.Requests()) != sent+2 {
				t.Errorf("%s: %+v after %d requests", name, run, len(s.model.Requests())-sent)
			}
			log := s.log.String()[logged:]
			if !strings.Contains(log, c.log) {
				t.Errorf("%s: the log does not say %q", name, c.log)
			}
			answers := ""
			for _, path := range []string{"/runs/" + id, "/api/v1/runs/" + id, "/review", "/api/v1/review"} {
				answers += string(editor.get(path).body)
			}
			if found := hidden.in(log + s.events(id)); found != nil {
				t.Errorf("%s: the log or the events hold %v", name, found)
			}
			delete(hidden, "the form token") // the pages are the session's own
			delete(hidden, "a file's folder")
			if found := hidden.in(answers); found != nil {
				t.Errorf("%s: an answer holds %v", name, found)
			}
			hidden["the form token"], hidden["a file's folder"] = editor.token, "user_upload"
		}
	})
}

// X08: reads that fail, over both ways to them.
func TestReads_X08_AFailureTellsNothing(t *testing.T) {
	lake := testsite.Read(t, "images/jpeg_all_metadata.jpg")
	file := filepath.Join("fileadmin", "user_upload", "lake_morning.jpg")
	eachService(t, func(c *config.Settings) { withAgents(c); vision(true)(c) }, func(t *testing.T, s *service) {
		secret, _ := s.tokenOf(editorUID)
		p, c := s.agent(links[0], secret), s.as(editorUID)
		hidden := s.needles()
		hidden["the token"], hidden["the session"] = secret[5:40], c.cookie.Value
		hidden.picture("the picture", lake)
		place := filepath.Join(s.site.Public, file)
		put := func(data []byte) func() {
			return func() {
				if err := os.WriteFile(place, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		in := func(do func() error) func() {
			return func() {
				if err := os.RemoveAll(place); err != nil {
					t.Fatal(err)
				}
				if err := do(); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, step := range []struct {
			name string
			do   func()
		}{
			{"half a picture", put(lake[:len(lake)/2])},
			{"a head without a picture", put(append([]byte("\x89PNG\r\n\x1a\n"), lake...))},
			{"prose", put([]byte("GIF89a CANARY-KEY-0123456789"))},
			{"gone from the disk", in(func() error { return nil })},
			{"a folder", in(func() error { return os.Mkdir(place, 0o700) })},
			{"a way out", in(func() error { return os.Symlink(s.settings.Load().Sealing.KeysetFile, place) })},
			{"too large", func() {
				in(func() error { return nil })()
				put(lake)()
				s.change(func(c *config.Settings) { c.Images.MaxFileBytes = 100 })
			}},
			{"excluded", func() { s.change(func(c *config.Settings) { c.Vision.ExcludedFolders = []string{"1:/user_upload/"} }) }},
			{"no storage", func() { s.change(func(c *config.Settings) { c.FAL.AllowedStorages = []uint32{2} }) }},
			{"a broken table of references", func() {
				s.change(func(c *config.Settings) { c.FAL.AllowedStorages, c.Vision.ExcludedFolders = []uint32{1}, nil })
				s.exec("ALTER TABLE sys_refindex RENAME TO sys_refindex_away")
			}},
			{"a broken table of files", func() { s.exec("ALTER TABLE sys_file RENAME TO sys_file_away") }},
			{"a broken table of tokens", func() { s.exec("ALTER TABLE tx_editoractions_token RENAME TO tx_editoractions_token_away") }},
		} {
			step.do()
			var answers strings.Builder
			for _, uid := range []int{fileLake, 999_999} {
				for _, tool := range []string{"view_file_image", "read_file_metadata", "find_file_usages"} {
					res, err := p.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{"uid": uid}})
					fmt.Fprintf(&answers, "%v\n", err)
					if err == nil && res.IsError { // a success may say where the file lies
						text, _ := p.use(tool, map[string]any{"uid": uid})
						answers.WriteString(text)
					}
				}
				res, err := p.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: fmt.Sprintf("typo3-file://%d/content", uid)})
				fmt.Fprintf(&answers, "%+v %v\n", res, err)
				r := c.get(fmt.Sprintf("/api/v1/files/%d/content?vision=true", uid))
				fmt.Fprintf(&answers, "%v %s", r.header, r.body)
			}
			t.Logf("%s: %s", step.name, answers.String())
			if found := hidden.in(answers.String()); found != nil {
				t.Errorf("%s: an answer holds %v", step.name, found)
			}
		}
		if found := hidden.in(s.log.String()); found != nil {
			t.Errorf("the log holds %v", found)
		}
		if log := s.log.String(); strings.Contains(log, `"reason":""`) || strings.Count(log, `"reason":"picture_not_usable"`) < 6 {
			t.Error("P3: the operator is not told why")
		}
		if r := c.get("/metrics"); r.code != 404 { // there are none; who adds some adds them to this test
			t.Errorf("metrics: %d", r.code)
		}
	})
}
