package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/suspend"
)

// runView is the page of a run: where it stands and how it got there.
type runView struct {
	page
	ID        suspend.RunID
	Action    string
	File      *fileView
	Place     string // the folder of an assistant run, "" when it may not be seen
	Request   string // what it was asked for, while that is kept
	Parent    string // address of the assistant's run that proposed, "" = none
	Assistant bool
	Proposals []inboxRowView
	Initiator string
	Created   time.Time
	Live      bool // something will happen without a person
	Steps     []stepView
	Tone      string // of the outcome
	Outcome   string // one sentence, when the run is settled
	Message   string // the model's own sentence
	MessageIn string // the language it was asked in
	Cause     string // what a failure came from, in words
	CanCancel bool
	Again     string // address to start over
	Decisions []historyView
	Model     string
	Proposer  string // the agent outside whose proposal it is
	Spent     string // tokens and cost, "" before the first answer
}

// stepView is one step of a run.
type stepView struct {
	Text  string
	State string // done, now, next, ended: the last one of a run that wrote nothing
}

func (s *Server) runPage(c echo.Context) error {
	id, err := runIDOf(c)
	if err != nil {
		return err
	}
	v, err := s.Agent.View(c.Request().Context(), viewerOf(c), id)
	if err != nil {
		return err
	}
	if v.Run.Status == suspend.Waiting {
		return s.redirect(c, "/review/"+string(id)) // the flash, if there is one, is for that page
	}
	view := s.runViewOf(c, v)
	if view.Assistant {
		proposals, err := s.Agent.ProposalRuns(c.Request().Context(), viewerOf(c), id)
		if err != nil {
			return err
		}
		view.Proposals = inboxRows(s.words(c), proposals)
	}
	return s.render(c, http.StatusOK, "run", view.Lang, view)
}

// runIDOf reads the id in the address. What cannot be an id is a run that does not exist.
func runIDOf(c echo.Context) (suspend.RunID, error) {
	id := c.Param("id")
	if !runID.MatchString(id) {
		return "", errBadID
	}
	return suspend.RunID(id), nil
}

func (s *Server) runViewOf(c echo.Context, r *agent.RunView) runView {
	w := s.words(c)
	v := runView{
		ID: r.Run.ID, Action: w.action(r.Run.Action), File: fileOfRun(r), Initiator: r.Initiator, Created: r.Run.Created,
		Live: !r.Run.Status.Terminal() && r.Run.Status != suspend.Waiting, CanCancel: r.CanCancel,
		Steps: stepViews(w, r.Run), Model: r.Run.Model, Proposer: proposerOf(r.Run), Spent: w.spent(r.Run.Usage, s.Settings().Providers.Currency),
	}
	v.Assistant, v.Place, v.Request = r.Run.Action == actions.Assistant, r.Folder, r.Request
	if v.File != nil {
		v.page = s.newPage(c, "review", "run.title", v.Action, v.File.Name)
		v.Again = againAt(r.Run)
	} else if v.Place != "" {
		v.page = s.newPage(c, "review", "run.title", v.Action, v.Place)
		v.Again = "/assistant?folder=" + url.QueryEscape(v.Place)
	} else {
		v.page = s.newPage(c, "review", "title.plain", v.Action)
	}
	if r.Run.Parent != "" {
		v.Parent, v.Again = "/runs/"+string(r.Run.Parent), ""
	}
	if r.Run.Status.Terminal() {
		v.Tone, v.Outcome = outcome(w, r)
		// The model describes the picture; its sentence is content like the picture itself.
		if r.File != nil || r.Folder != "" {
			v.Message, v.MessageIn = r.Run.Message, r.Run.Language
		}
		v.Cause = w.cause(r.Run)
	}
	for _, d := range r.Decisions {
		h := historyViewOf(w, d)
		h.Run, h.Language = "", r.Run.Language // this page
		v.Decisions = append(v.Decisions, h)
	}
	if r.File == nil { // the texts are content too
		for i := range v.Decisions {
			v.Decisions[i].Fields, v.Decisions[i].Reason = nil, ""
		}
	}
	return v
}

