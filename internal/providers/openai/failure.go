package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	sdk "github.com/openai/openai-go/v3"
)

// wireError is what a body says went wrong. Only known words of it are used,
// and none is repeated.
type wireError struct {
	found      bool
	status     int // OpenRouter puts one into "code"
	code, kind string
}

// errorOf reads {"error": {...}} out of a body.
func errorOf(body []byte) wireError {
	var in struct {
		Error struct {
			Code json.RawMessage `json:"code"`
			Type string          `json:"type"`
		} `json:"error"`
		Choices json.RawMessage `json:"choices"`
	}
	if json.Unmarshal(body, &in) != nil || (in.Error.Code == nil && in.Error.Type == "") || in.Choices != nil {
		return wireError{}
	}
	e := wireError{found: true, code: strings.Trim(string(in.Error.Code), `"`), kind: in.Error.Type, status: http.StatusInternalServerError}
	if n, err := strconv.Atoi(e.code); err == nil && n >= 400 && n <= 599 {
		e.status = n
	}
	return e
}

// failure turns what the SDK reports into our error. The SDK's own holds the
// request with its key and the body of the answer, so it is never wrapped.
func (p *Provider) failure(ctx, sending context.Context, resp *http.Response, err error) error {
	if api, ok := errors.AsType[*sdk.Error](err); ok && ctx.Err() == nil {
		return p.caller.Status(api.StatusCode, headerOf(api.Response), api.Code, api.Type)
	}
	return p.caller.Transport(ctx, sending, resp, err)
}

func headerOf(r *http.Response) http.Header {
	if r == nil {
		return nil
	}
	return r.Header
}
