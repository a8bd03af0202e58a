package actions

import (
	"context"
	"slices"

	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/providers"
	"editor-actions/internal/typo3"
)

// RestoreTexts is the key of runs that put earlier texts back. It is no entry of
// the catalogue: no model is asked, and it starts from a file's history.
const RestoreTexts = "restore_texts"

// ErrNothingToRestore is for texts that are the stored ones already.
var ErrNothingToRestore = fault.New(fault.Stale, "nothing_to_restore", "The file has these texts already, so there is nothing to restore.")

// Restored is what a restoring run starts with: the picture to show, and the
// call to decide about.
type Restored struct {
	Call         Call
	Preview      Preview
	File         falgate.File
	SourceSHA256 string
	Messages     []providers.Message // the picture, for the card; nothing is sent
	Language     string              // of the user; nobody knows which one the earlier texts are in
}

// PrepareRestore makes the call that would give the fields of a file their
// earlier texts, as a model would have called the tool: the same rights, checks
// and preview. Fields whose stored text is the earlier one are left out; when none
// is left, the answer is ErrNothingToRestore. Every reason why the file cannot be
// used is ErrNotAvailable, logged with its reason (P3).
func (c *Catalogue) PrepareRestore(ctx context.Context, user *typo3.BackendUser, subject Subject, earlier map[Field]string) (*Restored, error) {
	r, err := c.prepareRestore(ctx, user, subject, earlier)
	return r, c.refused(ctx, err, user, RestoreTexts, subject)
}

func (c *Catalogue) prepareRestore(ctx context.Context, user *typo3.BackendUser, subject Subject, earlier map[Field]string) (*Restored, error) {
	if user == nil {
		return nil, unavailable(reasonNoUser, nil)
	}
	opened, err := c.gate.Open(ctx, user, subject.File())
	if err != nil {
		return nil, err
	}
	tool := c.writerOf(earlier)
	if tool == nil {
		return nil, unavailable(reasonNoAction, nil)
	}
	if !tool.enabled(c.settings().Tools) {
		return nil, unavailable(reasonToolOff, nil)
	}
	small, err := c.scaler.Fit(ctx, opened.Data, c.settings().Vision.MaxImageEdge)
	if err != nil {
		return nil, unscalable(ctx, err)
	}
	fields := make(map[Field]string, len(earlier))
	for f, text := range earlier {
		if writeAnswer(opened.Access, f) != falgate.Yes || opened.File.Metadata == nil {
			return nil, unavailable(reasonField+"_"+string(f), nil)
		}
		if text != stored(opened.File.Metadata, f) {
			fields[f] = text
		}
	}
	if len(fields) == 0 {
		return nil, ErrNothingToRestore
	}
	args, err := marshalArguments(tool, subject, fields)
	if err != nil {
		return nil, err
	}
	r := &Restored{
		Call: Call{ID: RestoreTexts, Tool: tool.Name(), Arguments: args, Subject: subject},
		File: opened.File, SourceSHA256: opened.SHA256, Messages: []providers.Message{pictureMessage(small.Image)}, Language: LanguageOf(user),
	}
	r.Preview = tool.Preview(ctx, nil, user, r.Call)
	return r, nil
}

// writerOf is the tool that writes all of these fields, nil when there is none.
func (c *Catalogue) writerOf(fields map[Field]string) *writeTool {
	for _, t := range c.tools {
		all := len(fields) > 0
		for f := range fields {
			all = all && slices.Contains(t.fields, f)
		}
		if all {
			return t
		}
	}
	return nil
}
