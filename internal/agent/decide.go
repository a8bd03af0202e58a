package agent

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"editor-actions/internal/actions"
	"editor-actions/internal/fault"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"

	"gorm.io/gorm"
)

// writeAttempts bounds how often a write transaction is tried again after the
// database ended it for its own reasons (deadlock, lock wait).
const writeAttempts = 3

// Decide carries out one decision. Nothing is written unless everything holds
// at this moment: the run waits, the turn and digest are the ones that were
// shown (P9), the reviewer may decide, the acting user may write, the old values
// and the picture are the ones the card showed. The write, the record of the
// decision and the run's status are one transaction (P10), so a crash leaves
// either a waiting run or a written one.
func (a *Agent) Decide(ctx context.Context, r DecideRequest) (DecideResult, error) {
	run, state, err := a.Store.Load(ctx, r.Run)
	unreadable := errors.Is(err, suspend.ErrUnreadable)
	if err != nil && !unreadable {
		return DecideResult{}, err
	}
	if !mayRead(a.Settings().Review.ApproverGroups, r.Reviewer, run) {
		return DecideResult{}, ErrRunNotFound
	}
	if run.Status != suspend.Waiting {
		return a.late(ctx, run)
	}
	if why := a.mayDecide(r.Reviewer, run, r.Verb); why != nil {
		return DecideResult{}, why
	}
	if !r.Category.Valid() {
		return DecideResult{}, ErrCategory
	}
	if !sameDigest(run, r.Turn, r.Digest) {
		return DecideResult{Outcome: StaleTurn, Run: run}, nil
	}
	if r.Verb == suspend.VerbReject { // never needs the state: an unreadable run can be put away
		return a.reject(ctx, r, run, state)
	}
	if unreadable || len(state.Pending) != 1 {
		return DecideResult{}, ErrUnreadable
	}
	if !run.WithoutModel() && !a.configurationActive(run.Configuration) {
		return DecideResult{}, ErrConfiguration
	}
	switch r.Verb {
	case suspend.VerbApprove:
		res, err := a.approve(ctx, r, run, state)
		return a.withhold(ctx, r, run, res, err)
	case suspend.VerbAskAgain:
		return a.askAgain(ctx, r, run, state)
	}
	return DecideResult{}, fault.New(fault.Invalid, "unknown_decision", "A decision is approve, ask again or reject.")
}

// withhold keeps what a failed approval says about a text from a reviewer who may
// not see the file: which rule an edit broke, which field moved.
func (a *Agent) withhold(ctx context.Context, r DecideRequest, run *suspend.Run, res DecideResult, err error) (DecideResult, error) {
	if fault.KindOf(err) != fault.Invalid && res.Outcome != Redrawn {
		return res, err
	}
	seen, lookErr := a.Gate.LookMany(ctx, r.Reviewer, []typo3.FileUID{subject(run)})
	if lookErr != nil {
		return DecideResult{}, lookErr
	}
	if len(seen) == 0 {
		return DecideResult{}, ErrWithheld
	}
	return res, err
}

// sameDigest compares in constant time: the digest is what a form must know.
func sameDigest(run *suspend.Run, turn int, digest string) bool {
	return run.Digest != "" && run.Turn == turn && subtle.ConstantTimeCompare([]byte(run.Digest), []byte(digest)) == 1
}

// late answers a decision on a run that no longer waits.
func (a *Agent) late(ctx context.Context, run *suspend.Run) (DecideResult, error) {
	res := DecideResult{Outcome: AlreadyDecided, Run: run}
	earlier, err := a.Store.Decisions(ctx, run.ID)
	if err != nil {
		return res, err
	}
	if d := earlier[run.ID]; len(d) > 0 {
		res.Earlier = &d[len(d)-1]
	}
	return res, nil
}

func (a *Agent) configurationActive(name string) bool {
	c, ok := a.Settings().Providers.Configurations[name]
	return ok && c.Active
}

