package web_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/fault"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

func startForm(key string) url.Values {
	return url.Values{"key": {key}, "action": {"suggest_alternative_text"}, "table": {"sys_file"}, "uid": {"7"}, "note": {"Zeile eins\r\nZeile zwei"}}
}

func TestStart_LeadsToTheRunAndTwiceIsOnce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	res := f.post(editor, "/actions/start", startForm("form-0001"))
	wantStatus(t, res, http.StatusSeeOther)
	first := res.Header.Get("Location")
	res = f.post(editor, "/actions/start", startForm("form-0001")) // a double click
	if got := res.Header.Get("Location"); got != first || !strings.HasPrefix(got, "/runs/") {
		t.Errorf("second click leads to %q, the first to %q", got, first)
	}
	if len(f.runs.started) != 1 || f.runs.started[0].Note != "Zeile eins\nZeile zwei" || f.runs.started[0].User.UID != editor.UID {
		t.Errorf("started %+v", f.runs.started)
	}
	for _, key := range []string{"", "short", strings.Repeat("k", 65), "with blank 1"} {
		wantStatus(t, f.post(editor, "/actions/start", startForm(key)), http.StatusUnprocessableEntity)
	}
	_, doc := f.get(editor, first)
	checkPage(t, doc, "en")
	if find(doc, "div", "data-events", first+"/events") == nil {
		t.Error("the run page does not say where its events are")
	}
	if find(doc, "a", "href", first) == nil {
		t.Error("no link to reload")
	}
}

func TestRun_ThatWaitsLeadsToItsCard(t *testing.T) {
	t.Parallel()
	f := setup(t)
	res := f.do(request{path: "/runs/" + string(runWaiting), user: editor})
	wantStatus(t, res, http.StatusSeeOther)
	if loc := res.Header.Get("Location"); loc != "/review/"+string(runWaiting) {
		t.Errorf("leads to %q", loc)
	}
	res = f.do(request{path: "/review/" + string(runDone), user: editor})
	wantStatus(t, res, http.StatusSeeOther)
}

// flashOf follows a redirect with the cookies of the answer.
func (f *fixture) flashOf(user *typo3.BackendUser, res *http.Response) (string, string) {
	f.t.Helper()
	wantStatus(f.t, res, http.StatusSeeOther)
	cookies := res.Cookies()
	for range 3 {
		path := strings.TrimPrefix(res.Header.Get("Location"), f.base)
		res = f.do(request{path: path, user: user, cookies: cookies})
		if res.StatusCode != http.StatusSeeOther {
			doc := parse(f.t, res)
			checkPage(f.t, doc, "en")
			n := find(doc, "div", "autofocus", "")
			if n == nil {
				f.t.Fatal("nothing has the focus")
			}
			return text(n), path
		}
	}
	f.t.Fatal("too many redirects")
	return "", ""
}

func TestDecide_EveryOutcomeHasItsOwnMessage(t *testing.T) {
	t.Parallel()
	earlier := &suspend.Decision{Verb: suspend.VerbApprove, ByName: "Some Body"}
	for _, c := range []struct {
		res        agent.DecideResult
		verb, want string
		page       string
	}{
		{agent.DecideResult{Outcome: agent.Written}, "approve", "Approved and stored: Suggest alternative text for hero.jpg.", "/review"},
		{agent.DecideResult{Outcome: agent.Rejected}, "reject", "Rejected: Suggest alternative text for hero.jpg. Nothing was stored.", "/review"},
		{agent.DecideResult{Outcome: agent.Redrawn, Moved: []actions.Field{actions.Alternative}}, "approve", "Something changed", "/review/" + string(runWaiting)},
		{agent.DecideResult{Outcome: agent.StaleTurn}, "approve", "no longer the current one", "/review/" + string(runWaiting)},
		{agent.DecideResult{Outcome: agent.AlreadyDecided, Earlier: earlier}, "approve", "Some Body has approved this already", ""},
		{agent.DecideResult{Outcome: agent.AlreadyDecided}, "reject", "decided already", ""},
		{agent.DecideResult{Outcome: agent.AskedAgain}, "ask_again", "The model is asked again", ""},
	} {
		f := setup(t)
		f.runs.result = c.res
		res := f.post(reviewer, "/review/"+string(runWaiting), url.Values{"verb": {c.verb}, "turn": {"1"}, "digest": {digest}})
		got, page := f.flashOf(reviewer, res)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", c.res.Outcome, got)
		}
		if c.page != "" && page != c.page {
			t.Errorf("%s: lands on %s", c.res.Outcome, page)
		}
	}
}

