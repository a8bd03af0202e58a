package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/suspend"
)

type inboxJSON struct {
	All     bool      `json:"all"`
	Waiting []runJSON `json:"waiting"`
	Next    string    `json:"next,omitempty"`
	Active  []runJSON `json:"active,omitempty"`
	Recent  []runJSON `json:"recent,omitempty"`
}

func (s *Server) apiInbox(c echo.Context) error {
	after := c.QueryParam("after")
	if len(after) > 256 {
		after = ""
	}
	box, err := s.Agent.Inbox(c.Request().Context(), viewerOf(c), agent.InboxQuery{After: after})
	if err != nil {
		return err
	}
	return answerJSON(c, http.StatusOK, inboxJSON{
		All: box.All, Waiting: s.runsJSON(box.Waiting), Next: box.Next, Active: s.runsJSON(box.Active), Recent: s.runsJSON(box.Recent),
	})
}

func (s *Server) runsJSON(views []agent.RunView) []runJSON {
	out := make([]runJSON, len(views))
	for i := range views {
		out[i] = s.runJSON(&views[i])
	}
	return out
}

// cardJSON is the review card. Turn and digest belong into the decision.
type cardJSON struct {
	Run        runJSON         `json:"run"`
	Turn       int             `json:"turn,omitempty"`
	Digest     string          `json:"digest,omitempty"`
	Unreadable bool            `json:"unreadable"`
	Withheld   bool            `json:"withheld"`
	Picture    string          `json:"picture,omitempty"` // address
	Note       string          `json:"note,omitempty"`
	Fields     []cardFieldJSON `json:"fields,omitempty"`
	Refusal    string          `json:"refusal,omitempty"` // code
	Refused    string          `json:"refused,omitempty"` // sentence
	Moved      []actions.Field `json:"moved,omitempty"`
	FileMoved  bool            `json:"file_moved"`
	Warnings   []string        `json:"warnings,omitempty"`
	CanApprove bool            `json:"can_approve"`
	WhyNot     string          `json:"why_not,omitempty"`
	CanDecide  bool            `json:"can_decide"`
	TurnsLeft  int             `json:"turns_left"`
	ExpiresAt  *time.Time      `json:"expires_at,omitempty"`
}

type cardFieldJSON struct {
	Field      actions.Field     `json:"field"`
	Old        string            `json:"old"`
	Proposed   string            `json:"proposed"`
	Language   string            `json:"language"`
	MaxLength  int               `json:"max_length"`
	Decorative bool              `json:"decorative"`
	Findings   []actions.Finding `json:"findings,omitempty"`
}

func (s *Server) apiCard(c echo.Context) error {
	id, err := runIDOf(c)
	if err != nil {
		return err
	}
	card, err := s.Agent.Card(c.Request().Context(), viewerOf(c), id)
	if err != nil {
		return err
	}
	out := cardJSON{
		Run: s.runJSON(&card.View), Turn: card.Turn, Digest: card.Digest, Unreadable: card.Unreadable, Withheld: card.Withheld,
		Note: card.Note, Refusal: card.Refusal, Moved: card.Moved, FileMoved: card.FileMoved, Warnings: card.Warnings,
		CanApprove: card.CanApprove, WhyNot: card.WhyNot, CanDecide: card.CanDecide, TurnsLeft: card.TurnsLeft, ExpiresAt: moment(card.ExpiresAt),
	}
	if card.Refusal != "" {
		out.Refused = s.words(c).coded(card.Refusal, card.Refused, card.RefusalArg)
	}
	if card.Image != nil {
		out.Picture = s.base + "/review/" + string(id) + "/picture"
	}
	for _, f := range card.Fields {
		out.Fields = append(out.Fields, cardFieldJSON{
			Field: f.Field, Old: f.Old, Proposed: f.Proposed, Language: f.Language,
			MaxLength: f.MaxLength, Decorative: f.Decorative, Findings: f.Findings,
		})
	}
	return answerJSON(c, http.StatusOK, out)
}

// decisionBody is the body of a decision. Turn and digest make it happen at most
// once; the Idempotency-Key is checked for its form and names the call in logs.
type decisionBody struct {
	Verb   suspend.Verb             `json:"verb"`
	Turn   int                      `json:"turn"`
	Digest string                   `json:"digest"`
	Edits  map[actions.Field]string `json:"edits"`
	Keep   []actions.Field          `json:"keep"`
	Reason string                   `json:"reason"`
	// Category says in one word what is wrong, for ask_again and reject.
	Category suspend.Category `json:"category"`
	Token    string           `json:"token"`
}

type decidedJSON struct {
	Outcome agent.DecideOutcome `json:"outcome"`
	Run     runJSON             `json:"run"`
	Earlier *decisionJSON       `json:"earlier,omitempty"`
	Moved   []actions.Field     `json:"moved,omitempty"`
}

func (s *Server) apiDecide(c echo.Context) error {
	id, err := runIDOf(c)
	if err != nil {
		return err
	}
	var body decisionBody
	if err := readJSON(c, &body); err != nil {
		return err
	}
	if err := checkAPIToken(c, body.Token); err != nil {
		return err
	}
	if _, err := idempotencyHeader(c); err != nil {
		return err
	}
	res, err := s.Agent.Decide(c.Request().Context(), agent.DecideRequest{
		Reviewer: viewerOf(c), Run: id, Turn: body.Turn, Digest: body.Digest, Verb: body.Verb,
		Edits: body.Edits, Keep: body.Keep, Reason: body.Reason, Category: body.Category, RemoteIP: c.RealIP(),
	})
	if err != nil {
		return err
	}
	out := decidedJSON{Outcome: res.Outcome, Run: s.runJSON(&agent.RunView{Run: res.Run}), Moved: res.Moved}
	if d := res.Earlier; d != nil {
		out.Earlier = &decisionJSON{Verb: d.Verb, Turn: d.Turn, By: d.ByName, At: d.At.UTC(), Edited: d.Edited}
	}
	code := http.StatusOK
	if res.Outcome == agent.Redrawn || res.Outcome == agent.StaleTurn {
		code = http.StatusConflict
	}
	return answerJSON(c, code, out)
}
