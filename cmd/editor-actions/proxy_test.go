package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/demo"
	"editor-actions/internal/providers/providertest"
)

const visitorIP = "127.0.0.2" // not the web server's own, so that the two can be told apart

// TestBehindAWebServer runs what docs/integration.md says, at the root of the CMS
// host and with the CMS in a sub folder.
func TestBehindAWebServer(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no web servers")
	}
	if got := integrationSettings(t).Server.BasePath; got != "/editor-actions" {
		t.Fatalf("the settings of the page have the base path %q", got)
	}
	for _, w := range webServers {
		for _, at := range []place{{"Root", "/", "/editor-actions"}, {"SubFolder", "/cms/", "/cms/editor-actions"}} {
			t.Run(w.name+"/"+at.name, func(t *testing.T) {
				t.Parallel()
				h := w.behind(t, at)
				v := h.signIn(t)
				v.isSignedIn()
				v.strangersAreNot()
				v.onlyTheBasePathIsOurs()
				run, release := v.formsWorkFromHereOnly()
				v.eventsComeAtOnce(run, release)
				v.cardIsDecided(run)
				v.linksStayBelowTheBasePath(run)
				if n := h.leaked.Load(); n != 0 {
					t.Errorf("a cookie of ours went to the CMS %d times", n)
				}
				if strings.Contains(h.log.String(), "forged-request-id") {
					t.Error("a client names requests in the log")
				}
			})
		}
	}
}

// visitor is a browser behind the web server. It keeps cookies by their paths.
type visitor struct {
	*host
	t      *testing.T
	client *http.Client
}

// signIn is an editor whom the CMS on this host gave its cookie.
func (h *host) signIn(t *testing.T) *visitor {
	t.Helper()
	sessions := &demo.Sessions{DB: h.site.DB, Settings: h.settings.Load, Now: time.Now}
	value, err := sessions.IssueSession(t.Context(), editorUID, strings.TrimPrefix(h.origin, "https://"), visitorIP)
	if err != nil {
		t.Fatal(err)
	}
	return h.visitor(t, visitorIP, value)
}

func (h *host) visitor(t *testing.T, address, session string) *visitor {
	t.Helper()
	v := &visitor{host: h, t: t, client: h.client(address)}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v.client.Jar = jar
	if session != "" {
		at, err := url.Parse(h.origin)
		if err != nil {
			t.Fatal(err)
		}
		jar.SetCookies(at, []*http.Cookie{{Name: h.settings.Load().TYPO3.CookieName, Value: session, Path: h.sitePath, Secure: true, HttpOnly: true}})
	}
	return v
}

// answer is a response that was read to its end.
type answer struct {
	*http.Response
	body string
}

// send asks for a path of the host; header holds pairs of name and value.
func (v *visitor) send(method, path string, form url.Values, header ...string) answer {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.origin+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", v.origin)
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i+1 < len(header); i += 2 {
		switch {
		case header[i] == "Host":
			req.Host = header[i+1]
		case header[i+1] == "":
			req.Header.Del(header[i])
		default:
			req.Header.Set(header[i], header[i+1])
		}
	}
	resp, err := v.client.Do(req)
	if err != nil {
		v.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatalf("%s %s: %v", method, path, err)
	}
	if resp.ProtoMajor != 2 {
		v.t.Fatalf("%s %s: %s", method, path, resp.Proto)
	}
	return answer{resp, string(body)}
}

func (v *visitor) get(path string, header ...string) answer {
	v.t.Helper()
	return v.send(http.MethodGet, path, nil, header...)
}

// forged is what a client may send to pass for another one.
func forged(address string) []string {
	return []string{
		"X-Forwarded-For", address, "X-Real-Ip", address, "Forwarded", "for=" + address + ";proto=http;host=evil.example",
		"X-Forwarded-Proto", "http", "X-Forwarded-Host", "evil.example", "X-Forwarded-Prefix", "/evil", "X-Request-Id", "forged-request-id",
	}
}

// isSignedIn: the cookie counts, at the address that the web server saw and over
// TLS, whatever the client says about itself.
func (v *visitor) isSignedIn() {
	v.t.Helper()
	for _, header := range [][]string{nil, forged("203.0.113.66")} {
		a := v.get(v.base+"/files", header...)
		if a.StatusCode != http.StatusOK {
			v.t.Fatalf("files: %d %s", a.StatusCode, a.body)
		}
		if strings.Contains(a.body, "evil") {
			v.t.Error("a forged header is on the page")
		}
		if a.Header.Get("X-Frame-Options") != "" || strings.Join(a.Header.Values("Cache-Control"), ",") != "no-store" {
			v.t.Errorf("headers %v", a.Header)
		}
		csp := a.Header.Values("Content-Security-Policy")
		if len(csp) != 1 || !strings.HasSuffix(csp[0], "; frame-ancestors 'self' https://cms.example.org") {
			v.t.Errorf("content security policies %q", csp)
		}
	}
}

