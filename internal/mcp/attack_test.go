package mcp_test

import (
	"strings"
	"testing"
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
