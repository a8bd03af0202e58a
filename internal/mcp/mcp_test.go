package mcp_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/config"
	"editor-actions/internal/content"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/media"
	"editor-actions/internal/readtools"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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

// What is answered is of one user and of this moment: nobody between may keep it for others.
func TestAnswers_AreNobodyElses(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.client("")
	var got []sdk.CacheableResult
	note := func(r sdk.CacheableResult, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	tools, err := c.ListTools(t.Context(), nil)
	note(tools, err)
	list, err := c.ListResources(t.Context(), nil)
	note(list, err)
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	note(templates, err)
	for _, r := range got {
		if r.GetCacheScope() != "private" || r.GetTTLMs() != 0 {
			t.Errorf("%T may be kept: %q for %d ms", r, r.GetCacheScope(), r.GetTTLMs())
		}
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
