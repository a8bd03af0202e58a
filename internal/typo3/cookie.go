package typo3

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // TYPO3 12 and 13 derive their session hash key with it
	"crypto/sha256"
	"crypto/sha3"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"editor-actions/internal/config"
)

const (
	maxCookie       = 4096
	maxDomainRegexp = 1024
	signingPurpose  = `TYPO3\CMS\Core\Session\UserSession`
	hashPurpose     = "core-session-backend"
)

// errCookie says that a cookie is not one that this TYPO3 made for this host.
// The reason stays inside: for the caller there is no session.
var errCookie = errors.New("typo3: not a session cookie of this site")

// sessionClaims is the payload of TYPO3's session cookie.
type sessionClaims struct {
	jwt.RegisteredClaims
	Identifier string       `json:"identifier"`
	Scope      *cookieScope `json:"scope"`
}

// cookieScope is where a cookie is valid. TYPO3 writes hostOnly too, and does
// not compare it (UserSession::resolveIdentifierFromJwt).
type cookieScope struct {
	Domain string `json:"domain"`
	Path   string `json:"path"`
}

// sessionIdentifier verifies a cookie and gives the raw session id in it.
func sessionIdentifier(t *config.TYPO3, cookie, host string, now time.Time) (string, error) {
	if cookie == "" || len(cookie) > maxCookie || strings.ContainsAny(cookie, "\r\n") || t.EncryptionKey.Empty() { // base64 skips line ends
		return "", errCookie
	}
	key, err := cookieKey(t)
	if err != nil {
		return "", err
	}
	var claims sessionClaims
	_, err = jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithTimeFunc(func() time.Time { return now }),
		jwt.WithIssuedAt(),
		jwt.WithStrictDecoding(),
	).ParseWithClaims(cookie, &claims, func(*jwt.Token) (any, error) { return key, nil })
	if err != nil || claims.Identifier == "" {
		return "", errCookie
	}
	// Tokens of older releases have no scope and are accepted, as TYPO3 does.
	if s := claims.Scope; s != nil && s.Domain != "" && s.Path != "" && *s != scopeOf(t, host) {
		return "", errCookie
	}
	return claims.Identifier, nil
}

// cookieKey is the key TYPO3 signs session cookies with: since 14.3 by HKDF
// (JwtTrait), before that a hash with a suffix.
func cookieKey(t *config.TYPO3) ([]byte, error) {
	secret := t.EncryptionKey.Reveal()
	if major, minor := version(t.Version); major > 14 || major == 14 && minor >= 3 {
		key, err := hkdf.Key(sha256.New, []byte(secret), nil, signingPurpose, sha256.Size)
		if err != nil {
			return nil, fmt.Errorf("typo3: derive cookie key: %w", err)
		}
		return key, nil
	}
	sum := sha256.Sum256([]byte(secret))
	return []byte(hex.EncodeToString(sum[:]) + "/" + signingPurpose), nil
}

// storedSessionID is how TYPO3 keeps a session id in be_sessions.
func storedSessionID(t *config.TYPO3, identifier string) string {
	var m hash.Hash
	if major, _ := version(t.Version); major >= 14 {
		m = hmac.New(func() hash.Hash { return sha3.New256() }, []byte(t.EncryptionKey.Reveal()+hashPurpose))
	} else {
		sum := sha1.Sum([]byte(t.EncryptionKey.Reveal() + hashPurpose)) //nolint:gosec // see import
		m = hmac.New(sha256.New, []byte(hex.EncodeToString(sum[:])))
	}
	_, _ = m.Write([]byte(identifier)) // a hash never fails
	return hex.EncodeToString(m.Sum(nil))
}

// version splits "14.3" or "14.3.1". What is no version is 0.0, and has the
// forms of the oldest release.
func version(v string) (major, minor int) {
	first, rest, _ := strings.Cut(v, ".")
	second, _, _ := strings.Cut(rest, ".")
	major, _ = strconv.Atoi(first)
	minor, _ = strconv.Atoi(second)
	return major, minor
}

// scopeOf is the scope TYPO3 gives cookies for a host (CookieScopeTrait).
func scopeOf(t *config.TYPO3, host string) cookieScope {
	if domain := cookieDomain(t.CookieDomain, hostOnly(host)); domain != "" {
		return cookieScope{Domain: domain, Path: "/"}
	}
	path := t.SitePath
	if path == "" {
		path = "/"
	}
	return cookieScope{Domain: hostOnly(host), Path: path}
}

// hostOnly is a host without its port.
func hostOnly(host string) string {
	if i := strings.IndexByte(host, ']'); i >= 0 { // [2001:db8::1]:8080
		return host[:i+1]
	}
	host, _, _ = strings.Cut(host, ":")
	return host
}

// cookieDomain resolves BE/cookieDomain: a domain, or a regular expression with
// PHP's delimiters that is matched on the host. "" = bound to the host.
func cookieDomain(setting, host string) string {
	if strings.HasPrefix(setting, "/") {
		expression, err := phpRegexp(setting)
		if err != nil {
			return ""
		}
		setting = expression.FindString(host)
	}
	return strings.Trim(setting, ".")
}

// phpRegexp compiles "/pattern/flags". Flags that Go has not, and what only
// PCRE knows, are errors.
func phpRegexp(s string) (*regexp.Regexp, error) {
	end := strings.LastIndexByte(s, '/')
	if end <= 0 || len(s) > maxDomainRegexp {
		return nil, fmt.Errorf("typo3: cookieDomain: %q is not a regular expression", s)
	}
	pattern, flags := strings.ReplaceAll(s[1:end], `\/`, "/"), s[end+1:]
	for _, f := range flags {
		if !strings.ContainsRune("imsuD", f) {
			return nil, fmt.Errorf("typo3: cookieDomain: unknown flag %q", f)
		}
	}
	if flags = strings.NewReplacer("u", "", "D", "").Replace(flags); flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("typo3: cookieDomain: %w", err)
	}
	return expression, nil
}

// UnmarshalJSON lets everything that is not an object count as no scope, as PHP
// reads it, and refuses parts that are not text.
func (s *cookieScope) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '{' {
		return nil
	}
	type plain cookieScope
	return json.Unmarshal(data, (*plain)(s))
}
