package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/fault"
)

// signInView is the demo's form.
type signInView struct {
	page
	Next     string
	Username string
	Error    string
}

func queryEscape(s string) string { return url.QueryEscape(s) }

// signInForm shows the demo's form, or says to sign in to TYPO3.
func (s *Server) signInForm(c echo.Context) error {
	if !s.demo() {
		return errSignedOut
	}
	if _, err := s.signedIn(c); err == nil {
		return s.redirect(c, localPath(c.QueryParam("next")))
	}
	return s.renderSignIn(c, http.StatusOK, signInView{Next: c.QueryParam("next")})
}

func (s *Server) renderSignIn(c echo.Context, code int, v signInView) error {
	v.page = s.newPage(c, "", "sign_in.heading")
	v.Next = localPath(v.Next)
	return s.render(c, code, "sign_in", v.Lang, v)
}

// signIn checks a password and has the session row written that TYPO3 would
// write. From then on the session is looked up like any other.
func (s *Server) signIn(c echo.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(f.Text("username"))
	v := signInView{Next: f.Text("next"), Username: name}
	w := s.words(c)
	if !s.signIns.allow("ip:"+c.RealIP(), "user:"+strings.ToLower(name)) {
		v.Error = w.sentence(errManyTries)
		c.Response().Header().Set("Retry-After", "60")
		return s.renderSignIn(c, http.StatusTooManyRequests, v)
	}
	ctx := c.Request().Context()
	user, err := s.CMS.CheckPassword(ctx, name, f.Text("password"))
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Forbidden, fault.Unauthenticated, fault.Invalid:
		s.Log.InfoContext(ctx, "refused sign-in", "request_id", requestID(c))
		v.Error = w.sentence(errPassword) // one answer, whatever was wrong
		return s.renderSignIn(c, http.StatusUnauthorized, v)
	}
	if err != nil {
		return err
	}
	cookie, err := s.Sessions.IssueSession(ctx, user.UID, c.Request().Host, c.RealIP())
	if err != nil {
		return err
	}
	s.Log.InfoContext(ctx, "signed in", "request_id", requestID(c), "be_user_uid", user.UID)
	c.SetCookie(s.sessionCookie(c, cookie))
	return s.redirect(c, localPath(v.Next))
}

// signOut ends the session, here and in the table.
func (s *Server) signOut(c echo.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	if err := current(c).checkToken(f.Text("token")); err != nil {
		return keep(err, f, "/files")
	}
	if err := s.Sessions.EndSession(c.Request().Context(), current(c).cookie); err != nil && !errors.Is(err, errSignedOut) {
		return err
	}
	c.SetCookie(s.sessionCookie(c, ""))
	return s.redirect(c, "/sign-in")
}