func (a *Agent) approve(ctx context.Context, r DecideRequest, run *suspend.Run, state *suspend.State) (DecideResult, error) {
	tool, on := a.Catalogue.Tool(run.Tool)
	if !on {
		return DecideResult{}, ErrToolOff
	}
	pending := state.Pending[0]
	subject := actions.Subject{Table: run.SubjectTable, UID: run.SubjectUID}
	shown, err := decodePreview(state.Preview)
	if err != nil {
		return DecideResult{}, ErrUnreadable.Because(err)
	}
	proposed := actions.Call{ID: pending.ID, Tool: pending.Name, Arguments: pending.Arguments, Subject: subject}
	call, edited, err := decidedCall(tool, proposed, r)
	if err != nil {
		return DecideResult{}, err
	}
	if err := a.checkTexts(tool, call, r, run); err != nil {
		return DecideResult{}, err
	}
	actor, err := a.actingUser(ctx, run)
	if err != nil {
		return DecideResult{}, ErrActingUser.Because(err)
	}

	if run.OriginalUser != 0 { // TYPO3's history names the administrator behind a switched session
		switched := *actor
		switched.OriginalUID = typo3.UserUID(run.OriginalUser)
		actor = &switched
	}
	expect := shown.Expect(run.SourceSHA256)
	expect.RemoteIP = r.RemoteIP

	var outcome actions.Outcome
	err = a.inTransaction(ctx, func(tx *gorm.DB) error {
		var err error
		outcome, err = tool.Execute(ctx, tx, actor, call, expect)
		if err != nil {
			return err
		}
		// Nobody approves what they may not look at (P9): their card shows nothing.
		if !a.Gate.Sees(r.Reviewer, outcome.Record) {
			return ErrWithheld
		}
		next := *state
		next.Messages = append(slices.Clone(state.Messages), resultOfWrite(pending, outcome, edited))
		next.Pending = nil
		d := a.decision(r, run)
		d.Edited, d.HistoryUID, d.FileUID = edited, outcome.HistoryUID, uint64(outcome.File)
		d.Fields = changes(outcome, shown)
		return a.Store.Approve(ctx, tx, d, next)
	})
	switch {
	case err == nil:
	case errors.Is(err, suspend.ErrAlreadyDecided), errors.Is(err, suspend.ErrStaleTurn), fault.KindOf(err) == fault.Stale:
		return a.overtaken(ctx, r, run.ID, actor, err)
	default:
		return DecideResult{}, a.explainRefusal(ctx, run, err)
	}
	a.Log.InfoContext(ctx, "wrote approved change", "run_id", run.ID, "turn", run.Turn, "action", run.Action,
		"file_uid", run.SubjectUID, "be_user_uid", r.Reviewer.UID)
	a.hub.changed(run.ID)
	run.Status, run.Phase, run.Written, run.Reason = suspend.Queued, suspend.PhaseClose, true, suspend.ReasonApproved
	return DecideResult{Outcome: Written, Run: run}, nil
}

// overtaken finds out why a write met a changed world: somebody decided first,
// or the record, or its file, moved since the card was drawn. Nothing was written.
func (a *Agent) overtaken(ctx context.Context, r DecideRequest, id suspend.RunID, actor *typo3.BackendUser, cause error) (DecideResult, error) {
	run, state, err := a.Store.Load(ctx, id)
	if err != nil {
		return DecideResult{}, err
	}
	if run.Status != suspend.Waiting {
		return a.late(ctx, run)
	}
	if !sameDigest(run, r.Turn, r.Digest) {
		return DecideResult{Outcome: StaleTurn, Run: run}, nil
	}
	moved, err := a.redraw(ctx, run, state, actor)
	if errors.Is(err, suspend.ErrStaleTurn) || errors.Is(err, suspend.ErrAlreadyDecided) {
		return DecideResult{Outcome: StaleTurn, Run: run}, nil
	}
	if err != nil {
		return DecideResult{}, err
	}
	a.Log.InfoContext(ctx, "redrew stale card", "run_id", id, "turn", run.Turn, "err", cause)
	a.hub.changed(id)
	return DecideResult{Outcome: Redrawn, Run: run, Moved: moved}, nil
}

// explainRefusal turns what kept a write back into a sentence. The true reason
// why a file cannot be used stays with the operator (P3).
func (a *Agent) explainRefusal(ctx context.Context, run *suspend.Run, err error) error {
	a.Log.WarnContext(ctx, "refused approved change", "run_id", run.ID, "file_uid", run.SubjectUID, "err", err)
	if errors.Is(err, actions.ErrNotAvailable) {
		return ErrFileGone.Because(err)
	}
	return err
}

