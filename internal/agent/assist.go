package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"editor-actions/internal/actions"
	"editor-actions/internal/config"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/guardrails"
	"editor-actions/internal/providers"
	"editor-actions/internal/readtools"
	"editor-actions/internal/suspend"
	"editor-actions/internal/toolimages"
	"editor-actions/internal/typo3"
)

// maxCalls bounds the calls of one turn that are answered; the rest is refused.
const maxCalls = 24

// assistant is one stretch of an assistant run.
type assistant struct {
	*segment
	actor  *typo3.BackendUser
	loop   loopState
	reads  map[string]readtools.Tool
	writes map[string]actions.Tool
	images *toolimages.Service
	sees   bool // the model is known to see, so it may be shown pictures of tools
	looked int  // pictures of this turn
}

// assist goes on with an assistant run: it answers the turn that waited, then asks the
// model and carries out what only reads, until it proposes, says its last word, or has
// used up what one run may take. Rights are those of the acting user at every step.
func (s *segment) assist(ctx context.Context) {
	h := &assistant{segment: s}
	if err := h.open(); err != nil {
		s.stop(ctx, err, suspend.ReasonInternal)
		return
	}
	if len(s.state.Pending) > 0 {
		if !h.allowed(ctx) {
			return
		}
		if err := h.answer(ctx); err != nil {
			s.stop(ctx, err, suspend.ReasonInternal)
			return
		}
	}
	for h.within() {
		if !h.allowed(ctx) {
			return
		}
		over, err := h.turn(ctx)
		if err != nil {
			s.stop(ctx, err, brokeOff(err))
			return
		}
		if over {
			return
		}
	}
	s.settle(ctx, suspend.Completed, suspend.ReasonLimit, "", "")
}

// allowed asks anew who acts and whether they may still do so here: minutes lie between two
// steps, and days between two turns. When they may not, it ends the run.
func (h *assistant) allowed(ctx context.Context) bool {
	if !h.a.Settings().Assistant.Enabled {
		h.settle(ctx, suspend.Failed, suspend.ReasonToolOff, "", "")
		return false
	}
	actor, err := h.a.actingUser(ctx, h.run)
	if err != nil {
		h.stop(ctx, err, suspend.ReasonUserGone)
		return false
	}
	if !h.a.Models.MayUse(h.run.Configuration, groupsOf(actor)) {
		h.settle(ctx, suspend.Failed, suspend.ReasonProviderFailed, "", string(providers.Configuration))
		return false
	}
	if _, err := h.a.folder(ctx, actor, h.run.Folder); err != nil {
		h.stop(ctx, err, suspend.ReasonFileGone)
		return false
	}
	h.actor = actor
	return true
}

// brokeOff is why a turn could not be finished: the model is only blamed for its own part.
func brokeOff(err error) suspend.Reason {
	if errors.Is(err, toolimages.ErrUnavailable) { // the right to see a picture went while it was on its way
		return suspend.ReasonFileGone
	}
	if _, ok := errors.AsType[*providers.Error](err); ok {
		return suspend.ReasonProviderFailed
	}
	return suspend.ReasonInternal
}

// open reads what the run knows of itself and prepares its tools.
func (h *assistant) open() error {
	if err := json.Unmarshal(h.state.Loop, &h.loop); err != nil {
		return err
	}
	h.reads, h.writes = map[string]readtools.Tool{}, map[string]actions.Tool{}
	for _, t := range readtools.On(h.a.Settings(), h.a.ReadTools) {
		h.reads[t.Name()] = t
	}
	for _, t := range h.a.writeTools() {
		h.writes[t.Name()] = t
	}
	_, err := h.a.Models.Resolve(h.run.Configuration, providers.Requirements{Vision: providers.NeedDeclared, Tools: true})
	h.sees = err == nil
	scope := toolimages.ForRun(h.a.Installation, h.run)
	h.images, err = toolimages.New(h.a.Store, h.a.Scaler, toolimages.Host{
		Scope:   func(context.Context) (toolimages.Scope, error) { return scope, nil },
		MayLook: h.maySee,
		Screen: func(text string) (string, error) {
			switch v := h.a.Screener().Text(text); v.Action {
			case guardrails.Allow, guardrails.Redact:
				return v.Text, nil
			default:
				return "", &guardrailStop{rule: v.Rule, reason: suspend.ReasonPolicyDenied}
			}
		},
		MaxEdge: func() int { return h.a.Settings().Vision.MaxImageEdge },
	}, toolimages.DefaultConfig())
	return err
}

// maySee asks anew whether a picture of the run's folder may be shown to the model.
func (h *assistant) maySee(ctx context.Context, file uint32) error {
	f, err := h.a.Gate.Look(ctx, h.actor, typo3.FileUID(file))
	if err != nil {
		return err
	}
	if !inFolder(h.run, f) {
		return falgate.ErrNotAvailable
	}
	return nil
}

// within reports whether the run may ask its model once more.
func (h *assistant) within() bool {
	return withinLimits(h.a.Settings(), h.loop, h.run.Usage.Add(h.usage))
}

func withinLimits(s *config.Settings, loop loopState, u providers.Usage) bool {
	limit := s.Assistant
	return loop.Steps < limit.MaxSteps &&
		(limit.MaxTokens == 0 || u.InputTokens+u.OutputTokens < limit.MaxTokens) &&
		(limit.MaxCost == 0 || !u.Unpriced && float64(u.CostMicros) < limit.MaxCost*1e6) // what has no price is not known to be within
}

