package web

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/labstack/echo/v4"
)

// Keys of what a request carries from middleware to handler.
const (
	keyRequestID = "request_id"
	keySession   = "session"
	keyAPI       = "api"
	keyMarked    = "marked" // a log mark that a failure was logged
)

// requestID gives every request a name that logs and error pages share. It is
// sent back on errors of ours only: two refusals must not differ by it (P3).
func (s *Server) requestID(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := ""
		if s.proxies.trusted(c.Request().RemoteAddr) {
			id = cleanRequestID(c.Request().Header.Get(echo.HeaderXRequestID))
		}
		if id == "" {
			id = s.NewID()
		}
		c.Set(keyRequestID, id)
		return next(c)
	}
}

const requestIDLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// cleanRequestID takes a proxy's name for the request when it is fit for a log line.
func cleanRequestID(id string) string {
	if len(id) > 64 || strings.ContainsFunc(id, func(r rune) bool {
		return !strings.ContainsRune(requestIDLetters, r)
	}) {
		return ""
	}
	return id
}

func requestID(c echo.Context) string { id, _ := c.Get(keyRequestID).(string); return id }

// accessLog writes one line per request. The route stands for the address, so
// that no query and no name gets into a log (P15).
func (s *Server) accessLog(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		began := s.Now()
		if err := next(c); err != nil {
			c.Error(err)
		}
		if route := c.Path(); strings.HasSuffix(route, "/healthz") || strings.HasSuffix(route, "/readyz") || strings.Contains(route, "/assets/") {
			return nil
		}
		args := []any{
			"request_id", requestID(c), "method", c.Request().Method, "route", c.Path(),
			"status", c.Response().Status, "duration_ms", s.Now().Sub(began).Milliseconds(),
		}
		if in, ok := c.Get(keySession).(*session); ok {
			args = append(args, "be_user_uid", in.viewer.UID)
		}
		s.Log.InfoContext(c.Request().Context(), "answered request", args...)
		return nil
	}
}

// recoverPanic turns a panic into the fixed page for internal errors.
func (s *Server) recoverPanic(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			r := recover()
			if r == nil {
				return
			}
			if r == http.ErrAbortHandler { //nolint:errorlint // a panic value, compared as net/http does
				panic(r)
			}
			s.Log.ErrorContext(c.Request().Context(), "recovered panic", "request_id", requestID(c),
				"route", c.Path(), "err", fmt.Sprint(r), "stack", string(debug.Stack()))
			c.Set(keyMarked, true)
			err = fmt.Errorf("web: panic in %s", c.Path())
		}()
		return next(c)
	}
}

// headers are on every answer. No page may be stored, nothing runs that is not
// ours, and only the configured TYPO3 may frame us.
func (s *Server) headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ancestors := "'self'"
		if o := s.Settings().Server.TYPO3Origin; o != "" {
			ancestors += " " + o
		}
		h := c.Response().Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "+
			"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors "+ancestors)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		return next(c)
	}
}
