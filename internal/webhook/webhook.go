// Package webhook tells other programs that something happened: a JSON message,
// signed, sent again when it may help.
//
// The form is the one of the Standard Webhooks specification
// (https://github.com/standard-webhooks/standard-webhooks), read 2026-12: headers
// Webhook-Id, Webhook-Timestamp and Webhook-Signature, the signature "v1," and the
// base64 of HMAC-SHA256 over "id.timestamp.body". The key is the secret as it is
// written in the settings; the specification's own form of a secret, "whsec_" and
// base64, is decoded first, so that its libraries can be used on the other side.
//
// A message may arrive twice: the id is the same then. Redirects are not
// followed, and an error never quotes the address, the secret or the answer.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"editor-actions/internal/secret"

	"github.com/cenkalti/backoff/v5"
)

// Target is who is told. An empty URL is nobody.
type Target struct {
	URL     string
	Secret  secret.String
	Timeout time.Duration // of one attempt
}

// Message is what happened. Data must not hold texts or pictures.
type Message struct {
	ID   string    // the same for every attempt
	Type string    // "caches.stale"
	At   time.Time // when it happened
	Data any
}

// ErrRefused is an answer that sending again will not change.
var ErrRefused = errors.New("webhook: refused")

const (
	attempts  = 3
	firstWait = 250 * time.Millisecond
)

// Sender sends messages. It is safe for concurrent use.
type Sender struct {
	client *http.Client
	now    func() time.Time
}

// New makes a Sender.
func New(now func() time.Time) *Sender {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // net/http says what it is
	return &Sender{now: now, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close ends idle connections.
func (s *Sender) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// Send tells t about m, three times at most, and returns when it was taken or
// given up. A message is sent again after a lost connection, a timeout, 408, 429
// and 5xx; any other answer but 2xx is final, an ErrRefused.
func (s *Sender) Send(ctx context.Context, t Target, m Message) error {
	if t.URL == "" {
		return nil
	}
	body, err := json.Marshal(map[string]any{"type": m.Type, "timestamp": m.At.UTC().Format(time.RFC3339Nano), "data": m.Data})
	if err != nil {
		return fmt.Errorf("webhook: encode message: %w", err)
	}
	_, err = backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, s.attempt(ctx, t, m.ID, body) },
		backoff.WithBackOff(&backoff.ExponentialBackOff{InitialInterval: firstWait, RandomizationFactor: 0.5, Multiplier: 4, MaxInterval: 5 * time.Second}),
		backoff.WithMaxTries(attempts))
	return err
}

func (s *Sender) attempt(ctx context.Context, t Target, id string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(body))
	if err != nil {
		return backoff.Permanent(errors.New("webhook: the address cannot be used"))
	}
	stamp := strconv.FormatInt(s.now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "editor-actions")
	req.Header.Set("Webhook-Id", id)
	req.Header.Set("Webhook-Timestamp", stamp)
	req.Header.Set("Webhook-Signature", Signature(t.Secret, id, stamp, body))
	resp, err := s.client.Do(req)
	if err != nil {
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err // without the address
		}
		return fmt.Errorf("webhook: send: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()      // nothing of it is used
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection can be used again
	code := resp.StatusCode
	switch {
	case code/100 == 2:
		return nil
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		return fmt.Errorf("webhook: answered with status %d", code)
	}
	return backoff.Permanent(fmt.Errorf("%w with status %d", ErrRefused, code))
}

// Signature is the value of Webhook-Signature.
func Signature(key secret.String, id, timestamp string, body []byte) string {
	raw := []byte(key.Reveal())
	if encoded, ok := strings.CutPrefix(key.Reveal(), "whsec_"); ok {
		if decoded, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			raw = decoded
		}
	}
	m := hmac.New(sha256.New, raw)
	m.Write([]byte(id + "." + timestamp + "."))
	m.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil))
}
