package ollama

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"
)

type chatResponse struct {
	Model           string         `json:"model"`
	Message         *answerMessage `json:"message"`
	Done            bool           `json:"done"`
	DoneReason      string         `json:"done_reason"`
	PromptEvalCount int64          `json:"prompt_eval_count"`
	EvalCount       int64          `json:"eval_count"`
}

type answerMessage struct {
	Content   string `json:"content"`
	Thinking  string `json:"thinking"`
	ToolCalls []call `json:"tool_calls"`
}

// response reads a successful body. sent are the messages it answers.
func (p *Provider) response(body []byte, sent []providers.Message) (providers.Response, error) {
	body = []byte(wire.Valid(string(body)))
	var c chatResponse
	err := json.Unmarshal(body, &c)
	if c.Message == nil && errorOf(body) != "" {
		// A proxy, or a server that had begun to answer.
		e := p.failure(http.StatusInternalServerError, nil, body)
		e.Status = http.StatusOK
		return providers.Response{}, e
	}
	if err != nil || c.Message == nil {
		return providers.Response{}, p.caller.BadAnswer("the answer is no chat message")
	}
	r := providers.Response{
		Message: providers.Message{Role: providers.Assistant, Text: wire.WithoutThoughts(c.Message.Content)},
		Model:   wire.Short(c.Model),
		Usage:   providers.Usage{InputTokens: max(0, c.PromptEvalCount), OutputTokens: max(0, c.EvalCount)},
	}
	if !c.Done {
		return r, p.caller.BadAnswer("the answer is not finished")
	}
	r.FinishReason = finish(c.DoneReason)
	if c.Message.Thinking != "" {
		// Two strings: there is nothing in it that could not be written.
		r.Message.Raw, _ = json.Marshal(kept{c.Message.Thinking})
		r.Message.RawVendor = config.VendorOllama
	}
	ids := used(sent)
	for _, tc := range c.Message.ToolCalls {
		if tc.Function.Name == "" {
			continue // nobody could answer it
		}
		if tc.ID == "" || ids[tc.ID] {
			tc.ID = ids.next(len(sent))
		}
		ids[tc.ID] = true
		r.Message.ToolCalls = append(r.Message.ToolCalls, toolCall(tc))
	}
	if len(r.Message.ToolCalls) > 0 && r.FinishReason == providers.FinishStop {
		r.FinishReason = providers.FinishToolCalls // this wire says stop
	}
	if e := p.caller.Judge(r); e != nil {
		return r, e
	}
	return r, nil
}

// toolCall keeps the model's own bytes of the arguments when they are an object. Some
// servers send a string with it.
func toolCall(tc call) providers.ToolCall {
	c := providers.ToolCall{ID: tc.ID, Name: tc.Function.Name}
	args := string(tc.Function.Arguments)
	if strings.HasPrefix(args, `"`) {
		var s string
		if json.Unmarshal(tc.Function.Arguments, &s) == nil {
			args = s
		}
	}
	c.Arguments, c.Malformed = wire.Arguments(args)
	return c
}

// idSet are the ids of calls in a conversation.
type idSet map[string]bool

func used(messages []providers.Message) idSet {
	ids := idSet{}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			ids[c.ID] = true
		}
	}
	return ids
}

// next is an id that is not in use: the number of messages, which grows with the
// conversation, and an index.
func (s idSet) next(messages int) string {
	for i := 0; ; i++ {
		if id := fmt.Sprintf("ollama_%d_%d", messages, i); !s[id] {
			return id
		}
	}
}

func finish(s string) providers.FinishReason {
	switch s {
	case "stop":
		return providers.FinishStop
	case "length":
		return providers.FinishLength
	case "content_filter": // not Ollama's, but of services that speak its wire
		return providers.FinishContentFilter
	default: // load and unload, and nothing when the connection to the model broke
		return providers.FinishOther
	}
}
