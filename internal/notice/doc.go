// Package notice tells programs and people that review cards wait.
//
// A program gets a signed message when a card begins to wait ("run.waiting") and when
// it no longer does ("run.decided"), once for each run and turn. A person who may decide
// gets one mail per period, with counts and one link.
//
// Messages go through an outbox, the table notice. Its rows are found by comparing it
// with the runs, the recent ones every few seconds and all of them every hour, and not
// written by the transaction that suspends: so no card can be lost, whatever wrote it and
// whatever crashed, and a run is neither delayed nor failed by its notice. A card that is decided before it was found has never
// waited for anybody and is not told. A row is claimed by a conditional UPDATE that moves
// its next try behind the time a delivery takes; whoever claims and dies leaves it to the
// next one, who sends it under the same id. Failures are tried again for about a day.
//
// The table digest has a row per person, claimed in the same way: several instances send
// one mail per person and period.
//
// Below privacy.level full nothing here holds a text or a file name (P8); mails hold none at
// any level. The room knows no pages, and nothing waits for it.
package notice