// mayAskAgain answers why the assistant run that made a proposal cannot make a better one,
// or nil: ErrNoModel when it does not wait for it any more, ErrNoTurnsLeft when it has used
// up what it may.
func (a *Agent) mayAskAgain(ctx context.Context, proposal *suspend.Run) error {
	parent, state, err := a.Store.Load(ctx, proposal.Parent)
	switch {
	case errors.Is(err, suspend.ErrRunNotFound), errors.Is(err, suspend.ErrUnreadable), err == nil && parent.Status != suspend.Paused:
		return ErrNoModel
	case err != nil:
		return err
	}
	var loop loopState
	if err := json.Unmarshal(state.Loop, &loop); err != nil {
		return ErrNoModel.Because(err)
	}
	made, err := a.Store.Proposed(ctx, parent.ID)
	if err != nil {
		return err
	}
	if s := a.Settings(); !s.Assistant.Enabled || len(made) >= s.Assistant.MaxProposals || !withinLimits(s, loop, parent.Usage) {
		return ErrNoTurnsLeft
	}
	return nil
}

// turn asks the model once. It answers what only reads, pauses the run on proposals, and
// settles it with the model's last word; true means that this stretch is over.
func (h *assistant) turn(ctx context.Context) (over bool, err error) {
	resp, err := h.ask(ctx)
	if err != nil {
		return false, err
	}
	h.loop.Steps++
	calls := resp.Message.ToolCalls
	if len(calls) == 0 {
		h.settle(ctx, suspend.Completed, suspend.ReasonAnswered, h.lastWord(resp.Message.Text), "")
		return true, nil
	}
	if !h.allowed(ctx) { // the model has thought for a while
		return true, nil
	}
	h.name(calls)
	h.state.Messages = append(h.state.Messages, resp.Message)
	h.state.Pending = make([]suspend.PendingCall, len(calls))
	for i, c := range calls {
		h.state.Pending[i] = suspend.PendingCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}
	}
	proposals, err := h.proposals(ctx, calls)
	if err != nil {
		return false, err
	}
	if len(proposals) > 0 {
		return true, h.pause(ctx, proposals)
	}
	return false, h.answer(ctx)
}

// name gives calls without an id, or with one that the transcript has already, one of
// their own: results are told apart by it.
func (h *assistant) name(calls []providers.ToolCall) {
	taken := map[string]bool{}
	for _, m := range h.state.Messages {
		for _, c := range m.ToolCalls {
			taken[c.ID] = true
		}
	}
	for i := range calls {
		if id := calls[i].ID; id == "" || taken[id] {
			calls[i].ID = fmt.Sprintf("call_%d_%d", h.loop.Steps, i+1)
		}
		taken[calls[i].ID] = true
	}
}

// ask screens the transcript, puts the pictures of the last round behind it, and sends it.
func (h *assistant) ask(ctx context.Context) (providers.Response, error) {
	shown := map[string]struct{}{}
	var tools []providers.Tool
	for _, t := range h.a.ReadTools { // in their order, so that the request's head stays the same
		if _, on := h.reads[t.Name()]; !on {
			continue
		}
		if t.Image() && h.sees {
			shown[t.Name()] = struct{}{}
		}
		tools = append(tools, t.Definition())
	}
	for _, t := range h.a.Catalogue.Tools() {
		if _, on := h.writes[t.Name()]; on {
			tools = append(tools, t.Definition())
		}
	}
	return h.sendWith(ctx, tools, providers.Requirements{Tools: true}, func(screened []providers.Message) (providers.Outbound, providers.Requirements, error) {
		return h.images.Project(ctx, screened, shown)
	})
}

// pause stores the turn with the runs of its proposals.
func (h *assistant) pause(ctx context.Context, proposals []suspend.NewRun) error {
	if err := h.keep(); err != nil {
		return err
	}
	store, cancel := detached(ctx)
	defer cancel()
	turn := h.run.Turn + 1
	err := h.a.Store.Pause(store, h.run.ID, h.owner, suspend.Suspension{
		State: *h.state, Turn: turn, Usage: h.usage, Model: h.run.Model, Vendor: h.run.Vendor,
	}, proposals)
	if err != nil {
		h.a.Log.ErrorContext(ctx, "pause run", "run_id", h.run.ID, "turn", turn, "err", err)
		return nil // the lease runs out, and another worker goes on
	}
	h.a.Log.InfoContext(ctx, "paused run", "run_id", h.run.ID, "turn", turn, "count", len(proposals), "model", h.run.Model)
	return nil
}

// keep puts the run's own counts into its state.
func (h *assistant) keep() (err error) {
	h.state.Loop, err = json.Marshal(h.loop)
	return err
}

// lastWord is the model's closing text, cleaned for a person.
func (h *assistant) lastWord(text string) string {
	switch v := h.a.Screener().Text(text); v.Action {
	case guardrails.Allow, guardrails.Redact:
		return plainText(v.Text, maxLastWord)
	default:
		return ""
	}
}

// maxLastWord bounds the assistant's closing text, in user-perceived characters.
const maxLastWord = 2000

// refusal is what a model is told about a call that was not carried out.
func refusal(err error) toolAnswer {
	if te, ok := errors.AsType[*TextError](err); ok {
		return toolAnswer{Status: "refused", Rule: te.Finding.Rule, Message: string(te.Field) + ": " + te.Finding.Message}
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		f = falgate.ErrNotAvailable
	}
	return toolAnswer{Status: "refused", Rule: f.Code, Message: f.Sentence()}
}
