package suspend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"editor-actions/internal/database"
	"editor-actions/internal/providers"

	"gorm.io/gorm"
)

// nextWork finds the run that is due longest: queued, or left by a worker whose
// lease ran out. Each half reads one entry of an index.
const nextWork = `id = (SELECT id FROM (
	SELECT * FROM (SELECT id, queued_at FROM ` + runTable + ` WHERE status = ? AND queued_at <= ? ORDER BY queued_at, id LIMIT 1) AS due
	UNION ALL
	SELECT * FROM (SELECT id, queued_at FROM ` + runTable + ` WHERE status = ? AND lease_expires < ? ORDER BY lease_expires, id LIMIT 1) AS abandoned
) AS work ORDER BY queued_at, id LIMIT 1)`

// Claim takes the next piece of work under a lease: the run that is queued
// longest, or one whose worker let its lease run out. ErrNothingToDo when there
// is none. A run that was claimed maxAttempts times without getting anywhere is
// settled; when its change is written already it is completed and not failed
// (P18). A state that does not open settles the run as failed and is kept (P17).
// Both are passed over: the next run is taken in the same call.
func (s *Store) Claim(ctx context.Context, owner string, lease time.Duration, maxAttempts int) (*Run, *State, error) {
	for {
		var row sealedRow
		now := s.now()
		err := s.conn(ctx, nil).Where(nextWork, string(Queued), now, string(Running), now).Take(&row).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return nil, nil, ErrNothingToDo
		}
		if err != nil {
			return nil, nil, fmt.Errorf("suspend: find work: %w", err)
		}
		run := &row.Row
		if run.Attempts >= maxAttempts {
			if err := s.giveUp(ctx, run, now); err != nil {
				return nil, nil, err
			}
			continue
		}
		move := toClaim
		if Status(run.Status) == Running {
			move = toTakeOver
		}
		expires := now.Add(lease)
		res := again(func() *gorm.DB {
			return unmoved(move.of(s.conn(ctx, nil)), run, now).Updates(map[string]any{
				"status": move.target(), "lease_owner": owner, "lease_expires": expires, "attempts": run.Attempts + 1,
				"started_at": gorm.Expr("COALESCE(started_at, ?)", now), "version": run.Version + 1,
			})
		})
		if res.Error != nil {
			return nil, nil, fmt.Errorf("suspend: claim run: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			continue // somebody else was quicker
		}
		if run.StartedAt == nil {
			run.StartedAt = &now
		}
		run.Status, run.LeaseOwner, run.LeaseExpires = string(Running), owner, &expires
		run.Attempts, run.Version = run.Attempts+1, run.Version+1
		state, err := s.open(&row)
		if err != nil {
			s.Log.ErrorContext(ctx, "cannot open sealed state", "run_id", run.ID, "err", err)
			if err := s.bury(ctx, run); err != nil {
				return nil, nil, err
			}
			continue
		}
		return run.run(), state, nil
	}
}

// unmoved holds an UPDATE to the row that was read. The version fences every
// change of the run, the lease a renewal in between, which is none.
func unmoved(db *gorm.DB, row *runRow, now time.Time) *gorm.DB {
	return db.Where("id = ? AND version = ? AND (lease_expires IS NULL OR lease_expires < ?)", row.ID, row.Version, now)
}

// giveUp settles a run that too many workers died with.
func (s *Store) giveUp(ctx context.Context, row *runRow, now time.Time) error {
	met, err := s.ending(ctx, "give up run", []string{row.ID}, func(tx *gorm.DB) *gorm.DB {
		return unmoved(toGiveUp.of(tx), row, now).Updates(settled(now, map[string]any{
			"status": orCompleted(Failed), "reason": orApproved(ReasonRetriesExhausted),
			"error_kind": string(ReasonRetriesExhausted), "version": row.Version + 1,
		}))
	})
	if err != nil {
		return err
	}
	if met == 1 {
		s.Log.ErrorContext(ctx, "gave up run", "run_id", row.ID, "attempts", row.Attempts, "written", row.Written)
	}
	return nil
}

// bury settles a claimed run whose state does not open. The sealed bytes and what tools made
// stay for a repair (P17): the key may come back.
func (s *Store) bury(ctx context.Context, row *runRow) error {
	changes := settled(s.now(), map[string]any{
		"status": orCompleted(Failed), "reason": orApproved(ReasonUnreadable),
		"error_kind": string(ReasonUnreadable), "version": row.Version + 1,
	})
	delete(changes, "sealed_key")
	delete(changes, "sealed_state")
	res := again(func() *gorm.DB {
		return toBury.of(s.conn(ctx, nil)).Where("id = ? AND version = ?", row.ID, row.Version).Updates(changes)
	})
	if res.Error != nil {
		return fmt.Errorf("suspend: settle unreadable run: %w", res.Error)
	}
	return nil
}

// held is t on a run whose lease owner still has.
func (s *Store) held(ctx context.Context, t transition, id RunID, owner string) *gorm.DB {
	return owned(t.of(s.conn(ctx, nil)), id, owner)
}

// owned limits an UPDATE to a run whose lease owner still has.
func owned(db *gorm.DB, id RunID, owner string) *gorm.DB {
	return db.Where("id = ? AND lease_owner = ?", string(id), owner)
}

// moveAttempts bounds how often a statement of its own is sent again after the database
// ended it for its own reasons: two instances that move the same run lock its row and its
// index entries in either order. An outcome that was paid for is not given up for that.
const moveAttempts = 5

func again(update func() *gorm.DB) *gorm.DB {
	res := update()
	for n := 1; n < moveAttempts && database.IsTransient(res.Error); n++ {
		res = update()
	}
	return res
}

