package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/typo3"
	"editor-actions/internal/web"
)

// recordingCMS keeps what a session was held against.
type recordingCMS struct {
	*fakeCMS
	seen typo3.SessionRequest
}

func (r *recordingCMS) SessionUser(ctx context.Context, q typo3.SessionRequest) (typo3.SessionResult, error) {
	r.seen = q
	return r.fakeCMS.SessionUser(ctx, q)
}

// A session is held against the Host header as it is, the last address that is no
// proxy of ours, and the last word on TLS.
func TestProxies_WhatASessionIsHeldAgainst(t *testing.T) {
	t.Parallel()
	f := setup(t, func(f *fixture) {
		f.settings.Server.PublicOrigin = "https://cms.example"
		f.settings.Server.TrustedProxies = []string{"192.0.2.9", "198.51.100.0/24", "2001:db8:1::/48", "::ffff:203.0.113.0/120", "::ffff:192.0.2.10"}
	})
	cms := &recordingCMS{fakeCMS: f.cms}
	s, err := web.New(web.Deps{
		Settings: func() *config.Settings { return f.settings }, Agent: f.runs, Catalogue: f.cat, Models: f.models, Gate: f.gate, CMS: cms,
		Scaler: f.scaler, Sessions: f.sessions, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return f.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	const ours = "192.0.2.9:4711"
	for name, c := range map[string]struct {
		remote, host string
		header       []string
		ip           string
		https        bool
	}{
		"nobody between":             {"10.1.1.1:1", "cms.example", nil, "10.1.1.1", false},
		"a stranger's claims":        {"10.1.1.1:1", "cms.example", []string{"X-Forwarded-For", "10.2.2.2", "X-Forwarded-Proto", "https"}, "10.1.1.1", false},
		"a proxy that says nothing":  {ours, "cms.example", nil, "192.0.2.9", false},
		"one address":                {ours, "cms.example", []string{"X-Forwarded-For", "10.2.2.2", "X-Forwarded-Proto", "https"}, "10.2.2.2", true},
		"with a port":                {ours, "cms.example", []string{"X-Forwarded-For", "10.2.2.2:50123"}, "10.2.2.2", false},
		"IPv6":                       {ours, "cms.example", []string{"X-Forwarded-For", "2001:db8:2::7"}, "2001:db8:2::7", false},
		"IPv6 in brackets":           {ours, "cms.example", []string{"X-Forwarded-For", "[2001:db8:2::7]"}, "2001:db8:2::7", false},
		"IPv6 in brackets, and port": {ours, "cms.example", []string{"X-Forwarded-For", "[2001:db8:2::7]:50123"}, "2001:db8:2::7", false},
		"IPv6 with a zone":           {ours, "cms.example", []string{"X-Forwarded-For", "fe80::7%eth0"}, "fe80::7", false},
		"IPv4 written as IPv6":       {ours, "cms.example", []string{"X-Forwarded-For", "::ffff:10.2.2.2"}, "10.2.2.2", false},
		"half a bracket":             {ours, "cms.example", []string{"X-Forwarded-For", "[2001:db8:2::7"}, "192.0.2.9", false},
		"no address":                 {ours, "cms.example", []string{"X-Forwarded-For", "10.2.2.2, unknown"}, "192.0.2.9", false},
		"nothing at the end":         {ours, "cms.example", []string{"X-Forwarded-For", "10.2.2.2,"}, "192.0.2.9", false},
		"a forged beginning":         {ours, "cms.example", []string{"X-Forwarded-For", "192.0.2.9, 10.6.6.6, 10.2.2.2"}, "10.2.2.2", false},
		"three proxies":              {"[2001:db8:1::5]:1", "cms.example", []string{"X-Forwarded-For", "10.6.6.6, 10.2.2.2, 203.0.113.4, 198.51.100.3"}, "10.2.2.2", false},
		"in several lines":           {ours, "cms.example", []string{"X-Forwarded-For", "10.6.6.6", "X-Forwarded-For", "10.2.2.2, 198.51.100.3"}, "10.2.2.2", false},
		"a proxy written as IPv6":    {"192.0.2.10:1", "cms.example", []string{"X-Forwarded-For", "10.2.2.2"}, "10.2.2.2", false},
		"a proxy seen as IPv6":       {"[::ffff:192.0.2.9]:1", "cms.example", []string{"X-Forwarded-For", "10.2.2.2"}, "10.2.2.2", false},
		"only proxies":               {ours, "cms.example", []string{"X-Forwarded-For", "198.51.100.1, 198.51.100.2"}, "198.51.100.1", false},
		"https, then http":           {ours, "cms.example", []string{"X-Forwarded-Proto", "https, http"}, "192.0.2.9", false},
		"http, then https":           {ours, "cms.example", []string{"X-Forwarded-Proto", "http", "X-Forwarded-Proto", "https"}, "192.0.2.9", true},
		"RFC 7239":                   {ours, "cms.example", []string{"Forwarded", "for=10.2.2.2;proto=https;host=evil.example"}, "192.0.2.9", false},
		"other headers":              {ours, "cms.example", []string{"X-Real-Ip", "10.2.2.2", "X-Forwarded-Ssl", "on", "X-Forwarded-Host", "evil.example", "X-Forwarded-Port", "443"}, "192.0.2.9", false},
		"a host with a port":         {ours, "cms.example:8443", nil, "192.0.2.9", false},
		"another host":               {ours, "evil.example", []string{"X-Forwarded-Host", "cms.example"}, "192.0.2.9", false},
	} {
		req := httptest.NewRequest(http.MethodGet, "/files", nil)
		req.RemoteAddr, req.Host = c.remote, c.host
		for i := 0; i < len(c.header); i += 2 {
			req.Header.Add(c.header[i], c.header[i+1])
		}
		req.AddCookie(&http.Cookie{Name: "be_typo_user", Value: cookieOf(editor)})
		s.Handler().ServeHTTP(httptest.NewRecorder(), req)
		if got := cms.seen; got.RemoteIP != c.ip || got.HTTPS != c.https || got.Host != c.host {
			t.Errorf("%s: address %s, https %v, host %s", name, got.RemoteIP, got.HTTPS, got.Host)
		}
	}
}

// A proxy may name a request for the log; nobody else may, and no name breaks a line.
func TestProxies_NameRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		remote, id string
		kept       bool
	}{
		{"192.0.2.9:1", "a-name-of-the-proxy", true},
		{"10.1.1.1:1", "a-name-of-the-proxy", false},
		{"192.0.2.9:1", "two words", false},
		{"192.0.2.9:1", strings.Repeat("x", 65), false},
	} {
		f := setup(t, func(f *fixture) { f.settings.Server.TrustedProxies = []string{"192.0.2.9"} })
		req := httptest.NewRequest(http.MethodGet, "/files", nil)
		req.RemoteAddr = c.remote
		req.Header.Set("X-Request-Id", c.id)
		f.handler.ServeHTTP(httptest.NewRecorder(), req)
		if kept := strings.Contains(f.logs.String(), c.id); kept != c.kept || !strings.Contains(f.logs.String(), "request_id=") {
			t.Errorf("%s from %s: %s", c.id, c.remote, f.logs)
		}
	}
}

