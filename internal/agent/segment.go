package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"editor-actions/internal/actions"
	"editor-actions/internal/fault"
	"editor-actions/internal/guardrails"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
	"editor-actions/internal/toolimages"
	"editor-actions/internal/typo3"
)

// maxSentence bounds what is kept of a model's free text, in user-perceived characters.
const maxSentence = 400

// maxRepairs is how often a call that cannot be shown goes back to the model within one segment.
const maxRepairs = 1

// segment is one stretch of a run in one process, from a claim to a stored state.
type segment struct {
	a     *Agent
	run   *suspend.Run
	state *suspend.State
	owner string
	usage providers.Usage
	// fileName is for the offline model only; no wire carries it.
	fileName string
}

func (s *segment) execute(ctx context.Context) {
	if s.run.Action == actions.Assistant {
		s.assist(ctx)
		return
	}
	if s.run.Phase == suspend.PhaseClose {
		s.closing(ctx)
		return
	}
	s.propose(ctx)
}

// propose sends the transcript until the model calls the one tool for the one
// record, then suspends. A call that must not be shown (P2) is answered with
// its refusal once; a model that insists ends the run.
func (s *segment) propose(ctx context.Context) {
	tool, on := s.a.Catalogue.Tool(s.run.Tool)
	if !on {
		s.settle(ctx, suspend.Failed, suspend.ReasonToolOff, "", "")
		return
	}
	actor, err := s.a.actingUser(ctx, s.run)
	if err != nil {
		s.stop(ctx, err, suspend.ReasonUserGone)
		return
	}
	if !s.a.Models.MayUse(s.run.Configuration, groupsOf(actor)) {
		s.settle(ctx, suspend.Failed, suspend.ReasonProviderFailed, "", string(providers.Configuration))
		return
	}
	// Days may lie between two turns: the picture is only sent while its
	// initiator may still see the file.
	file, err := s.a.Gate.Look(ctx, actor, subject(s.run))
	if err != nil {
		s.stop(ctx, err, suspend.ReasonFileGone)
		return
	}
	s.fileName = file.Name
	for repairs := 0; ; repairs++ {
		resp, err := s.send(ctx, []providers.Tool{tool.Definition()})
		if err != nil {
			s.stop(ctx, err, suspend.ReasonProviderFailed)
			return
		}
		if len(resp.Message.ToolCalls) == 0 && !callAsText(tool.Definition(), resp.Message.Text) {
			s.noProposal(ctx, resp)
			return
		}
		s.state.Messages = append(s.state.Messages, resp.Message)
		if len(resp.Message.ToolCalls) == 0 {
			s.a.Log.WarnContext(ctx, "model wrote its call as text", "run_id", s.run.ID, "model", s.run.Model)
			if repairs == maxRepairs {
				s.settle(ctx, suspend.Failed, suspend.ReasonRefusedCall, "", ruleCallAsText)
				return
			}
			s.state.Messages = append(s.state.Messages, useTheTool(tool.Definition()))
			continue
		}
		call, _, err := actions.SoleCall(tool, resp.Message.ToolCalls, s.subject())
		if err == nil {
			s.suspend(ctx, tool, actor, call)
			return
		}
		rule := s.answerRefused(ctx, resp.Message.ToolCalls, err)
		s.a.Log.WarnContext(ctx, "refused tool call", "run_id", s.run.ID, "turn", s.run.Turn+1, "rule", rule)
		if repairs == maxRepairs {
			s.settle(ctx, suspend.Failed, suspend.ReasonRefusedCall, "", rule)
			return
		}
	}
}

func groupsOf(u *typo3.BackendUser) []uint32 {
	groups := make([]uint32, len(u.Groups))
	for i, g := range u.Groups {
		groups[i] = uint32(g)
	}
	return groups
}

func (s *segment) subject() actions.Subject {
	return actions.Subject{Table: s.run.SubjectTable, UID: s.run.SubjectUID}
}

