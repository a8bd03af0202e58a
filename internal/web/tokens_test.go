package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"editor-actions/internal/config"
	"editor-actions/internal/secret"
	"editor-actions/internal/token"
	"editor-actions/internal/typo3"
)

// fakeTokens keeps tokens in memory. The secret of the nth is secretOf(n).
type fakeTokens struct {
	now  func() time.Time
	made []token.NewToken
	list []token.Token
	err  error
}

func secretOf(n int) string { return fmt.Sprintf("eact_secret-of-number-%d", n) }

func (f *fakeTokens) Create(_ context.Context, n token.NewToken) (secret.String, *token.Token, error) {
	if f.err != nil {
		return secret.String{}, nil, f.err
	}
	f.made = append(f.made, n)
	f.list = append(f.list, token.Token{ID: fmt.Sprintf("t%d", len(f.made)), Name: n.Name, User: n.User, Scopes: n.Scopes, Created: f.now(), Expires: f.now().Add(n.Lifetime)})
	return secret.New(secretOf(len(f.made))), &f.list[len(f.list)-1], nil
}

func (f *fakeTokens) List(_ context.Context, user typo3.UserUID) ([]token.Token, error) {
	var out []token.Token
	for _, t := range f.list {
		if user == 0 || t.User == user {
			out = append(out, t)
		}
	}
	return out, nil
}

func (f *fakeTokens) States(_ context.Context, list []token.Token) ([]token.State, error) {
	out := make([]token.State, len(list))
	for i, t := range list {
		out[i] = token.Valid
		if !t.Revoked.IsZero() {
			out[i] = token.Revoked
		}
	}
	return out, nil
}

func (f *fakeTokens) Revoke(_ context.Context, user typo3.UserUID, id string) error {
	for i := range f.list {
		if f.list[i].ID == id && (user == 0 || f.list[i].User == user) {
			f.list[i].Revoked = f.now()
			return nil
		}
	}
	return token.ErrNotFound
}

func (f *fakeCMS) UserNames(_ context.Context, ids []typo3.UserUID) (map[typo3.UserUID]string, error) {
	out := map[typo3.UserUID]string{}
	for _, u := range f.users {
		if slices.Contains(ids, u.UID) {
			out[u.UID] = u.DisplayName()
		}
	}
	return out, nil
}

func selfService(f *fixture) { f.settings.MCP.Enabled, f.settings.MCP.SelfService = true, true }

func tokenForm() url.Values {
	return url.Values{"key": {"form-0001"}, "name": {"My agent"}, "scope": {"read,propose"}, "days": {"90"}}
}

func TestTokens_MadeShownOnceRevoked(t *testing.T) {
	t.Parallel()
	for user, words := range map[*typo3.BackendUser][]string{
		editor: {"You have no access token.", "Token made: My agent", "Look at files and propose texts", "Works", "The token is revoked."},
		german: {"Sie haben kein Zugriffstoken.", "Token erstellt: My agent", "Dateien ansehen und Texte vorschlagen", "Gilt", "Das Token ist widerrufen."},
	} {
		f := setup(t, selfService)
		_, doc := f.get(user, "/tokens")
		checkPage(t, doc, user.Language)
		if !strings.Contains(text(doc), words[0]) || find(doc, "a", "href", "/tokens") == nil {
			t.Errorf("the empty page or its way in: %s", text(doc))
		}
		res := f.post(user, "/tokens", tokenForm())
		wantStatus(t, res, http.StatusOK)
		if res.Header.Get("Cache-Control") != "no-store" {
			t.Error("the page with the secret may be kept")
		}
		doc = parse(t, res)
		checkPage(t, doc, user.Language)
		if !strings.Contains(text(doc), words[1]) || !strings.Contains(text(doc), words[2]) || !strings.Contains(text(doc), words[3]) {
			t.Errorf("%s", text(doc))
		}
		for id, want := range map[string]string{"secret": secretOf(1), "address": "http://cms.example/mcp", "header": "Authorization: Bearer " + secretOf(1)} {
			if n := find(doc, "input", "id", id); n == nil || attr(n, "value") != want {
				t.Errorf("%s is not %q", id, want)
			}
		}
		n := f.tokens.made[0]
		if n.User != user.UID || n.Name != "My agent" || n.Lifetime != 90*24*time.Hour || len(n.Scopes) != 2 || n.Key != "form-0001" {
			t.Errorf("%+v", n)
		}
		if page := body(t, f.do(request{path: "/tokens", user: user})); strings.Contains(page, secretOf(1)) || !strings.Contains(page, "My agent") {
			t.Error("the secret is shown again")
		}
		if strings.Contains(f.logs.String(), secretOf(1)) {
			t.Error("the secret is in the log")
		}
		res = f.post(user, "/tokens/revoke", url.Values{"id": {"t1"}})
		wantStatus(t, res, http.StatusSeeOther)
		req := request{path: "/tokens", user: user, header: map[string]string{"Cookie": flashOf(res)}}
		doc = parse(t, f.do(req))
		if !strings.Contains(text(doc), words[4]) || find(doc, "form", "action", "/tokens/revoke") != nil || f.tokens.list[0].Revoked.IsZero() {
			t.Errorf("after revoking: %s", text(doc))
		}
	}
}

// flashOf is the cookie of the message that an answer sets.
func flashOf(res *http.Response) string {
	for _, c := range res.Cookies() {
		if c.Name == "ea_flash" {
			return c.Name + "=" + c.Value
		}
	}
	return ""
}

