package typo3

import (
	"net/netip"
	"strconv"
	"strings"

	"editor-actions/internal/config"
)

// BackendOpen reports whether TYPO3 would let a request into its backend at all,
// whoever sends it. Only the address and the protocol of the request count.
func (c *CMS) BackendOpen(r SessionRequest) bool { return backendOpen(&c.settings().TYPO3, r) }

// backendOpen asks what TYPO3 asks before it looks for a session: BE/adminOnly
// below 0 locks the backend for everybody (LockedBackendGuard), BE/IPmaskList lets
// some addresses in only, administrators included, and BE/lockSSL demands https.
func backendOpen(t *config.TYPO3, r SessionRequest) bool {
	if t.AdminOnly < 0 || t.LockSSL && !r.HTTPS {
		return false
	}
	list := strings.TrimSpace(t.IPMaskList)
	return list == "" || addressMatches(r.RemoteIP, list)
}

// addressMatches is GeneralUtility::cmpIP (12.4 to 14.3) for a list that is not
// empty. What PHP would read from something that is no address matches nothing here.
func addressMatches(address, list string) bool {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	a = a.Unmap().WithZone("")
	if list == "*" {
		return true
	}
	for _, mask := range strings.Split(list, ",") {
		mask = strings.TrimSpace(mask)
		if mask != "" && (a.Is4() && maskMatches4(a, mask) || a.Is6() && maskMatches6(a, mask)) {
			return true
		}
	}
	return false
}

// maskMatches4 is cmpIPv4: a network, or parts of which "*" and those left out at
// the end match everything.
func maskMatches4(a netip.Addr, mask string) bool {
	if network, bits, cut := strings.Cut(mask, "/"); cut {
		if n, err := strconv.Atoi(bits); err == nil && n != 0 {
			of, err := netip.ParseAddr(network)
			if err != nil || !of.Is4() || n < 0 {
				return false
			}
			p, err := of.Prefix(min(n, 32))
			return err == nil && p.Contains(a)
		}
		mask = network // PHP: a mask of 0 is none
	}
	parts := strings.Split(a.String(), ".")
	for i, want := range strings.Split(mask, ".") {
		want = strings.TrimSpace(want)
		if i >= len(parts) || want != "*" && want != parts[i] {
			return false
		}
	}
	return true
}

// maskMatches6 is cmpIPv6: an address or a network; "/0" is everybody.
func maskMatches6(a netip.Addr, mask string) bool {
	network, bits, cut := strings.Cut(mask, "/")
	of, err := netip.ParseAddr(network)
	if err != nil || !of.Is6() {
		return false
	}
	n := 128
	if cut {
		if n, err = strconv.Atoi(bits); err != nil || n < 0 || n > 128 {
			return false
		}
	}
	p, err := of.WithZone("").Prefix(n)
	return err == nil && p.Contains(a)
}
