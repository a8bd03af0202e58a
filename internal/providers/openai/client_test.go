package openai_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/openai"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/secret"
)

func TestNew_RefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]config.ProviderConfiguration{
		"vendor":     {Vendor: config.VendorDemo},
		"no address": {Vendor: config.VendorCompatible},
		"scheme":     {Vendor: config.VendorCompatible, BaseURL: "ftp://x.example/v1"},
		"user in it": {Vendor: config.VendorCompatible, BaseURL: "https://me:" + providertest.CanaryKey + "@x.example/v1"},
		"line break": {Vendor: config.VendorOpenAI, APIKey: secret.New(providertest.CanaryKey + "\nX-Other: 1")},
		"unreadable": {Vendor: config.VendorCompatible, BaseURL: "%zz" + providertest.CanaryKey},
	} {
		_, err := openai.New("main", c)
		if err == nil || strings.Contains(err.Error(), providertest.CanaryKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, v := range vendors[:4] {
		if _, err := openai.New("main", config.ProviderConfiguration{Vendor: v, APIKey: secret.New("k")}); err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
}

// TestP15_NoKeyInPrints prints a provider in every way a log could.
func TestP15_NoKeyInPrints(t *testing.T) {
	t.Parallel()
	s := providertest.New(t)
	s.Script(providertest.Status(401))
	p := build(t, config.VendorOpenAI, s.URL)
	_, err := p.Complete(t.Context(), providertest.VisionRequest(t))
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Error("x", "err", err, "any", fmt.Sprintf("%+v %#v %q", err, err, err))
	if out := log.String(); strings.Contains(out, providertest.CanaryKey) || strings.Contains(out, "CANARY-BODY") {
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
	s := providertest.New(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		s.Script(providertest.Redirect(status, other.URL+"/v1/chat/completions"))
		if _, err := build(t, config.VendorCompatible, s.URL).Complete(t.Context(), providertest.VisionRequest(t)); err == nil {
			t.Errorf("%d was followed", status)
		}
	}
	if asked != 0 {
		t.Errorf("the other host was asked %d times", asked)
	}
	s.Script(providertest.Redirect(308, s.URL+"/chat/completions"), providertest.Text("A boat."))
	if resp, err := build(t, config.VendorCompatible, s.URL).Complete(t.Context(), providertest.VisionRequest(t)); err != nil || resp.Message.Text != "A boat." {
		t.Errorf("a redirect on the same host: %v", err)
	}
}

// TestP15_EnvironmentIsNotRead: the SDK would take keys and organisations from it.
func TestP15_EnvironmentIsNotRead(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"} {
		t.Setenv(name, "from-the-environment")
	}
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-From: from-the-environment")
	s := providertest.New(t)
	p, err := openai.New("local", config.ProviderConfiguration{Vendor: config.VendorCompatible, BaseURL: s.URL, PrivateNetwork: true, TimeoutSeconds: 5})
	if err != nil {
		t.Fatal(err)
	}
	s.Script(providertest.Text("A boat."))
	if _, err := p.Complete(t.Context(), providertest.VisionRequest(t)); err != nil {
		t.Fatal(err)
	}
	for name, v := range s.Requests()[0].Header {
		if name == "Authorization" || strings.Contains(strings.Join(v, " "), "from-the-environment") {
			t.Errorf("header %s: %v", name, v)
		}
	}
}

// A request that is larger than the vendor takes is refused here, and no byte is sent.
func TestComplete_TooLargeIsNotSent(t *testing.T) {
	t.Parallel()
	s := providertest.New(t)
	m := image.NewNRGBA(image.Rect(0, 0, 1100, 1000))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	img, err := media.NewImage(b.Bytes(), media.PNG, 1100, 1000)
	if err != nil {
		t.Fatal(err)
	}
	req := providertest.VisionRequest(t)
	req.Messages[2].Parts[0].Image = img
	_, err = build(t, config.VendorGroq, s.URL).Complete(t.Context(), req)
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.TooLarge || len(s.Requests()) != 0 {
		t.Errorf("%v after %d requests", err, len(s.Requests()))
	}
}

func TestComplete_UnreachableAddress(t *testing.T) {
	t.Parallel()
	s := providertest.New(t)
	s.Close()
	_, err := build(t, config.VendorCompatible, s.URL).Complete(t.Context(), providertest.VisionRequest(t))
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.Unavailable || e.Detail != "the connection was refused" {
		t.Error(err)
	}
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	defer tls.Close()
	tls.Config.ErrorLog = nil
	_, err = build(t, config.VendorCompatible, tls.URL+"/v1").Complete(t.Context(), providertest.VisionRequest(t))
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.Configuration {
		t.Error(err)
	}
}

// FuzzAnswer: whatever a provider answers is an answer or a typed error.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"A boat."},"finish_reason":"stop"}]}`))
	f.Add([]byte(`{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{}"}}]}}]}`))
	f.Add([]byte(`{"error":{"code":429}}`))
	f.Add([]byte("\xff{}"))
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	f.Cleanup(server.Close)
	p := build(f, config.VendorCompatible, server.URL)
	req := providertest.VisionRequest(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		body = b
		resp, err := p.Complete(t.Context(), req)
		if err != nil {
			if e, ok := errors.AsType[*providers.Error](err); !ok || !e.Kind.Valid() {
				t.Fatalf("%v", err)
			}
			return
		}
		if _, err := providers.EncodeTranscript([]providers.Message{resp.Message}); err != nil {
			t.Fatalf("an answer that cannot be kept: %v", err)
		}
	})
}
