package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"html"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/demo"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/testsite"
)

// webServer is a web server before the service, with the configuration that
// docs/integration.md gives for it.
type webServer struct {
	name, language, binary string
	// wrap makes a whole configuration: the snippet inside a TLS site on port, and
	// everything else for the CMS.
	wrap func(dir, snippet, cms string, port int) string
	args func(dir, file string) []string
}

var webServers = []webServer{
	{
		"nginx", "nginx", "nginx",
		func(dir, snippet, cms string, port int) string {
			return fmt.Sprintf(`daemon off; worker_processes 1; pid %[1]s/pid; error_log %[1]s/log warn;
events {}
http {
	access_log off; client_body_buffer_size 1m; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	server {
		listen 127.0.0.1:%[2]d ssl; server_name localhost; ssl_certificate %[1]s/cert.pem; ssl_certificate_key %[1]s/key.pem;
		%[3]s
		location / { proxy_pass %[4]s; }
	}
}`, dir, port, snippet, cms)
		},
		func(dir, file string) []string {
			return []string{"-p", dir, "-c", file, "-e", filepath.Join(dir, "log")}
		},
	},
	{
		"Apache", "apache", "apache2",
		func(dir, snippet, cms string, port int) string {
			var modules strings.Builder
			for _, m := range []string{"mpm_event", "authz_core", "ssl", "proxy", "proxy_http", "headers"} {
				fmt.Fprintf(&modules, "LoadModule %s_module /usr/lib/apache2/modules/mod_%s.so\n", m, m)
			}
			return fmt.Sprintf(`ServerRoot %[1]s
PidFile %[1]s/pid
DefaultRuntimeDir %[1]s
ErrorLog %[1]s/log
ServerName localhost
Listen 127.0.0.1:%[2]d
%[5]s
<VirtualHost 127.0.0.1:%[2]d>
SSLEngine on
SSLCertificateFile %[1]s/cert.pem
SSLCertificateKeyFile %[1]s/key.pem
%[3]s
<LocationMatch "^/(?!editor-actions(/|$))">
ProxyPass %[4]s
</LocationMatch>
</VirtualHost>`, dir, port, snippet, cms, modules.String())
		},
		func(_, file string) []string { return []string{"-f", file, "-D", "FOREGROUND"} },
	},
	{
		"Caddy", "caddyfile", "caddy",
		func(dir, snippet, cms string, port int) string {
			return fmt.Sprintf("{\n\tadmin off\n\tauto_https off\n\tstorage file_system %[1]s\n}\nhttps://localhost:%[2]d {\n\tbind 127.0.0.1\n\ttls %[1]s/cert.pem %[1]s/key.pem\n%[3]s\n\thandle {\n\t\treverse_proxy %[4]s\n\t}\n}\n", dir, port, snippet, cms)
		},
		func(_, file string) []string { return []string{"run", "--config", file, "--adapter", "caddyfile"} },
	},
}

const visitorIP = "127.0.0.2"

// snippet is what docs/integration.md gives in a language.
func snippet(t *testing.T, language string) string {
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

// behind starts the service and a web server before it. The client speaks to the
// web server only.
func (w webServer) behind(t *testing.T) (s *service, origin string, client *http.Client) {
	t.Helper()
	binary, err := exec.LookPath(w.binary)
	if err != nil {
		if binary = "/usr/sbin/" + w.binary; exec.CommandContext(t.Context(), "test", "-x", binary).Run() != nil {
			t.Fatalf("install %s: make test does it", w.binary)
		}
	}
	cms := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(rw, "the CMS at "+r.URL.Path) }))
	t.Cleanup(cms.Close)
	port := freePort(t)
	origin = fmt.Sprintf("https://localhost:%d", port)
	s = startService(t, testsite.SQLite(t), func(c *config.Settings) {
		c.Server.BasePath, c.Server.TrustedProxies, c.Server.PublicOrigin = "/editor-actions", []string{"127.0.0.1"}, origin
		c.Server.TYPO3Origin = "https://cms.example.org"
		c.TYPO3.LockIP, c.TYPO3.LockSSL = 4, true
	})
	dir := t.TempDir()
	pool := certificate(t, dir)
	file := filepath.Join(dir, "conf")
	text := strings.ReplaceAll(snippet(t, w.language), "http://127.0.0.1:8080", s.url)
	text = strings.ReplaceAll(text, "127.0.0.1:8080", strings.TrimPrefix(s.url, "http://"))
	if err := os.WriteFile(file, []byte(w.wrap(dir, text, cms.URL, port)), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(binary, w.args(dir, file)...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &log, &log, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		late.Stop()
	})
	// From another address than the web server's, so that the two can be told apart.
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(visitorIP)}}
	client = &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		resp, err := client.Get(origin + "/")
		if err == nil {
			_ = resp.Body.Close()
			return s, origin, client
		}
		if time.Now().After(deadline) {
			own, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Fatalf("%s does not answer: %v\n%s%s", w.name, err, log.String(), own)
		}
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
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

