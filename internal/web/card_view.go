package web

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
)

// cardView is the review card of a waiting run.
type cardView struct {
	page
	ID         suspend.RunID
	Action     string
	File       *fileView
	Initiator  string
	OwnRun     bool
	Since      time.Time
	ExpiresAt  time.Time
	Overdue    bool   // waits for longer than it should
	Request    string // address of the assistant's run that proposes, "" = none
	Next       string // address of the next card, "" when there is none
	Turn       int
	Digest     string
	Picture    string // address of the picture that was sent, "" when there is none to show
	Width      int
	Height     int
	Note       string
	Provider   string
	Spent      string // tokens and cost so far
	usage      providers.Usage
	Fields     []cardFieldView
	Earlier    []earlierView
	Warnings   []string // about the picture
	Moved      []string // labels of the fields that changed since
	FileMoved  bool
	Refusal    string // why the proposal cannot be approved as it is
	Unreadable bool
	Withheld   bool
	CanApprove bool
	WhyNot     string
	CanDecide  bool
	CanCancel  bool
	TurnsLeft  int
	NoModel    bool             // nobody to ask again
	Restored   bool             // the proposal is an earlier text
	Proposer   string           // the agent outside whose proposal it is, "" when a model of ours was asked
	Reason     string           // typed before, kept
	Category   suspend.Category // chosen before, kept
	Categories []suspend.Category
	ReasonBad  string
	Errors     []errorView
	Stale      string // a warning above the form: nothing was written, look again
}

// cardFieldView is the labelled pair of old and new, and the text to edit.
type cardFieldView struct {
	Field      actions.Field
	Label      string
	Language   string
	Old        string
	Proposed   string
	OldDiff    []diffPart
	NewDiff    []diffPart
	Value      string // in the text area: the proposal, or what was typed
	Seen       string // fingerprint of the proposal, to tell typed from proposed
	MaxLength  int
	Rows       int
	Decorative bool // the proposal is "decorative"
	Decorate   bool // the box is ticked
	MayBeEmpty bool // the field has the decorative choice
	Keep       bool
	MayKeep    bool
	Moved      bool
	Findings   []actions.Finding
	Error      string
}

// earlierView is what a former turn proposed.
type earlierView struct {
	Turn     int
	Reason   string
	Category suspend.Category
	By       string
	Fields   []textView
}

// errorView is one line of the summary above a form.
type errorView struct{ Text, Field string }

func (w *words) cardView(card *agent.Card) cardView {
	r := card.View.Run
	v := cardView{
		ID: r.ID, Action: w.action(r.Action), File: fileOfRun(&card.View), Initiator: card.View.Initiator, OwnRun: card.OwnRun,
		Since: r.WaitingSince, ExpiresAt: card.ExpiresAt, Turn: card.Turn, Digest: card.Digest,
		Categories: suspend.Categories(), Note: card.Note, Provider: card.Provider, usage: card.View.Run.Usage, FileMoved: card.FileMoved, Unreadable: card.Unreadable, Withheld: card.Withheld,
		// What a reviewer cannot see is not theirs to approve: what was seen is what is written.
		CanApprove: card.CanApprove && !card.Withheld && !card.Unreadable, CanDecide: card.CanDecide, CanCancel: card.View.CanCancel, TurnsLeft: card.TurnsLeft,
		NoModel: r.WithoutModel() && card.TurnsLeft == 0, Restored: r.Action == actions.RestoreTexts, Proposer: proposerOf(r),
	}
	v.Overdue = card.View.Overdue
	if r.Parent != "" {
		v.Request = "/runs/" + string(r.Parent)
	}
	if card.Next != "" {
		v.Next = "/review/" + string(card.Next)
	}
	if card.Image != nil {
		// The digest keeps a picture of an earlier card from being shown with this one.
		v.Picture = "/review/" + string(r.ID) + "/picture?of=" + card.Digest[:min(12, len(card.Digest))]
		v.Width, v.Height = card.Image.Width(), card.Image.Height()
	}
	for _, code := range card.Warnings {
		if k := Key("warning." + code); w.Has(k) {
			v.Warnings = append(v.Warnings, w.T(k))
		}
	}
	for _, f := range card.Moved {
		v.Moved = append(v.Moved, w.field(f))
	}
	if card.Refusal != "" {
		v.Refusal = w.coded(card.Refusal, card.Refused, card.RefusalArg)
	}
	if card.WhyNot != "" {
		v.WhyNot = w.T(Key("why_not." + card.WhyNot))
		if own := Key("why_not." + card.WhyNot + "_no_model"); v.NoModel && w.Has(own) { // there is nobody to send it back to
			v.WhyNot = w.T(own)
		}
	}
	for _, f := range card.Fields {
		v.Fields = append(v.Fields, w.cardFieldView(f, card))
	}
	for _, e := range card.Earlier {
		ev := earlierView{Turn: e.Turn, Reason: e.Reason, Category: e.Category, By: e.By}
		for _, f := range card.Fields {
			if text, ok := e.Fields[f.Field]; ok {
				ev.Fields = append(ev.Fields, textView{Field: f.Field, Text: text, Language: f.Language})
			}
		}
		v.Earlier = append(v.Earlier, ev)
	}
	return v
}

// proposerOf is the agent outside that made a run's call, in its owner's and its own words.
func proposerOf(r *suspend.Run) string {
	if r.Action != actions.ProposeTexts {
		return ""
	}
	return r.Model
}

func (w *words) cardFieldView(f agent.CardField, card *agent.Card) cardFieldView {
	v := cardFieldView{
		Field: f.Field, Label: w.field(f.Field), Language: f.Language, Old: f.Old, Proposed: f.Proposed,
		Value: f.Proposed, Seen: fingerprint(f.Proposed), MaxLength: f.MaxLength, Decorative: f.Decorative, Decorate: f.Decorative,
		MayBeEmpty: f.Field == actions.Alternative, MayKeep: len(card.Fields) > 1, Findings: f.Findings, Rows: 3,
	}
	if f.Field == actions.Description {
		v.Rows = 6
	}
	if f.Field == actions.Title {
		v.Rows = 2
	}
	v.OldDiff, v.NewDiff = diff(f.Old, f.Proposed)
	for _, m := range card.Moved {
		v.Moved = v.Moved || m == f.Field
	}
	return v
}

// fingerprint tells an untouched text area from an edited one.
func fingerprint(text string) string {
	sum := sha256.Sum256([]byte(plainLines(text)))
	return hex.EncodeToString(sum[:8])
}
