package agent

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"time"

	"editor-actions/internal/actions"
	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/guardrails"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/readtools"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
	"editor-actions/internal/webhook"

	"gorm.io/gorm"
)

// Errors of this room. Runs a viewer may not read do not exist for that viewer.
var (
	ErrRunNotFound   = suspend.ErrRunNotFound
	ErrOwnRun        = fault.New(fault.Forbidden, "own_run", "You started this run, so another person has to approve it. You can still reject it.")
	ErrNotAReviewer  = fault.New(fault.Forbidden, "not_a_reviewer", "You may follow this run, but not decide it.")
	ErrWithheld      = fault.New(fault.Forbidden, "card_withheld", "You may not see this file, so you cannot approve a text for it. You can reject this run.")
	ErrConfiguration = fault.New(fault.Unavailable, "configuration_inactive", "The model configuration of this run is switched off. Nothing was decided; the run keeps waiting.")
	ErrToolOff       = fault.New(fault.Unavailable, "tool_off", "The tool of this run is switched off, so nothing was written. The run keeps waiting.")
	ErrActingUser    = fault.New(fault.Forbidden, "acting_user_gone", "The change can no longer be made in the name of the person who started it. Nothing was written.")
	ErrFileGone      = fault.New(fault.Unavailable, "file_gone", "The file can no longer be used. Nothing was written; you can reject this run.")
	ErrNoTurnsLeft   = fault.New(fault.Invalid, "no_turns_left", "The model was asked as often as this run allows. Edit the text, or reject it.")
	ErrNoModel       = fault.New(fault.Invalid, "no_model", "This run has no model that could be asked again. Edit the text, or reject it.")
	ErrCategory      = fault.New(fault.Invalid, "unknown_category", "Choose what is wrong from the list.")
	ErrReason        = fault.New(fault.Invalid, "reason_required", "Say what should be different, so that the model can try again.")
	ErrUnreadable    = fault.New(fault.Unavailable, "run_unreadable", "The stored state of this run cannot be opened. Nothing was changed; an administrator can look into it.")
	ErrWrittenRun    = fault.New(fault.Stale, "run_written", "This run has already written its change, so it cannot be cancelled.")
)

// catalogue is what the loop needs of the actions room.
type catalogue interface {
	Prepare(ctx context.Context, user *typo3.BackendUser, action string, subject actions.Subject, note string) (*actions.Prepared, error)
	Plan(ctx context.Context, user *typo3.BackendUser, action, numbers string, busy actions.Busy) (*actions.Plan, error)
	PrepareRestore(ctx context.Context, user *typo3.BackendUser, subject actions.Subject, earlier map[actions.Field]string) (*actions.Draft, error)
	PrepareProposal(ctx context.Context, user *typo3.BackendUser, tool string, arguments json.RawMessage) (*actions.Draft, actions.Proposal, error)
	Tool(name string) (tool actions.Tool, enabled bool)
	Tools() []actions.Tool
}

