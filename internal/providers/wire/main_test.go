package wire_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"
)

// environment is the proxy that the environment names. The standard library reads it
// once in a process, so it is set before the first test.
var environment *recorder

func TestMain(m *testing.M) {
	environment = newRecorder()
	for _, name := range []string{"NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		_ = os.Unsetenv(name)
	}
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		_ = os.Setenv(name, environment.URL)
	}
	code := m.Run()
	environment.Close()
	os.Exit(code)
}

// A recorder is a server, or a proxy, that writes down what it is asked.
type recorder struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
	heads []http.Header
	to    string // where a CONNECT leads, "" = nowhere
}

func newRecorder() *recorder {
	r := &recorder{}
	r.Server = httptest.NewServer(r)
	return r
}

func record(t *testing.T) *recorder {
	t.Helper()
	r := newRecorder()
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP implements http.Handler.
func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.asked, r.heads = append(r.asked, req.Method+" "+req.RequestURI), append(r.heads, req.Header.Clone())
	to := r.to
	r.mu.Unlock()
	if req.Method != http.MethodConnect {
		_, _ = io.WriteString(w, "recorded")
		return
	}
	out, err := net.Dial("tcp", to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer out.Close()
	in, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer in.Close()
	_, _ = io.WriteString(in, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(out, in) }()
	_, _ = io.Copy(in, out)
}

func (r *recorder) requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.asked...)
}

const key = "canary-KEY-4711"

// ask sends one request with a key and reads the answer.
func ask(t *testing.T, c config.ProviderConfiguration, url string) (string, error) {
	t.Helper()
	client, err := wire.NewClient(c)
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	caller := wire.Caller{Name: "main", Timeout: 10 * time.Second}
	sending, cancel := context.WithTimeoutCause(t.Context(), caller.Timeout, wire.ErrTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(sending, http.MethodPost, url, strings.NewReader("a picture"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := client.Do(req)
	if err != nil {
		return "", caller.Transport(t.Context(), sending, resp, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", caller.Transport(t.Context(), sending, resp, err)
	}
	return string(body), nil
}

// wantKind holds an error against a kind and a word of its detail.
func wantKind(t *testing.T, what string, err error, kind providers.Kind, word string) {
	t.Helper()
	e, ok := errors.AsType[*providers.Error](err)
	if !ok || e.Kind != kind || !strings.Contains(e.Detail, word) || e.Provider != "main" {
		t.Errorf("%s: got %v, want %s with %q", what, err, kind, word)
	}
}

// tlsServer is one with a certificate of its own authority, for example.com and
// 127.0.0.1; file is that authority.
func tlsServer(t *testing.T, c *tls.Config) (r *recorder, server *httptest.Server, file string) {
	t.Helper()
	r = &recorder{}
	server = httptest.NewUnstartedServer(r)
	server.TLS = c
	server.Config.ErrorLog = quiet
	server.StartTLS()
	t.Cleanup(server.Close)
	file = filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return r, server, file
}
