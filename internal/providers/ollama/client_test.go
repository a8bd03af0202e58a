package ollama_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/ollama"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/secret"
)

func TestNew_RefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]config.ProviderConfiguration{
		"vendor":     {Vendor: config.VendorOpenAI},
		"scheme":     {Vendor: config.VendorOllama, BaseURL: "ftp://x.example"},
		"user in it": {Vendor: config.VendorOllama, BaseURL: "https://me:" + providertest.CanaryKey + "@x.example"},
		"line break": {Vendor: config.VendorOllama, APIKey: secret.New(providertest.CanaryKey + "\nX-Other: 1")},
		"unreadable": {Vendor: config.VendorOllama, BaseURL: "%zz" + providertest.CanaryKey},
		"proxy":      {Vendor: config.VendorOllama, Proxy: "nowhere"},
	} {
		_, err := ollama.New("main", c)
		if err == nil || strings.Contains(err.Error(), providertest.CanaryKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ollama.New("main", config.ProviderConfiguration{Vendor: config.VendorOllama}); err != nil {
		t.Errorf("neither address nor key is needed: %v", err)
	}
}

// The address of a configuration without one is this machine's.
func TestNew_DefaultAddress(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.String()
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer proxy.Close()
	_, err := configured(t, config.ProviderConfiguration{Proxy: proxy.URL}).Complete(t.Context(), providertest.VisionRequest(t))
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.Unavailable || e.Status != 503 {
		t.Fatal(err)
	}
	if got := <-asked; got != "http://127.0.0.1:11434/api/chat" {
		t.Errorf("asked %s", got)
	}
}

func TestP15_NoKeyNoHeader(t *testing.T) {
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	t.Setenv("OLLAMA_API_KEY", "from-the-environment")
	s := providertest.NewFor(t, providertest.Ollama)
	s.Script(providertest.Text("A boat."))
	// A slash at the end is no part of the address.
	if _, err := configured(t, config.ProviderConfiguration{BaseURL: s.URL + "/"}).Complete(t.Context(), providertest.VisionRequest(t)); err != nil {
		t.Fatal(err)
	}
	r := s.Requests()[0]
	for name := range r.Header {
		switch name {
		case "Accept", "Accept-Encoding", "Content-Length", "Content-Type", "User-Agent":
		default:
			t.Errorf("header %s was sent", name)
		}
	}
	if r.Header.Get("User-Agent") != "editor-actions" || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("headers are %v", r.Header)
	}
}

// TestP15_NoKeyInPrints prints a provider in every way a log could.
func TestP15_NoKeyInPrints(t *testing.T) {
	t.Parallel()
	s := providertest.NewFor(t, providertest.Ollama)
	s.Script(providertest.Status(401))
	p := build(t, s.URL)
	_, err := p.Complete(t.Context(), providertest.VisionRequest(t))
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Error("x", "err", err, "any", fmt.Sprintf("%+v %#v %q %+v %#v", err, err, err, p, p))
	if out := log.String(); !strings.Contains(out, "auth") || strings.Contains(out, providertest.CanaryKey) || strings.Contains(out, "CANARY-BODY") {
		t.Error(out)
	}
	if e, ok := errors.AsType[*providers.Error](err); !ok || errors.Unwrap(e) != nil {
		t.Errorf("%v has a cause", err)
	}
}

// TestP15_KeyStaysOnItsHost redirects a request and looks who got the key.
func TestP15_KeyStaysOnItsHost(t *testing.T) {
	t.Parallel()
	var asked int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	s := providertest.NewFor(t, providertest.Ollama)
	for _, status := range []int{301, 302, 303, 307, 308} {
		s.Script(providertest.Redirect(status, other.URL+"/api/chat"))
		_, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t))
		if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.Configuration {
			t.Errorf("%d: %v", status, err)
		}
	}
	if asked != 0 {
		t.Errorf("the other host was asked %d times", asked)
	}
	s.Script(providertest.Redirect(308, s.URL+"/api/chat"), providertest.Text("A boat."))
	if resp, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t)); err != nil || resp.Message.Text != "A boat." {
		t.Errorf("a redirect on the same host: %v", err)
	}
}

func TestComplete_UnreachableAddress(t *testing.T) {
	t.Parallel()
	s := providertest.NewFor(t, providertest.Ollama)
	s.Close()
	_, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t))
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.Unavailable || e.Detail != "the connection was refused" {
		t.Error(err)
	}
}
