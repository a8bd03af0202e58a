package suspend

import (
	"context"
	"fmt"

	"gorm.io/gorm"
)

// BatchStopped is the error kind of runs that were never started, because another run
// of their batch found that nothing more can be paid.
const BatchStopped = "batch_stopped"

// CreateAll stores runs in one transaction, so that no worker sees a part of them. It
// answers those that are new: a run whose idempotency key is taken is there already.
func (s *Store) CreateAll(ctx context.Context, runs []NewRun) ([]Run, error) {
	var out []Run
	err := s.transaction(ctx, func(tx *gorm.DB) error { // clicks at the same moment meet at the keys
		out = nil
		for _, n := range runs {
			run, created, err := s.create(ctx, tx, n)
			if err != nil {
				return err
			}
			if created {
				out = append(out, *run)
			}
		}
		return nil
	})
	return out, err
}

// Batch lists the runs that were started together, in the order of their start.
func (s *Store) Batch(ctx context.Context, batch string) ([]Run, error) {
	if batch == "" {
		return nil, nil
	}
	var rows []runRow
	if err := s.conn(ctx, nil).Where("batch = ?", batch).Order("created_at, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("suspend: list batch: %w", err)
	}
	return runsOf(rows), nil
}

// StopBatch cancels the runs of a batch that no worker has begun with, and answers how
// many. The others go on: what they need is paid or reserved already.
func (s *Store) StopBatch(ctx context.Context, batch string) (int, error) {
	if batch == "" {
		return 0, nil
	}
	res := toCancel.of(s.conn(ctx, nil)).Where("batch = ? AND status = ? AND started_at IS NULL", batch, string(Queued)).
		Updates(settled(s.now(), map[string]any{
			"status": toCancel.target(), "reason": string(ReasonCancelled), "error_kind": BatchStopped, "version": gorm.Expr("version + 1"),
		}))
	if res.Error != nil {
		return 0, fmt.Errorf("suspend: stop batch: %w", res.Error)
	}
	return int(res.RowsAffected), nil
}
