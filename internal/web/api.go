package web

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// tokenHeader carries the form token of an API call; "token" in the body does too.
const tokenHeader = "X-EA-Token"

// asAPI marks requests whose failures are answered as problem+json.
func (s *Server) asAPI(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Set(keyAPI, true)
		return next(c)
	}
}

func writeJSON(c echo.Context, code int, contentType string, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(true)
	if err := e.Encode(v); err != nil {
		return err
	}
	return c.Blob(code, contentType, b.Bytes())
}

func answerJSON(c echo.Context, code int, v any) error {
	return writeJSON(c, code, echo.MIMEApplicationJSON, v)
}

// readJSON reads one strict JSON object into v.
func readJSON(c echo.Context, v any) error {
	ct, _, _ := strings.Cut(c.Request().Header.Get(echo.HeaderContentType), ";")
	if !strings.EqualFold(strings.TrimSpace(ct), echo.MIMEApplicationJSON) {
		return errJSONType
	}
	body, err := readBody(c)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return errJSONBody.Because(err)
	}
	if _, err := d.Token(); err != io.EOF { // Token promises io.EOF itself
		return errJSONBody
	}
	return nil
}

// checkAPIToken takes the token from the header, else from the body.
func checkAPIToken(c echo.Context, inBody string) error {
	sent := c.Request().Header.Get(tokenHeader)
	if sent == "" {
		sent = inBody
	}
	return current(c).checkToken(sent)
}

// idempotencyHeader reads the header that makes a repeated call harmless.
func idempotencyHeader(c echo.Context) (string, error) {
	key := c.Request().Header.Get("Idempotency-Key")
	if !idempotencyKey.MatchString(key) {
		return "", errIdempotency
	}
	return key, nil
}

// apiSession says who is signed in, and gives the token for unsafe calls.
func (s *Server) apiSession(c echo.Context) error {
	in := current(c)
	return answerJSON(c, http.StatusOK, sessionJSON{
		UserUID: uint32(in.viewer.UID), Name: in.viewer.DisplayName(), Language: s.words(c).lang,
		Admin: in.viewer.Admin, Token: in.token,
	})
}

type sessionJSON struct {
	UserUID  uint32 `json:"user_uid"`
	Name     string `json:"name"`
	Language string `json:"language"`
	Admin    bool   `json:"admin"`
	Token    string `json:"token"`
}