// fileGate is what the loop needs of falgate.
type fileGate interface {
	Look(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (*falgate.File, error)
	LookMany(ctx context.Context, who *typo3.BackendUser, uids []typo3.FileUID) (map[typo3.FileUID]*falgate.File, error)
	Open(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (*falgate.Opened, error)
	Sees(who *typo3.BackendUser, f *falgate.File) bool
	Files(ctx context.Context, who *typo3.BackendUser, q falgate.FileQuery) (falgate.FilePage, error)
	Folders(ctx context.Context, who *typo3.BackendUser, combined string) (sub, crumbs []falgate.Folder, err error)
	FoldersOf(ctx context.Context, who *typo3.BackendUser, combined []string) (map[string]falgate.Folder, error)
}

// metadataSource reads what TYPO3 keeps beside a file's texts.
type metadataSource interface {
	MetadataRecords(ctx context.Context, file typo3.FileUID) ([]typo3.MetadataRecord, error)
}

// userSource loads backend users with their rights as of now.
type userSource interface {
	User(ctx context.Context, uid typo3.UserUID) (*typo3.BackendUser, error)
	UserNames(ctx context.Context, uids []typo3.UserUID) (map[typo3.UserUID]string, error)
}

// scaler makes the small copy again when a file was replaced while a card waited.
type scaler interface {
	Fit(ctx context.Context, src []byte, maxEdge int) (*downscaler.Result, error)
	Normalize(ctx context.Context, src []byte, maxEdge int) (*media.Image, error)
}

// models sends requests to the configured model and its fallbacks.
type models interface {
	Complete(ctx context.Context, configuration string, req providers.Request, need providers.Requirements) (providers.Response, providers.Resolved, error)
	Resolve(configuration string, need providers.Requirements) (providers.Resolved, error)
	MayUse(configuration string, groups []uint32) bool
}

// messenger tells another program what happened; webhook.Sender is the real one.
type messenger interface {
	Send(ctx context.Context, t webhook.Target, m webhook.Message) error
}

// Deps is what an Agent is built from. All of it is required.
type Deps struct {
	Catalogue catalogue
	Gate      fileGate
	Scaler    scaler
	Users     userSource
	Metadata  metadataSource
	Models    models
	Webhooks  messenger
	ReadTools []readtools.Tool // of assistant runs
	// Installation is a stable name of this site, part of the scope of pictures.
	Installation string
	Store        *suspend.Store
	DB           *gorm.DB
	Screener     func() *guardrails.Screener // the current one: settings may be reloaded
	Settings     func() *config.Settings
	Log          *slog.Logger
	Now          func() time.Time
}

// Agent runs the loop. It is safe for concurrent use, by several goroutines
// and by several instances on one database.
type Agent struct {
	Deps
	name string // lease owner prefix: host, process and a random part
	hub  *hub
}

// New makes an Agent. Call Work to have its runs executed.
func New(d Deps) *Agent {
	if d.Now == nil {
		d.Now = time.Now
	}
	return &Agent{Deps: d, name: instanceName(), hub: newHub()}
}

// instanceName tells instances apart in lease columns. Host and process id
// are for people; the random part makes it unique.
func instanceName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	if len(host) > 24 {
		host = host[:24]
	}
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return host + ":" + hex.EncodeToString(b[:])
}

// Start prepares and stores one run, and wakes a worker. Every reason why the
// action cannot run for this user and record is the one actions.ErrNotAvailable
// (P3), and then there is no run. A repeated idempotency key answers the run it made.
func (a *Agent) Start(ctx context.Context, r StartRequest) (*suspend.Run, error) {
	n, err := a.prepare(ctx, r)
	if err != nil {
		return nil, err
	}
	run, created, err := a.Store.Create(ctx, n)
	if err != nil {
		return nil, err
	}
	if created {
		a.queued(ctx, run)
	}
	return run, nil
}

// prepare asks every question about a run and scales its picture. It stores nothing.
func (a *Agent) prepare(ctx context.Context, r StartRequest) (suspend.NewRun, error) {
	if !r.User.MayEnter(a.Settings().Access.Groups) {
		return suspend.NewRun{}, actions.ErrNotAvailable
	}
	p, err := a.Catalogue.Prepare(ctx, r.User, r.Action, actions.Subject{Table: r.Table, UID: r.UID}, r.Note)
	if err != nil {
		return suspend.NewRun{}, err
	}
	return suspend.NewRun{
		Action: p.Action.Key, Tool: p.Action.Tool,
		SubjectTable: p.Subject.Table, SubjectUID: p.Subject.UID, StorageUID: uint32(p.File.Storage),
		Initiator: uint32(r.User.UID), OriginalUser: uint32(r.User.OriginalUID),
		Language: p.Language, Configuration: p.Configuration,
		SourceSHA256: p.SourceSHA256, Prompt: p.Prompt, IdempotencyKey: r.IdempotencyKey,
		State: suspend.State{Messages: p.Messages, Note: p.Note, Warnings: p.Warnings},
	}, nil
}

// queued tells the log and the workers of a new run.
func (a *Agent) queued(ctx context.Context, run *suspend.Run) {
	a.Log.InfoContext(ctx, "queued run", "run_id", run.ID, "action", run.Action, "file_uid", run.SubjectUID, "be_user_uid", run.Initiator)
	a.hub.changed(run.ID)
}
