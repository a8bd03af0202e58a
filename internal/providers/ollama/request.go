package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"
)

// The names are from github.com/ollama/ollama/api/types.go at v0.17.4; servers
// ignore what they do not know.
type chatRequest struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Tools    []tool    `json:"tools,omitempty"`
	Stream   bool      `json:"stream"`
	// Truncate and Shift are false, so that no message is left out in silence.
	Truncate bool     `json:"truncate"`
	Shift    bool     `json:"shift"`
	Options  *options `json:"options,omitempty"`
}

type options struct {
	NumPredict int `json:"num_predict"`
}

type message struct {
	Role       string   `json:"role"`
	Content    string   `json:"content"`
	Thinking   string   `json:"thinking,omitempty"`
	Images     []string `json:"images,omitempty"` // base64 without a data URI's head
	ToolCalls  []call   `json:"tool_calls,omitempty"`
	ToolName   string   `json:"tool_name,omitempty"`
	ToolCallID string   `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string       `json:"id,omitempty"`
	Function callFunction `json:"function"`
}

type callFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type tool struct {
	Type     string       `json:"type"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// kept is what Message.Raw holds of an answer.
type kept struct {
	Thinking string `json:"thinking"`
}

// plainID is what ids of calls are bound to: some templates write them out.
var plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// pictures are the types that all of Ollama's engines decode.
var pictures = []media.Type{media.JPEG, media.PNG}

// encode writes a request in the wire's form. Errors name no content.
func encode(req providers.Request) ([]byte, error) {
	out := chatRequest{Model: wire.Valid(req.Model)}
	var system []string
	for i, m := range req.Messages {
		msg, err := convert(m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		if m.Role == providers.System {
			system = append(system, msg.Content)
			continue
		}
		out.Messages = append(out.Messages, msg)
	}
	if len(system) > 0 {
		first := message{Role: string(providers.System), Content: strings.Join(system, "\n\n")}
		out.Messages = append([]message{first}, out.Messages...)
	}
	for _, t := range req.Tools {
		if !json.Valid(t.Parameters) {
			return nil, fmt.Errorf("the schema of tool %s is no JSON", t.Name)
		}
		out.Tools = append(out.Tools, tool{Type: "function", Function: toolFunction{
			Name: wire.Valid(t.Name), Description: wire.Valid(t.Description), Parameters: json.RawMessage(wire.Valid(string(t.Parameters))),
		}})
	}
	if req.MaxOutputTokens > 0 {
		out.Options = &options{NumPredict: req.MaxOutputTokens}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // schemas and arguments stay what they are
	if err := e.Encode(out); err != nil {
		return nil, errors.New("the request cannot be written as JSON")
	}
	return b.Bytes(), nil
}

func convert(m providers.Message) (message, error) {
	switch m.Role {
	case providers.System, providers.User, providers.Assistant, providers.ToolRole:
	default:
		return message{}, errors.New("a role this wire does not know")
	}
	out := message{Role: string(m.Role), Content: wire.Valid(m.Text)}
	if err := out.add(m.Parts); err != nil {
		return message{}, err
	}
	if len(out.Images) > 0 && m.Role != providers.User {
		return message{}, errors.New("a picture that is not the user's")
	}
	if m.Role == providers.ToolRole {
		out.ToolName, out.ToolCallID = wire.Valid(m.ToolName), wire.CallID(m.ToolCallID, plainID)
	}
	if m.RawVendor == config.VendorOllama {
		var k kept
		if json.Unmarshal(m.Raw, &k) == nil {
			out.Thinking = k.Thinking
		}
	}
	for _, c := range m.ToolCalls {
		args, malformed := wire.Arguments(wire.Valid(string(c.Arguments)))
		if malformed {
			return message{}, errors.New("the arguments of a call are no JSON object")
		}
		out.ToolCalls = append(out.ToolCalls, call{
			ID: wire.CallID(c.ID, plainID), Function: callFunction{Name: wire.Valid(c.Name), Arguments: args},
		})
	}
	return out, nil
}

// add puts parts into a message: one text, and the pictures beside it.
func (m *message) add(parts []providers.Part) error {
	var texts []string
	for _, part := range parts {
		switch {
		case part.Type == providers.TextPart:
			texts = append(texts, wire.Valid(part.Text))
		case part.Type == providers.ImagePart && part.Image != nil && slices.Contains(pictures, part.Image.Type()):
			m.Images = append(m.Images, part.Image.Base64())
		case part.Type == providers.ImagePart: // never dropped in silence
			return errors.New("a picture that is neither JPEG nor PNG")
		default:
			return errors.New("a part this wire does not know")
		}
	}
	if len(texts) > 0 {
		m.Content = strings.Join(texts, "\n")
	}
	return nil
}
