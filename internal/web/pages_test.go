package web_test

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"editor-actions/internal/config"
	"editor-actions/internal/typo3"
)

// everyPage is each page in an empty and in a full state.
var everyPage = []struct {
	name, path string
	user       *typo3.BackendUser
	status     int
}{
	{"sign-in", "/sign-in", nil, 200},
	{"files", "/files", editor, 200},
	{"files of a folder that is empty", "/files?folder=1:/press/", editor, 200},
	{"files without alternative text", "/files?folder=1:/&missing=1", editor, 200},
	{"no mount", "/files", nobody, 200},
	{"file", "/files/7", editor, 200},
	{"file that is read only", "/files/8", admin, 200},
	{"file with hostile texts", "/files/9", editor, 200},
	{"file without metadata", "/files/10", editor, 200},
	{"actions", "/actions", editor, 200},
	{"actions for a record", "/actions?table=sys_file&uid=7", editor, 200},
	{"not available", "/actions?table=sys_file&uid=90", editor, 404},
	{"no such page", "/nothing", editor, 404},
	{"run in work", "/runs/" + string(runWorking), editor, 200},
	{"run done", "/runs/" + string(runDone), editor, 200},
	{"run failed", "/runs/" + string(runFailed), editor, 200},
	{"inbox", "/review", reviewer, 200},
	{"inbox page two", "/review?after=x", reviewer, 200},
	{"inbox empty", "/review", nobody, 200},
	{"card", "/review/" + string(runWaiting), reviewer, 200},
	{"card with two fields and everything", "/review/" + string(runTwo), reviewer, 200},
	{"card unreadable", "/review/" + string(runBroken), reviewer, 200},
	{"card withheld", "/review/" + string(runHidden), reviewer, 200},
	{"explain", "/explain", admin, 200},
	{"explain with an answer", "/explain?file=7&action=suggest_alternative_text&user=editor", admin, 200},
	{"explain for nobody", "/explain?file=7&action=suggest_alternative_text&user=ghost", admin, 422},
	{"explain for an editor", "/explain", editor, 403},
	{"models", "/models", admin, 200},
	{"models for an editor", "/models", editor, 403},
}

func TestPages_AreWellFormed(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "de"} {
		for _, p := range everyPage {
			t.Run(lang+" "+p.name, func(t *testing.T) {
				t.Parallel()
				f := setup(t)
				header := map[string]string{"Accept-Language": lang}
				if p.user != nil { // the same user in the other language
					u := *p.user
					u.Language = lang
					f.cms.users = append([]*typo3.BackendUser{&u}, f.cms.users...)
				}
				res := f.do(request{path: p.path, user: p.user, header: header})
				wantStatus(t, res, p.status)
				checkPage(t, parse(t, res), lang)
			})
		}
	}
}

func TestPages_InTYPO3Mode(t *testing.T) {
	t.Parallel()
	f := setup(t, func(f *fixture) { f.settings = settingsFor(config.SignInTYPO3) })
	for _, path := range []string{"/files", "/sign-in", "/review/" + string(runWaiting)} {
		res, doc := f.get(nil, path)
		wantStatus(t, res, http.StatusUnauthorized)
		checkPage(t, doc, "en")
		if a := find(doc, "a", "href", "https://cms.example/typo3/"); a == nil {
			t.Errorf("%s: no way to TYPO3", path)
		}
		if find(doc, "input", "type", "password") != nil {
			t.Errorf("%s: a password form outside the demo", path)
		}
	}
	wantStatus(t, f.do(request{method: "POST", path: "/sign-in", body: "username=admin&password=admin"}), http.StatusUnauthorized)
	res := f.do(request{path: "/files", cookies: []*http.Cookie{{Name: "be_typo_user", Value: "half"}}})
	wantStatus(t, res, http.StatusUnauthorized)
	if !strings.Contains(body(t, res), "second factor") {
		t.Error("the second factor is not named")
	}
}

