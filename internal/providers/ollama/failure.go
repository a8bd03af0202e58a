package ollama

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"editor-actions/internal/providers"
)

// meanings are words of Ollama's sentences by what they say. The server passes some of
// them on from the process that runs the model, with that one's status.
var meanings = []struct {
	words  []string
	kind   providers.Kind
	detail string
}{
	{[]string{"does not support tools"}, providers.BadRequest, "the model takes no tools"},
	{
		[]string{"does not support image", "does not support vision", "missing data required for image input"},
		providers.BadRequest, "the model takes no pictures",
	},
	{
		[]string{"exceeds the context length", "exceeds the available context size", "exceeds maximum context length"},
		providers.TooLarge, "more than the model's context window",
	},
}

// errorOf reads {"error": ...} out of a body, "" when there is none.
func errorOf(body []byte) string {
	var in struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &in) != nil || string(in.Error) == "null" {
		return ""
	}
	return string(in.Error)
}

// failure classifies an answer that is no success.
func (p *Provider) failure(status int, h http.Header, body []byte) *providers.Error {
	e := p.caller.Status(status, h)
	if status < http.StatusBadRequest || e.Kind == providers.Auth {
		return e
	}
	said := strings.ToLower(errorOf(body))
	for _, m := range meanings {
		if slices.ContainsFunc(m.words, func(w string) bool { return strings.Contains(said, w) }) {
			e.Kind, e.Detail, e.RetryAfter = m.kind, m.detail, 0
			return e
		}
	}
	return e
}
