package agent

import (
	"context"
	"encoding/json"

	"editor-actions/internal/actions"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

// RestoreRequest asks for the texts as they were before an approved change. All
// of it is raw input.
type RestoreRequest struct {
	User           *typo3.BackendUser
	Run            suspend.RunID // whose change
	Turn           int           // the turn that was approved
	IdempotencyKey string
}

// Restore makes a run of its own that proposes the texts from before a change:
// the same tool, rights and card as any other, and no model. Whoever may write the
// file's texts may start it, for they read the history it comes from. Every reason
// why the file cannot be used, a change that does not exist included, is
// actions.ErrNotAvailable (P3).
func (a *Agent) Restore(ctx context.Context, r RestoreRequest) (*suspend.Run, error) {
	if !r.User.MayEnter(a.Settings().Access.Groups) {
		return nil, actions.ErrNotAvailable
	}
	change, err := a.writtenChange(ctx, r.Run, r.Turn)
	if err != nil {
		return nil, err
	}
	earlier := make(map[actions.Field]string, len(change.Fields))
	for f, c := range change.Fields {
		earlier[actions.Field(f)] = c.Old
	}
	sub := actions.Subject{Table: actions.TableFile, UID: change.FileUID}
	p, err := a.Catalogue.PrepareRestore(ctx, r.User, sub, earlier)
	if err != nil {
		return nil, err
	}
	run, created, err := a.storeDraft(ctx, r.User, p, suspend.NewRun{Action: actions.RestoreTexts, IdempotencyKey: r.IdempotencyKey})
	if err != nil {
		return nil, err
	}
	if created {
		a.Log.InfoContext(ctx, "proposed earlier texts", "run_id", run.ID, "file_uid", run.SubjectUID, "be_user_uid", r.User.UID)
	}
	return run, nil
}

// storeDraft makes the waiting run of a draft. n says what is particular about it.
func (a *Agent) storeDraft(ctx context.Context, user *typo3.BackendUser, d *actions.Draft, n suspend.NewRun) (*suspend.Run, bool, error) {
	n, err := newDraftRun(user, d, n)
	if err != nil {
		return nil, false, err
	}
	run, created, err := a.Store.Create(ctx, n)
	if err != nil {
		return nil, false, err
	}
	if created {
		a.hub.changed(run.ID)
	}
	return run, created, nil
}

// newDraftRun fills a run with a draft. n says what is particular about it.
func newDraftRun(user *typo3.BackendUser, d *actions.Draft, n suspend.NewRun) (suspend.NewRun, error) {
	preview, err := json.Marshal(d.Preview)
	if err != nil {
		return n, err
	}
	sub := d.Call.Subject
	n.Tool, n.SubjectTable, n.SubjectUID, n.StorageUID = d.Call.Tool, sub.Table, sub.UID, uint32(d.File.Storage)
	n.Initiator, n.OriginalUser = uint32(user.UID), uint32(user.OriginalUID)
	n.Language, n.SourceSHA256 = d.Language, d.SourceSHA256
	n.State = suspend.State{
		Messages: d.Messages, Preview: preview, Warnings: d.Warnings,
		Pending: []suspend.PendingCall{{ID: d.Call.ID, Name: d.Call.Tool, Arguments: d.Call.Arguments}},
	}
	return n, nil
}

// writtenChange finds an approved change. One that does not exist gives an empty
// one on no file, which is refused where every other file is.
func (a *Agent) writtenChange(ctx context.Context, id suspend.RunID, turn int) (suspend.Decision, error) {
	found, err := a.Store.Decisions(ctx, id)
	if err != nil {
		return suspend.Decision{}, err
	}
	for _, d := range found[id] {
		if d.Turn == turn && d.Verb == suspend.VerbApprove {
			return d, nil
		}
	}
	return suspend.Decision{}, nil
}
