package openai

import (
	"encoding/json"
	"net/http"
	"strings"

	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"

	sdk "github.com/openai/openai-go/v3"
)

// response reads a successful body.
func (p *Provider) response(body []byte) (providers.Response, error) {
	body = []byte(wire.Valid(string(body)))
	if e := errorOf(body); e.found {
		// OpenRouter reports failures of the model behind it inside a success.
		return providers.Response{}, p.caller.Status(e.status, nil, e.code, e.kind)
	}
	var c sdk.ChatCompletion
	if !json.Valid(body) || json.Unmarshal(body, &c) != nil || c.Choices == nil {
		return providers.Response{}, p.caller.BadAnswer("the answer is no chat completion")
	}
	r := providers.Response{
		Message: providers.Message{Role: providers.Assistant},
		Model:   wire.Short(c.Model),
		Usage: providers.Usage{
			InputTokens:       max(0, c.Usage.PromptTokens),
			OutputTokens:      max(0, c.Usage.CompletionTokens),
			CachedInputTokens: max(0, c.Usage.PromptTokensDetails.CachedTokens),
			ReasoningTokens:   max(0, c.Usage.CompletionTokensDetails.ReasoningTokens),
		},
	}
	if len(c.Choices) == 0 {
		return r, p.caller.Fail(providers.EmptyAnswer, 200, "the answer has no choice")
	}
	choice := c.Choices[0]
	r.FinishReason = finish(choice.FinishReason)
	r.Message.Text = wire.WithoutThoughts(text(choice.Message))
	for _, tc := range choice.Message.ToolCalls {
		if tc.ID == "" || tc.Function.Name == "" {
			continue // nobody could answer it
		}
		r.Message.ToolCalls = append(r.Message.ToolCalls, call(tc))
	}
	if len(r.Message.ToolCalls) > 0 && r.FinishReason == providers.FinishStop {
		r.FinishReason = providers.FinishToolCalls // some servers say stop
	}
	if e := p.judge(r, choice.Message.Refusal); e != nil {
		return r, e
	}
	return r, nil
}

// judge knows this wire's own field for a model that will not.
func (p *Provider) judge(r providers.Response, refusal string) *providers.Error {
	if r.Message.Text == "" && len(r.Message.ToolCalls) == 0 && refusal != "" {
		return p.caller.Fail(providers.Refused, http.StatusOK, "the model refused")
	}
	return p.caller.Judge(r)
}

// text joins all text parts. Content is a string by the reference; models that
// reason answer with a list at some vendors, and its other parts are thoughts.
func text(m sdk.ChatCompletionMessage) string {
	raw := m.JSON.Content.Raw()
	if !strings.HasPrefix(strings.TrimSpace(raw), "[") {
		return strings.TrimSpace(m.Content)
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal([]byte(raw), &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" {
			b.WriteString(p.Text)
		}
	}
	return strings.TrimSpace(b.String())
}

// call keeps the model's own bytes of the arguments when they are an object.
// Some servers send the object itself and not a string with it.
func call(tc sdk.ChatCompletionMessageToolCallUnion) providers.ToolCall {
	c := providers.ToolCall{ID: tc.ID, Name: tc.Function.Name}
	args := tc.Function.Arguments
	if raw := strings.TrimSpace(tc.Function.JSON.Arguments.Raw()); strings.HasPrefix(raw, "{") {
		args = raw
	}
	c.Arguments, c.Malformed = wire.Arguments(args)
	return c
}

func finish(s string) providers.FinishReason {
	switch s {
	case "stop":
		return providers.FinishStop
	case "length", "model_length":
		return providers.FinishLength
	case "tool_calls", "function_call":
		return providers.FinishToolCalls
	case "content_filter":
		return providers.FinishContentFilter
	default:
		return providers.FinishOther
	}
}
