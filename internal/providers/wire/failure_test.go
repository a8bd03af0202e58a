package wire_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"
)

var caller = wire.Caller{Name: "main", Timeout: 7 * time.Second}

func TestStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		words  []string
		want   providers.Kind
		detail string
	}{
		{302, nil, providers.Configuration, "redirect"},
		{304, nil, providers.Configuration, "redirect"},
		{400, nil, providers.BadRequest, ""},
		{400, []string{"something"}, providers.BadRequest, ""},
		{400, []string{"context_length_exceeded"}, providers.TooLarge, "context window"},
		{400, []string{"CANARY", "request_too_large"}, providers.TooLarge, "context window"},
		{400, []string{"content_policy_violation"}, providers.Refused, ""},
		{400, []string{"content_filter"}, providers.Refused, ""},
		{400, []string{"model_not_found"}, providers.BadRequest, "model is not known"},
		{400, []string{"insufficient_quota"}, providers.BadRequest, ""},
		{401, nil, providers.Auth, ""},
		{401, []string{"insufficient_quota"}, providers.Auth, ""},
		{402, nil, providers.Quota, "no credit"},
		{403, nil, providers.Auth, ""},
		{403, []string{"moderation"}, providers.Refused, ""},
		{403, []string{"billing_error"}, providers.Quota, "no credit"},
		{404, nil, providers.BadRequest, "model is not known"},
		{408, nil, providers.Unavailable, ""},
		{409, nil, providers.Unavailable, ""},
		{413, nil, providers.TooLarge, ""},
		{418, nil, providers.BadRequest, ""},
		{422, nil, providers.BadRequest, ""},
		{429, nil, providers.RateLimited, ""},
		{429, []string{"rate_limit_exceeded"}, providers.RateLimited, ""},
		{429, []string{"insufficient_quota"}, providers.Quota, "no credit"},
		{429, []string{"", "billing_hard_limit_reached"}, providers.Quota, "no credit"},
		{500, nil, providers.Unavailable, ""},
		{500, []string{"context_length_exceeded"}, providers.TooLarge, "context window"},
		{503, nil, providers.Unavailable, ""},
		{529, nil, providers.Unavailable, ""},
		{599, nil, providers.Unavailable, ""},
	} {
		h := http.Header{"Retry-After": {"20"}}
		e := caller.Status(c.status, h, c.words...)
		if e.Kind != c.want || e.Status != c.status || e.Provider != "main" || !strings.Contains(e.Detail, c.detail) || (c.detail == "") != (e.Detail == "") {
			t.Errorf("%d %v: got %v", c.status, c.words, e)
		}
		if want := 20 * time.Second; (e.RetryAfter == want) == (e.Kind == providers.Quota) { // a pause brings no credit
			t.Errorf("%d %v: retry after %s", c.status, c.words, e.RetryAfter)
		}
		for _, w := range c.words {
			if w != "" && strings.Contains(e.Error(), w) {
				t.Errorf("%d: %q is repeated", c.status, w)
			}
		}
	}
}

func TestStatus_RetryAfter(t *testing.T) {
	t.Parallel()
	date := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for _, c := range []struct {
		name, header, value string
		least, most         time.Duration
	}{
		{"none", "X", "7", 0, 0},
		{"seconds", "Retry-After", "7", 7 * time.Second, 7 * time.Second},
		{"blanks", "Retry-After", " 7 ", 7 * time.Second, 7 * time.Second},
		{"parts of a second", "Retry-After", "0.5", 500 * time.Millisecond, 500 * time.Millisecond},
		{"zero", "Retry-After", "0", 0, 0},
		{"negative", "Retry-After", "-3", 0, 0},
		{"very negative", "Retry-After", "-1e300", 0, 0},
		{"huge", "Retry-After", "1e300", time.Hour, time.Hour},
		{"endless", "Retry-After", "Inf", time.Hour, time.Hour},
		{"no number", "Retry-After", "NaN", 0, 0},
		{"an hour and a second", "Retry-After", "3601", time.Hour, time.Hour},
		{"words", "Retry-After", "soon", 0, 0},
		{"empty", "Retry-After", "", 0, 0},
		{"date", "Retry-After", date(90 * time.Second), 80 * time.Second, 90 * time.Second},
		{"date in the past", "Retry-After", date(-time.Hour), 0, 0},
		{"date far away", "Retry-After", date(1000 * time.Hour), time.Hour, time.Hour},
		{"milliseconds", "Retry-After-Ms", "1500", 1500 * time.Millisecond, 1500 * time.Millisecond},
		{"negative milliseconds", "Retry-After-Ms", "-1", 0, 0},
		{"huge milliseconds", "Retry-After-Ms", "1e300", time.Hour, time.Hour},
	} {
		h := http.Header{}
		h.Set(c.header, c.value)
		if got := caller.Status(429, h).RetryAfter; got < c.least || got > c.most {
			t.Errorf("%s: got %s", c.name, got)
		}
	}
	if got := caller.Status(429, http.Header{"Retry-After": {"9"}, "Retry-After-Ms": {"1500"}}).RetryAfter; got != 1500*time.Millisecond {
		t.Errorf("both: got %s", got)
	}
	if got := caller.Status(503, nil).RetryAfter; got != 0 {
		t.Errorf("no headers: got %s", got)
	}
}

