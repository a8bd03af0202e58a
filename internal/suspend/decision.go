package suspend

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Verb is what a person decided. It is a closed set.
type Verb string

// The verbs.
const (
	VerbApprove  Verb = "approve"
	VerbAskAgain Verb = "ask_again"
	VerbReject   Verb = "reject"
)

// Valid reports whether v is one of the known verbs.
func (v Verb) Valid() bool { return v == VerbApprove || v == VerbAskAgain || v == VerbReject }

// Category says in one word what was wrong with a proposal, so that reasons can be
// counted. It is a closed set; "" when nobody said.
type Category string

// The categories.
const (
	CategoryTooLong       Category = "too_long"
	CategoryWrongSubject  Category = "wrong_subject"
	CategoryMissesPurpose Category = "misses_purpose"
	CategoryWrongLanguage Category = "wrong_language"
	CategoryTone          Category = "tone"
	CategoryOther         Category = "other"
)

// Categories are all of them, in the order they are offered.
func Categories() []Category {
	return []Category{CategoryTooLong, CategoryWrongSubject, CategoryMissesPurpose, CategoryWrongLanguage, CategoryTone, CategoryOther}
}

// Valid reports whether c is one of the known categories, or none.
func (c Category) Valid() bool { return c == "" || slices.Contains(Categories(), c) }

// FieldChange is one field of a written change.
type FieldChange struct {
	Old      string `json:"old"`
	Proposed string `json:"proposed"`
	New      string `json:"new"`
}

// Decision is the audit row of one decision. It is written in the transaction
// of what it decides and never changed.
type Decision struct {
	Run          RunID
	Turn         int
	Digest       string // exactly what was shown
	Verb         Verb
	By           uint32 // be_users.uid
	ByName       string // as it was then
	OriginalUser uint32
	At           time.Time
	Reason       string
	Category     Category // of what was wrong
	Prompt       string   // which prompt was used, see NewRun
	Edited       bool     // the reviewer changed the text before approving
	SelfApproved bool     // by the person who started the run
	FileUID      uint64
	HistoryUID   uint32 // sys_history row of the write, 0 = none
	Model        string // "" when no model was asked
	Action       string // of the run
	Language     string // the texts were asked for in it
	Fields       map[string]FieldChange
}

type decisionRow struct {
	RunID        string    `gorm:"column:run_id;primaryKey"`
	Turn         int       `gorm:"column:turn;primaryKey"`
	Digest       string    `gorm:"column:digest"`
	Verb         string    `gorm:"column:verb"`
	SubjectTable string    `gorm:"column:subject_table"`
	SubjectUID   uint64    `gorm:"column:subject_uid"`
	DecidedBy    uint32    `gorm:"column:decided_by"`
	DecidedName  string    `gorm:"column:decided_name"`
	OriginalUser uint32    `gorm:"column:original_user"`
	DecidedAt    time.Time `gorm:"column:decided_at"`
	Reason       string    `gorm:"column:reason"`
	Category     string    `gorm:"column:category"`
	Prompt       string    `gorm:"column:prompt"`
	Edited       bool      `gorm:"column:edited"`
	SelfApproved bool      `gorm:"column:self_approved"`
	HistoryUID   uint32    `gorm:"column:history_uid"`
	Model        string    `gorm:"column:model"`
	Action       string    `gorm:"column:action"`
	Language     string    `gorm:"column:language"`
	Fields       string    `gorm:"column:fields"`
}

// TableName implements gorm's tabler.
func (decisionRow) TableName() string { return "tx_editoractions_decision" }

// subjectTable of every run so far; the decision row names it for queries per record.
const subjectTable = "sys_file"

func (d Decision) row() (*decisionRow, error) {
	fields := d.Fields
	if fields == nil {
		fields = map[string]FieldChange{}
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("suspend: encode decision: %w", err)
	}
	return &decisionRow{
		RunID: string(d.Run), Turn: d.Turn, Digest: d.Digest, Verb: string(d.Verb), SubjectTable: subjectTable,
		SubjectUID: d.FileUID, DecidedBy: d.By, DecidedName: clip(d.ByName, nameLength), OriginalUser: d.OriginalUser,
		DecidedAt: d.At.UTC().Truncate(time.Microsecond), Reason: d.Reason, Category: string(d.Category), Prompt: d.Prompt, Edited: d.Edited, SelfApproved: d.SelfApproved,
		HistoryUID: d.HistoryUID, Model: clip(d.Model, modelLength), Action: d.Action, Language: d.Language,
		Fields: string(raw),
	}, nil
}

func (r *decisionRow) decision() Decision {
	d := Decision{
		Run: RunID(r.RunID), Turn: r.Turn, Digest: r.Digest, Verb: Verb(r.Verb), By: r.DecidedBy, ByName: r.DecidedName,
		OriginalUser: r.OriginalUser, At: r.DecidedAt.UTC(), Reason: r.Reason, Category: Category(r.Category), Prompt: r.Prompt, Edited: r.Edited,
		SelfApproved: r.SelfApproved, FileUID: r.SubjectUID, HistoryUID: r.HistoryUID, Model: r.Model,
		Action: r.Action, Language: r.Language,
	}
	if err := json.Unmarshal([]byte(r.Fields), &d.Fields); err != nil {
		d.Fields = nil // one bad row hides no other (P17)
	}
	return d
}
