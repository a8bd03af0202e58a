package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/anthropic"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/secret"
)

func TestNew_RefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]config.ProviderConfiguration{
		"vendor":     {Vendor: config.VendorOpenAI},
		"no vendor":  {},
		"scheme":     {Vendor: config.VendorAnthropic, BaseURL: "ftp://x.example"},
		"user in it": {Vendor: config.VendorAnthropic, BaseURL: "https://me:" + providertest.CanaryKey + "@x.example"},
		"line break": {Vendor: config.VendorAnthropic, APIKey: secret.New(providertest.CanaryKey + "\nX-Other: 1")},
		"unreadable": {Vendor: config.VendorAnthropic, BaseURL: "%zz" + providertest.CanaryKey},
		"no CA file": {Vendor: config.VendorAnthropic, CAFile: "/does/not/exist.pem"},
	} {
		_, err := anthropic.New("main", c)
		if err == nil || strings.Contains(err.Error(), providertest.CanaryKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := anthropic.New("main", config.ProviderConfiguration{Vendor: config.VendorAnthropic, APIKey: secret.New("k")}); err != nil {
		t.Error(err)
	}
}

// TestP15_NoKeyInPrints prints an error in every way a log could.
func TestP15_NoKeyInPrints(t *testing.T) {
	t.Parallel()
	s := providertest.NewFor(t, providertest.Anthropic)
	s.Script(providertest.Status(401))
	_, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t))
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
	s := providertest.NewFor(t, providertest.Anthropic)
	for _, status := range []int{301, 302, 303, 307, 308} {
		s.Script(providertest.Redirect(status, other.URL+"/v1/messages"))
		if _, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t)); err == nil {
			t.Errorf("%d was followed", status)
		}
	}
	if asked != 0 {
		t.Errorf("the other host was asked %d times", asked)
	}
	s.Script(providertest.Redirect(308, s.URL+"/v1/messages"), providertest.Text("A boat."))
	if resp, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t)); err != nil || resp.Message.Text != "A boat." {
		t.Errorf("a redirect on the same host: %v", err)
	}
}

// TestP15_EnvironmentIsNotRead: the SDK's client would take keys, addresses, headers
// and profiles from it.
func TestP15_EnvironmentIsNotRead(t *testing.T) {
	for _, name := range []string{"API_KEY", "AUTH_TOKEN", "PROFILE", "FEDERATION_RULE_ID", "ORGANIZATION_ID", "IDENTITY_TOKEN", "WORKSPACE_ID"} {
		t.Setenv("ANTHROPIC_"+name, "from-the-environment")
	}
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-From: from-the-environment")
	s := providertest.NewFor(t, providertest.Anthropic)
	p, err := anthropic.New("local", config.ProviderConfiguration{Vendor: config.VendorAnthropic, BaseURL: s.URL, PrivateNetwork: true, TimeoutSeconds: 5})
	if err != nil {
		t.Fatal(err)
	}
	s.Script(providertest.Text("A boat."))
	if _, err := p.Complete(t.Context(), providertest.VisionRequest(t)); err != nil {
		t.Fatal(err)
	}
	for name, v := range s.Requests()[0].Header {
		if name == "Authorization" || name == "X-Api-Key" || strings.Contains(strings.Join(v, " "), "from-the-environment") {
			t.Errorf("header %s: %v", name, v)
		}
	}
}

