package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/actions"
	"editor-actions/internal/falgate"
)

// offerView is an action as a card with its form.
type offerView struct {
	Key, Label, Description, Icon string
	Fields                        []actions.Field
	Note                          string // typed before, kept
	Estimate                      string // what it will take at most, "" when nobody can say
	Error                         string
}

func offerViews(w *words, offers []actions.Offer) []offerView {
	out := make([]offerView, len(offers))
	for i, o := range offers {
		out[i] = offerView{
			Key: o.Action.Key, Label: w.T(Key(o.Action.LabelKey)), Description: w.T(Key(o.Action.DescriptionKey)),
			Icon: o.Action.Icon, Fields: o.Fields, Estimate: w.estimate(o.Estimate),
		}
	}
	return out
}

// actionsView is the catalogue, for a record or in general.
type actionsView struct {
	page
	Record bool
	File   fileView
	Offers []offerView
	KeyID  string
	Error  string
}

// actionsPage offers what the viewer may start on a record. A record that
// cannot be used, for whatever reason, is the one neutral answer (P3).
func (s *Server) actionsPage(c echo.Context) error {
	if !c.QueryParams().Has("table") && !c.QueryParams().Has("uid") {
		w := s.words(c)
		v := actionsView{
			page:   s.newPage(c, "actions", "actions.heading"),
			Offers: offerViews(w, s.Catalogue.Offers(c.Request().Context(), viewerOf(c), "")),
		}
		return s.render(c, http.StatusOK, "actions", v.Lang, v)
	}
	return s.renderActions(c, http.StatusOK, subject(c.QueryParam("table"), c.QueryParam("uid")), "", "", nil)
}

func subject(table, uid string) actions.Subject {
	return actions.Subject{Table: table, UID: parseUID(uid)}
}

// renderActions draws the catalogue for a record, with a note and an error that
// belong to one of its forms.
func (s *Server) renderActions(c echo.Context, code int, sub actions.Subject, action, note string, problem error) error {
	ctx, viewer, w := c.Request().Context(), viewerOf(c), s.words(c)
	access, file, err := s.Gate.Access(ctx, viewer, sub.File())
	if err != nil {
		return err
	}
	if file == nil || access.Usable != usable {
		return falgate.ErrNotAvailable
	}
	v := actionsView{
		page: s.newPage(c, "actions", "actions.title", file.Name), Record: true, File: fileViewOf(*file),
		Offers: offerViews(w, s.Catalogue.Offers(ctx, viewer, sub.Table)), KeyID: s.NewID(),
	}
	if problem != nil {
		v.Error = w.sentence(problem)
		for i := range v.Offers {
			if v.Offers[i].Key == action {
				v.Offers[i].Note, v.Offers[i].Error = note, v.Error
			}
		}
	}
	return s.render(c, code, "actions", v.Lang, v)
}
