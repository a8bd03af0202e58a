// Package wire holds what every wire format has in common: the HTTP client that
// stays on its host and reads bounded answers, the classification of failures, ids of
// calls, and small mendings of texts.
//
// A subpackage of providers speaks one wire format with its vendor's own SDK and
// imports this package; none imports another. An SDK's own retries, logs and
// environment variables are switched off by the adapter that uses it.
//
// Nothing here repeats what a provider, an SDK or the HTTP client says: their words
// hold addresses, headers with keys, and bodies with pictures.
package wire
