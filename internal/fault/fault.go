// Package fault carries one error for three readers: the person (a sentence),
// the caller (a kind and a code) and the operator (the cause).
//
// Rooms create faults, internal/web turns a kind into an HTTP status and a code
// into a sentence in the reader's language. The English sentence travels with
// the fault, so that commands and logs can print it without a catalogue.
package fault

import (
	"errors"
	"fmt"
)

// Kind says what sort of failure a caller sees. It is a closed set.
type Kind string

// The kinds. An error without a kind counts as Internal.
const (
	Invalid         Kind = "invalid"
	Unauthenticated Kind = "unauthenticated"
	Forbidden       Kind = "forbidden"
	NotFound        Kind = "not_found"
	Stale           Kind = "stale"
	TooLarge        Kind = "too_large"
	Unsupported     Kind = "unsupported"
	RateLimited     Kind = "rate_limited"
	Unavailable     Kind = "unavailable"
	Internal        Kind = "internal"
)

// Valid reports whether k is one of the known kinds.
func (k Kind) Valid() bool {
	switch k {
	case Invalid, Unauthenticated, Forbidden, NotFound, Stale, TooLarge, Unsupported, RateLimited, Unavailable, Internal:
		return true
	}
	return false
}

// Error is a failure with a kind, a stable snake_case code (the key of its
// translation), the arguments of its sentence and an optional cause. Error()
// is for operators and includes the cause; Sentence() is for people and does not.
type Error struct {
	Kind Kind
	Code string
	Args []any

	format string
	cause  error
}

// New makes a fault. format and args form the English sentence; a translation
// for code receives the same args in the same order.
func New(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Args: args, format: format}
}

// Because returns a copy of e that carries cause. The cause is never shown to a person.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Sentence is the English text for a person.
func (e *Error) Sentence() string { return fmt.Sprintf(e.format, e.Args...) }

// Error implements error, for logs.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.Code + ": " + e.Sentence()
	}
	return e.Code + ": " + e.Sentence() + ": " + e.cause.Error()
}

// Unwrap gives errors.Is and errors.As the cause.
func (e *Error) Unwrap() error { return e.cause }

// Is makes two faults equal when their codes are, so that a sentinel matches
// its copies made by Because.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// KindOf returns the kind of the first fault in err's chain, else Internal.
func KindOf(err error) Kind {
	if f, ok := errors.AsType[*Error](err); ok {
		return f.Kind
	}
	return Internal
}