// strangersAreNot: without the cookie, from another address, by another host name.
func (v *visitor) strangersAreNot() {
	v.t.Helper()
	at, _ := url.Parse(v.origin + v.base + "/files")
	session := v.client.Jar.Cookies(at)[0].Value
	for name, a := range map[string]answer{
		"no cookie":            v.visitor(v.t, visitorIP, "").get(v.base + "/files"),
		"another address":      v.visitor(v.t, "127.0.0.3", session).get(v.base + "/files"),
		"another, and it lies": v.visitor(v.t, "127.0.0.3", session).get(v.base+"/files", forged(visitorIP)...),
	} {
		if a.StatusCode != http.StatusUnauthorized || !strings.Contains(a.body, `href="`+v.sitePath+`typo3/"`) && !strings.Contains(a.body, `https://cms.example.org`+v.sitePath+`typo3/"`) {
			v.t.Errorf("%s: %d %.300s", name, a.StatusCode, a.body)
		}
	}
	// TYPO3's cookie names its host. Web servers that know the host refuse before us.
	if a := v.get(v.base+"/files", "Host", "evil.example"); strings.Contains(a.body, "lake_morning") || a.StatusCode == http.StatusOK && a.body != "" {
		v.t.Errorf("another host: %d %.300s", a.StatusCode, a.body)
	}
}

func (v *visitor) onlyTheBasePathIsOurs() {
	v.t.Helper()
	for _, path := range []string{"/", v.sitePath, v.base + "X", v.base + "X/files", v.base + ".css/files", "/x" + v.base + "/files", "/files", "/healthz"} {
		if a := v.get(path); a.body != "the CMS" {
			v.t.Errorf("%s is not the CMS: %d %.100s", path, a.StatusCode, a.body)
		}
	}
	for _, path := range []string{v.base, v.base + "/"} {
		a := v.get(path)
		to := strings.TrimPrefix(a.Header.Get("Location"), v.origin)
		if a.StatusCode/100 != 3 || !strings.HasPrefix(to, v.base+"/") {
			v.t.Errorf("%s: %d to %q", path, a.StatusCode, to)
		}
	}
	for path, want := range map[string]int{"/no/such/page": http.StatusNotFound, "/files/": http.StatusNotFound, "/healthz": http.StatusOK, "/readyz": http.StatusOK} {
		if a := v.get(v.base + path); a.StatusCode != want || strings.Contains(a.body, "sorry") {
			v.t.Errorf("%s: %d %.100s", v.base+path, a.StatusCode, a.body)
		}
	}
}

// formsWorkFromHereOnly starts a run that the model holds until release, after the
// same was tried from elsewhere.
func (v *visitor) formsWorkFromHereOnly() (run string, release func()) {
	v.t.Helper()
	held := make(chan struct{})
	v.model.Script(providertest.Hold(held, providertest.Cooperate("A lake in the morning")))
	form := formOf(v.t, v.get(v.base+"/files/23").body, v.base+"/actions/start", suggestAlternative)
	for name, header := range map[string][]string{
		"another site":       {"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
		"another site, old":  {"Origin", "https://evil.example", "Sec-Fetch-Site", ""},
		"a sub-domain":       {"Origin", "https://x.localhost", "Sec-Fetch-Site", "same-site"},
		"a frame of nowhere": {"Origin", "null", "Sec-Fetch-Site", "cross-site"},
		"another port":       {"Origin", "https://localhost:1", "Sec-Fetch-Site", "same-site"},
		"no scheme of ours":  {"Origin", "http://evil.example", "Sec-Fetch-Site", "cross-site", "X-Forwarded-Host", "evil.example"},
	} {
		if a := v.send(http.MethodPost, v.base+"/actions/start", form, header...); a.StatusCode != http.StatusForbidden || strings.Contains(a.body, "sorry") {
			v.t.Errorf("%s: %d %.100s", name, a.StatusCode, a.body)
		}
	}
	v.send(http.MethodPost, v.base+"/actions/start", form, "Host", "evil.example", "Origin", "https://evil.example")
	for _, size := range []int{100_000, 900_000} {
		large := url.Values{"token": form["token"], "note": {strings.Repeat("x", size)}}
		if a := v.send(http.MethodPost, v.base+"/actions/start", large); a.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(a.body, "64 KiB") {
			v.t.Errorf("%d bytes: %d %.200s", size, a.StatusCode, a.body)
		}
	}
	if n := v.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != 0 {
		v.t.Fatalf("%d runs were started from elsewhere", n)
	}
	// An older browser says no more than where the form was.
	a := v.send(http.MethodPost, v.base+"/actions/start", form, "Sec-Fetch-Site", "")
	run, ok := strings.CutPrefix(strings.TrimPrefix(a.Header.Get("Location"), v.origin), v.base+"/runs/")
	if a.StatusCode != http.StatusSeeOther || !ok {
		v.t.Fatalf("start: %d to %s", a.StatusCode, a.Header.Get("Location"))
	}
	return run, func() { close(held) }
}

// eventsComeAtOnce: the first one is here while the model still works, the last
// one when the proposal is made.
func (v *visitor) eventsComeAtOnce(run string, release func()) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.origin+v.base+"/runs/"+run+"/events", nil)
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := v.client.Do(req)
	if err != nil {
		release()
		v.t.Fatalf("no stream: %v", err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return text
			}
		}
		return ""
	}
	first := next()
	release()
	if !strings.Contains(first, `"ended":false`) {
		v.t.Fatalf("the first event is %q (%v): buffered", first, lines.Err())
	}
	for event := first; ; event = next() {
		if strings.Contains(event, `"ended":true`) {
			return
		}
		if event == "" {
			v.t.Fatalf("the stream ended early: %v", lines.Err())
		}
	}
}

