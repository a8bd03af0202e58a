package suspend

import (
	"errors"
	"fmt"
)

// origin is what a run's row said when its state was sealed. It is sealed with the
// state, because the row is not: whoever can change the row could else have a decision
// carried out for another record, in another person's name, or on a model that was
// never asked. A row that says something else makes the state unreadable.
type origin struct {
	Action        string `json:"action"`
	Tool          string `json:"tool"`
	SubjectTable  string `json:"table"`
	SubjectUID    uint64 `json:"uid"`
	StorageUID    uint32 `json:"storage"`
	Initiator     uint32 `json:"initiator"`
	OriginalUser  uint32 `json:"original"`
	Language      string `json:"language"`
	Configuration string `json:"configuration"`
	SourceSHA256  string `json:"source"`
	Parent        string `json:"parent,omitempty"`
	Folder        string `json:"folder,omitempty"`
	// Which of the run's states it is: an earlier one that is put back does not fit.
	Turn    int  `json:"turn"`
	Redraws int  `json:"redraws"`
	Waiting bool `json:"waiting"`
	Written bool `json:"written"`
}

// origin of a row as it is.
func (r *runRow) origin() origin {
	return origin{
		Action: r.Action, Tool: r.Tool, SubjectTable: r.SubjectTable, SubjectUID: r.SubjectUID, StorageUID: r.StorageUID,
		Initiator: r.Initiator, OriginalUser: r.OriginalUser, Language: r.Language, Configuration: r.Configuration,
		SourceSHA256: r.SourceSHA256, Parent: r.Parent, Folder: r.Folder, Turn: r.Turn, Redraws: r.Redraws,
		Waiting: Status(r.Status) == Waiting, Written: r.Written,
	}
}

// check holds a row against the origin its state was sealed with. Rows of releases that
// sealed none have nothing to be held against.
func (r *runRow) check(sealed *origin) error {
	if sealed != nil && *sealed != r.origin() {
		return errors.New("the row is not the one that the state was sealed for")
	}
	if (Phase(r.Phase) == PhaseClose) != r.Written {
		return fmt.Errorf("phase %q of a run whose change is written: %t", r.Phase, r.Written)
	}
	return nil
}

// errForeignState means that a caller made a state of its own for a run there is.
var errForeignState = errors.New("suspend: the state does not come from the run it is stored for")

// at is the origin of a state's successor. A state that was not opened has none: what
// it would be sealed for is unknown.
func (st *State) at(change func(*origin)) (*origin, error) {
	if st.origin == nil {
		return nil, errForeignState
	}
	next := *st.origin
	change(&next)
	return &next, nil
}
