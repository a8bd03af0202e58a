package notice

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"editor-actions/internal/suspend"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

const (
	noticeTable = "tx_editoractions_notice"
	// Of the room suspend; only read here.
	runTable      = "tx_editoractions_run"
	decisionTable = "tx_editoractions_decision"

	batch     = 500
	keepFor   = 30 * 24 * time.Hour // how long a row stays after its card was decided
	leaseRest = time.Minute         // what a claim lasts longer than its delivery may
)

// Kind of a message. It is a closed set, stored as the word.
type Kind string

// The kinds.
const (
	KindWaiting Kind = "run.waiting" // a card began to wait
	KindDecided Kind = "run.decided" // it no longer does
)

// status of a row. It is a closed set, stored as the word.
type status string

const (
	due     status = "due"     // to be sent at its next try
	sent    status = "sent"    // taken by the receiver
	failed  status = "failed"  // refused, or given up
	dropped status = "dropped" // decided before it could be sent
)

// noticeRow is one message.
type noticeRow struct {
	RunID     string     `gorm:"column:run_id;primaryKey"`
	Turn      int        `gorm:"column:turn;primaryKey"`
	Kind      string     `gorm:"column:kind;primaryKey"`
	Status    string     `gorm:"column:status"`
	Waits     bool       `gorm:"column:waits"` // a run.waiting that no run.decided follows yet
	Attempts  int        `gorm:"column:attempts"`
	NextTry   time.Time  `gorm:"column:next_try"` // of a claimed row: when the claim runs out
	CreatedAt time.Time  `gorm:"column:created_at"`
	EndedAt   *time.Time `gorm:"column:ended_at"`
}

// TableName implements gorm's tabler.
func (noticeRow) TableName() string { return noticeTable }

// id is the same for every attempt, by every instance.
func (r *noticeRow) id() string {
	return fmt.Sprintf("%s-%d-%s", r.RunID, r.Turn, strings.TrimPrefix(r.Kind, "run."))
}

func (r *noticeRow) run() suspend.RunID { return suspend.RunID(r.RunID) }

// conn names the columns it reads.
func (n *Notifier) conn(ctx context.Context) *gorm.DB {
	return n.DB.Session(&gorm.Session{Context: ctx, QueryFields: true})
}

// add stores rows that are not there yet.
func add(db *gorm.DB, rows []noticeRow) error {
	if len(rows) == 0 {
		return nil
	}
	if err := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&rows).Error; err != nil {
		return fmt.Errorf("notice: store: %w", err)
	}
	return nil
}

// announce makes a row for every card that waits since a moment and has none.
func (n *Notifier) announce(ctx context.Context, since time.Time) error {
	after := ""
	for {
		var found []struct {
			ID           string    `gorm:"column:id"`
			Turn         int       `gorm:"column:turn"`
			WaitingSince time.Time `gorm:"column:waiting_since"`
		}
		err := n.conn(ctx).Raw("SELECT id, turn, waiting_since FROM "+runTable+" r WHERE status = ? AND waiting_since >= ? AND (waiting_since > ? OR id > ?)"+
			" AND NOT EXISTS (SELECT 1 FROM "+noticeTable+" n WHERE n.run_id = r.id AND n.turn = r.turn AND n.kind = ?)"+
			" ORDER BY waiting_since, id LIMIT ?",
			string(suspend.Waiting), since, since, after, string(KindWaiting), batch).Scan(&found).Error
		if err != nil {
			return fmt.Errorf("notice: find waiting cards: %w", err)
		}
		now, rows := n.now(), make([]noticeRow, len(found))
		for i, f := range found {
			rows[i] = noticeRow{RunID: f.ID, Turn: f.Turn, Kind: string(KindWaiting), Status: string(due), Waits: true, NextTry: now, CreatedAt: now}
			since, after = f.WaitingSince.UTC(), f.ID
		}
		if err := add(n.conn(ctx), rows); err != nil || len(rows) < batch {
			return err
		}
	}
}

// concludeRecent ends the rows of cards that somebody decided, or whose run settled, since
// a moment.
func (n *Notifier) concludeRecent(ctx context.Context, since time.Time) error {
	var decided, settled []string
	if err := n.conn(ctx).Table(decisionTable).Where("decided_at >= ?", since).Pluck("run_id", &decided).Error; err != nil {
		return fmt.Errorf("notice: find decisions: %w", err)
	}
	if err := n.conn(ctx).Table(runTable).Where("settled_at >= ?", since).Pluck("id", &settled).Error; err != nil {
		return fmt.Errorf("notice: find settled runs: %w", err)
	}
	moved := append(decided, settled...)
	slices.Sort(moved)
	for part := range chunks(slices.Compact(moved)) {
		if err := n.conclude(ctx, func(db *gorm.DB) *gorm.DB { return db.Where("run_id IN ?", part) }); err != nil {
			return err
		}
	}
	return nil
}

