package gemini

import (
	"context"
	"io"
	"net/http"
	"strings"

	"editor-actions/internal/secret"
)

// transport sends a request of the SDK with our headers, and keeps the answer from
// the SDK.
type transport struct {
	next http.RoundTripper
	key  secret.String
}

// exchange is the last answer to one request.
type exchange struct {
	resp  *http.Response
	body  []byte
	whole bool // the body was read to its end
}

type exchangeKey struct{}

// in makes the context of a request whose answer e keeps.
func (e *exchange) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, e)
}

// RoundTrip implements http.RoundTripper. The answer it returns has the status and the
// headers that came, and an empty object as its body: the SDK would read it into
// its own form, which loses bytes that must be kept, and panics at some bodies.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", "editor-actions")
	r.Header.Del("X-Goog-Api-Client") // nobody's business
	// Our own deadline decides. The server's would come as a failure that is asked
	// again, and may have been billed.
	r.Header.Del("X-Server-Timeout")
	r.Header.Del("X-Goog-Api-Key")
	if !t.key.Empty() {
		r.Header.Set("X-Goog-Api-Key", t.key.Reveal())
	}
	e, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		e = &exchange{}
	}
	*e = exchange{} // of a redirect, the last answer counts
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // read as far as it goes
	e.resp = resp
	if e.body, err = io.ReadAll(resp.Body); err != nil {
		return nil, err
	}
	e.whole = true
	empty := *resp
	empty.Body, empty.ContentLength = io.NopCloser(strings.NewReader("{}")), 2
	return &empty, nil
}
