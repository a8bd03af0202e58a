package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"

	"google.golang.org/genai"
)

// noSignature stands for the thought signature of a call that no Gemini model made.
// Gemini 3 refuses a turn whose first call has none; Google documents this word for
// conversations that come from elsewhere: ai.google.dev/gemini-api/docs/thought-signatures
// (FAQ), read on 2026-12-03.
const noSignature = "skip_thought_signature_validator"

// pictureTypes are the types the API documents. GIF is none of them:
// ai.google.dev/gemini-api/docs/image-understanding, read on 2026-12-03.
var pictureTypes = []media.Type{media.PNG, media.JPEG, "image/webp", "image/heic", "image/heif"}

func takes(t media.Type) bool { return slices.Contains(pictureTypes, t) }

// content is what one side says in its turn. The SDK's form is not used, because it
// drops empty arguments and knows a signature only as bytes.
type content struct {
	Role  string            `json:"role,omitempty"`
	Parts []json.RawMessage `json:"parts"`
}

type callPart struct {
	FunctionCall struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	ThoughtSignature string `json:"thoughtSignature,omitempty"`
}

type resultPart struct {
	FunctionResponse struct {
		ID       string          `json:"id,omitempty"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// body writes a request in the wire's form. Errors name no content.
func body(req providers.Request) (map[string]any, error) {
	c := conversation{calls: map[string]sentCall{}}
	for i, m := range req.Messages {
		if err := c.add(m); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
	}
	if len(c.contents) == 0 {
		return nil, errors.New("there is no message to send")
	}
	out := map[string]any{"contents": c.contents}
	if len(c.system) > 0 {
		out["systemInstruction"] = content{Parts: []json.RawMessage{textPart(strings.Join(c.system, "\n\n"))}}
	}
	var functions []*genai.FunctionDeclaration
	for _, t := range req.Tools {
		if !json.Valid(t.Parameters) {
			return nil, fmt.Errorf("the schema of tool %s is no JSON", t.Name)
		}
		// The schema as it was written, and not the subset of OpenAPI in "parameters".
		functions = append(functions, &genai.FunctionDeclaration{Name: t.Name, Description: t.Description, ParametersJsonSchema: t.Parameters})
	}
	if len(functions) > 0 {
		out["tools"] = []genai.Tool{{FunctionDeclarations: functions}}
	}
	if req.MaxOutputTokens > 0 {
		out["generationConfig"] = map[string]int{"maxOutputTokens": req.MaxOutputTokens}
	}
	return out, nil
}

// conversation collects the messages of a request.
type conversation struct {
	system   []string
	contents []content
	calls    map[string]sentCall // by our id
}

// sentCall is a call as the model knows it.
type sentCall struct{ id, name string }

func (c *conversation) add(m providers.Message) error {
	switch m.Role {
	case providers.System:
		text, err := plain(m)
		if text != "" {
			c.system = append(c.system, text)
		}
		return err
	case providers.User:
		parts, err := userParts(m)
		c.say(genai.RoleUser, parts)
		return err
	case providers.Assistant:
		parts, err := c.assistant(m)
		c.say(genai.RoleModel, parts)
		return err
	case providers.ToolRole:
		part, err := c.result(m)
		c.say(genai.RoleUser, []json.RawMessage{part})
		return err
	default:
		return errors.New("a role this wire does not know")
	}
}

// say adds parts to the turn of role, or begins it: the wire wants the two sides to
// take turns, and all results of a turn together.
func (c *conversation) say(role string, parts []json.RawMessage) {
	last := len(c.contents) - 1
	switch {
	case len(parts) == 0:
	case last >= 0 && c.contents[last].Role == role:
		c.contents[last].Parts = append(c.contents[last].Parts, parts...)
	default:
		c.contents = append(c.contents, content{Role: role, Parts: slices.Clone(parts)})
	}
}

// plain is the text of a message that may hold nothing else.
func plain(m providers.Message) (string, error) {
	text := m.Text
	for _, part := range m.Parts {
		if part.Type != providers.TextPart {
			return "", errors.New("a part this wire does not know")
		}
		text += part.Text
	}
	return wire.Valid(text), nil
}

func userParts(m providers.Message) ([]json.RawMessage, error) {
	in := m.Parts
	if len(in) == 0 {
		in = []providers.Part{{Type: providers.TextPart, Text: m.Text}}
	}
	var out []json.RawMessage
	for _, part := range in {
		switch {
		case part.Type == providers.TextPart:
			if part.Text != "" { // the wire takes no empty part
				out = append(out, textPart(part.Text))
			}
		case part.Type == providers.ImagePart && part.Image != nil:
			if !takes(part.Image.Type()) {
				return nil, errors.New("a picture of a type that Gemini does not take")
			}
			out = append(out, encode(genai.Part{InlineData: &genai.Blob{MIMEType: string(part.Image.Type()), Data: part.Image.Bytes()}}))
		default: // never dropped in silence
			return nil, errors.New("a part this wire does not know")
		}
	}
	return out, nil
}

// assistant gives an answer back: as received when it came from this vendor, else
// built from its text and calls.
func (c *conversation) assistant(m providers.Message) ([]json.RawMessage, error) {
	if parts, calls, ok := echo(m); ok {
		for i, call := range calls {
			c.calls[m.ToolCalls[i].ID] = sentCall{call.ID, call.Name}
		}
		return parts, nil
	}
	text, err := plain(m)
	if err != nil {
		return nil, err
	}
	var parts []json.RawMessage
	if text != "" {
		parts = append(parts, textPart(text))
	}
	for i, call := range m.ToolCalls {
		var part callPart
		part.FunctionCall.Name = wire.Valid(call.Name)
		part.FunctionCall.Args, _ = wire.Arguments(wire.Valid(string(call.Arguments)))
		if i == 0 { // of calls that were made together, the first one is signed
			part.ThoughtSignature = noSignature
		}
		c.calls[call.ID] = sentCall{name: part.FunctionCall.Name}
		parts = append(parts, encode(part))
	}
	return parts, nil
}

// echo are the parts of an answer of this vendor, and its calls. It is not ok when
// they do not fit to the message any more: a call in them that has no counterpart
// could not be answered, and one with malformed arguments is not taken back.
func echo(m providers.Message) (parts []json.RawMessage, calls []functionCall, ok bool) {
	if m.RawVendor != config.VendorGemini {
		return nil, nil, false
	}
	a, err := readContent(m.Raw)
	if err != nil || a.lost || len(a.parts) == 0 || len(a.calls) != len(m.ToolCalls) {
		return nil, nil, false
	}
	for i, call := range a.calls {
		if call.Name != m.ToolCalls[i].Name || m.ToolCalls[i].Malformed {
			return nil, nil, false
		}
	}
	return a.parts, a.calls, true
}

// result answers a call, in the model's own words for it.
func (c *conversation) result(m providers.Message) (json.RawMessage, error) {
	text, err := plain(m)
	if err != nil {
		return nil, err
	}
	call := c.calls[m.ToolCallID]
	if m.ToolName != "" {
		call.name = wire.Valid(m.ToolName)
	}
	if call.name == "" {
		return nil, errors.New("a result that belongs to no call")
	}
	var part resultPart
	part.FunctionResponse.ID, part.FunctionResponse.Name = call.id, call.name
	part.FunctionResponse.Response = wire.Object(text)
	return encode(part), nil
}

func textPart(s string) json.RawMessage { return encode(genai.Part{Text: wire.Valid(s)}) }

// encode writes a part. Everything in it is text, bytes or checked JSON.
func encode(part any) json.RawMessage {
	b, err := json.Marshal(part)
	if err != nil { // cannot be
		return json.RawMessage("{}")
	}
	return b
}
