package typo3

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"editor-actions/internal/config"
	"editor-actions/internal/secret"
)

const maxSettingsFile = 1 << 20

// SettingsFile is TYPO3's config/system/settings.php, read and never executed.
// What additional.php or the environment change at run time is not in it. It holds
// the site's secrets: formatting one gives its path.
type SettingsFile struct {
	path string
	root *phpArray
}

// ReadSettingsFile reads settings.php (12.4 and later) or LocalConfiguration.php.
func ReadSettingsFile(path string) (*SettingsFile, error) {
	f, err := os.Open(path) //nolint:gosec // named by the operator
	if err != nil {
		return nil, fmt.Errorf("TYPO3's settings file: %w", err)
	}
	defer func() { _ = f.Close() }() // read-only
	data, err := io.ReadAll(io.LimitReader(f, maxSettingsFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("TYPO3's settings file: %w", err)
	case len(data) > maxSettingsFile:
		return nil, fmt.Errorf("%s: is larger than %d bytes: that is no settings file", path, maxSettingsFile)
	case !utf8.Valid(data):
		return nil, fmt.Errorf("%s: is not UTF-8", path)
	}
	root, err := parsePHPReturn(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &SettingsFile{path: path, root: root}, nil
}

// Format implements fmt.Formatter.
func (s *SettingsFile) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.path) }

// lookup finds a value; nil if the file does not set it.
func (s *SettingsFile) lookup(path string) any {
	var v any = s.root
	for _, key := range strings.Split(path, "/") {
		a, ok := v.(*phpArray)
		if !ok {
			return nil
		}
		v = a.values[key]
	}
	return v
}

// Overlay fills in what TYPO3 has set and set says nobody else has. The error
// joins all values of a wrong kind; it quotes none.
func (s *SettingsFile) Overlay(t *config.TYPO3, set func(key string) bool) error {
	o := &overlay{file: s, set: set}
	key, cookie := "", ""
	if o.text("encryptionKey", &key, "SYS/encryptionKey"); key != "" {
		t.EncryptionKey = secret.New(key)
	}
	if o.text("cookieName", &cookie, "BE/cookieName"); cookie != "" { // TYPO3 falls back to its default
		t.CookieName = cookie
	}
	o.text("cookieDomain", &t.CookieDomain, "BE/cookieDomain", "SYS/cookieDomain")
	o.number("sessionTimeout", &t.SessionTimeout, "BE/sessionTimeout")
	o.number("lockIP", &t.LockIP, "BE/lockIP")
	o.number("lockIPv6", &t.LockIPv6, "BE/lockIPv6")
	o.number("requireMfa", &t.RequireMFA, "BE/requireMfa")
	o.number("adminOnly", &t.AdminOnly, "BE/adminOnly")
	o.text("userHomePath", &t.UserHomePath, "BE/userHomePath")
	o.text("groupHomePath", &t.GroupHomePath, "BE/groupHomePath")
	o.text("userUploadDir", &t.UserUploadDir, "BE/userUploadDir")
	o.text("fileDenyPattern", &t.FileDenyPattern, "BE/fileDenyPattern")
	o.text("defaultUserTSconfig", &t.DefaultUserTSconfig, "BE/defaultUserTSconfig")
	o.texts("lockRootPath", &t.LockRootPath, "BE/lockRootPath")
	o.text("ipMaskList", &t.IPMaskList, "BE/IPmaskList")
	o.truth("lockSSL", &t.LockSSL, "BE/lockSSL")
	if o.text("cookieSameSite", &t.CookieSameSite, "BE/cookieSameSite"); t.CookieSameSite == "" {
		t.CookieSameSite = "strict" // as TYPO3 falls back
	}
	t.CookieSameSite = strings.ToLower(t.CookieSameSite)
	o.sessions(t)
	if !set("typo3.dsn") {
		if dsn := o.connection(); dsn != "" {
			t.DSN = secret.New(dsn)
		}
	}
	return errors.Join(o.problems...)
}

type overlay struct {
	file     *SettingsFile
	set      func(key string) bool
	problems []error
}

func (o *overlay) problem(path, text string) {
	o.problems = append(o.problems, fmt.Errorf("%s: %s: %s", o.file.path, path, text))
}

// text takes the first of paths that is set and not empty; an empty value is
// taken only if no path has more.
func (o *overlay) text(key string, to *string, paths ...string) {
	if o.set("typo3." + key) {
		return
	}
	found := false
	for _, path := range paths {
		v := o.file.lookup(path)
		if v == nil {
			continue
		}
		s, ok := v.(string)
		if !ok {
			o.problem(path, "must be a string")
			return
		}
		if s != "" {
			*to = s
			return
		}
		found = true
	}
	if found {
		*to = ""
	}
}

