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

// Gemini is the generateContent wire.
var Gemini = Format{
	Name:      "generateContent",
	KeyHeader: "X-Goog-Api-Key",
	Reformats: true,
	Serves: func(path string) bool {
		return strings.HasPrefix(path, geminiPrefix) && strings.HasSuffix(path, geminiSuffix)
	},
	Parse: parseGemini,
	Reply: replyGemini,
	Error: func(status int, code, message string) any {
		return map[string]any{"error": map[string]any{"code": status, "message": message, "status": code}}
	},
	Faults: []Fault{
		{"400 key", geminiError(400, "INVALID_ARGUMENT", "", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}`), providers.Auth, 400, false},
		{"400 argument", geminiError(400, "INVALID_ARGUMENT", "", `{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"contents"}]}`), providers.BadRequest, 400, false},
		{"400 context length", geminiError(400, "INVALID_ARGUMENT", "The input token count (1300000) exceeds the maximum number of tokens allowed (1048576).", ``), providers.TooLarge, 400, false},
		{"403 permission", geminiError(403, "PERMISSION_DENIED", "", `{"reason":"API_KEY_SERVICE_BLOCKED"}`), providers.Auth, 403, false},
		{"429 minute", geminiError(429, "RESOURCE_EXHAUSTED", "", `{"violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]}`), providers.RateLimited, 429, false},
		{"429 day", geminiError(429, "RESOURCE_EXHAUSTED", "", `{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay":"7s"}`), providers.Quota, 429, false},
		{"429 odd details", geminiError(429, "RESOURCE_EXHAUSTED", "", `7,null,"x",{"violations":"none"}`), providers.RateLimited, 429, false},
		{"504", geminiError(504, "DEADLINE_EXCEEDED", "", ``), providers.Unavailable, 504, false},
		{"wrong types", Raw(`{"candidates":"none"}`), providers.BadAnswer, 200, false},
		{"wrong content", Raw(`{"candidates":[{"content":"none"}]}`), providers.BadAnswer, 200, false},
		{"wrong part", Raw(`{"candidates":[{"content":{"parts":[{"text":7}]}}]}`), providers.BadAnswer, 200, false},
		{"error inside 200", Raw(`{"error":{"code":429,"message":"CANARY-BODY"}}`), providers.BadAnswer, 200, false},
		{"no candidate", Raw(`{"candidates":[],"usageMetadata":{"promptTokenCount":5}}`), providers.EmptyAnswer, 200, true},
		{"only usage", Raw(`{"usageMetadata":{"promptTokenCount":5}}`), providers.EmptyAnswer, 200, true},
		{"no content", geminiFinish(`null`, "STOP"), providers.EmptyAnswer, 200, true},
		{"only thoughts", geminiFinish(`{"parts":[{"text":"hm","thought":true}]}`, "STOP"), providers.EmptyAnswer, 200, true},
		{"call without name", geminiFinish(`{"parts":[{"functionCall":{"id":"a","args":{}}}]}`, "STOP"), providers.EmptyAnswer, 200, true},
		{"blocked request", Refusal("CANARY-BODY"), providers.Refused, 200, true},
		{"recitation", geminiFinish(`{"parts":[{"text":"A boat."}]}`, "RECITATION"), providers.Refused, 200, true},
		{"prohibited content", geminiFinish(`null`, "PROHIBITED_CONTENT"), providers.Refused, 200, true},
		{"blocklist", geminiFinish(`null`, "BLOCKLIST"), providers.Refused, 200, true},
		{"personal data", geminiFinish(`null`, "SPII"), providers.Refused, 200, true},
		{"unsafe picture", geminiFinish(`null`, "IMAGE_SAFETY"), providers.Refused, 200, true},
		{"language", geminiFinish(`null`, "LANGUAGE"), providers.EmptyAnswer, 200, true},
		{"malformed call", geminiFinish(`{"parts":[{"text":"CANARY-BODY"}]}`, "MALFORMED_FUNCTION_CALL"), providers.EmptyAnswer, 200, true},
		{"unfinished", geminiFinish(`{"parts":[{"text":"A bo"}]}`, "CONTINUATION"), providers.Truncated, 200, true},
	},
}

const (
	geminiPrefix = "/v1beta/models/"
	geminiSuffix = ":generateContent"
)

