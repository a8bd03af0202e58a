package agent

import (
	"context"

	"editor-actions/internal/fault"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

// Errors of cards that are decided one by one only.
var (
	ErrNotOpened = fault.New(fault.Stale, "card_not_opened", "You have not opened this card as it is now. Open it, then decide.")
	ErrHinting   = fault.New(fault.Invalid, "card_has_hints", "This card carries a hint, so it is decided on its own page.")
)

// openedDays is how long it counts that somebody has opened a card.
const openedDays = 30

// atScreen is the person before the screen: in a switched session the administrator, and
// not the one in whose name they look.
func atScreen(viewer *typo3.BackendUser) uint32 {
	if viewer.OriginalUID != 0 {
		return uint32(viewer.OriginalUID)
	}
	return uint32(viewer.UID)
}

// Opened keeps that a viewer had the card of a waiting run on the screen.
func (a *Agent) Opened(ctx context.Context, viewer *typo3.BackendUser, card *Card) error {
	return a.Store.MarkOpened(ctx, suspend.Opening{
		Viewer: atScreen(viewer), Run: card.View.Run.ID, Digest: card.Digest, Clean: card.Clean(),
	})
}

// overdue reports whether a card waits for longer than review.remindAfterDays.
func (a *Agent) overdue(run *suspend.Run) bool {
	days := a.Settings().Review.RemindAfterDays
	return days > 0 && run.Status == suspend.Waiting && a.Now().After(run.WaitingSince.AddDate(0, 0, days))
}

// pick says of waiting runs whether the viewer can approve them together, in one query.
func (a *Agent) pick(ctx context.Context, viewer *typo3.BackendUser, waiting []RunView) error {
	ids := make([]suspend.RunID, len(waiting))
	for i := range waiting {
		ids[i] = waiting[i].Run.ID
	}
	opened, err := a.Store.Opened(ctx, atScreen(viewer), ids...)
	if err != nil {
		return err
	}
	for i := range waiting {
		v := &waiting[i]
		if v.File == nil || a.mayDecide(viewer, v.Run, suspend.VerbApprove) != nil {
			continue
		}
		switch o, seen := opened[v.Run.ID]; {
		case !seen || o.Digest != v.Run.Digest:
			v.Pick = PickUnread
		case !o.Clean:
			v.Pick = PickHinting
		default:
			v.Pick = PickReady
		}
	}
	return nil
}

// Shown names a card as it was shown.
type Shown struct {
	Run    suspend.RunID
	Turn   int
	Digest string
}

// Approved is what became of one card of ApproveMany: a result, or an error with
// which nothing was written.
type Approved struct {
	Shown  Shown
	Result DecideResult
	Err    error
}

// ApproveMany takes one decision after the other, each as Decide would alone: on its
// own turn and digest, in its own transaction. It only takes cards that this reviewer
// has opened as they are now and that carry no hint; whether they do is asked again. A
// card that cannot be approved holds up no other. It stops when ctx ends: the rest is
// then missing from the answer.
func (a *Agent) ApproveMany(ctx context.Context, reviewer *typo3.BackendUser, remoteIP string, cards []Shown) []Approved {
	out := make([]Approved, 0, len(cards))
	for _, c := range cards {
		if ctx.Err() != nil {
			break
		}
		res, err := a.approveOne(ctx, reviewer, remoteIP, c)
		out = append(out, Approved{Shown: c, Result: res, Err: err})
	}
	return out
}

func (a *Agent) approveOne(ctx context.Context, reviewer *typo3.BackendUser, remoteIP string, c Shown) (DecideResult, error) {
	card, err := a.Card(ctx, reviewer, c.Run)
	if err != nil {
		return DecideResult{}, err
	}
	run := card.View.Run
	if run.Status == suspend.Waiting && sameDigest(run, c.Turn, c.Digest) { // else Decide says what happened
		opened, err := a.Store.Opened(ctx, atScreen(reviewer), c.Run)
		if err != nil {
			return DecideResult{}, err
		}
		if opened[c.Run].Digest != run.Digest {
			return DecideResult{}, ErrNotOpened
		}
		if card.CanApprove && !card.Clean() {
			return DecideResult{}, ErrHinting
		}
	}
	return a.Decide(ctx, DecideRequest{
		Reviewer: reviewer, Run: c.Run, Turn: c.Turn, Digest: c.Digest, Verb: suspend.VerbApprove, RemoteIP: remoteIP,
	})
}
