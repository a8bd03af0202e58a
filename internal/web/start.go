package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/agent"
)

// startRun starts an action on a record. The agent asks every question again;
// this only carries what was posted.
func (s *Server) startRun(c echo.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	in := current(c)
	sub := subject(f.Text("table"), f.Text("uid"))
	if err := in.checkToken(f.Text("token")); err != nil {
		// Drawn again with the note in it; a record that cannot be used stays neutral.
		return s.renderActions(c, http.StatusForbidden, sub, f.Text("action"), f.Text("note"), err)
	}
	key := f.Text("key")
	if !idempotencyKey.MatchString(key) {
		return s.renderActions(c, http.StatusUnprocessableEntity, sub, f.Text("action"), f.Text("note"), errBadForm)
	}
	run, err := s.Agent.Start(c.Request().Context(), agent.StartRequest{
		User: in.viewer, Action: f.Text("action"), Table: sub.Table, UID: sub.UID,
		Note: f.Text("note"), IdempotencyKey: key,
	})
	if err != nil {
		return err
	}
	return s.redirect(c, "/runs/"+string(run.ID))
}