// geminiError answers a status with the wire's own form of an error.
func geminiError(status int, name, sentence, details string) Answer {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"error":{"code":1,"message":"CANARY-BODY `+sentence+`","status":"`+name+`","details":[`+details+`]}}`)
	}
}

// geminiFinish answers with a content and a finish reason that Reply has no word for.
func geminiFinish(content, reason string) Answer {
	return Raw(`{"candidates":[{"content":` + content + `,"finishReason":"` + reason + `"}],"usageMetadata":{"promptTokenCount":5}}`)
}

func replyGemini(r Reply) any {
	usage := map[string]any{"promptTokenCount": 1200, "candidatesTokenCount": 30, "thoughtsTokenCount": 10, "totalTokenCount": 1240}
	if r.Refusal != "" {
		return map[string]any{"promptFeedback": map[string]any{"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": usage, "modelVersion": "scripted-vision"}
	}
	var parts []any
	if r.Text != "" {
		parts = append(parts, map[string]any{"text": r.Text})
	}
	for i, c := range r.Calls {
		part := map[string]any{"functionCall": map[string]any{"id": c.ID, "name": c.Name, "args": json.RawMessage(c.Arguments)}}
		if i == 0 { // of parallel calls, the first one is signed
			part["thoughtSignature"] = "c2lnbmF0dXJl"
		}
		parts = append(parts, part)
	}
	content := map[string]any{"role": "model"}
	if len(parts) > 0 {
		content["parts"] = parts
	}
	reason := map[string]string{"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}[r.Finish]
	return map[string]any{
		"candidates":    []any{map[string]any{"content": content, "finishReason": reason, "index": 0}},
		"usageMetadata": usage, "modelVersion": "scripted-vision", "responseId": "x",
	}
}

// geminiPart is one part of a content.
type geminiPart struct {
	Text       string `json:"text"`
	InlineData *struct {
		MIMEType string `json:"mimeType"`
		Data     string `json:"data"`
	} `json:"inlineData"`
	FunctionCall *struct {
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// parseGemini is as strict as the service where that is known: two sides in turns,
// arguments and results are objects, and each call has its result.
func parseGemini(r *Request, path string) error {
	var in struct {
		SystemInstruction *struct {
			Parts []geminiPart `json:"parts"`
		} `json:"systemInstruction"`
		Contents []struct {
			Role  string            `json:"role"`
			Parts []json.RawMessage `json:"parts"`
		} `json:"contents"`
		Tools []struct {
			FunctionDeclarations []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &in); err != nil {
		return err
	}
	r.Model = strings.TrimSuffix(strings.TrimPrefix(path, geminiPrefix), geminiSuffix)
	for _, t := range in.Tools {
		for _, f := range t.FunctionDeclarations {
			r.Tools = append(r.Tools, f.Name)
		}
	}
	if in.SystemInstruction != nil {
		for _, p := range in.SystemInstruction.Parts {
			r.Messages = append(r.Messages, Message{Role: "system", Content: quoted(p.Text)})
		}
	}
	open, last := 0, "model"
	for _, c := range in.Contents {
		if (c.Role != "user" && c.Role != "model") || c.Role == last || len(c.Parts) == 0 {
			return errors.New("providertest: the contents do not take turns")
		}
		last = c.Role
		for _, raw := range c.Parts {
			calls, err := r.geminiPart(c.Role, raw)
			if err != nil {
				return err
			}
			open += calls
		}
		if c.Role == "user" && open != 0 {
			return errors.New("providertest: calls and results do not match")
		}
	}
	return nil
}

// geminiPart adds one part as a message. The number is 1 for a call, -1 for a result.
func (r *Request) geminiPart(side string, raw json.RawMessage) (int, error) {
	var p geminiPart
	if err := json.Unmarshal(raw, &p); err != nil {
		return 0, err
	}
	role := map[string]string{"user": "user", "model": "assistant"}[side]
	switch {
	case p.InlineData != nil && side == "user":
		data, err := base64.StdEncoding.DecodeString(p.InlineData.Data)
		if err != nil || len(data) == 0 || p.InlineData.MIMEType == "image/gif" {
			return 0, errors.New("providertest: not a picture of this wire")
		}
		if r.picture == nil {
			r.picture, r.typ = data, p.InlineData.MIMEType
		}
		var part Part
		part.Type, part.ImageURL.URL = "image_url", "data:"+p.InlineData.MIMEType+";base64,"+p.InlineData.Data
		content, err := json.Marshal([]Part{part})
		r.Messages = append(r.Messages, Message{Role: role, Content: content})
		return 0, err
	case p.FunctionCall != nil && side == "model":
		r.Messages = append(r.Messages, Message{Role: role, ToolCalls: raw})
		return 1, object(p.FunctionCall.Args)
	case p.FunctionResponse != nil && side == "user" && p.FunctionResponse.Name != "":
		r.Messages = append(r.Messages, Message{Role: "tool", Content: quoted(string(p.FunctionResponse.Response)), ToolCallID: p.FunctionResponse.ID})
		return -1, object(p.FunctionResponse.Response)
	case p.Text != "":
		r.Messages = append(r.Messages, Message{Role: role, Content: quoted(p.Text)})
		return 0, nil
	}
	return 0, errors.New("providertest: a part of no known kind")
}

func object(raw json.RawMessage) error {
	if !strings.HasPrefix(string(raw), "{") {
		return errors.New("providertest: not an object")
	}
	return nil
}

func quoted(s string) json.RawMessage {
	b, _ := json.Marshal(s) // a string
	return b
}
