package typo3_test

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"encoding/hex"
	"encoding/json"
	"hash"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"editor-actions/internal/config"
	"editor-actions/internal/secret"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// goldenSession is a cookie that a real TYPO3 was asked about, with its answer.
type goldenSession struct {
	typo3.SessionResult
	Case     string `json:"case"`
	Cookie   string `json:"cookie"`
	RemoteIP string `json:"remote_ip"`
	Host     string `json:"host"`
	Now      int64  `json:"now"`
}

func goldenSessions(t *testing.T) []goldenSession {
	t.Helper()
	var golden struct{ Cases []goldenSession }
	if err := json.Unmarshal(testsite.Read(t, "typo3/main-sessions.json.gz"), &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) != 64 {
		t.Fatalf("the data set holds %d cases, want 64", len(golden.Cases))
	}
	return golden.Cases
}

func TestP13_Sessions(t *testing.T) {
	cases := goldenSessions(t)
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		for _, g := range cases {
			t.Run(g.Case, func(t *testing.T) {
				now := time.Unix(g.Now, 0)
				got, err := cmsAt(s, now).SessionUser(t.Context(), typo3.SessionRequest{Cookie: g.Cookie, Host: g.Host, RemoteIP: g.RemoteIP, Now: now})
				if err != nil || got != g.SessionResult {
					t.Errorf("got %+v, %v; TYPO3: %+v", got, err, g.SessionResult)
				}
			})
		}
	})
}

const (
	testHost  = "www.example.org"
	testIdent = "00112233445566778899aabbccddeeff"
	testKey   = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	editor    = 10 // ed_uploads
)

var testNow = time.Unix(1796090001, 0)

func cmsAt(s *testsite.Site, now time.Time) *typo3.CMS {
	return typo3.New(s.DB, func() *config.Settings { return &s.Settings }, func() time.Time { return now })
}

// signKey is written anew here from the facts, so that it can disagree with the code.
func signKey(version string) []byte {
	const purpose = `TYPO3\CMS\Core\Session\UserSession`
	if version == "14.3" {
		k, err := hkdf.Key(sha256.New, []byte(testKey), nil, purpose, 32)
		if err != nil {
			panic(err)
		}
		return k
	}
	sum := sha256.Sum256([]byte(testKey))
	return []byte(hex.EncodeToString(sum[:]) + "/" + purpose)
}

func storedID(version, identifier string) string {
	var m hash.Hash
	if version[:2] == "14" {
		m = hmac.New(func() hash.Hash { return sha3.New256() }, []byte(testKey+"core-session-backend"))
	} else {
		sum := sha1.Sum([]byte(testKey + "core-session-backend"))
		m = hmac.New(sha256.New, []byte(hex.EncodeToString(sum[:])))
	}
	m.Write([]byte(identifier))
	return hex.EncodeToString(m.Sum(nil))
}

func sign(t testing.TB, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	cookie, err := jwt.NewWithClaims(method, claims).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return cookie
}

func claimsFor(domain, path string) jwt.MapClaims {
	return jwt.MapClaims{
		"identifier": testIdent, "time": testNow.Format(time.RFC3339),
		"scope": map[string]any{"domain": domain, "hostOnly": true, "path": path},
	}
}

// session is a row of be_sessions, with a user and a lock to be tested.
type session struct {
	user int
	lock string
	data string
}

