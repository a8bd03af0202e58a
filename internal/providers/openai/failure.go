package openai

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"editor-actions/internal/providers"

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
	fail := func(k providers.Kind, detail string) error {
		return &providers.Error{Provider: p.name, Kind: k, Detail: detail}
	}
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("openai: ask %s: %w", p.name, context.Cause(ctx))
	}
	if api, ok := errors.AsType[*sdk.Error](err); ok {
		return p.byStatus(api.StatusCode, headerOf(api.Response), wireError{code: api.Code, kind: api.Type})
	}
	timedOut := sending.Err() != nil || errors.Is(err, context.DeadlineExceeded)
	if netErr, ok := errors.AsType[net.Error](err); ok && netErr.Timeout() {
		timedOut = true
	}
	switch {
	case timedOut:
		return fail(providers.Timeout, fmt.Sprintf("no whole answer within %s", p.timeout))
	case errors.Is(err, errRedirect):
		return fail(providers.Configuration, "the address redirects to another host")
	case errors.Is(err, errTooMuch):
		return fail(providers.BadAnswer, fmt.Sprintf("the answer is larger than %d bytes", maxAnswerBytes))
	case resp != nil && resp.StatusCode >= http.StatusMultipleChoices:
		return p.byStatus(resp.StatusCode, resp.Header, wireError{}) // with a body the SDK could not read
	case resp != nil:
		// It may have been billed, so it is not asked again.
		return &providers.Error{Provider: p.name, Kind: providers.BadAnswer, Status: resp.StatusCode, Detail: "the answer broke off or cannot be read"}
	}
	return p.unreached(err)
}

// unreached says in our own words why there is no connection.
func (p *Provider) unreached(err error) error {
	fail := func(k providers.Kind, detail string) error {
		return &providers.Error{Provider: p.name, Kind: k, Detail: detail}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fail(providers.Configuration, "the certificate of the address is not trusted")
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return fail(providers.Configuration, "the certificate of the address is for another name")
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return fail(providers.Configuration, "the address does not speak TLS")
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return fail(providers.Unavailable, "the host name is not known")
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fail(providers.Unavailable, "the connection was refused")
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return fail(providers.Unavailable, "the network cannot be reached")
	}
	return fail(providers.Unavailable, "the connection was lost")
}

func headerOf(r *http.Response) http.Header {
	if r == nil {
		return nil
	}
	return r.Header
}

// byStatus classifies an answer that is no success.
func (p *Provider) byStatus(status int, h http.Header, w wireError) *providers.Error {
	e := &providers.Error{Provider: p.name, Status: status, RetryAfter: retryAfter(h, time.Now())}
	says := func(words ...string) bool {
		for _, word := range words {
			if w.code == word || w.kind == word {
				return true
			}
		}
		return false
	}
	switch {
	case status == http.StatusPaymentRequired, status == http.StatusTooManyRequests && says("insufficient_quota", "billing_hard_limit_reached"):
		e.Kind, e.Detail, e.RetryAfter = providers.Quota, "the account has no credit left", 0
	case status == http.StatusTooManyRequests:
		e.Kind = providers.RateLimited
	case status == http.StatusUnauthorized, status == http.StatusForbidden && !says("moderation", "content_policy_violation"):
		e.Kind = providers.Auth
	case status == http.StatusForbidden, says("content_filter", "content_policy_violation"):
		e.Kind = providers.Refused
	case status == http.StatusRequestEntityTooLarge:
		e.Kind = providers.TooLarge
	case says("context_length_exceeded"):
		e.Kind, e.Detail = providers.TooLarge, "more than the model's context window"
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= http.StatusInternalServerError:
		e.Kind = providers.Unavailable
	case status == http.StatusNotFound, says("model_not_found"):
		e.Kind, e.Detail = providers.BadRequest, "there is no such model, or no chat completions at this address"
	case status < http.StatusBadRequest:
		e.Kind, e.Detail = providers.Configuration, "the address answers with a redirect"
	default:
		e.Kind = providers.BadRequest
	}
	return e
}

// maxRetryAfter bounds what a provider may ask for; more is as good as no.
const maxRetryAfter = time.Hour

// retryAfter reads the two forms of the header (RFC 9110, 10.2.3) and the one
// in milliseconds.
func retryAfter(h http.Header, now time.Time) time.Duration {
	var d time.Duration
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		d = time.Duration(min(ms, 1e9) * float64(time.Millisecond))
	} else if s, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After")), 64); err == nil {
		d = time.Duration(min(s, 1e6) * float64(time.Second))
	} else if t, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		d = t.Sub(now)
	}
	return min(max(d, 0), maxRetryAfter)
}
