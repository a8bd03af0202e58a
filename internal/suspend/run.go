package suspend

import (
	"encoding/json"
	"time"

	"editor-actions/internal/providers"
)

// RunID is a UUIDv7 in text form: it sorts by age.
type RunID string

// Status of a run. It is a closed set, stored as the word.
type Status string

// The statuses.
const (
	Queued    Status = "queued"    // stored, waits for a worker
	Running   Status = "running"   // a worker holds it under a lease
	Waiting   Status = "waiting"   // suspended, waits for a person
	Paused    Status = "paused"    // waits until its proposals, runs of their own, are decided
	Completed Status = "completed" // ended by itself, or with an approved write
	Rejected  Status = "rejected"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
	Expired   Status = "expired"
)

// Valid reports whether s is one of the known statuses.
func (s Status) Valid() bool {
	return s == Queued || s == Running || s == Waiting || s == Paused || s.Terminal()
}

// Terminal reports whether a run with this status never changes again.
func (s Status) Terminal() bool {
	switch s {
	case Completed, Rejected, Failed, Cancelled, Expired:
		return true
	}
	return false
}

// open statuses are those of runs that go on.
var open = []Status{Queued, Running, Waiting, Paused}

// Phase says what a queued or running run is for.
type Phase string

// The phases.
const (
	PhasePropose Phase = "propose" // ask the model for a call
	PhaseClose   Phase = "close"   // the change is written; ask for the closing sentence
)

// Valid reports whether p is one of the known phases.
func (p Phase) Valid() bool { return p == PhasePropose || p == PhaseClose }

// Reason says why a run ended. It is a closed set; "" while it has not.
type Reason string

// The reasons.
const (
	ReasonApproved         Reason = "approved"          // completed: a person approved, the change is written
	ReasonNoProposal       Reason = "no_proposal"       // completed: the model answered in words
	ReasonAnswered         Reason = "answered"          // completed: the assistant has said its last word
	ReasonLimit            Reason = "limit"             // completed: the assistant has used up what one run may take
	ReasonRejected         Reason = "rejected"          // rejected by a person
	ReasonPolicyDenied     Reason = "policy_denied"     // failed: a guardrail stopped the send
	ReasonPolicyApproval   Reason = "policy_approval"   // failed: a guardrail demands an approval nobody can give
	ReasonProviderFailed   Reason = "provider_failed"   // failed: no usable answer
	ReasonRefusedCall      Reason = "refused_call"      // failed: the model insisted on a call that is not allowed
	ReasonRetriesExhausted Reason = "retries_exhausted" // failed: too many workers died with it
	ReasonUnreadable       Reason = "unreadable"        // failed: the sealed state does not open; it is kept
	ReasonToolOff          Reason = "tool_off"          // failed: the tool was switched off meanwhile
	ReasonUserGone         Reason = "user_gone"         // failed: the initiator may not act any more
	ReasonFileGone         Reason = "file_gone"         // failed: the file cannot be used any more
	ReasonInternal         Reason = "internal"          // failed: our fault
	ReasonCancelled        Reason = "cancelled"
	ReasonExpired          Reason = "expired"
)

var reasons = []Reason{
	ReasonApproved, ReasonNoProposal, ReasonAnswered, ReasonLimit, ReasonRejected, ReasonPolicyDenied, ReasonPolicyApproval, ReasonProviderFailed,
	ReasonRefusedCall, ReasonRetriesExhausted, ReasonUnreadable, ReasonToolOff, ReasonUserGone, ReasonFileGone,
	ReasonInternal, ReasonCancelled, ReasonExpired,
}

// Valid reports whether r is one of the known reasons.
func (r Reason) Valid() bool {
	for _, k := range reasons {
		if r == k {
			return true
		}
	}
	return false
}

// Run is the row without its sealed state. It never holds content, except the
// model's one sentence in Message.
type Run struct {
	ID            RunID
	Status        Status
	Phase         Phase
	Reason        Reason
	Action        string
	Tool          string
	SubjectTable  string
	SubjectUID    uint64
	StorageUID    uint32
	Initiator     uint32 // be_users.uid of the acting user
	OriginalUser  uint32 // administrator behind a switched session, else 0
	Language      string
	Configuration string
	Vendor        string
	Model         string
	Turn          int    // number of the turn that waits or was decided last, from 1
	Digest        string // of the turn that waits, else ""
	Attempts      int    // claims since the run was queued last
	LeaseOwner    string
	LeaseExpires  time.Time // zero = no lease
	Created       time.Time
	Started       time.Time       // zero = not yet
	WaitingSince  time.Time       // zero = does not wait
	Settled       time.Time       // zero = not yet
	SourceSHA256  string          // of the original file
	Prompt        string          // which prompt was used, see NewRun
	Batch         string          // of the batch it was started in, else ""
	Parent        RunID           // the assistant run that made this proposal, else ""
	Folder        string          // combined identifier of the folder an assistant run is about, else ""
	Written       bool            // the approved change is in the database
	Usage         providers.Usage // of all segments
	Message       string          // the model's sentence, screened
	ErrorKind     string          // for the page: the kind of a provider fault, a guardrail's rule, ...
	Stale         bool            // the card was drawn anew because the record or its file moved
	Version       int64           // grows with every change
}

// WithoutModel reports whether the run asks no model: it puts earlier texts back, or
// an agent made its call. Only the assistant, where it was one, can be asked again.
func (r *Run) WithoutModel() bool { return r.Configuration == "" || r.Parent != "" }

// PendingCall is the write that a model asked for. Arguments are the exact
// bytes: the digest covers them.
type PendingCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// State is what a run must know to go on. It is sealed at rest and erased when
// the run settles (P7). Preview, Proposals and Loop belong to the caller; this room
// does not read them. What is stored for a run there is must be a changed copy of the
// state that Load or Claim opened: it remembers which row it was sealed for.
type State struct {
	Messages    []providers.Message
	Pending     []PendingCall
	Preview     json.RawMessage
	MovedFields []string // what moved since the card was drawn first
	Proposals   []json.RawMessage
	Note        string
	Warnings    []string
	Loop        json.RawMessage // an assistant run's own count of what it did

	origin *origin // of an opened state; a copy goes with every change of it
}

// NewRun is what Create stores. With a pending call in its state it waits for a
// decision at once, on turn 1; without one it is queued.
type NewRun struct {
	ID             RunID // "" = a new one
	Action, Tool   string
	SubjectTable   string
	SubjectUID     uint64
	StorageUID     uint32
	Initiator      uint32
	OriginalUser   uint32
	Language       string
	Configuration  string // "" = no model is asked; the state must hold the call then
	Vendor, Model  string // who made the call of a run that asks no model, else ""
	SourceSHA256   string
	Prompt         string // a short name of the prompt without record and note, to compare prompts by
	Parent         RunID  // the assistant run that proposes, "" = none
	Folder         string // of an assistant run
	Batch          string // what runs that were started together share, a UUID; "" = started alone
	IdempotencyKey string // "" = none
	State          State
}

// Suspension is a turn that ended in a call which needs a person.
type Suspension struct {
	State  State
	Turn   int
	Usage  providers.Usage // of this segment
	Model  string
	Vendor string
}

// Settlement ends a run.
type Settlement struct {
	Status    Status
	Reason    Reason
	Message   string
	ErrorKind string
	Usage     providers.Usage // of this segment
	Model     string
	Vendor    string
}

// Redrawing replaces a waiting card by one with the values of now.
type Redrawing struct {
	Run          RunID
	Turn         int
	Digest       string // the one that was shown
	State        State
	SourceSHA256 string
}
