package config

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"editor-actions/internal/secret"
)

// encryptionKey is SYS/encryptionKey: 96 hexadecimal digits, used as text.
var encryptionKey = regexp.MustCompile(`^[0-9A-Fa-f]{96}$`)

// cookieName is a token of RFC 6265.
var cookieName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// ipMasks has the characters of a list for TYPO3's GeneralUtility::cmpIP.
var ipMasks = regexp.MustCompile(`^[0-9A-Fa-f:.*/, ]*$`)

func (v *validator) typo3(t *TYPO3) {
	if dsn := t.DSN.Reveal(); dsn != "" && !strings.HasPrefix(dsn, "mysql://") && !strings.HasPrefix(dsn, "sqlite:///") {
		v.problem("typo3.dsn", "must begin with mysql:// or with sqlite:/// and an absolute path")
	}
	v.absolute("typo3.rootPath", t.RootPath)
	v.absolute("typo3.publicPath", t.PublicPath)
	v.absolute("typo3.settingsFile", t.SettingsFile)
	v.oneOf("typo3.version", t.Version, "12.4", "13.4", "14.0", "14.1", "14.2", "14.3")
	if k := t.EncryptionKey.Reveal(); k != "" && !encryptionKey.MatchString(k) {
		v.problem("typo3.encryptionKey", "has %d characters: must be SYS/encryptionKey as TYPO3 has it, 96 hex digits", len(k))
	}
	between(v, "typo3.sessionTimeout", t.SessionTimeout, 0, 1<<31-1)
	between(v, "typo3.lockIP", t.LockIP, 0, 4)
	between(v, "typo3.lockIPv6", t.LockIPv6, 0, 8)
	between(v, "typo3.requireMfa", t.RequireMFA, 0, 4)
	between(v, "typo3.adminOnly", t.AdminOnly, -1, 2)
	if !cookieName.MatchString(t.CookieName) {
		v.problem("typo3.cookieName", "%s: must be a cookie's name, for instance be_typo_user", shown(t.CookieName))
	}
	if _, err := regexp.Compile(t.FileDenyPattern); err != nil {
		v.problem("typo3.fileDenyPattern", "cannot be evaluated here: %v. Write it without what only PCRE knows", err)
	}
	if t.FileDenyPattern == "" {
		v.warn("typo3.fileDenyPattern", "is empty, so no file name is refused")
	}
	v.oneOf("typo3.cookieSameSite", t.CookieSameSite, "strict", "lax", "none")
	v.oneOf("typo3.sessionBackend", t.SessionBackend, SessionsInDatabase, SessionsInRedis)
	v.redis(&t.Redis)
	if !ipMasks.MatchString(t.IPMaskList) {
		v.problem("typo3.ipMaskList", `%s: must be addresses, with "*" or as networks, separated by commas`, shown(t.IPMaskList))
	}
	v.cacheWebhook(&t.CacheWebhook)
	if !strings.HasPrefix(t.SitePath, "/") || !strings.HasSuffix(t.SitePath, "/") {
		v.problem("typo3.sitePath", `%s: must begin and end with "/", for instance "/cms/"`, shown(t.SitePath))
	}
}

func (v *validator) redis(r *Redis) {
	_, port, err := net.SplitHostPort(r.Address)
	if n, portErr := strconv.Atoi(port); (err != nil || portErr != nil || n < 1 || n > 65535) && !strings.HasPrefix(r.Address, "/") {
		v.problem("typo3.redis.address", "%s: must be host:port or the absolute path of a socket", shown(r.Address))
	}
	between(v, "typo3.redis.database", r.Database, 0, 1<<15)
}

// leastSecret is the shortest key of a signature, in bytes.
const leastSecret = 16

func (v *validator) cacheWebhook(w *CacheWebhook) {
	v.webhook("typo3.cacheWebhook", w.URL, w.Secret, w.TimeoutSeconds, "TYPO3")
}

// webhook checks an address that messages are sent to; reader is who gets them.
func (v *validator) webhook(key, url string, signed secret.String, timeout int, reader string) {
	between(v, key+".timeoutSeconds", timeout, 1, 60)
	if url == "" {
		return
	}
	v.address(key+".url", url, true)
	if n := len(signed.Reveal()); n < leastSecret {
		v.problem(key+".secret", "has %d characters: must be %d or more, so that %s can tell our messages from others", n, leastSecret, reader)
	}
}

var basePath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)

func (v *validator) server(s *Server) {
	host, port, err := net.SplitHostPort(s.Listen)
	if n, portErr := strconv.Atoi(port); err != nil || portErr != nil || n < 0 || n > 65535 {
		v.problem("server.listen", "%s: must be host:port, for instance 127.0.0.1:8080", shown(s.Listen))
	} else if !loopback(host) && !strings.HasPrefix(s.PublicOrigin, "https:") {
		v.warn("server.listen", "other machines reach the service without https unless a proxy stands before it; server.publicOrigin names no https address")
	}
	if !basePath.MatchString(s.BasePath) || strings.Contains(s.BasePath, "/.") {
		v.problem("server.basePath", `%s: must be empty or a path without a slash at its end, for instance "/editor-actions"`, shown(s.BasePath))
	}
	if s.PublicOrigin != "" {
		v.origin("server.publicOrigin", s.PublicOrigin)
	}
	if s.TYPO3Origin != "" {
		v.origin("server.typo3Origin", s.TYPO3Origin)
	}
	for i, p := range s.TrustedProxies {
		key := fmt.Sprintf("server.trustedProxies[%d]", i)
		network, errNet := netip.ParsePrefix(p)
		if _, errAddr := netip.ParseAddr(p); errNet != nil && errAddr != nil {
			v.problem(key, "%s: must be an address or a network, for instance 10.0.0.0/8", shown(p))
		} else if errNet == nil && network.Bits() == 0 {
			v.warn(key, "trusts everybody: any client can claim any address")
		}
	}
	v.absolute("server.stateDir", s.StateDir)
	v.oneOf("server.signIn", s.SignIn, SignInTYPO3, SignInDemo)
	v.oneOf("server.logLevel", s.LogLevel, "debug", "info", "warn", "error")
	v.oneOf("server.logFormat", s.LogFormat, "json", "text")
	if s.LogLevel == "debug" {
		v.warn("server.logLevel", "debug is for a search, not for every day")
	}
}

// originHost is a host, with or without a port, as browsers send it. Both origins are
// compared with that, and one stands in a header that has a grammar of its own.
var originHost = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)

func (v *validator) origin(key, s string) {
	if u := v.address(key, s, false); u != nil && !originHost.MatchString(u.Host) {
		v.problem(key, "%s: must name one host as browsers send it: letters, digits, dots and hyphens, xn-- for other letters", shown(u.Host))
	}
}

// signIn refuses combinations that would let somebody in.
func (v *validator) signIn(s *Settings) {
	site := s.TYPO3.DSN.Reveal()
	switch s.Server.SignIn {
	case SignInDemo:
		if strings.HasPrefix(site, "mysql:") {
			v.problem("server.signIn", "demo signs people in by a form and works on SQLite only: use typo3 with a MySQL or MariaDB site")
		}
	case SignInTYPO3:
		if site != "" && s.TYPO3.EncryptionKey.Empty() {
			v.warn("typo3.encryptionKey", "is empty, so no session of TYPO3's can be recognised; set it, or typo3.settingsFile")
		}
	}
}
