package notice

import (
	"context"
	"fmt"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

const (
	digestTable = "tx_editoractions_digest"
	// A person who heard of every card is reminded after so long while one waits.
	reminder = 7 * 24 * time.Hour
	// A row that nobody needed for so long belongs to somebody who has gone.
	forgetAfter = 90 * 24 * time.Hour
	mailLease   = 5 * time.Minute // of one mail, longer than sending it may last
)

// mailWaits between tries, of one mail or of the mail server. The last one repeats itself
// until the next period has its turn.
var mailWaits = []time.Duration{5 * time.Minute, 15 * time.Minute, time.Hour}

func mailWait(failures int) time.Duration { return mailWaits[min(failures, len(mailWaits))-1] }

// anchor is a Monday: periods of a week begin on Mondays.
var anchor = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// digestRow says what a person was told.
type digestRow struct {
	UserUID    uint32     `gorm:"column:user_uid;primaryKey"`
	Period     time.Time  `gorm:"column:period"` // the last one that was claimed
	Ended      bool       `gorm:"column:ended"`  // nothing more is done for it
	Failed     bool       `gorm:"column:failed"` // the last try was not taken
	Attempts   int        `gorm:"column:attempts"`
	NextTry    time.Time  `gorm:"column:next_try"`    // of a claimed row: when the claim runs out
	ToldPeriod *time.Time `gorm:"column:told_period"` // of the last mail that was sent
	ToldNewest *time.Time `gorm:"column:told_newest"` // waiting_since of the newest card in it
}

// TableName implements gorm's tabler.
func (digestRow) TableName() string { return digestTable }

// periodOf is the start of the period that t lies in.
func periodOf(t time.Time, m config.Mail) time.Time {
	first := anchor
	if at, err := time.Parse("15:04", m.At); err == nil { // loading has refused others
		first = first.Add(time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute)
	}
	every := time.Duration(m.EveryHours) * time.Hour
	start := first.Add(t.Sub(first).Truncate(every))
	if start.After(t) {
		start = start.Add(-every)
	}
	return start
}

// digests sends the mails of this period that have not been sent.
func (n *Notifier) digests(ctx context.Context) {
	s := n.Settings()
	if s.Notices.Mail.Host == "" {
		return
	}
	now := n.now()
	period := periodOf(now, s.Notices.Mail)
	if period.Equal(n.told) || now.Before(n.serverPause) {
		return
	}
	done, err := n.round(ctx, s, period)
	if err != nil && ctx.Err() == nil {
		n.Log.ErrorContext(ctx, "send digests", "err", err)
	}
	if done && err == nil {
		n.told = period
	}
}

// round looks at everybody once. It reports whether the period needs nothing more.
func (n *Notifier) round(ctx context.Context, s *config.Settings, period time.Time) (done bool, err error) {
	people, _, err := n.recipients(ctx, s, period)
	if err != nil {
		return false, err
	}
	rows, err := n.digestRows(ctx, people)
	if err != nil {
		return false, err
	}
	done = true
	for _, p := range people {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		r := rows[p.user.UID]
		if r.Period.Equal(period) && r.Ended || r.Period.After(period) || !wanted(r, p.tally, period) {
			continue
		}
		if !r.Ended && r.NextTry.After(n.now()) {
			done = false // another instance is at it, or it failed a moment ago
			continue
		}
		ended, reached, err := n.sendDigest(ctx, s, p, r, period)
		if err != nil {
			return false, err
		}
		done = done && ended
		if !reached {
			return false, nil
		}
	}
	if !done {
		return false, nil
	}
	err = n.conn(ctx).Where("period < ?", n.now().Add(-forgetAfter)).Delete(&digestRow{}).Error
	if err != nil {
		return false, fmt.Errorf("notice: delete old digests: %w", err)
	}
	return true, nil
}

// wanted reports whether a person is told: of the first cards, of new ones, and once
// a week while any wait.
func wanted(r *digestRow, t tally, period time.Time) bool {
	switch {
	case t.Count == 0:
		return false
	case r.ToldPeriod == nil || r.ToldNewest == nil || t.Newest.After(*r.ToldNewest):
		return true
	}
	return period.Sub(*r.ToldPeriod) >= reminder
}

// digestRows reads the rows of people, and makes those that are missing.
func (n *Notifier) digestRows(ctx context.Context, people []recipient) (map[typo3.UserUID]*digestRow, error) {
	out := make(map[typo3.UserUID]*digestRow, len(people))
	for part := range chunks(people) {
		fresh, ids := make([]digestRow, len(part)), make([]uint32, len(part))
		for i, p := range part {
			ids[i] = uint32(p.user.UID)
			fresh[i] = digestRow{UserUID: ids[i], Period: anchor, Ended: true, NextTry: anchor}
		}
		if err := n.conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&fresh).Error; err != nil {
			return nil, fmt.Errorf("notice: open digests: %w", err)
		}
		var rows []digestRow
		if err := n.conn(ctx).Where("user_uid IN ?", ids).Find(&rows).Error; err != nil {
			return nil, fmt.Errorf("notice: read digests: %w", err)
		}
		for i := range rows {
			out[typo3.UserUID(rows[i].UserUID)] = &rows[i]
		}
	}
	return out, nil
}

