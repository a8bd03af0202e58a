package web

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
)

// maxBody bounds what a request may send.
const maxBody = 64 << 10

// maxDrain is how much of an oversized body is still taken, so that the browser
// gets to read our answer instead of a broken connection.
const maxDrain = 8 << 20

// readBody reads a whole request body within the limit.
func readBody(c echo.Context) ([]byte, error) {
	r := c.Request()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, errBadForm.Because(err)
	}
	if len(body) > maxBody {
		_, _ = io.CopyN(io.Discard, r.Body, maxDrain) // whatever it is, it is not used
		return nil, errBodyTooBig
	}
	return body, nil
}

// form is a posted form. Absent and empty are different for Has only.
type form struct{ values url.Values }

// readForm reads an urlencoded form. Multipart is not accepted: no form of ours sends it.
func readForm(c echo.Context) (form, error) {
	body, err := readBody(c)
	if err != nil {
		return form{}, err
	}
	if ct, _, _ := strings.Cut(c.Request().Header.Get(echo.HeaderContentType), ";"); strings.TrimSpace(ct) != echo.MIMEApplicationForm {
		return form{}, errBadForm
	}
	v, err := url.ParseQuery(string(bytes.TrimSpace(body)))
	if err != nil {
		return form{}, errBadForm.Because(err)
	}
	return form{values: v}, nil
}

// Text is a field's value with the line ends of browsers made plain.
func (f form) Text(name string) string {
	return strings.ReplaceAll(f.values.Get(name), "\r\n", "\n")
}

// Has reports whether the form has the field at all.
func (f form) Has(name string) bool { return f.values.Has(name) }

// Typed are the texts a person wrote into the form, for a page that keeps them.
func (f form) Typed() []string {
	var out []string
	for _, name := range []string{"note", "alternative", "title", "description", "reason"} {
		if t := strings.TrimSpace(f.Text(name)); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// keptForm is an error after which what was typed is shown again, to copy.
type keptForm struct {
	cause error
	typed []string
	back  string // where the form is
}

func (k *keptForm) Error() string { return k.cause.Error() }
func (k *keptForm) Unwrap() error { return k.cause }

// keep wraps a failure of a whole request with what was typed.
func keep(err error, f form, back string) error {
	if err == nil {
		return nil
	}
	return &keptForm{cause: err, typed: f.Typed(), back: back}
}

func typedOf(err error) ([]string, string) {
	if k, ok := errors.AsType[*keptForm](err); ok {
		return k.typed, k.back
	}
	return nil, ""
}

// parseUID reads a record's uid. What no record can have gives 0, which is never
// found and so answers like any other missing record.
func parseUID(s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || (len(s) > 1 && s[0] == '0') {
		return 0
	}
	return n
}

var idempotencyKey = regexp.MustCompile(`^[A-Za-z0-9_-]{8,64}$`)

// runID is how a run's id can look. Anything else is no run and never reaches a query.
var runID = regexp.MustCompile(`^[0-9a-fA-F-]{16,64}$`)
