package suspend

import (
	"context"
	"fmt"

	"editor-actions/internal/database"

	"gorm.io/gorm"
)

// ending carries out an UPDATE that settles runs out of ids, and erases what tools made
// for them, in one transaction (P7). The UPDATE decides: it answers how many runs it met,
// and where it met none nothing is erased.
func (s *Store) ending(ctx context.Context, doing string, ids []string, update func(tx *gorm.DB) *gorm.DB) (met int, err error) {
	err = s.transaction(ctx, func(tx *gorm.DB) error {
		res := update(s.conn(ctx, tx))
		if res.Error != nil {
			return fmt.Errorf("suspend: %s: %w", doing, res.Error)
		}
		met = int(res.RowsAffected)
		if met == 0 {
			return nil
		}
		return s.eraseArtifacts(ctx, tx, ids)
	})
	return met, err
}

// transaction runs fn in a transaction of its own, again when the database ended it for
// its own reasons, see moveAttempts.
func (s *Store) transaction(ctx context.Context, fn func(tx *gorm.DB) error) error {
	err := s.conn(ctx, nil).Transaction(fn)
	for n := 1; n < moveAttempts && database.IsTransient(err); n++ {
		err = s.conn(ctx, nil).Transaction(fn)
	}
	return err
}

// settledWithout are artifacts whose run has settled and keeps no sealed state, or is not
// there any more.
const settledWithout = "NOT EXISTS (SELECT 1 FROM " + runTable + " r WHERE r.id = " + artifactTable + ".run_id" +
	" AND (r.settled_at IS NULL OR r.sealed_state IS NOT NULL))"

// eraseArtifacts deletes the artifacts of those of the runs that have settled.
func (s *Store) eraseArtifacts(ctx context.Context, tx *gorm.DB, runs []string) error {
	if err := s.conn(ctx, tx).Where("run_id IN ? AND "+settledWithout, runs).Delete(&artifactRow{}).Error; err != nil {
		return fmt.Errorf("suspend: erase artifacts: %w", err)
	}
	return nil
}

// PurgeArtifacts deletes artifacts whose run has settled or is gone, at most limit of
// them, and answers how many. Every settlement erases its own: this is the net below it. A run
// whose state could not be opened keeps its artifacts with it (P17).
func (s *Store) PurgeArtifacts(ctx context.Context, limit int) (int, error) {
	var ids []string
	if err := s.conn(ctx, nil).Model(&artifactRow{}).Where(settledWithout).Order("id").Limit(limit).Pluck("id", &ids).Error; err != nil {
		return 0, fmt.Errorf("suspend: find orphaned artifacts: %w", err)
	}
	if len(ids) == 0 {
		return 0, nil
	}
	res := s.conn(ctx, nil).Where("id IN ? AND "+settledWithout, ids).Delete(&artifactRow{})
	if res.Error != nil {
		return 0, fmt.Errorf("suspend: delete orphaned artifacts: %w", res.Error)
	}
	return int(res.RowsAffected), nil
}