func put(t testing.TB, s *testsite.Site, version string, row session) {
	t.Helper()
	if row.lock == "" {
		row.lock = "[DISABLED]"
	}
	s.Settings.TYPO3.Version, s.Settings.TYPO3.EncryptionKey = version, secret.New(testKey)
	id := storedID(version, testIdent)
	if err := s.DB.Exec("DELETE FROM be_sessions WHERE ses_id = ?", id).Error; err != nil {
		t.Fatal(err)
	}
	if err := s.DB.Exec("INSERT INTO be_sessions (ses_id, ses_iplock, ses_userid, ses_tstamp, ses_data) VALUES (?, ?, ?, ?, ?)",
		id, row.lock, row.user, testNow.Unix()-10, []byte(row.data)).Error; err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, s *testsite.Site, cookie, host, ip string, want typo3.SessionResult) {
	t.Helper()
	got, err := cmsAt(s, testNow).SessionUser(t.Context(), typo3.SessionRequest{Cookie: cookie, Host: host, RemoteIP: ip, Now: testNow})
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

var (
	isNone   = typo3.SessionResult{Result: typo3.SessionNone}
	isFactor = typo3.SessionResult{Result: typo3.SessionSecondFactor}
)

func isUser(uid, original typo3.UserUID) typo3.SessionResult {
	return typo3.SessionResult{Result: typo3.SessionIsUser, UserUID: uid, OriginalUserUID: original}
}

func TestP13_SessionForms(t *testing.T) {
	s := testsite.SQLite(t)
	for _, version := range []string{"12.4", "13.4", "14.0", "14.2", "14.3"} {
		t.Run(version, func(t *testing.T) {
			put(t, s, version, session{user: editor})
			good := sign(t, jwt.SigningMethodHS256, signKey(version), claimsFor(testHost, "/"))
			expect(t, s, good, testHost, "192.0.2.1", isUser(editor, 0))
			other := "14.3"
			if version == other {
				other = "14.2"
			}
			expect(t, s, sign(t, jwt.SigningMethodHS256, signKey(other), claimsFor(testHost, "/")), testHost, "192.0.2.1", isNone)
		})
	}
}

func TestSessionForged(t *testing.T) {
	s := testsite.SQLite(t)
	put(t, s, "13.4", session{user: editor})
	good := sign(t, jwt.SigningMethodHS256, signKey("13.4"), claimsFor(testHost, "/"))
	later := claimsFor(testHost, "/")
	later["iat"] = testNow.Unix() + 60
	unknown := claimsFor(testHost, "/")
	unknown["identifier"] = "ffeeddccbbaa99887766554433221100" // a visitor's session: not in be_sessions
	for name, cookie := range map[string]string{
		"alg none":       sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, claimsFor(testHost, "/")),
		"alg HS384":      sign(t, jwt.SigningMethodHS384, signKey("13.4"), claimsFor(testHost, "/")),
		"foreign key":    sign(t, jwt.SigningMethodHS256, []byte("another key"), claimsFor(testHost, "/")),
		"empty key":      sign(t, jwt.SigningMethodHS256, []byte{}, claimsFor(testHost, "/")),
		"no signature":   good[:len(good)-43],
		"trailing":       good + "A",
		"issued later":   sign(t, jwt.SigningMethodHS256, signKey("13.4"), later),
		"frontend":       sign(t, jwt.SigningMethodHS256, signKey("13.4"), unknown),
		"no identifier":  sign(t, jwt.SigningMethodHS256, signKey("13.4"), jwt.MapClaims{"time": "x"}),
		"number domain":  sign(t, jwt.SigningMethodHS256, signKey("13.4"), jwt.MapClaims{"identifier": testIdent, "scope": map[string]any{"domain": 1, "path": "/"}}),
		"too long":       good + string(make([]byte, 5000)),
		"stored id":      storedID("13.4", testIdent),
		"not a token":    "a.b.c",
		"blank in front": " " + good,
	} {
		t.Run(name, func(t *testing.T) { expect(t, s, cookie, testHost, "192.0.2.1", isNone) })
	}
	expect(t, s, good, testHost, "192.0.2.1", isUser(editor, 0))
	s.Settings.TYPO3.EncryptionKey = secret.New("")
	expect(t, s, good, testHost, "192.0.2.1", isNone)
}

