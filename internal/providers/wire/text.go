package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
)

// Valid replaces what is not UTF-8: JSON has no other way to carry a text.
func Valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

var thoughts = regexp.MustCompile(`(?s)^\s*<think>.*?(?:</think>|\z)`)

// WithoutThoughts takes off reasoning that a server left in the text.
func WithoutThoughts(s string) string { return strings.TrimSpace(thoughts.ReplaceAllString(s, "")) }

// Short bounds what a provider says about itself.
func Short(s string) string {
	const most = 128
	s = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf) { // what a terminal or a reader would obey
			return -1
		}
		return r
	}, s)
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}

// Arguments are a call's arguments as a model gave them: its own bytes when they are
// one JSON object, "{}" when there are none, and malformed otherwise.
func Arguments(raw string) (args json.RawMessage, malformed bool) {
	switch trimmed := strings.TrimSpace(raw); {
	case trimmed == "" || trimmed == "null":
		return json.RawMessage("{}"), false
	case !json.Valid([]byte(raw)) || !strings.HasPrefix(trimmed, "{"):
		return json.RawMessage("{}"), true
	}
	return json.RawMessage(raw), false
}

// Object is raw when it is a JSON object. Anything else, a tool's result in words or
// a list, is wrapped into one: {"result": ...}.
func Object(raw string) json.RawMessage {
	b := []byte(Valid(raw))
	if json.Valid(b) && bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		return b
	}
	var value any = string(b)
	if json.Valid(b) {
		value = json.RawMessage(b)
	}
	wrapped, err := json.Marshal(map[string]any{"result": value})
	if err != nil { // cannot be: a valid string, or valid JSON
		return json.RawMessage("{}")
	}
	return wrapped
}

// CallID maps the id of a call, whoever made it, to one that matches valid: the same
// every time, so that a call and its result still belong together.
func CallID(id string, valid *regexp.Regexp) string {
	if valid.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:12])
}
