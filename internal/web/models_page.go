package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/providers"
)

// modelsView lists the configured models, with the outcome of a check.
type modelsView struct {
	page
	Models []modelView
	Check  *checkView
}

type modelView struct {
	providers.Overview
	Zone   string // in the reader's words
	Vision string
}

// checkView is what a check found out.
type checkView struct {
	Name    string
	Tone    string
	Text    string
	Rows    []checkRow
	Spent   string
	Latency int64 // milliseconds
	Failure string
	Detail  string
}

type checkRow struct {
	Label, Tone, Text string
}

var (
	checkQuestions = []struct {
		key    Key
		answer func(providers.CheckReport) providers.Verdict
	}{
		{"models.reachable", func(r providers.CheckReport) providers.Verdict { return r.Reachable }},
		{"models.key", func(r providers.CheckReport) providers.Verdict { return r.KeyAccepted }},
		{"models.known", func(r providers.CheckReport) providers.Verdict { return r.ModelKnown }},
		{"models.tools", func(r providers.CheckReport) providers.Verdict { return r.Tools }},
		{"models.sees", func(r providers.CheckReport) providers.Verdict { return r.Sees }},
	}
	verdictTones = map[providers.Verdict]string{providers.VerdictYes: "success", providers.VerdictNo: "danger", providers.VerdictUnknown: "neutral"}
)

func (s *Server) modelsPage(c echo.Context) error {
	if !viewerOf(c).Admin {
		return errAdminOnly
	}
	return s.renderModels(c, nil)
}

// checkModel sends a small picture to a model and says what came of it. It costs what
// a request costs, so it is a POST, and one at a time for each model.
func (s *Server) checkModel(c echo.Context) error {
	viewer := viewerOf(c)
	if !viewer.Admin {
		return errAdminOnly
	}
	f, err := readForm(c)
	if err != nil {
		return err
	}
	if err := current(c).checkToken(f.Text("token")); err != nil {
		return keep(err, f, "/models")
	}
	name := f.Text("name")
	if _, ok := s.Settings().Providers.Configurations[name]; !ok {
		return errNoModel
	}
	if _, running := s.checks.LoadOrStore(name, true); running {
		return keep(errChecksBusy, f, "/models")
	}
	defer s.checks.Delete(name)
	report := s.Models.Check(c.Request().Context(), name, uint32(viewer.UID))
	s.Log.InfoContext(c.Request().Context(), "checked provider", "request_id", requestID(c), "be_user_uid", viewer.UID, "provider", name,
		"model", report.Model, "tools", string(report.Tools), "sees", string(report.Sees), "kind", string(report.Kind), "duration_ms", report.Latency.Milliseconds())
	return s.renderModels(c, s.words(c).checkView(report, s.Settings().Providers.Currency))
}

func (s *Server) renderModels(c echo.Context, check *checkView) error {
	w := s.words(c)
	v := modelsView{page: s.newPage(c, "models", "models.heading"), Check: check}
	for _, o := range s.Models.Overviews() {
		v.Models = append(v.Models, modelView{Overview: o, Zone: w.T(Key("zone." + o.Zone.String())), Vision: w.T(Key("vision." + string(o.Vision)))})
	}
	return s.render(c, http.StatusOK, "models", v.Lang, v)
}

func (w *words) checkView(r providers.CheckReport, currency string) *checkView {
	v := &checkView{Name: r.Configuration, Tone: "success", Text: w.T("models.ok"), Latency: r.Latency.Milliseconds(), Spent: w.spent(r.Usage, currency), Detail: r.Detail}
	if !r.OK() {
		v.Tone, v.Text = "warning", w.T("models.not_ok")
	}
	for _, q := range checkQuestions {
		answer := q.answer(r)
		v.Rows = append(v.Rows, checkRow{Label: w.T(q.key), Tone: verdictTones[answer], Text: w.T(Key("verdict." + string(answer)))})
	}
	if k := Key("cause." + string(r.Kind)); r.Kind != "" && w.Has(k) {
		v.Failure = w.T(k)
	}
	return v
}
