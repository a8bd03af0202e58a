package gemini

import (
	"encoding/json"
	"fmt"
	"strings"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"

	"google.golang.org/genai"
)

// answer is a GenerateContentResponse, as far as it is read.
type answer struct {
	Candidates []struct {
		Content      json.RawMessage    `json:"content"`
		FinishReason genai.FinishReason `json:"finishReason"`
	} `json:"candidates"`
	PromptFeedback *struct {
		BlockReason genai.BlockedReason `json:"blockReason"`
	} `json:"promptFeedback"`
	UsageMetadata *usage `json:"usageMetadata"`
	ModelVersion  string `json:"modelVersion"`
}

type usage struct {
	PromptTokenCount        int64 `json:"promptTokenCount"`
	ToolUsePromptTokenCount int64 `json:"toolUsePromptTokenCount"`
	CachedContentTokenCount int64 `json:"cachedContentTokenCount"`
	CandidatesTokenCount    int64 `json:"candidatesTokenCount"`
	ThoughtsTokenCount      int64 `json:"thoughtsTokenCount"`
}

type functionCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// said is what a candidate's content holds.
type said struct {
	parts []json.RawMessage
	text  string
	calls []functionCall
	lost  bool // it holds calls that are none of calls
}

// readContent reads a candidate's content. Thoughts are no part of what it says.
func readContent(raw json.RawMessage) (said, error) {
	var c content
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &c); err != nil {
			return said{}, err
		}
	}
	var (
		out  said
		text strings.Builder
	)
	for _, p := range c.Parts {
		if string(p) == "null" {
			continue
		}
		out.parts = append(out.parts, p)
		var part struct {
			Text         string        `json:"text"`
			Thought      bool          `json:"thought"`
			FunctionCall *functionCall `json:"functionCall"`
		}
		if err := json.Unmarshal(p, &part); err != nil {
			return said{}, err
		}
		switch call := part.FunctionCall; {
		case call != nil && call.Name != "" && !part.Thought:
			out.calls = append(out.calls, *call)
		case call != nil: // nobody could answer it
			out.lost = true
		case !part.Thought:
			text.WriteString(part.Text)
		}
	}
	out.text = wire.WithoutThoughts(text.String())
	return out, nil
}

// response reads a successful body.
func (p *Provider) response(body []byte, req providers.Request) (providers.Response, error) {
	body = []byte(wire.Valid(string(body)))
	var a answer
	if json.Unmarshal(body, &a) != nil || (a.Candidates == nil && a.PromptFeedback == nil && a.UsageMetadata == nil) {
		return providers.Response{}, p.caller.BadAnswer("the answer is no generateContent answer")
	}
	r := providers.Response{
		Message: providers.Message{Role: providers.Assistant},
		Model:   wire.Short(a.ModelVersion),
		Usage:   a.UsageMetadata.billed(),
	}
	if len(a.Candidates) == 0 {
		if a.PromptFeedback != nil && a.PromptFeedback.BlockReason != "" {
			r.FinishReason = providers.FinishContentFilter
			return r, p.caller.Fail(providers.Refused, 200, "a content filter took the request")
		}
		return r, p.caller.Fail(providers.EmptyAnswer, 200, "the answer has no candidate")
	}
	first := a.Candidates[0]
	content, err := readContent(first.Content)
	if err != nil {
		return r, p.caller.BadAnswer("the answer is no generateContent answer")
	}
	r.FinishReason = finish(first.FinishReason)
	r.Message.Text = content.text
	r.Message.ToolCalls = toolCalls(content.calls, req.Messages)
	if len(content.parts) > 0 {
		r.Message.Raw, r.Message.RawVendor = first.Content, config.VendorGemini
	}
	if len(r.Message.ToolCalls) > 0 && r.FinishReason == providers.FinishStop {
		r.FinishReason = providers.FinishToolCalls // the wire has no word of its own for it
	}
	if e := p.judge(r, first.FinishReason); e != nil {
		return r, e
	}
	return r, nil
}

// judge tells an answer from something that only looks like one.
func (p *Provider) judge(r providers.Response, reason genai.FinishReason) *providers.Error {
	if reason == genai.FinishReasonMalformedFunctionCall || reason == genai.FinishReasonUnexpectedToolCall {
		return p.caller.Fail(providers.EmptyAnswer, 200, "the model made a call that the provider could not read")
	}
	return p.caller.Judge(r)
}

// toolCalls keeps the model's own bytes of the arguments when they are an object.
func toolCalls(calls []functionCall, messages []providers.Message) []providers.ToolCall {
	used := map[string]bool{"": true}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			used[c.ID] = true
		}
	}
	var out []providers.ToolCall
	for i, c := range calls {
		t := providers.ToolCall{ID: c.ID, Name: c.Name}
		// Older models give no id; ours is unique in its conversation.
		for n := i; used[t.ID]; n++ {
			t.ID = fmt.Sprintf("gemini_%d_%d", len(messages), n)
		}
		used[t.ID] = true
		t.Arguments, t.Malformed = wire.Arguments(string(c.Args))
		out = append(out, t)
	}
	return out
}

// billed adds up the counts. The wire counts thoughts and the texts of its own tools
// beside the others, and what was cached in the prompt.
func (u *usage) billed() providers.Usage {
	if u == nil {
		return providers.Usage{}
	}
	count := func(n int64) int64 { return min(max(0, n), 1<<40) }
	return providers.Usage{
		InputTokens:       count(u.PromptTokenCount) + count(u.ToolUsePromptTokenCount),
		CachedInputTokens: count(u.CachedContentTokenCount),
		OutputTokens:      count(u.CandidatesTokenCount) + count(u.ThoughtsTokenCount),
		ReasoningTokens:   count(u.ThoughtsTokenCount),
	}
}

func finish(r genai.FinishReason) providers.FinishReason {
	switch r {
	case genai.FinishReasonStop:
		return providers.FinishStop
	case genai.FinishReasonMaxTokens, genai.FinishReasonContinuation: // there is more to come
		return providers.FinishLength
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII, genai.FinishReasonImageSafety,
		genai.FinishReasonImageProhibitedContent, genai.FinishReasonImageRecitation, "MODEL_ARMOR":
		return providers.FinishContentFilter
	default:
		return providers.FinishOther
	}
}
