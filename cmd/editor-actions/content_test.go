package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
	"editor-actions/internal/testsite"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Files of the data set beside the lake.
const (
	fileHours = 33 // /user_upload/opening_hours.png
	fileNotes = 29 // /user_upload/notes.txt
	fileChart = 44 // /user_upload/nested/deeper/sales_chart.png
	filePDF   = 7
)

// given is a file's content as a program got it.
type given struct {
	image []byte
	mime  string
	text  string
}

func (g given) native() bool { return g.image != nil }

func (c *client) content(uid uint64, query string) given {
	c.t.Helper()
	r := c.get(fmt.Sprintf("/api/v1/files/%d/content%s", uid, query))
	var out struct {
		Content []struct {
			Type, Text, MIMEType string
			Data                 string
		}
	}
	r.decode(&out)
	if r.code != http.StatusOK || len(out.Content) != 1 {
		c.t.Fatalf("%d: %d %.200s", uid, r.code, r.body)
	}
	b := out.Content[0]
	g := given{mime: b.MIMEType, text: b.Text}
	if b.Type == "image" {
		raw, err := base64.StdEncoding.DecodeString(b.Data)
		if err != nil {
			c.t.Fatal(err)
		}
		g.image = raw
	}
	return g
}

func (p *peer) content(uid uint64) given {
	p.t.Helper()
	res, err := p.ReadResource(p.t.Context(), &sdk.ReadResourceParams{URI: fmt.Sprintf("typo3-file://%d/content", uid)})
	if err != nil || len(res.Contents) != 1 {
		p.t.Fatalf("%d: %v", uid, err)
	}
	if res.CacheScope != "private" {
		p.t.Errorf("%d may be kept for others: %q", uid, res.CacheScope)
	}
	c := res.Contents[0]
	g := given{text: c.Text, image: c.Blob}
	if g.native() {
		g.mime = c.MIMEType
	}
	return g
}

// replace puts other bytes in place of a file of the site.
func (s *service) replace(identifier string, data []byte) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.site.Public, "fileadmin", identifier), data, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func vision(on bool) func(*config.Settings) {
	return func(c *config.Settings) { c.MCP.Vision, c.API.Vision = on, on }
}

// TestContent_E3 are rows of the table of integrations: a file's content over the model
// context protocol and over the JSON API.
func TestContent_E3(t *testing.T) {
	eachService(t, withAgents, func(t *testing.T, s *service) {
		secret, _ := s.tokenOf(editorUID)
		p, c := s.agent(links[0], secret), s.as(editorUID)

		off := p.content(fileLake)
		if off.native() || !strings.HasPrefix(off.text, `{"name":"lake_morning.jpg","media_type":"image/jpeg","size_bytes":`) {
			t.Errorf("I01: %+.120v", off)
		}
		if got := c.content(fileLake, ""); got.text != off.text {
			t.Errorf("I01: the API says something else: %.120s", got.text)
		}
		if got := c.content(fileLake, "?vision=true"); got.text != off.text || got.native() {
			t.Errorf("I05: %.120s", got.text)
		}

		s.change(vision(true))
		mcp, api := p.content(fileLake), c.content(fileLake, "?vision=true")
		if !mcp.native() || !bytes.Equal(mcp.image, api.image) || mcp.mime != "image/jpeg" || api.mime != "image/jpeg" || media.Sniff(mcp.image) != media.FormatJPEG {
			t.Errorf("I04: %s and %s, %d and %d bytes", mcp.mime, api.mime, len(mcp.image), len(api.image))
		}
		if got := c.content(fileLake, ""); got.native() {
			t.Error("I04: a picture nobody asked for")
		}
		original, err := os.ReadFile(filepath.Join(s.site.Public, "fileadmin/user_upload/lake_morning.jpg"))
		if err != nil || bytes.Equal(original, mcp.image) {
			t.Errorf("P4: the original travelled, %v", err)
		}
		s.replace("user_upload/lake_morning.jpg", testsite.Read(t, "images/jpeg_all_metadata.jpg"))
		if got := p.content(fileLake); !got.native() || bytes.Contains(got.image, []byte("Exif")) || bytes.Contains(got.image, []byte("http://ns.adobe.com")) {
			t.Error("P4: metadata of the original travelled")
		}

		want, err := os.ReadFile(filepath.Join(s.site.Public, "fileadmin/user_upload/notes.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := p.content(fileNotes), c.content(fileNotes, "?vision=true"); a.text != string(want) || b.text != string(want) {
			t.Errorf("I06: %q %q", a.text, b.text)
		}

		var z bytes.Buffer
		w := zip.NewWriter(&z)
		if f, err := w.Create("a"); err != nil {
			t.Fatal(err)
		} else if _, err := f.Write([]byte("not a picture\xff")); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		s.replace("user_upload/opening_hours.png", z.Bytes())
		if a, b := p.content(fileHours), c.content(fileHours, "?vision=true"); a.native() || b.native() || a.text != b.text {
			t.Error("I07: an archive travelled as a picture")
		}

		s.change(func(c *config.Settings) { c.Inline.MaxImageBytes = 8 })
		if a, b := p.content(fileChart), c.content(fileChart, "?vision=true"); a.native() || a.text != b.text || !strings.Contains(a.text, `"encoding":"base64"`) {
			t.Errorf("I08: %.200s", a.text)
		}
		s.change(func(c *config.Settings) { c.Inline.MaxBinaryBytes = 8 })
		if a, b := p.content(fileChart), c.content(fileChart, "?vision=true"); a.native() || a.text != b.text || !strings.Contains(a.text, `"encoding":"none"`) || strings.Contains(a.text, `"content"`) {
			t.Errorf("I09: %.200s", a.text)
		}
		s.change(func(c *config.Settings) { c.Inline = config.DefaultSettings().Inline })

		s.replace("user_upload/opening_hours.png", testsite.Read(t, "images/png_noise.png"))
		if a, b := p.content(fileHours), c.content(fileHours, "?vision=true"); !a.native() || !bytes.Equal(a.image, b.image) || len(a.image) < 100<<10 {
			t.Errorf("I10: %d bytes", len(a.image))
		}
		s.change(vision(false))
		if a := p.content(fileHours); a.native() || !strings.Contains(a.text, `"encoding":"none"`) {
			t.Errorf("I10, flag off: %.200s", a.text)
		}
		s.change(vision(true))

		// I13: one answer, before anything is looked at.
		for _, uid := range []uint64{999999, 43, 0} {
			r := c.get(fmt.Sprintf("/api/v1/files/%d/content?vision=true", uid))
			if r.code != http.StatusNotFound || r.problem() != "not_available" {
				t.Errorf("I13: %d: %d %s", uid, r.code, r.body)
			}
			if _, err := p.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: fmt.Sprintf("typo3-file://%d/content", uid)}); err == nil {
				t.Errorf("I13: %d was read", uid)
			}
		}
		for _, uid := range []uint64{fileLake, fileNotes, filePDF, fileHours, 8, 14, 19, 21, 26, 36, 40, 42, 44, 52} {
			a, b := p.content(uid), c.content(uid, "?vision=true")
			if a.native() != b.native() || a.text != b.text || !bytes.Equal(a.image, b.image) {
				t.Errorf("I15: file %d differs between MCP and API", uid)
			}
		}
	})
}

