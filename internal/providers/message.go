package providers

import (
	"encoding/json"

	"editor-actions/internal/media"
)

// Role of a message.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// PartType says what a content part holds.
type PartType string

// The part types.
const (
	TextPart  PartType = "text"
	ImagePart PartType = "image"
)

// Part is one element of a list content. Text parts are screened like string
// content; an image part is never mixed with text by this program, because a
// reader that only looks at strings would miss the text.
type Part struct {
	Type  PartType
	Text  string
	Image *media.Image
}

// Message is one entry of a transcript. Content is either the string Text or
// the list Parts, never both. The zero value is not valid.
type Message struct {
	Role       Role
	Text       string
	Parts      []Part
	ToolCalls  []ToolCall // assistant only
	ToolCallID string     // tool only: the call this answers
	ToolName   string     // tool only
	ToolError  bool       // tool only: the result is a refusal or failure
	// Artifact refers to pictures that a tool kept, as internal/toolimages writes it. Tool
	// only; it is stored with the transcript, and no adapter reads it.
	Artifact json.RawMessage
	// Raw is the provider's own form of an assistant message (signatures,
	// reasoning parts) and RawVendor whose it is; it is echoed to that vendor only.
	Raw       json.RawMessage
	RawVendor string

	outbound bool // of an Outbound: EncodeTranscript refuses it
}

// ToolCall is what a model asked for. Arguments are the bytes as received when
// they are a JSON object; empty arguments are "{}". They are never re-marshalled:
// the turn digest covers these bytes.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	// Malformed is set when the model's arguments were not a JSON object; Arguments is then "{}".
	Malformed bool `json:"malformed,omitempty"`
}

// Tool is what a model is offered. Parameters is a JSON schema object.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Usage as the provider billed it; counts are never negative. Input and output are
// everything, the next two say how much of it was read from the provider's cache
// and how much was reasoning.
type Usage struct {
	InputTokens       int64 `json:"input_tokens"`
	OutputTokens      int64 `json:"output_tokens"`
	CachedInputTokens int64 `json:"cached_input_tokens,omitempty"`
	ReasoningTokens   int64 `json:"reasoning_tokens,omitempty"`
	// CostMicros is the price in millionths of providers.currency, by the settings of
	// the moment. Unpriced says that a part of it is not known, so that the sum is no price.
	CostMicros int64 `json:"cost_micros,omitempty"`
	Unpriced   bool  `json:"unpriced,omitempty"`
}

// Add returns the sum.
func (u Usage) Add(o Usage) Usage {
	return Usage{
		InputTokens: u.InputTokens + o.InputTokens, OutputTokens: u.OutputTokens + o.OutputTokens,
		CachedInputTokens: u.CachedInputTokens + o.CachedInputTokens, ReasoningTokens: u.ReasoningTokens + o.ReasoningTokens,
		CostMicros: u.CostMicros + o.CostMicros, Unpriced: u.Unpriced || o.Unpriced,
	}
}

// FinishReason says why a model stopped.
type FinishReason string

// The finish reasons.
const (
	FinishStop          FinishReason = "stop"
	FinishLength        FinishReason = "length"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishContentFilter FinishReason = "content_filter"
	FinishOther         FinishReason = "other"
)