// Cookies of ours have the attributes of TYPO3's: strict unless BE/cookieSameSite
// says otherwise, and none only with Secure.
func TestCookies_HaveTYPO3sAttributes(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]http.SameSite{
		"": http.SameSiteStrictMode, "strict": http.SameSiteStrictMode, "lax": http.SameSiteLaxMode, "none": http.SameSiteNoneMode,
	} {
		for _, https := range []string{"http", "https"} {
			f := setup(t, func(f *fixture) {
				f.settings.TYPO3.CookieSameSite = setting
				f.settings.Server.BasePath, f.settings.Server.TrustedProxies = "/editor-actions", []string{"192.0.2.0/24"}
			})
			send := func(path string, form url.Values, cookie string) *http.Cookie {
				req := httptest.NewRequest(http.MethodPost, "http://cms.example/editor-actions"+path, strings.NewReader(form.Encode()))
				req.RemoteAddr = "192.0.2.9:1"
				req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				req.Header.Set("X-Forwarded-Proto", https)
				if cookie != "" {
					req.AddCookie(&http.Cookie{Name: "be_typo_user", Value: cookie})
				}
				rec := httptest.NewRecorder()
				f.handler.ServeHTTP(rec, req)
				for _, ck := range rec.Result().Cookies() {
					return ck
				}
				t.Fatalf("%s sets no cookie: %d", path, rec.Code)
				return nil
			}
			secure := https == "https" || setting == "none"
			session := send("/sign-in", url.Values{"username": {"editor"}, "password": {"editor"}}, "")
			if session.SameSite != want || session.Secure != secure || !session.HttpOnly || session.Path != "/" {
				t.Errorf("%q, %s: session cookie %v", setting, https, session)
			}
			flash := send("/runs/"+string(runWaiting)+"/cancel", url.Values{"token": {f.token(reviewer)}}, cookieOf(reviewer))
			if flash.SameSite != want || flash.Secure != secure || !flash.HttpOnly || flash.Path != "/editor-actions/" || flash.Partitioned != (setting == "none") {
				t.Errorf("%q, %s: flash cookie %v", setting, https, flash)
			}
		}
	}
}