// visitor is a browser behind the web server.
type visitor struct {
	t      *testing.T
	client *http.Client
	origin string
	cookie *http.Cookie
}

func (v *visitor) send(method, path, body string, header ...string) (*http.Response, string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.origin+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	if v.cookie != nil {
		req.AddCookie(v.cookie)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", v.origin)
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := v.client.Do(req)
	if err != nil {
		v.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp, string(text)
}

var (
	pageLink  = regexp.MustCompile(`(href|src|action)="([^"#][^"]*)"`)
	formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)
	offerKey  = regexp.MustCompile(`name="key" value="([^"]+)"`)
)

func TestBehindAWebServer(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no web servers")
	}
	for _, w := range webServers {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			s, origin, client := w.behind(t)
			sessions := &demo.Sessions{DB: s.site.DB, Settings: s.settings.Load, Now: time.Now}
			value, err := sessions.IssueSession(t.Context(), editorUID, strings.TrimPrefix(origin, "https://"), "127.0.0.1")
			if err != nil {
				t.Fatal(err)
			}
			// The session is bound to the address it was made from.
			s.exec("UPDATE be_sessions SET ses_iplock = ? WHERE ses_userid = ?", visitorIP, editorUID)
			v := &visitor{t: t, client: client, origin: origin, cookie: &http.Cookie{Name: s.settings.Load().TYPO3.CookieName, Value: value}}
			v.signedIn()
			v.linksStayBelowTheBasePath()
			run := v.formsWorkFromHereOnly(s)
			v.eventsComeAtOnce(s, run)
		})
	}
}

// signedIn: the cookie counts, with the address the web server saw, over TLS.
func (v *visitor) signedIn() {
	v.t.Helper()
	resp, page := v.send(http.MethodGet, "/editor-actions/files", "", "X-Forwarded-For", "203.0.113.66", "X-Forwarded-Proto", "http", "X-Forwarded-Host", "evil.example")
	if resp.StatusCode != http.StatusOK {
		v.t.Fatalf("files: %d %s", resp.StatusCode, page)
	}
	csp := resp.Header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "frame-ancestors 'self' https://cms.example.org") || resp.Header.Get("X-Frame-Options") != "" || resp.Header.Get("Cache-Control") != "no-store" {
		v.t.Errorf("headers %v", resp.Header)
	}
	if resp, _ := (&visitor{v.t, v.client, v.origin, nil}).send(http.MethodGet, "/editor-actions/files", ""); resp.StatusCode != http.StatusUnauthorized {
		v.t.Errorf("without a cookie: %d", resp.StatusCode)
	}
	for path, want := range map[string]string{"/": "the CMS at /", "/editor-actionsX/files": "the CMS at /editor-actionsX/files", "/files": "the CMS at /files"} {
		if _, got := v.send(http.MethodGet, path, ""); got != want {
			v.t.Errorf("%s: %q is not the CMS", path, got)
		}
	}
	if resp, _ := v.send(http.MethodGet, "/editor-actions", ""); resp.StatusCode/100 != 3 || !strings.HasPrefix(strings.TrimPrefix(resp.Header.Get("Location"), v.origin), "/editor-actions/") {
		v.t.Errorf("without a slash: %d to %s", resp.StatusCode, resp.Header.Get("Location"))
	}
}

