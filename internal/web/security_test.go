package web_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"editor-actions/internal/agent"
	"editor-actions/internal/config"
	"editor-actions/internal/secret"
	"editor-actions/internal/suspend"
	"editor-actions/internal/web"
)

// dump is everything a stranger can compare about an answer.
func dump(t *testing.T, res *http.Response) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(res.Status + "\n")
	if err := res.Header.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n" + body(t, res)
}

func TestP3_OneAnswerForEveryReason(t *testing.T) {
	t.Parallel()
	f := setup(t)
	uids := []string{"90" /* not permitted */, "4711" /* missing */, "8" /* read only */, "0", "9223372036854775808", "18446744073709551616", "-1", "07", "x", ""}
	for _, prefix := range []string{"/actions?table=sys_file&uid=", "/api/v1/actions?table=sys_file&uid="} {
		want := ""
		for _, uid := range uids {
			res := f.do(request{path: prefix + uid, user: editor})
			wantStatus(t, res, http.StatusNotFound)
			if got := dump(t, res); want == "" {
				want = got
			} else if got != want {
				t.Errorf("%s%s answers differently:\n%s\n---\n%s", prefix, uid, got, want)
			}
		}
	}
	res := f.do(request{path: "/actions?table=pages&uid=7", user: editor})
	wantStatus(t, res, http.StatusNotFound)
}

func TestS10_StartOfWhatCannotBeUsedIsOneAnswer(t *testing.T) {
	t.Parallel()
	f := setup(t)
	want := ""
	for _, form := range []url.Values{
		{"uid": {"90"}, "action": {"suggest_alternative_text"}},
		{"uid": {"4711"}, "action": {"suggest_alternative_text"}},
		{"uid": {"0"}, "action": {"suggest_alternative_text"}},
		{"uid": {"9223372036854775808"}, "action": {"suggest_alternative_text"}},
		{"uid": {"7"}, "action": {"no_such_action"}},
		{"uid": {"7"}, "action": {""}},
	} {
		form.Set("table", "sys_file")
		form.Set("note", "the same note")
		form.Set("key", "key-of-one-form")
		res := f.post(editor, "/actions/start", form)
		wantStatus(t, res, http.StatusNotFound)
		if got := dump(t, res); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%v answers differently:\n%s\n---\n%s", form, got, want)
		}
	}
	if len(f.runs.started) != 0 {
		t.Errorf("%d runs were started", len(f.runs.started))
	}
}

func TestRun_ThatOneMayNotReadLooksLikeNone(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, path := range []string{"/runs/%", "/review/%", "/review/%/picture", "/runs/%/events", "/api/v1/runs/%", "/api/v1/review/%"} {
		want := ""
		for _, id := range []suspend.RunID{runWaiting, runUnknown, "nonsense", "0193f0aa-0000-7000-8000-000000000001'--"} {
			res := f.do(request{path: strings.ReplaceAll(path, "%", url.PathEscape(string(id))), user: nobody})
			wantStatus(t, res, http.StatusNotFound)
			if got := dump(t, res); want == "" {
				want = got
			} else if got != want {
				t.Errorf("%s: %s answers differently", path, id)
			}
		}
	}
}

func TestS41_DecisionWithoutAccessIsNeutral(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, id := range []suspend.RunID{runWaiting, runUnknown} {
		for _, verb := range []string{"approve", "reject", "ask_again", "nonsense", ""} {
			res := f.post(nobody, "/review/"+string(id), url.Values{"verb": {verb}, "turn": {"1"}, "digest": {digest}})
			wantStatus(t, res, http.StatusNotFound)
		}
		wantStatus(t, f.post(nobody, "/runs/"+string(id)+"/cancel", url.Values{}), http.StatusNotFound)
	}
	f.runs.err = agent.ErrNotAReviewer
	res := f.post(editor, "/review/"+string(runWaiting), url.Values{"verb": {"approve"}, "turn": {"1"}, "digest": {digest}})
	wantStatus(t, res, http.StatusForbidden)
	if !strings.Contains(body(t, res), "but not decide it") {
		t.Error("the reason is not named")
	}
}