// Whether the browser spoke TLS is the word of the proxy before us, and of nobody else.
func TestProxies_HTTPSIsTheLastTrustedWord(t *testing.T) {
	t.Parallel()
	f := setup(t, func(f *fixture) { f.settings.Server.TrustedProxies = []string{"192.0.2.0/24", "2001:db8::/32"} })
	for _, c := range []struct {
		remote, proto string
		secure        bool
	}{
		{"192.0.2.9:1", "https", true},
		{"192.0.2.9:1", "HTTPS", true},
		{"192.0.2.9:1", "http", false},
		{"192.0.2.9:1", "", false},
		{"192.0.2.9:1", "https, http", false}, // the first may be a stranger's
		{"192.0.2.9:1", "http,https", true},
		{"[2001:db8::1]:1", "https", true},
		{"198.51.100.7:1", "https", false},
	} {
		req := httptest.NewRequest(http.MethodPost, "http://cms.example/sign-in", strings.NewReader("username=editor&password=editor"))
		req.RemoteAddr = c.remote
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if c.proto != "" {
			req.Header.Set("X-Forwarded-Proto", c.proto)
		}
		req.Header.Set("Forwarded", "proto=https") // not read
		rec := httptest.NewRecorder()
		f.handler.ServeHTTP(rec, req)
		if got := rec.Result().Cookies()[0].Secure; got != c.secure {
			t.Errorf("%s says %q: secure is %v", c.remote, c.proto, got)
		}
	}
}

// The base path is a segment: what only begins with it is not ours.
func TestBasePath_IsWholeSegments(t *testing.T) {
	t.Parallel()
	f := setup(t, func(f *fixture) { f.settings.Server.BasePath = "/editor-actions" })
	for path, want := range map[string]int{
		"/editor-actions": http.StatusSeeOther, "/editor-actions/": http.StatusSeeOther, "/editor-actions/files": http.StatusOK,
		"/editor-actionsX/files": http.StatusNotFound, "/editor-actions//files": http.StatusNotFound, "/files": http.StatusNotFound,
		"/": http.StatusNotFound, "/editor-actions/../files": http.StatusNotFound,
		"/editor-actions/files/": http.StatusNotFound, "//editor-actions/files": http.StatusNotFound, "/Editor-Actions/files": http.StatusNotFound,
		"/editor-actions//evil.example": http.StatusNotFound, "/editor-actions/api/v1/session": http.StatusOK, "/editor-actions/api/v1X": http.StatusNotFound,
	} {
		req := httptest.NewRequest(http.MethodGet, "http://cms.example/", nil)
		req.URL.Path = path
		req.AddCookie(&http.Cookie{Name: "be_typo_user", Value: cookieOf(editor)})
		rec := httptest.NewRecorder()
		f.handler.ServeHTTP(rec, req)
		if rec.Code != want {
			t.Errorf("%s: %d, want %d", path, rec.Code, want)
		}
		if to := rec.Header().Get("Location"); to != "" && !strings.HasPrefix(to, "/editor-actions/") {
			t.Errorf("%s leads to %s", path, to)
		}
	}
}
