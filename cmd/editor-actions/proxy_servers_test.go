package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/testsite"
)

// webServer is a web server before the service, with the configuration that
// docs/integration.md gives for it.
type webServer struct {
	name, language, binary string
	// site is a whole configuration around SNIPPET: a TLS site on PORT with HTTP/2 whose
	// other paths are the CMS. It has what sites have and what must not reach our pages:
	// rules for static files and for TYPO3's index.php, headers, error pages, compression.
	site string
	args func(dir, file string) []string
}

var webServers = []webServer{
	{
		name: "nginx", language: "nginx", binary: "nginx",
		site: `USER daemon off; worker_processes 1; pid DIR/pid; error_log DIR/log warn;
events {}
http {
	access_log off; client_body_temp_path DIR/b; proxy_temp_path DIR/p; fastcgi_temp_path DIR/f; uwsgi_temp_path DIR/u; scgi_temp_path DIR/s;
	gzip on; gzip_types *; gzip_proxied any;
	server {
		listen 127.0.0.1:PORT ssl http2; server_name localhost; ssl_certificate DIR/cert.pem; ssl_certificate_key DIR/key.pem;
		root DIR;
		add_header X-Frame-Options DENY always;
		add_header Content-Security-Policy "default-src https:" always;
		proxy_intercept_errors on;
		error_page 400 401 403 404 413 429 /sorry.html;
		if (!-e $request_filename) { rewrite ^/(.+)\.(\d+)\.(php|js|css|png|jpg|gif)$ /$1.$3 last; }
		location ~* \.(css|js|svg|png|jpg)$ { expires 30d; try_files $uri =404; }
		location ~ /\. { deny all; }
		SNIPPET
		location / { proxy_pass CMS; }
	}
}`,
		args: func(dir, file string) []string {
			return []string{"-p", dir, "-c", file, "-e", filepath.Join(dir, "log")}
		},
	},
	{
		name: "Apache", language: "apache", binary: "apache2",
		site: `ServerRoot DIR
PidFile DIR/pid
DefaultRuntimeDir DIR
ErrorLog DIR/log
ServerName localhost
Listen 127.0.0.1:PORT
MODULES
Protocols h2 http/1.1
<VirtualHost 127.0.0.1:PORT>
DocumentRoot DIR
SSLEngine on
SSLCertificateFile DIR/cert.pem
SSLCertificateKeyFile DIR/key.pem
Header set X-Frame-Options DENY
Header always set X-Frame-Options DENY
Header always set Content-Security-Policy "default-src https:"
SetOutputFilter DEFLATE
ErrorDocument 403 "sorry"
ErrorDocument 404 "sorry"
ErrorDocument 413 "sorry"
ProxyErrorOverride On
ProxyPass / CMS/
SNIPPET
RewriteEngine On
REWRITECONDRewriteRule ^ /index.php [PT]
</VirtualHost>`,
		args: func(_, file string) []string { return []string{"-f", file, "-D", "FOREGROUND"} },
	},
	{
		name: "Caddy", language: "caddyfile", binary: "caddy",
		site: `{
	admin off
	auto_https off
	storage file_system DIR
}
https://localhost:PORT {
	bind 127.0.0.1
	tls DIR/cert.pem DIR/key.pem
	encode gzip
	header X-Frame-Options DENY
SNIPPET
	handle {
		reverse_proxy CMS
	}
}
`,
		args: func(_, file string) []string { return []string{"run", "--config", file, "--adapter", "caddyfile"} },
	},
}

// apacheModules are the modules of the whole site; the page names those the snippet needs.
func apacheModules() string {
	var b strings.Builder
	for _, m := range []string{"mpm_event", "authz_core", "ssl", "http2", "proxy", "proxy_http", "headers", "rewrite", "filter", "deflate"} {
		fmt.Fprintf(&b, "LoadModule %s_module /usr/lib/apache2/modules/mod_%s.so\n", m, m)
	}
	return b.String()
}

// nginxUser lets the workers of root's nginx into the test's own folder.
func nginxUser() string {
	if os.Getuid() == 0 {
		return "user root root;"
	}
	return ""
}

