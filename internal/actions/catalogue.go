package actions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"gorm.io/gorm"

	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/providers"
	"editor-actions/internal/typo3"
)

// fileGate decides about files; falgate.Gate is the real one.
type fileGate interface {
	// AccessIn asks inside tx, which may be nil. A file that does not exist is nil.
	AccessIn(ctx context.Context, tx *gorm.DB, who *typo3.BackendUser, uid typo3.FileUID) (falgate.Access, *falgate.File, error)
	AccessMany(ctx context.Context, who *typo3.BackendUser, uids []typo3.FileUID) (map[typo3.FileUID]falgate.Accessed, error)
	Open(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (*falgate.Opened, error)
	ContentHash(ctx context.Context, f *falgate.File) (string, error)
}

// scaler makes the copy that is sent; downscaler.Scaler is the real one.
type scaler interface {
	Fit(ctx context.Context, src []byte, maxEdge int) (*downscaler.Result, error)
}

// ModelDirectory says which model configuration a vision action would use.
// providers.Directory is the real one.
type ModelDirectory interface {
	// OfferVision resolves the default configuration for a user with these groups,
	// and reports whether a vision action may be offered on it.
	OfferVision(groups []uint32) (providers.Resolved, bool)
	// Estimate tells what so many sends of a request and a picture of edge x edge
	// pixels will take at most, and whether anything can be said.
	Estimate(configuration string, req providers.Request, edge, sends int) (providers.Estimate, bool)
}

// Offer is an action that a viewer may start on a record of the asked table.
type Offer struct {
	Action        Action
	Fields        []Field // the fields that are on
	Configuration string
	Estimate      *providers.Estimate // at most; nil when nothing can be said
}

// Prepared is everything a run starts with. Messages hold the picture.
type Prepared struct {
	Action        Action
	Subject       Subject
	File          falgate.File
	SourceSHA256  string // of the original file's bytes
	Configuration string
	Messages      []providers.Message
	Tools         []providers.Tool
	Warnings      []string // codes of the downscaler: tiny_source, first_frame, flattened
	Fields        []Field
	Language      string // language tag the texts are asked in
	Note          string // as used: trimmed and cut
	Prompt        string // a short name of the prompt, the same for every record and note
}

// NewCatalogue makes a catalogue. settings gives the settings of the moment; it
// is asked once per call.
func NewCatalogue(gate fileGate, scaler scaler, cms metadataStore, models ModelDirectory, settings func() *config.Settings, log *slog.Logger) *Catalogue {
	c := &Catalogue{gate: gate, scaler: scaler, models: models, settings: settings, log: log, turns: make(chan struct{}, atOnce)}
	c.tools = newTools(gate, cms, settings)
	return c
}

// atOnce is how many files are in memory at the same time while runs are prepared: each
// has up to images.maxFileBytes, and one person may start many. More wait for their turn.
const atOnce = 4

// Catalogue offers actions and prepares runs. It is safe for concurrent use and
// keeps nothing between calls.
type Catalogue struct {
	gate     fileGate
	scaler   scaler
	models   ModelDirectory
	settings func() *config.Settings
	log      *slog.Logger
	tools    []*writeTool
	turns    chan struct{}
}

// enter waits until another file may be held in memory; leave ends that.
func (c *Catalogue) enter(ctx context.Context) (leave func(), err error) {
	select {
	case c.turns <- struct{}{}:
		return func() { <-c.turns }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("actions: wait for a turn: %w", ctx.Err())
	}
}

// Tools are all write tools, whether switched on or not, sorted by name.
func (c *Catalogue) Tools() []Tool {
	tools := make([]Tool, len(c.tools))
	for i, t := range c.tools {
		tools[i] = t
	}
	return tools
}

// Tool finds a write tool and says whether the operator has switched it on. The
// tool is nil when there is none of that name. Whether an action or a field is
// enabled does not matter here.
func (c *Catalogue) Tool(name string) (tool Tool, enabled bool) {
	for _, t := range c.tools {
		if t.name == name {
			return t, t.enabled(c.settings().Tools)
		}
	}
	return nil, false
}

// Offers lists the actions viewer may start on records of that table, sorted by
// key; "" stands for every table. It looks at no record and makes no query.
func (c *Catalogue) Offers(_ context.Context, viewer *typo3.BackendUser, table string) []Offer {
	if !MayWriteMetadata(viewer) {
		return nil
	}
	s := c.settings()
	var offers []Offer
	for _, a := range Actions() {
		if table != "" && !a.On(table) {
			continue
		}
		fields, model, reason := c.offer(s, viewer, a)
		if reason != "" || !mayWriteFields(viewer, fields) {
			continue
		}
		offers = append(offers, Offer{Action: a, Fields: fields, Configuration: model.Name, Estimate: c.estimate(s, viewer, a, fields, model)})
	}
	return offers
}

// estimate is what a run of the action will take at most: role text, prompt, schema and
// the largest picture, once or, with the closing turn, twice.
func (c *Catalogue) estimate(s *config.Settings, viewer *typo3.BackendUser, a Action, fields []Field, model providers.Resolved) *providers.Estimate {
	text, err := prompt(s, a, fields, Subject{Table: TableFile}, LanguageOf(viewer), "")
	tool, on := c.Tool(a.Tool)
	if err != nil || !on {
		return nil
	}
	sends := 1
	if s.Agent.ClosingTurn == config.ClosingTurnFull {
		sends++
	}
	e, known := c.models.Estimate(model.Name, providers.Request{
		Messages: []providers.Message{{Role: providers.User, Text: text}}, Tools: []providers.Tool{tool.Definition()},
	}, s.Vision.MaxImageEdge, sends)
	if !known {
		return nil
	}
	return &e
}

// MayWriteMetadata asks the rights to write texts that do not depend on a file.
func MayWriteMetadata(u *typo3.BackendUser) bool {
	return u != nil && u.Live() && !u.Frozen && u.MetadataTable && u.MayUseLanguage(0)
}

// mayWriteFields asks the one field right TYPO3 ships: the title's.
func mayWriteFields(u *typo3.BackendUser, fields []Field) bool {
	return u.TitleField || !slices.Contains(fields, Title)
}

// offer asks what does not depend on a record: the tool, the fields, the model.
// The reason is "" when all three are there.
func (c *Catalogue) offer(s *config.Settings, u *typo3.BackendUser, a Action) (fields []Field, model providers.Resolved, reason string) {
	if _, on := c.Tool(a.Tool); !on {
		return nil, model, reasonToolOff
	}
	if fields = a.EnabledFields(s); len(fields) == 0 {
		return nil, model, reasonNoField
	}
	model, ok := c.models.OfferVision(groupsOf(u))
	if !ok {
		return fields, model, reasonNoVision
	}
	return fields, model, ""
}

func groupsOf(u *typo3.BackendUser) []uint32 {
	if u == nil {
		return nil
	}
	groups := make([]uint32, len(u.Groups))
	for i, g := range u.Groups {
		groups[i] = uint32(g)
	}
	return groups
}

// Prepare asks everything again, from raw inputs, and builds the messages of a
// run. Every refusal is ErrNotAvailable and is logged here, once, with its
// reason. What is refused about a file costs the same queries whatever the
// reason: only the gate asks the database, and it asks the same every time.
func (c *Catalogue) Prepare(ctx context.Context, user *typo3.BackendUser, actionKey string, subject Subject, note string) (*Prepared, error) {
	p, err := c.prepare(ctx, user, actionKey, subject, note)
	if _, known := ActionByKey(actionKey); !known {
		actionKey = echo(actionKey)
	}
	return p, c.refused(ctx, err, user, actionKey, subject)
}

// refused logs a neutral refusal with its reason, once, and gives the error on.
func (c *Catalogue) refused(ctx context.Context, err error, user *typo3.BackendUser, action string, subject Subject) error {
	if !errors.Is(err, ErrNotAvailable) {
		return err
	}
	var uid typo3.UserUID
	if user != nil {
		uid = user.UID
	}
	c.log.InfoContext(ctx, "refused action", "reason", Reason(err), "action", action, "file_uid", subject.UID, "be_user_uid", uid)
	return err
}

func (c *Catalogue) prepare(ctx context.Context, user *typo3.BackendUser, actionKey string, subject Subject, note string) (*Prepared, error) {
	s := c.settings()
	a, ok := ActionByKey(actionKey)
	switch {
	case user == nil:
		return nil, unavailable(reasonNoUser, nil)
	case !ok:
		return nil, unavailable(reasonNoAction, nil)
	case !a.On(subject.Table):
		return nil, unavailable(reasonWrongTable, nil)
	}
	fields, model, reason := c.offer(s, user, a)
	if reason != "" {
		return nil, unavailable(reason, nil)
	}
	leave, err := c.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	opened, err := c.gate.Open(ctx, user, subject.File())
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		if writeAnswer(opened.Access, f) != falgate.Yes {
			return nil, unavailable(reasonField+"_"+string(f), nil)
		}
	}
	small, err := c.scaler.Fit(ctx, opened.Data, s.Vision.MaxImageEdge)
	if err != nil {
		return nil, unscalable(ctx, err)
	}
	language := LanguageOf(user)
	text, err := prompt(s, a, fields, subject, language, note)
	if err != nil {
		return nil, err
	}
	name, err := promptName(s, a, fields, language, model.System)
	if err != nil {
		return nil, err
	}
	tool, _ := c.Tool(a.Tool)
	return &Prepared{
		Action: a, Subject: subject, File: opened.File, SourceSHA256: opened.SHA256, Configuration: model.Name,
		Messages: messages(model.System, text, small.Image), Tools: []providers.Tool{tool.Definition()},
		Warnings: small.Warnings, Fields: fields, Language: language, Note: CleanNote(note), Prompt: name,
	}, nil
}

// unscalable turns a failure of the scaler into the neutral refusal, except
// when it was the caller who went away.
func unscalable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("actions: scale picture: %w", err)
	}
	reason := falgate.ReasonPicture
	if f, ok := errors.AsType[*fault.Error](err); ok {
		reason = f.Code
	}
	return unavailable(reason, err)
}
