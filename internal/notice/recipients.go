package notice

import (
	"context"
	"iter"
	"net/mail"
	"slices"
	"strings"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/typo3"
)

// optOut is the user TSconfig that switches the mails: 0 off, and for an administrator
// 1 on. TYPO3 sets it for a user or a group.
const optOut = "tx_editoractions.digest"

// tally is what waits for one person.
type tally struct {
	Count  int
	Late   int // of them since before review.remindAfterDays
	Oldest time.Time
	Newest time.Time
}

func (t *tally) add(since, late time.Time) {
	t.Count++
	if since.Before(late) {
		t.Late++
	}
	if t.Oldest.IsZero() || since.Before(t.Oldest) {
		t.Oldest = since
	}
	if since.After(t.Newest) {
		t.Newest = since
	}
}

// recipient is a person with an address for whom cards wait.
type recipient struct {
	user    *typo3.BackendUser
	address string
	tally   tally
}

// recipients are the people whom cards wait for since before the period began, by uid;
// unreachable counts those among them without a usable address.
func (n *Notifier) recipients(ctx context.Context, s *config.Settings, period time.Time) (out []recipient, unreachable int, err error) {
	cards, err := n.cardsUntil(ctx, period)
	if err != nil || len(cards) == 0 || s.TYPO3.AdminOnly < 0 {
		return nil, 0, err
	}
	_, names, err := n.Users.AllUserNames(ctx)
	if err != nil {
		return nil, 0, err
	}
	all := make([]typo3.UserUID, 0, len(names))
	for _, uid := range names {
		all = append(all, uid)
	}
	slices.Sort(all)
	for part := range chunks(all) {
		users, err := n.Users.Users(ctx, part...) // only those who may sign in
		if err != nil {
			return nil, 0, err
		}
		emails, err := n.Users.Emails(ctx, part)
		if err != nil {
			return nil, 0, err
		}
		for _, uid := range part {
			u := users[uid]
			if u == nil || !told(s, u) {
				continue
			}
			t := tallyOf(s, u, cards, period)
			if t.Count == 0 {
				continue
			}
			address, ok := mailbox(emails[uid])
			if !ok {
				unreachable++
				continue
			}
			out = append(out, recipient{u, address, t})
		}
	}
	return out, unreachable, nil
}

// told reports whether a person gets mails at all.
func told(s *config.Settings, u *typo3.BackendUser) bool {
	if s.TYPO3.AdminOnly > 0 && !u.Admin || !u.MayEnter(s.Access.Groups) {
		return false
	}
	v, _ := u.TSconfig.Lookup(optOut)
	return strings.TrimSpace(v) != "0"
}

// tallyOf counts the cards that a person may approve (agent.mayDecide has the rule):
// everybody's for a member of review.approverGroups, and for an administrator who asked for
// mails; without approver groups their own. Administrators may decide everything, but a
// mail to each of them about each card would soon be read by none.
func tallyOf(s *config.Settings, u *typo3.BackendUser, cards []waitingCard, period time.Time) tally {
	v, _ := u.TSconfig.Lookup(optOut)
	everybodys := u.InGroup(s.Review.ApproverGroups...) || u.Admin && strings.TrimSpace(v) == "1"
	late := time.Time{}
	if days := s.Review.RemindAfterDays; days > 0 {
		late = period.AddDate(0, 0, -days)
	}
	var t tally
	for _, c := range cards {
		own := c.Initiator == uint32(u.UID)
		switch {
		case !everybodys && (len(s.Review.ApproverGroups) > 0 || !own):
		case (own || c.OriginalUser == uint32(u.UID)) && fourEyes(s, c.Configuration):
		default:
			t.add(c.WaitingSince.UTC(), late)
		}
	}
	return t
}

// fourEyes reports whether nobody may approve their own run.
func fourEyes(s *config.Settings, configuration string) bool {
	return s.Review.RequireSecondApprover || s.Providers.Configurations[configuration].RequireSecondApprover
}

// mailbox is a stored address that is exactly one plain address.
func mailbox(stored string) (string, bool) {
	stored = strings.TrimSpace(stored)
	a, err := mail.ParseAddress(stored)
	if err != nil || a.Name != "" || a.Address != stored || strings.ContainsAny(stored, "\r\n") {
		return "", false
	}
	return stored, true
}

// chunks bounds the length of lists in statements.
func chunks[T any](all []T) iter.Seq[[]T] { return slices.Chunk(all, 500) }