// picture makes a PNG of about 4 bytes a pixel.
func picture(t *testing.T, width, height int) *media.Image {
	t.Helper()
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.NoCompression}
	if err := encoder.Encode(&b, image.NewNRGBA(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	img, err := media.NewImage(b.Bytes(), media.PNG, width, height)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// A request that this wire does not take is refused here, and no byte is sent.
func TestComplete_RefusedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	with := func(m providers.Message) providers.Request {
		req := providertest.VisionRequest(t)
		req.Messages[2] = m
		return req
	}
	shown := func(i *media.Image) providers.Request {
		return with(providers.Message{Role: providers.User, Parts: []providers.Part{{Type: providers.ImagePart, Image: i}}})
	}
	schema := providertest.VisionRequest(t)
	schema.Tools[0].Parameters = json.RawMessage(`[]`)
	broken := providertest.VisionRequest(t)
	broken.Tools[0].Parameters = json.RawMessage(`{"a"`)
	nothing := providertest.VisionRequest(t)
	nothing.Messages = nothing.Messages[:1]
	for name, c := range map[string]struct {
		req  providers.Request
		kind providers.Kind
	}{
		"request over 32 MB":   {with(providers.Message{Role: providers.User, Text: strings.Repeat("x", 32_000_000)}), providers.TooLarge},
		"picture of no type":   {shown(&media.Image{}), providers.BadRequest},
		"no picture":           {shown(nil), providers.BadRequest},
		"unknown part":         {with(providers.Message{Role: providers.User, Parts: []providers.Part{{Type: "video"}}}), providers.BadRequest},
		"unknown role":         {with(providers.Message{Role: "root", Text: "x"}), providers.BadRequest},
		"parts of a system":    {with(providers.Message{Role: providers.System, Parts: []providers.Part{{Type: providers.TextPart, Text: "x"}}}), providers.BadRequest},
		"parts of a result":    {with(providers.Message{Role: providers.ToolRole, Parts: []providers.Part{{Type: providers.TextPart, Text: "x"}}}), providers.BadRequest},
		"schema is a list":     {schema, providers.BadRequest},
		"schema is no JSON":    {broken, providers.BadRequest},
		"only a system prompt": {nothing, providers.BadRequest},
	} {
		s := providertest.NewFor(t, providertest.Anthropic)
		_, err := build(t, s.URL).Complete(t.Context(), c.req)
		if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != c.kind || e.Status != 0 || e.Detail == "" || len(s.Requests()) != 0 {
			t.Errorf("%s: %v after %d requests", name, err, len(s.Requests()))
		}
	}
}

// Both limits are far away for what this service sends, and no smaller one is in the way.
func TestComplete_LargeRequestsAreSent(t *testing.T) {
	t.Parallel()
	req := providertest.VisionRequest(t)
	req.MaxOutputTokens = 100_000 // the SDK would want a stream
	req.Messages[2].Parts[0].Image = picture(t, 1900, 1000)
	s := providertest.NewFor(t, providertest.Anthropic)
	s.Script(providertest.Text("A boat."))
	if _, err := buildWithin(t, s.URL, time.Minute).Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	got := s.Requests()[0]
	if !bytes.Equal(got.Image(t), req.Messages[2].Parts[0].Image.Bytes()) || sent(t, got).MaxTokens != 100_000 {
		t.Error("another picture or limit arrived")
	}
}

func TestComplete_UnreachableAddress(t *testing.T) {
	t.Parallel()
	s := providertest.NewFor(t, providertest.Anthropic)
	s.Close()
	_, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t))
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.Unavailable || e.Detail != "the connection was refused" {
		t.Error(err)
	}
}

// FuzzAnswer: whatever a provider answers is an answer or a typed error.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"type":"message","content":[{"type":"text","text":"A boat."}],"stop_reason":"end_turn"}`))
	f.Add([]byte(`{"type":"message","content":[{"type":"thinking","thinking":"\ud800","signature":"s"},{"type":"tool_use","id":"a","name":"x","input":{}}]}`))
	f.Add([]byte(`{"type":"message","content":[{"type":"text","text":"\ud800"}],"model":"\udfff","stop_reason":"end_turn"}`))
	f.Add([]byte(`{"type":"error","error":{"type":"overloaded_error"}}`))
	f.Add([]byte("\xff{}"))
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	f.Cleanup(server.Close)
	p := build(f, server.URL)
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
		if resp.Message.Raw != nil && !json.Valid(resp.Message.Raw) {
			t.Fatalf("a raw message that cannot be sent: %s", resp.Message.Raw)
		}
	})
}
