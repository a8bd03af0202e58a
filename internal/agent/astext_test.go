package agent

import (
	"encoding/json"
	"testing"

	"editor-actions/internal/providers"
)

func TestCallAsText(t *testing.T) {
	t.Parallel()
	tool := providers.Tool{Name: "set_file_alternative_text", Parameters: json.RawMessage(`{"type":"object","properties":{"uid":{},"alternative":{}},"required":["uid","alternative"]}`)}
	for text, want := range map[string]bool{
		`{"uid": 7, "alternative": "A boat"}`:                                                    true,
		"```json\n{\"uid\": 7, \"alternative\": \"A boat\"}\n```":                                true,
		`Here is the call: {"name": "set_file_alternative_text", "arguments": {"uid": 7}}`:       true,
		`<tool_call>{"name": "set_file_alternative_text", "parameters": {"uid": 7}}</tool_call>`: true,
		`set_file_alternative_text({"uid": 7, "alternative": "A boat"`:                           false,
		`[{"uid": 1}, {"uid": 2}] for set_file_alternative_text {}`:                              true,
		`A boat on a lake.`: false,
		``:                  false,
		`I cannot use set_file_alternative_text here.`: false,
		`The sign reads {open}.`:                       false,
		`{"title": "x"}`:                               false,
		`The picture shows the code {"a": 1} on a screen, and nothing else.`: false,
	} {
		if got := callAsText(tool, text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
