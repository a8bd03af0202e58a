package wire

import (
	"net/http"

	"editor-actions/internal/providers"
)

// Judge tells an answer from something that only looks like one: nil is an answer.
func (c Caller) Judge(r providers.Response) *providers.Error {
	fail := func(k providers.Kind, detail string) *providers.Error { return c.Fail(k, http.StatusOK, detail) }
	switch {
	case r.FinishReason == providers.FinishContentFilter:
		return fail(providers.Refused, "the model refused, or a content filter ended the answer")
	case r.FinishReason == providers.FinishLength:
		return fail(providers.Truncated, "the answer ended at the output limit")
	case r.Message.Text == "" && len(r.Message.ToolCalls) == 0:
		return fail(providers.EmptyAnswer, "the answer holds neither text nor call, finish reason "+string(r.FinishReason))
	}
	return nil
}