func (o *overlay) number(key string, to *int, path string) {
	if o.set("typo3." + key) {
		return
	}
	switch v := o.file.lookup(path).(type) {
	case nil:
		return
	case int64:
		*to = int(v)
		return
	case bool:
		*to = 0
		if v {
			*to = 1
		}
		return
	case string:
		if n, err := strconv.Atoi(strings.TrimSpace(v)); err == nil || v == "" { // PHP: "" is 0
			*to = n
			return
		}
	}
	o.problem(path, "must be a whole number")
}

// truth takes PHP's idea of it.
func (o *overlay) truth(key string, to *bool, path string) {
	n := 0
	if *to {
		n = 1
	}
	o.number(key, &n, path)
	*to = n != 0
}

// Class names of TYPO3's session backends.
const (
	databaseSessionClass = `TYPO3\CMS\Core\Session\Backend\DatabaseSessionBackend`
	redisSessionClass    = `TYPO3\CMS\Core\Session\Backend\RedisSessionBackend`
)

// sessions finds out where TYPO3 keeps the sessions of backend users.
func (o *overlay) sessions(t *config.TYPO3) {
	if o.set("typo3.sessionBackend") {
		return
	}
	class := ""
	o.text("sessionBackend", &class, "SYS/session/BE/backend")
	switch strings.TrimPrefix(class, `\`) {
	case "", databaseSessionClass:
		return
	case redisSessionClass:
		t.SessionBackend = config.SessionsInRedis
	default:
		o.problem("SYS/session/BE/backend", "is not one this program can read (database, Redis): set typo3.sessionBackend")
		return
	}
	const options = "SYS/session/BE/options/"
	host, port := "127.0.0.1", 6379 // RedisSessionBackend's defaults
	o.text("redis.address", &host, options+"hostname")
	o.number("redis.address", &port, options+"port")
	if !o.set("typo3.redis.address") {
		if t.Redis.Address = host; !strings.HasPrefix(host, "/") {
			t.Redis.Address = net.JoinHostPort(host, strconv.Itoa(port))
		}
	}
	o.number("redis.database", &t.Redis.Database, options+"database")
	o.text("redis.username", &t.Redis.Username, options+"username")
	password := ""
	if o.text("redis.password", &password, options+"password"); password != "" {
		t.Redis.Password = secret.New(password)
	}
}

// texts takes a list, or the one string that older releases keep there.
func (o *overlay) texts(key string, to *[]string, path string) {
	if o.set("typo3." + key) {
		return
	}
	switch v := o.file.lookup(path).(type) {
	case nil:
	case string:
		*to = nil
		if v != "" {
			*to = []string{v}
		}
	case *phpArray:
		var out []string
		for _, k := range v.keys {
			s, ok := v.values[k].(string)
			if !ok {
				o.problem(path, "must hold strings only")
				return
			}
			if s != "" {
				out = append(out, s)
			}
		}
		*to = out
	default:
		o.problem(path, "must be a list of strings")
	}
}

// connection makes typo3.dsn of TYPO3's default database connection.
func (o *overlay) connection() string {
	const path = "DB/Connections/Default"
	if _, ok := o.file.lookup(path).(*phpArray); !ok {
		return ""
	}
	before := len(o.problems)
	part := func(name string) string {
		switch v := o.file.lookup(path + "/" + name).(type) {
		case nil:
		case string:
			return v
		case int64:
			return strconv.FormatInt(v, 10)
		default:
			o.problem(path+"/"+name, "must be a string")
		}
		return ""
	}
	switch driver := part("driver"); driver {
	case "mysqli", "pdo_mysql":
		u := url.URL{Scheme: "mysql", User: url.UserPassword(part("user"), part("password")), Path: "/" + part("dbname")}
		socket := part("unix_socket")
		if u.Host = part("host"); u.Host == "" {
			u.Host = "localhost"
		}
		if port := part("port"); port != "" && port != "0" {
			u.Host = net.JoinHostPort(strings.Trim(u.Host, "[]"), port)
		} else if strings.Contains(u.Host, ":") && !strings.HasPrefix(u.Host, "[") {
			u.Host = "[" + u.Host + "]"
		}
		if socket != "" {
			u.Host, u.RawQuery = "", url.Values{"socket": {socket}}.Encode()
		}
		if u.Path == "/" {
			o.problem(path+"/dbname", "is missing: set typo3.dsn")
		}
		if len(o.problems) == before {
			return u.String()
		}
	case "pdo_sqlite":
		file := part("path")
		if !filepath.IsAbs(file) {
			o.problem(path+"/path", "must be an absolute path: set typo3.dsn")
		}
		if len(o.problems) == before {
			return (&url.URL{Scheme: "sqlite", Path: file}).String()
		}
	default:
		o.problem(path+"/driver", "is not one this program can use (mysqli, pdo_mysql, pdo_sqlite): set typo3.dsn")
	}
	return ""
}
