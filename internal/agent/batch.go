package agent

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"editor-actions/internal/actions"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"

	"github.com/google/uuid"
)

// BatchRequest asks for one run per file. All of it is raw input.
type BatchRequest struct {
	User    *typo3.BackendUser
	Action  string
	Numbers string // of files, see actions.Catalogue.Plan
	Note    string // for every run
	Key     string // one form, one batch: the same key gives the same batch
}

// Batch is what a request started.
type Batch struct {
	ID   string
	Plan *actions.Plan // as it was carried out: files that could not be used after all are skipped in it
}

// batchNames makes the ids of batches from a person and their form.
var batchNames = uuid.MustParse("6f0b9c3e-6f4e-5b7a-9d55-0c8f2f0a7a10")

// PlanBatch says what a batch would start. It starts nothing.
func (a *Agent) PlanBatch(ctx context.Context, user *typo3.BackendUser, action, numbers string) (*actions.Plan, error) {
	if !user.MayEnter(a.Settings().Access.Groups) {
		return nil, actions.ErrNotAvailable
	}
	return a.Catalogue.Plan(ctx, user, action, numbers, func(ctx context.Context, action string, uids []typo3.FileUID) (map[typo3.FileUID]bool, error) {
		open, err := a.OpenRuns(ctx, user, uids)
		busy := map[typo3.FileUID]bool{}
		for uid, runs := range open {
			for _, r := range runs {
				busy[uid] = busy[uid] || r.Action == action
			}
		}
		return busy, err
	})
}

// StartBatch plans again and starts a run for each entry that is left: N ordinary runs,
// each with its own card and decision. A file that cannot be used after all is skipped
// in the answer's plan and stops no other. When a run later finds that nothing more can
// be paid, those that no worker has begun with are not started.
func (a *Agent) StartBatch(ctx context.Context, r BatchRequest) (*Batch, error) {
	plan, err := a.PlanBatch(ctx, r.User, r.Action, r.Numbers)
	if err != nil {
		return nil, err
	}
	b := &Batch{ID: uuid.NewSHA1(batchNames, []byte(strconv.FormatUint(uint64(r.User.UID), 10)+"\x00"+r.Key)).String(), Plan: plan}
	runs, err := a.prepareBatch(ctx, r, b)
	if err != nil {
		return nil, err
	}
	// All at once: no worker can find that nothing more can be paid before the last is there.
	started, err := a.Store.CreateAll(ctx, runs)
	if err != nil {
		return nil, err
	}
	for i := range started {
		a.queued(ctx, &started[i])
	}
	return b, nil
}

// prepareBatch prepares the runs that the plan leaves, as many at once as there are
// processes that scale pictures.
func (a *Agent) prepareBatch(ctx context.Context, r BatchRequest, b *Batch) ([]suspend.NewRun, error) {
	var (
		wg    sync.WaitGroup
		turns = make(chan struct{}, max(1, a.Settings().Images.Workers))
		runs  = make([]suspend.NewRun, len(b.Plan.Entries))
		errs  = make([]error, len(b.Plan.Entries))
	)
	for i := range b.Plan.Entries {
		e := &b.Plan.Entries[i]
		if e.Skip != "" {
			continue
		}
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			runs[i], errs[i] = a.prepare(ctx, StartRequest{
				User: r.User, Action: r.Action, Table: actions.TableFile, UID: e.UID, Note: r.Note,
				IdempotencyKey: b.ID + ":" + strconv.FormatUint(e.UID, 10),
			})
			if errors.Is(errs[i], actions.ErrNotAvailable) {
				e.Skip, e.File, errs[i] = actions.SkipNotAvailable, nil, nil
			}
		})
	}
	wg.Wait()
	var left []suspend.NewRun
	for i, e := range b.Plan.Entries {
		if e.Skip == "" {
			runs[i].Batch = b.ID
			left = append(left, runs[i])
		}
	}
	return left, errors.Join(errs...)
}

// BatchRuns are the runs of a batch, as far as the viewer may read them; ErrRunNotFound when there is none.
func (a *Agent) BatchRuns(ctx context.Context, viewer *typo3.BackendUser, id string) ([]RunView, error) {
	runs, err := a.Store.Batch(ctx, id)
	if err != nil {
		return nil, err
	}
	groups := a.Settings().Review.ApproverGroups
	var readable []suspend.Run
	for _, r := range runs {
		if mayRead(groups, viewer, &r) {
			readable = append(readable, r)
		}
	}
	if len(readable) == 0 {
		return nil, ErrRunNotFound
	}
	views, err := a.views(ctx, viewer, readable)
	if err != nil {
		return nil, err
	}
	return views, nil
}

// stopBatch keeps the rest of a run's batch from being started when what ended the run
// would end them too: nothing more can be paid.
func (s *segment) stopBatch(ctx context.Context, cause error) {
	pe, ok := errors.AsType[*providers.Error](cause)
	if !ok || s.run.Batch == "" || pe.Kind != providers.Budget && pe.Kind != providers.Quota {
		return
	}
	store, cancel := detached(ctx)
	defer cancel()
	n, err := s.a.Store.StopBatch(store, s.run.Batch)
	if err != nil {
		s.a.Log.ErrorContext(ctx, "stop batch", "run_id", s.run.ID, "err", err)
		return
	}
	s.a.Log.WarnContext(ctx, "stopped batch", "run_id", s.run.ID, "reason", string(pe.Kind), "count", n)
}
