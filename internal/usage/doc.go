// Package usage counts what models were paid, and stops it at the budgets.
//
// Two tables: usage has sums per day, configuration and model, for reports; budget has
// what a user or a configuration has used of its budget today, reservations included.
// An attempt is reserved before it is sent, with a conditional UPDATE whose row count
// decides, so that parallel runs on several instances cannot overshoot together.
// Afterwards the reservation is replaced by what was billed. After a crash it stays:
// whoever sent a request was probably billed.
//
// Days are UTC. What has no budget costs no query before a send. A database that does
// not answer stops the send.
package usage
