package agent

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"editor-actions/internal/guardrails"
	"editor-actions/internal/providers"
)

// screened is a transcript after the input guardrails.
type screened struct {
	messages []providers.Message
	action   guardrails.Action // Allow (redactions included), Deny or RequireApproval
	rule     string            // the rule that stopped it
	redacted int               // texts that were changed
}

// screen puts every text of a transcript through the screener: string
// contents and the text parts of list contents, whoever wrote them (P6). Arguments
// of tool calls are functional values and stay; pictures cannot be screened. The
// input is not changed.
func screen(s *guardrails.Screener, in []providers.Message) screened {
	out := screened{messages: make([]providers.Message, len(in)), action: guardrails.Allow}
	text := func(t string) string {
		if t == "" || out.action != guardrails.Allow {
			return t
		}
		v := s.Text(t)
		switch v.Action {
		case guardrails.Allow:
			return t
		case guardrails.Redact:
			out.redacted++
			return v.Text
		case guardrails.Deny, guardrails.RequireApproval:
			out.action, out.rule = v.Action, v.Rule
			return ""
		default: // an unknown verdict stops the send
			out.action, out.rule = guardrails.Deny, v.Rule
			return ""
		}
	}
	for i, m := range in {
		if m.Role == providers.ToolRole {
			m.Text = screenAnswer(m.Text, text)
		} else {
			m.Text = text(m.Text)
		}
		if len(m.Parts) > 0 {
			parts := make([]providers.Part, len(m.Parts))
			for j, p := range m.Parts {
				p.Text = text(p.Text)
				parts[j] = p
			}
			m.Parts = parts
		}
		out.messages[i] = m
	}
	return out
}

// screenAnswer screens the texts inside a tool's result as they were written, at any
// depth. In the JSON around them a line break is the letter n behind a backslash, and a
// word at the start of a line would no longer begin at a word's border.
func screenAnswer(raw string, text func(string) string) string {
	if !json.Valid([]byte(raw)) {
		return text(raw)
	}
	changed := false
	out := jsonText.ReplaceAllStringFunc(raw, func(literal string) string {
		var was string
		if json.Unmarshal([]byte(literal), &was) != nil { // it is one: the whole is valid
			return literal
		}
		now := text(was)
		if now == was {
			return literal
		}
		changed = true
		return quote(now)
	})
	if changed { // a picture that somebody wrote into a text is none
		out = providers.WithoutInlineImages(out)
	}
	return text(out) // a pattern may be about the whole
}

// jsonText is a string of valid JSON, a member's name too.
var jsonText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// quote writes a text as a string of JSON.
func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
