package actions

import (
	"context"
	"slices"

	"editor-actions/internal/fault"
	"editor-actions/internal/typo3"
)

// RestoreTexts is the key of runs that put earlier texts back. It is no entry of
// the catalogue: no model is asked, and it starts from a file's history.
const RestoreTexts = "restore_texts"

// ErrNothingToRestore is for texts that are the stored ones already.
var ErrNothingToRestore = fault.New(fault.Stale, "nothing_to_restore", "The file has these texts already, so there is nothing to restore.")

// PrepareRestore makes the call that would give the fields of a file their
// earlier texts. Fields whose stored text is the earlier one are left out; when none
// is left, the answer is ErrNothingToRestore. Every reason why the file cannot be
// used is ErrNotAvailable, logged with its reason (P3).
func (c *Catalogue) PrepareRestore(ctx context.Context, user *typo3.BackendUser, subject Subject, earlier map[Field]string) (*Draft, error) {
	if user == nil {
		return nil, c.refused(ctx, unavailable(reasonNoUser, nil), user, RestoreTexts, subject)
	}
	d, err := c.draft(ctx, user, subject, c.writerOf(earlier), earlier, RestoreTexts, func(_ Field, text, stored string) bool { return text != stored })
	if err != nil {
		return nil, c.refused(ctx, err, user, RestoreTexts, subject)
	}
	if d.Call.Tool == "" {
		return nil, ErrNothingToRestore
	}
	return d, nil
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
