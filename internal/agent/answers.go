package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"editor-actions/internal/actions"
	"editor-actions/internal/database"
	"editor-actions/internal/fault"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"

	"gorm.io/gorm"
)

// maxReason bounds a reviewer's reason, in user-perceived characters.
const maxReason = 500

// reason is the part of a reviewer's words that is used.
func (r DecideRequest) reason() string { return plainText(r.Reason, maxReason) }

// decision is the audit row of r.
func (a *Agent) decision(r DecideRequest, run *suspend.Run) suspend.Decision {
	if r.Verb == suspend.VerbApprove {
		r.Category = "" // nothing was wrong
	}
	return suspend.Decision{
		Run: run.ID, Turn: run.Turn, Digest: run.Digest, Verb: r.Verb,
		By: uint32(r.Reviewer.UID), ByName: r.Reviewer.DisplayName(), OriginalUser: uint32(r.Reviewer.OriginalUID),
		At: a.Now().UTC(), Reason: r.reason(), Category: r.Category, Prompt: run.Prompt,
		SelfApproved: r.Verb == suspend.VerbApprove && samePerson(r.Reviewer, run),
		FileUID:      run.SubjectUID, Model: run.Model, Action: run.Action, Language: run.Language,
	}
}

// shownFields are the texts of a card whose proposal was not taken: what was there
// stays. A state that does not open shows none.
func shownFields(state *suspend.State) map[string]suspend.FieldChange {
	if state == nil {
		return nil
	}
	shown, err := decodePreview(state.Preview)
	if err != nil {
		return nil
	}
	out := map[string]suspend.FieldChange{}
	for _, f := range shown.Fields {
		out[string(f.Field)] = suspend.FieldChange{Old: f.Old, Proposed: f.New, New: f.Old}
	}
	return out
}

// reject settles a run without a write. The model is not asked again; its call
// is answered in the event stream, with who declined it.
func (a *Agent) reject(ctx context.Context, r DecideRequest, run *suspend.Run, state *suspend.State) (DecideResult, error) {
	d := a.decision(r, run)
	d.Fields = shownFields(state)
	answer := toolResult(providers.ToolCall{Name: run.Tool}, denial(r, run, ""))
	err := a.inTransaction(ctx, func(tx *gorm.DB) error {
		if err := a.Store.Reject(ctx, tx, d); err != nil {
			return err
		}
		return a.Store.Append(ctx, tx, run.ID, suspend.Event{
			Kind: suspend.EventTool, Turn: run.Turn,
			Payload: suspend.ToolPayload{Tool: run.Tool, Result: answer.Text, IsError: true},
		})
	})
	if res, late, err := a.lateOr(ctx, run, err); late || err != nil {
		return res, err
	}
	a.Log.InfoContext(ctx, "rejected run", "run_id", run.ID, "turn", run.Turn, "be_user_uid", r.Reviewer.UID)
	a.hub.changed(run.ID)
	run.Status, run.Reason = suspend.Rejected, suspend.ReasonRejected
	return DecideResult{Outcome: Rejected, Run: run}, nil
}

// askAgain answers the call with the reviewer's reason and queues the run for
// another turn. The reason is screened with the transcript before it is sent (P6).
func (a *Agent) askAgain(ctx context.Context, r DecideRequest, run *suspend.Run, state *suspend.State) (DecideResult, error) {
	if run.WithoutModel() && run.Parent == "" {
		return DecideResult{}, ErrNoModel
	}
	if r.reason() == "" && (r.Category == "" || r.Category == suspend.CategoryOther) {
		return DecideResult{}, ErrReason
	}
	if run.Parent != "" {
		return a.sendBack(ctx, r, run, state)
	}
	if run.Turn >= a.Settings().Agent.MaxTurns {
		return DecideResult{}, ErrNoTurnsLeft
	}
	if _, err := a.Models.Resolve(run.Configuration, providers.VisionAction); err != nil {
		return DecideResult{}, ErrConfiguration.Because(err)
	}
	d := a.decision(r, run)
	d.Fields = shownFields(state)
	next, err := askedState(r, run, state, d)
	if err != nil {
		return DecideResult{}, ErrUnreadable.Because(err)
	}
	pending := state.Pending[0]
	err = a.inTransaction(ctx, func(tx *gorm.DB) error {
		if err := a.Store.AskAgain(ctx, tx, d, next); err != nil {
			return err
		}
		return a.Store.Append(ctx, tx, run.ID, suspend.Event{
			Kind: suspend.EventTool, Turn: run.Turn,
			Payload: suspend.ToolPayload{Tool: pending.Name, Arguments: string(pending.Arguments), Result: next.Messages[len(next.Messages)-1].Text, IsError: true},
		})
	})
	if res, late, err := a.lateOr(ctx, run, err); late || err != nil {
		return res, err
	}
	a.Log.InfoContext(ctx, "asked model again", "run_id", run.ID, "turn", run.Turn, "be_user_uid", r.Reviewer.UID)
	a.hub.changed(run.ID)
	run.Status, run.Phase = suspend.Queued, suspend.PhasePropose
	return DecideResult{Outcome: AskedAgain, Run: run}, nil
}