// answerRefused gives every call of the turn the refusal as its result, and
// answers the refusal's code.
func (s *segment) answerRefused(ctx context.Context, calls []providers.ToolCall, err error) string {
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok {
		refusal = fault.New(fault.Invalid, "refused_call", "The call was refused.")
	}
	for _, c := range calls {
		m := toolResult(c, toolAnswer{Status: "refused", Rule: refusal.Code, Message: refusal.Sentence()})
		s.state.Messages = append(s.state.Messages, m)
		s.event(ctx, suspend.Event{Kind: suspend.EventTool, Payload: suspend.ToolPayload{
			Tool: toolName(c.Name, s.run.Tool), Arguments: string(c.Arguments), Result: m.Text, IsError: true,
		}})
	}
	return refusal.Code
}

// suspend stores the call with its preview, as the acting user sees it.
func (s *segment) suspend(ctx context.Context, tool actions.Tool, actor *typo3.BackendUser, call actions.Call) {
	preview := tool.Preview(ctx, s.a.DB, actor, call)
	raw, err := json.Marshal(preview)
	if err != nil {
		s.stop(ctx, err, suspend.ReasonInternal)
		return
	}
	s.state.Pending = []suspend.PendingCall{{ID: call.ID, Name: call.Tool, Arguments: call.Arguments}}
	s.state.Preview = raw
	s.state.MovedFields = nil
	turn := s.run.Turn + 1
	store, cancel := detached(ctx)
	defer cancel()
	if _, err := s.a.Store.Suspend(store, s.run.ID, s.owner, suspend.Suspension{
		State: *s.state, Turn: turn, Usage: s.usage, Model: s.run.Model, Vendor: s.run.Vendor,
	}); err != nil {
		s.a.Log.ErrorContext(ctx, "suspend run", "run_id", s.run.ID, "turn", turn, "err", err)
		return
	}
	s.a.Log.InfoContext(ctx, "suspended run", "run_id", s.run.ID, "turn", turn,
		"model", s.run.Model, "input_tokens", s.usage.InputTokens, "output_tokens", s.usage.OutputTokens)
}

// noProposal ends a run in which the model answered in words: it could not or
// would not. Its sentence is what the editor reads.
func (s *segment) noProposal(ctx context.Context, resp providers.Response) {
	s.settle(ctx, suspend.Completed, suspend.ReasonNoProposal, s.sentence(resp.Message.Text), "")
}

// sentence cleans a model's free text for a person: screened, one line, bounded.
func (s *segment) sentence(text string) string {
	v := s.a.Screener().Text(strings.Join(strings.Fields(text), " "))
	switch v.Action {
	case guardrails.Allow, guardrails.Redact:
		return plainText(v.Text, maxSentence)
	default:
		return ""
	}
}

// guardrailStop is the error of a transcript that a guardrail kept back.
type guardrailStop struct {
	rule   string
	reason suspend.Reason
}

func (g *guardrailStop) Error() string { return "guardrail " + g.rule + " stopped the send" }

// send screens the transcript and sends it with tools. It settles nothing: a
// first turn and a closing turn end differently.
func (s *segment) send(ctx context.Context, tools []providers.Tool) (providers.Response, error) {
	return s.sendWith(ctx, tools, providers.VisionAction, nil)
}

// projection puts into screened messages what may be sent and never stored.
type projection func(screened []providers.Message) (providers.Outbound, providers.Requirements, error)

