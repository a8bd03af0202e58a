package database

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"editor-actions/internal/secret"

	mysqldriver "github.com/go-sql-driver/mysql"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
)

const (
	connectTimeout = 5 * time.Second
	// ioTimeout is longer than InnoDB waits for a lock (50 s): the server's own
	// answer comes first.
	ioTimeout = 90 * time.Second
)

// strictMode adds to what the server has set: a text that is too long must be an
// error, never a cut text. TYPO3's connections may run without it.
const strictMode = "CONCAT(@@sql_mode, ',STRICT_TRANS_TABLES')"

func openMySQL(dsn secret.String) (*gorm.DB, error) {
	c, err := mysqlConfig(dsn.Reveal())
	if err != nil {
		return nil, err
	}
	connector, err := mysqldriver.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("cannot use MySQL at %s: %w", c.Addr, err)
	}
	pool := limit(connector)
	db, err := gorm.Open(mysql.New(mysql.Config{Conn: pool, SkipInitializeWithVersion: true}), options())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot use MySQL at %s: %w", c.Addr, err), pool.Close())
	}
	return db, nil
}

// mysqlConfig reads mysql://user:pass@host:port/name. Its errors never quote the
// address, which holds the password.
func mysqlConfig(dsn string) (*mysqldriver.Config, error) {
	u, err := url.Parse(dsn)
	if err != nil || u.Opaque != "" || u.Fragment != "" {
		return nil, errors.New("is no address of the form mysql://user:pass@host:port/name (a special character in the password is written as %XX)")
	}
	c := mysqldriver.NewConfig()
	c.DBName = strings.TrimPrefix(u.Path, "/")
	if c.DBName == "" || strings.Contains(c.DBName, "/") {
		return nil, errors.New("must name one database at its end: mysql://user:pass@host:port/name")
	}
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password()
	port := u.Port()
	if port == "" {
		port = "3306"
	}
	c.Net, c.Addr = "tcp", net.JoinHostPort(u.Hostname(), port)
	for name, values := range u.Query() {
		switch value := values[len(values)-1]; name {
		case "socket":
			c.Net, c.Addr = "unix", value
		case "tls":
			if value != "true" && value != "false" && value != "preferred" && value != "skip-verify" {
				return nil, errors.New("has an unknown tls: must be true, false, preferred or skip-verify")
			}
			c.TLSConfig = value
		default:
			return nil, fmt.Errorf("has an unknown part %q: allowed are socket and tls", name)
		}
	}
	if c.Net == "tcp" && u.Hostname() == "" {
		return nil, errors.New("must name a host, or a socket: mysql://user:pass@/name?socket=/run/mysqld/mysqld.sock")
	}
	c.ParseTime, c.Loc, c.ClientFoundRows = true, time.UTC, true
	c.Timeout, c.ReadTimeout, c.WriteTimeout = connectTimeout, ioTimeout, ioTimeout
	c.Collation = "utf8mb4_unicode_ci"
	c.Params = map[string]string{"time_zone": "'+00:00'", "sql_mode": strictMode}
	c.InterpolateParams = true // one round trip a query
	c.Logger = &mysqldriver.NopLogger{}
	return c, nil
}
