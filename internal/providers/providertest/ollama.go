package providertest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"editor-actions/internal/providers"
)

// Ollama is the wire of Ollama's /api/chat. It has no field for a refusal and no
// content filter: a refusal comes out as text, and the filter as a reason that Ollama
// itself never gives.
var Ollama = Format{
	Name:      "ollama chat",
	KeyHeader: "Authorization", KeyPrefix: "Bearer ",
	Serves: func(path string) bool { return path == "/api/chat" },
	Parse:  parseOllama,
	Reply: func(r Reply) any {
		message := map[string]any{"role": "assistant", "content": r.Text + r.Refusal}
		if len(r.Calls) > 0 {
			var list []any
			for i, c := range r.Calls {
				list = append(list, map[string]any{"id": c.ID, "function": map[string]any{"index": i, "name": c.Name, "arguments": json.RawMessage(c.Arguments)}})
			}
			message["tool_calls"] = list
		}
		reason := r.Finish
		if reason == "tool_calls" {
			reason = "stop"
		}
		return map[string]any{
			"model": "scripted-vision", "created_at": "2026-12-01T00:00:00Z", "message": message,
			"done": true, "done_reason": reason, "total_duration": 5000000, "prompt_eval_count": 1200, "eval_count": 40,
		}
	},
	Error: func(_ int, code, message string) any { // one sentence, no code
		return map[string]any{"error": code + ", " + message}
	},
	Faults: []Fault{
		{"404 model not found", Error(404, `model "x" not found, try pulling it first`), providers.BadRequest, 404, false},
		{"400 no tools", Error(400, "registry.ollama.ai/library/x:latest does not support tools"), providers.BadRequest, 400, false},
		{"500 no pictures", Error(500, "Failed to create new sequence: this model is missing data required for image input"), providers.BadRequest, 500, false},
		{"400 context", Error(400, "the input length exceeds the context length"), providers.TooLarge, 400, false},
		{"503 queue", Error(503, "server busy, please try again.  maximum pending requests exceeded"), providers.Unavailable, 503, false},
		{"500 memory", Error(500, "model requires more system memory (9.0 GiB) than is available (1.0 GiB)"), providers.Unavailable, 500, false},
		{"error inside 200", Raw(`{"error":"CANARY-BODY"}`), providers.Unavailable, 200, false},
		{"no tools inside 200", Raw(`{"error":"CANARY-BODY does not support tools"}`), providers.BadRequest, 200, false},
		{"an error that is none", Raw(`{"error":null}`), providers.BadAnswer, 200, false},
		{"wrong types", Raw(`{"message":"none","done":true}`), providers.BadAnswer, 200, false},
		{"not done", Raw(`{"model":"m","done":false}`), providers.BadAnswer, 200, false},
		{"part of a stream", Raw(`{"message":{"role":"assistant","content":"A"},"done":false}`), providers.BadAnswer, 200, false},
		{"a whole stream", Raw(`{"message":{"content":"A"},"done":false}` + "\n" + `{"message":{"content":" boat."},"done":true}`), providers.BadAnswer, 200, false},
		{"only loaded", Raw(`{"message":{"role":"assistant","content":""},"done":true,"done_reason":"load","prompt_eval_count":5}`), providers.EmptyAnswer, 200, true},
		{"only thoughts", Raw(`{"message":{"content":"","thinking":"CANARY-BODY"},"done":true,"done_reason":"stop","prompt_eval_count":5}`), providers.EmptyAnswer, 200, true},
		{"thoughts in the text", Finish("<think>CANARY-BODY", "stop"), providers.EmptyAnswer, 200, true},
		{"call without a name", Raw(`{"message":{"content":"","tool_calls":[{"id":"a","function":{"arguments":{}}}]},"done":true,"done_reason":"stop","prompt_eval_count":5}`), providers.EmptyAnswer, 200, true},
	},
	Reformats: true,
}

func parseOllama(r *Request, _ string) error {
	var in struct {
		Model    string `json:"model"`
		Stream   *bool  `json:"stream"`
		Messages []struct {
			Message
			Images   []string `json:"images"`
			ToolName string   `json:"tool_name"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &in); err != nil {
		return err
	}
	if in.Stream == nil || *in.Stream {
		return errors.New("providertest: the request asks for a stream")
	}
	r.Model = in.Model
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Function.Name)
	}
	for _, m := range in.Messages {
		if m.Role == "tool" && m.ToolName == "" {
			return errors.New("providertest: a result without the name of its tool")
		}
		r.Messages = append(r.Messages, m.Message)
		for _, b64 := range m.Images {
			data, err := base64.StdEncoding.DecodeString(b64)
			if err != nil {
				return fmt.Errorf("providertest: a picture is no base64: %w", err)
			}
			if r.picture == nil { // the wire does not say its type
				r.picture, r.typ = data, http.DetectContentType(data)
			}
		}
	}
	return nil
}
