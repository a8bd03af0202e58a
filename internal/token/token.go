package token

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"editor-actions/internal/fault"
	"editor-actions/internal/typo3"
)

// Errors of this room.
var (
	// ErrInvalid is the one answer for every token that opens nothing.
	ErrInvalid  = fault.New(fault.Unauthenticated, "token_invalid", "This access token is not valid. It may be mistyped, revoked or expired, or belong to somebody who may not use this service.")
	ErrNotFound = fault.New(fault.NotFound, "token_not_found", "There is no such access token.")
)

// Scope is what a token may be used for. It is a closed set.
type Scope string

// The scopes.
const (
	Read    Scope = "read"    // look at files in reach and at own proposals
	Propose Scope = "propose" // propose texts, which a person decides about
)

// Scopes are all of them.
func Scopes() []Scope { return []Scope{Read, Propose} }

// Valid reports whether s is one of the known scopes.
func (s Scope) Valid() bool { return slices.Contains(Scopes(), s) }

// ParseScopes reads a list such as "read,propose".
func ParseScopes(list string) ([]Scope, error) {
	var out []Scope
	for name := range strings.SplitSeq(list, ",") {
		s := Scope(strings.TrimSpace(name))
		if !s.Valid() {
			return nil, fault.New(fault.Invalid, "token_scopes", "%q is no scope; a token has read, propose or both.", string(s))
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, nil
}

// Bounds of a token.
const (
	DefaultLifetime = 90 * 24 * time.Hour
	MaxLifetime     = 365 * 24 * time.Hour
	minLifetime     = time.Minute
	maxName         = 100 // characters
)

// Token is one access token without its secret.
type Token struct {
	ID       string
	Name     string
	User     typo3.UserUID
	Scopes   []Scope
	Created  time.Time
	Expires  time.Time
	LastUsed time.Time // zero = never
	Revoked  time.Time // zero = not
}

// May reports whether the token has a scope.
func (t *Token) May(s Scope) bool { return slices.Contains(t.Scopes, s) }

// Live reports whether the token can be used at that moment, as far as it depends
// on the token.
func (t *Token) Live(now time.Time) bool { return t.Revoked.IsZero() && now.Before(t.Expires) }

// NewToken is what Create stores.
type NewToken struct {
	Name     string
	User     typo3.UserUID
	Scopes   []Scope
	Lifetime time.Duration
}

func (n *NewToken) check() error {
	n.Name = strings.TrimSpace(n.Name)
	switch {
	case n.Name == "" || utf8.RuneCountInString(n.Name) > maxName || strings.ContainsFunc(n.Name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fault.New(fault.Invalid, "token_name", "A token needs a name of 1 to %d visible characters, for instance the program that will use it.", maxName)
	case n.Lifetime < minLifetime || n.Lifetime > MaxLifetime:
		return fault.New(fault.Invalid, "token_lifetime", "A token is valid for a minute at least and for %d days at most.", int(MaxLifetime.Hours()/24))
	case len(n.Scopes) == 0:
		return fault.New(fault.Invalid, "token_scopes", "%q is no scope; a token has read, propose or both.", "")
	case n.User == 0:
		return fmt.Errorf("token: create without a user")
	}
	return nil
}
