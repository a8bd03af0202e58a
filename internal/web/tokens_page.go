package web

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/fault"
	"editor-actions/internal/token"
	"editor-actions/internal/typo3"
)

// tokenDays are the lifetimes that the form offers.
var tokenDays = []int{7, 30, 90, 180, 365}

// tokensView lists access tokens: the viewer's own, an administrator's page all of them.
type tokensView struct {
	page
	Tokens  []tokenView
	All     bool
	Problem string // why the form is missing
	Error   string
	Made    *madeToken
	// What the form holds.
	KeyID string
	Name  string
	Days  int
	Look  bool // without proposing
	Lives []int
}

type tokenView struct {
	token.Token
	Owner string
	State token.State
	Tone  string
	Scope string // in the reader's words
}

// madeToken is a new token with its secret, on the one page that ever shows it.
type madeToken struct {
	token.Token
	Secret  string
	Address string
}

var tokenTones = map[token.State]string{token.Valid: "success", token.Expired: "neutral", token.Revoked: "neutral", token.NoAccess: "warning"}

// tokensPage shows the tokens and the form for a new one.
func (s *Server) tokensPage(c echo.Context) error {
	return s.renderTokens(c, http.StatusOK, tokensView{Days: int(token.DefaultLifetime.Hours() / 24)}, nil)
}

// renderTokens completes v, which holds what was typed and what was made.
func (s *Server) renderTokens(c echo.Context, code int, v tokensView, problem error) error {
	ctx, viewer, w := c.Request().Context(), viewerOf(c), s.words(c)
	v.page = s.newPage(c, "tokens", "tokens.heading")
	v.KeyID, v.Lives, v.All = s.NewID(), tokenDays, viewer.Admin
	if why := s.makesNoTokens(viewer); why != "" {
		v.Problem = w.T(why)
	}
	if problem != nil {
		v.Error = w.sentence(problem)
		v.Title = w.T("error.title", v.Title)
	}
	if v.Made != nil {
		v.Title = w.T("tokens.made", v.Made.Name)
	}
	owner := viewer.UID
	if v.All {
		owner = 0
	}
	list, err := s.Tokens.List(ctx, owner)
	if err != nil {
		return err
	}
	states, err := s.Tokens.States(ctx, list)
	if err != nil {
		return err
	}
	uids := make([]typo3.UserUID, len(list))
	for i := range list {
		uids[i] = list[i].User
	}
	names, err := s.CMS.UserNames(ctx, uids)
	if err != nil {
		return err
	}
	for i := range list {
		t := tokenView{Token: list[i], Owner: names[list[i].User], State: states[i], Tone: tokenTones[states[i]], Scope: w.scope(list[i])}
		if t.Owner == "" {
			t.Owner = "#" + strconv.FormatUint(uint64(t.User), 10)
		}
		v.Tokens = append(v.Tokens, t)
	}
	// What works stands first, what is newest before what is older.
	slices.SortStableFunc(v.Tokens, func(a, b tokenView) int {
		if av, bv := a.Revocable(), b.Revocable(); av != bv {
			return map[bool]int{true: -1, false: 1}[av]
		}
		return b.Created.Compare(a.Created)
	})
	return s.render(c, code, "tokens", v.Lang, v)
}

// scope says what a token may.
func (w *words) scope(t token.Token) string {
	switch {
	case !t.May(token.Propose):
		return w.T("tokens.scope_look")
	case !t.May(token.Read):
		return w.T("tokens.scope_propose")
	}
	return w.T("tokens.scope_both")
}

// Revocable reports whether there is something to revoke.
func (t tokenView) Revocable() bool { return t.State == token.Valid || t.State == token.NoAccess }

// Why somebody makes no token, as the page says it, and as the answer to a form.
const (
	byAdministration Key = "tokens.by_administration"
	switchedUser     Key = "tokens.switched_user"
)

var noTokens = map[Key]error{byAdministration: errNoTokens, switchedUser: errOtherUser}

// makesNoTokens answers why a viewer may not make a token for themselves, "" when they may.
// In a session of TYPO3's "switch user" the person is another one, and a token would outlive
// the session.
func (s *Server) makesNoTokens(viewer *typo3.BackendUser) Key {
	switch {
	case viewer.OriginalUID != 0:
		return switchedUser
	case !s.Settings().MCP.SelfService:
		return byAdministration
	}
	return ""
}

// createToken makes a token for the viewer and shows it, once.
func (s *Server) createToken(c echo.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	in := current(c)
	v := tokensView{Name: f.Text("name"), Look: f.Text("scope") == string(token.Read)}
	v.Days, _ = strconv.Atoi(f.Text("days")) // 0 is none of the choices
	again := func(err error) error { return s.renderTokens(c, statusOf(err), v, err) }
	if err := in.checkToken(f.Text("token")); err != nil {
		return again(err)
	}
	if why := s.makesNoTokens(in.viewer); why != "" {
		return again(noTokens[why])
	}
	if !idempotencyKey.MatchString(f.Text("key")) || !slices.Contains(tokenDays, v.Days) || !slices.Contains([]string{"read", "read,propose"}, f.Text("scope")) {
		return again(errBadForm)
	}
	scopes, err := token.ParseScopes(f.Text("scope"))
	if err != nil {
		return again(err)
	}
	text, made, err := s.Tokens.Create(c.Request().Context(), token.NewToken{
		Name: v.Name, User: in.viewer.UID, Scopes: scopes, Lifetime: time.Duration(v.Days) * 24 * time.Hour, Key: f.Text("key"),
	})
	if fault.KindOf(err) == fault.Internal && err != nil {
		return err
	}
	if err != nil {
		return again(err)
	}
	return s.renderTokens(c, http.StatusOK, tokensView{
		Days: int(token.DefaultLifetime.Hours() / 24), Made: &madeToken{Token: *made, Secret: text.Reveal(), Address: s.agentsAddress(c)},
	}, nil)
}

// agentsAddress is where programs connect, as complete as we know it.
func (s *Server) agentsAddress(c echo.Context) string {
	origin := s.Settings().Server.PublicOrigin
	if origin == "" {
		scheme := "http://"
		if s.proxies.https(c.Request()) {
			scheme = "https://"
		}
		origin = scheme + c.Request().Host
	}
	return origin + s.base + "/mcp"
}

// revokeToken ends a token: one's own, an administrator anybody's.
func (s *Server) revokeToken(c echo.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	in := current(c)
	if err := in.checkToken(f.Text("token")); err != nil {
		return keep(err, f, "/tokens")
	}
	owner := in.viewer.UID
	if in.viewer.Admin {
		owner = 0
	}
	if err := s.Tokens.Revoke(c.Request().Context(), owner, f.Text("id")); err != nil {
		return keep(err, f, "/tokens")
	}
	s.setFlash(c, flash{Tone: "success", Key: "tokens.revoked"})
	return s.redirect(c, "/tokens")
}
