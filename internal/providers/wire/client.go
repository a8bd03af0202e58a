package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"
	"unicode"

	"editor-actions/internal/config"
)

// MaxAnswerBytes bounds one answer. A call with the longest texts has some 10 KiB.
const MaxAnswerBytes = 4 << 20

// DefaultTimeout is used when the settings name none.
const DefaultTimeout = 60 * time.Second

var (
	// ErrTimeout is the cause of a request that took longer than configured.
	ErrTimeout = errors.New("wire: no whole answer in time")

	errRedirect = errors.New("wire: the address redirects elsewhere")
	errTooMuch  = errors.New("wire: the answer is too large")
	errPrivate  = errors.New("wire: the address is private and privateNetwork is off")
)

// Timeout is the time one request may take.
func Timeout(c config.ProviderConfiguration) time.Duration {
	if c.TimeoutSeconds <= 0 {
		return DefaultTimeout
	}
	return time.Duration(c.TimeoutSeconds) * time.Second
}

// Address is the base address of a configuration without a slash at its end, the
// vendor's when it names none. It checks the key too. Errors hold neither.
func Address(name string, c config.ProviderConfiguration) (string, error) {
	base := config.ShippedAddress[c.Vendor]
	if c.BaseURL != "" {
		base = c.BaseURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "https" && u.Scheme != "http") {
		return "", fmt.Errorf("wire: configuration %s has no usable address", name)
	}
	if strings.ContainsFunc(c.APIKey.Reveal(), func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return "", fmt.Errorf("wire: the key of configuration %s holds a blank or a control character", name)
	}
	return strings.TrimRight(base, "/"), nil
}

// NewClient makes a client for one configuration. It stays on its host, so that
// neither key nor picture travels on, reaches private addresses only where the
// configuration says so, and reads bounded answers. There is no client timeout: every
// request has a deadline. It opens no connection.
func NewClient(c config.ProviderConfiguration) (*http.Client, error) {
	proxy, err := proxyOf(c)
	if err != nil {
		return nil, err
	}
	roots, err := rootsOf(c)
	if err != nil {
		return nil, err
	}
	transport := func(control func(string, string, syscall.RawConn) error, proxy proxyFunc) *http.Transport {
		return &http.Transport{
			Proxy:                 proxy,
			DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: control}).DialContext,
			ForceAttemptHTTP2:     true,
			TLSHandshakeTimeout:   10 * time.Second,
			TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
			MaxIdleConnsPerHost:   4,
			IdleConnTimeout:       90 * time.Second,
			ExpectContinueTimeout: time.Second,
		}
	}
	r := route{proxy: proxy, private: c.PrivateNetwork, proxied: transport(nil, proxy), direct: transport(public, nil)}
	if c.PrivateNetwork {
		r.direct = transport(nil, nil)
	}
	return &http.Client{
		Transport: bounded{r},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			first := via[0].URL
			same := r.URL.Scheme == first.Scheme && r.URL.Host == first.Host
			if !same || r.Method != http.MethodPost || len(via) > 3 { // 301 and 302 would turn the request into a GET
				return errRedirect
			}
			return nil
		},
	}, nil
}

type proxyFunc func(*http.Request) (*url.URL, error)

// route sends a request through the proxy or directly. Directly, the address is judged
// after its name was resolved, so that no name can point into the network. A proxy
// resolves names itself, so only addresses written as such can be judged.
type route struct {
	proxy           proxyFunc
	private         bool
	proxied, direct http.RoundTripper
}

func (t route) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.proxy == nil {
		return t.direct.RoundTrip(r)
	}
	switch u, err := t.proxy(r); {
	case err != nil:
		return nil, err
	case u == nil: // NO_PROXY names the host
		return t.direct.RoundTrip(r)
	}
	if !t.private && privateName(r.URL.Hostname()) {
		return nil, errPrivate
	}
	return t.proxied.RoundTrip(r)
}

// privateName reports whether a host is written as a private address, as this machine,
// or as a number that some resolver would take for an address.
func privateName(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if a, err := netip.ParseAddr(host); err == nil {
		return Private(a)
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return host == "" || last == "localhost" || strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x")
}

// proxyOf is the proxy of a configuration: its own, none ("direct"), or the
// environment's (HTTPS_PROXY, NO_PROXY). nil means none.
func proxyOf(c config.ProviderConfiguration) (proxyFunc, error) {
	switch c.Proxy {
	case config.ProxyDirect:
		return nil, nil //nolint:nilnil // nil means none, as in http.Transport
	case "":
		return http.ProxyFromEnvironment, nil
	}
	u, err := url.Parse(c.Proxy)
	if err != nil || u.Host == "" {
		return nil, errors.New("wire: the proxy has no usable address")
	}
	return http.ProxyURL(u), nil
}

// rootsOf are the certificate authorities: the system's, and those of caFile beside
// them. nil means the system's.
func rootsOf(c config.ProviderConfiguration) (*x509.CertPool, error) {
	if c.CAFile == "" {
		return nil, nil //nolint:nilnil // nil means the system's, as in tls.Config
	}
	pem, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("wire: read caFile: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("wire: caFile %s holds no certificate in PEM form", c.CAFile)
	}
	return pool, nil
}

// public refuses to connect to an address that is not on the public internet.
func public(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || Private(a.Addr()) {
		return errPrivate
	}
	return nil
}

// notPublic are networks of the IANA special-purpose registries that netip has no
// word for.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // carriers' NAT, RFC 6598
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), // benchmarks, RFC 2544
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), // NAT64, which reaches IPv4 addresses of any kind
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2002::/16"), // 6to4
	netip.MustParsePrefix("::/96"),     // IPv4-compatible
	netip.MustParsePrefix("fec0::/10"), // site-local, RFC 3879
}

// Private reports whether a is no address of the public internet.
func Private(a netip.Addr) bool {
	a = a.Unmap().WithZone("") // a prefix contains no address with a zone
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return true
	}
	for _, n := range notPublic {
		if n.Contains(a) {
			return true
		}
	}
	return false
}

// bounded cuts the connection of an answer that does not end.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.ContentLength > MaxAnswerBytes {
		_ = resp.Body.Close() // unread
		return nil, errTooMuch
	}
	resp.Body = &boundedBody{resp.Body, MaxAnswerBytes}
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
