package agent

import (
	"context"

	"editor-actions/internal/actions"
	"editor-actions/internal/fault"
	"editor-actions/internal/providers"
	"editor-actions/internal/readtools"
	"editor-actions/internal/suspend"
	"editor-actions/internal/toolimages"

	"github.com/google/uuid"
)

// What an assistant is told about calls that it may not make.
var (
	errUnknownTool  = fault.New(fault.Invalid, "unknown_tool", "There is no such tool here.")
	errNoJSON       = fault.New(fault.Invalid, "arguments_no_json", "The arguments are no JSON object.")
	errManyCalls    = fault.New(fault.Invalid, "too_many_calls_of_turn", "At most %d calls of one turn are carried out. Make this one again.", maxCalls)
	errOtherFolder  = fault.New(fault.Forbidden, "other_folder", "The file is not in the folder that this request is about.")
	errPictures     = fault.New(fault.RateLimited, "too_many_pictures", "This run has looked at as many pictures as it may.")
	errPicturesNow  = fault.New(fault.Invalid, "pictures_of_one_turn", "At most three pictures can be looked at in one turn. Look at this one in the next.")
	errNoPictures   = fault.New(fault.Unsupported, "model_does_not_see", "The picture cannot be shown, because the model is not declared as one that sees.")
	errManyProposed = fault.New(fault.RateLimited, "too_many_proposals", "This run has made as many proposals as it may.")
)

// proposals prepares the runs of a turn's writing calls and keeps the refusals of those
// that cannot be shown to a person. Nothing of the turn is carried out before.
func (h *assistant) proposals(ctx context.Context, calls []providers.ToolCall) ([]suspend.NewRun, error) {
	h.loop.Refused, h.loop.Runs = map[string]toolAnswer{}, map[string]suspend.RunID{}
	made, err := h.a.Store.Proposed(ctx, h.run.ID)
	if err != nil {
		return nil, err
	}
	var runs []suspend.NewRun
	for i, c := range calls {
		if c.Malformed {
			h.loop.Refused[c.ID] = refusal(errNoJSON)
			continue
		}
		if _, writes := h.writes[c.Name]; !writes {
			continue
		}
		n, err := h.proposal(ctx, c, i, len(made)+len(runs))
		switch {
		case err == nil:
			n.ID = suspend.RunID(uuid.Must(uuid.NewV7()).String())
			h.loop.Runs[c.ID] = n.ID
			runs = append(runs, n)
		case ctx.Err() != nil, fault.KindOf(err) == fault.Internal:
			return nil, err
		default:
			h.loop.Refused[c.ID] = refusal(err)
		}
	}
	return runs, nil
}

// proposal is the run of one writing call: the same rights, checks, preview and picture
// as any other card. What is wrong with it is an error the model can read.
func (h *assistant) proposal(ctx context.Context, c providers.ToolCall, index, made int) (suspend.NewRun, error) {
	if index >= maxCalls {
		return suspend.NewRun{}, errManyCalls
	}
	if made >= h.a.Settings().Assistant.MaxProposals {
		return suspend.NewRun{}, errManyProposed
	}
	d, p, err := h.a.Catalogue.PrepareProposal(ctx, h.actor, c.Name, c.Arguments)
	if err != nil {
		return suspend.NewRun{}, err
	}
	if !inFolder(h.run, &d.File) {
		return suspend.NewRun{}, errOtherFolder
	}
	for _, f := range h.a.lint(h.writes[c.Name], p, d.Language, "en", d.File.Name) {
		if f.Finding.Level == actions.LevelError {
			return suspend.NewRun{}, &f
		}
	}
	if d.Preview.Refusal != "" {
		return suspend.NewRun{}, actions.ErrNotAvailable
	}
	n, err := newDraftRun(h.actor, d, suspend.NewRun{
		Action: actions.AssistantTexts, Configuration: h.run.Configuration, Vendor: h.run.Vendor, Model: h.run.Model,
	})
	n.Initiator, n.OriginalUser = h.run.Initiator, h.run.OriginalUser
	n.State.Note = h.state.Note // whoever decides reads what was asked for
	return n, err
}

// answer gives every call of the turn its result, in the model's order, and stores how
// far the run has come.
func (h *assistant) answer(ctx context.Context) error {
	outcomes, err := h.outcomes(ctx)
	if err != nil {
		return err
	}
	h.looked = 0
	for i, p := range h.state.Pending {
		call := providers.ToolCall{ID: p.ID, Name: p.Name, Arguments: p.Arguments}
		m, err := h.result(ctx, call, i, outcomes)
		if err != nil {
			return err
		}
		h.state.Messages = append(h.state.Messages, m)
		h.event(ctx, suspend.Event{Kind: suspend.EventTool, Payload: suspend.ToolPayload{
			Tool: toolName(call.Name, h.offered()...), Arguments: string(call.Arguments), Result: m.Text, IsError: m.ToolError,
		}})
	}
	h.state.Pending, h.loop.Refused, h.loop.Runs = nil, nil, nil
	if err := h.keep(); err != nil {
		return err
	}
	if err := h.a.Store.SaveProgress(ctx, h.run.ID, h.owner, *h.state, h.usage); err != nil {
		return err
	}
	h.run.Usage, h.usage = h.run.Usage.Add(h.usage), providers.Usage{} // it is stored
	return nil
}

