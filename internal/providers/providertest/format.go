package providertest

import (
	"bytes"
	"encoding/json"
)

// Format is one wire format, as far as a scripted model has to speak it.
type Format struct {
	Name     string
	BasePath string // what a configuration's address ends with
	// KeyHeader carries the key, after KeyPrefix.
	KeyHeader, KeyPrefix string
	// Serves reports whether a request to path is one for an answer.
	Serves func(path string) bool
	// Parse fills Messages, Tools, Model and the picture of r from its Body. Content
	// that is a text must come out as a JSON string, a tool's result as a message of
	// role "tool".
	Parse func(r *Request, path string) error
	// Reply and Error make the body of an answer.
	Reply func(Reply) any
	Error func(status int, code, message string) any
	// Faults are cases that only this wire has.
	Faults []Fault
	// Reformats says that arguments travel as JSON values and not as text, so that
	// blanks in them may be lost.
	Reformats bool
}

// sameArguments holds received arguments against the sent ones.
func (f Format) sameArguments(got json.RawMessage, sent string) bool {
	if !f.Reformats {
		return string(got) == sent
	}
	var a, b bytes.Buffer
	return json.Compact(&a, got) == nil && json.Compact(&b, []byte(sent)) == nil && bytes.Equal(a.Bytes(), b.Bytes())
}
