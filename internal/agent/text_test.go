package agent

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"editor-actions/internal/config"
	"editor-actions/internal/guardrails"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
)

func TestPlainText_FreeTextsAreFitForEveryColumn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string][2]string{
		"plain":           {" Name the season.\nPlease. ", "Name the season.\nPlease."},
		"no UTF-8":        {"a\xffb", "a\uFFFDb"},
		"control":         {"a\x00b\x1b[31mc\r", "ab[31mc"},
		"direction":       {"a\u202eb\u2066c", "abc"},
		"hidden tags":     {"a\U000E0041b", "ab"},
		"joiners stay":    {"👩\u200d🚀", "👩\u200d🚀"},
		"nothing is left": {"\u202e\x00 ", ""},
	} {
		if got := plainText(c[0], 100); got != c[1] {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := plainText(strings.Repeat("ä", 11), 10); got != strings.Repeat("ä", 10)+"…" {
		t.Errorf("cut by characters: %q", got)
	}
	// One user-perceived character of 100 KiB.
	if got := plainText("x e"+strings.Repeat("\u0301", 50<<10), 400); got != "x …" || !utf8.ValidString(got) {
		t.Errorf("%d bytes", len(got))
	}
}

func TestP6_TextsInsideAToolResultAreScreenedAsWritten(t *testing.T) {
	t.Parallel()
	s, err := guardrails.New(config.Guardrails{Patterns: []config.GuardrailPattern{
		{Name: "codename", Pattern: `(?m)^bluebird "x"`, Verdict: "redact", Replacement: "[name]"},
		{Name: "stop", Pattern: `\bstopword\b`, Verdict: "deny"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	body := strings.Repeat("Zz9", 8)
	of := func(feedback string) screened {
		m := toolResult(providers.ToolCall{ID: "1", Name: "tool"}, toolAnswer{Status: "approval_denied", Feedback: feedback, Written: map[string]string{"alternative": feedback}})
		return screen(s, []providers.Message{m})
	}
	for name, feedback := range map[string]string{
		"at the start":         "sk" + "-" + body,
		"behind a line break":  "Too long.\nsk" + "-" + body,
		"behind an angle mark": "<sk" + "-" + body,
	} {
		got := of(feedback)
		if strings.Contains(got.messages[0].Text, body) || got.redacted == 0 {
			t.Errorf("%s: %s", name, got.messages[0].Text)
		}
		if !json.Valid([]byte(got.messages[0].Text)) {
			t.Errorf("%s: no JSON: %s", name, got.messages[0].Text)
		}
	}
	if got := of("one\nbluebird \"x\"").messages[0].Text; strings.Contains(got, "bluebird") || !strings.Contains(got, "[name]") || !json.Valid([]byte(got)) {
		t.Error(got)
	}
	if got := of("one\nstopword"); got.action != guardrails.Deny || got.rule != "stop" {
		t.Errorf("%+v", got.action)
	}
	plain := toolResult(providers.ToolCall{ID: "1"}, toolAnswer{Status: "done", Executed: true, Written: map[string]string{"alternative": "A <lake> & more"}})
	if got := screen(s, []providers.Message{plain}); got.messages[0].Text != plain.Text || got.redacted != 0 {
		t.Errorf("changed: %s", got.messages[0].Text)
	}
}

// What the tools that read answer has other members, lists and depths.
func TestP6_TextsInsideAReadResultAreScreenedAsWritten(t *testing.T) {
	t.Parallel()
	s, err := guardrails.New(config.Guardrails{Patterns: []config.GuardrailPattern{
		{Name: "codename", Pattern: `(?m)^bluebird "x"`, Verdict: "redact", Replacement: "[name]"},
		{Name: "stop", Pattern: `\bstopword\b`, Verdict: "deny"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	of := func(text string) screened {
		raw, err := json.Marshal(map[string]any{"uid": 1, "note": "n", "usages": []any{map[string]any{"page": map[string]any{"title": text}}}})
		if err != nil {
			t.Fatal(err)
		}
		return screen(s, []providers.Message{{Role: providers.ToolRole, ToolCallID: "1", ToolName: "read", Text: string(raw)}})
	}
	if got := of("one\nbluebird \"x\" \\ two").messages[0].Text; got != `{"note":"n","uid":1,"usages":[{"page":{"title":"one\n[name] \\ two"}}]}` {
		t.Error(got)
	}
	if got := of("one\nstopword"); got.action != guardrails.Deny || got.rule != "stop" {
		t.Errorf("%+v", got.action)
	}
	if got := of("A <lake> \"by\\\\night\""); got.redacted != 0 {
		t.Errorf("changed: %s", got.messages[0].Text)
	}
}

func TestP8_WordsOfTheModelInNamesAreNoMetadata(t *testing.T) {
	t.Parallel()
	r := providers.Response{Message: providers.Message{ToolCalls: []providers.ToolCall{
		{ID: "call_1", Name: "set_text", Arguments: json.RawMessage("{}")},
		{ID: "A red ship at the quay", Name: "a_red_ship_at_the_quay", Arguments: json.RawMessage("{}")},
	}}}
	p := answerPayload(r, []providers.Tool{{Name: "set_text"}}, errors.New("a red ship"))
	if p.Calls[0] != (suspend.EventCall{ID: "call_1", Name: "set_text", Arguments: "{}"}) {
		t.Errorf("%+v", p.Calls[0])
	}
	if p.Calls[1] != (suspend.EventCall{Name: "other", Arguments: "{}"}) || p.ErrorKind != "internal" {
		t.Errorf("%+v", p)
	}
}