func TestDecide_CarriesWhatTheFormSays(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.runs.result.Outcome = agent.Written
	f.post(reviewer, "/review/"+string(runTwo), url.Values{
		"verb": {"approve"}, "turn": {"2"}, "digest": {digest}, "title": {" One line\r\nonly "}, "description": {"Two\r\nlines"}, "keep_description": {"1"},
	})
	d := f.runs.decisions[0]
	if d.Verb != suspend.VerbApprove || d.Turn != 2 || d.Digest != digest || d.Reviewer.UID != reviewer.UID || d.RemoteIP == "" {
		t.Errorf("request %+v", d)
	}
	if len(d.Edits) != 1 || d.Edits[actions.Title] != "One line only" || len(d.Keep) != 1 || d.Keep[0] != actions.Description {
		t.Errorf("edits %v keep %v", d.Edits, d.Keep)
	}
	f.post(reviewer, "/review/"+string(runWaiting), url.Values{"verb": {"approve"}, "alternative": {"whatever"}, "decorative": {"1"}})
	if d := f.runs.decisions[1]; d.Edits[actions.Alternative] != "" || len(d.Edits) != 1 {
		t.Errorf("decorative gives %v", d.Edits)
	}
	f.post(reviewer, "/review/"+string(runWaiting), url.Values{"verb": {"ask_again"}, "alternative": {"typed"}, "reason": {"Shorter"}})
	if d := f.runs.decisions[2]; d.Edits != nil || d.Reason != "Shorter" {
		t.Errorf("asking again gives %+v", d)
	}
}

func TestDecide_InvalidEditsKeepWhatWasTyped(t *testing.T) {
	t.Parallel()
	for name, cause := range map[string]error{
		"rule of the tool":      fault.New(fault.Invalid, "value_too_long", "The text for `%s` has %s characters; at most %s are allowed.", "alternative", "130", "120"),
		"finding of the linter": &agent.TextError{Field: actions.Alternative, Finding: actions.Finding{Level: actions.LevelError, Rule: actions.RuleHTML, Message: "The text has HTML in it."}},
	} {
		f := setup(t)
		f.runs.err = cause
		res := f.post(reviewer, "/review/"+string(runWaiting), url.Values{"verb": {"approve"}, "turn": {"1"}, "digest": {digest}, "alternative": {"<b>My text</b>"}})
		wantStatus(t, res, http.StatusUnprocessableEntity)
		doc := parse(t, res)
		checkPage(t, doc, "en")
		area := find(doc, "textarea", "id", "f-alternative")
		if text(area) != "<b>My text</b>" || attr(area, "aria-invalid") != "true" {
			t.Errorf("%s: text area %q, invalid %q", name, text(area), attr(area, "aria-invalid"))
		}
		summary := find(doc, "div", "id", "errors")
		if summary == nil || !has(summary, "autofocus") || find(summary, "a", "href", "#f-alternative") == nil {
			t.Errorf("%s: the summary does not lead to the field", name)
		}
		if !strings.HasPrefix(text(first(doc, "title")), "Error:") {
			t.Errorf("%s: title %q", name, text(first(doc, "title")))
		}
	}
	f := setup(t)
	res := f.post(reviewer, "/review/"+string(runWaiting), url.Values{"verb": {"approve"}, "alternative": {"  "}})
	wantStatus(t, res, http.StatusUnprocessableEntity)
	f.runs.err = agent.ErrReason
	res = f.post(reviewer, "/review/"+string(runWaiting), url.Values{"verb": {"ask_again"}, "alternative": {"typed"}})
	wantStatus(t, res, http.StatusUnprocessableEntity)
	if find(parse(t, res), "a", "href", "#f-reason") == nil {
		t.Error("the summary does not lead to the reason")
	}
}

func TestP9_StaleCardKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.runs.result = agent.DecideResult{Outcome: agent.Redrawn}
	_, doc := f.get(reviewer, "/review/"+string(runWaiting))
	seen := attr(find(doc, "input", "name", "seen_alternative"), "value")
	form := url.Values{"verb": {"approve"}, "turn": {"1"}, "digest": {"old"}, "seen_alternative": {seen}, "alternative": {"Eine Brücke über dem Fluss"}}
	wantStatus(t, f.post(reviewer, "/review/"+string(runWaiting), form), http.StatusSeeOther) // untouched
	form.Set("alternative", "My own words")
	res := f.post(reviewer, "/review/"+string(runWaiting), form)
	wantStatus(t, res, http.StatusConflict)
	doc = parse(t, res)
	checkPage(t, doc, "en")
	if text(find(doc, "textarea", "id", "f-alternative")) != "My own words" || attr(find(doc, "input", "name", "digest"), "value") != digest {
		t.Error("the new card has lost what was typed, or its own digest")
	}
}

func TestCard_WithoutContentHasNoPictureAndNoTexts(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, id := range []suspend.RunID{runBroken, runHidden} {
		_, doc := f.get(reviewer, "/review/"+string(id))
		if find(doc, "textarea", "name", "alternative") != nil || find(doc, "button", "value", "approve") != nil {
			t.Errorf("%s: there is a form to approve", id)
		}
		if find(doc, "button", "value", "reject") == nil {
			t.Errorf("%s: it cannot be rejected", id)
		}
		wantStatus(t, f.do(request{path: "/review/" + string(id) + "/picture", user: reviewer}), http.StatusNotFound)
	}
}

