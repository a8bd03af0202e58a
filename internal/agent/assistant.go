package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"editor-actions/internal/actions"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

// tableStorage is the table an assistant run is about: the storage of its folder.
const tableStorage = "sys_file_storage"

// Errors of assistant runs.
var (
	ErrNoAssistant = fault.New(fault.NotFound, "assistant_not_available", "The assistant is not available here.")
	ErrNoRequest   = fault.New(fault.Invalid, "request_required", "Say what you want for the pictures of this folder.")
	ErrTooDeep     = fault.New(fault.Invalid, "folder_too_deep", "The path of this folder is too long for a request. Choose a folder above it.")
)

// maxFolder is what a run's row holds of a folder, in characters.
const maxFolder = 600

// AskRequest is an editor's free request about the pictures of a folder. All of it is
// raw input.
type AskRequest struct {
	User           *typo3.BackendUser
	Folder         string // combined identifier
	Text           string
	IdempotencyKey string
}

// MayAsk reports whether a user can give the assistant a request at all. Who may store no
// text may not: nothing that it proposes in their name could ever be approved.
func (a *Agent) MayAsk(user *typo3.BackendUser) bool {
	s := a.Settings()
	if !s.Assistant.Enabled || !user.MayEnter(s.Access.Groups) || !actions.MayWriteMetadata(user) || !a.Models.MayUse(s.Providers.Default, groupsOf(user)) {
		return false
	}
	_, err := a.Models.Resolve(s.Providers.Default, providers.VisionAction)
	return err == nil && len(a.writeTools()) > 0
}

// Ask stores an assistant run and wakes a worker. It proposes texts for files of the
// folder, each as a run of its own that a person decides; it writes nothing itself. A
// folder that the user cannot use is falgate.ErrNotAvailable, whatever the reason (P3).
func (a *Agent) Ask(ctx context.Context, r AskRequest) (*suspend.Run, error) {
	if !a.MayAsk(r.User) {
		return nil, ErrNoAssistant
	}
	request := actions.CleanNote(r.Text)
	if request == "" {
		return nil, ErrNoRequest
	}
	folder, err := a.folder(ctx, r.User, r.Folder)
	if err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(folder.Combined) > maxFolder {
		return nil, ErrTooDeep
	}
	s := a.Settings()
	model, err := a.Models.Resolve(s.Providers.Default, providers.VisionAction)
	if err != nil {
		return nil, ErrNoAssistant.Because(err)
	}
	tag := actions.LanguageOf(r.User)
	messages, err := actions.AssistantMessages(s, model.System, folder.Combined, tag, request)
	if err != nil {
		return nil, err
	}
	loop, err := json.Marshal(loopState{})
	if err != nil {
		return nil, err
	}
	run, created, err := a.Store.Create(ctx, suspend.NewRun{
		Action: actions.Assistant, SubjectTable: tableStorage, SubjectUID: uint64(folder.Storage), StorageUID: uint32(folder.Storage), Folder: folder.Combined,
		Initiator: uint32(r.User.UID), OriginalUser: uint32(r.User.OriginalUID), Language: tag, Configuration: model.Name,
		IdempotencyKey: r.IdempotencyKey, State: suspend.State{Messages: messages, Note: request, Loop: loop},
	})
	if err != nil {
		return nil, err
	}
	if created {
		a.queued(ctx, run)
	}
	return run, nil
}

// folder finds a folder as its user may look into it now.
func (a *Agent) folder(ctx context.Context, user *typo3.BackendUser, combined string) (falgate.Folder, error) {
	_, crumbs, err := a.Gate.Folders(ctx, user, combined)
	if err != nil {
		return falgate.Folder{}, err
	}
	return crumbs[len(crumbs)-1], nil
}

// inFolder reports whether a file lies in the folder of a run or below it.
func inFolder(run *suspend.Run, f *falgate.File) bool {
	return strings.HasPrefix(f.CombinedIdentifier(), run.Folder)
}

// foldersOf are the folders of assistant runs that the viewer may look into, by name.
func (a *Agent) foldersOf(ctx context.Context, viewer *typo3.BackendUser, runs []suspend.Run) (map[string]string, error) {
	var folders []string
	for _, r := range runs {
		if r.Folder != "" && !slices.Contains(folders, r.Folder) {
			folders = append(folders, r.Folder)
		}
	}
	found, err := a.Gate.FoldersOf(ctx, viewer, folders)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]string, len(found))
	for name, f := range found {
		seen[name] = f.Combined
	}
	return seen, nil
}

// ProposalRuns are the proposals of an assistant run, as far as the viewer may read them.
func (a *Agent) ProposalRuns(ctx context.Context, viewer *typo3.BackendUser, id suspend.RunID) ([]RunView, error) {
	if _, err := a.readable(ctx, viewer, id); err != nil {
		return nil, err
	}
	runs, err := a.Store.Proposed(ctx, id)
	if err != nil {
		return nil, err
	}
	return a.views(ctx, viewer, runs)
}

// writeTools are the tools that an assistant may propose with.
func (a *Agent) writeTools() []actions.Tool {
	var on []actions.Tool
	for _, t := range a.Catalogue.Tools() {
		if _, enabled := a.Catalogue.Tool(t.Name()); enabled {
			on = append(on, t)
		}
	}
	return on
}

// loopState is what an assistant run counts of itself, and what became of the calls of
// the turn that waits.
type loopState struct {
	Steps    int                      `json:"steps"` // answers of the model
	Pictures int                      `json:"pictures"`
	Refused  map[string]toolAnswer    `json:"refused,omitempty"` // by call id
	Runs     map[string]suspend.RunID `json:"runs,omitempty"`    // of the proposals, by call id
}
