// Package secret holds strings that must never be printed: keys, tokens,
// passwords. Every way of formatting one gives "***".
package secret

import (
	"encoding/json"
	"fmt"
	"log/slog"
)

const mask = "***"

// String is a secret. Reveal is the only way to its text.
type String struct{ text string }

// New wraps text.
func New(text string) String { return String{text: text} }

// Reveal returns the text; call it only where the secret is used.
func (s String) Reveal() string { return s.text }

// Empty reports whether there is no text.
func (s String) Empty() bool { return s.text == "" }

// String implements fmt.Stringer.
func (String) String() string { return mask }

// Format masks every verb, %#v and %+v included.
func (String) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(mask)) }

// LogValue implements slog.LogValuer.
func (String) LogValue() slog.Value { return slog.StringValue(mask) }

// MarshalJSON implements json.Marshaler.
func (String) MarshalJSON() ([]byte, error) { return json.Marshal(mask) }

// MarshalText covers encoders that prefer text, YAML ones among them.
func (String) MarshalText() ([]byte, error) { return []byte(mask), nil }

// UnmarshalText lets decoders read a secret from its plain text.
func (s *String) UnmarshalText(text []byte) error {
	s.text = string(text)
	return nil
}
