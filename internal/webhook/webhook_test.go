package webhook_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/secret"
	"editor-actions/internal/webhook"
)

// receiver answers with the given statuses in turn, the last one for ever.
type receiver struct {
	mu       sync.Mutex
	statuses []int
	got      []*http.Request
	bodies   []string
	URL      string
}

func newReceiver(t *testing.T, statuses ...int) *receiver {
	r := &receiver{statuses: statuses}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.URL = server.URL + "/CANARY-path"
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(r.got), len(r.statuses)-1)
	r.got, r.bodies = append(r.got, req), append(r.bodies, string(body))
	if code := r.statuses[n]; code/100 == 3 {
		http.Redirect(w, req, "/elsewhere", code)
	} else {
		w.WriteHeader(code)
		_, _ = w.Write([]byte("CANARY-answer"))
	}
}

var moment = time.Unix(1_800_000_000, 0)

func send(t *testing.T, target webhook.Target) error {
	t.Helper()
	s := webhook.New(func() time.Time { return moment })
	t.Cleanup(func() { _ = s.Close() })
	return s.Send(t.Context(), target, webhook.Message{ID: "run-1", Type: "caches.stale", At: moment, Data: map[string]any{"tags": []string{"a"}}})
}

// The vector is the one of the specification's own tests (secret, id, timestamp, body).
func TestSignature_OfTheSpecification(t *testing.T) {
	t.Parallel()
	got := webhook.Signature(secret.New("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSend_SignsAndSendsAgain(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, 503, 429, 204)
	key := secret.New("0123456789abcdef")
	if err := send(t, webhook.Target{URL: r.URL, Secret: key, Timeout: time.Second}); err != nil {
		t.Fatal(err)
	}
	if len(r.got) != 3 {
		t.Fatalf("%d attempts", len(r.got))
	}
	for i, req := range r.got {
		if req.Method != http.MethodPost || req.Header.Get("Webhook-Id") != "run-1" || req.Header.Get("Content-Type") != "application/json" {
			t.Errorf("attempt %d: %s %v", i, req.Method, req.Header)
		}
		if want := webhook.Signature(key, "run-1", "1800000000", []byte(r.bodies[i])); req.Header.Get("Webhook-Signature") != want {
			t.Errorf("attempt %d is signed %s, want %s", i, req.Header.Get("Webhook-Signature"), want)
		}
	}
	var body struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      struct{ Tags []string }
	}
	if err := json.Unmarshal([]byte(r.bodies[0]), &body); err != nil || body.Type != "caches.stale" || !body.Timestamp.Equal(moment) || len(body.Data.Tags) != 1 {
		t.Errorf("%v %s", err, r.bodies[0])
	}
}

func TestP15_FailuresTellNothing(t *testing.T) {
	t.Parallel()
	gone, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + gone.Addr().String() + "/CANARY-path"
	_ = gone.Close()
	for name, tc := range map[string]struct {
		statuses []int
		attempts int
	}{
		"refused":   {[]int{403}, 1},
		"not there": {[]int{404}, 1},
		"redirect":  {[]int{307}, 1},
		"broken":    {[]int{500}, 3},
		"nobody":    {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := webhook.Target{URL: nobody, Secret: secret.New("CANARY-0123456789"), Timeout: time.Second}
			r := &receiver{}
			if tc.statuses != nil {
				r = newReceiver(t, tc.statuses...)
				target.URL = r.URL
			}
			err := send(t, target)
			if err == nil {
				t.Fatal("no error")
			}
			if final := tc.attempts == 1; errors.Is(err, webhook.ErrRefused) != final {
				t.Errorf("final is %v: %v", final, err)
			}
			if strings.Contains(err.Error(), "CANARY") || len(r.got) != tc.attempts {
				t.Errorf("%d attempts, want %d: %v", len(r.got), tc.attempts, err)
			}
		})
	}
}

func TestSend_SlowAndNobody(t *testing.T) {
	t.Parallel()
	if err := send(t, webhook.Target{}); err != nil {
		t.Errorf("without an address: %v", err)
	}
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	if err := send(t, webhook.Target{URL: server.URL, Timeout: 20 * time.Millisecond}); err == nil {
		t.Error("a silent receiver is no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := webhook.New(time.Now)
	if err := s.Send(ctx, webhook.Target{URL: server.URL, Timeout: time.Minute}, webhook.Message{}); err == nil {
		t.Error("a cancelled send is no error")
	}
}