// conclude ends the rows, among some, of cards that no longer wait. Who may have heard
// that one waits is told that it does not; a message nobody has seen is dropped.
func (n *Notifier) conclude(ctx context.Context, among func(*gorm.DB) *gorm.DB) error {
	for {
		var rows []noticeRow
		err := n.conn(ctx).Model(&noticeRow{}).Scopes(among).
			Where("waits = ? AND NOT EXISTS (SELECT 1 FROM "+runTable+" r WHERE r.id = "+noticeTable+".run_id AND r.turn = "+noticeTable+".turn AND r.status = ?)",
				true, string(suspend.Waiting)).
			Order("created_at").Limit(batch).Find(&rows).Error
		if err != nil {
			return fmt.Errorf("notice: find decided cards: %w", err)
		}
		ended := 0
		for i := range rows {
			done, err := n.concludeOne(ctx, &rows[i])
			if err != nil {
				return err
			}
			if done {
				ended++
			}
		}
		if len(rows) < batch || ended == 0 {
			return nil
		}
	}
}

// concludeOne reports whether the row is ended; when it was claimed meanwhile, the next
// round looks again.
func (n *Notifier) concludeOne(ctx context.Context, r *noticeRow) (done bool, err error) {
	now := n.now()
	err = n.conn(ctx).Transaction(func(tx *gorm.DB) error {
		res := one(tx, r).Where("waits = ?", true).Updates(map[string]any{
			"waits": false, "ended_at": gorm.Expr("COALESCE(ended_at, ?)", now),
			"status": gorm.Expr("CASE WHEN status = ? THEN ? ELSE status END", string(due), string(dropped)),
		})
		if res.Error != nil {
			return fmt.Errorf("notice: end: %w", res.Error)
		}
		done = res.RowsAffected == 1
		if !done || r.Attempts == 0 {
			return nil
		}
		return add(tx, []noticeRow{{RunID: r.RunID, Turn: r.Turn, Kind: string(KindDecided), Status: string(due), NextTry: now, CreatedAt: now}})
	})
	return done, err
}

// one limits an UPDATE to the row as it was read: its attempts fence it.
func one(db *gorm.DB, r *noticeRow) *gorm.DB {
	return db.Model(&noticeRow{}).Where("run_id = ? AND turn = ? AND kind = ? AND attempts = ?", r.RunID, r.Turn, r.Kind, r.Attempts)
}

// dueRows reads messages whose time has come, oldest first.
func (n *Notifier) dueRows(ctx context.Context) ([]noticeRow, error) {
	var rows []noticeRow
	err := n.conn(ctx).Where("status = ? AND next_try <= ?", string(due), n.now()).Order("next_try, created_at").Limit(batch).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("notice: find due: %w", err)
	}
	return rows, nil
}

// claim takes a row for as long as its delivery may last. False when somebody else has.
func (n *Notifier) claim(ctx context.Context, r *noticeRow, delivery time.Duration) (bool, error) {
	now := n.now()
	res := one(n.conn(ctx), r).Where("status = ? AND next_try <= ?", string(due), now).
		Updates(map[string]any{"attempts": r.Attempts + 1, "next_try": now.Add(delivery + leaseRest)})
	if res.Error != nil {
		return false, fmt.Errorf("notice: claim: %w", res.Error)
	}
	if res.RowsAffected != 1 {
		return false, nil
	}
	r.Attempts++
	return true, nil
}

// end stores how a claimed row ended.
func (n *Notifier) end(ctx context.Context, r *noticeRow, s status) error {
	return n.change(ctx, r, map[string]any{"status": string(s), "ended_at": n.now()})
}

// retry gives a claimed row back until at.
func (n *Notifier) retry(ctx context.Context, r *noticeRow, at time.Time) error {
	return n.change(ctx, r, map[string]any{"next_try": at})
}

// change applies to a row that is still ours; one that was dropped or taken over is left.
func (n *Notifier) change(ctx context.Context, r *noticeRow, changes map[string]any) error {
	ctx, cancel := detached(ctx)
	defer cancel()
	if err := one(n.conn(ctx), r).Where("status = ?", string(due)).Updates(changes).Error; err != nil {
		return fmt.Errorf("notice: store outcome: %w", err)
	}
	return nil
}

// purge deletes what ended long ago. The row of a card that still waits stays: it says
// that the card was told.
func (n *Notifier) purge(ctx context.Context) error {
	before := n.now().Add(-keepFor)
	for {
		var runs []string
		err := n.conn(ctx).Model(&noticeRow{}).Where("waits = ? AND created_at < ? AND status <> ?", false, before, string(due)).
			Order("created_at").Limit(batch).Pluck("run_id", &runs).Error
		if err != nil {
			return fmt.Errorf("notice: find old: %w", err)
		}
		if len(runs) > 0 {
			err := n.conn(ctx).Where("run_id IN ? AND waits = ? AND created_at < ? AND status <> ?", runs, false, before, string(due)).Delete(&noticeRow{}).Error
			if err != nil {
				return fmt.Errorf("notice: delete old: %w", err)
			}
		}
		if len(runs) < batch {
			return nil
		}
	}
}
