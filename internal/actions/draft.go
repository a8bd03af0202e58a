package actions

import (
	"context"

	"editor-actions/internal/falgate"
	"editor-actions/internal/providers"
	"editor-actions/internal/typo3"
)

// Draft is what a run starts with that asks no model: the picture to show, and
// the call to decide about.
type Draft struct {
	Call         Call
	Preview      Preview
	File         falgate.File
	SourceSHA256 string
	Messages     []providers.Message // the picture, for the card; nothing is sent
	Warnings     []string            // codes about the picture
	Language     string              // of the user; nobody knows which one the texts are in
}

// draft makes the call of tool that gives a file these texts, as a model would have
// called it: the same rights, checks and preview. Texts that are stored already are
// the caller's business: keep says whether one is part of the call.
func (c *Catalogue) draft(ctx context.Context, user *typo3.BackendUser, subject Subject, tool *writeTool, texts map[Field]string, id string,
	keep func(f Field, text, stored string) bool,
) (*Draft, error) {
	leave, err := c.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	opened, err := c.gate.Open(ctx, user, subject.File())
	if err != nil {
		return nil, err
	}
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
	fields := make(map[Field]string, len(texts))
	for f, text := range texts {
		if writeAnswer(opened.Access, f) != falgate.Yes || opened.File.Metadata == nil {
			return nil, unavailable(reasonField+"_"+string(f), nil)
		}
		if keep(f, text, stored(opened.File.Metadata, f)) {
			fields[f] = text
		}
	}
	d := &Draft{
		File: opened.File, SourceSHA256: opened.SHA256, Messages: []providers.Message{pictureMessage(small.Image)},
		Warnings: small.Warnings, Language: LanguageOf(user),
	}
	if len(fields) == 0 {
		return d, nil // no call: nothing would change
	}
	args, err := marshalArguments(tool, subject, fields)
	if err != nil {
		return nil, err
	}
	d.Call = Call{ID: id, Tool: tool.Name(), Arguments: args, Subject: subject}
	d.Preview = tool.Preview(ctx, nil, user, d.Call)
	return d, nil
}
