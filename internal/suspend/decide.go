package suspend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
)

// decide moves a waiting run on and stores the decision, both in tx. The
// conditions are the whole of P9 and P10: the run waits, and its turn and digest
// are the ones that were shown.
func (s *Store) decide(ctx context.Context, tx *gorm.DB, move transition, d Decision, changes map[string]any) error {
	if tx == nil {
		return s.conn(ctx, nil).Transaction(func(tx *gorm.DB) error { return s.decide(ctx, tx, move, d, changes) })
	}
	changes["status"], changes["version"] = move.target(), gorm.Expr("version + 1")
	res := shown(move.of(s.conn(ctx, tx)), d.Run, d.Turn, d.Digest).Updates(changes)
	if res.Error != nil {
		return fmt.Errorf("suspend: decide run: %w", res.Error)
	}
	if res.RowsAffected != 1 {
		return s.whyNot(ctx, tx, d.Run)
	}
	row, err := d.row()
	if err != nil {
		return err
	}
	err = s.conn(ctx, tx).Create(row).Error
	if errors.Is(err, gorm.ErrDuplicatedKey) { // a row that somebody set back: the turn has its decision
		return ErrAlreadyDecided.Because(err)
	}
	if err != nil {
		return fmt.Errorf("suspend: store decision: %w", err)
	}
	if move.to[0].Terminal() {
		return s.eraseArtifacts(ctx, tx, []string{string(d.Run)})
	}
	return nil
}

// shown holds an UPDATE to exactly what a person saw.
func shown(db *gorm.DB, id RunID, turn int, digest string) *gorm.DB {
	return db.Where("id = ? AND turn = ? AND digest = ?", string(id), turn, digest)
}

// whyNot tells a late decision from a stale one. It asks with an UPDATE that
// changes nothing: inside a transaction a SELECT answers with the snapshot from
// before the other decision.
func (s *Store) whyNot(ctx context.Context, tx *gorm.DB, id RunID) error {
	res := toRedraw.of(s.conn(ctx, tx)).Where("id = ?", string(id)).Updates(map[string]any{"version": gorm.Expr("version")})
	if res.Error != nil {
		return fmt.Errorf("suspend: read run: %w", res.Error)
	}
	if res.RowsAffected == 1 {
		return ErrStaleTurn
	}
	return s.existing(ctx, tx, id, ErrAlreadyDecided)
}

// existing is err for a run that there is, else ErrRunNotFound.
func (s *Store) existing(ctx context.Context, tx *gorm.DB, id RunID, err error) error {
	var n int64
	if countErr := s.conn(ctx, tx).Model(&runRow{}).Where("id = ?", string(id)).Count(&n).Error; countErr != nil {
		return fmt.Errorf("suspend: read run: %w", countErr)
	}
	if n == 0 {
		return ErrRunNotFound
	}
	return err
}

// Approve marks the run's change as written and queues it for its closing turn.
// Call it in the transaction that writes the change: both commit or neither does.
func (s *Store) Approve(ctx context.Context, tx *gorm.DB, d Decision, next State) error {
	sealed, err := s.reseal(d.Run, next, func(o *origin) { o.Turn, o.Waiting, o.Written = d.Turn, false, true })
	if err != nil {
		return err
	}
	d.Verb = VerbApprove
	return s.decide(ctx, tx, toApprove, d, sealed.into(map[string]any{
		"phase": string(PhaseClose), "reason": string(ReasonApproved), "written": true,
		"digest": "", "waiting_since": nil, "queued_at": s.now(), "attempts": 0,
	}))
}

// AskAgain queues the run for another turn; next holds the answered call.
func (s *Store) AskAgain(ctx context.Context, tx *gorm.DB, d Decision, next State) error {
	sealed, err := s.reseal(d.Run, next, func(o *origin) { o.Turn, o.Waiting = d.Turn, false })
	if err != nil {
		return err
	}
	d.Verb = VerbAskAgain
	return s.decide(ctx, tx, toAskAgain, d, sealed.into(map[string]any{
		"phase": string(PhasePropose), "digest": "", "waiting_since": nil, "queued_at": s.now(), "attempts": 0,
	}))
}

// Reject settles the run without a write and erases its state. In SendBack the decision
// keeps its verb.
func (s *Store) Reject(ctx context.Context, tx *gorm.DB, d Decision) error {
	if d.Verb != VerbAskAgain {
		d.Verb = VerbReject
	}
	return s.decide(ctx, tx, toReject, d, settled(s.now(), map[string]any{"reason": string(ReasonRejected)}))
}

// Redraw replaces a waiting card by one with the values of now. The turn stays,
// the digest changes: a form of the old card is refused.
func (s *Store) Redraw(ctx context.Context, r Redrawing) (string, error) {
	_, redraws, err := s.get(ctx, r.Run)
	if err != nil {
		return "", err
	}
	sealed, err := s.reseal(r.Run, r.State, func(o *origin) {
		o.Turn, o.Redraws, o.Waiting, o.SourceSHA256 = r.Turn, redraws+1, true, r.SourceSHA256
	})
	if err != nil {
		return "", err
	}
	// The old digest is one of a number of redraws, so it also says that the
	// number is still the one that was read.
	digest := Digest(r.State.Pending, redraws+1)
	res := again(func() *gorm.DB {
		return shown(toRedraw.of(s.conn(ctx, nil)), r.Run, r.Turn, r.Digest).Updates(sealed.into(map[string]any{
			"digest": digest, "redraws": redraws + 1, "stale": true, "source_sha256": r.SourceSHA256,
			"version": gorm.Expr("version + 1"),
		}))
	})
	if res.Error != nil {
		return "", fmt.Errorf("suspend: redraw run: %w", res.Error)
	}
	if res.RowsAffected != 1 {
		return "", s.whyNot(ctx, nil, r.Run)
	}
	return digest, nil
}

// Cancel settles a run that has not written anything, from whatever it is doing.
// A worker that holds it loses its lease.
func (s *Store) Cancel(ctx context.Context, id RunID, by uint32) error {
	met, err := s.ending(ctx, "cancel run", []string{string(id)}, func(tx *gorm.DB) *gorm.DB {
		return toCancel.of(tx).Where("id = ? AND written = ?", string(id), false).
			Updates(settled(s.now(), map[string]any{
				"status": toCancel.target(), "reason": string(ReasonCancelled), "error_kind": fmt.Sprintf("by_%d", by),
				"version": gorm.Expr("version + 1"),
			}))
	})
	if err == nil && met == 0 {
		return s.existing(ctx, nil, id, ErrNotCancellable)
	}
	return err
}

// Expire settles runs that have waited since before olderThan, at most limit of
// them, and answers how many.
func (s *Store) Expire(ctx context.Context, olderThan time.Time, limit int) (int, error) {
	olderThan = olderThan.UTC()
	var ids []string
	err := toExpire.of(s.conn(ctx, nil)).Where("waiting_since < ?", olderThan).Order("waiting_since, id").Limit(limit).Pluck("id", &ids).Error
	if err != nil {
		return 0, fmt.Errorf("suspend: find expired runs: %w", err)
	}
	if len(ids) == 0 {
		return 0, nil
	}
	return s.ending(ctx, "expire runs", ids, func(tx *gorm.DB) *gorm.DB {
		return toExpire.of(tx).Where("id IN ? AND waiting_since < ?", ids, olderThan).
			Updates(settled(s.now(), map[string]any{
				"status": toExpire.target(), "reason": string(ReasonExpired), "version": gorm.Expr("version + 1"),
			}))
	})
}
