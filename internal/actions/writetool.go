package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"editor-actions/internal/config"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/providers"
	"editor-actions/internal/typo3"
)

// Errors of a write.
var (
	// ErrToolOff means the operator has switched the tool off.
	ErrToolOff = fault.New(fault.Unavailable, "tool_off", "The tool is switched off, so nothing was written.")
	// ErrFileChanged means the picture is not the one the texts were made for.
	ErrFileChanged = fault.New(fault.Stale, "file_changed", "The file was replaced since the model saw it. Nothing was written.")
	// ErrMetadataChanged means a stored text is not the one that was shown.
	ErrMetadataChanged = typo3.ErrMetadataChanged
	// ErrNotStored means the database does not hold what was written.
	ErrNotStored = fault.New(fault.Internal, "not_stored", "The text was not stored as it was approved. Nothing was written.")
)

// metadataStore is what a write tool needs of the CMS; typo3.CMS is the real one.
type metadataStore interface {
	Metadata(ctx context.Context, tx *gorm.DB, file typo3.FileUID) (*typo3.Metadata, error)
	WriteMetadata(ctx context.Context, tx *gorm.DB, w typo3.MetadataWrite) (historyUID uint32, err error)
}

// writeTool writes some fields of the default-language, live metadata row of one
// file. It never creates that row.
type writeTool struct {
	name        string
	description string
	parameters  string // JSON schema
	fields      []Field
	required    []Field
	enabled     func(config.Tools) bool

	gate     fileGate
	cms      metadataStore
	settings func() *config.Settings
}

// newTools makes the two write tools. No field has two writers.
func newTools(gate fileGate, cms metadataStore, settings func() *config.Settings) []*writeTool {
	return []*writeTool{
		{
			name: SetFileAlternativeText,
			description: "Set the alternative text of one image file: the text that stands in for the picture where it cannot be seen. " +
				"One line of plain text. An empty text marks the picture as decorative. A person reviews the text before it is stored.",
			parameters: `{"type":"object","properties":{` +
				`"uid":{"type":"integer","description":"uid of the sys_file record"},` +
				`"alternative":{"type":"string","description":"the alternative text; empty for a decorative picture"}},` +
				`"required":["uid","alternative"],"additionalProperties":false}`,
			fields: []Field{Alternative}, required: []Field{Alternative},
			enabled: func(t config.Tools) bool { return t.SetFileAlternativeText },
			gate:    gate, cms: cms, settings: settings,
		},
		{
			name: UpdateFALAssetMeta,
			description: "Set the title, the description or both of one file. Give at least one of them. " +
				"A field that is left out keeps its text, an empty text clears it. A person reviews the texts before they are stored.",
			parameters: `{"type":"object","properties":{` +
				`"uid":{"type":"integer","description":"uid of the sys_file record"},` +
				`"title":{"type":"string","description":"a short title, one line of plain text"},` +
				`"description":{"type":"string","description":"a description in plain text"}},` +
				`"required":["uid"],"additionalProperties":false}`,
			fields:  []Field{Title, Description},
			enabled: func(t config.Tools) bool { return t.UpdateFALAssetMeta },
			gate:    gate, cms: cms, settings: settings,
		},
	}
}

// Name implements Tool.
func (w *writeTool) Name() string { return w.name }

// Effect implements Tool: the same write twice leaves what one write leaves.
func (w *writeTool) Effect() Effect { return IdempotentWrite }

// Fields implements Tool.
func (w *writeTool) Fields() []Field { return append([]Field(nil), w.fields...) }

// Definition implements Tool.
func (w *writeTool) Definition() providers.Tool {
	return providers.Tool{Name: w.name, Description: w.description, Parameters: json.RawMessage(w.parameters)}
}

// Validate implements Tool.
func (w *writeTool) Validate(raw json.RawMessage, subject Subject) (Proposal, error) {
	return validate(w.settings(), w, raw, subject)
}

// resolve asks for the file in one order for preview and write. Everything
// about the file itself is the one neutral refusal: missing, foreign and without
// metadata cannot be told apart (S60). The file has its metadata row.
func (w *writeTool) resolve(ctx context.Context, tx *gorm.DB, actor *typo3.BackendUser, call Call, p Proposal) (*falgate.File, error) {
	access, file, err := w.gate.AccessIn(ctx, tx, actor, call.Subject.File())
	if err != nil && !errors.Is(err, ErrNotAvailable) {
		return nil, fmt.Errorf("actions: ask access: %w", err)
	}
	if err != nil || file == nil || access.Usable != falgate.Yes {
		return nil, unavailable(access.Usable, err)
	}
	for _, f := range w.fields {
		if _, set := p.Fields[f]; set && writeAnswer(access, f) != falgate.Yes {
			return nil, fault.New(fault.Forbidden, "field_not_permitted", "The field `%s` may not be changed in the name of this user. Nothing was written.", string(f))
		}
	}
	if file.Metadata == nil {
		return nil, unavailable(falgate.ReasonNoRow, nil)
	}
	return file, nil
}

