package media

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// envelope is a file that is no text, written as one. Content and Note never come
// together.
type envelope struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"` // by the name alone
	Size      int    `json:"size_bytes"`
	Encoding  string `json:"encoding"` // base64, none
	Content   string `json:"content,omitempty"`
	Note      string `json:"note,omitempty"`
}

// Envelope renders a file that does not travel as a picture: a text as it is,
// whatever its size; anything else as a JSON object with the bytes in base64, or
// without them when they are more than maxInlineBinary. Content is whole or absent,
// never cut. The one error is a negative ceiling.
func Envelope(name string, data []byte, maxInlineBinary int) (string, error) {
	if maxInlineBinary < 0 {
		return "", fmt.Errorf("media: a binary ceiling of %d bytes", maxInlineBinary)
	}
	if utf8.Valid(data) {
		return string(data), nil
	}
	e := envelope{Name: name, MediaType: typeOfName(name), Size: len(data), Encoding: "base64"}
	// An empty file is text, so content is never empty here.
	if len(data) <= maxInlineBinary {
		e.Content = base64.StdEncoding.EncodeToString(data)
	} else {
		e.Encoding = "none"
		e.Note = fmt.Sprintf("The file has %d bytes; up to %d bytes are included. Nothing of it is included here.", len(data), maxInlineBinary)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return "", fmt.Errorf("media: encode envelope: %w", err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}