// againAt is where the editor starts over.
func againAt(r *suspend.Run) string {
	if r.WithoutModel() { // from the file's history
		return "/files/" + itoa(r.SubjectUID)
	}
	return "/actions?table=" + r.SubjectTable + "&uid=" + itoa(r.SubjectUID)
}

func fileOfRun(r *agent.RunView) *fileView {
	if r.File == nil {
		return nil
	}
	v := fileViewOf(*r.File)
	return &v
}

// action is the label of an action by its key; a key of another version shows itself.
func (w *words) action(key string) string {
	if k := Key("action." + key + ".label"); w.Has(k) {
		return w.T(k)
	}
	return key
}

// stepViews are the steps of the run so far and to come.
func stepViews(w *words, r *suspend.Run) []stepView {
	steps := []struct {
		key Key
		at  int
	}{{"step.queued", 0}, {"step.looking", 1}, {"step.review", 2}, {"step.writing", 3}, {"step.done", 4}}
	if r.Action == actions.Assistant {
		steps[1].key, steps[2].key = "step.assistant", "step.proposals"
		steps = append(steps[:3], steps[4]) // it writes nothing itself
		steps[3].at = 3
	}
	now := progress(r)
	out := make([]stepView, len(steps))
	for i, st := range steps {
		state := "next"
		switch {
		case st.at < now:
			state = "done"
		case st.at == now:
			state = "now"
		}
		out[i] = stepView{Text: w.T(st.key), State: state}
	}
	if r.Status.Terminal() {
		out[len(out)-1].State = "done"
		if !r.Written && (r.Action != actions.Assistant || r.Status != suspend.Completed) { // never reached
			out = append(out[:min(now, 3)], stepView{Text: w.T(Key("step.ended." + string(r.Status))), State: "ended"})
		}
	}
	if r.WithoutModel() { // it began at the review
		out = out[2:]
	}
	return out
}

// progress is the index of the step the run is at.
func progress(r *suspend.Run) int {
	switch {
	case r.Written:
		return 4
	case r.Status == suspend.Waiting, r.Status == suspend.Paused:
		return 2
	case r.Status == suspend.Completed && r.Action == actions.Assistant:
		return 4
	case r.Status == suspend.Running:
		return 1
	case r.Status.Terminal():
		if r.Turn > 0 {
			return 3
		}
		return 2
	}
	return 0
}

// outcome says in one sentence how a run ended. A change that was written is
// never reported as anything else (P18).
func outcome(w *words, r *agent.RunView) (tone, text string) {
	if r.Run.Written {
		return "success", w.T("outcome.written")
	}
	switch r.Run.Status {
	case suspend.Completed:
		tone = "info"
	case suspend.Rejected, suspend.Cancelled, suspend.Expired:
		tone = "info"
	default:
		tone = "danger"
	}
	if r.Run.Action == actions.Assistant && r.Run.Status != suspend.Completed { // its proposals may be written
		k := Key("outcome.assistant." + string(r.Run.Reason))
		if !w.Has(k) {
			k = "outcome.assistant.internal"
		}
		return tone, w.T(k) + " " + w.T("outcome.assistant.stay")
	}
	if sentBack(r) {
		return tone, w.T("outcome.sent_back")
	}
	if k := Key("outcome." + string(r.Run.Reason)); w.Has(k) {
		return tone, w.T(k)
	}
	if k := Key("outcome.status." + string(r.Run.Status)); w.Has(k) {
		return tone, w.T(k)
	}
	return tone, w.T("outcome.status.failed")
}

// sentBack reports whether a proposal of an assistant's run ended so that the assistant
// makes a better one.
func sentBack(r *agent.RunView) bool {
	n := len(r.Decisions)
	return r.Run.Status == suspend.Rejected && r.Run.Parent != "" && n > 0 && r.Decisions[n-1].Verb == suspend.VerbAskAgain
}

// cause explains a failure's kind, when there is something to explain.
func (w *words) cause(r *suspend.Run) string {
	if r.ErrorKind == "" {
		return ""
	}
	if k := Key("cause." + r.ErrorKind); w.Has(k) {
		return w.T(k)
	}
	if text, ok := w.faults[r.ErrorKind]; ok && !hasVerb(text) {
		return text
	}
	return ""
}