func TestP13_SessionScope(t *testing.T) {
	s := testsite.SQLite(t)
	put(t, s, "13.4", session{user: editor})
	for _, c := range []struct {
		name, setting, site, host string // settings and request
		domain, path              string // of the cookie
		ok                        bool
	}{
		{"host", "", "/", testHost, testHost, "/", true},
		{"port", "", "/", testHost + ":8443", testHost, "/", true},
		{"IPv6", "", "/", "[2001:db8::1]:8443", "[2001:db8::1]", "/", true},
		{"other host", "", "/", "other.example.org", testHost, "/", false},
		{"no site path", "", "", testHost, testHost, "/", true},
		{"sub folder", "", "/cms/", testHost, testHost, "/cms/", true},
		{"sub folder, root cookie", "", "/cms/", testHost, testHost, "/", false},
		{"domain", "example.org", "/cms/", testHost, "example.org", "/", true},
		{"domain with dots", ".example.org.", "/", testHost, "example.org", "/", true},
		{"domain, host cookie", "example.org", "/", testHost, testHost, "/", false},
		{"regexp", `/\.?example\.(org|com)$/`, "/", testHost, "example.org", "/", true},
		{"regexp with flag", `/\.EXAMPLE\.org$/i`, "/cms/", testHost, "example.org", "/", true},
		{"regexp without match", `/\.example\.net$/`, "/cms/", testHost, testHost, "/cms/", true},
		{"regexp of PCRE only", `/(?<=www)\.example\.org$/`, "/", testHost, "example.org", "/", false},
		{"regexp without end", `/example`, "/", testHost, testHost, "/", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.Settings.TYPO3.CookieDomain, s.Settings.TYPO3.SitePath = c.setting, c.site
			want := isNone
			if c.ok {
				want = isUser(editor, 0)
			}
			expect(t, s, sign(t, jwt.SigningMethodHS256, signKey("13.4"), claimsFor(c.domain, c.path)), c.host, "192.0.2.1", want)
		})
	}
}

func TestP13_SessionLock(t *testing.T) {
	s := testsite.SQLite(t)
	good := sign(t, jwt.SigningMethodHS256, signKey("13.4"), claimsFor(testHost, "/"))
	for _, c := range []struct {
		lock string
		v4   int
		v6   int
		ip   string
		ok   bool
	}{
		{"198.51.100.7", 4, 0, "198.51.100.7", true},
		{"198.51.100.7", 4, 0, "::ffff:198.51.100.7", true},
		{"198.51.100.7", 4, 0, "198.51.100.8", false},
		{"198.51.0.0", 2, 0, "198.51.3.4", true},
		{"198.51.0.0", 2, 0, "198.52.3.4", false},
		{"2001:0db8:0000:0000:0000:0000:0000:0001", 0, 8, "2001:db8::1", true},
		{"2001:0db8:0000:0000:0000:0000:0000:0000", 0, 2, "2001:db8::77", true},
		{"2001:0db8:0000:0000:0000:0000:0000:0000", 0, 2, "2001:db9::77", false},
		{"198.51.100.7", 0, 8, "198.51.100.7", false},
		{"[DISABLED]", 4, 8, "203.0.113.1", true},
		{"198.51.100.7", 4, 8, "not an address", false},
	} {
		put(t, s, "13.4", session{user: editor, lock: c.lock})
		s.Settings.TYPO3.LockIP, s.Settings.TYPO3.LockIPv6 = c.v4, c.v6
		want := isNone
		if c.ok {
			want = isUser(editor, 0)
		}
		expect(t, s, good, testHost, c.ip, want)
	}
}