func TestTokens_WhatIsNotMade(t *testing.T) {
	t.Parallel()
	with := func(key, value string) url.Values {
		v := tokenForm()
		v.Set(key, value)
		return v
	}
	for name, c := range map[string]struct {
		change func(*fixture)
		form   url.Values
		code   int
		say    string
	}{
		"forged form":         {nil, with("token", "forged"), http.StatusForbidden, "does not belong to your current session"},
		"no key":              {nil, with("key", ""), http.StatusUnprocessableEntity, "could not be read"},
		"a lifetime of none":  {nil, with("days", "4000"), http.StatusUnprocessableEntity, "could not be read"},
		"a scope of none":     {nil, with("scope", "write"), http.StatusUnprocessableEntity, "could not be read"},
		"two scopes at once":  {nil, url.Values{"key": {"form-0001"}, "name": {"My agent"}, "scope": {"write", "read"}, "days": {"90"}}, http.StatusUnprocessableEntity, "could not be read"},
		"no self-service":     {func(f *fixture) { f.settings.MCP.SelfService = false }, tokenForm(), http.StatusForbidden, "made by your administration"},
		"as somebody else":    {func(f *fixture) { f.cms.original = admin.UID }, tokenForm(), http.StatusForbidden, "signed in as somebody else"},
		"the store refuses":   {func(f *fixture) { f.tokens.err = token.ErrTooMany }, tokenForm(), http.StatusTooManyRequests, "as many access tokens"},
		"the form came again": {func(f *fixture) { f.tokens.err = token.ErrUsed }, tokenForm(), http.StatusConflict, "made its token already"},
	} {
		f := setup(t, selfService)
		if c.change != nil {
			c.change(f)
		}
		res := f.post(editor, "/tokens", c.form)
		wantStatus(t, res, c.code)
		doc := parse(t, res)
		checkPage(t, doc, "en")
		if !strings.Contains(text(doc), c.say) || len(f.tokens.made) != 0 {
			t.Errorf("%s: %d made: %s", name, len(f.tokens.made), text(doc))
		}
		if n := find(doc, "input", "name", "name"); n != nil && attr(n, "value") != "My agent" {
			t.Errorf("%s: what was typed is lost", name)
		}
	}
	f := setup(t, selfService)
	if res := f.do(request{method: http.MethodGet, path: "/tokens/revoke?id=t1", user: editor}); res.StatusCode != http.StatusMethodNotAllowed && res.StatusCode != http.StatusNotFound {
		t.Errorf("GET revokes: %d", res.StatusCode)
	}
	if res := f.do(request{method: http.MethodPost, path: "/tokens", body: tokenForm().Encode()}); res.StatusCode == http.StatusOK || len(f.tokens.made) != 0 {
		t.Errorf("nobody made a token: %d", res.StatusCode)
	}
}

func TestTokens_WhoSeesAndRevokesWhose(t *testing.T) {
	t.Parallel()
	f := setup(t, selfService)
	wantStatus(t, f.post(editor, "/tokens", tokenForm()), http.StatusOK)
	if _, doc := f.get(reviewer, "/tokens"); strings.Contains(text(doc), "My agent") {
		t.Error("somebody else's token is listed")
	}
	wantStatus(t, f.post(reviewer, "/tokens/revoke", url.Values{"id": {"t1"}}), http.StatusNotFound)
	wantStatus(t, f.post(editor, "/tokens/revoke", url.Values{"id": {"t1"}, "token": {"forged"}}), http.StatusForbidden)
	if !f.tokens.list[0].Revoked.IsZero() {
		t.Fatal("a stranger revoked a token")
	}
	_, doc := f.get(admin, "/tokens")
	checkPage(t, doc, "en")
	if !strings.Contains(text(doc), "Edit Or") {
		t.Error("an administrator does not see whose it is")
	}
	wantStatus(t, f.post(admin, "/tokens/revoke", url.Values{"id": {"t1"}}), http.StatusSeeOther)
	if f.tokens.list[0].Revoked.IsZero() {
		t.Error("an administrator revoked nothing")
	}
	// Without agents there is no way in; the page still lists what stdio uses.
	f.settings.MCP = config.MCP{}
	_, doc = f.get(editor, "/tokens")
	if find(doc, "a", "href", "/tokens") != nil || !strings.Contains(text(doc), "My agent") || find(doc, "form", "action", "/tokens") != nil {
		t.Error("the page without agents")
	}
}

func TestTokens_WhatEachMay(t *testing.T) {
	t.Parallel()
	f := setup(t, selfService)
	f.tokens.list = []token.Token{
		{ID: "a", Name: "a", User: editor.UID, Scopes: []token.Scope{token.Read}},
		{ID: "b", Name: "b", User: editor.UID, Scopes: []token.Scope{token.Propose}},
		{ID: "c", Name: "c", User: editor.UID, Scopes: token.Scopes()},
	}
	_, doc := f.get(editor, "/tokens")
	for _, want := range []string{"aOnly look at files", "bOnly propose texts", "cLook at files and propose texts"} {
		if !strings.Contains(strings.Join(strings.Fields(text(doc)), " "), want) {
			t.Errorf("the page does not say %q: %s", want, text(doc))
		}
	}
}

func TestTokens_HostileNamesAreText(t *testing.T) {
	t.Parallel()
	f := setup(t, selfService)
	form := tokenForm()
	form.Set("name", hostile)
	res := f.post(editor, "/tokens", form)
	wantStatus(t, res, http.StatusOK)
	doc := parse(t, res)
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Data == "script" && attr(n, "src") == "" {
			t.Error("a script of a token's name")
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	if !strings.Contains(text(doc), hostile) {
		t.Error("the name is not shown as it is")
	}
}