func TestForms_NeedTheTokenOfTheirSession(t *testing.T) {
	t.Parallel()
	f := setup(t)
	foreign := f.token(reviewer)
	for _, token := range []string{"", "x", foreign, strings.Repeat("A", 43)} {
		res := f.do(request{
			method: "POST", path: "/actions/start", user: editor,
			body: url.Values{"token": {token}, "key": {"key-12345"}, "action": {"suggest_alternative_text"}, "table": {"sys_file"}, "uid": {"7"}, "note": {"Keep this note"}}.Encode(),
		})
		wantStatus(t, res, http.StatusForbidden)
		doc := parse(t, res)
		checkPage(t, doc, "en")
		if area := find(doc, "textarea", "id", "note-suggest_alternative_text"); text(area) != "Keep this note" {
			t.Errorf("the note is lost: %q", text(area))
		}
		res = f.do(request{
			method: "POST", path: "/review/" + string(runWaiting), user: reviewer,
			body: url.Values{"token": {strings.ReplaceAll(token, foreign, f.token(editor))}, "verb": {"approve"}, "turn": {"1"}, "digest": {digest}, "alternative": {"My own words"}, "reason": {"why"}}.Encode(),
		})
		wantStatus(t, res, http.StatusForbidden)
		doc = parse(t, res)
		checkPage(t, doc, "en")
		if area := find(doc, "textarea", "id", "f-alternative"); text(area) != "My own words" {
			t.Errorf("the edit is lost: %q", text(area))
		}
		for _, path := range []string{"/sign-out", "/runs/" + string(runWaiting) + "/cancel"} {
			wantStatus(t, f.do(request{method: "POST", path: path, user: editor, body: url.Values{"token": {token}}.Encode()}), http.StatusForbidden)
		}
	}
	if len(f.runs.started)+len(f.runs.decisions)+len(f.runs.cancelled)+len(f.sessions.ended) != 0 {
		t.Error("something happened without a token")
	}
}

func TestForms_AreRefusedFromAnotherSite(t *testing.T) {
	t.Parallel()
	f := setup(t)
	token := f.token(editor)
	for _, header := range []map[string]string{
		{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://cms.example.evil.example"},
	} {
		for _, path := range []string{"/actions/start", "/review/" + string(runWaiting), "/sign-in", "/sign-out"} {
			res := f.do(request{method: "POST", path: path, user: editor, header: header, body: url.Values{"token": {token}, "username": {"admin"}, "password": {"admin"}}.Encode()})
			wantStatus(t, res, http.StatusForbidden)
			if len(res.Cookies()) > 0 {
				t.Errorf("%s sets a cookie", path)
			}
		}
		res := f.do(request{method: "POST", path: "/api/v1/runs", user: editor, header: header})
		wantStatus(t, res, http.StatusForbidden)
		if ct := res.Header.Get("Content-Type"); ct != "application/problem+json" {
			t.Errorf("API answers %q", ct)
		}
	}
}

func TestBodies_AboveTheLimitAreOneSentence(t *testing.T) {
	t.Parallel()
	f := setup(t)
	server := httptest.NewServer(f.handler)
	t.Cleanup(server.Close)
	big := strings.Repeat("n", 1<<20)
	for path, ct := range map[string]string{
		"/actions/start": "application/x-www-form-urlencoded", "/review/" + string(runWaiting): "application/x-www-form-urlencoded",
		"/sign-in": "application/x-www-form-urlencoded", "/api/v1/runs": "application/json",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader("note="+big))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", ct)
		req.AddCookie(&http.Cookie{Name: "be_typo_user", Value: cookieOf(editor)})
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		b, _ := io.ReadAll(res.Body)
		_ = res.Body.Close() // read to its end
		wantStatus(t, res, http.StatusRequestEntityTooLarge)
		if !strings.Contains(string(b), "64 KiB") {
			t.Errorf("%s: the limit is not named", path)
		}
		if page := ct != "application/json"; page != strings.Contains(string(b), "Back button") {
			t.Errorf("%s: says where the text is: %v", path, !page)
		}
	}
}

func TestSession_ThatEndedKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	f := setup(t)
	res := f.do(request{method: "POST", path: "/actions/start", body: url.Values{"note": {"An hour of thought"}}.Encode()})
	wantStatus(t, res, http.StatusUnauthorized)
	doc := parse(t, res)
	checkPage(t, doc, "en")
	if !strings.Contains(text(doc), "An hour of thought") {
		t.Error("the note is lost")
	}
	res = f.do(request{path: "/review/" + string(runWaiting) + "?a=b"})
	wantStatus(t, res, http.StatusSeeOther)
	if loc := res.Header.Get("Location"); loc != "/sign-in?next="+url.QueryEscape("/review/"+string(runWaiting)+"?a=b") {
		t.Errorf("leads to %q", loc)
	}
	res = f.do(request{path: "/api/v1/review"})
	wantStatus(t, res, http.StatusUnauthorized)
	if !strings.Contains(body(t, res), `"code":"signed_out"`) {
		t.Error("no code")
	}
}

func TestSignIn_LeadsOnlyToOurOwnPages(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for next, want := range map[string]string{
		"/review?after=1": "/review?after=1", "https://evil.example/": "/files", "//evil.example": "/files", `/\evil.example`: "/files",
		"javascript:alert(1)": "/files", "": "/files", "/files\r\nX: y": "/files", "relative": "/files",
	} {
		res := f.do(request{method: "POST", path: "/sign-in", body: url.Values{"username": {"editor"}, "password": {"editor"}, "next": {next}}.Encode()})
		wantStatus(t, res, http.StatusSeeOther)
		if got := res.Header.Get("Location"); got != want {
			t.Errorf("next %q leads to %q", next, got)
		}
		ck := res.Cookies()[0]
		if !ck.HttpOnly || ck.SameSite != http.SameSiteStrictMode || ck.Value != cookieOf(editor) {
			t.Errorf("cookie %v", ck)
		}
	}
}

