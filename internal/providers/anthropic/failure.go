package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"editor-actions/internal/providers"

	sdk "github.com/anthropics/anthropic-sdk-go"
)

// wireError is what a body says went wrong. Only known words of it are used, and none
// is repeated.
type wireError struct {
	found         bool
	kind, message string
}

// errorOf reads {"type":"error","error":{...}} out of a body.
func errorOf(body []byte) wireError {
	var in struct {
		Type  string `json:"type"`
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(body, &in) != nil || in.Content != nil || (in.Type != "error" && in.Error.Type == "") {
		return wireError{}
	}
	return wireError{true, in.Error.Type, in.Error.Message}
}

// statuses are those of the types, from platform.claude.com/docs/en/api/errors and
// sdk.ErrorType, read on 2026-12-03. They are needed when an error comes inside a success.
var statuses = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"billing_error":         http.StatusPaymentRequired,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"conflict_error":        http.StatusConflict,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"api_error":             http.StatusInternalServerError,
	"timeout_error":         http.StatusGatewayTimeout,
	"overloaded_error":      529,
}

func (e wireError) status() int {
	if s, ok := statuses[e.kind]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// phrases tell requests apart that the API refuses with 400 and the one type
// invalid_request_error. Read on 2026-12-03 in: claude-code issues 66314 (credit), 38035
// (spend limit, which the errors page names too), 59696 (window) and 19631 (picture).
var phrases = []struct {
	words  string
	kind   providers.Kind
	detail string
}{
	{"credit balance is too low", providers.Quota, "the account has no credit left"},
	{"reached your specified api usage limits", providers.Quota, "the account has reached its own spend limit"},
	{"prompt is too long", providers.TooLarge, "more than the model's context window"},
	{"image exceeds", providers.TooLarge, "the picture is larger than is taken there"},
}

// classify gives the error of a status with what its body says.
func (p *Provider) classify(status int, h http.Header, e wireError) *providers.Error {
	if e.kind == "billing_error" {
		return p.caller.Fail(providers.Quota, status, "the account has no credit left")
	}
	if status == http.StatusBadRequest {
		said := strings.ToLower(e.message)
		for _, f := range phrases {
			if strings.Contains(said, f.words) {
				return p.caller.Fail(f.kind, status, f.detail)
			}
		}
	}
	return p.caller.Status(status, h, e.kind)
}

// failure turns what the SDK reports into our error. The SDK's own holds the
// request with its key and the body of the answer, so it is never wrapped.
func (p *Provider) failure(ctx, sending context.Context, resp *http.Response, err error) error {
	if api, ok := errors.AsType[*sdk.Error](err); ok && ctx.Err() == nil {
		return p.classify(api.StatusCode, headerOf(api.Response), errorOf([]byte(api.RawJSON())))
	}
	return p.caller.Transport(ctx, sending, resp, err)
}

func headerOf(r *http.Response) http.Header {
	if r == nil {
		return nil
	}
	return r.Header
}
