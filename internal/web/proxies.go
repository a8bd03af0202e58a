package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"editor-actions/internal/fault"
)

// proxies knows whose X-Forwarded-* headers count.
type proxies struct{ nets []netip.Prefix }

// newProxies reads addresses and networks, "10.0.0.5" or "10.0.0.0/8".
func newProxies(list []string) (*proxies, error) {
	p := &proxies{}
	for _, entry := range list {
		if a, err := netip.ParseAddr(entry); err == nil {
			p.nets = append(p.nets, netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()))
			continue
		}
		n, err := netip.ParsePrefix(entry)
		if err != nil {
			return nil, fault.New(fault.Invalid, "trusted_proxy", "server.trustedProxies: %s: must be an address or a network like 10.0.0.0/8.", entry).Because(err)
		}
		p.nets = append(p.nets, unmapped(n))
	}
	return p, nil
}

// unmapped is an IPv4 network that was written as IPv6, "::ffff:10.0.0.0/104", as what it is:
// addresses are compared in that form.
func unmapped(n netip.Prefix) netip.Prefix {
	if n.Addr().Is4In6() && n.Bits() >= 96 {
		return netip.PrefixFrom(n.Addr().Unmap(), n.Bits()-96)
	}
	return n
}

// trusted reports whether a peer ("address:port" or an address) is one of our proxies.
func (p *proxies) trusted(peer string) bool {
	a, ok := address(peer)
	if !ok {
		return false
	}
	for _, n := range p.nets {
		if n.Contains(a) {
			return true
		}
	}
	return false
}

// clientIP is the address the request came from: the last one in the chain that
// is no proxy of ours. What a stranger puts into the header never counts.
func (p *proxies) clientIP(r *http.Request) string {
	client, ok := address(r.RemoteAddr)
	if !ok {
		return r.RemoteAddr
	}
	chain := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(chain) - 1; i >= 0 && p.trusted(client.String()); i-- {
		next, ok := address(strings.TrimSpace(chain[i]))
		if !ok {
			break
		}
		client = next
	}
	return client.String()
}

// https reports whether the browser spoke TLS, to us or to a trusted proxy.
func (p *proxies) https(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	if !p.trusted(r.RemoteAddr) {
		return false
	}
	// Each proxy adds what it was spoken to with; the last word is of the one before us.
	all := strings.Split(strings.Join(r.Header.Values("X-Forwarded-Proto"), ","), ",")
	return strings.EqualFold(strings.TrimSpace(all[len(all)-1]), "https")
}

// address reads an address as proxies write it: with a port or without, and IPv6
// in brackets or bare.
func address(s string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	} else if inner, ok := strings.CutPrefix(s, "["); ok {
		if s, ok = strings.CutSuffix(inner, "]"); !ok {
			return netip.Addr{}, false
		}
	}
	a, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Addr{}, false
	}
	return a.Unmap().WithZone(""), true
}
