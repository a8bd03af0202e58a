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

// inboxView is the review page: what waits, what is in work, what was decided.
type inboxView struct {
	page
	All     bool
	Waiting []inboxRowView
	Active  []inboxRowView
	Recent  []inboxRowView
	First   bool
	Next    string
	Picks   bool // the viewer could approve some of the waiting together
	Ready   bool // and some of them now
}

// inboxRowView is one run in a list. It carries no content.
type inboxRowView struct {
	ID        suspend.RunID
	Link      string
	Action    string
	File      *fileView // nil = the viewer may not see it
	Initiator string
	Since     time.Time
	When      string // key of the words before Since
	Status    string
	Tone      string
	Decision  string
	Place     string // the folder of an assistant run
	Why       string // it ended, in words
	Turn      int
	Digest    string
	Pick      agent.Pick
	Pickable  bool
	Overdue   bool // waits for longer than it should
}

func (s *Server) inboxPage(c echo.Context) error {
	after := c.QueryParam("after")
	if len(after) > 256 {
		after = ""
	}
	box, err := s.Agent.Inbox(c.Request().Context(), viewerOf(c), agent.InboxQuery{After: after})
	if err != nil {
		return err
	}
	v := inboxView{page: s.newPage(c, "review", "review.heading"), All: box.All, First: after == ""}
	w := s.words(c)
	if v.Pending > 0 {
		v.Title = w.N("review.title", v.Pending)
	}
	v.Waiting, v.Active, v.Recent = inboxRows(w, box.Waiting), inboxRows(w, box.Active), inboxRows(w, box.Recent)
	for i, r := range v.Waiting {
		v.Waiting[i].Status = "" // the heading above them says it
		v.Picks, v.Ready = v.Picks || r.Pick != "", v.Ready || r.Pickable
	}
	if box.Next != "" {
		v.Next = "/review?after=" + url.QueryEscape(box.Next)
	}
	return s.render(c, http.StatusOK, "review", v.Lang, v)
}

func inboxRows(w *words, views []agent.RunView) []inboxRowView {
	out := make([]inboxRowView, len(views))
	for i := range views {
		r := &views[i]
		row := inboxRowView{
			ID: r.Run.ID, Link: "/runs/" + string(r.Run.ID), Action: w.action(r.Run.Action), File: fileOfRun(r),
			Initiator: r.Initiator, Since: r.Run.Created, When: "review.when.started", Turn: r.Run.Turn,
			Place: r.Folder, Digest: r.Run.Digest, Pick: r.Pick, Pickable: r.Pickable(), Overdue: r.Overdue,
		}
		row.Status, row.Tone = statusBadge(w, r.Run)
		if sentBack(r) {
			row.Status = w.T("status.sent_back")
		}
		switch {
		case r.Run.Status == suspend.Waiting:
			row.Link, row.Since, row.When = "/review/"+string(r.Run.ID), r.Run.WaitingSince, "review.when.waiting"
		case r.Run.Status.Terminal():
			row.Since, row.When = r.Run.Settled, "review.when.ended"
		}
		if n := len(r.Decisions); n > 0 {
			row.Decision = historyViewOf(w, r.Decisions[n-1]).Text
		}
		out[i] = row
	}
	return out
}

// statusBadge is a run's state as a word and a tone.
func statusBadge(w *words, r *suspend.Run) (text, tone string) {
	switch {
	case r.Written && r.Status.Terminal():
		return w.T("status.written"), "success"
	case r.Written:
		return w.T("status.closing"), "success"
	case r.Status == suspend.Waiting:
		return w.T("status.waiting"), "info"
	case r.Status == suspend.Completed && r.Action == actions.Assistant:
		return w.T("status.answered"), "success"
	case r.Status == suspend.Completed:
		return w.T("status.no_proposal"), "neutral"
	case r.Status == suspend.Failed:
		return w.T("status.failed"), "danger"
	}
	return w.T(Key("status." + string(r.Status))), "neutral"
}