// sendBack answers the ask again of a proposal that an assistant run made: this one ends,
// and that run reads why and may propose a better one.
func (a *Agent) sendBack(ctx context.Context, r DecideRequest, run *suspend.Run, state *suspend.State) (DecideResult, error) {
	err := a.mayAskAgain(ctx, run)
	if errors.Is(err, ErrNoModel) {
		return a.notSentBack(ctx, run)
	}
	if err != nil {
		return DecideResult{}, err
	}
	d := a.decision(r, run)
	d.Fields = shownFields(state)
	err = a.Store.SendBack(ctx, d, run.Parent)
	if errors.Is(err, suspend.ErrNotPaused) {
		return a.notSentBack(ctx, run)
	}
	if res, late, err := a.lateOr(ctx, run, err); late || err != nil {
		return res, err
	}
	a.Log.InfoContext(ctx, "sent proposal back", "run_id", run.ID, "be_user_uid", r.Reviewer.UID)
	a.hub.changed(run.ID)
	run.Status, run.Reason = suspend.Rejected, suspend.ReasonRejected
	return DecideResult{Outcome: AskedAgain, Run: run}, nil
}

// notSentBack is why a proposal could not be sent back: its assistant run ended, or it goes
// on because somebody decided this card a moment ago.
func (a *Agent) notSentBack(ctx context.Context, run *suspend.Run) (DecideResult, error) {
	now, err := a.Store.Get(ctx, run.ID)
	if err != nil {
		return DecideResult{}, err
	}
	if now.Status != suspend.Waiting {
		return a.late(ctx, now)
	}
	return DecideResult{}, ErrNoModel
}

// askedState is the state with the call answered and the proposal kept for the next card.
func askedState(r DecideRequest, run *suspend.Run, state *suspend.State, d suspend.Decision) (suspend.State, error) {
	shown, err := decodePreview(state.Preview)
	if err != nil {
		return suspend.State{}, err
	}
	earlier := EarlierProposal{Turn: run.Turn, Fields: map[actions.Field]string{}, Reason: d.Reason, Category: d.Category, By: d.ByName}
	for _, f := range shown.Fields {
		earlier.Fields[f.Field] = f.New
	}
	raw, err := json.Marshal(earlier)
	if err != nil {
		return suspend.State{}, err
	}
	pending := state.Pending[0]
	next := *state
	next.Messages = append(slices.Clone(state.Messages),
		toolResult(providers.ToolCall{ID: pending.ID, Name: pending.Name}, denial(r, run, feedback(d))))
	next.Proposals = append(slices.Clone(state.Proposals), raw)
	next.Pending, next.Preview, next.MovedFields = nil, nil, nil
	return next, nil
}

// categoryWords are what a model is told; the person reads it in their language.
var categoryWords = map[suspend.Category]string{
	suspend.CategoryTooLong:       "The text is too long.",
	suspend.CategoryWrongSubject:  "The text describes the wrong thing, or something that is not in the picture.",
	suspend.CategoryMissesPurpose: "The text misses what matters about the picture.",
	suspend.CategoryWrongLanguage: "The text is in the wrong language.",
	suspend.CategoryTone:          "The tone of the text does not fit.",
}

// feedback joins the chosen category and the reviewer's own words.
func feedback(d suspend.Decision) string {
	return strings.TrimSpace(categoryWords[d.Category] + " " + d.Reason)
}

// denial tells the model who declined, without naming anybody.
func denial(r DecideRequest, run *suspend.Run, feedback string) toolAnswer {
	by := "other_user"
	if samePerson(r.Reviewer, run) {
		by = "run_owner"
	}
	return deniedAnswer(by, feedback != "", feedback)
}

// deniedAnswer is what a model reads of a call that a person declined: whether a better
// one is wanted, and what should be different.
func deniedAnswer(by string, again bool, feedback string) toolAnswer {
	answer := toolAnswer{
		Status: "approval_denied", DecidedBy: by, Feedback: feedback,
		Message: "A person declined this call. Nothing was executed.",
	}
	if again {
		answer.Message += " Propose a better text with the same tool for the same record. The feedback describes the wanted text; it cannot change the tool or the record."
	}
	return answer
}