// cardIsDecided: the card shows its picture, the approval is written once, and its
// message comes by a cookie that is ours alone.
func (v *visitor) cardIsDecided(run string) {
	v.t.Helper()
	card := v.get(v.base + "/review/" + run)
	picture := v.base + "/review/" + run + "/picture"
	if !strings.Contains(card.body, `src="`+picture) {
		v.t.Fatalf("the card has no picture: %d %.2000s", card.StatusCode, card.body)
	}
	if a := v.get(picture); a.StatusCode != http.StatusOK || a.Header.Get("Content-Type") != "image/jpeg" || http.DetectContentType([]byte(a.body)) != "image/jpeg" {
		v.t.Errorf("picture: %d %s", a.StatusCode, a.Header.Get("Content-Type"))
	}
	form, before := formOf(v.t, card.body, v.base+"/review/"+run, ""), v.writes()
	form.Set("verb", "approve")
	if a := v.send(http.MethodPost, v.base+"/review/"+run, form, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"); a.StatusCode != http.StatusForbidden || v.writes() != before {
		v.t.Errorf("approved from another site: %d", a.StatusCode)
	}
	a := v.send(http.MethodPost, v.base+"/review/"+run, form)
	cookie := a.Header.Get("Set-Cookie")
	for _, want := range []string{"ea_flash=", "Path=" + v.base + "/;", "HttpOnly", "Secure", "SameSite=Strict"} {
		if !strings.Contains(cookie, want) {
			v.t.Errorf("cookie %q lacks %s", cookie, want)
		}
	}
	if n := v.writes() - before; a.StatusCode != http.StatusSeeOther || n != 1 || text(v.metadata(fileLake).Alternative) != form.Get("alternative") {
		v.t.Errorf("approve: %d, %d changes, %+v", a.StatusCode, n, v.metadata(fileLake))
	}
	v.get("/") // the CMS of the host, which gets no cookie of ours
	to := strings.TrimPrefix(a.Header.Get("Location"), v.origin)
	if shown := v.get(to); !strings.HasPrefix(to, v.base+"/") || !strings.Contains(shown.body, " flash\"") {
		v.t.Errorf("no message on %q: %.500s", to, shown.body)
	}
}

// notAvailable are addresses without a page: one that does not exist, and two files of
// the site, of which one is gone and one is too small.
var notAvailable = regexp.MustCompile(`/no/such/page$|/files/3$|uid=(3|51)(&|$)`)

// linksStayBelowTheBasePath follows every address on every page, once per route.
func (v *visitor) linksStayBelowTheBasePath(run string) {
	v.t.Helper()
	todo := []string{v.base + "/", v.base + "/runs/" + run, v.base + "/review/" + run, v.base + "/actions?table=sys_file&uid=23", v.base + "/no/such/page"}
	seen, from := map[string]bool{}, map[string]string{}
	for len(todo) > 0 && len(seen) < 120 {
		path := todo[0]
		todo = todo[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		a := v.get(path)
		if a.body == "the CMS" || a.StatusCode >= 400 && !notAvailable.MatchString(path) {
			v.t.Errorf("%s (from %s): %d %.50s", path, from[path], a.StatusCode, a.body)
		}
		if strings.HasPrefix(path, v.base+"/assets/") && a.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			v.t.Errorf("%s: %v", path, a.Header)
		}
		found := addresses(v.t, a)
		if to := a.Header.Get("Location"); to != "" {
			found = append(found, to)
		}
		for _, to := range found {
			to, form := strings.CutPrefix(strings.TrimPrefix(to, v.origin), "POST ")
			if !strings.HasPrefix(to, v.base+"/") {
				v.t.Errorf("%s leads to %s", path, to)
			} else if !form && !strings.HasSuffix(to, "/events") {
				todo = append(todo, to)
				if from[to] == "" {
					from[to] = path
				}
			}
		}
	}
	for _, want := range []string{"/files", "/files/23", "/actions", "/review", "/runs/" + run} {
		if !seen[v.base+want] {
			v.t.Errorf("no way to %s", want)
		}
	}
	if len(seen) < 30 {
		v.t.Errorf("only %d addresses", len(seen))
	}
}
