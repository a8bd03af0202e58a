package wire_test

import (
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"
	"editor-actions/internal/secret"
)

var quiet = log.New(io.Discard, "", 0)

// local reaches servers of tests.
var local = config.ProviderConfiguration{PrivateNetwork: true, Proxy: config.ProxyDirect}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = quiet
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// zipped answers with n bytes that are compressed on the way.
func zipped(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(make([]byte, n))
		_ = z.Close()
	}
}

func TestNewClient_OwnAuthority(t *testing.T) {
	t.Parallel()
	r, s, file := tlsServer(t, nil)
	c := local
	_, err := ask(t, c, s.URL)
	wantKind(t, "without caFile", err, providers.Configuration, "not trusted")
	if got := r.requests(); len(got) != 0 {
		t.Errorf("the server was asked %v", got)
	}
	c.CAFile = file
	if body, err := ask(t, c, s.URL); err != nil || body != "recorded" {
		t.Errorf("with caFile: %q, %v", body, err)
	}
	_, err = ask(t, c, strings.Replace(s.URL, "127.0.0.1", "localhost", 1))
	wantKind(t, "another name", err, providers.Configuration, "another name")
}

func TestNewClient_UselessCAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"empty.pem": "", "words.pem": "no certificate", "broken.pem": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := wire.NewClient(config.ProviderConfiguration{CAFile: file}); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, file := range []string{filepath.Join(dir, "missing.pem"), dir} {
		if _, err := wire.NewClient(config.ProviderConfiguration{CAFile: file}); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestNewClient_OldTLSIsRefused(t *testing.T) {
	t.Parallel()
	for version, works := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		r, s, file := tlsServer(t, &tls.Config{MinVersion: version, MaxVersion: version})
		c := local
		c.CAFile = file
		_, err := ask(t, c, s.URL)
		if works != (err == nil) || works != (len(r.requests()) == 1) {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
	}
}

func TestNewClient_AnswersAreBounded(t *testing.T) {
	t.Parallel()
	declared := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(wire.MaxAnswerBytes+1))
		w.(http.Flusher).Flush()
		<-r.Context().Done() // no byte of it is needed to refuse it
	})
	_, err := ask(t, local, declared)
	wantKind(t, "declared", err, providers.BadAnswer, "larger than")
	written := make(chan int, 1)
	endless := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk, n := make([]byte, 64<<10), 0
		for n < 100*wire.MaxAnswerBytes {
			m, err := w.Write(chunk)
			if n += m; err != nil {
				break
			}
		}
		written <- n
	})
	_, err = ask(t, local, endless)
	wantKind(t, "endless", err, providers.BadAnswer, "larger than")
	if n := <-written; n >= 100*wire.MaxAnswerBytes {
		t.Errorf("%d bytes were taken", n)
	}
	for _, length := range []bool{true, false} {
		whole := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if length {
				w.Header().Set("Content-Length", strconv.Itoa(wire.MaxAnswerBytes))
			}
			_, _ = w.Write(make([]byte, wire.MaxAnswerBytes))
		})
		if body, err := ask(t, local, whole); err != nil || len(body) != wire.MaxAnswerBytes {
			t.Errorf("the largest answer: %d bytes, %v", len(body), err)
		}
	}
}

// A compressed answer is bounded by what comes out of it.
func TestNewClient_BombIsBounded(t *testing.T) {
	t.Parallel()
	bomb := serve(t, zipped(wire.MaxAnswerBytes+1))
	_, err := ask(t, local, bomb)
	wantKind(t, "bomb", err, providers.BadAnswer, "larger than")
	if body, err := ask(t, local, serve(t, zipped(1000))); err != nil || len(body) != 1000 {
		t.Errorf("a small one: %d bytes, %v", len(body), err)
	}
}

func TestP15_RedirectsStayOnTheirHost(t *testing.T) {
	t.Parallel()
	other, secure := record(t), &recorder{}
	s := httptest.NewTLSServer(secure)
	t.Cleanup(s.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{other.URL + "/x", s.URL + "/x", "https:/x"} { // the last one is the same host with TLS
			from := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", strings.Replace(to, "https:/x", "https://"+r.Host+"/x", 1))
				w.WriteHeader(status)
			})
			_, err := ask(t, local, from)
			wantKind(t, fmt.Sprintf("%d to %s", status, to), err, providers.Configuration, "redirects")
		}
	}
	if a, b := other.requests(), secure.requests(); len(a)+len(b) != 0 {
		t.Errorf("other hosts were asked %v %v", a, b)
	}
}

func TestNewClient_RedirectsOnTheSameHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status, hops int
		works        bool
	}{
		{307, 1, true},
		{308, 1, true},
		{308, 3, true},
		{308, 4, false},
		{301, 1, false}, // would become a GET without the picture
		{302, 1, false},
		{303, 1, false},
	} {
		var bodies []string
		hops := 0
		address := serve(t, func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			bodies = append(bodies, r.Method+" "+string(b))
			if hops++; hops <= c.hops {
				w.Header().Set("Location", "/again")
				w.WriteHeader(c.status)
			}
		})
		_, err := ask(t, local, address)
		if !c.works {
			wantKind(t, fmt.Sprint(c.status), err, providers.Configuration, "redirects")
			continue
		}
		if err != nil || len(bodies) != c.hops+1 || bodies[c.hops] != "POST a picture" {
			t.Errorf("%d, %d times: %v, %v", c.status, c.hops, bodies, err)
		}
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, key, want string }{
		{"", "", config.ShippedAddress[config.VendorGroq]},
		{"http://x.example:8080/v1//", "k", "http://x.example:8080/v1"},
		{"ftp://x.example", "", ""},
		{"x.example/v1", "", ""},
		{"https:///v1", "", ""},
		{"https://me:" + key + "@x.example", "", ""},
		{"%zz" + key, "", ""},
		{"https://x.example", key + "\n", ""},
		{"https://x.example", key + "\u00a0", ""},
		{"https://x.example", key + "\x00", ""},
	} {
		got, err := wire.Address("main", config.ProviderConfiguration{Vendor: config.VendorGroq, BaseURL: c.base, APIKey: secret.New(c.key)})
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q: got %q, %v", c.base, got, err)
		}
		if err != nil && (strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "main")) {
			t.Errorf("%q: %v", c.base, err)
		}
	}
}

func TestAddress_NoneShipped(t *testing.T) {
	t.Parallel()
	if got, err := wire.Address("main", config.ProviderConfiguration{Vendor: config.VendorCompatible}); err == nil {
		t.Errorf("got %q", got)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int]time.Duration{0: wire.DefaultTimeout, -1: wire.DefaultTimeout, 7: 7 * time.Second} {
		if got := wire.Timeout(config.ProviderConfiguration{TimeoutSeconds: seconds}); got != want {
			t.Errorf("%d: got %s", seconds, got)
		}
	}
}