func (h *assistant) offered() []string {
	var names []string
	for name := range h.reads {
		names = append(names, name)
	}
	for name := range h.writes {
		names = append(names, name)
	}
	return names
}

// result answers one call of the turn.
func (h *assistant) result(ctx context.Context, call providers.ToolCall, index int, outcomes map[suspend.RunID]toolAnswer) (providers.Message, error) {
	if refused, ok := h.loop.Refused[call.ID]; ok {
		return toolResult(call, refused), nil
	}
	if id, ok := h.loop.Runs[call.ID]; ok {
		return toolResult(call, outcomes[id]), nil
	}
	tool, ok := h.reads[call.Name]
	switch {
	case !ok:
		return toolResult(call, refusal(errUnknownTool)), nil
	case index >= maxCalls:
		return toolResult(call, refusal(errManyCalls)), nil
	}
	m, err := h.read(ctx, tool, call)
	if err == nil {
		return m, nil
	}
	if ctx.Err() != nil || fault.KindOf(err) == fault.Internal {
		return m, err
	}
	if cause := causeOf(err); cause != nil {
		h.a.Log.InfoContext(ctx, "refused picture", append([]any{"run_id", h.run.ID, "tool", tool.Name(), "err", err}, cause...)...)
	}
	return toolResult(call, refusal(err)), nil
}

// read carries out a call that only reads.
func (h *assistant) read(ctx context.Context, tool readtools.Tool, call providers.ToolCall) (providers.Message, error) {
	if tool.Image() {
		switch {
		case !h.sees:
			return providers.Message{}, errNoPictures
		case h.loop.Pictures >= h.a.Settings().Assistant.MaxPictures:
			return providers.Message{}, errPictures
		case h.looked >= toolimages.DefaultConfig().MaxPerRound:
			return providers.Message{}, errPicturesNow
		}
	}
	res, err := tool.Run(ctx, h.actor, call.Arguments)
	if err != nil {
		return providers.Message{}, err
	}
	if res.Image == nil {
		return providers.Message{Role: providers.ToolRole, ToolCallID: call.ID, ToolName: call.Name, Text: providers.WithoutInlineImages(res.Text)}, nil
	}
	if err := h.maySee(ctx, uint32(res.File)); err != nil {
		return providers.Message{}, errOtherFolder.Because(err)
	}
	p, err := h.images.Save(ctx, toolimages.SaveInput{Data: res.Image.Bytes(), MIMEType: string(res.Image.Type()), Title: res.Title, File: uint32(res.File)})
	if err != nil {
		return providers.Message{}, err
	}
	h.loop.Pictures++
	h.looked++
	return h.images.Result(call, providers.WithoutInlineImages(res.Text), p)
}

// outcomes are what became of the proposals of the turn, as the model is told.
func (h *assistant) outcomes(ctx context.Context) (map[suspend.RunID]toolAnswer, error) {
	out := map[suspend.RunID]toolAnswer{}
	if len(h.loop.Runs) == 0 {
		return out, nil
	}
	runs, err := h.a.Store.Proposed(ctx, h.run.ID)
	if err != nil {
		return nil, err
	}
	ids := make([]suspend.RunID, len(runs))
	for i := range runs {
		ids[i] = runs[i].ID
	}
	decisions, err := h.a.Store.Decisions(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for i := range runs {
		out[runs[i].ID] = outcomeOf(&runs[i], decisions[runs[i].ID])
	}
	for _, id := range h.loop.Runs {
		if _, there := out[id]; !there { // purged while its run was paused
			out[id] = toolAnswer{Status: "refused", Rule: "proposal_gone", Message: "Nobody decided about this proposal. Nothing was executed."}
		}
	}
	return out, nil
}

func outcomeOf(run *suspend.Run, decisions []suspend.Decision) toolAnswer {
	var last suspend.Decision
	if n := len(decisions); n > 0 {
		last = decisions[n-1]
	}
	switch {
	case run.Written:
		answer := toolAnswer{Status: "done", Executed: true, Written: map[string]string{}}
		for f, c := range last.Fields {
			answer.Written[f] = c.New
		}
		if last.Edited {
			answer.Message = "A reviewer changed the text before approving it."
		}
		return answer
	case run.Status == suspend.Rejected:
		by := "other_user"
		if last.By == run.Initiator {
			by = "run_owner"
		}
		return deniedAnswer(by, last.Verb == suspend.VerbAskAgain, feedback(last))
	}
	return toolAnswer{Status: "refused", Rule: string(run.Status), Message: "The proposal ended without a decision. Nothing was executed."}
}
