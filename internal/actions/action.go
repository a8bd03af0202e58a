package actions

import (
	"math"
	"slices"
	"strconv"

	"editor-actions/internal/config"
	"editor-actions/internal/typo3"
)

// Field is a metadata field that an action fills. The word is the column of
// sys_file_metadata and the argument of the tool.
type Field string

// The fields.
const (
	Alternative Field = "alternative"
	Title       Field = "title"
	Description Field = "description"
)

// Valid reports whether f is one of the known fields.
func (f Field) Valid() bool { return f == Alternative || f == Title || f == Description }

// Settings is what the operator configured for the field.
func (f Field) Settings(s *config.Settings) config.Field {
	switch f {
	case Alternative:
		return s.Vision.Alternative
	case Title:
		return s.Vision.Title
	case Description:
		return s.Vision.Description
	}
	return config.Field{}
}

// Effect says what a tool does to the world, and so whether it may run twice.
type Effect string

// The effects. A tool that is not known counts as NonIdempotentWrite.
const (
	ReadOnly           Effect = "read_only"
	IdempotentWrite    Effect = "idempotent_write"
	NonIdempotentWrite Effect = "non_idempotent_write"
)

// Valid reports whether e is one of the known effects.
func (e Effect) Valid() bool {
	return e == ReadOnly || e == IdempotentWrite || e == NonIdempotentWrite
}

// Writes reports whether a call with this effect needs a decision.
func (e Effect) Writes() bool { return e != ReadOnly }

// TableFile is the table of the only subject there is so far.
const TableFile = "sys_file"

// Subject is the record an editor selected. UID is wide enough for anything a
// caller can send; File says whether it can be a file at all.
type Subject struct {
	Table string `json:"table"`
	UID   uint64 `json:"uid"`
}

// File gives the subject's file uid. A uid that no file can have gives 0, which
// is looked up like any other and is never found, so that it answers and costs
// the same as a file that does not exist.
func (s Subject) File() typo3.FileUID {
	if s.Table != TableFile || s.UID > math.MaxUint32 {
		return 0
	}
	return typo3.FileUID(s.UID)
}

// String is "sys_file:7", for logs.
func (s Subject) String() string { return s.Table + ":" + strconv.FormatUint(s.UID, 10) }

// Action is one entry of the catalogue. It is a declaration: it holds no logic
// and adds no executor.
type Action struct {
	Key            string   // stable name in URLs and rows: "suggest_alternative_text"
	LabelKey       string   // message key of the label, a verb phrase
	DescriptionKey string   // message key of one sentence for the editor
	Icon           string   // icon identifier
	Tool           string   // the one tool a run of this action offers
	RecordTypes    []string // tables an editor may select for it
	VisionFields   []Field  // fields filled from the picture; not empty = vision action
}

// Vision reports whether the action sends a picture.
func (a Action) Vision() bool { return len(a.VisionFields) > 0 }

// On reports whether the action can be started on a record of that table.
func (a Action) On(table string) bool { return slices.Contains(a.RecordTypes, table) }

// EnabledFields are the fields the operator has switched on, in declared order.
func (a Action) EnabledFields(s *config.Settings) []Field {
	var on []Field
	for _, f := range a.VisionFields {
		if f.Settings(s).Enabled {
			on = append(on, f)
		}
	}
	return on
}
