package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/falgate"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

// restoreView is the button that proposes the texts from before a change.
type restoreView struct {
	Token string
	Key   string // idempotency key
	Run   suspend.RunID
	Turn  int
}

// restoreRun proposes the texts from before an approved change. It carries what
// was posted; the agent asks every question again.
func (s *Server) restoreRun(c echo.Context) error {
	id, err := runIDOf(c)
	if err != nil {
		return err
	}
	f, err := readForm(c)
	if err != nil {
		return err
	}
	in := current(c)
	if err := in.checkToken(f.Text("token")); err != nil {
		return err
	}
	key, turn := f.Text("key"), parseUID(f.Text("turn"))
	if !idempotencyKey.MatchString(key) {
		return errBadForm
	}
	run, err := s.Agent.Restore(c.Request().Context(), agent.RestoreRequest{User: in.viewer, Run: id, Turn: turnOf(turn), IdempotencyKey: key})
	if err != nil {
		return err
	}
	return s.redirect(c, "/review/"+string(run.ID))
}

// restoreJSON is the body of a restore.
type restoreJSON struct {
	Turn  int    `json:"turn"`
	Token string `json:"token"`
}

// apiRestore does the same. The same Idempotency-Key gives the same run.
func (s *Server) apiRestore(c echo.Context) error {
	id, err := runIDOf(c)
	if err != nil {
		return err
	}
	var body restoreJSON
	if err := readJSON(c, &body); err != nil {
		return err
	}
	if err := checkAPIToken(c, body.Token); err != nil {
		return err
	}
	key, err := idempotencyHeader(c)
	if err != nil {
		return err
	}
	run, err := s.Agent.Restore(c.Request().Context(), agent.RestoreRequest{User: viewerOf(c), Run: id, Turn: body.Turn, IdempotencyKey: key})
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, s.base+"/api/v1/runs/"+string(run.ID))
	return answerJSON(c, http.StatusCreated, s.startedJSON(run))
}

// turnOf reads a turn; one that cannot be is 0, which was never approved.
func turnOf(n uint64) int {
	if n > 1000 {
		return 0
	}
	return int(n)
}

// restorable reports whether the viewer could put the texts from before d back:
// one of them must differ from what is stored, and every field be theirs to write.
func restorable(access falgate.Access, now *typo3.Metadata, d suspend.Decision) bool {
	if d.Verb != suspend.VerbApprove || now == nil || access.Usable != usable {
		return false
	}
	differs := false
	for name, ch := range d.Fields {
		stored, may := now.Alternative, access.WriteAlternative
		switch actions.Field(name) {
		case actions.Title:
			stored, may = now.Title, access.WriteTitle
		case actions.Description:
			stored, may = now.Description, access.WriteDescription
		}
		if may != usable {
			return false
		}
		differs = differs || stored != ch.Old
	}
	return differs
}
