package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/actions"
	"editor-actions/internal/fault"
	"editor-actions/internal/typo3"
)

// explainView says why an action is or is not available, check by check. It
// tells what the neutral answer hides, so only administrators get it (P3).
type explainView struct {
	page
	User    string
	File    string
	Action  string
	Actions []offerView
	Asked   bool
	Error   string
	Checks  []explainRow
	AllOK   bool
}

// explainRow is a check with its reason in words, where there are words for it.
type explainRow struct {
	actions.Check
	Why string
}

func (s *Server) explainPage(c echo.Context) error {
	viewer, w := viewerOf(c), s.words(c)
	if !viewer.Admin {
		return errAdminOnly
	}
	v := explainView{
		page: s.newPage(c, "explain", "explain.heading"),
		User: strings.TrimSpace(c.QueryParam("user")), File: c.QueryParam("file"), Action: c.QueryParam("action"),
		Asked: c.QueryParams().Has("file"),
	}
	for _, a := range actions.Actions() {
		v.Actions = append(v.Actions, offerView{Key: a.Key, Label: w.T(Key(a.LabelKey))})
	}
	if !v.Asked {
		return s.render(c, http.StatusOK, "explain", v.Lang, v)
	}
	user, err := s.explained(c, v.User)
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Forbidden:
		v.Error = w.T("explain.no_user")
		v.Title = w.T("error.title", v.Title)
		return s.render(c, http.StatusUnprocessableEntity, "explain", v.Lang, v)
	}
	if err != nil {
		return err
	}
	v.User = user.Username
	v.AllOK = true
	for _, ch := range s.Catalogue.Explain(c.Request().Context(), user, v.Action, subject(actions.TableFile, v.File)) {
		v.AllOK = v.AllOK && ch.OK
		row := explainRow{Check: ch}
		if k := Key("reason." + ch.Detail); !ch.OK && w.Has(k) {
			row.Why = w.T(k)
		}
		v.Checks = append(v.Checks, row)
	}
	v.Title = w.T("explain.title_no", v.File)
	if v.AllOK {
		v.Title = w.T("explain.title_yes", v.File)
	}
	return s.render(c, http.StatusOK, "explain", v.Lang, v)
}

// explained is the user in question; nobody named means the reader.
func (s *Server) explained(c echo.Context, name string) (*typo3.BackendUser, error) {
	if name == "" {
		return viewerOf(c), nil
	}
	return s.CMS.UserByName(c.Request().Context(), name)
}
