package suspend

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
)

// PurgeEvents deletes the event streams of runs that settled before a moment, of
// at most limit runs, and answers of how many. Runs and decisions stay: they are the
// record of who changed what.
func (s *Store) PurgeEvents(ctx context.Context, settledBefore time.Time, limit int) (int, error) {
	var ids []string
	err := s.conn(ctx, nil).Model(&runRow{}).
		Where("settled_at < ? AND EXISTS (SELECT 1 FROM tx_editoractions_event e WHERE e.run_id = tx_editoractions_run.id)", settledBefore.UTC()).
		Order("settled_at, id").Limit(limit).Pluck("id", &ids).Error
	if err != nil {
		return 0, fmt.Errorf("suspend: find old events: %w", err)
	}
	if len(ids) == 0 {
		return 0, nil
	}
	if err := s.conn(ctx, nil).Where("run_id IN ?", ids).Delete(&eventRow{}).Error; err != nil {
		return 0, fmt.Errorf("suspend: delete old events: %w", err)
	}
	return len(ids), nil
}

// oldRuns are runs that nothing asks for any more. The proposals of an assistant run that
// goes on are still asked for: it counts them and reads what became of them.
const oldRuns = "settled_at < ? AND sealed_state IS NULL" +
	" AND NOT EXISTS (SELECT 1 FROM " + runTable + " p WHERE p.id = " + runTable + ".parent AND p.settled_at IS NULL)"

// PurgeRuns deletes runs that settled before a moment, of at most limit, with their
// event streams, and answers how many. Decisions stay. A run whose state could not be
// opened is kept: the key may come back (P17). So is a proposal whose assistant run goes on.
func (s *Store) PurgeRuns(ctx context.Context, settledBefore time.Time, limit int) (int, error) {
	var ids []string
	err := s.conn(ctx, nil).Model(&runRow{}).Where(oldRuns, settledBefore.UTC()).
		Order("settled_at, id").Limit(limit).Pluck("id", &ids).Error
	if err != nil {
		return 0, fmt.Errorf("suspend: find old runs: %w", err)
	}
	if len(ids) == 0 {
		return 0, nil
	}
	err = s.conn(ctx, nil).Transaction(func(tx *gorm.DB) error {
		if err := tx.Where("run_id IN ?", ids).Delete(&eventRow{}).Error; err != nil {
			return err
		}
		if err := tx.Where("run_id IN ?", ids).Delete(&artifactRow{}).Error; err != nil { // none, see PurgeArtifacts
			return err
		}
		return tx.Where("id IN ?", ids).Delete(&runRow{}).Error
	})
	if err != nil {
		return 0, fmt.Errorf("suspend: delete old runs: %w", err)
	}
	return len(ids), nil
}

// Due says what a purge would do.
type Due struct {
	Expire int // waiting runs
	Events int // runs whose event stream is deleted
	Runs   int // runs that are deleted

	Artifacts int // pictures of tools whose run has ended, whatever the moments are
}

// CountDue counts what Expire, PurgeEvents and PurgeRuns would find before these
// moments, a zero moment finds nothing, and what PurgeArtifacts would find.
func (s *Store) CountDue(ctx context.Context, expire, events, runs time.Time) (Due, error) {
	var out Due
	for _, c := range []struct {
		before time.Time
		into   *int
		where  string
	}{
		{expire, &out.Expire, "status = '" + string(Waiting) + "' AND waiting_since < ?"},
		{events, &out.Events, "settled_at < ? AND EXISTS (SELECT 1 FROM tx_editoractions_event e WHERE e.run_id = tx_editoractions_run.id)"},
		{runs, &out.Runs, oldRuns},
	} {
		if c.before.IsZero() {
			continue
		}
		var n int64
		if err := s.conn(ctx, nil).Model(&runRow{}).Where(c.where, c.before.UTC()).Count(&n).Error; err != nil {
			return out, fmt.Errorf("suspend: count what is due: %w", err)
		}
		*c.into = int(n)
	}
	var n int64
	if err := s.conn(ctx, nil).Model(&artifactRow{}).Where(settledWithout).Count(&n).Error; err != nil {
		return out, fmt.Errorf("suspend: count orphaned artifacts: %w", err)
	}
	out.Artifacts = int(n)
	return out, nil
}
