package typo3_test

import (
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// The answers are those of GeneralUtility::cmpIP, cmpIPv4 and cmpIPv6 of TYPO3 12.4
// to 14.3, worked out from their source; where PHP reads something from what is no
// address, nothing matches here.
func TestP13_AddressMasks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list, address string
		in            bool
	}{
		{"", "192.0.2.1", true}, // no list: everybody
		{" ", "192.0.2.1", true},
		{"*", "192.0.2.1", true},
		{"*", "2001:db8::1", true},
		{"192.0.2.1", "192.0.2.1", true},
		{"192.0.2.1", "192.0.2.10", false},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"192.0.2.*", "192.0.2.77", true},
		{"192.0.2.*", "192.0.3.77", false},
		{"192.*.2.1", "192.9.2.1", true},
		{"192.0", "192.0.2.1", true},
		{"192.0", "192.1.2.1", false},
		{"192", "192.0.2.1", true},
		{"198.51.100.1, 192.0.2.0/24", "192.0.2.9", true},
		{"192.0.2.0/24", "192.0.3.9", false},
		{"192.0.2.128/25", "192.0.2.127", false},
		{"192.0.2.128/25", "192.0.2.128", true},
		{"192.0.2.9/0", "192.0.2.9", true}, // PHP: a mask of 0 is none
		{"192.0.2.9/0", "192.0.2.8", false},
		{"0.0.0.0/1", "127.0.0.1", true},
		{"192.0.2.1/99", "192.0.2.1", true},
		{"192.0.2.1/99", "192.0.2.2", false},
		{"192.0.2.1.*", "192.0.2.1", false},
		{"192.0.2.0/24", "2001:db8::1", false},
		{"2001:db8::/32", "2001:db8:ffff::1", true},
		{"2001:db8::/32", "2001:db9::1", false},
		{"2001:db8::1", "2001:0db8:0:0::1", true},
		{"2001:DB8::1", "2001:db8::1", true},
		{"2001:db8::1", "2001:db8::2", false},
		{"2001:db8::/33", "2001:db8:7fff::1", true},
		{"2001:db8::/33", "2001:db8:8000::1", false},
		{"::/0", "2001:db8::1", true},
		{"::/0", "192.0.2.1", false},
		{"10.*, 2001:db8::/32", "2001:db8::1", true},
		{"2001:db8::*", "2001:db8::1", false},
		{"192.0.2.1", "", false},
		{"192.0.2.*", "unknown", false},
		{"2001:db8::/999", "2001:db8::1", false},
	} {
		if got := typo3.BackendOpen(c.list, c.address); got != c.in {
			t.Errorf("%q from %q: %v", c.list, c.address, got)
		}
	}
}

func TestP13_SessionBackendIsLocked(t *testing.T) {
	s := testsite.SQLite(t)
	put(t, s, "13.4", session{user: 1})
	good := sign(t, jwt.SigningMethodHS256, signKey("13.4"), claimsFor(testHost, "/"))
	ask := func(https bool, ip string) typo3.SessionResult {
		t.Helper()
		got, err := cmsAt(s, testNow).SessionUser(t.Context(), typo3.SessionRequest{Cookie: good, Host: testHost, RemoteIP: ip, HTTPS: https, Now: testNow})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	check := func(what string, got, want typo3.SessionResult) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
	}
	settings := &s.Settings.TYPO3
	settings.LockSSL = true
	check("lockSSL, http", ask(false, "192.0.2.1"), isNone)
	check("lockSSL, https", ask(true, "192.0.2.1"), isUser(1, 0))
	settings.LockSSL, settings.IPMaskList = false, "198.51.100.*"
	check("mask, inside, an administrator", ask(false, "198.51.100.7"), isUser(1, 0))
	check("mask, outside, an administrator", ask(false, "192.0.2.1"), isNone)
	settings.IPMaskList, settings.AdminOnly = "", -1
	check("locked for everybody", ask(true, "192.0.2.1"), isNone)
	settings.AdminOnly = 1
	check("administrators only", ask(true, "192.0.2.1"), isUser(1, 0))
}
