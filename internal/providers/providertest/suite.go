package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/media"
	"editor-actions/internal/providers"
)

// Timeout is what a built provider must allow one request: long enough for a busy
// machine, short enough to wait for.
const Timeout = 3 * time.Second

// CanaryKey is the key that builds for the suite use. It must show up nowhere
// but in the Authorization header.
const CanaryKey = "canary-KEY-4711-must-not-be-seen"

// Picture makes a small PNG to send.
func Picture(t testing.TB) *media.Image {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 12, 8))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	m.Set(3, 3, color.NRGBA{200, 30, 30, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	img, err := media.NewImage(b.Bytes(), media.PNG, 12, 8)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// VisionRequest is the first request of a run on file 7.
func VisionRequest(t testing.TB) providers.Request {
	t.Helper()
	return providers.Request{
		Model: "model-x", MaxOutputTokens: 500, FileName: "CANARY-FILE.jpg",
		Messages: []providers.Message{
			{Role: providers.System, Text: "You help editors."},
			{Role: providers.User, Text: "Call the tool `set_file_alternative_text` for `uid 7`."},
			{Role: providers.User, Parts: []providers.Part{{Type: providers.ImagePart, Image: Picture(t)}}},
		},
		Tools: []providers.Tool{{
			Name: "set_file_alternative_text", Description: "Set the alternative text.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"uid":{"type":"integer"},"alternative":{"type":"string"}},"required":["uid","alternative"],"additionalProperties":false}`),
		}},
	}
}

// A Fault is one way in which a provider fails, and what must come of it.
type Fault struct {
	Name   string
	Answer Answer
	Kind   providers.Kind
	Status int  // expected, 0 = not looked at
	Billed bool // usage must have been kept
}

// Faults are the cases of the suite that every wire has. Format.Faults has more.
func Faults() []Fault {
	return []Fault{
		{"400", Status(400), providers.BadRequest, 400, false},
		{"401", Status(401), providers.Auth, 401, false},
		{"402", Status(402), providers.Quota, 402, false},
		{"403", Status(403), providers.Auth, 403, false},
		{"404 model", Error(404, "model_not_found"), providers.BadRequest, 404, false},
		{"404 page", Page(404), providers.BadRequest, 404, false},
		{"408", Status(408), providers.Unavailable, 408, false},
		{"409", Status(409), providers.Unavailable, 409, false},
		{"413", Status(413), providers.TooLarge, 413, false},
		{"422", Status(422), providers.BadRequest, 422, false},
		{"429", Status(429), providers.RateLimited, 429, false},
		{"500", Status(500), providers.Unavailable, 500, false},
		{"502 page", Page(502), providers.Unavailable, 502, false},
		{"503", Status(503), providers.Unavailable, 503, false},
		{"529", Status(529), providers.Unavailable, 529, false},
		{"redirect to another host", Redirect(307, "http://redirect.invalid/v1/chat/completions"), providers.Configuration, 0, false},
		{"redirect that loses the body", Redirect(302, "/elsewhere"), providers.Configuration, 0, false},
		{"no answer", Hangup(), providers.Unavailable, 0, false},
		{"half an answer", Cut(), providers.BadAnswer, 200, false},
		{"broken JSON", Broken(), providers.BadAnswer, 200, false},
		{"page with 200", Page(200), providers.BadAnswer, 200, false},
		{"no JSON at all", Raw(""), providers.BadAnswer, 200, false},
		{"other JSON", Raw(`{"hello":"world"}`), providers.BadAnswer, 200, false},
		{"JSON list", Raw(`[1,2,3]`), providers.BadAnswer, 200, false},
		{"endless body", Drip(), providers.Timeout, 0, false},
		{"too much", Flood(8 << 20), providers.BadAnswer, 0, false},
		{"slow", Slow(4*Timeout, Text("late")), providers.Timeout, 0, false},
		{"empty", Empty("stop"), providers.EmptyAnswer, 200, true},
		{"blank", Finish("  \n ", "stop"), providers.EmptyAnswer, 200, true},
		{"reasoning ate the budget", Empty("length"), providers.Truncated, 200, true},
		{"cut at the limit", Finish("A boat on a", "length"), providers.Truncated, 200, true},
		{"content filter", Finish("A", "content_filter"), providers.Refused, 200, true},
	}
}

// Run holds a provider against the contract of providers.Provider. build makes
// it for the server at baseURL, with CanaryKey as its key, Timeout as its timeout, and
// private addresses allowed.
func Run(t *testing.T, format Format, build func(t *testing.T, baseURL string) providers.Provider) {
	t.Helper()
	start := func(t *testing.T, answers ...Answer) (*Server, providers.Provider) {
		t.Helper()
		t.Parallel()
		s := NewFor(t, format)
		s.Script(answers...)
		return s, build(t, s.URL)
	}
	t.Run("picture in, call out", func(t *testing.T) {
		s, p := start(t, Calls(Call{ID: "call_1", Name: "set_file_alternative_text", Arguments: `{"uid": 7,  "alternative":"Ein Boot"}`}))
		req := VisionRequest(t)
		resp, err := p.Complete(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if len(resp.Message.ToolCalls) != 1 || resp.Message.Role != providers.Assistant || resp.FinishReason != providers.FinishToolCalls {
			t.Fatalf("got %+v", resp)
		}
		c := resp.Message.ToolCalls[0]
		if !format.sameArguments(c.Arguments, `{"uid": 7,  "alternative":"Ein Boot"}`) || c.Malformed || c.ID == "" || c.Name != "set_file_alternative_text" {
			t.Errorf("got call %+v with %s", c, c.Arguments)
		}
		if resp.Usage.InputTokens == 0 || resp.Usage.OutputTokens == 0 || resp.Model != "scripted-vision" {
			t.Errorf("usage %+v, model %q", resp.Usage, resp.Model)
		}
		got := s.Requests()
		if len(got) != 1 || !bytes.Equal(got[0].Image(t), req.Messages[2].Parts[0].Image.Bytes()) {
			t.Errorf("%d requests, or another picture", len(got))
		}
		checkCanary(t, format, got)
	})
	for _, f := range append(Faults(), format.Faults...) {
		t.Run("fault/"+f.Name, func(t *testing.T) {
			s, p := start(t, f.Answer)
			resp, err := p.Complete(t.Context(), VisionRequest(t))
			checkFault(t, f, resp, err)
			if n := len(s.Requests()); n != 1 {
				t.Errorf("%d requests for one send: retries are not a provider's business", n)
			}
		})
	}
	t.Run("Retry-After", func(t *testing.T) {
		date := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
		_, p := start(t, Status(429, "Retry-After", "7"), Status(503, "Retry-After", date), Status(429, "Retry-After", "-3"), Status(429, "Retry-After", "soon"))
		for i, want := range [][2]time.Duration{{7 * time.Second, 7 * time.Second}, {60 * time.Second, 90 * time.Second}, {0, 0}, {0, 0}} {
			_, err := p.Complete(t.Context(), VisionRequest(t))
			e, ok := errors.AsType[*providers.Error](err)
			if !ok || e.RetryAfter < want[0] || e.RetryAfter > want[1] {
				t.Errorf("answer %d: %v", i, err)
			}
		}
	})
	t.Run("caller goes away", func(t *testing.T) {
		release := make(chan struct{})
		s, p := start(t, Hold(release, Text("late")))
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for len(s.Requests()) == 0 {
				time.Sleep(time.Millisecond) // polls what another goroutine does, with the test's own timeout as its end
			}
			cancel()
		}()
		_, err := p.Complete(ctx, VisionRequest(t))
		close(release)
		if _, ours := errors.AsType[*providers.Error](err); ours || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the caller's own end", err)
		}
	})
}

func checkFault(t *testing.T, f Fault, resp providers.Response, err error) {
	t.Helper()
	e, ok := errors.AsType[*providers.Error](err)
	if !ok {
		t.Fatalf("got %v, want a *providers.Error", err)
	}
	if e.Kind != f.Kind || !e.Kind.Valid() || (f.Status != 0 && e.Status != f.Status) {
		t.Errorf("got %v, want %s with status %d", e, f.Kind, f.Status)
	}
	if f.Billed != (resp.Usage.InputTokens > 0) {
		t.Errorf("usage %+v, billed %v", resp.Usage, f.Billed)
	}
	if e.Provider == "" {
		t.Error("the error does not name its provider")
	}
	for _, secret := range []string{CanaryKey, "CANARY-BODY", "base64", "editors"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error holds %q: %v", secret, err)
		}
	}
}

// checkCanary finds the key in the wire's own header and nowhere else.
func checkCanary(t *testing.T, f Format, requests []Request) {
	t.Helper()
	for _, r := range requests {
		if got := r.Header.Get(f.KeyHeader); got != f.KeyPrefix+CanaryKey {
			t.Errorf("%s is %q", f.KeyHeader, got)
		}
		for name, values := range r.Header {
			if !strings.EqualFold(name, f.KeyHeader) && strings.Contains(strings.Join(values, " "), CanaryKey) {
				t.Errorf("header %s holds the key", name)
			}
			if strings.HasPrefix(name, "X-Stainless") || name == "X-Goog-Api-Client" {
				t.Errorf("header %s tells about this machine", name)
			}
		}
		if got := r.Header.Get("User-Agent"); got != "editor-actions" {
			t.Errorf("User-Agent is %q", got)
		}
		if bytes.Contains(r.Body, []byte(CanaryKey)) || bytes.Contains(r.Body, []byte("CANARY-FILE")) {
			t.Error("the body holds the key or the file's name")
		}
	}
}
