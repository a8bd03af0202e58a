package notice

import (
	"context"
	"errors"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/suspend"
	"editor-actions/internal/webhook"
)

const (
	tries = 3 // of the sender, within one delivery
	pause = 30 * time.Second
)

// waits between deliveries that failed; after the last one a message is given up.
var waits = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour}

// Message is the data of both kinds. It holds identifiers and times; FileName and
// Texts only at privacy.level full.
type Message struct {
	RunID        string            `json:"run_id"`
	Turn         int               `json:"turn"`
	Action       string            `json:"action"`
	FileUID      uint64            `json:"file_uid"`      // sys_file.uid
	InitiatorUID uint32            `json:"initiator_uid"` // be_users.uid of who started
	Language     string            `json:"language"`      // of the texts, as a language tag
	ReviewURL    string            `json:"review_url"`
	WaitingSince *time.Time        `json:"waiting_since,omitempty"` // run.waiting
	Outcome      Outcome           `json:"outcome,omitempty"`       // run.decided, and what follows too
	DecidedAt    *time.Time        `json:"decided_at,omitempty"`
	DecidedByUID uint32            `json:"decided_by_uid,omitempty"` // be_users.uid; left out when the card expired or was cancelled
	FileName     string            `json:"file_name,omitempty"`
	Texts        map[string]string `json:"texts,omitempty"` // field -> proposed text
}

// Outcome of a card. It is a closed set.
type Outcome string

// The outcomes. After asked_again another card may follow, with the next turn.
const (
	Approved   Outcome = "approved" // the texts are written
	AskedAgain Outcome = "asked_again"
	Rejected   Outcome = "rejected"
	Expired    Outcome = "expired"
	Cancelled  Outcome = "cancelled"
)

var outcomes = map[suspend.Verb]Outcome{
	suspend.VerbApprove: Approved, suspend.VerbAskAgain: AskedAgain, suspend.VerbReject: Rejected,
}

// errOvertaken: there is nothing to tell (any more).
var errOvertaken = errors.New("notice: the run has moved on")

// deliver sends what is due, one after the other. After a failure that may pass it
// leaves the receiver alone for a moment.
func (n *Notifier) deliver(ctx context.Context) error {
	rows, err := n.dueRows(ctx)
	if err != nil {
		return err
	}
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		ok, err := n.deliverOne(ctx, &rows[i])
		if err != nil {
			return err
		}
		if !ok {
			n.pausedUntil = n.now().Add(pause)
			return nil
		}
	}
	return nil
}

// deliverOne sends one message. It reports false when the receiver cannot be reached; the
// error is about the database.
func (n *Notifier) deliverOne(ctx context.Context, r *noticeRow) (reached bool, err error) {
	m, err := n.message(ctx, r)
	switch {
	case errors.Is(err, errOvertaken) && Kind(r.Kind) == KindWaiting:
		return true, nil // conclude ends it
	case errors.Is(err, errOvertaken):
		return true, n.end(ctx, r, dropped)
	case err != nil:
		return true, err
	}
	hook := n.Settings().Notices.Webhook
	timeout := time.Duration(hook.TimeoutSeconds) * time.Second
	delivery := tries*timeout + 10*time.Second // with the waits between
	if ours, err := n.claim(ctx, r, delivery); err != nil || !ours {
		return true, err
	}
	sending, cancel := context.WithTimeout(ctx, delivery)
	defer cancel()
	sendErr := n.Webhooks.Send(sending, webhook.Target{URL: hook.URL, Secret: hook.Secret, Timeout: timeout}, m)
	log := n.Log.With("run_id", r.RunID, "turn", r.Turn, "kind", r.Kind)
	switch {
	case sendErr == nil:
		log.InfoContext(ctx, "sent notice")
		return true, n.end(ctx, r, sent)
	case ctx.Err() != nil:
		return true, n.retry(ctx, r, n.now()) // another instance, or the next start
	case errors.Is(sendErr, webhook.ErrRefused):
		log.ErrorContext(ctx, "gave up notice: it was refused", "attempts", r.Attempts, "err", sendErr)
		return true, n.end(ctx, r, failed)
	case r.Attempts > len(waits):
		log.ErrorContext(ctx, "gave up notice", "attempts", r.Attempts, "err", sendErr)
		return false, n.end(ctx, r, failed)
	}
	log.WarnContext(ctx, "could not send notice", "attempts", r.Attempts, "err", sendErr)
	return false, n.retry(ctx, r, n.now().Add(waits[r.Attempts-1]))
}

// message puts together what a row tells.
func (n *Notifier) message(ctx context.Context, r *noticeRow) (webhook.Message, error) {
	run, err := n.Runs.Get(ctx, r.run())
	if errors.Is(err, suspend.ErrRunNotFound) {
		return webhook.Message{}, errOvertaken // deleted
	}
	if err != nil {
		return webhook.Message{}, err
	}
	s := n.Settings()
	m := webhook.Message{ID: r.id(), Type: r.Kind}
	data := Message{
		RunID: r.RunID, Turn: r.Turn, Action: run.Action, FileUID: run.SubjectUID, InitiatorUID: run.Initiator,
		Language: run.Language, ReviewURL: reviewPage(s, run.ID),
	}
	if Kind(r.Kind) == KindWaiting {
		if run.Status != suspend.Waiting || run.Turn != r.Turn {
			return webhook.Message{}, errOvertaken
		}
		m.At = run.WaitingSince
		data.WaitingSince = &m.At
		if s.Privacy.Level == config.PrivacyFull {
			if data.FileName, data.Texts, err = n.Cards.Shown(ctx, run.ID); err != nil {
				n.Log.WarnContext(ctx, "send notice without contents", "run_id", run.ID, "err", err)
			}
		}
	} else if err := n.decided(ctx, run, r.Turn, &data); err != nil {
		return webhook.Message{}, err
	} else {
		m.At = *data.DecidedAt
	}
	m.Data = data
	return m, nil
}

// decided fills in how a card ended: by the decision on its turn, else as the run did.
func (n *Notifier) decided(ctx context.Context, run *suspend.Run, turn int, data *Message) error {
	all, err := n.Runs.Decisions(ctx, run.ID)
	if err != nil {
		return err
	}
	for _, d := range all[run.ID] {
		if d.Turn == turn {
			data.Outcome, data.DecidedAt, data.DecidedByUID = outcomes[d.Verb], &d.At, d.By
			return nil
		}
	}
	switch {
	case run.Settled.IsZero():
		return errOvertaken
	case run.Status == suspend.Expired:
		data.Outcome = Expired
	default:
		data.Outcome = Cancelled
	}
	data.DecidedAt = &run.Settled
	return nil
}
