package agent

import (
	"context"
	"errors"
	"path"
	"strconv"

	"editor-actions/internal/actions"
	"editor-actions/internal/falgate"
	"editor-actions/internal/typo3"
)

// neighbours bounds the files of the same folder that a text is compared with.
const neighbours = 200

// beside is what a text could repeat: what a visitor would hear twice.
type beside struct {
	caption string
	files   []falgate.FileWithMetadata
}

// besides reads the caption of a file and the texts of its folder, as far as the viewer
// sees them.
func (a *Agent) besides(ctx context.Context, viewer *typo3.BackendUser, f *falgate.File, uid typo3.MetadataUID) (beside, error) {
	records, err := a.Metadata.MetadataRecords(ctx, f.UID)
	if err != nil {
		return beside{}, err
	}
	folder := strconv.FormatUint(uint64(f.Storage), 10) + ":" + path.Dir(f.Identifier)
	page, err := a.Gate.Files(ctx, viewer, falgate.FileQuery{Folder: folder, Limit: neighbours})
	if err != nil && !errors.Is(err, falgate.ErrNotAvailable) {
		return beside{}, err
	}
	var out beside
	for _, r := range records {
		if r.UID == uid {
			out.caption = r.Caption
		}
	}
	for _, n := range page.Files {
		if n.UID != f.UID && n.Metadata != nil {
			out.files = append(out.files, n)
		}
	}
	return out, nil
}

// into adds what stands beside one field to its context.
func (b beside) into(c actions.LintContext, field actions.Field) actions.LintContext {
	c.Caption = b.caption
	for _, n := range b.files {
		text := n.Metadata.Alternative
		switch field {
		case actions.Title:
			text = n.Metadata.Title
		case actions.Description:
			text = n.Metadata.Description
		}
		if text != "" {
			c.Files = append(c.Files, actions.FileText{Name: n.Name, Text: text})
		}
	}
	return c
}

// lintContext is what the text checks know of a field beside its text.
func (a *Agent) lintContext(f actions.Field, uiLanguage string, p actions.Proposal, fileName string) actions.LintContext {
	s := a.Settings()
	return actions.LintContext{
		UILanguage: uiLanguage, MaxLength: actions.MaxLength(s, f), Off: !f.Settings(s).Enabled,
		Decorative: f == actions.Alternative && p.Decorative(), Others: p.Fields, FileName: fileName,
	}
}