func (v *visitor) linksStayBelowTheBasePath() {
	v.t.Helper()
	seen := map[string]bool{}
	for _, path := range []string{"/editor-actions/files", "/editor-actions/files/23", "/editor-actions/actions", "/editor-actions/review", "/editor-actions/actions?table=sys_file&uid=23"} {
		_, page := v.send(http.MethodGet, path, "")
		for _, m := range pageLink.FindAllStringSubmatch(page, -1) {
			link := html.UnescapeString(m[2])
			if !strings.HasPrefix(link, "/editor-actions/") {
				v.t.Errorf("%s links to %s", path, link)
				continue
			}
			if m[1] == "action" || seen[link] {
				continue
			}
			seen[link] = true
			if resp, _ := v.send(http.MethodGet, link, ""); resp.StatusCode >= 400 {
				v.t.Errorf("%s on %s: %d", link, path, resp.StatusCode)
			}
		}
	}
	if len(seen) < 15 {
		v.t.Errorf("only %d links", len(seen))
	}
}

// formsWorkFromHereOnly starts a run that the model holds, and tries the same from
// elsewhere.
func (v *visitor) formsWorkFromHereOnly(s *service) (run string) {
	v.t.Helper()
	release := make(chan struct{})
	v.t.Cleanup(func() { close(release) })
	s.model.Script(providertest.Hold(release, providertest.Text("late")))
	_, page := v.send(http.MethodGet, "/editor-actions/files/23", "")
	form := url.Values{
		"token": {formToken.FindStringSubmatch(page)[1]}, "key": {offerKey.FindStringSubmatch(page)[1]},
		"action": {suggestAlternative}, "table": {"sys_file"}, "uid": {"23"}, "note": {""},
	}
	for name, header := range map[string][]string{
		"another site":        {"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
		"another site, old":   {"Origin", "https://evil.example", "Sec-Fetch-Site", ""},
		"a sub-domain":        {"Origin", "https://x.localhost", "Sec-Fetch-Site", "same-site"},
		"a frame of nowhere":  {"Origin", "null", "Sec-Fetch-Site", "cross-site"},
		"another port":        {"Origin", "https://localhost:1", "Sec-Fetch-Site", "same-site"},
		"another host header": {"Host", "evil.example", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
	} {
		if resp, _ := v.send(http.MethodPost, "/editor-actions/actions/start", form.Encode(), header...); resp.StatusCode != http.StatusForbidden {
			v.t.Errorf("%s: %d", name, resp.StatusCode)
		}
	}
	if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != 0 {
		v.t.Fatalf("%d runs were started from elsewhere", n)
	}
	large := url.Values{"token": form["token"], "note": {strings.Repeat("x", 100_000)}}
	if resp, page := v.send(http.MethodPost, "/editor-actions/actions/start", large.Encode()); resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(page, "64 KiB") {
		v.t.Errorf("large body: %d %.200s", resp.StatusCode, page)
	}
	resp, _ := v.send(http.MethodPost, "/editor-actions/actions/start", form.Encode())
	to := strings.TrimPrefix(resp.Header.Get("Location"), v.origin)
	run, ok := strings.CutPrefix(to, "/editor-actions/runs/")
	if resp.StatusCode != http.StatusSeeOther || !ok {
		v.t.Fatalf("start: %d to %s", resp.StatusCode, to)
	}
	return run
}

// eventsComeAtOnce: the stream is open and its first events are here, although the
// run goes on; then a cancelled run ends it, with a cookie for the message.
func (v *visitor) eventsComeAtOnce(s *service, run string) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.origin+"/editor-actions/runs/"+run+"/events", nil)
	if err != nil {
		v.t.Fatal(err)
	}
	req.AddCookie(v.cookie)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	var first string
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			first = text
			break
		}
	}
	if !strings.Contains(first, `"ended":false`) {
		v.t.Fatalf("the first event is %q (%v): buffered", first, lines.Err())
	}
	_, page := v.send(http.MethodGet, "/editor-actions/runs/"+run, "")
	form := url.Values{"token": {formToken.FindStringSubmatch(page)[1]}}
	answer, _ := v.send(http.MethodPost, "/editor-actions/runs/"+run+"/cancel", form.Encode())
	cookie := answer.Header.Get("Set-Cookie")
	for _, want := range []string{"ea_flash=", "Path=/editor-actions/", "HttpOnly", "Secure", "SameSite=Strict"} {
		if !strings.Contains(cookie, want) {
			v.t.Errorf("cookie %q lacks %s", cookie, want)
		}
	}
	var rest strings.Builder
	for lines.Scan() {
		rest.WriteString(lines.Text())
	}
	if !strings.Contains(rest.String(), `"ended":true`) {
		v.t.Errorf("the stream ends with %q", rest.String())
	}
	if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND status = 'cancelled'", run); n != 1 {
		v.t.Error("the run was not cancelled")
	}
}
