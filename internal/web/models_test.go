package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"editor-actions/internal/config"
)

func TestModels_CheckSaysWhatItFound(t *testing.T) {
	t.Parallel()
	f := setup(t, func(f *fixture) {
		f.settings.Providers = config.Providers{Currency: "EUR", Configurations: map[string]config.ProviderConfiguration{"main": {}, "blind": {}}}
	})
	if page := body(t, f.do(request{path: "/models", user: admin})); strings.Contains(page, "Test passed") {
		t.Error("a test that nobody made")
	}
	res := f.post(admin, "/models/check", url.Values{"name": {"main"}})
	wantStatus(t, res, http.StatusSeeOther)
	if to := res.Header.Get("Location"); to != f.base+"/models?check=main" {
		t.Fatalf("leads to %s", to)
	}
	page := body(t, f.do(request{path: "/models?check=main", user: admin}))
	for _, want := range []string{"The model sees pictures and calls tools.", "Answer after 0.8 s", "1,234\u00a0tokens read, 9\u00a0written, 0.0006\u00a0EUR", "Test passed"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	_ = f.post(admin, "/models/check", url.Values{"name": {"blind"}})
	page = body(t, f.do(request{path: "/models?check=blind", user: admin}))
	if !strings.Contains(page, "would not work") || !strings.Contains(page, "look at apiKey in the settings") || strings.Contains(page, hostile) {
		t.Error(page)
	}
}

// A second click while a test runs sends nothing.
func TestModels_OneTestAtATime(t *testing.T) {
	t.Parallel()
	f := setup(t, func(f *fixture) {
		f.settings.Providers.Configurations = map[string]config.ProviderConfiguration{"slow": {}, "main": {}}
		f.models.hold = make(chan struct{})
	})
	token := f.token(admin)
	form := url.Values{"name": {"slow"}, "token": {token}}.Encode()
	done := make(chan int)
	go func() {
		done <- f.do(request{method: "POST", path: "/models/check", user: admin, body: form}).StatusCode
	}()
	<-f.models.entered
	wantStatus(t, f.do(request{method: "POST", path: "/models/check", user: admin, body: form}), http.StatusTooManyRequests)
	wantStatus(t, f.do(request{method: "POST", path: "/models/check", user: admin, body: url.Values{"name": {"main"}, "token": {token}}.Encode()}), http.StatusSeeOther)
	close(f.models.hold)
	if code := <-done; code != http.StatusSeeOther {
		t.Errorf("the first: %d", code)
	}
	wantStatus(t, f.do(request{method: "POST", path: "/models/check", user: admin, body: form}), http.StatusSeeOther)
	if n := f.models.asked.Load(); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestModels_OnlyAdministratorsWithTheToken(t *testing.T) {
	t.Parallel()
	f := setup(t, func(f *fixture) {
		f.settings.Providers.Configurations = map[string]config.ProviderConfiguration{"main": {}}
	})
	wantStatus(t, f.post(editor, "/models/check", url.Values{"name": {"main"}}), http.StatusForbidden)
	wantStatus(t, f.post(admin, "/models/check", url.Values{"name": {"nobody"}}), http.StatusNotFound)
	wantStatus(t, f.do(request{method: http.MethodGet, path: "/models/check", user: admin}), http.StatusNotFound)
	wantStatus(t, f.do(request{method: "POST", path: "/models/check", user: admin, body: url.Values{"name": {"main"}, "token": {"forged"}}.Encode()}), http.StatusForbidden)
}
