package providers

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// Kind says what sort of failure a caller sees. It is a closed set, and the key
// of the sentence a person reads.
type Kind string

// The kinds.
const (
	RateLimited   Kind = "rate_limited"  // asks for a pause
	Quota         Kind = "quota"         // the account has nothing left; a pause does not help
	Auth          Kind = "auth"          // the key was refused
	BadRequest    Kind = "bad_request"   // the request was not accepted, the model is unknown
	Refused       Kind = "refused"       // the model or its filter will not answer
	TooLarge      Kind = "too_large"     // more than the wire or the model takes
	Timeout       Kind = "timeout"       // no whole answer in time; never retried, it may have been billed
	Unavailable   Kind = "unavailable"   // connection loss, 408, 409, 5xx
	EmptyAnswer   Kind = "empty_answer"  // neither a text nor a call
	Truncated     Kind = "truncated"     // the answer ended at the output limit
	BadAnswer     Kind = "bad_answer"    // a success that cannot be read
	Unsupported   Kind = "unsupported"   // the model is known not to do what is asked; nothing was sent
	Configuration Kind = "configuration" // switched off, unknown, or its address does not work
	CircuitOpen   Kind = "circuit_open"  // failed several times in a row and is left alone for a while; nothing was sent
	Budget        Kind = "budget"        // the day's budget is used up; nothing was sent
)

// Kinds are all of them.
func Kinds() []Kind {
	return []Kind{
		RateLimited, Quota, Auth, BadRequest, Refused, TooLarge, Timeout, Unavailable, EmptyAnswer, Truncated, BadAnswer,
		Unsupported, Configuration, CircuitOpen, Budget,
	}
}

// Valid reports whether k is one of the known kinds.
func (k Kind) Valid() bool { return slices.Contains(Kinds(), k) }

// Error is what went wrong at, or on the way to, a provider. It carries no
// cause: errors of HTTP clients and SDKs name addresses, headers and bodies.
type Error struct {
	Provider   string // the configuration's name
	Kind       Kind
	Status     int           // HTTP status, 0 when there was none
	RetryAfter time.Duration // what the provider asked for, 0 when it asked for nothing
	Detail     string        // our own words for operators, never the provider's
}

// Error implements error, for operators.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "provider %s: %s", e.Provider, e.Kind)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, ", retry after %s", e.RetryAfter.Round(time.Second))
	}
	return b.String()
}

// LogValue implements slog.LogValuer.
func (e *Error) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// IsRetryable reports whether the same request may succeed a little later. It
// is decided here, for all vendors.
func (e *Error) IsRetryable() bool {
	switch e.Kind {
	case RateLimited, Unavailable:
		return true
	default:
		return false
	}
}

// CanFallBack reports whether another configuration may be asked instead. A
// wrong key or a request that was not accepted is for an operator to see, and a
// refusal is an answer.
func (e *Error) CanFallBack() bool {
	switch e.Kind {
	case RateLimited, Unavailable, Timeout, Quota, BadAnswer, CircuitOpen:
		return true
	default:
		return false
	}
}
