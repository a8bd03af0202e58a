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

	"github.com/google/uuid"
)

// Errors of this room.
var (
	// ErrInvalid is the one answer for every token that opens nothing.
	ErrInvalid  = fault.New(fault.Unauthenticated, "token_invalid", "This access token is not valid. It may be mistyped, revoked or expired, or belong to somebody who may not use this service.")
	ErrUsed     = fault.New(fault.Stale, "token_form_used", "This form has made its token already. Revoke that one if you have not kept it, and open the page anew for another.")
	ErrTooMany  = fault.New(fault.RateLimited, "token_too_many", "You have as many access tokens as one person may have. Revoke one that is not needed any more.")
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
	maxLive         = 50  // of one user
	// remakeWithin is how long a form that is sent again may mean the same token.
	remakeWithin = 2 * time.Minute
	// KeepEnded is how long a token is listed after its end.
	KeepEnded = 90 * 24 * time.Hour
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

// State is whether a token works, seen from outside.
type State string

// The states.
const (
	Valid    State = "valid"
	Expired  State = "expired"
	Revoked  State = "revoked"
	NoAccess State = "no_access" // its owner may not sign in or use the service
)

// NewToken is what Create stores.
type NewToken struct {
	Name     string
	User     typo3.UserUID
	Scopes   []Scope
	Lifetime time.Duration
	// Key, when not empty, is of the form that asks, and is used once: sent again at
	// once, as by a double click, it makes the same token again with a new secret, so
	// that the answer a person gets to see is the one that counts. Later it is ErrUsed.
	Key string
}

// id is the token's: by chance, or the one that the user's key stands for.
func (n *NewToken) id() string {
	if n.Key == "" {
		return uuid.Must(uuid.NewV7()).String()
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "editor-actions token %d %s", n.User, n.Key)).String()
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
