package providers_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/openai"
	"editor-actions/internal/providers/providertest"
)

// checkWith checks a scripted model over HTTP.
func checkWith(t *testing.T, answer providertest.Answer) providers.CheckReport {
	t.Helper()
	s := providertest.New(t)
	s.Script(answer)
	c := fixed("m")
	c.Vendor, c.BaseURL, c.PrivateNetwork, c.MaxRetries = config.VendorCompatible, s.URL, true, 3
	p := config.Providers{Default: "main", Configurations: map[string]config.ProviderConfiguration{"main": c}}
	d := providers.NewDirectory(func() *config.Settings { return &config.Settings{Providers: p} },
		func(name string, c config.ProviderConfiguration) (providers.Provider, error) {
			return openai.New(name, c)
		})
	report := d.Check(t.Context(), "", 7)
	if n := len(s.Requests()); n != 1 {
		t.Errorf("%d requests for one check", n)
	}
	return report
}

// reader is a model that really reads: it finds the word whose picture it was sent.
func reader(report func(word string) providertest.Answer) providertest.Answer {
	return func(w http.ResponseWriter, r *http.Request, req providertest.Request) {
		data, _, _ := req.Picture()
		got, err := png.Decode(bytes.NewReader(data))
		word := ""
		for _, candidate := range providers.CheckWords {
			want, errWant := providers.WordPicture(candidate)
			if err != nil || errWant != nil {
				continue
			}
			if img, err := png.Decode(bytes.NewReader(want.Bytes())); err == nil && img.Bounds() == got.Bounds() && bytes.Equal(want.Bytes(), data) {
				word = candidate
			}
		}
		report(word)(w, r, req)
	}
}

func TestCheck_AModelThatSees(t *testing.T) {
	t.Parallel()
	call := func(word string) providertest.Answer {
		args, _ := json.Marshal(map[string]string{"word": strings.ToLower(word)})
		return providertest.Calls(providertest.Call{Name: "report_word", Arguments: string(args)})
	}
	got := checkWith(t, reader(call))
	if !got.OK() || got.ModelKnown != providers.VerdictYes || got.Latency <= 0 || got.Usage.InputTokens == 0 || got.Answered != "scripted-vision" || got.Detail != "" {
		t.Errorf("%+v", got)
	}
	// It reads, but has no tools.
	got = checkWith(t, reader(func(word string) providertest.Answer { return providertest.Text("The word is " + word + ".") }))
	if got.OK() || got.Sees != providers.VerdictYes || got.Tools != providers.VerdictNo {
		t.Errorf("%+v", got)
	}
}

func TestCheck_AsksNobodyWhoCannot(t *testing.T) {
	t.Parallel()
	h := newHouse(withFallbacks(0, "second"))
	h.settings.Providers.Configurations["main"] = fixed("blind")
	if got := h.Check(t.Context(), "main", 0); got.Kind != providers.Unsupported || got.Reachable != providers.VerdictUnknown || got.Model != "blind" {
		t.Errorf("%+v", got)
	}
	if got := h.Check(t.Context(), "gone", 0); got.Kind != providers.Configuration {
		t.Errorf("%+v", got)
	}
	if h.fakes["main"].count()+h.fakes["second"].count() != 0 {
		t.Error("something was sent")
	}
}