type slow struct{ error }

func (slow) Timeout() bool   { return true }
func (slow) Temporary() bool { return false }

func TestTransport(t *testing.T) {
	t.Parallel()
	wrap := func(err error) error { return fmt.Errorf("Post \"https://CANARY-ADDRESS\": %w", err) }
	answered := func(status int) *http.Response {
		return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {"7"}}}
	}
	for _, c := range []struct {
		name   string
		resp   *http.Response
		err    error
		want   providers.Kind
		detail string
	}{
		{"deadline", nil, wrap(context.DeadlineExceeded), providers.Timeout, "within 7s"},
		{"net timeout", nil, wrap(slow{io.EOF}), providers.Timeout, "within 7s"},
		{"timeout in an answer", answered(200), wrap(os.ErrDeadlineExceeded), providers.Timeout, "within 7s"},
		{"half an answer", answered(200), wrap(io.ErrUnexpectedEOF), providers.BadAnswer, "broke off"},
		{"unreadable error", answered(503), wrap(io.ErrUnexpectedEOF), providers.Unavailable, ""},
		{"unreadable refusal", answered(401), wrap(io.ErrUnexpectedEOF), providers.Auth, ""},
		{"certificate", nil, wrap(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}), providers.Configuration, "not trusted"},
		{"name", nil, wrap(x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}), providers.Configuration, "another name"},
		{"wrong name as it comes", nil, wrap(&tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}}), providers.Configuration, "another name"},
		{"no TLS", nil, wrap(tls.RecordHeaderError{Msg: "CANARY-ADDRESS"}), providers.Configuration, "speak TLS"},
		{"HTTP and no TLS", nil, wrap(http.ErrSchemeMismatch), providers.Configuration, "speak TLS"},
		{"no name", nil, wrap(&net.DNSError{Name: "CANARY-ADDRESS", IsNotFound: true}), providers.Unavailable, "host name is not known"},
		{"no answer about a name", nil, wrap(&net.DNSError{Name: "CANARY-ADDRESS"}), providers.Unavailable, "lost"},
		{"refused", nil, wrap(syscall.ECONNREFUSED), providers.Unavailable, "refused"},
		{"no network", nil, wrap(syscall.ENETUNREACH), providers.Unavailable, "cannot be reached"},
		{"no host", nil, wrap(syscall.EHOSTUNREACH), providers.Unavailable, "cannot be reached"},
		{"reset", nil, wrap(syscall.ECONNRESET), providers.Unavailable, "lost"},
		{"anything", nil, wrap(io.EOF), providers.Unavailable, "lost"},
	} {
		err := caller.Transport(t.Context(), t.Context(), c.resp, c.err)
		wantKind(t, c.name, err, c.want, c.detail)
		if strings.Contains(err.Error(), "CANARY-ADDRESS") || errors.Unwrap(err) != nil {
			t.Errorf("%s: the client's error is in %v", c.name, err)
		}
	}
	if e, ok := errors.AsType[*providers.Error](caller.Transport(t.Context(), t.Context(), answered(503), io.EOF)); !ok || e.RetryAfter != 7*time.Second {
		t.Errorf("what an unreadable error asks for is lost: %v", e)
	}
}

// Our own end is no failure of the provider, and says why; our own deadline is one.
func TestTransport_OwnEnd(t *testing.T) {
	t.Parallel()
	why := errors.New("the service stops")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	err := caller.Transport(ctx, ctx, nil, context.Canceled)
	if _, ok := errors.AsType[*providers.Error](err); ok || !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	sending, stop := context.WithTimeoutCause(t.Context(), 0, wire.ErrTimeout)
	defer stop()
	wantKind(t, "the request's deadline", caller.Transport(t.Context(), sending, nil, io.EOF), providers.Timeout, "within 7s")
	late, end := context.WithTimeout(t.Context(), 0)
	defer end()
	wantKind(t, "the run's deadline", caller.Transport(late, late, nil, io.EOF), providers.Timeout, "within 7s")
}

func TestTransport_NoTLSThere(t *testing.T) {
	t.Parallel()
	server := record(t)
	_, err := ask(t, local, strings.Replace(server.URL, "http:", "https:", 1))
	wantKind(t, "no TLS", err, providers.Configuration, "speak TLS")
	if got := server.requests(); len(got) != 0 {
		t.Errorf("asked %v", got)
	}
}