func TestPicture_IsWhatWasSentAndIsNotKept(t *testing.T) {
	t.Parallel()
	f := setup(t)
	res := f.do(request{path: "/review/" + string(runWaiting) + "/picture", user: reviewer})
	wantStatus(t, res, http.StatusOK)
	if body(t, res) != string(testPicture(t)) || res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Content-Type") != "image/png" {
		t.Errorf("headers %v", res.Header)
	}
}

func TestThumb_IsAuthorisedEachTime(t *testing.T) {
	t.Parallel()
	f := setup(t)
	res := f.do(request{path: "/thumb?uid=7", user: editor})
	wantStatus(t, res, http.StatusOK)
	etag := res.Header.Get("ETag")
	if etag == "" || res.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("headers %v", res.Header)
	}
	res = f.do(request{path: "/thumb?uid=7", user: editor, header: map[string]string{"If-None-Match": etag}})
	wantStatus(t, res, http.StatusNotModified)
	if f.gate.opened != 1 {
		t.Errorf("the file was read %d times", f.gate.opened)
	}
	f.gate.hidden[7] = true
	wantStatus(t, f.do(request{path: "/thumb?uid=7", user: editor, header: map[string]string{"If-None-Match": etag}}), http.StatusNotFound)
	wantStatus(t, f.do(request{path: "/thumb?uid=7"}), http.StatusUnauthorized)
	f.scaler.err = fault.New(fault.Unsupported, "image_truncated", "Broken.")
	res = f.do(request{path: "/thumb?uid=8", user: editor})
	wantStatus(t, res, http.StatusOK)
	if res.Header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("type %q", res.Header.Get("Content-Type"))
	}
}

func TestFiles_PageByPage(t *testing.T) {
	t.Parallel()
	f := setup(t, func(f *fixture) {
		for uid := typo3.FileUID(100); uid < 150; uid++ {
			f.addFile(uid, "more.jpg", "image/jpeg", nil)
		}
	})
	seen, path := 0, "/files?folder=1:/&missing=1"
	for range 10 {
		res, doc := f.get(editor, path)
		wantStatus(t, res, 200)
		walk(doc, func(n *htmlNode) {
			if n.Data == "li" && strings.Contains(attr(n, "class"), "filecard") {
				seen++
			}
		})
		next := find(doc, "nav", "aria-label", "Pages")
		path = ""
		walk(doc, func(n *htmlNode) {
			if n.Data == "a" && strings.HasPrefix(text(n), "Next page") {
				path = attr(n, "href")
			}
		})
		if path == "" {
			if next == nil {
				t.Error("no way back to the first page")
			}
			break
		}
	}
	if seen != 52 { // 50, the picture without text, and the one without metadata
		t.Errorf("%d files on all pages", seen)
	}
}

func TestEvents_FollowARunToItsEnd(t *testing.T) {
	t.Parallel()
	f := setup(t)
	server := httptest.NewServer(f.handler)
	t.Cleanup(server.Close)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/runs/"+string(runWorking)+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(&http.Cookie{Name: "be_typo_user", Value: cookieOf(editor)})
	f.runs.watch <- agent.RunView{Run: &suspend.Run{Status: suspend.Running, Version: 2}}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }() // the stream has ended
	wantStatus(t, res, 200)
	if ct := res.Header.Get("Content-Type"); !strings.HasPrefix(ct, "text/event-stream") {
		t.Errorf("type %q", ct)
	}
	var data []string
	timer := time.AfterFunc(10*time.Second, func() { _ = res.Body.Close() }) // ends a stream that hangs
	defer timer.Stop()
	for s := bufio.NewScanner(res.Body); s.Scan(); {
		if after, ok := strings.CutPrefix(s.Text(), "data: "); ok {
			data = append(data, after)
			if len(data) == 1 {
				f.runs.watch <- agent.RunView{Run: &suspend.Run{Status: suspend.Waiting, Turn: 1, Version: 3}}
				close(f.runs.watch)
			}
		}
	}
	want := []string{`{"status":"running","turn":0,"ended":false}`, `{"status":"waiting","turn":1,"ended":true}`}
	if strings.Join(data, "\n") != strings.Join(want, "\n") {
		t.Errorf("events %v", data)
	}
}

func TestP18_WrittenIsNeverReportedAsNotWritten(t *testing.T) {
	t.Parallel()
	for _, status := range []suspend.Status{suspend.Completed, suspend.Failed, suspend.Cancelled, suspend.Expired} {
		f := setup(t)
		r := f.runs.cards[runDone].View.Run
		r.Status, r.Reason, r.ErrorKind = status, suspend.ReasonProviderFailed, "closing_failed"
		_, doc := f.get(editor, "/runs/"+string(runDone))
		if got := text(find(doc, "div", "id", "outcome")); !strings.Contains(got, "approved and stored") || strings.Contains(got, "Nothing was stored") {
			t.Errorf("%s: %q", status, got)
		}
	}
}

func TestFile_ShowsWhoApproved(t *testing.T) {
	t.Parallel()
	f := setup(t)
	_, doc := f.get(editor, "/files/7")
	all := text(doc)
	for _, want := range []string{"Approved by Revi Ewer", "Edited", "The model proposed:", "Eine Brücke über dem Fluss"} {
		if !strings.Contains(all, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
