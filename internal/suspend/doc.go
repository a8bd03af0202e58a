// Package suspend owns runs: their states, the sealed transcript, the digest of
// the turn that waits, decisions, events and leases, and what tools keep for them.
//
// A run moves by conditional updates whose row count decides; see DESIGN.md for
// the states, the threats and what is guaranteed. The transcript with its picture
// is sealed for that run under an AEAD keyset and erased when the run settles, and so
// are the pictures that tools made for it (P7). A decision names the turn and the digest it was made on (P9), and it
// commits together with what it decides (P10).
//
// The room knows nothing of tools, files, users' rights or HTTP: a preview is
// bytes to it, and who may decide was asked before.
package suspend