// decidedCall is the call a reviewer approves: as proposed, or with their texts.
func decidedCall(tool actions.Tool, proposed actions.Call, r DecideRequest) (actions.Call, bool, error) {
	if len(r.Edits) == 0 && len(r.Keep) == 0 {
		return proposed, false, nil
	}
	call, err := actions.EditedCall(tool, proposed, r.Edits, r.Keep)
	if err != nil {
		return actions.Call{}, false, err
	}
	before, errBefore := tool.Validate(proposed.Arguments, proposed.Subject)
	after, err := tool.Validate(call.Arguments, call.Subject)
	if err != nil {
		return actions.Call{}, false, err
	}
	if errBefore == nil && sameFields(before, after) {
		return proposed, false, nil // nothing was changed: the bytes that were shown
	}
	return call, true, nil
}

func sameFields(a, b actions.Proposal) bool {
	if len(a.Fields) != len(b.Fields) {
		return false
	}
	for f, v := range a.Fields {
		if w, ok := b.Fields[f]; !ok || w != v {
			return false
		}
	}
	return true
}

// checkTexts holds every text that would be written against the field's rules;
// a finding of level error blocks an approval, whoever wrote the text.
func (a *Agent) checkTexts(tool actions.Tool, call actions.Call, r DecideRequest, run *suspend.Run) error {
	p, err := tool.Validate(call.Arguments, call.Subject)
	if err != nil {
		return err
	}
	for _, e := range a.lint(tool, p, run.Language, r.Reviewer.Language, "") {
		if e.Finding.Level == actions.LevelError {
			return &e
		}
	}
	return nil
}

// lint is everything the text checks say about a proposal, field by field.
func (a *Agent) lint(tool actions.Tool, p actions.Proposal, textLanguage, uiLanguage, fileName string) []TextError {
	var out []TextError
	for _, f := range tool.Fields() {
		text, set := p.Fields[f]
		if !set {
			continue
		}
		for _, finding := range actions.Lint(f, textLanguage, text, a.lintContext(f, uiLanguage, p, fileName)) {
			out = append(out, TextError{Field: f, Finding: finding})
		}
	}
	return out
}

// TextError is a finding about the text of a field; one of level error keeps the text
// from being written as it is.
type TextError struct {
	Field   actions.Field
	Finding actions.Finding
}

func (e *TextError) Error() string {
	return fmt.Sprintf("agent: %s: %s: %s", e.Field, e.Finding.Rule, e.Finding.Message)
}

// As makes a TextError a fault of kind Invalid for callers that look for one.
func (e *TextError) As(target any) bool {
	if f, ok := target.(**fault.Error); ok {
		*f = fault.New(fault.Invalid, "text_"+e.Finding.Rule, "%s", e.Finding.Message)
		return true
	}
	return false
}

func decodePreview(raw json.RawMessage) (actions.Preview, error) {
	var p actions.Preview
	err := json.Unmarshal(raw, &p)
	return p, err
}

func resultOfWrite(call suspend.PendingCall, o actions.Outcome, edited bool) providers.Message {
	written := make(map[string]string, len(o.New))
	for f, v := range o.New {
		written[string(f)] = v
	}
	answer := toolAnswer{Status: "done", Executed: true, Written: written}
	if edited {
		answer.Message = "A reviewer changed the text before approving it."
	}
	return toolResult(providers.ToolCall{ID: call.ID, Name: call.Name}, answer)
}

// changes is the audit of a write: per field what stood there, what was
// proposed and what stands there now.
func changes(o actions.Outcome, shown actions.Preview) map[string]suspend.FieldChange {
	out := make(map[string]suspend.FieldChange, len(o.New))
	for f, v := range o.New {
		out[string(f)] = suspend.FieldChange{Old: o.Old[f], New: v}
	}
	for _, p := range shown.Fields {
		if c, ok := out[string(p.Field)]; ok {
			c.Proposed = p.New
			out[string(p.Field)] = c
		}
	}
	return out
}
