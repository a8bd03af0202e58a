package openai

import (
	"encoding/json"
	"errors"
	"fmt"

	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"
)

// bridge stands between a tool's result and a user's message for models that refuse the
// one behind the other: "Unexpected role 'user' after role 'tool'", code 3230 (datapizza-ai
// issue 98, hermes-agent issue 20154, read on 2026-12-03). It may not be empty.
const bridge = "Understood."

// params writes a request in the wire's form. Errors name no content.
func (p *Provider) params(req providers.Request) (sdk.ChatCompletionNewParams, error) {
	out := sdk.ChatCompletionNewParams{Model: req.Model}
	for i, m := range req.Messages {
		msg, err := p.message(m, req.Model)
		if err != nil {
			return out, fmt.Errorf("message %d: %w", i, err)
		}
		if i > 0 && m.Role == providers.User && req.Messages[i-1].Role == providers.ToolRole && p.vendor.mistral(req.Model) {
			out.Messages = append(out.Messages, sdk.AssistantMessage(bridge))
		}
		out.Messages = append(out.Messages, msg)
	}
	for _, t := range req.Tools {
		if !json.Valid(t.Parameters) {
			return out, fmt.Errorf("the schema of tool %s is no JSON", t.Name)
		}
		f := shared.FunctionDefinitionParam{Name: t.Name}
		if t.Description != "" {
			f.Description = param.NewOpt(t.Description)
		}
		// The schema as it was written, and not through a map that reorders it.
		f.SetExtraFields(map[string]any{"parameters": t.Parameters})
		out.Tools = append(out.Tools, sdk.ChatCompletionFunctionTool(f))
	}
	if len(out.Tools) > 0 {
		out.ToolChoice.OfAuto = param.NewOpt(string(sdk.ChatCompletionToolChoiceOptionAutoAuto))
	}
	if req.MaxOutputTokens > 0 {
		limit := param.NewOpt(int64(req.MaxOutputTokens))
		if p.vendor.completionTokens {
			out.MaxCompletionTokens = limit
		} else {
			out.MaxTokens = limit
		}
	}
	return out, nil
}

func (p *Provider) message(m providers.Message, model string) (sdk.ChatCompletionMessageParamUnion, error) {
	switch m.Role {
	case providers.System:
		return sdk.SystemMessage(wire.Valid(m.Text)), nil
	case providers.User:
		if len(m.Parts) == 0 {
			return sdk.UserMessage(wire.Valid(m.Text)), nil
		}
		parts, err := p.parts(m.Parts)
		return sdk.UserMessage(parts), err
	case providers.Assistant:
		return sdk.ChatCompletionMessageParamUnion{OfAssistant: p.assistant(m, model)}, nil
	case providers.ToolRole:
		return sdk.ToolMessage(wire.Valid(m.Text), p.vendor.callID(m.ToolCallID, model)), nil
	default:
		return sdk.ChatCompletionMessageParamUnion{}, errors.New("a role this wire does not know")
	}
}

func (p *Provider) parts(in []providers.Part) ([]sdk.ChatCompletionContentPartUnionParam, error) {
	var out []sdk.ChatCompletionContentPartUnionParam
	for _, part := range in {
		switch {
		case part.Type == providers.TextPart:
			out = append(out, sdk.TextContentPart(wire.Valid(part.Text)))
		case part.Type == providers.ImagePart && part.Image != nil:
			out = append(out, sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{
				URL: part.Image.DataURI(), Detail: p.detail,
			}))
		default: // never dropped in silence
			return nil, errors.New("a part this wire does not know")
		}
	}
	return out, nil
}

func (p *Provider) assistant(m providers.Message, model string) *sdk.ChatCompletionAssistantMessageParam {
	a := &sdk.ChatCompletionAssistantMessageParam{}
	if m.Text != "" {
		a.Content.OfString = param.NewOpt(wire.Valid(m.Text))
	}
	for _, c := range m.ToolCalls {
		a.ToolCalls = append(a.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID:       p.vendor.callID(c.ID, model),
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: wire.Valid(c.Name), Arguments: wire.Valid(string(c.Arguments))},
			},
		})
	}
	return a
}
