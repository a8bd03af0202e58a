package providertest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"editor-actions/internal/providers"
)

// OpenAI is the chat completions wire.
var OpenAI = Format{
	Name:      "chat completions",
	BasePath:  "/v1",
	KeyHeader: "Authorization", KeyPrefix: "Bearer ",
	Serves: func(path string) bool { return path == "/v1/chat/completions" },
	Parse:  parseOpenAI,
	Reply: func(r Reply) any {
		message := map[string]any{"role": "assistant", "content": r.Text}
		if r.Refusal != "" {
			message["content"], message["refusal"] = nil, r.Refusal
		}
		if len(r.Calls) > 0 {
			var list []any
			for _, c := range r.Calls {
				list = append(list, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments}})
			}
			message["content"], message["tool_calls"] = nil, list
		}
		return map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion", "created": 1796090000, "model": "scripted-vision",
			"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": r.Finish}},
			"usage":   map[string]any{"prompt_tokens": 1200, "completion_tokens": 40, "total_tokens": 1240},
		}
	},
	Error: func(_ int, code, message string) any {
		return map[string]any{"error": map[string]any{"message": message, "type": code, "code": code}}
	},
	Faults: []Fault{
		{"400 context length", Error(400, "context_length_exceeded"), providers.TooLarge, 400, false},
		{"400 content policy", Error(400, "content_policy_violation"), providers.Refused, 400, false},
		{"429 quota", Error(429, "insufficient_quota", "Retry-After", "20"), providers.Quota, 429, false},
		{"error inside 200", Raw(`{"error":{"code":429,"message":"CANARY-BODY"}}`), providers.RateLimited, 429, false},
		{"wrong types", Raw(`{"choices":"none"}`), providers.BadAnswer, 200, false},
		{"no choice", Raw(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":6}}`), providers.EmptyAnswer, 200, true},
		{"only thoughts", Finish("<think>hm", "stop"), providers.EmptyAnswer, 200, true},
		{"refusal", Refusal("CANARY-BODY I will not."), providers.Refused, 200, true},
		{"call without id and name", Raw(`{"choices":[{"message":{"tool_calls":[{"type":"function","function":{"name":"x","arguments":"{}"}},{"id":"a","type":"function","function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":5,"completion_tokens":6}}`), providers.EmptyAnswer, 200, true},
	},
}

func parseOpenAI(r *Request, _ string) error {
	var in struct {
		Model    string    `json:"model"`
		Messages []Message `json:"messages"`
		Tools    []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &in); err != nil {
		return err
	}
	r.Model, r.Messages = in.Model, in.Messages
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Function.Name)
	}
	for _, m := range in.Messages {
		for _, p := range m.Parts() {
			if p.Type != "image_url" || r.picture != nil {
				continue
			}
			head, b64, ok := strings.Cut(p.ImageURL.URL, ";base64,")
			data, err := base64.StdEncoding.DecodeString(b64)
			if !ok || !strings.HasPrefix(head, "data:") || err != nil {
				return errors.New("providertest: the picture is no base64 data URI")
			}
			r.picture, r.typ = data, strings.TrimPrefix(head, "data:")
		}
	}
	return nil
}