// sendWith is send with what the model must be able to do, and a projection. The order is
// law: screen, project, gate, send.
func (s *segment) sendWith(ctx context.Context, tools []providers.Tool, need providers.Requirements, project projection) (providers.Response, error) {
	scr := screen(s.a.Screener(), s.state.Messages)
	if scr.action != guardrails.Allow {
		s.event(ctx, suspend.Event{Kind: suspend.EventGuardrail, Payload: suspend.GuardrailPayload{Rule: scr.rule, Verdict: string(scr.action)}})
		if scr.action == guardrails.RequireApproval {
			return providers.Response{}, &guardrailStop{rule: scr.rule, reason: suspend.ReasonPolicyApproval}
		}
		return providers.Response{}, &guardrailStop{rule: scr.rule, reason: suspend.ReasonPolicyDenied}
	}
	s.state.Messages = scr.messages // what was masked once is never stored or sent unmasked
	s.event(ctx, suspend.Event{Kind: suspend.EventRequest, Payload: requestPayload(scr.messages, tools)})

	req := providers.Request{Messages: scr.messages, Tools: tools, FileName: s.fileName, User: s.run.Initiator}
	if project != nil {
		out, more, err := project(scr.messages)
		if err != nil {
			return providers.Response{}, err
		}
		req, need = req.With(out), need.Merge(more)
	}
	began := s.a.Now()
	resp, with, err := s.a.Models.Complete(ctx, s.run.Configuration, req, need)
	s.usage = s.usage.Add(resp.Usage)
	if with.Model != "" {
		s.run.Model, s.run.Vendor = with.Model, with.Vendor
	}
	took := s.a.Now().Sub(began)
	s.event(ctx, suspend.Event{Kind: suspend.EventLLM, DurationMS: took.Milliseconds(), Payload: answerPayload(resp, tools, err)})
	if err != nil {
		return resp, err
	}
	s.a.Log.InfoContext(ctx, "got model answer", "run_id", s.run.ID, "provider", with.Name, "model", with.Model,
		"finish_reason", string(resp.FinishReason), "input_tokens", resp.Usage.InputTokens,
		"output_tokens", resp.Usage.OutputTokens, "duration_ms", took.Milliseconds())
	return resp, nil
}

// stop settles a run after err, unless this segment lost its lease or the
// process is going down: then the lease runs out and another worker continues.
func (s *segment) stop(ctx context.Context, err error, reason suspend.Reason) {
	if ctx.Err() != nil {
		s.leave(ctx)
		return
	}
	kind := ""
	if g, ok := errors.AsType[*guardrailStop](err); ok {
		reason, kind = g.reason, g.rule
	}
	if pe, ok := errors.AsType[*providers.Error](err); ok {
		kind = string(pe.Kind)
	}
	s.a.Log.WarnContext(ctx, "stopped run", append([]any{"run_id", s.run.ID, "turn", s.run.Turn, "reason", string(reason), "err", err}, causeOf(err)...)...)
	s.settle(ctx, suspend.Failed, reason, "", kind)
	s.stopBatch(ctx, err)
}

// causeOf is what the operator is told of a refused picture of a tool, for a log line:
// its error says the same about every cause.
func causeOf(err error) []any {
	if cause := toolimages.Reason(err); cause != "" {
		return []any{"cause", cause}
	}
	return nil
}

// leave gives the run back when the process is going down, so that another
// worker need not wait for the lease to run out. After a lost lease there is
// nothing to give back.
func (s *segment) leave(ctx context.Context) {
	cause := context.Cause(ctx)
	s.a.Log.WarnContext(ctx, "left run to another worker", "run_id", s.run.ID, "err", cause)
	if errors.Is(cause, suspend.ErrLeaseLost) {
		return
	}
	store, cancel := detached(ctx)
	defer cancel()
	if err := s.a.Store.Requeue(store, s.run.ID, s.owner, 0); err != nil {
		s.a.Log.WarnContext(ctx, "give run back", "run_id", s.run.ID, "err", err)
	}
}

func (s *segment) settle(ctx context.Context, status suspend.Status, reason suspend.Reason, message, errorKind string) {
	store, cancel := detached(ctx)
	defer cancel()
	err := s.a.Store.Settle(store, s.run.ID, s.owner, suspend.Settlement{
		Status: status, Reason: reason, Message: message, ErrorKind: errorKind, Usage: s.usage,
		Model: s.run.Model, Vendor: s.run.Vendor,
	})
	if err != nil {
		s.a.Log.ErrorContext(ctx, "settle run", "run_id", s.run.ID, "err", err)
		return
	}
	s.a.Log.InfoContext(ctx, "settled run", "run_id", s.run.ID, "status", string(status), "reason", string(reason))
}

// event stores an event. The stream is a record for people: losing one line is
// logged and stops nothing, because decisions are audited in their own transaction.
func (s *segment) event(ctx context.Context, e suspend.Event) {
	e.Turn = s.run.Turn + 1
	if err := s.a.Store.Append(ctx, nil, s.run.ID, e); err != nil && ctx.Err() == nil {
		s.a.Log.ErrorContext(ctx, "store event", "run_id", s.run.ID, "err", err)
	}
}

// detached gives an outcome time to be stored although the process was asked to stop.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
}