// one turns the row count of a conditional update into a result.
func one(update func() *gorm.DB, missed error, doing string) error {
	res := again(update)
	if res.Error != nil {
		return fmt.Errorf("suspend: %s: %w", doing, res.Error)
	}
	if res.RowsAffected != 1 {
		return missed
	}
	return nil
}

// Renew prolongs a lease. ErrLeaseLost when the owner no longer has it: the run
// was cancelled or taken over, and the owner must store nothing any more.
func (s *Store) Renew(ctx context.Context, id RunID, owner string, lease time.Duration) error {
	return one(func() *gorm.DB {
		return s.held(ctx, toKeep, id, owner).Updates(map[string]any{"lease_expires": s.now().Add(lease)})
	}, ErrLeaseLost, "renew lease")
}

// SaveProgress stores what a segment has reached so far, so that a worker that
// takes the run over does not pay for it again. The claims until then got somewhere, so
// they do not count against the run any more.
func (s *Store) SaveProgress(ctx context.Context, id RunID, owner string, state State, usage providers.Usage) error {
	sealed, err := s.reseal(id, state, func(*origin) {})
	if err != nil {
		return err
	}
	return one(func() *gorm.DB {
		return s.held(ctx, toKeep, id, owner).Updates(billed(usage, "", "", sealed.into(map[string]any{"attempts": 0})))
	}, ErrLeaseLost, "save progress")
}

// Requeue gives a run back that its worker cannot finish, to be claimed after
// delay. The claim stays counted, so nothing is given back for ever.
func (s *Store) Requeue(ctx context.Context, id RunID, owner string, delay time.Duration) error {
	return one(func() *gorm.DB {
		return s.held(ctx, toRequeue, id, owner).Updates(map[string]any{
			"status": toRequeue.target(), "queued_at": s.now().Add(delay), "lease_owner": "", "lease_expires": nil,
			"version": gorm.Expr("version + 1"),
		})
	}, ErrLeaseLost, "requeue run")
}

// Suspend stores a turn that needs a person and gives the lease back. The
// digest of what the card will ask is computed from the stored bytes. It refuses
// a turn that asks for nothing, and one whose number is taken.
func (s *Store) Suspend(ctx context.Context, id RunID, owner string, n Suspension) (string, error) {
	if len(n.State.Pending) == 0 {
		return "", errors.New("suspend: suspend run: there is no pending call to decide")
	}
	sealed, err := s.reseal(id, n.State, func(o *origin) { o.Turn, o.Redraws, o.Waiting = n.Turn, 0, true })
	if err != nil {
		return "", err
	}
	digest := Digest(n.State.Pending, 0)
	err = one(func() *gorm.DB {
		return s.held(ctx, toSuspend, id, owner).Where("turn < ? AND written = ?", n.Turn, false).
			Updates(billed(n.Usage, n.Model, n.Vendor, sealed.into(map[string]any{
				"status": toSuspend.target(), "turn": n.Turn, "redraws": 0, "digest": digest, "stale": false,
				"waiting_since": s.now(), "lease_owner": "", "lease_expires": nil, "attempts": 0,
			})))
	}, ErrLeaseLost, "suspend run")
	if err != nil {
		return "", err
	}
	return digest, nil
}

// Settle ends a run as completed or failed and erases its sealed state and what tools
// made for it (P7). A run whose change is written is stored as completed whatever n says (P18); what
// failed is then its error kind.
func (s *Store) Settle(ctx context.Context, id RunID, owner string, n Settlement) error {
	if !toSettle.allows(n.Status) || !n.Reason.Valid() {
		return fmt.Errorf("suspend: settle as %q because %q: not in the closed sets", n.Status, n.Reason)
	}
	note := n.ErrorKind
	if note == "" && n.Status != Completed {
		note = string(n.Reason)
	}
	met, err := s.ending(ctx, "settle run", []string{string(id)}, func(tx *gorm.DB) *gorm.DB {
		return owned(toSettle.of(tx), id, owner).Updates(billed(n.Usage, n.Model, n.Vendor, settled(s.now(), map[string]any{
			"status": orCompleted(n.Status), "reason": orApproved(n.Reason), "message": n.Message,
			"error_kind": gorm.Expr("CASE WHEN written = 1 THEN ? ELSE ? END", clip(note, errorKindLength), clip(n.ErrorKind, errorKindLength)),
		})))
	})
	if err == nil && met == 0 {
		return ErrLeaseLost
	}
	return err
}

// settled adds what every end of a run has in common: no lease, no card, no state.
func settled(now time.Time, changes map[string]any) map[string]any {
	changes["settled_at"], changes["waiting_since"] = now, nil
	changes["lease_owner"], changes["lease_expires"] = "", nil
	changes["digest"] = ""
	changes["sealed_key"], changes["sealed_state"] = nil, nil
	return changes
}

// billed adds the usage of a segment, and the model that was billed when one was asked.
func billed(u providers.Usage, model, vendor string, changes map[string]any) map[string]any {
	changes["input_tokens"] = gorm.Expr("input_tokens + ?", u.InputTokens)
	changes["output_tokens"] = gorm.Expr("output_tokens + ?", u.OutputTokens)
	changes["cached_input_tokens"] = gorm.Expr("cached_input_tokens + ?", u.CachedInputTokens)
	changes["reasoning_tokens"] = gorm.Expr("reasoning_tokens + ?", u.ReasoningTokens)
	changes["cost_micros"] = gorm.Expr("cost_micros + ?", u.CostMicros)
	if u.Unpriced {
		changes["unpriced"] = true
	}
	changes["version"] = gorm.Expr("version + 1")
	if model != "" {
		changes["model"], changes["vendor"] = clip(model, modelLength), clip(vendor, vendorLength)
	}
	return changes
}
