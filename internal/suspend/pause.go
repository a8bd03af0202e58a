package suspend

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
)

// Pause stores a turn that asks for changes to several records: each is a run of its own
// that waits for a decision, and the run itself waits for them. All of it is stored or
// nothing, so a proposal without its run, or the other way round, does not exist. The
// lease is given back. ErrLeaseLost as in Suspend.
func (s *Store) Pause(ctx context.Context, id RunID, owner string, n Suspension, proposals []NewRun) error {
	if len(proposals) == 0 || len(n.State.Pending) == 0 {
		return errors.New("suspend: pause run: there is nothing to decide")
	}
	sealed, err := s.reseal(id, n.State, func(o *origin) { o.Turn = n.Turn })
	if err != nil {
		return err
	}
	return s.transaction(ctx, func(tx *gorm.DB) error {
		// First the run: whoever lost the lease must store nothing.
		res := owned(toPause.of(s.conn(ctx, tx)), id, owner).Where("turn < ?", n.Turn).
			Updates(billed(n.Usage, n.Model, n.Vendor, sealed.into(map[string]any{
				"status": toPause.target(), "turn": n.Turn, "lease_owner": "", "lease_expires": nil, "attempts": 0,
			})))
		if res.Error != nil {
			return fmt.Errorf("suspend: pause run: %w", res.Error)
		}
		if res.RowsAffected != 1 {
			return ErrLeaseLost
		}
		for _, p := range proposals {
			p.Parent = id
			if _, _, err := s.create(ctx, tx, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// undecided are the proposals of a paused run that wait for a person.
const undecided = "SELECT 1 FROM " + runTable + " c WHERE c.parent = " + runTable + ".id AND c.status = ?"

// Resume queues paused runs of which no proposal waits any more, at most limit of them,
// and answers how many. Anybody may call it at any time: proposals are made with the
// pause and never wait again once they are decided.
func (s *Store) Resume(ctx context.Context, limit int) (int, error) {
	var decided []runRow
	err := toResume.of(s.conn(ctx, nil)).Where("NOT EXISTS ("+undecided+")", string(Waiting)).Order("queued_at, id").Limit(limit).Find(&decided).Error
	if err != nil {
		return 0, fmt.Errorf("suspend: find decided runs: %w", err)
	}
	resumed := 0
	for _, r := range decided {
		// The version: it may have gone on and been paused again since it was read.
		res := again(func() *gorm.DB {
			return toResume.of(s.conn(ctx, nil)).Where("id = ? AND version = ?", r.ID, r.Version).
				Updates(map[string]any{"status": toResume.target(), "queued_at": s.now(), "version": gorm.Expr("version + 1")})
		})
		if res.Error != nil {
			return resumed, fmt.Errorf("suspend: resume run: %w", res.Error)
		}
		resumed += int(res.RowsAffected)
	}
	return resumed, nil
}

// SendBack is Reject of a proposal that its assistant run shall make anew: the decision
// says so, and that run reads it. The run is held until the commit, so that it neither
// ends nor goes on in between: ErrNotPaused when it does not wait any more, and nothing
// is decided then.
func (s *Store) SendBack(ctx context.Context, d Decision, parent RunID) error {
	d.Verb = VerbAskAgain
	return s.transaction(ctx, func(tx *gorm.DB) error {
		held := toResume.of(s.conn(ctx, tx)).Where("id = ?", string(parent)).Updates(map[string]any{"version": gorm.Expr("version")})
		if held.Error != nil {
			return fmt.Errorf("suspend: hold run of proposal: %w", held.Error)
		}
		if held.RowsAffected != 1 {
			return ErrNotPaused
		}
		return s.Reject(ctx, tx, d)
	})
}

// Proposed lists the proposals of an assistant run, in the order they were made.
func (s *Store) Proposed(ctx context.Context, parent RunID) ([]Run, error) {
	if parent == "" {
		return nil, nil
	}
	var rows []runRow
	if err := s.conn(ctx, nil).Where("parent = ?", string(parent)).Order("created_at, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("suspend: list proposals: %w", err)
	}
	return runsOf(rows), nil
}
