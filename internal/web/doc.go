// Package web is the HTTP side: pages for editors, reviewers and
// administrators, the JSON API for the same calls, and the door they come in by.
//
// Every request is a TYPO3 backend user or nobody: the cookie goes through
// typo3's session check each time, in the demo too, where the sign-in form only
// writes the session row that TYPO3 would have written. Pages are rendered on
// the server with html/template, forms post and redirect, and everything works
// without script; the one small script adds live progress and counters.
//
// The room asks no question about rights itself. It reads a request, calls the
// same methods the API calls, and turns what comes back into a page or into
// problem+json: fault.go holds the one table from kind of failure to status.
//
// It refuses: unsafe requests from another origin, forms without the token of
// their session, bodies above 64 KiB, and any wording that tells a file one may
// not use from a file that does not exist (P3).
package web