func TestP13_SessionGates(t *testing.T) {
	s := testsite.SQLite(t)
	good := sign(t, jwt.SigningMethodHS256, signKey("13.4"), claimsFor(testHost, "/"))
	const (
		totp     = `{"totp":{"secret":"JBSWY3DP","active":true}}`
		switched = `a:1:{s:10:"backuserid";i:1;}`
		passed   = `a:2:{s:1:"x";a:1:{i:0;s:3:"mfa";}s:3:"mfa";b:1;}`
	)
	for _, c := range []struct {
		name                  string
		user                  int
		data, mfa, ts         string
		require, admin, limit int
		want                  typo3.SessionResult
	}{
		{name: "plain", user: editor, want: isUser(editor, 0)},
		{name: "timeout 0", user: editor, limit: -1, want: isNone},
		{name: "unreadable data", user: editor, data: "a:1:{", want: isNone},
		{name: "factor in use", user: editor, mfa: totp, want: isFactor},
		{name: "factor passed", user: editor, mfa: totp, data: passed, want: isUser(editor, 0)},
		{name: "mfa only in an inner array", user: editor, mfa: totp, data: `a:1:{s:1:"x";a:1:{s:3:"mfa";b:1;}}`, want: isFactor},
		{name: "mfa false", user: editor, mfa: totp, data: `a:1:{s:3:"mfa";b:0;}`, want: isFactor},
		{name: "factor, switched", user: editor, mfa: totp, data: switched, want: isUser(editor, 1)},
		{name: "factor off", user: editor, mfa: `{"totp":{"secret":"A","active":false}}`, want: isUser(editor, 0)},
		{name: "factor without secret", user: editor, mfa: `{"totp":{"secret":"","active":true}}`, want: isUser(editor, 0)},
		{name: "recovery codes alone", user: editor, mfa: `{"recovery-codes":{"active":true,"codes":["x"]}}`, want: isUser(editor, 0)},
		{name: "factor of an extension", user: editor, mfa: `{"webauthn":{"active":true}}`, want: isFactor},
		{name: "factor unreadable", user: editor, mfa: `{"totp`, want: isFactor},
		{name: "no factors", user: editor, mfa: `[]`, want: isUser(editor, 0)},
		{name: "required, none set up", user: editor, require: 1, want: isNone},
		{name: "required, passed", user: editor, require: 1, mfa: totp, data: passed, want: isUser(editor, 0)},
		{name: "required of admins", user: editor, require: 3, want: isUser(editor, 0)},
		{name: "required of admins, admin", user: 1, require: 3, want: isNone},
		{name: "required of others, admin", user: 1, require: 2, want: isUser(1, 0)},
		{name: "required of maintainers, admin", user: 1, require: 4, want: isNone},
		{name: "lifted by TSconfig", user: editor, require: 1, ts: "auth.mfa.required = 0", want: isUser(editor, 0)},
		{name: "required by TSconfig", user: editor, ts: "auth.mfa.required = 1", want: isNone},
		{name: "lifted by TSconfig with an import", user: editor, require: 1, ts: "auth.mfa.required = 0\n@import 'EXT:x/a.tsconfig'", want: isNone},
		{name: "import alone", user: editor, ts: "@import 'EXT:x/a.tsconfig'", want: isUser(editor, 0)},
		{name: "required, switched", user: editor, require: 1, data: switched, want: isUser(editor, 1)},
		{name: "admin only", user: editor, admin: 1, want: isNone},
		{name: "admin only, admin", user: 1, admin: 1, want: isUser(1, 0)},
		{name: "admin only, switched", user: editor, admin: 1, data: switched, want: isUser(editor, 1)},
		{name: "admin only, switched by no admin", user: editor, admin: 1, data: `a:1:{s:10:"backuserid";i:11;}`, want: isNone},
		{name: "admin only, switched by nobody", user: editor, admin: 1, data: `a:1:{s:10:"backuserid";i:9999;}`, want: isNone},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, s, "13.4", session{user: c.user, data: c.data})
			s.Settings.TYPO3.RequireMFA, s.Settings.TYPO3.AdminOnly, s.Settings.TYPO3.SessionTimeout = c.require, c.admin, 28800
			if c.limit < 0 {
				s.Settings.TYPO3.SessionTimeout = 0
			}
			if err := s.DB.Exec("UPDATE be_users SET mfa = ?, TSconfig = ? WHERE uid = ?", []byte(c.mfa), c.ts, c.user).Error; err != nil {
				t.Fatal(err)
			}
			expect(t, s, good, testHost, "192.0.2.1", c.want)
		})
	}
}

func TestSessionReadsOnly(t *testing.T) {
	s := testsite.SQLite(t)
	put(t, s, "13.4", session{user: editor})
	good := sign(t, jwt.SigningMethodHS256, signKey("13.4"), claimsFor(testHost, "/"))
	if err := s.DB.Exec("PRAGMA query_only = ON").Error; err != nil {
		t.Fatal(err)
	}
	expect(t, s, good, testHost, "192.0.2.1", isUser(editor, 0))
	db, err := s.DB.DB()
	if err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	if _, err := cmsAt(s, testNow).SessionUser(t.Context(), typo3.SessionRequest{Cookie: good, Host: testHost, RemoteIP: "192.0.2.1", Now: testNow}); err == nil {
		t.Error("a database that is gone must be an error")
	}
	if _, err := cmsAt(s, testNow).SessionUser(t.Context(), typo3.SessionRequest{Cookie: "junk", Host: testHost, RemoteIP: "192.0.2.1", Now: testNow}); err != nil {
		t.Errorf("a cookie of nobody needs no database: %v", err)
	}
}
