package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
)

// Caller tells failures of one provider from another: the name of the
// configuration, and the time one request may take.
type Caller struct {
	Name            string
	Timeout         time.Duration
	MaxRequestBytes int // 0 does not bound
}

// NewCaller is the caller of a configuration.
func NewCaller(name string, c config.ProviderConfiguration) Caller {
	return Caller{Name: name, Timeout: Timeout(c), MaxRequestBytes: providers.LimitsOf(c).MaxRequestBytes}
}

// Fits answers an error when a request has more bytes than the provider takes.
func (c Caller) Fits(bytes int) error {
	if c.MaxRequestBytes == 0 || bytes <= c.MaxRequestBytes {
		return nil
	}
	return c.Fail(providers.TooLarge, 0, fmt.Sprintf("the request has %d bytes, %d are taken; nothing was sent", bytes, c.MaxRequestBytes))
}

// Fail makes an error in our own words. status is 0 when there was none.
func (c Caller) Fail(k providers.Kind, status int, detail string) *providers.Error {
	return &providers.Error{Provider: c.Name, Kind: k, Status: status, Detail: detail}
}

// BadAnswer is a success that cannot be read. It may have been billed, so it is not
// asked again at the same provider.
func (c Caller) BadAnswer(detail string) *providers.Error {
	return c.Fail(providers.BadAnswer, http.StatusOK, detail)
}

// Transport turns what a client reports without a readable answer into our error.
// ctx is the caller's, sending the one with the timeout, resp the answer as far as it
// came, or nil. err is never wrapped: it holds addresses, and in some SDKs the request
// with its key.
func (c Caller) Transport(ctx, sending context.Context, resp *http.Response, err error) error {
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("providers: ask %s: %w", c.Name, context.Cause(ctx))
	}
	timedOut := sending.Err() != nil || errors.Is(err, context.DeadlineExceeded)
	if netErr, ok := errors.AsType[net.Error](err); ok && netErr.Timeout() {
		timedOut = true
	}
	switch {
	case timedOut:
		return c.Fail(providers.Timeout, 0, fmt.Sprintf("no whole answer within %s", c.Timeout))
	case errors.Is(err, errRedirect):
		return c.Fail(providers.Configuration, 0, "the address redirects to another host")
	case errors.Is(err, errPrivate):
		return c.Fail(providers.Configuration, 0, "the address is in a private network, and privateNetwork is not set")
	case errors.Is(err, errTooMuch):
		return c.Fail(providers.BadAnswer, 0, fmt.Sprintf("the answer is larger than %d bytes", MaxAnswerBytes))
	case resp != nil && resp.StatusCode >= http.StatusMultipleChoices:
		return c.Status(resp.StatusCode, resp.Header) // with a body the SDK could not read
	case resp != nil:
		return c.Fail(providers.BadAnswer, resp.StatusCode, "the answer broke off or cannot be read")
	}
	return c.unreached(err)
}

// unreached says in our own words why there is no connection.
func (c Caller) unreached(err error) error {
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return c.Fail(providers.Configuration, 0, "the certificate of the address is for another name")
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return c.Fail(providers.Configuration, 0, "the certificate of the address is not trusted")
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return c.Fail(providers.Configuration, 0, "the address does not speak TLS")
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return c.Fail(providers.Unavailable, 0, "the host name is not known")
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return c.Fail(providers.Unavailable, 0, "the connection was refused")
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return c.Fail(providers.Unavailable, 0, "the network cannot be reached")
	}
	return c.Fail(providers.Unavailable, 0, "the connection was lost")
}

// Words of vendors in the body of an error, by what they mean. Only known words are
// used, and none is repeated.
var (
	quotaWords = []string{"insufficient_quota", "billing_hard_limit_reached", "billing_error"}
	filter     = []string{"moderation", "content_filter", "content_policy_violation"}
	tooLong    = []string{"context_length_exceeded", "request_too_large"}
)

// Status classifies an answer that is no success. words are codes and types out of
// its body.
func (c Caller) Status(status int, h http.Header, words ...string) *providers.Error {
	e := &providers.Error{Provider: c.Name, Status: status, RetryAfter: retryAfter(h, time.Now())}
	says := func(list ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	switch {
	case status == http.StatusPaymentRequired, (status == http.StatusTooManyRequests || status == http.StatusForbidden) && says(quotaWords...):
		e.Kind, e.Detail, e.RetryAfter = providers.Quota, "the account has no credit left", 0
	case status == http.StatusTooManyRequests:
		e.Kind = providers.RateLimited
	case status == http.StatusUnauthorized, status == http.StatusForbidden && !says(filter...):
		e.Kind = providers.Auth
	case status == http.StatusForbidden, says(filter...):
		e.Kind = providers.Refused
	case status == http.StatusRequestEntityTooLarge:
		e.Kind = providers.TooLarge
	case says(tooLong...):
		e.Kind, e.Detail = providers.TooLarge, "more than the model's context window"
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= http.StatusInternalServerError:
		e.Kind = providers.Unavailable
	case status == http.StatusNotFound, says("model_not_found"):
		e.Kind, e.Detail = providers.BadRequest, "the address or the model is not known there"
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
