package gemini_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/gemini"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/secret"
)

func TestNew_RefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]config.ProviderConfiguration{
		"vendor":     {Vendor: config.VendorOpenAI},
		"scheme":     {Vendor: config.VendorGemini, BaseURL: "ftp://x.example"},
		"user in it": {Vendor: config.VendorGemini, BaseURL: "https://me:" + providertest.CanaryKey + "@x.example"},
		"line break": {Vendor: config.VendorGemini, APIKey: secret.New(providertest.CanaryKey + "\nX-Other: 1")},
		"unreadable": {Vendor: config.VendorGemini, BaseURL: "%zz" + providertest.CanaryKey},
	} {
		_, err := gemini.New("main", c)
		if err == nil || strings.Contains(err.Error(), providertest.CanaryKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := gemini.New("main", config.ProviderConfiguration{Vendor: config.VendorGemini, APIKey: secret.New("k")}); err != nil {
		t.Error(err)
	}
}

// seen is one request as it went over the wire.
type seen struct {
	uri    string
	header http.Header
	body   string
}

// watch records requests and answers them.
func watch(t *testing.T, answer string) (url string, requests *[]seen) {
	t.Helper()
	requests = &[]seen{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what is missing shows in the test
		*requests = append(*requests, seen{r.RequestURI, r.Header.Clone(), string(body)})
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

const boat = `{"candidates":[{"content":{"parts":[{"text":"A boat."}],"role":"model"},"finishReason":"STOP"}]}`

func TestP15_KeyIsNeverInTheAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, model, path string }{
		{"", "gemini-3.1-pro", "/v1beta/models/gemini-3.1-pro:generateContent"},
		{"/", "models/gemini-3.1-pro", "/v1beta/models/gemini-3.1-pro:generateContent"},
		{"/v1beta/", "g", "/v1beta/models/g:generateContent"},
		{"/proxy", "g", "/proxy/v1beta/models/g:generateContent"},
	} {
		url, requests := watch(t, boat)
		req := providertest.VisionRequest(t)
		req.Model = c.model
		if _, err := build(t, url+c.base).Complete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		got := (*requests)[0]
		if got.uri != c.path {
			t.Errorf("%s, %s: asked %s", c.base, c.model, got.uri)
		}
		if strings.Contains(got.uri+got.body, providertest.CanaryKey) || got.header.Get("X-Goog-Api-Key") != providertest.CanaryKey {
			t.Errorf("the key is not in its header only: %+v", got)
		}
		for name := range got.header {
			switch name {
			case "User-Agent", "X-Goog-Api-Key", "Content-Type", "Content-Length", "Accept-Encoding":
			default:
				t.Errorf("header %s is nobody's business", name)
			}
		}
	}
}

func TestComplete_ModelIsNoAddress(t *testing.T) {
	t.Parallel()
	url, requests := watch(t, boat)
	for _, model := range []string{"", "models/", "a/b", "../x", "a..b", "a?key=1", "a b", ".a", "-a", "models/models/a", "a:b", "a%2fb", "a\n", strings.Repeat("a", 129)} {
		req := providertest.VisionRequest(t)
		req.Model = model
		_, err := build(t, url).Complete(t.Context(), req)
		if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.BadRequest || e.Status != 0 {
			t.Errorf("%q: %v", model, err)
		}
	}
	if len(*requests) != 0 {
		t.Errorf("asked %+v", *requests)
	}
}

// TestP15_NoKeyInPrints prints a provider in every way a log could.
func TestP15_NoKeyInPrints(t *testing.T) {
	t.Parallel()
	s := providertest.NewFor(t, providertest.Gemini)
	s.Script(providertest.Status(401))
	p := build(t, s.URL)
	_, err := p.Complete(t.Context(), providertest.VisionRequest(t))
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Error("x", "err", err, "any", fmt.Sprintf("%+v %#v %q %+v %#v", err, err, err, p, p))
	if s := out.String(); strings.Contains(s, providertest.CanaryKey) || strings.Contains(s, "CANARY-BODY") {
		t.Error(s)
	}
	if e, ok := errors.AsType[*providers.Error](err); !ok || errors.Unwrap(e) != nil {
		t.Errorf("%v has a cause", err)
	}
}

// TestP15_KeyStaysOnItsHost redirects a request and looks who got the key.
func TestP15_KeyStaysOnItsHost(t *testing.T) {
	t.Parallel()
	other, asked := watch(t, boat)
	s := providertest.NewFor(t, providertest.Gemini)
	for _, status := range []int{301, 302, 303, 307, 308} {
		s.Script(providertest.Redirect(status, other+"/v1beta/models/x:generateContent"))
		_, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t))
		if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.Configuration {
			t.Errorf("%d: %v", status, err)
		}
	}
	if len(*asked) != 0 {
		t.Errorf("the other host was asked %d times", len(*asked))
	}
	s.Script(providertest.Redirect(308, s.URL+"/v1beta/models/y:generateContent"), providertest.Text("A boat."))
	if resp, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t)); err != nil || resp.Message.Text != "A boat." {
		t.Errorf("a redirect on the same host: %v", err)
	}
	s.Script(providertest.Redirect(308, s.URL+"/v1beta/models/y:generateContent"), providertest.Hangup())
	_, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t))
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.Unavailable {
		t.Errorf("a redirect to nobody: %v", err)
	}
	requests := s.Requests()
	if last := requests[len(requests)-1]; last.Model != "y" || last.Header.Get("User-Agent") != "editor-actions" {
		t.Errorf("got %s with %v", last.Model, last.Header)
	}
}

