package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/fault"
)

// messageView is a page that says one thing.
type messageView struct {
	page
	Tone    string
	Heading string
	Text    string
	Typed   []string // what was typed and must not be lost
	Back    string
	BackTo  string
	ID      string // request id, on failures of ours only
	Typing  bool   // what was typed is still in the page before
	SignIn  bool   // offer the way to the sign-in form
}

// fail answers a failure, for people or for programs. It is the only place that
// logs one.
func (s *Server) fail(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	err = coded(err)
	kind := fault.KindOf(err)
	ctx := c.Request().Context()
	if kind == fault.Internal && ctx.Err() != nil {
		// The browser went away; nobody reads an answer.
		s.Log.DebugContext(ctx, "left request", "request_id", requestID(c), "err", err)
		_ = c.NoContent(http.StatusServiceUnavailable) // to nobody
		return
	}
	marked, _ := c.Get(keyMarked).(bool)
	if (kind == fault.Internal || kind == fault.Unavailable) && !marked {
		s.Log.ErrorContext(ctx, "answered failure", "request_id", requestID(c), "route", c.Path(), "err", err)
	}
	if kind == fault.Internal {
		c.Response().Header().Set(echo.HeaderXRequestID, requestID(c))
	}
	if kind == fault.RateLimited {
		c.Response().Header().Set("Retry-After", "30")
	}
	var answer error
	switch api, _ := c.Get(keyAPI).(bool); {
	case api:
		answer = s.problem(c, err)
	case kind == fault.Unauthenticated:
		answer = s.signedOutPage(c, err)
	default:
		answer = s.errorPage(c, err)
	}
	if answer != nil {
		s.Log.ErrorContext(ctx, "answer failure", "request_id", requestID(c), "err", answer)
		if !c.Response().Committed {
			_ = c.NoContent(http.StatusInternalServerError) // nothing better is left
		}
	}
}

// errorPage is the page for a failure. For everything that is not available it
// is one and the same page, whatever the reason (P3).
func (s *Server) errorPage(c echo.Context, err error) error {
	w := s.words(c)
	kind := fault.KindOf(err)
	v := messageView{Tone: "warning", Heading: w.T(Key("error.heading." + string(kind))), Text: w.sentence(err)}
	switch kind {
	case fault.Internal:
		v.Tone, v.ID = "danger", requestID(c)
	case fault.NotFound:
		v.Tone = "info"
	case fault.TooLarge:
		v.Typing = true
	}
	v.page = s.newPage(c, "", "title.plain", v.Heading)
	v.Typed, v.Back = typedOf(err)
	if v.Back == "" {
		v.Back, v.BackTo = "/files", w.T("error.back_to_files")
	} else {
		v.BackTo = w.T("error.back_to_form")
	}
	return s.render(c, statusOf(err), "message", w.lang, v)
}

// signedOutPage sends a reader to the sign-in form or says where to sign in.
// What was typed into a form is shown, so that nothing is lost.
func (s *Server) signedOutPage(c echo.Context, err error) error {
	typed, _ := typedOf(err)
	if s.demo() && len(typed) == 0 && errors.Is(err, errSignedOut) {
		if m := c.Request().Method; m == http.MethodGet || m == http.MethodHead {
			if strings.HasSuffix(c.Path(), "/events") || strings.HasSuffix(c.Path(), "/thumb") || strings.HasSuffix(c.Path(), "/picture") {
				return c.NoContent(http.StatusUnauthorized)
			}
			return s.redirect(c, "/sign-in?next="+queryEscape(strings.TrimPrefix(c.Request().URL.RequestURI(), s.base)))
		}
	}
	w := s.words(c)
	v := messageView{Tone: "info", Heading: w.T("signed_out.heading"), Text: w.sentence(err), Typed: typed, SignIn: s.demo()}
	v.page = s.newPage(c, "", "title.plain", v.Heading)
	if !s.demo() {
		v.Text = w.T("signed_out.typo3")
		if errors.Is(err, errSecondStep) {
			v.Text = w.T("signed_out.second_factor")
		}
		v.Back, v.BackTo = s.typo3Address(), w.T("signed_out.go_to_typo3")
	}
	return s.render(c, http.StatusUnauthorized, "message", w.lang, v)
}

// typo3Address is where TYPO3's own sign-in is.
func (s *Server) typo3Address() string {
	settings := s.Settings()
	site := settings.TYPO3.SitePath
	if site == "" {
		site = "/"
	}
	return strings.TrimRight(settings.Server.TYPO3Origin, "/") + site + "typo3/"
}

// problem answers a program (RFC 9457).
func (s *Server) problem(c echo.Context, err error) error {
	w := s.words(c)
	body := problemView{
		Type: "about:blank", Title: http.StatusText(statusOf(err)), Status: statusOf(err),
		Code: codeOf(err), Detail: w.sentence(err),
	}
	if fault.KindOf(err) == fault.Internal {
		body.RequestID = requestID(c)
	}
	return writeJSON(c, statusOf(err), "application/problem+json", body)
}

type problemView struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Code      string `json:"code"`
	Detail    string `json:"detail"`
	RequestID string `json:"request_id,omitempty"`
}

func itoa[T ~uint32 | ~uint64](n T) string { return strconv.FormatUint(uint64(n), 10) }
