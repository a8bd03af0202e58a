package openai

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// maxAnswerBytes bounds one answer. A call with the longest texts has some 10 KiB.
const maxAnswerBytes = 4 << 20

var (
	errRedirect = errors.New("openai: the address redirects elsewhere")
	errTooMuch  = errors.New("openai: the answer is too large")
)

// newHTTPClient makes a client that stays on its host, so that neither key nor
// picture travels on, and that reads bounded answers. The proxy comes from the
// environment. There is no client timeout: every request has a deadline.
func newHTTPClient() *http.Client {
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   10 * time.Second,
		MaxIdleConnsPerHost:   4,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
	return &http.Client{
		Transport: bounded{t},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			first := via[0].URL
			same := r.URL.Scheme == first.Scheme && r.URL.Host == first.Host
			if !same || r.Method != http.MethodPost || len(via) > 3 { // 301 and 302 would turn the request into a GET
				return errRedirect
			}
			return nil
		},
	}
}

// bounded cuts the connection of an answer that does not end.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.ContentLength > maxAnswerBytes {
		_ = resp.Body.Close() // unread
		return nil, errTooMuch
	}
	resp.Body = &boundedBody{resp.Body, maxAnswerBytes}
	return resp, nil
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		var one [1]byte
		if n, err := b.ReadCloser.Read(one[:]); n == 0 {
			return 0, err
		}
		return 0, errTooMuch
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
