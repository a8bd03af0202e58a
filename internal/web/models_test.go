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
	res := f.post(admin, "/models/check", url.Values{"name": {"main"}})
	wantStatus(t, res, http.StatusOK)
	for _, want := range []string{"The model sees pictures and calls tools.", "812 ms", "1,234 tokens read, 9 written, 0.0006 EUR"} {
		if page := body(t, f.post(admin, "/models/check", url.Values{"name": {"main"}})); !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	page := body(t, f.post(admin, "/models/check", url.Values{"name": {"blind"}}))
	if !strings.Contains(page, "would not work") || !strings.Contains(page, "The provider refused the key") || strings.Contains(page, hostile) {
		t.Error(page)
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
