package actions

import (
	"context"
	"encoding/json"

	"gorm.io/gorm"

	"editor-actions/internal/falgate"
	"editor-actions/internal/providers"
	"editor-actions/internal/typo3"
)

// ErrNotAvailable is the one answer for every reason a file or an action cannot
// be used (P3). Reason gives the true one.
var ErrNotAvailable = falgate.ErrNotAvailable

// Tool is what a model may ask for. Implementations are safe for concurrent use.
type Tool interface {
	// Name is the name the model calls.
	Name() string
	// Definition is what the model is offered. It does not depend on settings: a
	// field that is off stays in the schema.
	Definition() providers.Tool
	// Effect is declared in code and cannot be configured.
	Effect() Effect
	// Fields are the fields the tool can write, in the order a card shows them.
	Fields() []Field
	// Validate reads the arguments of a call on subject. A Proposal that comes with
	// an error for which IsValueRefusal is true still holds the texts, so that a
	// reviewer can see and repair them; with any other error it is empty.
	Validate(raw json.RawMessage, subject Subject) (Proposal, error)
	// Preview draws what the call would change, as the acting user sees it. It is
	// deterministic and never fails: what stands in the way is the preview's
	// Refusal. tx may be nil.
	Preview(ctx context.Context, tx *gorm.DB, actor *typo3.BackendUser, call Call) Preview
	// Execute writes inside tx. The actor must have been resolved for this moment;
	// a caller rolls tx back on every error. Stale old values or a replaced picture
	// are faults of kind Stale.
	Execute(ctx context.Context, tx *gorm.DB, actor *typo3.BackendUser, call Call, expect Expectation) (Outcome, error)
}

// Call is one call of a tool on the subject of its run. Arguments are the bytes
// the decision is about: they are read, never marshalled again.
type Call struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Subject   Subject         `json:"subject"`
}

// Proposal is what a call sets: only fields that are in it. An empty text clears
// a field; an empty alternative marks a decorative picture.
type Proposal struct {
	Fields map[Field]string `json:"fields"`
}

// Decorative reports whether the proposal marks the picture as decorative.
func (p Proposal) Decorative() bool {
	v, set := p.Fields[Alternative]
	return set && v == ""
}

// Preview is the before and after of one call. It holds no clock, no random and
// no map, so two previews of an unchanged world are equal byte for byte.
type Preview struct {
	File        typo3.FileUID     `json:"file,omitempty"`
	FileName    string            `json:"file_name,omitempty"`
	MetadataUID typo3.MetadataUID `json:"metadata_uid,omitempty"`
	Fields      []PreviewField    `json:"fields,omitempty"`

	// Refusal is the code of the reason this call cannot be executed as it is, ""
	// when it can. RefusalText is the English sentence, RefusalArgs what a
	// translation of it needs.
	Refusal     string `json:"refusal,omitempty"`
	RefusalText string `json:"refusal_text,omitempty"`
	RefusalArgs []any  `json:"refusal_args,omitempty"` // strings only, so that they survive JSON
}

// PreviewField is one line of a preview.
type PreviewField struct {
	Field Field  `json:"field"`
	Old   string `json:"old"`
	New   string `json:"new"`
	// Language the new text was asked for, as a language tag.
	Language string `json:"language"`
}

// Changed reports whether the line changes anything.
func (f PreviewField) Changed() bool { return f.Old != f.New }

// Expectation is what a decision was made on. Execute writes only while it holds.
type Expectation struct {
	MetadataUID typo3.MetadataUID `json:"metadata_uid"`
	Old         map[Field]string  `json:"old"`
	// SourceSHA256 is the hash of the original file when the run started; "" for a
	// run that sent no picture.
	SourceSHA256 string `json:"source_sha256,omitempty"`
	// RemoteIP is where the decision came from, for TYPO3's own log.
	RemoteIP string `json:"-"`
}

// Expect makes the expectation of a decision on this preview.
func (p Preview) Expect(sourceSHA256 string) Expectation {
	e := Expectation{MetadataUID: p.MetadataUID, Old: make(map[Field]string, len(p.Fields)), SourceSHA256: sourceSHA256}
	for _, f := range p.Fields {
		e.Old[f.Field] = f.Old
	}
	return e
}

// Outcome is what a write did, as read back inside its transaction.
type Outcome struct {
	File        typo3.FileUID     `json:"file"`
	FileName    string            `json:"file_name"`
	MetadataUID typo3.MetadataUID `json:"metadata_uid"`
	// HistoryUID is the sys_history row of the write, 0 when every text was the
	// stored one already and TYPO3 would have written nothing.
	HistoryUID uint32 `json:"history_uid"`
	// Record is the file as it was judged, for further questions to the gate.
	Record *falgate.File    `json:"-"`
	Old    map[Field]string `json:"old"`
	New    map[Field]string `json:"new"`
}
