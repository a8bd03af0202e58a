// Package typo3 is the CMS as the service sees it: backend users with their
// groups, permissions and workspace; backend sessions; the metadata of a file and
// the one function that writes it.
//
// The rules are TYPO3's own (12.4, 13.4, 14.3), read off its source and held
// against tables that a real TYPO3 computed. Every decision is made from the
// database at that moment for an explicit user; nothing is cached across calls
// except which tables exist. Where TYPO3 would evaluate what the database does not
// hold (a condition in TSconfig, an import), the room denies.
//
// It knows nothing of runs, models or HTTP, and never changes a TYPO3 session.
package typo3