// checkPage asks a page what every page must have.
func checkPage(t *testing.T, doc *html.Node, lang string) {
	t.Helper()
	root := find(doc, "html", "lang", lang)
	if root == nil {
		t.Errorf("page language is not %q", lang)
	}
	if n := count(doc, "h1"); n != 1 {
		t.Errorf("%d h1 elements", n)
	}
	if n := count(doc, "main"); n != 1 {
		t.Errorf("%d main elements", n)
	}
	if title := text(first(doc, "title")); strings.TrimSpace(strings.Split(title, "–")[0]) == "" {
		t.Errorf("title %q", title)
	}
	ids := map[string]bool{}
	labels := map[string]bool{}
	walk(doc, func(n *html.Node) {
		if id := attr(n, "id"); id != "" {
			if ids[id] {
				t.Errorf("id %q twice", id)
			}
			ids[id] = true
		}
		if n.Data == "label" {
			labels[attr(n, "for")] = true
		}
	})
	walk(doc, func(n *html.Node) {
		switch n.Data {
		case "input", "textarea", "select":
			if kind := attr(n, "type"); kind != "hidden" && !labels[attr(n, "id")] {
				t.Errorf("%s %q has no label", n.Data, attr(n, "name"))
			}
		case "button":
			if !has(n, "hidden") && strings.TrimSpace(text(n)) == "" {
				t.Error("a button without a name")
			}
		case "img":
			if !has(n, "alt") {
				t.Error("a picture without alt")
			}
		case "script":
			if attr(n, "src") == "" {
				t.Error("an inline script")
			}
		case "form":
			if attr(n, "method") == "post" && !strings.HasSuffix(attr(n, "action"), "/sign-in") && find(n, "input", "name", "token") == nil {
				t.Errorf("form %q has no token", attr(n, "action"))
			}
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(strings.TrimPrefix(a.Key, "data-"), "on") { // data-on... is written as a script's
				t.Errorf("attribute %s on %s", a.Key, n.Data)
			}
			if a.Key == "aria-describedby" || a.Key == "aria-labelledby" {
				for id := range strings.FieldsSeq(a.Val) {
					if !ids[id] {
						t.Errorf("%s names %q, which is not there", a.Key, id)
					}
				}
			}
		}
		if n.Type == html.TextNode && n.Parent != nil && (strings.Contains(n.Data, "%!") || strings.Contains(n.Data, "<no value>")) {
			t.Errorf("broken text %q", n.Data)
		}
	})
}

func TestPages_EscapeWhatStrangersWrite(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, path := range []string{"/files", "/files/9", "/files/7", "/actions?table=sys_file&uid=9", "/review", "/review/" + string(runTwo)} {
		res := f.do(request{path: path, user: reviewer})
		wantStatus(t, res, 200)
		b := body(t, res)
		if strings.Contains(b, "<script>alert") || strings.Contains(b, "<img src=x") {
			t.Errorf("%s: unescaped", path)
		}
		if !strings.Contains(b, "&lt;script&gt;alert(1)") {
			t.Errorf("%s: the name is not shown", path)
		}
	}
}

func TestCard_SaysWhichLanguageTextsAreIn(t *testing.T) {
	t.Parallel()
	f := setup(t)
	_, doc := f.get(reviewer, "/review/"+string(runWaiting))
	if find(doc, "textarea", "lang", "de") == nil {
		t.Error("the text area does not say its language")
	}
	if dd := find(doc, "dd", "lang", "de"); dd == nil || !strings.Contains(text(dd), "Eine Brücke") {
		t.Error("the proposal does not say its language")
	}
	if img := find(doc, "img", "alt", "Preview of hero.jpg"); img == nil {
		t.Error("the preview is fed its own proposal or nothing")
	}
}

func TestPages_UnderABasePath(t *testing.T) {
	t.Parallel()
	f := setup(t, func(f *fixture) { f.settings.Server.BasePath = "/editor-actions/" })
	for _, p := range everyPage {
		res := f.do(request{path: p.path, user: p.user})
		wantStatus(t, res, p.status)
		walk(parse(t, res), func(n *html.Node) {
			for _, a := range n.Attr {
				if (a.Key == "href" || a.Key == "src" || a.Key == "action") && strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "/editor-actions/") {
					t.Errorf("%s: %s leads outside: %s", p.name, n.Data, a.Val)
				}
			}
		})
	}
	res := f.do(request{path: "/", user: editor})
	if loc := res.Header.Get("Location"); loc != "/editor-actions/files" {
		t.Errorf("home leads to %q", loc)
	}
}

func walk(n *html.Node, visit func(*html.Node)) {
	visit(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		walk(c, visit)
	}
}

func first(n *html.Node, element string) (found *html.Node) {
	walk(n, func(n *html.Node) {
		if found == nil && n.Type == html.ElementNode && n.Data == element {
			found = n
		}
	})
	return found
}

func find(n *html.Node, element, key, value string) (found *html.Node) {
	walk(n, func(n *html.Node) {
		if found == nil && n.Type == html.ElementNode && n.Data == element && has(n, key) && attr(n, key) == value {
			found = n
		}
	})
	return found
}

func count(n *html.Node, element string) (total int) {
	walk(n, func(n *html.Node) {
		if n.Type == html.ElementNode && n.Data == element {
			total++
		}
	})
	return total
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

func text(n *html.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	walk(n, func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	})
	return b.String()
}
