package web

import (
	"github.com/labstack/echo/v4"

	"editor-actions/internal/actions"
)

// cancelRun stops a run that nobody wants any more.
func (s *Server) cancelRun(c echo.Context) error {
	id, err := runIDOf(c)
	if err != nil {
		return err
	}
	f, err := readForm(c)
	if err != nil {
		return err
	}
	if err := current(c).checkToken(f.Text("token")); err != nil {
		return keep(err, f, "/runs/"+string(id))
	}
	if err := s.Agent.Cancel(c.Request().Context(), viewerOf(c), id); err != nil {
		return keep(err, f, "/runs/"+string(id))
	}
	done := flash{Tone: "info", Key: "flash.cancelled"}
	if v, err := s.Agent.View(c.Request().Context(), viewerOf(c), id); err == nil && v.Run.Action == actions.Assistant {
		done.Key = "flash.cancelled_assistant" // some of its proposals may be written
	}
	s.setFlash(c, done)
	return s.redirect(c, "/runs/"+string(id))
}
