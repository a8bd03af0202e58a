package mcp_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/actions"
	"editor-actions/internal/readtools"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK runs a method outside of the request's goroutine, where a panic would end the
// whole service.
func TestGuard_APanicEndsTheCallAlone(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.text.panics = "CANARY"
	res := d.call("search_files", nil)
	if got := textOf(t, res); !res.IsError || strings.Contains(got, "CANARY") || !strings.HasSuffix(got, "[internal]") {
		t.Errorf("%v %s", res.IsError, got)
	}
	if !strings.Contains(d.logged(), `"msg":"recovered panic"`) || !strings.Contains(d.logged(), "attack_test.go") && !strings.Contains(d.logged(), "fakes_test.go") {
		t.Errorf("the operator is not told where: %s", d.logged())
	}
	d.text.panics = nil
	if got := textOf(t, d.call("search_files", nil)); got != "nothing\nfound" {
		t.Errorf("the next call: %s", got)
	}
}

// What others wrote reaches a model only as people see it, by whichever way it is read.
func TestHiddenWords_ReachNoModel(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.client("")
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) == 0 {
		t.Fatal(list, err)
	}
	read, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "typo3-file://7"})
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{
		"list, name":        list.Resources[0].Name,
		"list, description": list.Resources[0].Description,
		"read":              read.Contents[0].Text,
		"proposed":          textOf(t, d.call(actions.SetFileAlternativeText, map[string]any{"uid": 7, "alternative": "x"})),
		"proposals":         textOf(t, d.call("list_proposals", nil)),
	} {
		if !strings.Contains(got, "ab") || strings.ContainsFunc(got, func(r rune) bool { return r == 0x202e || r >= 0xE0000 }) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := read.Contents[0].Text; !strings.Contains(got, `"name":"ab .png"`) || !strings.Contains(got, `"description":"ab\nc"`) || !strings.Contains(got, readtools.SourceMaterial) {
		t.Errorf("%q", got)
	}
}

// A batch of calls that each read a large file must not hold all of them at once.
func TestGuard_AFewCallsOfATokenAtATime(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.text.hold = make(chan struct{})
	c := d.client("")
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			if got := d.told(c, "search_files"); got != "nothing\nfound" {
				t.Error(got)
			}
		})
	}
	for deadline := time.Now().Add(20 * time.Second); d.text.inside.Load() < 4 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
	}
	time.Sleep(200 * time.Millisecond)
	if n := d.text.inside.Load(); n != 4 {
		t.Errorf("%d at the same time", n)
	}
	close(d.text.hold)
	wg.Wait()
	if n := d.text.inside.Load(); n != 12 {
		t.Errorf("%d were answered", n)
	}
}
