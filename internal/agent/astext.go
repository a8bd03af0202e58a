package agent

import (
	"encoding/json"
	"strings"

	"editor-actions/internal/providers"
)

// ruleCallAsText is the error kind of a run whose model insists on writing its call
// into the text.
const ruleCallAsText = "call_as_text"

// callAsText reports whether a text is a call that a model wrote down instead of making
// it: a JSON object, perhaps in a code fence or between tags, that names the tool or holds its
// arguments. Such a text is no proposal and no sentence for a person.
func callAsText(tool providers.Tool, text string) bool {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if start < 0 || end <= start {
		return false
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text[start:end+1]), &object) != nil {
		return strings.Contains(text, tool.Name) // tags, several objects, broken JSON
	}
	var schema struct {
		Required []string `json:"required"`
	}
	if strings.Contains(text, tool.Name) || json.Unmarshal(tool.Parameters, &schema) != nil || len(schema.Required) == 0 {
		return strings.Contains(text, tool.Name)
	}
	for _, name := range schema.Required {
		if _, ok := object[name]; !ok {
			return false
		}
	}
	return true
}

// useTheTool asks the model to make the call that it wrote down.
func useTheTool(tool providers.Tool) providers.Message {
	return providers.Message{Role: providers.User, Text: "Your answer was text. Nothing was executed. Call the tool `" + tool.Name + "` with these arguments instead of writing the call down."}
}
