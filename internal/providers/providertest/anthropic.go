package providertest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"editor-actions/internal/providers"
)

// Anthropic is the Messages API.
var Anthropic = Format{
	Name:      "messages",
	KeyHeader: "X-Api-Key",
	Serves:    func(path string) bool { return path == "/v1/messages" },
	Parse:     parseAnthropic,
	Reply:     replyAnthropic,
	Error: func(_ int, code, message string) any {
		return map[string]any{"type": "error", "error": map[string]any{"type": code, "message": message}, "request_id": "req_1"}
	},
	Faults: []Fault{
		{"400 no credit", anthropicRefusal("Your credit balance is too low to access the API."), providers.Quota, 400, false},
		{"400 spend limit", anthropicRefusal("You have reached your specified API usage limits."), providers.Quota, 400, false},
		{"400 window", anthropicRefusal("prompt is too long: 9 tokens > 8 maximum"), providers.TooLarge, 400, false},
		{"400 picture", anthropicRefusal("messages.0.content.1.image: image exceeds 10 MB maximum"), providers.TooLarge, 400, false},
		{"400 other", anthropicRefusal("max_tokens: Field required"), providers.BadRequest, 400, false},
		{"400 billing", Error(400, "billing_error"), providers.Quota, 400, false},
		{"403 billing", Error(403, "billing_error"), providers.Quota, 403, false},
		{"404", Error(404, "not_found_error"), providers.BadRequest, 404, false},
		{"413", Error(413, "request_too_large"), providers.TooLarge, 413, false},
		{"529 overloaded", Error(529, "overloaded_error"), providers.Unavailable, 529, false},
		{"overloaded inside 200", Raw(`{"type":"error","error":{"type":"overloaded_error","message":"CANARY-BODY"}}`), providers.Unavailable, 529, false},
		{"rate limit inside 200", Raw(`{"type":"error","error":{"type":"rate_limit_error","message":"CANARY-BODY"}}`), providers.RateLimited, 429, false},
		{"no credit inside 200", Raw(`{"type":"error","error":{"type":"billing_error","message":"CANARY-BODY"}}`), providers.Quota, 402, false},
		{"unknown error inside 200", Raw(`{"type":"error","error":{"type":"new_error","message":"CANARY-BODY"}}`), providers.Unavailable, 500, false},
		{"wrong types", Raw(`{"type":"message","content":"CANARY-BODY"}`), providers.BadAnswer, 200, false},
		{"no content", Raw(`{"type":"message","role":"assistant","stop_reason":"end_turn"}`), providers.BadAnswer, 200, false},
		{"another object", Raw(`{"type":"completion","content":[{"type":"text","text":"CANARY-BODY"}]}`), providers.BadAnswer, 200, false},
		{"only thoughts", anthropicMessage("end_turn", `{"type":"thinking","thinking":"CANARY-BODY","signature":"c2ln"}`), providers.EmptyAnswer, 200, true},
		{"pause", anthropicMessage("pause_turn", ``), providers.EmptyAnswer, 200, true},
		{"refusal", Refusal("CANARY-BODY I will not."), providers.Refused, 200, true},
		{"context window full", anthropicMessage("model_context_window_exceeded", `{"type":"text","text":"A"}`), providers.Truncated, 200, true},
		{"call without id and name", anthropicMessage("tool_use", `{"type":"tool_use","name":"x","input":{}},{"type":"tool_use","id":"a","input":{}}`), providers.EmptyAnswer, 200, true},
	},
	Reformats: true,
}

// anthropicMessage answers a message with these blocks.
func anthropicMessage(stop, blocks string) Answer {
	return Raw(`{"type":"message","role":"assistant","content":[` + blocks + `],"stop_reason":"` + stop + `","usage":{"input_tokens":5,"output_tokens":6}}`)
}

// anthropicRefusal answers 400 with an error whose message says more than its type.
func anthropicRefusal(message string) Answer {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"`+message+` CANARY-BODY"}}`)
	}
}

func replyAnthropic(r Reply) any {
	content := []any{}
	if said := r.Text + r.Refusal; said != "" && len(r.Calls) == 0 {
		content = append(content, map[string]any{"type": "text", "text": said, "citations": nil})
	}
	for _, c := range r.Calls {
		var input any = c.Arguments // a string where no object can be, as a broken model gives it
		if json.Valid([]byte(c.Arguments)) {
			input = json.RawMessage(c.Arguments)
		}
		content = append(content, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": input})
	}
	stop := map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}[r.Finish]
	if r.Refusal != "" {
		stop = "refusal"
	}
	return map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted-vision", "content": content,
		"stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 1200, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 40},
	}
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	Source    struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
}

// parseAnthropic makes one message of each block: that is how they were before they
// were merged.
func parseAnthropic(r *Request, _ string) error {
	var in struct {
		Model     string                  `json:"model"`
		MaxTokens int                     `json:"max_tokens"`
		System    []anthropicBlock        `json:"system"`
		Messages  []Message               `json:"messages"`
		Tools     []struct{ Name string } `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &in); err != nil {
		return err
	}
	if in.MaxTokens <= 0 || len(in.Messages) == 0 {
		return errors.New("providertest: no limit or no message")
	}
	r.Model = in.Model
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	for _, b := range in.System {
		r.Messages = append(r.Messages, anthropicText("system", b.Text))
	}
	last := ""
	for _, m := range in.Messages {
		if m.Role == last {
			return errors.New("providertest: turns do not alternate")
		}
		last = m.Role
		var blocks []json.RawMessage
		if err := json.Unmarshal(m.Content, &blocks); err != nil {
			return err
		}
		for _, raw := range blocks {
			if err := r.anthropicBlock(m.Role, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Request) anthropicBlock(role string, raw json.RawMessage) error {
	var b anthropicBlock
	if err := json.Unmarshal(raw, &b); err != nil {
		return err
	}
	switch b.Type {
	case "text":
		r.Messages = append(r.Messages, anthropicText(role, b.Text))
	case "tool_use":
		r.Messages = append(r.Messages, Message{Role: role, ToolCalls: append(append(json.RawMessage("["), raw...), ']')})
	case "tool_result":
		var parts []anthropicBlock
		if b.Content != nil && json.Unmarshal(b.Content, &parts) != nil {
			return errors.New("providertest: a result that is no list")
		}
		var said strings.Builder
		for _, p := range parts {
			said.WriteString(p.Text)
		}
		m := anthropicText("tool", said.String())
		m.ToolCallID = b.ToolUseID
		r.Messages = append(r.Messages, m)
	case "image":
		data, err := base64.StdEncoding.DecodeString(b.Source.Data)
		if err != nil || b.Source.Type != "base64" {
			return errors.New("providertest: the picture is no base64 block")
		}
		if r.picture == nil {
			r.picture, r.typ = data, b.Source.MediaType
		}
		r.Messages = append(r.Messages, Message{Role: role, Content: append(append(json.RawMessage("["), raw...), ']')})
	}
	return nil
}

func anthropicText(role, text string) Message {
	content, _ := json.Marshal(text) // a string
	return Message{Role: role, Content: content}
}
