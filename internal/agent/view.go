package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"editor-actions/internal/actions"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

const (
	defaultPage = 25
	maxPage     = 100
	recentRuns  = 10
	historyRows = 50
	watchPoll   = time.Second // how soon a change by another instance is seen
)

// readable loads a run for a viewer. A run they may not read does not exist.
func (a *Agent) readable(ctx context.Context, viewer *typo3.BackendUser, id suspend.RunID) (*suspend.Run, error) {
	run, err := a.Store.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if !mayRead(a.Settings().Review.ApproverGroups, viewer, run) {
		return nil, ErrRunNotFound
	}
	return run, nil
}

// View is one run as the viewer may see it. ErrRunNotFound covers runs that
// do not exist and runs the viewer may not read.
func (a *Agent) View(ctx context.Context, viewer *typo3.BackendUser, id suspend.RunID) (*RunView, error) {
	run, err := a.readable(ctx, viewer, id)
	if err != nil {
		return nil, err
	}
	views, err := a.views(ctx, viewer, []suspend.Run{*run})
	if err != nil {
		return nil, err
	}
	v := &views[0]
	if run.Action != actions.Assistant || v.Folder == "" || run.Status.Terminal() {
		return v, nil
	}
	_, state, err := a.Store.Load(ctx, id)
	if errors.Is(err, suspend.ErrUnreadable) || err == nil && state == nil { // the page is there without it
		return v, nil
	}
	if err != nil {
		return nil, err
	}
	v.Request = state.Note
	return v, nil
}

// views adds files, names and decisions to runs, in a constant number of queries.
func (a *Agent) views(ctx context.Context, viewer *typo3.BackendUser, runs []suspend.Run) ([]RunView, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	var (
		ids   []suspend.RunID
		files []typo3.FileUID
		users []typo3.UserUID
	)
	for _, r := range runs {
		ids = append(ids, r.ID)
		files = append(files, subject(&r))
		users = append(users, typo3.UserUID(r.Initiator))
	}
	seen, err := a.Gate.LookMany(ctx, viewer, compact(files))
	if err != nil {
		return nil, err
	}
	names, err := a.Users.UserNames(ctx, compact(users))
	if err != nil {
		return nil, err
	}
	decisions, err := a.Store.Decisions(ctx, ids...)
	if err != nil {
		return nil, err
	}
	folders, err := a.foldersOf(ctx, viewer, runs)
	if err != nil {
		return nil, err
	}
	out := make([]RunView, len(runs))
	for i := range runs {
		r := runs[i]
		out[i] = RunView{
			Run: &r, File: seen[subject(&r)], Initiator: names[typo3.UserUID(r.Initiator)],
			CanCancel: a.mayCancel(viewer, &r), Decisions: decisions[r.ID], Overdue: a.overdue(&r), Folder: folders[r.Folder],
		}
	}
	return out, nil
}

func compact[T ~uint32](in []T) []T {
	out := slices.Clone(in)
	slices.Sort(out)
	return slices.Compact(out)
}

// Inbox is a page of what the viewer may decide or follow.
func (a *Agent) Inbox(ctx context.Context, viewer *typo3.BackendUser, q InboxQuery) (*Inbox, error) {
	query := suspend.Query{After: q.After, Limit: pageSize(q.Limit), Initiator: a.scope(viewer)}
	waiting, next, err := a.Store.Waiting(ctx, query)
	if err != nil {
		return nil, err
	}
	box := &Inbox{Next: next, All: query.Initiator == nil}
	if box.Waiting, err = a.views(ctx, viewer, waiting); err != nil {
		return nil, err
	}
	if err := a.pick(ctx, viewer, box.Waiting); err != nil {
		return nil, err
	}
	if q.After != "" {
		return box, nil
	}
	active, err := a.Store.Active(ctx, query.Initiator, maxPage)
	if err != nil {
		return nil, err
	}
	if box.Active, err = a.views(ctx, viewer, active); err != nil {
		return nil, err
	}
	recent, _, err := a.Store.Recent(ctx, suspend.Query{Limit: recentRuns, Initiator: query.Initiator})
	if err != nil {
		return nil, err
	}
	box.Recent, err = a.views(ctx, viewer, recent)
	return box, err
}

