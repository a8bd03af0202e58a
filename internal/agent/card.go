package agent

import (
	"context"
	"encoding/json"
	"errors"

	"editor-actions/internal/actions"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

// Card draws the review card of a run for a viewer. Whether the contents are
// shown depends on the viewer's own right to see the file (P11); a state that
// does not open gives a card that says so (P17). For a run that does not wait
// only View is filled.
func (a *Agent) Card(ctx context.Context, viewer *typo3.BackendUser, id suspend.RunID) (*Card, error) {
	run, state, err := a.Store.Load(ctx, id)
	unreadable := errors.Is(err, suspend.ErrUnreadable)
	if err != nil && !unreadable {
		return nil, err
	}
	settings := a.Settings()
	if !mayRead(settings.Review.ApproverGroups, viewer, run) {
		return nil, ErrRunNotFound
	}
	views, err := a.views(ctx, viewer, []suspend.Run{*run})
	if err != nil {
		return nil, err
	}
	card := &Card{View: views[0]}
	if run.Status != suspend.Waiting {
		return card, nil
	}
	card.Turn, card.Digest = run.Turn, run.Digest
	card.OwnRun = samePerson(viewer, run)
	card.WaitingFor = a.Now().Sub(run.WaitingSince)
	if days := settings.Review.ExpireAfterDays; days > 0 {
		card.ExpiresAt = run.WaitingSince.AddDate(0, 0, days)
	}
	if !run.WithoutModel() {
		card.TurnsLeft = max(0, settings.Agent.MaxTurns-run.Turn)
	}
	if run.Parent != "" {
		switch err := a.mayAskAgain(ctx, run); {
		case err == nil:
			card.TurnsLeft = 1
		case !errors.Is(err, ErrNoModel) && !errors.Is(err, ErrNoTurnsLeft):
			return nil, err
		}
	}
	card.Provider = providerName(run)
	if card.Next, err = a.nextCard(ctx, viewer, run); err != nil {
		return nil, err
	}
	card.CanDecide = a.mayDecide(viewer, run, suspend.VerbReject) == nil
	switch why := a.mayDecide(viewer, run, suspend.VerbApprove); {
	case why == nil:
		card.CanApprove = true
	case errors.Is(why, ErrOwnRun):
		card.WhyNot = ErrOwnRun.Code
	default:
		card.WhyNot = ErrNotAReviewer.Code
	}
	if unreadable || len(state.Pending) != 1 {
		card.Unreadable, card.CanApprove = true, false
		return card, nil
	}
	if card.View.File == nil {
		card.Withheld, card.CanApprove = true, false // see ErrWithheld
		return card, nil
	}
	if err := a.fill(ctx, card, viewer, state); errors.Is(err, ErrUnreadable) {
		card.Unreadable, card.CanApprove = true, false
	} else if err != nil {
		return nil, err
	}
	return card, nil
}

// nextCard is the card in the viewer's inbox after that of a run, "" at its end.
func (a *Agent) nextCard(ctx context.Context, viewer *typo3.BackendUser, run *suspend.Run) (suspend.RunID, error) {
	next, _, err := a.Store.Waiting(ctx, suspend.Query{Initiator: a.scope(viewer), After: suspend.CursorAfter(run), Limit: 1})
	if err != nil || len(next) == 0 {
		return "", err
	}
	return next[0].ID, nil
}

// fill adds what only a viewer of the file may see.
func (a *Agent) fill(ctx context.Context, card *Card, viewer *typo3.BackendUser, state *suspend.State) error {
	preview, err := decodePreview(state.Preview)
	if err != nil {
		return ErrUnreadable.Because(err)
	}
	beside, err := a.besides(ctx, viewer, card.View.File, preview.MetadataUID)
	if err != nil {
		return err
	}
	card.Image = picture(state.Messages)
	card.Note, card.Warnings = state.Note, state.Warnings
	card.Refusal, card.Refused = preview.Refusal, preview.RefusalText
	card.RefusalArg = append(card.RefusalArg, preview.RefusalArgs...)
	for _, m := range state.MovedFields {
		if m == movedPicture {
			card.FileMoved = true
		} else {
			card.Moved = append(card.Moved, actions.Field(m))
		}
	}
	proposal := actions.Proposal{Fields: map[actions.Field]string{}}
	for _, f := range preview.Fields {
		proposal.Fields[f.Field] = f.New
	}
	for _, f := range preview.Fields {
		card.Fields = append(card.Fields, CardField{
			Field: f.Field, Old: f.Old, Proposed: f.New, Language: f.Language,
			MaxLength:  actions.MaxLength(a.Settings(), f.Field),
			Decorative: f.Field == actions.Alternative && f.New == "",
			Findings:   actions.Lint(f.Field, f.Language, f.New, beside.into(a.lintContext(f.Field, viewer.Language, proposal, preview.FileName), f.Field)),
		})
	}
	for _, raw := range state.Proposals {
		var e EarlierProposal
		if json.Unmarshal(raw, &e) == nil { // one bad entry hides no other (P17)
			card.Earlier = append(card.Earlier, e)
		}
	}
	return nil
}

// Shown is the file name and the proposed texts of a waiting card, whoever asks: the
// caller answers for who gets to see them. There is nothing of a card that does not open.
func (a *Agent) Shown(ctx context.Context, id suspend.RunID) (fileName string, texts map[string]string, err error) {
	run, state, err := a.Store.Load(ctx, id)
	if errors.Is(err, suspend.ErrUnreadable) || err == nil && run.Status != suspend.Waiting {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	preview, err := decodePreview(state.Preview)
	if err != nil {
		return "", nil, ErrUnreadable.Because(err)
	}
	texts = make(map[string]string, len(preview.Fields))
	for _, f := range preview.Fields {
		texts[string(f.Field)] = f.New
	}
	return preview.FileName, texts, nil
}

// picture finds the one picture of a transcript.
func picture(messages []providers.Message) *media.Image {
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Type == providers.ImagePart {
				return p.Image
			}
		}
	}
	return nil
}

func providerName(run *suspend.Run) string {
	if run.Configuration == "" {
		return ""
	}
	if run.Model == "" {
		return run.Configuration
	}
	return run.Configuration + " (" + run.Model + ")"
}
