package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"gorm.io/gorm"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/config"
	"editor-actions/internal/content"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/providers"
	"editor-actions/internal/secret"
	"editor-actions/internal/suspend"
	"editor-actions/internal/token"
	"editor-actions/internal/typo3"
)

// runStarter starts and stops runs; agent.Agent is the real one of all run interfaces.
type runStarter interface {
	Start(ctx context.Context, r agent.StartRequest) (*suspend.Run, error)
	Restore(ctx context.Context, r agent.RestoreRequest) (*suspend.Run, error)
	MayAsk(user *typo3.BackendUser) bool
	Ask(ctx context.Context, r agent.AskRequest) (*suspend.Run, error)
	PlanBatch(ctx context.Context, user *typo3.BackendUser, action, numbers string) (*actions.Plan, error)
	StartBatch(ctx context.Context, r agent.BatchRequest) (*agent.Batch, error)
	Cancel(ctx context.Context, viewer *typo3.BackendUser, id suspend.RunID) error
}

// runReader shows runs to those who may read them.
type runReader interface {
	View(ctx context.Context, viewer *typo3.BackendUser, id suspend.RunID) (*agent.RunView, error)
	ProposalRuns(ctx context.Context, viewer *typo3.BackendUser, id suspend.RunID) ([]agent.RunView, error)
	BatchRuns(ctx context.Context, viewer *typo3.BackendUser, id string) ([]agent.RunView, error)
	Watch(ctx context.Context, viewer *typo3.BackendUser, id suspend.RunID) (<-chan agent.RunView, error)
}

// reviewDesk is the inbox and the card.
type reviewDesk interface {
	Inbox(ctx context.Context, viewer *typo3.BackendUser, q agent.InboxQuery) (*agent.Inbox, error)
	Count(ctx context.Context, viewer *typo3.BackendUser) (int, error)
	Card(ctx context.Context, viewer *typo3.BackendUser, id suspend.RunID) (*agent.Card, error)
	Opened(ctx context.Context, viewer *typo3.BackendUser, card *agent.Card) error
	Decide(ctx context.Context, r agent.DecideRequest) (agent.DecideResult, error)
	ApproveMany(ctx context.Context, reviewer *typo3.BackendUser, remoteIP string, cards []agent.Shown) []agent.Approved
}

// fileRuns tells what happened and what happens to files.
type fileRuns interface {
	FileHistory(ctx context.Context, viewer *typo3.BackendUser, uid typo3.FileUID) ([]suspend.Decision, error)
	OpenRuns(ctx context.Context, viewer *typo3.BackendUser, uids []typo3.FileUID) (map[typo3.FileUID][]suspend.Run, error)
}

// contentReader gives files to programs; content.Reader is the real one.
type contentReader interface {
	File(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID, vision bool) (content.Block, error)
}

// tokenStore keeps access tokens; token.Store is the real one.
type tokenStore interface {
	Create(ctx context.Context, n token.NewToken) (secret.String, *token.Token, error)
	List(ctx context.Context, user typo3.UserUID) ([]token.Token, error)
	States(ctx context.Context, list []token.Token) ([]token.State, error)
	Revoke(ctx context.Context, user typo3.UserUID, id string) error
}

// runs is everything the pages ask of the agent.
type runs interface {
	runStarter
	runReader
	reviewDesk
	fileRuns
}

// catalogue offers actions; actions.Catalogue is the real one.
type catalogue interface {
	Offers(ctx context.Context, viewer *typo3.BackendUser, table string) []actions.Offer
	Explain(ctx context.Context, user *typo3.BackendUser, actionKey string, subject actions.Subject) []actions.Check
}

// models lists and checks the configured models; providers.Directory is the real one.
type models interface {
	Overviews() []providers.Overview
	Check(ctx context.Context, name string, user uint32) providers.CheckReport
}

// fileGate decides which files a viewer sees; falgate.Gate is the real one.
type fileGate interface {
	Roots(ctx context.Context, who *typo3.BackendUser) ([]falgate.Folder, error)
	Folders(ctx context.Context, who *typo3.BackendUser, combined string) (sub, crumbs []falgate.Folder, err error)
	Files(ctx context.Context, who *typo3.BackendUser, q falgate.FileQuery) (falgate.FilePage, error)
	Access(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (falgate.Access, *falgate.File, error)
	Look(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (*falgate.File, error)
	View(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (*falgate.Opened, error)
}

// cms knows who is signed in; typo3.CMS is the real one.
type cms interface {
	SessionUser(ctx context.Context, r typo3.SessionRequest) (typo3.SessionResult, error)
	User(ctx context.Context, uid typo3.UserUID) (*typo3.BackendUser, error)
	UserByName(ctx context.Context, name string) (*typo3.BackendUser, error)
	CheckPassword(ctx context.Context, username, password string) (*typo3.BackendUser, error)
	UserNames(ctx context.Context, ids []typo3.UserUID) (map[typo3.UserUID]string, error)
	Metadata(ctx context.Context, tx *gorm.DB, file typo3.FileUID) (*typo3.Metadata, error)
	BackendOpen(r typo3.SessionRequest) bool
}

// scaler makes thumbnails; downscaler.Scaler is the real one.
type scaler interface {
	Fit(ctx context.Context, src []byte, maxEdge int) (*downscaler.Result, error)
}

// sessionIssuer writes and ends sessions as TYPO3 would; only the demo has one.
type sessionIssuer interface {
	IssueSession(ctx context.Context, user typo3.UserUID, host, remoteIP string) (cookie string, err error)
	EndSession(ctx context.Context, cookie string) error
}

// Deps is what a Server is built from. All of it is required, except Sessions
// (demo only), Agents, Ready, Now and NewID.
type Deps struct {
	Settings  func() *config.Settings
	Agent     runs // *agent.Agent
	Catalogue catalogue
	Models    models // *providers.Directory
	Gate      fileGate
	CMS       cms
	Scaler    scaler
	Content   contentReader
	Tokens    tokenStore                                       // *token.Store
	Agents    func(open func(*http.Request) bool) http.Handler // asked while mcp.enabled; nil = none
	Sessions  sessionIssuer                                    // needed when server.signIn is "demo"
	Ready     func(ctx context.Context) error                  // nil = always ready
	Log       *slog.Logger
	Now       func() time.Time
	NewID     func() string
}
