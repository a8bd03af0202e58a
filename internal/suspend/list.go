package suspend

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
)

// Query pages through runs. Initiator nil means everybody's.
type Query struct {
	Initiator *uint32
	After     string // cursor from the page before
	Limit     int
}

// cursor is "time|id": keyset paging over two columns.
func cursor(t time.Time, id string) string { return t.UTC().Format(time.RFC3339Nano) + "|" + id }

// CursorAfter is the cursor of the page of Waiting that begins after a waiting run.
func CursorAfter(r *Run) string { return cursor(r.WaitingSince, string(r.ID)) }

func parseCursor(s string) (time.Time, string, bool) {
	stamp, id, ok := strings.Cut(s, "|")
	if !ok {
		return time.Time{}, "", false
	}
	t, err := time.Parse(time.RFC3339Nano, stamp)
	return t.UTC(), id, err == nil
}

func (s *Store) scoped(ctx context.Context, initiator *uint32) *gorm.DB {
	q := s.conn(ctx, nil).Model(&runRow{})
	if initiator != nil {
		q = q.Where("initiator = ?", *initiator)
	}
	return q
}

func runsOf(rows []runRow) []Run {
	out := make([]Run, len(rows))
	for i := range rows {
		out[i] = *rows[i].run()
	}
	return out
}

// defaultPage is the length of a page nobody gave a limit for.
const defaultPage = 50

func (q Query) limit() int {
	if q.Limit <= 0 {
		return defaultPage
	}
	return q.Limit
}

// page cuts rows, which are one longer when there is a next page, and answers
// the cursor of that page.
func page(rows []runRow, limit int, by func(*runRow) *time.Time) ([]Run, string) {
	next := ""
	if len(rows) > limit {
		rows = rows[:limit]
		last := &rows[limit-1]
		next = cursor(at(by(last)), last.ID)
	}
	return runsOf(rows), next
}

// Waiting lists waiting runs, oldest first, without their blobs. A cursor that
// cannot be read starts at the beginning.
func (s *Store) Waiting(ctx context.Context, q Query) ([]Run, string, error) {
	db := s.scoped(ctx, q.Initiator).Where("status = ?", string(Waiting))
	if t, id, ok := parseCursor(q.After); ok {
		db = db.Where("waiting_since >= ? AND (waiting_since > ? OR id > ?)", t, t, id)
	}
	var rows []runRow
	if err := db.Order("waiting_since, id").Limit(q.limit() + 1).Find(&rows).Error; err != nil {
		return nil, "", fmt.Errorf("suspend: list waiting runs: %w", err)
	}
	runs, next := page(rows, q.limit(), func(r *runRow) *time.Time { return r.WaitingSince })
	return runs, next, nil
}

// Recent lists settled runs, newest first.
func (s *Store) Recent(ctx context.Context, q Query) ([]Run, string, error) {
	db := s.scoped(ctx, q.Initiator).Where("settled_at IS NOT NULL") // one index for all ends
	if t, id, ok := parseCursor(q.After); ok {
		db = db.Where("settled_at <= ? AND (settled_at < ? OR id < ?)", t, t, id)
	}
	var rows []runRow
	if err := db.Order("settled_at DESC, id DESC").Limit(q.limit() + 1).Find(&rows).Error; err != nil {
		return nil, "", fmt.Errorf("suspend: list settled runs: %w", err)
	}
	runs, next := page(rows, q.limit(), func(r *runRow) *time.Time { return r.SettledAt })
	return runs, next, nil
}

// Active lists runs that are queued, in work, or wait for their own proposals, oldest first.
func (s *Store) Active(ctx context.Context, initiator *uint32, limit int) ([]Run, error) {
	var rows []runRow
	err := s.scoped(ctx, initiator).Where("status IN ?", []Status{Queued, Running, Paused}).
		Order("queued_at, id").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("suspend: list active runs: %w", err)
	}
	return runsOf(rows), nil
}

// CountWaiting counts the waiting runs.
func (s *Store) CountWaiting(ctx context.Context, initiator *uint32) (int, error) {
	var n int64
	if err := s.scoped(ctx, initiator).Where("status = ?", string(Waiting)).Count(&n).Error; err != nil {
		return 0, fmt.Errorf("suspend: count waiting runs: %w", err)
	}
	return int(n), nil
}

// CountWaitingOf counts the waiting runs of one action and one initiator.
func (s *Store) CountWaitingOf(ctx context.Context, initiator uint32, action string) (int, error) {
	var n int64
	if err := s.scoped(ctx, &initiator).Where("status = ? AND action = ?", string(Waiting), action).Count(&n).Error; err != nil {
		return 0, fmt.Errorf("suspend: count waiting runs: %w", err)
	}
	return int(n), nil
}

// NewestOf lists the runs of one action and one initiator, newest first.
func (s *Store) NewestOf(ctx context.Context, initiator uint32, action string, limit int) ([]Run, error) {
	var rows []runRow
	err := s.scoped(ctx, &initiator).Where("action = ?", action).Order("created_at DESC, id DESC").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("suspend: list newest runs: %w", err)
	}
	return runsOf(rows), nil
}

// OpenForSubject lists the runs that are not settled, per record.
func (s *Store) OpenForSubject(ctx context.Context, table string, uids []uint64) (map[uint64][]Run, error) {
	if len(uids) == 0 {
		return map[uint64][]Run{}, nil
	}
	var rows []runRow
	err := s.conn(ctx, nil).Where("subject_table = ? AND subject_uid IN ? AND status IN ?", table, uids,
		open).Order("created_at, id").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("suspend: list open runs: %w", err)
	}
	out := map[uint64][]Run{}
	for i := range rows {
		out[rows[i].SubjectUID] = append(out[rows[i].SubjectUID], *rows[i].run())
	}
	return out, nil
}

// Decisions lists the decisions of runs, oldest first per run.
func (s *Store) Decisions(ctx context.Context, ids ...RunID) (map[RunID][]Decision, error) {
	out := map[RunID][]Decision{}
	if len(ids) == 0 {
		return out, nil
	}
	keys := make([]string, len(ids))
	for i, id := range ids {
		keys[i] = string(id)
	}
	var rows []decisionRow
	if err := s.conn(ctx, nil).Where("run_id IN ?", keys).Order("run_id, turn").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("suspend: list decisions: %w", err)
	}
	for i := range rows {
		out[RunID(rows[i].RunID)] = append(out[RunID(rows[i].RunID)], rows[i].decision())
	}
	return out, nil
}

// DecisionsForSubject lists the decisions about one record, newest first.
func (s *Store) DecisionsForSubject(ctx context.Context, table string, uid uint64, limit int) ([]Decision, error) {
	var rows []decisionRow
	err := s.conn(ctx, nil).Where("subject_table = ? AND subject_uid = ?", table, uid).
		Order("decided_at DESC, run_id DESC, turn DESC").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("suspend: list decisions: %w", err)
	}
	out := make([]Decision, len(rows))
	for i := range rows {
		out[i] = rows[i].decision()
	}
	return out, nil
}
