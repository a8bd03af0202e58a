package web

import (
	"github.com/labstack/echo/v4"
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
	s.setFlash(c, flash{Tone: "info", Key: "flash.cancelled"})
	return s.redirect(c, "/runs/"+string(id))
}
