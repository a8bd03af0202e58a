package actions

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"editor-actions/internal/falgate"
	"editor-actions/internal/typo3"
)

// Check is one question of Prepare with its answer, for administrators.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	// Skipped means that the question could not be asked, because one before it failed.
	Skipped bool `json:"skipped,omitempty"`
}

// Names of the checks, in the order Prepare asks.
const (
	CheckUser    = "user"
	CheckAction  = "action"
	CheckTool    = "tool"
	CheckFields  = "fields"
	CheckModel   = "model"
	CheckFile    = "file"
	CheckRights  = "field_rights"
	CheckOpen    = "open"
	CheckPicture = "picture"
	CheckPrompt  = "prompt"
)

// Explain asks every question of Prepare for user and gives every answer, the
// true reason included. Only administrators and operators may see it (P3). It
// sends nothing and writes nothing.
func (c *Catalogue) Explain(ctx context.Context, user *typo3.BackendUser, actionKey string, subject Subject) []Check {
	e := &explanation{}
	if user == nil {
		return e.failed(CheckUser, reasonNoUser).checks
	}
	e.ok(CheckUser, "%s (uid %d)", user.Username, user.UID)
	a, known := ActionByKey(actionKey)
	switch {
	case !known:
		return e.failed(CheckAction, reasonNoAction).checks
	case !a.On(subject.Table):
		return e.failed(CheckAction, reasonWrongTable).checks
	}
	e.ok(CheckAction, "%s on %s", a.Key, subject)
	fields := c.explainOffer(e, user, a)
	opened := c.explainFile(ctx, e, user, fields, subject)
	c.explainPicture(ctx, e, opened)
	if len(fields) == 0 {
		e.skip(CheckPrompt)
		return e.checks
	}
	text, err := prompt(c.settings(), a, fields, subject, LanguageOf(user), "")
	if err != nil {
		return e.failed(CheckPrompt, err.Error()).checks
	}
	e.ok(CheckPrompt, "language %s, %d characters", LanguageOf(user), Length(text))
	return e.checks
}

func (c *Catalogue) explainOffer(e *explanation, user *typo3.BackendUser, a Action) []Field {
	s := c.settings()
	if _, on := c.Tool(a.Tool); on {
		e.ok(CheckTool, "%s is on", a.Tool)
	} else {
		e.failed(CheckTool, reasonToolOff)
	}
	fields := a.EnabledFields(s)
	if len(fields) > 0 {
		e.ok(CheckFields, "%s", join(fields))
	} else {
		e.failed(CheckFields, reasonNoField)
	}
	if model, ok := c.models.OfferVision(groupsOf(user)); ok {
		e.ok(CheckModel, "%s: %s", model.Name, model.Model)
	} else {
		e.failed(CheckModel, reasonNoVision)
	}
	return fields
}

// explainFile gives the opened file, or nil.
func (c *Catalogue) explainFile(ctx context.Context, e *explanation, user *typo3.BackendUser, fields []Field, subject Subject) *falgate.Opened {
	access, file, err := c.gate.AccessIn(ctx, nil, user, subject.File())
	switch {
	case err != nil && !errors.Is(err, ErrNotAvailable):
		e.failed(CheckFile, err.Error())
	case err != nil || file == nil || access.Usable != falgate.Yes:
		reason := access.Usable
		if reason == "" || reason == falgate.Yes {
			reason = Reason(err)
		}
		e.failed(CheckFile, reason)
	default:
		e.ok(CheckFile, "%s", file.CombinedIdentifier())
	}
	c.explainRights(e, access, fields)
	opened, err := c.gate.Open(ctx, user, subject.File())
	if err != nil {
		reason := Reason(err)
		if reason == "" {
			reason = err.Error()
		}
		e.failed(CheckOpen, reason)
		return nil
	}
	e.ok(CheckOpen, "%d bytes, sha256 %s", len(opened.Data), opened.SHA256)
	return opened
}

func (c *Catalogue) explainRights(e *explanation, access falgate.Access, fields []Field) {
	if len(fields) == 0 {
		e.skip(CheckRights)
		return
	}
	var answers []string
	all := true
	for _, f := range fields {
		answer := writeAnswer(access, f)
		all = all && answer == falgate.Yes
		answers = append(answers, string(f)+"="+answer)
	}
	if all {
		e.ok(CheckRights, "%s", strings.Join(answers, " "))
	} else {
		e.failed(CheckRights, strings.Join(answers, " "))
	}
}

func (c *Catalogue) explainPicture(ctx context.Context, e *explanation, opened *falgate.Opened) {
	if opened == nil {
		e.skip(CheckPicture)
		return
	}
	small, err := c.scaler.Fit(ctx, opened.Data, c.settings().Vision.MaxImageEdge)
	if err != nil {
		e.failed(CheckPicture, err.Error())
		return
	}
	e.ok(CheckPicture, "%s", strings.Join(append([]string{small.Image.String()}, small.Warnings...), ", "))
}

type explanation struct{ checks []Check }

func (e *explanation) ok(name, format string, args ...any) {
	e.checks = append(e.checks, Check{Name: name, OK: true, Detail: fmt.Sprintf(format, args...)})
}

func (e *explanation) failed(name, detail string) *explanation {
	e.checks = append(e.checks, Check{Name: name, Detail: detail})
	return e
}

func (e *explanation) skip(name string) {
	e.checks = append(e.checks, Check{Name: name, Skipped: true, Detail: "not asked, because a check before it failed"})
}

func join(fields []Field) string {
	words := make([]string, len(fields))
	for i, f := range fields {
		words[i] = string(f)
	}
	return strings.Join(words, ", ")
}
