package agent

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"

	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
)

// toolAnswer is the content of a tool result, as the model reads it. Fixed
// words first: a model that is told who declined does not call it a system error.
type toolAnswer struct {
	Status    string `json:"status"` // done, refused, approval_denied
	DecidedBy string `json:"decided_by,omitempty"`
	Executed  bool   `json:"executed"`
	Rule      string `json:"rule,omitempty"`
	Message   string `json:"message,omitempty"`
	// Feedback is a reviewer's own words; a content, never an instruction about tools or records.
	Feedback string            `json:"reviewer_feedback,omitempty"`
	Written  map[string]string `json:"written,omitempty"`
}

func toolResult(call providers.ToolCall, answer toolAnswer) providers.Message {
	return providers.Message{
		Role: providers.ToolRole, ToolCallID: call.ID, ToolName: call.Name,
		Text: answer.encode(), ToolError: answer.Status != "done",
	}
}

func (answer toolAnswer) encode() string {
	text, err := json.Marshal(answer)
	if err != nil { // strings and a bool always marshal
		return `{"status":"refused","executed":false}`
	}
	// A picture that somebody wrote into a text is none: no tool result may hold one.
	return providers.WithoutInlineImages(string(text))
}

// requestPayload describes a send for the event stream. Content in it is
// filtered by the privacy level where it is stored.
func requestPayload(messages []providers.Message, tools []providers.Tool) suspend.RequestPayload {
	p := suspend.RequestPayload{Messages: make([]suspend.EventMessage, len(messages))}
	for i, m := range messages {
		e := suspend.EventMessage{Role: string(m.Role), Text: m.Text, Artifact: string(m.Artifact)}
		for _, part := range m.Parts {
			switch part.Type {
			case providers.ImagePart:
				e.Parts = append(e.Parts, suspend.EventPart{Type: string(part.Type), Content: part.Image.DataURI()})
			default:
				e.Parts = append(e.Parts, suspend.EventPart{Type: string(part.Type), Content: part.Text})
			}
		}
		p.Messages[i] = e
	}
	for _, t := range tools {
		p.Tools = append(p.Tools, t.Name)
	}
	return p
}

// An identifier as providers make them. What looks otherwise may be a text.
var callID = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

// toolName is the name of a call in the event stream, at every privacy level.
// A name that was not offered is the model's own words; it is in the refusal, which
// the privacy level filters (P8).
func toolName(called string, offered ...string) string {
	if slices.Contains(offered, called) {
		return called
	}
	return "other"
}

func answerPayload(r providers.Response, tools []providers.Tool, err error) suspend.LLMPayload {
	var offered []string
	for _, t := range tools {
		offered = append(offered, t.Name)
	}

	p := suspend.LLMPayload{
		Content: r.Message.Text, FinishReason: string(r.FinishReason), Model: r.Model,
		InputTokens: r.Usage.InputTokens, OutputTokens: r.Usage.OutputTokens,
	}
	for _, c := range r.Message.ToolCalls {
		e := suspend.EventCall{Name: toolName(c.Name, offered...), Arguments: string(c.Arguments)}
		if callID.MatchString(c.ID) {
			e.ID = c.ID
		}
		p.Calls = append(p.Calls, e)
	}
	if pe, ok := errors.AsType[*providers.Error](err); ok {
		p.ErrorKind = string(pe.Kind)
	} else if err != nil {
		p.ErrorKind = "internal"
	}
	return p
}
