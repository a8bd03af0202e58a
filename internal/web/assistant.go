package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/agent"
	"editor-actions/internal/fault"
)

// assistantView is the form of a free request about a folder.
type assistantView struct {
	page
	Folder string // combined identifier
	Name   string
	Back   string
	KeyID  string
	Text   string // typed before, kept
	Error  string
	Most   int // proposals
}

// assistantPage asks what an editor wants for the pictures of a folder.
func (s *Server) assistantPage(c echo.Context) error {
	return s.renderAssistant(c, http.StatusOK, c.QueryParam("folder"), "", nil)
}

func (s *Server) renderAssistant(c echo.Context, code int, folder, text string, problem error) error {
	ctx, viewer, w := c.Request().Context(), viewerOf(c), s.words(c)
	if !s.Agent.MayAsk(viewer) {
		return agent.ErrNoAssistant
	}
	_, crumbs, err := s.Gate.Folders(ctx, viewer, folder)
	if err != nil {
		return err
	}
	at := crumbs[len(crumbs)-1]
	v := assistantView{
		page: s.newPage(c, "files", "assistant.heading", at.Name), Folder: at.Combined, Name: at.Name,
		Back: filesLink(at.Combined, false, 0), KeyID: s.NewID(), Text: text, Most: s.Settings().Assistant.MaxProposals,
	}
	if problem != nil {
		v.Error = w.sentence(problem)
		v.Title = w.T("error.title", v.Title)
	}
	return s.render(c, code, "assistant", v.Lang, v)
}

// askAssistant starts a run on a request.
func (s *Server) askAssistant(c echo.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	in := current(c)
	again := func(err error) error {
		return s.renderAssistant(c, statusOf(err), f.Text("folder"), f.Text("note"), err)
	}
	if err := in.checkToken(f.Text("token")); err != nil {
		return again(err)
	}
	if !idempotencyKey.MatchString(f.Text("key")) {
		return again(errBadForm)
	}
	run, err := s.Agent.Ask(c.Request().Context(), agent.AskRequest{
		User: in.viewer, Folder: f.Text("folder"), Text: f.Text("note"), IdempotencyKey: f.Text("key"),
	})
	if fault.KindOf(err) == fault.Invalid && err != nil {
		return again(err)
	}
	if err != nil {
		return keep(err, f, "/files")
	}
	return s.redirect(c, "/runs/"+string(run.ID))
}

// askJSON is the body of a free request.
type askJSON struct {
	Folder  string `json:"folder"`
	Request string `json:"request"`
	Token   string `json:"token"`
}

// apiAsk does the same. The same Idempotency-Key gives the same run.
func (s *Server) apiAsk(c echo.Context) error {
	var body askJSON
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
	run, err := s.Agent.Ask(c.Request().Context(), agent.AskRequest{User: viewerOf(c), Folder: body.Folder, Text: body.Request, IdempotencyKey: key})
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, s.base+"/api/v1/runs/"+string(run.ID))
	return answerJSON(c, http.StatusCreated, s.startedJSON(run))
}