// Preview implements Tool.
func (w *writeTool) Preview(ctx context.Context, tx *gorm.DB, actor *typo3.BackendUser, call Call) Preview {
	p, invalid := w.Validate(call.Arguments, call.Subject)
	if invalid != nil && !IsValueRefusal(invalid) {
		return refused(Preview{}, invalid)
	}
	file, err := w.resolve(ctx, tx, actor, call, p)
	if err != nil {
		return refused(Preview{}, err)
	}
	preview := Preview{File: file.UID, FileName: file.Name, MetadataUID: file.Metadata.UID}
	for _, f := range w.fields {
		if text, set := p.Fields[f]; set {
			preview.Fields = append(preview.Fields, PreviewField{Field: f, Old: stored(file.Metadata, f), New: text, Language: LanguageOf(actor)})
		}
	}
	if invalid != nil {
		return refused(preview, invalid)
	}
	return preview
}

// refused adds the reason to a preview. What has no sentence for people gets a
// fixed one; the cause is never stored.
func refused(p Preview, err error) Preview {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind == fault.Internal {
		f = fault.New(fault.Unavailable, "preview_failed", "The current texts could not be read.")
	}
	p.Refusal, p.RefusalText, p.RefusalArgs = f.Code, f.Sentence(), f.Args
	return p
}

// Execute implements Tool.
func (w *writeTool) Execute(ctx context.Context, tx *gorm.DB, actor *typo3.BackendUser, call Call, expect Expectation) (Outcome, error) {
	if !w.enabled(w.settings().Tools) {
		return Outcome{}, ErrToolOff
	}
	p, err := w.Validate(call.Arguments, call.Subject)
	if err != nil {
		return Outcome{}, err
	}
	file, err := w.resolve(ctx, tx, actor, call, p)
	if err != nil {
		return Outcome{}, err
	}
	if err := w.compare(ctx, file, p, expect); err != nil {
		return Outcome{}, err
	}
	write := typo3.MetadataWrite{
		Actor: actor, File: file.UID, MetadataUID: file.Metadata.UID, RemoteIP: expect.RemoteIP, Current: file.Metadata,
		Fields: make(map[string]string, len(p.Fields)), Old: make(map[string]string, len(p.Fields)),
	}
	out := Outcome{Record: file, File: file.UID, FileName: file.Name, MetadataUID: file.Metadata.UID, Old: map[Field]string{}, New: map[Field]string{}}
	for f, text := range p.Fields {
		out.Old[f], out.New[f] = expect.Old[f], text
		write.Fields[string(f)], write.Old[string(f)] = text, expect.Old[f]
	}
	if out.HistoryUID, err = w.cms.WriteMetadata(ctx, tx, write); err != nil {
		return Outcome{}, err
	}
	if err := w.readBack(ctx, tx, file, p); err != nil {
		return Outcome{}, err
	}
	return out, nil
}

// compare holds the world against what the decision was made on.
func (w *writeTool) compare(ctx context.Context, file *falgate.File, p Proposal, expect Expectation) error {
	if expect.SourceSHA256 != "" {
		now, err := w.gate.ContentHash(ctx, file)
		if err != nil {
			return unavailable("", err)
		}
		if now != expect.SourceSHA256 {
			return ErrFileChanged
		}
	}
	if file.Metadata.UID != expect.MetadataUID {
		return ErrMetadataChanged
	}
	for f := range p.Fields {
		if old, shown := expect.Old[f]; !shown || old != stored(file.Metadata, f) {
			return ErrMetadataChanged
		}
	}
	return nil
}

// readBack makes sure that the row holds what was approved: an empty error log
// is no success, because a field can be dropped silently on the way.
func (w *writeTool) readBack(ctx context.Context, tx *gorm.DB, file *falgate.File, p Proposal) error {
	now, err := w.cms.Metadata(ctx, tx, file.UID)
	if err != nil {
		return ErrNotStored.Because(err)
	}
	if now.UID != file.Metadata.UID {
		return ErrNotStored.Because(fmt.Errorf("actions: row %d in place of %d", now.UID, file.Metadata.UID))
	}
	for f, text := range p.Fields {
		if stored(now, f) != text {
			return ErrNotStored.Because(fmt.Errorf("actions: field %s differs after the write", f))
		}
	}
	return nil
}

// stored is the text a metadata row holds for a field; NULL and "" are the same.
func stored(m *typo3.Metadata, f Field) string {
	switch f {
	case Alternative:
		return m.Alternative
	case Title:
		return m.Title
	case Description:
		return m.Description
	}
	return ""
}

func writeAnswer(a falgate.Access, f Field) string {
	switch f {
	case Alternative:
		return a.WriteAlternative
	case Title:
		return a.WriteTitle
	case Description:
		return a.WriteDescription
	}
	return ""
}
