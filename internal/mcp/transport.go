package mcp

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"editor-actions/internal/fault"
	"editor-actions/internal/secret"
	"editor-actions/internal/token"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Handler answers agents over streamable HTTP. open says whether TYPO3 would let a
// request into its backend at all; where it would not, every token is invalid.
func (s *Server) Handler(open func(*http.Request) bool) http.Handler {
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // it would refuse a proxy on this machine; foreign does what is needed
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.foreign(r) {
			answerError(w, http.StatusForbidden, codeRefused, "This request came from another site, so nothing was done.")
			return
		}
		text, sent := bearer(r)
		if !open(r) {
			text = ""
		}
		t, user, err := s.Tokens.Check(r.Context(), text)
		if fault.KindOf(err) == fault.Unauthenticated {
			challenge := `Bearer realm="editor-actions"`
			if sent {
				challenge += `, error="invalid_token"`
			}
			w.Header().Set("WWW-Authenticate", challenge)
			answerError(w, http.StatusUnauthorized, codeUnauthorized, token.ErrInvalid.Sentence())
			return
		}
		if err != nil {
			id := r.Header.Get(requestHeader)
			s.Log.ErrorContext(r.Context(), "answered failure", "request_id", id, "err", err)
			answerError(w, http.StatusInternalServerError, codeRefused, ours+id)
			return
		}
		r.Header.Del("Authorization") // nothing behind this needs it
		request := r.Context()
		ctx := context.WithValue(request, goneKey{}, whenGone(func(f func()) func() bool { return context.AfterFunc(request, f) }))
		ctx = context.WithValue(ctx, callerKey{}, &caller{token: t, user: user, origin: originOf(r)})
		inner.ServeHTTP(w, r.WithContext(ctx))
	})
}

// bearer is the token of a request (RFC 6750), and whether there was one. It is taken
// from the header alone: addresses end up in logs.
func bearer(r *http.Request) (text string, sent bool) {
	kind, text, ok := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if !ok || !strings.EqualFold(kind, "bearer") {
		return "", false
	}
	return strings.TrimSpace(text), true
}

// foreign reports whether a browser sends the request for a page that is not ours. A
// page whose host name was bent to this machine names that host in both headers, so
// without server.publicOrigin only this machine's own names count.
func (s *Server) foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return true
	}
	origin := r.Header.Get("Origin")
	if origin == "" { // no browser
		return false
	}
	if ours := s.Settings().Server.PublicOrigin; ours != "" && origin == strings.TrimRight(ours, "/") {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host != r.Host || !loopback(r.Host)
}

// loopback reports whether a host, with or without a port, is this machine.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// originOf is how a client on this machine reached us: it can open the review page there.
func originOf(r *http.Request) string {
	if !loopback(r.Host) {
		return ""
	}
	return "http://" + r.Host
}

func answerError(w http.ResponseWriter, status int, code int64, sentence string) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": sentence}})
	if err != nil { // a map of strings and a number always marshals
		body = nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is told or gone
}

// ServeStdio answers one client over a pair of streams until it goes away or ctx ends.
// The token is checked first, and again on every call.
func (s *Server) ServeStdio(ctx context.Context, text secret.String, in io.ReadCloser, out io.WriteCloser) error {
	if _, _, err := s.Tokens.Check(ctx, text.Reveal()); err != nil {
		return err
	}
	ctx = context.WithValue(ctx, secretKey{}, text.Reveal())
	return s.sdk.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
}