// sendDigest claims a person's period and sends the mail. ended says that the period
// needs nothing more for them, reached that others may be sent theirs; the error is about
// the database.
func (n *Notifier) sendDigest(ctx context.Context, s *config.Settings, p recipient, r *digestRow, period time.Time) (ended, reached bool, err error) {
	ours := digestRow{UserUID: r.UserUID, Period: period, Attempts: r.Attempts + 1}
	if !r.Period.Equal(period) {
		ours.Attempts = 1
	}
	res := claimed(n.conn(ctx), r).Updates(map[string]any{
		"period": period, "ended": false, "attempts": ours.Attempts, "next_try": n.now().Add(mailLease),
	})
	if res.Error != nil {
		return false, true, fmt.Errorf("notice: claim digest: %w", res.Error)
	}
	if res.RowsAffected != 1 {
		return false, true, nil // somebody else has it
	}
	sendErr := n.post(ctx, s.Notices.Mail, digestLetter(s, p, period, n.now()))
	if ctx.Err() != nil && sendErr != nil {
		return false, false, n.storeDigest(ctx, &ours, map[string]any{"next_try": n.now()}) // another instance, or the next start
	}
	log := n.Log.With("be_user_uid", r.UserUID, "attempts", ours.Attempts)
	if sendErr == nil {
		log.InfoContext(ctx, "sent digest")
		n.serverFailures = 0
		return true, true, n.storeDigest(ctx, &ours, map[string]any{
			"ended": true, "failed": false, "told_period": period, "told_newest": p.tally.Newest,
		})
	}
	changes := map[string]any{"failed": true, "next_try": n.now().Add(mailWait(ours.Attempts))}
	switch {
	case sendErr.kind == mailRecipient && sendErr.code >= 500:
		log.ErrorContext(ctx, "gave up digest of this period: the address was refused", "err", sendErr)
		changes, ended = map[string]any{"failed": true, "ended": true}, true
	case sendErr.kind == mailRecipient, sendErr.kind == mailContent:
		log.WarnContext(ctx, "could not send digest", "err", sendErr)
	default: // nobody's mail would be taken now
		n.serverFailures++
		n.serverPause = n.now().Add(mailWait(n.serverFailures))
		log.Log(ctx, sendErr.level(), "could not send digests", "err", sendErr)
		changes["next_try"] = n.serverPause
		return false, false, n.storeDigest(ctx, &ours, changes)
	}
	n.serverFailures = 0
	return ended, true, n.storeDigest(ctx, &ours, changes)
}

// storeDigest records the outcome of a claim, also while the service ends.
func (n *Notifier) storeDigest(ctx context.Context, ours *digestRow, changes map[string]any) error {
	ctx, cancel := detached(ctx)
	defer cancel()
	if err := claimed(n.conn(ctx), ours).Updates(changes).Error; err != nil {
		return fmt.Errorf("notice: store digest: %w", err)
	}
	return nil
}

// claimed limits an UPDATE to the row as it was read or claimed.
func claimed(db *gorm.DB, r *digestRow) *gorm.DB {
	return db.Model(&digestRow{}).Where("user_uid = ? AND period = ? AND attempts = ? AND ended = ?", r.UserUID, r.Period, r.Attempts, r.Ended)
}

// waitingCard is what digests need of a run.
type waitingCard struct {
	Initiator     uint32    `gorm:"column:initiator"`
	OriginalUser  uint32    `gorm:"column:original_user"`
	Configuration string    `gorm:"column:configuration"`
	WaitingSince  time.Time `gorm:"column:waiting_since"`
}

// cardsUntil reads the cards that wait since before the period began.
func (n *Notifier) cardsUntil(ctx context.Context, period time.Time) ([]waitingCard, error) {
	var out []waitingCard
	err := n.conn(ctx).Table(runTable).Select("initiator, original_user, configuration, waiting_since").
		Where("status = ? AND waiting_since <= ?", string(suspend.Waiting), period).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("notice: read waiting cards: %w", err)
	}
	return out, nil
}
