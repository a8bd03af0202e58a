package agent

import (
	"slices"
	"time"

	"editor-actions/internal/actions"
	"editor-actions/internal/falgate"
	"editor-actions/internal/media"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

// StartRequest asks for one run of an editor action on one subject. All of it
// is raw input: Start asks every question again.
type StartRequest struct {
	User           *typo3.BackendUser
	Action         string
	Table          string
	UID            uint64
	Note           string
	IdempotencyKey string // one form, one run: the same key gives the same run
}

// DecideRequest is one decision of a reviewer on the turn that was shown.
type DecideRequest struct {
	Reviewer *typo3.BackendUser
	Run      suspend.RunID
	Turn     int
	Digest   string
	Verb     suspend.Verb
	// Edits are the reviewer's texts per field; nil approves as proposed. A
	// field in Keep is left as it is in the database.
	Edits map[actions.Field]string
	Keep  []actions.Field
	// Reason is the reviewer's text and Category the word for it, for ask-again (one of
	// them is required there) and reject (optional).
	Reason   string
	Category suspend.Category
	RemoteIP string
}

// DecideResult says what a decision did. A stale or late decision is a result
// and not an error: nothing was written, and the card shows why.
type DecideResult struct {
	Outcome DecideOutcome
	Run     *suspend.Run
	Earlier *suspend.Decision // AlreadyDecided: what was decided, when it is known
	Moved   []actions.Field   // Redrawn: the fields whose current value moved
}

// DecideOutcome is a closed set.
type DecideOutcome string

// The outcomes of Decide.
const (
	Written        DecideOutcome = "written"         // approved and written
	AskedAgain     DecideOutcome = "asked_again"     // back to the model
	Rejected       DecideOutcome = "rejected"        // settled without a write
	Redrawn        DecideOutcome = "redrawn"         // the record or its file moved: nothing written, look again
	StaleTurn      DecideOutcome = "stale_turn"      // the form showed another turn: nothing written
	AlreadyDecided DecideOutcome = "already_decided" // somebody was quicker: information, no failure
)

// RunView is a run as its viewer may see it. It never carries content.
type RunView struct {
	Run       *suspend.Run
	File      *falgate.File // nil when the viewer may not see the file
	Initiator string        // display name
	CanCancel bool
	Decisions []suspend.Decision // newest last
	Pick      Pick               // waiting runs of an Inbox only
	Folder    string             // of an assistant run, "" when the viewer may not see it
	Request   string             // what an assistant run was asked for, of View alone, while it goes on and its folder may be seen
	Overdue   bool               // waits for longer than review.remindAfterDays
}

// Pick says whether a waiting run can be approved together with others.
type Pick string

// Whether a card can be picked; "" where it is not asked, or the viewer may not approve.
const (
	PickReady   Pick = "ready"   // the viewer has opened this card, and it carries no hint
	PickUnread  Pick = "unread"  // not opened yet, or drawn anew since
	PickHinting Pick = "hinting" // opened, and it carries a hint or cannot be approved as it stands
)

// Pickable reports whether the run can be approved together with others.
func (v *RunView) Pickable() bool { return v.Pick == PickReady }

// Card is the review card of a waiting run.
type Card struct {
	View       RunView
	Unreadable bool // the sealed state does not open: no picture, no form
	Withheld   bool // the viewer may not see the record, and so not approve; sending back and rejecting is not withheld
	Image      *media.Image
	Fields     []CardField
	Refusal    string          // code: the call cannot be approved as it is (over-long, ...)
	RefusalArg []any           // arguments of the refusal's sentence
	Refused    string          // the refusal in English
	Moved      []actions.Field // what changed since the card was first drawn
	FileMoved  bool            // the picture's file was replaced since the run began
	Turn       int
	Digest     string
	Note       string // the editor's note
	Earlier    []EarlierProposal
	Warnings   []string // codes about the picture: tiny_source, first_frame, flattened
	CanApprove bool
	WhyNot     string // code when CanApprove is false: own_run, not_a_reviewer
	CanDecide  bool   // reject and ask again
	OwnRun     bool   // viewer is the initiator
	TurnsLeft  int    // ask-again rounds that are left
	Provider   string // configuration, vendor and model that saw the picture
	WaitingFor time.Duration
	ExpiresAt  time.Time     // zero = never
	Next       suspend.RunID // the card that has waited longest after this one, "" = none
}

// CardField is one field of a card: the labelled pair of old and new.
type CardField struct {
	Field      actions.Field
	Old        string
	Proposed   string
	Language   string // of the proposed text: "en", "de"
	MaxLength  int    // user-perceived characters, 0 = none
	Decorative bool   // the proposal is the empty alternative text
	Findings   []actions.Finding
}

// Clean reports whether the card can be approved as it stands and carries nothing
// that asks for a closer look.
func (c *Card) Clean() bool {
	if !c.CanApprove || c.Refusal != "" || c.FileMoved || len(c.Moved) > 0 || len(c.Warnings) > 0 || c.Image == nil || len(c.Fields) == 0 {
		return false
	}
	return !slices.ContainsFunc(c.Fields, func(f CardField) bool { return len(f.Findings) > 0 })
}

// EarlierProposal is what a former turn proposed and why it was sent back.
type EarlierProposal struct {
	Turn   int                      `json:"turn"`
	Fields map[actions.Field]string `json:"fields"`
	Reason string                   `json:"reason"`
	// Category is what the reviewer chose from the list, beside their own words.
	Category suspend.Category `json:"category,omitempty"`
	By       string           `json:"by"`
}

// InboxQuery pages through what a viewer may decide or follow.
type InboxQuery struct {
	After string // cursor of the page before
	Limit int
}

// Inbox is one page: waiting runs oldest first, and on the first page the
// runs in work and the newest settled ones.
type Inbox struct {
	Waiting []RunView
	Next    string
	Active  []RunView
	Recent  []RunView
	// All is true when the viewer sees everybody's runs (admin or reviewer).
	All bool
}