// scope is whose runs a viewer sees: nil = everybody's.
func (a *Agent) scope(viewer *typo3.BackendUser) *uint32 {
	if seesAll(a.Settings().Review.ApproverGroups, viewer) {
		return nil
	}
	uid := uint32(viewer.UID)
	return &uid
}

func pageSize(n int) int {
	if n <= 0 {
		return defaultPage
	}
	return min(n, maxPage)
}

// Count is the number of waiting cards in the viewer's inbox.
func (a *Agent) Count(ctx context.Context, viewer *typo3.BackendUser) (int, error) {
	return a.Store.CountWaiting(ctx, a.scope(viewer))
}

// Watch sends the run's view now and after every change, until the run waits
// or is settled or ctx ends; then the channel closes.
func (a *Agent) Watch(ctx context.Context, viewer *typo3.BackendUser, id suspend.RunID) (<-chan RunView, error) {
	first, err := a.View(ctx, viewer, id)
	if err != nil {
		return nil, err
	}
	out := make(chan RunView, 1)
	out <- *first
	go func() {
		defer close(out)
		if atRest(first.Run) {
			return
		}
		hint, end := a.hub.watch(id)
		defer end()
		tick := time.NewTicker(watchPoll)
		defer tick.Stop()
		version := first.Run.Version
		for {
			select {
			case <-ctx.Done():
				return
			case <-hint:
			case <-tick.C:
			}
			run, err := a.Store.Get(ctx, id)
			if err != nil {
				return
			}
			if run.Version == version {
				continue
			}
			version = run.Version
			v, err := a.View(ctx, viewer, id)
			if err != nil {
				return
			}
			select {
			case out <- *v:
			case <-ctx.Done():
				return
			}
			if atRest(v.Run) {
				return
			}
		}
	}()
	return out, nil
}

// atRest reports whether a run changes only by a person.
func atRest(r *suspend.Run) bool { return r.Status == suspend.Waiting || r.Status.Terminal() }

// FileHistory lists the decisions on a file, newest first. The viewer must be
// able to see the file.
func (a *Agent) FileHistory(ctx context.Context, viewer *typo3.BackendUser, uid typo3.FileUID) ([]suspend.Decision, error) {
	if _, err := a.Gate.Look(ctx, viewer, uid); err != nil {
		return nil, err
	}
	return a.Store.DecisionsForSubject(ctx, "sys_file", uint64(uid), historyRows)
}

// OpenRuns are the runs that are not settled, per file, as far as the viewer
// may read them. It asks nothing about the files: pass files the viewer sees.
func (a *Agent) OpenRuns(ctx context.Context, viewer *typo3.BackendUser, uids []typo3.FileUID) (map[typo3.FileUID][]suspend.Run, error) {
	subjects := make([]uint64, len(uids))
	for i, u := range uids {
		subjects[i] = uint64(u)
	}
	found, err := a.Store.OpenForSubject(ctx, "sys_file", subjects)
	if err != nil {
		return nil, err
	}
	groups := a.Settings().Review.ApproverGroups
	out := make(map[typo3.FileUID][]suspend.Run, len(found))
	for uid, runs := range found {
		for _, r := range runs {
			if mayRead(groups, viewer, &r) {
				file := typo3.FileUID(uid) //nolint:gosec // was a FileUID before
				out[file] = append(out[file], r)
			}
		}
	}
	return out, nil
}

// Cancel settles a run that nobody wants any more: its initiator, a reviewer
// or an admin. A segment in hand notices at its next stored step.
func (a *Agent) Cancel(ctx context.Context, viewer *typo3.BackendUser, id suspend.RunID) error {
	run, err := a.readable(ctx, viewer, id)
	if err != nil {
		return err
	}
	if run.Written {
		return ErrWrittenRun
	}
	if err := a.Store.Cancel(ctx, id, uint32(viewer.UID)); err != nil {
		return err
	}
	a.Log.InfoContext(ctx, "cancelled run", "run_id", id, "be_user_uid", viewer.UID)
	a.hub.changed(id)
	return nil
}

func (a *Agent) mayCancel(viewer *typo3.BackendUser, r *suspend.Run) bool {
	return !r.Status.Terminal() && !r.Written && mayRead(a.Settings().Review.ApproverGroups, viewer, r)
}
