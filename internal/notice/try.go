package notice

import (
	"context"
	"errors"
	"fmt"
	"time"

	"editor-actions/internal/suspend"
	"editor-actions/internal/webhook"

	"github.com/google/uuid"
)

// TryWebhook sends one message of type "notices.test" and returns why it was not taken.
func (n *Notifier) TryWebhook(ctx context.Context) error {
	s := n.Settings()
	hook := s.Notices.Webhook
	return n.Webhooks.Send(ctx,
		webhook.Target{URL: hook.URL, Secret: hook.Secret, Timeout: time.Duration(hook.TimeoutSeconds) * time.Second},
		webhook.Message{ID: "test-" + uuid.NewString(), Type: "notices.test", At: n.now(), Data: map[string]string{"review_url": reviewPage(s, "")}})
}

// TryMail sends one mail to an address and returns why the mail server did not take it.
func (n *Notifier) TryMail(ctx context.Context, to string) error {
	address, ok := mailbox(to)
	if !ok {
		return errors.New("the recipient must be one plain e-mail address")
	}
	s := n.Settings()
	if err := n.post(ctx, s.Notices.Mail, testLetter(s, address, uuid.NewString(), n.now())); err != nil {
		return err
	}
	return nil
}

// Status is how notices fare, for an operator.
type Status struct {
	Sent        int       // messages the receiver took, as far as they are kept
	Failed      int       // refused, or given up
	Retrying    int       // failed at least once, and will be sent again
	LastSent    time.Time // zero = none
	Recipients  int       // people whom cards wait for now
	Unreachable int       // others without a usable address
	Undelivered int       // people whose last mail was not taken
	LastMail    time.Time // period of the last mail, zero = none
}

// Status looks at both tables and changes nothing.
func (n *Notifier) Status(ctx context.Context) (Status, error) {
	var out Status
	var counts []struct {
		Status string `gorm:"column:status"`
		Tried  bool   `gorm:"column:tried"`
		Count  int    `gorm:"column:count"`
	}
	err := n.conn(ctx).Model(&noticeRow{}).Select("status, attempts > 0 AS tried, COUNT(*) AS count").Group("status, attempts > 0").Scan(&counts).Error
	if err != nil {
		return out, fmt.Errorf("notice: count: %w", err)
	}
	for _, c := range counts {
		switch {
		case c.Status == string(sent):
			out.Sent += c.Count
		case c.Status == string(failed):
			out.Failed += c.Count
		case c.Status == string(due) && c.Tried:
			out.Retrying += c.Count
		}
	}
	var last []noticeRow
	if err := n.conn(ctx).Where("status = ?", string(sent)).Order("ended_at DESC").Limit(1).Find(&last).Error; err != nil {
		return out, fmt.Errorf("notice: find last: %w", err)
	}
	if len(last) > 0 && last[0].EndedAt != nil {
		out.LastSent = last[0].EndedAt.UTC()
	}
	var lost int64
	if err := n.conn(ctx).Model(&digestRow{}).Where("failed = ?", true).Count(&lost).Error; err != nil {
		return out, fmt.Errorf("notice: count digests: %w", err)
	}
	out.Undelivered = int(lost)
	var mails []digestRow
	if err := n.conn(ctx).Where("told_period IS NOT NULL").Order("told_period DESC").Limit(1).Find(&mails).Error; err != nil {
		return out, fmt.Errorf("notice: find last digest: %w", err)
	}
	if len(mails) > 0 {
		out.LastMail = mails[0].ToldPeriod.UTC()
	}
	people, unreachable, err := n.recipients(ctx, n.Settings(), n.now())
	out.Recipients, out.Unreachable = len(people), unreachable
	return out, err
}

var _ runs = (*suspend.Store)(nil)
