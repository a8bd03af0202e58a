package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"editor-actions/internal/actions"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

// VendorMCP is the vendor of runs whose call came over the model context protocol.
const VendorMCP = "mcp"

const (
	maxProposer = 120 // characters of a proposer's name
	// maxSame bounds how often one text is put before people for one file.
	maxSame      = 10
	maxProposals = 50 // of one listing
)

// ErrProposalNotFound covers proposals that do not exist and those of somebody else.
var ErrProposalNotFound = fault.New(fault.NotFound, "proposal_not_found", "There is no such proposal of yours.")

// ProposeRequest is an agent's call of a write tool. All of it is raw input.
type ProposeRequest struct {
	User      *typo3.BackendUser // in whose name the agent acts
	Tool      string
	Arguments json.RawMessage
	By        string // who proposes, for reviewers: a token's name, a client's own words
}

// Proposed is the run of a proposal, and what the text checks warn of.
type Proposed struct {
	Run      *suspend.Run
	File     falgate.File
	Created  bool // false: the same proposal waited already
	Warnings []TextError
}

// Propose makes a waiting run of an agent's own texts: the same tool, rights, checks,
// picture and card as any other, and no model of ours. Nothing is written. Every reason
// why the file cannot be used is actions.ErrNotAvailable (P3). What is wrong with a text
// is an error that says so, because the agent can repair it; warnings come with the run.
// While an equal proposal of the user is open, that one is the answer, however many ask
// at once.
func (a *Agent) Propose(ctx context.Context, r ProposeRequest) (*Proposed, error) {
	s := a.Settings()
	if !r.User.MayEnter(s.Access.Groups) {
		return nil, actions.ErrNotAvailable
	}
	d, p, err := a.Catalogue.PrepareProposal(ctx, r.User, r.Tool, r.Arguments)
	if err != nil {
		return nil, err
	}
	tool, _ := a.Catalogue.Tool(r.Tool)
	findings := a.lint(tool, p, d.Language, "en", d.File.Name)
	for _, f := range findings {
		if f.Finding.Level == actions.LevelError {
			return nil, &f
		}
	}
	if d.Preview.Refusal != "" { // the world moved under our feet
		return nil, actions.ErrNotAvailable
	}
	out := &Proposed{File: d.File, Warnings: findings}
	key, open, err := a.proposalKey(ctx, r.User, d.Call)
	if err != nil || open != nil {
		out.Run = open
		return out, err
	}
	// Parallel calls can pass this together: it bounds what people are asked to look at.
	waiting, err := a.Store.CountWaitingOf(ctx, uint32(r.User.UID), actions.ProposeTexts)
	if err != nil {
		return nil, err
	}
	if waiting >= s.MCP.MaxWaiting {
		return nil, fault.New(fault.RateLimited, "too_many_waiting", "%d proposals of this user wait for a decision already. Wait until some of them are decided.", waiting)
	}
	out.Run, out.Created, err = a.storeDraft(ctx, r.User, d, suspend.NewRun{
		Action: actions.ProposeTexts, Vendor: VendorMCP, Model: proposer(r.By), IdempotencyKey: key,
	})
	if err != nil {
		return nil, err
	}
	if out.Created {
		a.Log.InfoContext(ctx, "proposed texts of an agent", "run_id", out.Run.ID, "file_uid", out.Run.SubjectUID, "be_user_uid", r.User.UID)
	}
	return out, nil
}

// proposalKey is the idempotency key of a call: the first of its row whose run is not
// settled or does not exist. An equal call thus meets the open run, also when two
// instances ask at once, and can be made anew after a decision, a few times.
func (a *Agent) proposalKey(ctx context.Context, user *typo3.BackendUser, call actions.Call) (key string, open *suspend.Run, err error) {
	sum := sha256.Sum256([]byte(call.Tool + "\x00" + string(call.Arguments)))
	for n := range maxSame {
		key = "proposal/" + hex.EncodeToString(sum[:]) + "/" + strconv.Itoa(n)
		run, err := a.Store.ByKey(ctx, uint32(user.UID), key)
		switch {
		case errors.Is(err, suspend.ErrRunNotFound):
			return key, nil, nil
		case err != nil:
			return "", nil, err
		case !run.Status.Terminal():
			return key, run, nil
		}
	}
	return "", nil, fault.New(fault.RateLimited, "proposed_too_often", "This text was proposed for this file %d times already and decided each time. Propose another one.", maxSame)
}