func TestMCP_E3_I11_TheFlagChangesNoList(t *testing.T) {
	eachService(t, withAgents, func(t *testing.T, s *service) {
		secret, _ := s.tokenOf(editorUID)
		p := s.agent(links[0], secret)
		lists := func() string {
			t.Helper()
			tools, err := p.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			resources, err := p.ListResources(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			templates, err := p.ListResourceTemplates(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal([]any{tools, resources, templates})
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
		off := lists()
		s.change(vision(true))
		if on := lists(); on != off {
			t.Errorf("with vision: %s\nwithout: %s", on, off)
		}
	})
}

func TestMCP_ResourcesAreTheOwnersAndPaged(t *testing.T) {
	eachLink(t, func(t *testing.T, s *service, l link) {
		secret, _ := s.tokenOf(editorUID)
		p := s.agent(l, secret)
		names := map[string]string{}
		pages := 0
		for cursor := ""; ; pages++ {
			res, err := p.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: cursor})
			if err != nil || pages > 100 {
				t.Fatalf("%d pages, %v", pages, err)
			}
			for _, r := range res.Resources {
				if names[r.URI] != "" {
					t.Errorf("%s is listed twice", r.URI)
				}
				names[r.URI] = r.Name
				if !strings.Contains(r.Description, " 1:/user_upload/") && !strings.Contains(r.Description, " 1:/group_homes/1/") { // the user's mounts
					t.Errorf("out of reach: %s", r.Description)
				}
			}
			if cursor = res.NextCursor; cursor == "" {
				break
			}
		}
		if len(names) == 0 {
			t.Fatal("nothing is listed")
		}
		for uri := range names {
			if uri == "typo3-file://3" { // its row is there, its content is not
				continue
			}
			res, err := p.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
			if err != nil || len(res.Contents) != 1 || res.Contents[0].MIMEType != "application/json" || !strings.Contains(res.Contents[0].Text, `"alternative":""`) || res.CacheScope != "private" {
				t.Errorf("%s: %v %+v", uri, err, res)
			}
		}
		for _, uri := range []string{"typo3-file://43", "typo3-file://0", "typo3-file://-1", "typo3-file://abc", "typo3-file://99999999999999999999", "typo3-file://23/../43", "typo3-file://23/secret"} {
			if res, err := p.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
				t.Errorf("%s was read: %+v", uri, res.Contents[0])
			}
		}
	})
}
