// Package agent is the loop that carries one run from a click to its end:
//
//	queued -> turn -> suspend -> decision -> write -> closing turn
//
// Start asks the catalogue for a prepared run and stores it. Work claims
// queued runs under a lease, screens every text (P6), sends it with one tool and
// suspends when the model calls that tool. Decide is the only way to a write: one
// database transaction holds the acting user's rights, the comparison with the
// values that were shown, the metadata with TYPO3's history and log, the decision
// and the run's status (P1, P10, P11). The closing turn comes afterwards and can
// fail without taking anything back (P18).
//
// Restore and Propose begin at the card: the call is made of earlier texts, or is an
// outside agent's own, and no model is asked.
//
// The room refuses to know HTTP, SQL of other rooms or a provider's wire. It
// never decides about rights itself: it asks falgate and the tool, as the acting user.
package agent