// integration is what docs/integration.md gives in a language.
func integration(t *testing.T, language string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/integration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```"+language+"\n")
	text, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatalf("docs/integration.md has no %s", language)
	}
	return text
}

// integrationSettings are the settings of that page, read as a site's file is.
func integrationSettings(t *testing.T) *config.Settings {
	t.Helper()
	file := filepath.Join(t.TempDir(), "site.yaml")
	if err := os.WriteFile(file, []byte(integration(t, "yaml")), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _, err := config.Loader{File: file}.Load()
	if err != nil {
		t.Fatalf("docs/integration.md: %v", err)
	}
	return s
}

// place is where the CMS and the service live on their host.
type place struct{ name, sitePath, base string }

// host is a service behind a web server that also serves the CMS.
type host struct {
	*service
	place
	origin string
	roots  *x509.CertPool
	// leaked counts requests that brought a cookie of ours to the CMS.
	leaked atomic.Int32
}

// behind starts the service and a web server before it. The snippet is changed
// in nothing but the path and the service's address.
func (w webServer) behind(t *testing.T, at place) *host {
	t.Helper()
	h := &host{place: at}
	cms := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Cookie"), "ea_flash") {
			h.leaked.Add(1)
		}
		_, _ = io.WriteString(rw, "the CMS")
	}))
	t.Cleanup(cms.Close)
	port := freePort(t)
	h.origin = fmt.Sprintf("https://localhost:%d", port)
	h.service = startService(t, testsite.SQLite(t), func(c *config.Settings) {
		c.Server.TrustedProxies = integrationSettings(t).Server.TrustedProxies
		c.Server.BasePath, c.TYPO3.SitePath, c.Server.PublicOrigin = at.base, at.sitePath, h.origin
		c.Server.TYPO3Origin = "https://cms.example.org"
		c.TYPO3.LockIP, c.TYPO3.LockSSL = 4, true // a session holds at its address and over TLS only
	})
	dir := t.TempDir()
	h.roots = certificate(t, dir)
	own := strings.NewReplacer("/editor-actions", at.base, "127.0.0.1:8080", strings.TrimPrefix(h.url, "http://"))
	text := strings.NewReplacer("SNIPPET", own.Replace(integration(t, w.language)), "REWRITECOND", own.Replace(integration(t, "apacheconf")), "MODULES", apacheModules(), "USER", nginxUser(), "DIR", dir, "PORT", strconv.Itoa(port), "CMS", cms.URL).Replace(w.site)
	w.run(t, h, dir, text)
	return h
}

// run starts the web server and waits until it answers.
func (w webServer) run(t *testing.T, h *host, dir, text string) {
	t.Helper()
	file := filepath.Join(dir, "conf")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(w.program(t), w.args(dir, file)...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &log, &log, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	ready := h.client("127.0.0.1")
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		resp, err := ready.Get(h.origin + "/")
		if err == nil {
			_ = resp.Body.Close()
			return
		}
		select {
		case <-ended:
		default:
			if time.Now().Before(deadline) {
				continue
			}
		}
		own, _ := os.ReadFile(filepath.Join(dir, "log"))
		t.Fatalf("%s does not answer: %v\n%s", w.name, err, own)
	}
}

// program finds the server where Debian keeps it, also for people without sbin in
// their path.
func (w webServer) program(t *testing.T) string {
	t.Helper()
	for _, name := range []string{w.binary, "/usr/sbin/" + w.binary} {
		if file, err := exec.LookPath(name); err == nil {
			return file
		}
	}
	t.Fatalf("install %s: make test does it", w.binary)
	return ""
}

// client speaks HTTP/2 to the web server from an address of its own, as a browser does.
func (h *host) client(address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{
		Timeout: time.Minute,
		Transport: &http.Transport{
			DialContext:     dialer.DialContext,
			TLSClientConfig: &tls.Config{RootCAs: h.roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// freePort is below those that the system gives to others, who might take it before
// the web server does.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20000 + mathrand.IntN(10000)
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return 0
}

// certificate writes one for localhost and answers who trusts it.
func certificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, data := range map[string][]byte{"cert.pem": cert, "key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pool
}