// TestP15_EnvironmentIsNotRead: the SDK would take keys, addresses and a backend from it.
func TestP15_EnvironmentIsNotRead(t *testing.T) {
	for _, name := range []string{"GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION"} {
		t.Setenv(name, "from-the-environment")
	}
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	t.Setenv("GOOGLE_GENAI_USE_ENTERPRISE", "true")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("GOOGLE_VERTEX_BASE_URL", "http://127.0.0.1:1")
	url, requests := watch(t, boat)
	p, err := gemini.New("local", config.ProviderConfiguration{Vendor: config.VendorGemini, BaseURL: url, PrivateNetwork: true, TimeoutSeconds: 5})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Complete(t.Context(), providertest.VisionRequest(t)); err != nil {
		t.Fatal(err)
	}
	got := (*requests)[0]
	if got.uri != "/v1beta/models/model-x:generateContent" || strings.Contains(got.body, "from-the-environment") {
		t.Errorf("asked %s with %s", got.uri, got.body)
	}
	for name, v := range got.header {
		if name == "X-Goog-Api-Key" || name == "Authorization" || strings.Contains(strings.Join(v, " "), "from-the-environment") {
			t.Errorf("header %s: %v", name, v)
		}
	}
}

// The SDK would ask for the rest of an unfinished answer, and bill it.
func TestComplete_AsksOnce(t *testing.T) {
	t.Parallel()
	url, requests := watch(t, `{"candidates":[{"content":{"parts":[{"text":"A b"}],"role":"model"},"finishReason":"CONTINUATION","continuationToken":"eA=="}]}`)
	_, err := build(t, url).Complete(t.Context(), providertest.VisionRequest(t))
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.Truncated || len(*requests) != 1 {
		t.Errorf("%v after %d requests", err, len(*requests))
	}
}

func TestComplete_RetryDelayInTheBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status         int
		header, detail string
		want           time.Duration
	}{
		{429, "", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}`, 7 * time.Second},
		{503, "", `{"retryDelay":"2.5s"}`, 2500 * time.Millisecond},
		{429, "3", `{"retryDelay":"7s"}`, 3 * time.Second},
		{429, "", `{"retryDelay":"999999s"}`, time.Hour},
		{429, "", `{"retryDelay":"-7s"}`, 0},
		{429, "", `{"retryDelay":"nans"}`, 0},
		{429, "", `{"retryDelay":7}`, 0},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if c.header != "" {
				w.Header().Set("Retry-After", c.header)
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, `{"error":{"status":"RESOURCE_EXHAUSTED","details":[`+c.detail+`]}}`)
		}))
		_, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t))
		if e, ok := errors.AsType[*providers.Error](err); !ok || e.RetryAfter != c.want || e.Status != c.status {
			t.Errorf("%s: %v", c.detail, err)
		}
		s.Close()
	}
}

// A request that is larger than the vendor takes is refused here, and no byte is sent.
func TestComplete_TooLargeIsNotSent(t *testing.T) {
	t.Parallel()
	s := providertest.NewFor(t, providertest.Gemini)
	m := image.NewNRGBA(image.Rect(0, 0, 2200, 2000))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	img, err := media.NewImage(b.Bytes(), media.PNG, 2200, 2000)
	if err != nil {
		t.Fatal(err)
	}
	req := providertest.VisionRequest(t)
	req.Messages[2].Parts[0].Image = img
	_, err = build(t, s.URL).Complete(t.Context(), req)
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.TooLarge || len(s.Requests()) != 0 {
		t.Errorf("%v after %d requests", err, len(s.Requests()))
	}
}

func TestComplete_UnreachableAddress(t *testing.T) {
	t.Parallel()
	s := providertest.NewFor(t, providertest.Gemini)
	s.Close()
	_, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t))
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.Unavailable || e.Detail != "the connection was refused" {
		t.Error(err)
	}
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	defer tls.Close()
	_, err = build(t, tls.URL).Complete(t.Context(), providertest.VisionRequest(t))
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.Configuration {
		t.Error(err)
	}
}

// FuzzAnswer: whatever a provider answers is an answer that can be kept and given
// back, or a typed error.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(boat))
	f.Add([]byte(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"x","args":{"uid":7}},"thoughtSignature":"eA=="}]},"finishReason":"STOP"}]}`))
	f.Add([]byte(`{"candidates":[{"content":{"parts":[null,{"text":"x"},{"functionCall":{"name":"x","args":[1]}}]}}]}`))
	f.Add([]byte(`{"promptFeedback":{"blockReason":"SAFETY"}}`))
	f.Add([]byte(`{"candidates":"none","usageMetadata":[]}`))
	f.Add([]byte(`{"error":{"code":429}}`))
	f.Add([]byte("\xff{}"))
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	f.Cleanup(server.Close)
	p := build(f, server.URL)
	f.Fuzz(func(t *testing.T, b []byte) {
		body = b
		req := providertest.VisionRequest(t)
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
		req.Messages = append(req.Messages, resp.Message)
		for _, c := range resp.Message.ToolCalls {
			req.Messages = append(req.Messages, providers.Message{Role: providers.ToolRole, ToolCallID: c.ID, ToolName: c.Name, Text: "x"})
		}
		_, err = p.Complete(t.Context(), req)
		if err != nil {
			t.Fatalf("an answer that cannot be given back: %v", err)
		}
	})
}