func TestSignIn_IsSlowedDown(t *testing.T) {
	t.Parallel()
	f := setup(t)
	refused := 0
	for i := range 30 {
		res := f.do(request{method: "POST", path: "/sign-in", body: url.Values{"username": {"user" + strconv.Itoa(i)}, "password": {"guess"}}.Encode()})
		if res.StatusCode == http.StatusTooManyRequests {
			refused++
		} else {
			wantStatus(t, res, http.StatusUnauthorized)
		}
	}
	if refused != 20 {
		t.Errorf("%d of 30 attempts were refused", refused)
	}
	if strings.Contains(f.logs.String(), "guess") {
		t.Error("a password is in the log")
	}
}

func TestNew_RefusesTheDemoSignInOnARealDatabase(t *testing.T) {
	t.Parallel()
	s := settingsFor(config.SignInDemo)
	s.TYPO3.DSN = secret.New("mysql://user:pass@db/typo3")
	_, err := web.New(web.Deps{Settings: func() *config.Settings { return s }, Sessions: &fakeSessions{}})
	if err == nil || strings.Contains(err.Error(), "pass") {
		t.Errorf("err = %v", err)
	}
}

func TestHeaders_OfEveryPage(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, p := range everyPage {
		res := f.do(request{path: p.path, user: p.user})
		csp := res.Header.Get("Content-Security-Policy")
		if strings.Contains(csp, "unsafe") || !strings.Contains(csp, "frame-ancestors 'self' https://cms.example") || !strings.HasPrefix(csp, "default-src 'none'") {
			t.Errorf("%s: CSP %q", p.name, csp)
		}
		if res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("X-Content-Type-Options") != "nosniff" || res.Header.Get("X-Frame-Options") != "" || res.Header.Get("Referrer-Policy") == "" {
			t.Errorf("%s: headers %v", p.name, res.Header)
		}
	}
}

func TestP15_FailuresTellNothing(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.cms.err = errors.New("dial mysql: secret-host:3306")
	res := f.do(request{path: "/files", user: editor})
	wantStatus(t, res, http.StatusInternalServerError)
	b := body(t, res)
	if strings.Contains(b, "secret-host") {
		t.Error("the cause is shown")
	}
	if id := res.Header.Get("X-Request-Id"); id == "" || !strings.Contains(b, id) || !strings.Contains(f.logs.String(), id) {
		t.Error("page, header and log do not share the request id")
	}
}

func TestProxies_CountOnlyWhenTrusted(t *testing.T) {
	t.Parallel()
	f := setup(t, func(f *fixture) { f.settings.Server.TrustedProxies = []string{"192.0.2.0/24"} })
	send := func(remote, forwarded string) agent.DecideRequest {
		form := url.Values{"token": {f.token(reviewer)}, "verb": {"reject"}, "turn": {"1"}, "digest": {digest}}
		req := httptest.NewRequest(http.MethodPost, "http://cms.example/review/"+string(runWaiting), strings.NewReader(form.Encode()))
		req.RemoteAddr = remote
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("X-Forwarded-For", forwarded)
		req.AddCookie(&http.Cookie{Name: "be_typo_user", Value: cookieOf(reviewer)})
		f.handler.ServeHTTP(httptest.NewRecorder(), req)
		return f.runs.decisions[len(f.runs.decisions)-1]
	}
	for _, c := range []struct{ remote, forwarded, want string }{
		{"192.0.2.9:1", "203.0.113.5", "203.0.113.5"},
		{"192.0.2.9:1", "6.6.6.6, 203.0.113.5, 192.0.2.4", "203.0.113.5"},
		{"198.51.100.7:1", "203.0.113.5", "198.51.100.7"},
		{"192.0.2.9:1", "nonsense", "192.0.2.9"},
	} {
		if got := send(c.remote, c.forwarded).RemoteIP; got != c.want {
			t.Errorf("%s for %s: %s, want %s", c.remote, c.forwarded, got, c.want)
		}
	}
}

func TestToken_IsOneSessionsAndOneUsers(t *testing.T) {
	t.Parallel()
	f := setup(t)
	before := f.token(editor)
	if before == f.token(reviewer) {
		t.Error("two sessions share a token")
	}
	if before != f.token(editor) {
		t.Error("the token of a session changes")
	}
	f.settings.TYPO3.EncryptionKey = secret.New("another key")
	if before == f.token(editor) {
		t.Error("the token does not depend on TYPO3's key")
	}
}
