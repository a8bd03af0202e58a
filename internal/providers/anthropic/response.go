package anthropic

import (
	"encoding/json"
	"strings"

	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"

	sdk "github.com/anthropics/anthropic-sdk-go"
)

// response reads a successful body.
func (p *Provider) response(body []byte) (providers.Response, error) {
	body = []byte(wire.Valid(string(body)))
	if e := errorOf(body); e.found {
		return providers.Response{}, p.classify(e.status(), nil, e)
	}
	var m sdk.Message
	if !json.Valid(body) || json.Unmarshal(body, &m) != nil || m.Type != "message" || m.Content == nil {
		return providers.Response{}, p.caller.BadAnswer("the answer is no message")
	}
	r := providers.Response{
		Message:      providers.Message{Role: providers.Assistant},
		FinishReason: finish(m.StopReason),
		Model:        wire.Short(wire.Valid(m.Model)),
		Usage:        usage(m.Usage),
	}
	read(m, &r.Message)
	if len(r.Message.ToolCalls) > 0 && r.FinishReason == providers.FinishStop {
		r.FinishReason = providers.FinishToolCalls // some servers say end_turn
	}
	if e := p.caller.Judge(r); e != nil {
		return r, e
	}
	return r, nil
}

// read fills in what the blocks hold. Blocks of other types are tools that run at the
// vendor, and none is asked for.
func read(m sdk.Message, out *providers.Message) {
	var (
		all               strings.Builder
		thoughts, skipped bool
	)
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			all.WriteString(b.Text)
		case "thinking", "redacted_thinking":
			thoughts = true
		case "tool_use":
			if b.ID == "" || b.Name == "" {
				skipped = true // nobody could answer it
				continue
			}
			c := providers.ToolCall{ID: wire.Valid(b.ID), Name: wire.Valid(b.Name)}
			c.Arguments, c.Malformed = wire.Arguments(b.JSON.Input.Raw())
			out.ToolCalls = append(out.ToolCalls, c)
		}
	}
	out.Text = strings.TrimSpace(wire.Valid(all.String()))
	if thoughts && !skipped { // a call without an answer would be refused
		out.Raw, out.RawVendor = json.RawMessage(m.JSON.Content.Raw()), vendor
	}
}

// usage adds what was read from the cache and written to it: this wire counts them
// beside the input.
func usage(u sdk.Usage) providers.Usage {
	cached := max(0, u.CacheReadInputTokens)
	return providers.Usage{
		InputTokens:       max(0, u.InputTokens) + max(0, u.CacheCreationInputTokens) + cached,
		OutputTokens:      max(0, u.OutputTokens),
		CachedInputTokens: cached,
		ReasoningTokens:   max(0, u.OutputTokensDetails.ThinkingTokens),
	}
}

func finish(s sdk.StopReason) providers.FinishReason {
	switch s {
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence:
		return providers.FinishStop
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		return providers.FinishLength
	case sdk.StopReasonToolUse:
		return providers.FinishToolCalls
	case sdk.StopReasonRefusal:
		return providers.FinishContentFilter
	default: // pause_turn, and what comes one day
		return providers.FinishOther
	}
}
