package suspend

import (
	"context"
	"fmt"
	"time"
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
