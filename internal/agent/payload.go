package agent

import (
	"encoding/json"
	"errors"

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
	text, err := json.Marshal(answer)
	if err != nil { // strings and a bool always marshal
		text = []byte(`{"status":"refused","executed":false}`)
	}
	return providers.Message{
		Role: providers.ToolRole, ToolCallID: call.ID, ToolName: call.Name,
		Text: string(text), ToolError: answer.Status != "done",
	}
}

// requestPayload describes a send for the event stream. Content in it is
// filtered by the privacy level where it is stored.
func requestPayload(messages []providers.Message, tools []providers.Tool) suspend.RequestPayload {
	p := suspend.RequestPayload{Messages: make([]suspend.EventMessage, len(messages))}
	for i, m := range messages {
		e := suspend.EventMessage{Role: string(m.Role), Text: m.Text}
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

func answerPayload(r providers.Response, err error) suspend.LLMPayload {
	p := suspend.LLMPayload{
		Content: r.Message.Text, FinishReason: string(r.FinishReason), Model: r.Model,
		InputTokens: r.Usage.InputTokens, OutputTokens: r.Usage.OutputTokens,
	}
	for _, c := range r.Message.ToolCalls {
		p.Calls = append(p.Calls, suspend.EventCall{ID: c.ID, Name: c.Name, Arguments: string(c.Arguments)})
	}
	if pe, ok := errors.AsType[*providers.Error](err); ok {
		p.ErrorKind = string(pe.Kind)
	} else if err != nil {
		p.ErrorKind = "internal"
	}
	return p
}
