package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/falgate"
	"editor-actions/internal/suspend"
)

type actionJSON struct {
	Key         string          `json:"key"`
	Label       string          `json:"label"`
	Description string          `json:"description"`
	RecordTypes []string        `json:"record_types"`
	Fields      []actions.Field `json:"fields"`
}

type actionsJSON struct {
	Actions []actionJSON `json:"actions"`
}

// apiActions is the catalogue, for a record or in general.
func (s *Server) apiActions(c echo.Context) error {
	ctx, viewer, w := c.Request().Context(), viewerOf(c), s.words(c)
	table := c.QueryParam("table")
	if c.QueryParams().Has("table") || c.QueryParams().Has("uid") {
		access, file, err := s.Gate.Access(ctx, viewer, subject(table, c.QueryParam("uid")).File())
		if err != nil {
			return err
		}
		if file == nil || access.Usable != usable {
			return falgate.ErrNotAvailable
		}
	}
	out := actionsJSON{Actions: []actionJSON{}}
	for _, o := range s.Catalogue.Offers(ctx, viewer, table) {
		out.Actions = append(out.Actions, actionJSON{
			Key: o.Action.Key, Label: w.T(Key(o.Action.LabelKey)), Description: w.T(Key(o.Action.DescriptionKey)),
			RecordTypes: o.Action.RecordTypes, Fields: o.Fields,
		})
	}
	return answerJSON(c, http.StatusOK, out)
}

// startJSON is the body of a start.
type startJSON struct {
	Action string `json:"action"`
	Table  string `json:"table"`
	UID    uint64 `json:"uid"`
	Note   string `json:"note"`
	Token  string `json:"token"`
}

// apiStart starts a run. The same Idempotency-Key gives the same run.
func (s *Server) apiStart(c echo.Context) error {
	var body startJSON
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
	run, err := s.Agent.Start(c.Request().Context(), agent.StartRequest{
		User: viewerOf(c), Action: body.Action, Table: body.Table, UID: body.UID, Note: body.Note, IdempotencyKey: key,
	})
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, s.base+"/api/v1/runs/"+string(run.ID))
	return answerJSON(c, http.StatusCreated, s.startedJSON(run))
}

// startedJSON is a run as the viewer who asked for it is answered.
func (s *Server) startedJSON(run *suspend.Run) runJSON {
	return s.runJSON(&agent.RunView{Run: run, CanCancel: !run.Status.Terminal() && !run.Written})
}

// runJSON is a run without content.
type runJSON struct {
	ID        suspend.RunID   `json:"id"`
	Action    string          `json:"action"`
	Table     string          `json:"table"`
	UID       uint64          `json:"uid"`
	FileName  string          `json:"file_name,omitempty"`
	Status    suspend.Status  `json:"status"`
	Reason    suspend.Reason  `json:"reason,omitempty"`
	ErrorKind string          `json:"error_kind,omitempty"`
	Written   bool            `json:"written"`
	Turn      int             `json:"turn"`
	Initiator string          `json:"initiator,omitempty"`
	CreatedAt *time.Time      `json:"created_at,omitempty"`
	WaitingAt *time.Time      `json:"waiting_since,omitempty"`
	SettledAt *time.Time      `json:"settled_at,omitempty"`
	Message   string          `json:"message,omitempty"`
	Folder    string          `json:"folder,omitempty"`    // of an assistant run
	Parent    suspend.RunID   `json:"parent,omitempty"`    // the assistant run that made this proposal
	Proposals []suspend.RunID `json:"proposals,omitempty"` // of an assistant run
	CanCancel bool            `json:"can_cancel"`
	Proposer  string          `json:"proposed_by,omitempty"` // an agent outside
	Usage     *usageJSON      `json:"usage,omitempty"`
	Decisions []decisionJSON  `json:"decisions,omitempty"`
}

// usageJSON is what a run was billed so far. Cost is missing where a price is unknown.
type usageJSON struct {
	InputTokens       int64    `json:"input_tokens"`
	OutputTokens      int64    `json:"output_tokens"`
	CachedInputTokens int64    `json:"cached_input_tokens,omitempty"`
	ReasoningTokens   int64    `json:"reasoning_tokens,omitempty"`
	Cost              *float64 `json:"cost,omitempty"`
	Currency          string   `json:"currency,omitempty"`
}

func usageJSONOf(r *suspend.Run, currency string) *usageJSON {
	u := r.Usage
	if u.InputTokens == 0 && u.OutputTokens == 0 {
		return nil
	}
	out := &usageJSON{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CachedInputTokens: u.CachedInputTokens, ReasoningTokens: u.ReasoningTokens}
	if !u.Unpriced {
		cost := float64(u.CostMicros) / 1e6
		out.Cost, out.Currency = &cost, currency
	}
	return out
}

type decisionJSON struct {
	Verb   suspend.Verb                   `json:"verb"`
	Turn   int                            `json:"turn"`
	By     string                         `json:"by"`
	At     time.Time                      `json:"at"`
	Edited bool                           `json:"edited"`
	Reason string                         `json:"reason,omitempty"`
	Fields map[string]suspend.FieldChange `json:"fields,omitempty"`
}

func (s *Server) runJSON(v *agent.RunView) runJSON {
	r := v.Run
	out := runJSON{
		ID: r.ID, Action: r.Action, Table: r.SubjectTable, UID: r.SubjectUID, Status: r.Status, Reason: r.Reason, ErrorKind: r.ErrorKind, Written: r.Written,
		Turn: r.Turn, Initiator: v.Initiator, CreatedAt: moment(r.Created), WaitingAt: moment(r.WaitingSince), SettledAt: moment(r.Settled),
		Folder: v.Folder, Parent: r.Parent, CanCancel: v.CanCancel, Proposer: proposerOf(r), Usage: usageJSONOf(r, s.Settings().Providers.Currency),
	}
	if r.Status != suspend.Waiting {
		out.WaitingAt = nil
	}
	if v.File != nil {
		out.FileName, out.Message = v.File.Name, r.Message
	} else if v.Folder != "" {
		out.Message = r.Message
	}
	for _, d := range v.Decisions {
		dj := decisionJSON{Verb: d.Verb, Turn: d.Turn, By: d.ByName, At: d.At.UTC(), Edited: d.Edited}
		if v.File != nil { // texts are content
			dj.Reason, dj.Fields = d.Reason, d.Fields
		}
		out.Decisions = append(out.Decisions, dj)
	}
	return out
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	u := t.UTC()
	return &u
}

func (s *Server) apiRun(c echo.Context) error {
	id, err := runIDOf(c)
	if err != nil {
		return err
	}
	v, err := s.Agent.View(c.Request().Context(), viewerOf(c), id)
	if err != nil {
		return err
	}
	out := s.runJSON(v)
	if v.Run.Action == actions.Assistant {
		proposals, err := s.Agent.ProposalRuns(c.Request().Context(), viewerOf(c), id)
		if err != nil {
			return err
		}
		for _, p := range proposals {
			out.Proposals = append(out.Proposals, p.Run.ID)
		}
	}
	return answerJSON(c, http.StatusOK, out)
}