// proposer makes a name that a program chose fit to be shown beside its proposal: one
// line, nothing hidden, not too long.
func proposer(name string) string {
	return plainText(strings.Join(strings.Fields(strings.Map(actions.Visible, name)), " "), maxProposer)
}

// ProposalState is a closed set.
type ProposalState string

// The states of a proposal.
const (
	ProposalWaiting   ProposalState = "waiting"
	ProposalApproved  ProposalState = "approved" // written as proposed
	ProposalEdited    ProposalState = "edited"   // a person changed the text and approved; that one is written
	ProposalRejected  ProposalState = "rejected"
	ProposalExpired   ProposalState = "expired"
	ProposalCancelled ProposalState = "cancelled"
	ProposalFailed    ProposalState = "failed"
)

// Proposal is a proposal as its proposer may see it: what was decided, never by whom.
type Proposal struct {
	Run          suspend.RunID
	State        ProposalState
	Tool         string
	FileUID      uint64
	FileName     string // "" when the file is out of the user's reach now
	WaitingSince time.Time
	Settled      time.Time
	Redrawn      bool              // it waits, and the stored text or the file changed meanwhile
	Written      map[string]string // approved, edited: what stands there now
	Category     suspend.Category  // rejected: what was wrong
	Reason       string            // rejected: the reviewer's words
}

// Proposal answers one proposal of the user. Others do not exist for them, whatever
// else they may see.
func (a *Agent) Proposal(ctx context.Context, user *typo3.BackendUser, id suspend.RunID) (*Proposal, error) {
	run, err := a.Store.Get(ctx, id)
	if errors.Is(err, suspend.ErrRunNotFound) {
		return nil, ErrProposalNotFound
	}
	if err != nil {
		return nil, err
	}
	if !user.MayEnter(a.Settings().Access.Groups) || run.Action != actions.ProposeTexts || run.Initiator != uint32(user.UID) {
		return nil, ErrProposalNotFound
	}
	all, err := a.proposals(ctx, user, []suspend.Run{*run})
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}

// Proposals lists the user's newest proposals.
func (a *Agent) Proposals(ctx context.Context, user *typo3.BackendUser) ([]Proposal, error) {
	if !user.MayEnter(a.Settings().Access.Groups) {
		return nil, nil
	}
	runs, err := a.Store.NewestOf(ctx, uint32(user.UID), actions.ProposeTexts, maxProposals)
	if err != nil {
		return nil, err
	}
	return a.proposals(ctx, user, runs)
}

func (a *Agent) proposals(ctx context.Context, user *typo3.BackendUser, runs []suspend.Run) ([]Proposal, error) {
	views, err := a.views(ctx, user, runs)
	if err != nil {
		return nil, err
	}
	out := make([]Proposal, len(views))
	for i, v := range views {
		out[i] = proposalOf(v)
	}
	return out, nil
}

func proposalOf(v RunView) Proposal {
	r := v.Run
	p := Proposal{Run: r.ID, Tool: r.Tool, FileUID: r.SubjectUID, Settled: r.Settled, State: ProposalFailed}
	var last suspend.Decision
	if n := len(v.Decisions); n > 0 {
		last = v.Decisions[n-1]
	}
	switch {
	case r.Written && last.Edited:
		p.State = ProposalEdited
	case r.Written:
		p.State = ProposalApproved
	case r.Status == suspend.Waiting:
		p.State, p.WaitingSince, p.Redrawn = ProposalWaiting, r.WaitingSince, r.Stale
	case r.Status == suspend.Rejected:
		p.State = ProposalRejected
	case r.Status == suspend.Expired:
		p.State = ProposalExpired
	case r.Status == suspend.Cancelled:
		p.State = ProposalCancelled
	}
	if v.File == nil { // texts are content
		return p
	}
	p.FileName = v.File.Name
	if r.Written {
		p.Written = make(map[string]string, len(last.Fields))
		for f, c := range last.Fields {
			p.Written[f] = c.New
		}
	}
	if p.State == ProposalRejected {
		p.Category, p.Reason = last.Category, last.Reason
	}
	return p
}

// CategoryWords is what a program is told about a category, in English.
func CategoryWords(c suspend.Category) string { return categoryWords[c] }
