package providers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"editor-actions/internal/media"
)

// needWords are the needs as they are stored.
var needWords = map[Need]string{NeedNone: "", NeedNotRefused: "not_refused", NeedDeclared: "declared"}

// storedRequirements is the form at rest.
type storedRequirements struct {
	Vision  string       `json:"vision,omitempty"`
	Tools   bool         `json:"tools,omitempty"`
	Types   []media.Type `json:"types,omitempty"`
	Largest int          `json:"largest,omitempty"`
	Edge    int          `json:"edge,omitempty"`
	Images  int          `json:"images,omitempty"`
}

// MarshalJSON gives the form that UnmarshalJSON reads.
func (r Requirements) MarshalJSON() ([]byte, error) {
	word, ok := needWords[r.Vision]
	if !ok {
		return nil, fmt.Errorf("providers: need %d is none of ours", r.Vision)
	}
	return json.Marshal(storedRequirements{word, r.Tools, r.Types, r.Largest, r.Edge, r.Images})
}

// UnmarshalJSON reads what MarshalJSON wrote, and nothing else: a demand that this program
// does not know must stop a send and not be forgotten.
func (r *Requirements) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var s *storedRequirements
	if err := d.Decode(&s); err != nil {
		return fmt.Errorf("providers: decode requirements: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) || s == nil || s.Largest < 0 || s.Edge < 0 || s.Images < 0 {
		return errors.New("providers: decode requirements: they have another shape")
	}
	for _, t := range s.Types {
		if !t.Valid() {
			return fmt.Errorf("providers: decode requirements: unknown type of picture %q", string(t))
		}
	}
	for need, word := range needWords {
		if word == s.Vision {
			*r = Requirements{need, s.Tools, s.Types, s.Largest, s.Edge, s.Images}
			return nil
		}
	}
	return fmt.Errorf("providers: decode requirements: unknown need %q", s.Vision)
}
