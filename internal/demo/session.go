package demo

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // TYPO3 derives its session key with it
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"gorm.io/gorm"

	"editor-actions/internal/config"
	"editor-actions/internal/typo3"
)

// Sessions writes and ends backend sessions in the demo's database, in the form
// of TYPO3 13.4. Whoever signs in to the demo is looked up by the same session
// check as on a real site. It is safe for concurrent use.
type Sessions struct {
	DB       *gorm.DB
	Settings func() *config.Settings
	Now      func() time.Time
}

// beSessionRow is be_sessions.
type beSessionRow struct {
	ID     string `gorm:"column:ses_id"`
	IPLock string `gorm:"column:ses_iplock"`
	UserID uint32 `gorm:"column:ses_userid"`
	Time   int64  `gorm:"column:ses_tstamp"`
	Data   []byte `gorm:"column:ses_data"`
}

// TableName names TYPO3's own table.
func (beSessionRow) TableName() string { return "be_sessions" }

// IssueSession writes the row of a new session and returns the cookie for it.
// Sessions that are long expired go with it.
func (s *Sessions) IssueSession(ctx context.Context, user typo3.UserUID, host, remoteIP string) (string, error) {
	settings := s.Settings().TYPO3
	identifier, token, now := randomHex(16), randomHex(32), s.Now()
	row := beSessionRow{
		ID: storedID(settings, identifier), IPLock: ipLock(settings, remoteIP), UserID: uint32(user), Time: now.Unix(),
		Data: fmt.Appendf(nil, `a:1:{s:26:"formProtectionSessionToken";s:64:"%s";}`, token),
	}
	db := s.DB.WithContext(ctx)
	if err := db.Where("ses_tstamp < ?", now.Unix()-int64(settings.SessionTimeout)).Delete(&beSessionRow{}).Error; err != nil {
		return "", fmt.Errorf("demo: forget expired sessions: %w", err)
	}
	if err := db.Create(&row).Error; err != nil {
		return "", fmt.Errorf("demo: store session: %w", err)
	}
	cookie, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"identifier": identifier,
		"time":       now.UTC().Format(time.RFC3339),
		"scope":      cookieScope(settings, host),
	}).SignedString(cookieKey(settings))
	if err != nil {
		return "", fmt.Errorf("demo: sign cookie: %w", err)
	}
	return cookie, nil
}

// EndSession deletes the row of a session. A cookie that names none is no error.
func (s *Sessions) EndSession(ctx context.Context, cookie string) error {
	settings := s.Settings().TYPO3
	var claims jwt.MapClaims
	_, err := jwt.ParseWithClaims(cookie, &claims, func(*jwt.Token) (any, error) { return cookieKey(settings), nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}))
	identifier, _ := claims["identifier"].(string)
	if err != nil || identifier == "" {
		return nil //nolint:nilerr // not a session of ours: there is nothing to end
	}
	if err := s.DB.WithContext(ctx).Where("ses_id = ?", storedID(settings, identifier)).Delete(&beSessionRow{}).Error; err != nil {
		return fmt.Errorf("demo: end session: %w", err)
	}
	return nil
}

// cookieKey is the key TYPO3 13.4 signs its session cookie with.
func cookieKey(t config.TYPO3) []byte {
	sum := sha256.Sum256([]byte(t.EncryptionKey.Reveal()))
	return []byte(hex.EncodeToString(sum[:]) + `/TYPO3\CMS\Core\Session\UserSession`)
}

// storedID is how TYPO3 13.4 keeps a session's identifier.
func storedID(t config.TYPO3, identifier string) string {
	sum := sha1.Sum([]byte(t.EncryptionKey.Reveal() + "core-session-backend")) //nolint:gosec // see import
	m := hmac.New(sha256.New, []byte(hex.EncodeToString(sum[:])))
	m.Write([]byte(identifier))
	return hex.EncodeToString(m.Sum(nil))
}

// cookieScope binds a cookie to host and path.
func cookieScope(t config.TYPO3, host string) map[string]any {
	if d := strings.Trim(t.CookieDomain, "."); d != "" && !strings.HasPrefix(d, "/") {
		return map[string]any{"domain": d, "hostOnly": false, "path": "/"}
	}
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
		if strings.Contains(h, ":") { // TYPO3 keeps the brackets of an IPv6 address
			host = "[" + h + "]"
		}
	}
	path := t.SitePath
	if path == "" {
		path = "/"
	}
	return map[string]any{"domain": host, "hostOnly": true, "path": path}
}

// ipLock is the part of an address that a session is tied to.
func ipLock(t config.TYPO3, remoteIP string) string {
	const disabled = "[DISABLED]"
	a, err := netip.ParseAddr(remoteIP)
	if err != nil {
		return disabled
	}
	a = a.Unmap()
	if a.Is4() {
		return cut(strings.Split(a.String(), "."), t.LockIP, "0", ".", disabled)
	}
	return cut(strings.Split(a.WithZone("").StringExpanded(), ":"), t.LockIPv6, "0000", ":", disabled)
}

func cut(parts []string, keep int, rest, separator, disabled string) string {
	if keep <= 0 {
		return disabled
	}
	for i := keep; i < len(parts); i++ {
		parts[i] = rest
	}
	return strings.Join(parts, separator)
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return hex.EncodeToString(b)
}
