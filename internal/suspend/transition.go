package suspend

import "gorm.io/gorm"

// transition is one kind of arrow in the state diagram: the conditional UPDATE
// that carries it out takes its statuses from here, and the diagram in DESIGN.md
// is drawn from it.
type transition struct {
	name string
	from []Status
	to   []Status // the caller chooses when there are several
	when string   // the rest of the condition, for the diagram (without semicolons: Mermaid reads them as line ends)
}

// The transitions. There are no others.
var (
	toCreate   = transition{"create", nil, []Status{Queued}, ""}
	toPropose  = transition{"create with its call", nil, []Status{Waiting}, "no model is asked"}
	toClaim    = transition{"claim", []Status{Queued}, []Status{Running}, ""}
	toTakeOver = transition{"take over", []Status{Running}, []Status{Running}, "lease ran out"}
	toKeep     = transition{"renew or save progress", []Status{Running}, []Status{Running}, "own lease"}
	toGiveUp   = transition{"give up", []Status{Queued, Running}, []Status{Failed, Completed}, "too many attempts, completed when written"}
	toBury     = transition{"bury", []Status{Running}, []Status{Failed, Completed}, "state does not open, and is kept, completed when written"}
	toRequeue  = transition{"requeue", []Status{Running}, []Status{Queued}, "own lease"}
	toSuspend  = transition{"suspend", []Status{Running}, []Status{Waiting}, "own lease, later turn, not written"}
	toPause    = transition{"pause", []Status{Running}, []Status{Paused}, "own lease, later turn, with its proposals"}
	toResume   = transition{"resume", []Status{Paused}, []Status{Queued}, "no proposal of it waits"}
	toSettle   = transition{"settle", []Status{Running}, []Status{Completed, Failed}, "own lease, completed when written"}
	toApprove  = transition{"approve", []Status{Waiting}, []Status{Queued}, "turn and digest, written with it"}
	toAskAgain = transition{"ask again", []Status{Waiting}, []Status{Queued}, "turn and digest"}
	toReject   = transition{"reject", []Status{Waiting}, []Status{Rejected}, "turn and digest"}
	toRedraw   = transition{"redraw", []Status{Waiting}, []Status{Waiting}, "turn and digest, gets a new digest"}
	toCancel   = transition{"cancel", []Status{Queued, Running, Waiting, Paused}, []Status{Cancelled}, "not written"}
	toExpire   = transition{"expire", []Status{Waiting}, []Status{Expired}, "waited too long"}

	transitions = []transition{
		toCreate, toPropose, toClaim, toTakeOver, toKeep, toGiveUp, toBury, toRequeue, toSuspend, toPause, toResume, toSettle,
		toApprove, toAskAgain, toReject, toRedraw, toCancel, toExpire,
	}
)

// of limits an UPDATE to runs that t may start from.
func (t transition) of(db *gorm.DB) *gorm.DB {
	return db.Model(&runRow{}).Where("status IN ?", t.from)
}

// target is the status of a transition that has only one.
func (t transition) target() string { return string(t.to[0]) }

// allows reports whether t may end in s.
func (t transition) allows(s Status) bool {
	for _, to := range t.to {
		if to == s {
			return true
		}
	}
	return false
}

// orCompleted is s, except for a run whose change is written: that one is
// completed, whatever failed afterwards (P18). It is SQL, so that it holds for the
// row as it is when the UPDATE meets it.
func orCompleted(s Status) any {
	return gorm.Expr("CASE WHEN written = 1 THEN ? ELSE ? END", string(Completed), string(s))
}

// orApproved is the reason that goes with orCompleted.
func orApproved(r Reason) any {
	return gorm.Expr("CASE WHEN written = 1 THEN ? ELSE ? END", string(ReasonApproved), string(r))
}
