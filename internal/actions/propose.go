package actions

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/typo3"
)

// ProposeTexts is the key of runs whose texts come from an agent outside. It is no
// entry of the catalogue: no model of ours is asked.
const ProposeTexts = "proposed_texts"

// ErrNothingToPropose is for texts that are the stored ones already.
var ErrNothingToPropose = fault.New(fault.Stale, "nothing_to_propose", "The file has these texts already, so there is nothing to propose.")

// PrepareProposal makes a run's call out of an agent's call of a write tool. The file
// is the one that the arguments name. What is wrong with the arguments or a text is
// said, so that the agent can repair it; every reason why the file cannot be used is
// ErrNotAvailable, logged with its reason (P3). The arguments of the result are ours:
// equal proposals are equal bytes.
func (c *Catalogue) PrepareProposal(ctx context.Context, user *typo3.BackendUser, toolName string, arguments json.RawMessage) (*Draft, Proposal, error) {
	if user == nil {
		return nil, Proposal{}, c.refused(ctx, unavailable(reasonNoUser, nil), user, ProposeTexts, Subject{})
	}
	var tool *writeTool
	for _, t := range c.tools {
		if t.name == toolName {
			tool = t
		}
	}
	if tool == nil {
		return nil, Proposal{}, c.refused(ctx, unavailable(reasonNoAction, nil), user, ProposeTexts, Subject{})
	}
	subject, err := subjectOf(tool, arguments)
	if err != nil {
		return nil, Proposal{}, c.refused(ctx, err, user, ProposeTexts, subject)
	}
	p, err := tool.Validate(arguments, subject)
	if err != nil {
		return nil, Proposal{}, err
	}
	changes := false
	d, err := c.draft(ctx, user, subject, tool, p.Fields, ProposeTexts, func(_ Field, text, stored string) bool {
		changes = changes || text != stored
		return true
	})
	if err != nil {
		return nil, Proposal{}, c.refused(ctx, err, user, ProposeTexts, subject)
	}
	if !changes {
		return nil, Proposal{}, ErrNothingToPropose
	}
	return d, p, nil
}

// subjectOf is the file that the arguments of a call name.
func subjectOf(tool *writeTool, raw json.RawMessage) (Subject, error) {
	known := []string{argUID}
	for _, f := range tool.fields {
		known = append(known, string(f))
	}
	args, err := readArguments(raw, known)
	if err != nil {
		return Subject{}, err
	}
	subject := Subject{Table: TableFile}
	subject.UID, err = strconv.ParseUint(args[argUID].text, 10, 64)
	if errors.Is(err, strconv.ErrRange) && wholeNumber.MatchString(args[argUID].text) {
		return Subject{}, unavailable(falgate.ReasonNoFile, nil)
	}
	return subject, nil // Validate says what else is wrong with the uid
}
