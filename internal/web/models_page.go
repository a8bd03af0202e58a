package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/providers"
)

// checkTimeout bounds the check of a model with a shorter timeout of its own. It goes on when the browser leaves: it is billed anyway.
const checkTimeout = 2 * time.Minute

// modelsView lists the configured models, with the outcome of a check.
type modelsView struct {
	page
	Models  []modelView
	Check   *checkView
	Default bool // one of them is used
}

type modelView struct {
	providers.Overview
	Zone      string // in the reader's words
	Vision    string
	Price     string // "" when nobody knows it
	PricedOn  time.Time
	Checkable bool
	Checked   *checkView // the last check in this process
}

// checkView is what a check found out.
type checkView struct {
	Name    string
	At      time.Time
	OK      bool
	Sent    bool
	Tone    string
	Text    string
	Rows    []checkRow
	Spent   string
	Seconds string // until the answer, "" when there was none
	Failure string
	Detail  string // an operator's sentence, in English
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

// checked is the last check of a model in this process. A nil report is one that runs.
type checked struct {
	report *providers.CheckReport
	at     time.Time
}

// modelsPage lists the models; ?check=NAME shows the last check of one.
func (s *Server) modelsPage(c echo.Context) error {
	if !viewerOf(c).Admin {
		return errAdminOnly
	}
	w := s.words(c)
	v := modelsView{page: s.newPage(c, "models", "models.heading")}
	for _, o := range s.Models.Overviews() {
		m := modelView{
			Overview: o, Zone: w.T(Key("zone." + o.Zone.String())), Vision: w.T(Key("vision." + string(o.Vision))),
			Checkable: o.Vendor != "demo" && o.Active && o.Problem == "", Checked: s.lastCheck(w, o.Name),
		}
		if o.Priced {
			m.Price = w.T("models.priced", w.price(o.InputPrice), w.price(o.OutputPrice), s.Settings().Providers.Currency)
			m.PricedOn, _ = time.Parse(time.DateOnly, o.PricedOn) // loading has checked it
		}
		if o.Name == c.QueryParam("check") && m.Checked != nil {
			v.Check = m.Checked
			v.Title = w.T("models.result", o.Name) + ": " + m.Checked.Text
		}
		v.Default = v.Default || o.Default
		v.Models = append(v.Models, m)
	}
	return s.render(c, http.StatusOK, "models", v.Lang, v)
}

func (s *Server) lastCheck(w *words, name string) *checkView {
	last, ok := s.checks.Load(name)
	if k, _ := last.(checked); ok && k.report != nil {
		return w.checkView(*k.report, k.at, s.Settings().Providers.Currency)
	}
	return nil
}

// checkModel sends a small picture to a model and keeps what came of it. It costs what
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
	before, there := s.checks.Swap(name, checked{})
	if last, _ := before.(checked); there && last.report == nil {
		return keep(errChecksBusy, f, "/models")
	}
	wait := max(checkTimeout, time.Duration(s.Settings().Providers.Configurations[name].TimeoutSeconds)*time.Second+10*time.Second)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), wait)
	defer cancel()
	// The server's own limit on writing an answer is shorter than some models are slow.
	_ = http.NewResponseController(c.Response()).SetWriteDeadline(time.Now().Add(wait + 10*time.Second)) // not every writer has one
	report := s.Models.Check(ctx, name, uint32(viewer.UID))
	s.checks.Store(name, checked{report: &report, at: s.Now()})
	s.Log.InfoContext(ctx, "checked provider", "request_id", requestID(c), "be_user_uid", viewer.UID, "provider", name,
		"model", report.Model, "tools", string(report.Tools), "sees", string(report.Sees), "kind", string(report.Kind), "duration_ms", report.Latency.Milliseconds())
	return s.redirect(c, "/models?check="+name)
}

func (w *words) checkView(r providers.CheckReport, at time.Time, currency string) *checkView {
	v := &checkView{
		Name: r.Configuration, At: at, OK: r.OK(), Sent: r.Latency > 0, Tone: "success", Text: w.T("models.ok"),
		Spent: w.spent(r.Usage, currency), Detail: r.Detail,
	}
	if r.Reachable == providers.VerdictYes {
		v.Seconds = w.seconds(r.Latency)
	}
	if !v.OK {
		v.Tone, v.Text = "warning", w.T("models.not_ok")
	}
	for _, q := range checkQuestions {
		answer := q.answer(r)
		v.Rows = append(v.Rows, checkRow{Label: w.T(q.key), Tone: verdictTones[answer], Text: w.T(Key("verdict." + string(answer)))})
	}
	if r.Kind != "" {
		if k := Key("operator." + string(r.Kind)); w.Has(k) { // who reads this is the administration
			v.Failure = w.T(k)
		} else if k := Key("cause." + string(r.Kind)); w.Has(k) {
			v.Failure = w.T(k)
		}
	}
	return v
}
