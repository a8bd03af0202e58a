package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

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