// lateOr sorts the error of a conditional transition: late decisions are results.
func (a *Agent) lateOr(ctx context.Context, run *suspend.Run, err error) (DecideResult, bool, error) {
	switch {
	case err == nil:
		return DecideResult{}, false, nil
	case errors.Is(err, suspend.ErrAlreadyDecided):
		now, getErr := a.Store.Get(ctx, run.ID)
		if getErr != nil {
			return DecideResult{}, true, getErr
		}
		res, lateErr := a.late(ctx, now)
		return res, true, lateErr
	case errors.Is(err, suspend.ErrStaleTurn):
		return DecideResult{Outcome: StaleTurn, Run: run}, true, nil
	}
	return DecideResult{}, true, err
}

// inTransaction runs fn in one transaction and tries again when the database
// ended it for its own reasons.
func (a *Agent) inTransaction(ctx context.Context, fn func(tx *gorm.DB) error) error {
	var err error
	for range writeAttempts {
		err = a.DB.WithContext(ctx).Transaction(fn)
		if err == nil || !database.IsTransient(err) {
			return err
		}
	}
	return fault.New(fault.Unavailable, "database_busy", "The database is busy. Nothing was written; try again.").Because(err)
}

// redraw draws a waiting card again with the current values and, when the
// file was replaced, with a new copy of the picture. It answers which fields moved.
func (a *Agent) redraw(ctx context.Context, run *suspend.Run, state *suspend.State, actor *typo3.BackendUser) ([]actions.Field, error) {
	if len(state.Pending) != 1 {
		return nil, ErrUnreadable
	}
	tool, on := a.Catalogue.Tool(run.Tool)
	if !on {
		return nil, ErrToolOff
	}
	shown, err := decodePreview(state.Preview)
	if err != nil {
		return nil, ErrUnreadable.Because(err)
	}
	pending := state.Pending[0]
	fresh := tool.Preview(ctx, a.DB, actor, actions.Call{
		ID: pending.ID, Tool: pending.Name, Arguments: pending.Arguments,
		Subject: actions.Subject{Table: run.SubjectTable, UID: run.SubjectUID},
	})
	moved := movedFields(shown, fresh)
	next := *state
	if next.Preview, err = json.Marshal(fresh); err != nil {
		return nil, err
	}
	next.MovedFields = nil
	for _, f := range moved {
		next.MovedFields = append(next.MovedFields, string(f))
	}
	source, picture, err := a.replacedPicture(ctx, run, actor)
	if err != nil {
		return nil, err
	}
	if picture != nil {
		next.Messages = withPicture(state.Messages, picture)
		next.MovedFields = append(next.MovedFields, movedPicture)
	}
	_, err = a.Store.Redraw(ctx, suspend.Redrawing{Run: run.ID, Turn: run.Turn, Digest: run.Digest, State: next, SourceSHA256: source})
	return moved, err
}

// movedPicture is the word for the file itself among State.MovedFields.
const movedPicture = "file"

// replacedPicture answers the hash of the file as it is now, and a new copy
// of it when it is not the one the run began with.
func (a *Agent) replacedPicture(ctx context.Context, run *suspend.Run, actor *typo3.BackendUser) (string, *media.Image, error) {
	opened, err := a.Gate.Open(ctx, actor, subject(run))
	if err != nil {
		return "", nil, ErrFileGone.Because(err)
	}
	if opened.SHA256 == run.SourceSHA256 {
		return run.SourceSHA256, nil, nil
	}
	fitted, err := a.Scaler.Fit(ctx, opened.Data, a.Settings().Vision.MaxImageEdge)
	if err != nil {
		return "", nil, ErrFileGone.Because(err)
	}
	return opened.SHA256, fitted.Image, nil
}

// withPicture copies messages with img in place of the picture.
func withPicture(messages []providers.Message, img *media.Image) []providers.Message {
	out := slices.Clone(messages)
	for i, m := range out {
		for j, p := range m.Parts {
			if p.Type == providers.ImagePart {
				out[i].Parts = slices.Clone(m.Parts)
				out[i].Parts[j].Image = img
				return out
			}
		}
	}
	return out
}

func movedFields(was, is actions.Preview) []actions.Field {
	now := make(map[actions.Field]string, len(is.Fields))
	for _, f := range is.Fields {
		now[f.Field] = f.Old
	}
	var moved []actions.Field
	for _, f := range was.Fields {
		if v, ok := now[f.Field]; !ok || v != f.Old {
			moved = append(moved, f.Field)
		}
	}
	return moved
}
