package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/fault"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
)

var errEmptyBatch = fault.New(fault.Invalid, "batch_empty", "There is nothing to start: none of the files can be used right now. The list says why.")

// planView is the page that says what a batch would start.
type planView struct {
	page
	Offers   []planOfferView
	Action   string
	Numbers  string
	Note     string
	KeyID    string
	Entries  []planEntryView
	Runs     int
	Cut      bool
	Estimate string
	Budget   string // what bounds it, "" when nothing does
	Error    string
	Max      int
}

// planOfferView is an action to choose.
type planOfferView struct {
	Key, Label string
	Chosen     bool
}

// planEntryView is one line of the plan.
type planEntryView struct {
	File *fileView
	Word string
	Skip actions.Skip
	Tone string
}

// planPage says what a batch would start. It starts nothing.
func (s *Server) planPage(c echo.Context) error {
	q := c.QueryParams()
	return s.renderPlan(c, http.StatusOK, q.Get("action"), strings.Join(q["uid"], " "), q.Get("note"), nil)
}

func (s *Server) renderPlan(c echo.Context, code int, action, numbers, note string, problem error) error {
	ctx, viewer, w := c.Request().Context(), viewerOf(c), s.words(c)
	v := planView{page: s.newPage(c, "files", "batch.title"), Note: note, KeyID: s.NewID(), Max: actions.MaxBatch}
	for _, o := range s.Catalogue.Offers(ctx, viewer, actions.TableFile) {
		if action == "" {
			action = o.Action.Key
		}
		v.Offers = append(v.Offers, planOfferView{o.Action.Key, w.action(o.Action.Key), o.Action.Key == action})
	}
	if len(v.Offers) == 0 {
		return s.render(c, code, "plan", v.Lang, v)
	}
	plan, err := s.Agent.PlanBatch(ctx, viewer, action, numbers)
	if err != nil {
		return err
	}
	v.Action, v.Cut, v.Runs, v.Estimate = plan.Action.Key, plan.Cut, len(plan.Runs()), w.estimate(plan.Estimate)
	var words []string
	for _, e := range plan.Entries {
		ev := planEntryView{Word: e.Word, Skip: e.Skip, Tone: "neutral"}
		if e.File != nil {
			file := fileViewOf(*e.File)
			ev.File = &file
		}
		if e.Skip == "" {
			ev.Tone = "success"
		}
		if e.UID != 0 && e.Skip != actions.SkipDuplicate {
			words = append(words, itoa(e.UID))
		}
		v.Entries = append(v.Entries, ev)
	}
	v.Numbers = strings.Join(words, " ")
	if problem != nil {
		v.Error = w.sentence(problem)
		v.Title = w.T("error.title", v.Title)
	}
	return s.render(c, code, "plan", v.Lang, v)
}

// startBatch starts what the plan says, planned anew.
func (s *Server) startBatch(c echo.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	in := current(c)
	again := func(code int, problem error) error {
		return s.renderPlan(c, code, f.Text("action"), f.Text("uid"), f.Text("note"), problem)
	}
	if err := in.checkToken(f.Text("token")); err != nil {
		return again(http.StatusForbidden, err)
	}
	if !idempotencyKey.MatchString(f.Text("key")) {
		return again(http.StatusUnprocessableEntity, errBadForm)
	}
	b, err := s.Agent.StartBatch(c.Request().Context(), agent.BatchRequest{
		User: in.viewer, Action: f.Text("action"), Numbers: f.Text("uid"), Note: f.Text("note"), Key: f.Text("key"),
	})
	if err != nil {
		return keep(err, f, "/batch?uid="+url.QueryEscape(f.Text("uid")))
	}
	if _, err := s.Agent.BatchRuns(c.Request().Context(), in.viewer, b.ID); errors.Is(err, agent.ErrRunNotFound) { // nothing was started, now or by a click before
		return again(http.StatusUnprocessableEntity, errEmptyBatch)
	}
	return s.redirect(c, "/batch/"+b.ID)
}

// batchView is the page of a batch that was started.
type batchView struct {
	page
	ID      string
	Rows    []inboxRowView
	Total   int
	Done    int // settled, or waiting for a person
	Waiting int
	Live    bool   // something will happen without a person
	Stopped string // why the rest has no proposal, "" = it has
	Rest    string // address to plan the rest again
}

func (s *Server) batchPage(c echo.Context) error {
	id, err := runIDOf(c)
	if err != nil {
		return err
	}
	runs, err := s.Agent.BatchRuns(c.Request().Context(), viewerOf(c), string(id))
	if err != nil {
		return err
	}
	w := s.words(c)
	v := batchView{page: s.newPage(c, "review", "batch.title"), ID: string(id), Rows: inboxRows(w, runs), Total: len(runs)}
	rest := url.Values{}
	for i, r := range runs {
		switch {
		case r.Run.Status == suspend.Waiting:
			v.Waiting++
			v.Done++
		case r.Run.Status.Terminal():
			v.Done++
		}
		if r.Run.Status == suspend.Failed { // by its kind: what ended the run ended the batch
			v.Rows[i].Why = w.cause(r.Run)
		}
		if r.Run.ErrorKind == suspend.BatchStopped {
			v.Rows[i].Status, v.Rows[i].Why = w.T("status.not_started"), ""
		}
		switch r.Run.ErrorKind {
		case suspend.BatchStopped, string(providers.Budget), string(providers.Quota): // they lack money, nothing else
			rest.Add("uid", strconv.FormatUint(r.Run.SubjectUID, 10))
			rest.Set("action", r.Run.Action)
		}
	}
	v.Title = w.N("batch.started", v.Total) + " – " + w.T("batch.progress", v.Done, v.Total)
	v.Live = v.Done < v.Total
	if n := len(rest["uid"]); n > 0 {
		v.Stopped, v.Rest = w.N("batch.stopped", n), "/batch?"+rest.Encode()
	}
	return s.render(c, http.StatusOK, "batch", v.Lang, v)
}
