package suspend

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Opening says that a viewer has had a card on the screen. Only the last one of a
// viewer and run is kept: what counts is the card as it is now.
type Opening struct {
	Viewer uint32
	Run    RunID
	Digest string // of the card that was shown
	Clean  bool   // it could be approved as it stood, and carried no hint
	At     time.Time
}

const openedTable = "tx_editoractions_opened"

type openedRow struct {
	Viewer   uint32    `gorm:"column:viewer;primaryKey"`
	RunID    string    `gorm:"column:run_id;primaryKey"`
	Digest   string    `gorm:"column:digest"`
	Clean    bool      `gorm:"column:clean"`
	OpenedAt time.Time `gorm:"column:opened_at"`
}

// TableName implements gorm's tabler.
func (openedRow) TableName() string { return openedTable }

// MarkOpened keeps that a viewer has seen a card. At is the store's own clock.
func (s *Store) MarkOpened(ctx context.Context, o Opening) error {
	row := openedRow{Viewer: o.Viewer, RunID: string(o.Run), Digest: o.Digest, Clean: o.Clean, OpenedAt: s.now()}
	err := again(func() *gorm.DB {
		return s.conn(ctx, nil).Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "viewer"}, {Name: "run_id"}},
			DoUpdates: clause.AssignmentColumns([]string{"digest", "clean", "opened_at"}),
		}).Create(&row)
	}).Error
	if err != nil {
		return fmt.Errorf("suspend: keep opened card: %w", err)
	}
	return nil
}

// Opened answers which of the runs' cards a viewer has seen, in one query. The
// digest of an Opening may be that of an earlier card of the run.
func (s *Store) Opened(ctx context.Context, viewer uint32, ids ...RunID) (map[RunID]Opening, error) {
	out := map[RunID]Opening{}
	if len(ids) == 0 {
		return out, nil
	}
	var rows []openedRow
	if err := s.conn(ctx, nil).Where("viewer = ? AND run_id IN ?", viewer, ids).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("suspend: list opened cards: %w", err)
	}
	for _, r := range rows {
		out[RunID(r.RunID)] = Opening{Viewer: r.Viewer, Run: RunID(r.RunID), Digest: r.Digest, Clean: r.Clean, At: r.OpenedAt.UTC()}
	}
	return out, nil
}

// PurgeOpened forgets at most limit openings from before a moment, and answers how
// many. Whoever still wants to decide such a card with others opens it again.
func (s *Store) PurgeOpened(ctx context.Context, before time.Time, limit int) (int, error) {
	var rows []openedRow
	if err := s.conn(ctx, nil).Where("opened_at < ?", before.UTC()).Order("opened_at").Limit(limit).Find(&rows).Error; err != nil {
		return 0, fmt.Errorf("suspend: find old openings: %w", err)
	}
	for _, r := range rows {
		err := s.conn(ctx, nil).Where("viewer = ? AND run_id = ? AND opened_at < ?", r.Viewer, r.RunID, before.UTC()).Delete(&openedRow{}).Error
		if err != nil {
			return 0, fmt.Errorf("suspend: forget old openings: %w", err)
		}
	}
	return len(rows), nil
}
