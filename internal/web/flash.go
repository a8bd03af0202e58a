package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

const flashCookie = "ea_flash"

// flash is a message for the next page, kept in a cookie that only we can
// write. It names things by key, so that it reads in the reader's language.
type flash struct {
	Tone  string   `json:"t"` // success, info, warning, danger
	Key   Key      `json:"k"`
	Args  []any    `json:"a,omitempty"`
	Items []string `json:"i,omitempty"` // lines below the message
	// Link leads to where the message's object is, when the next page is another.
	Link    string `json:"l,omitempty"`
	LinkKey Key    `json:"m,omitempty"`
}

// flashView is a flash on its page.
type flashView struct {
	Tone, Text     string
	Items          []string
	Link, LinkText string
}

func (s *Server) setFlash(c echo.Context, f flash) {
	raw, err := json.Marshal(f)
	if err != nil { // strings always marshal
		return
	}
	text := base64.RawURLEncoding.EncodeToString(raw)
	mac, err := s.flashMAC(c, text)
	if err != nil {
		return
	}
	c.SetCookie(s.flashCookie(c, text+"."+mac, 120))
}

// takeFlash reads the message and takes it away.
func (s *Server) takeFlash(c echo.Context) *flashView {
	ck, err := c.Cookie(flashCookie)
	if err != nil || ck.Value == "" {
		return nil
	}
	c.SetCookie(s.flashCookie(c, "", -1))
	text, sent, _ := strings.Cut(ck.Value, ".")
	want, err := s.flashMAC(c, text)
	if err != nil || !hmac.Equal([]byte(want), []byte(sent)) {
		return nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	var f flash
	if json.Unmarshal(raw, &f) != nil {
		return nil
	}
	w := s.words(c)
	v := &flashView{Tone: f.Tone, Text: w.T(f.Key, w.arguments(f.Args)...), Items: f.Items}
	if f.Link != "" {
		v.Link, v.LinkText = s.base+f.Link, w.T(f.LinkKey)
	}
	return v
}

func (s *Server) flashMAC(c echo.Context, text string) (string, error) {
	key, err := s.derive("flash")
	if err != nil {
		return "", err
	}
	m := hmac.New(sha256.New, key)
	m.Write([]byte(current(c).token + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil)), nil
}

func (s *Server) flashCookie(c echo.Context, value string, seconds int) *http.Cookie {
	ck := &http.Cookie{ //nolint:gosec // Secure on every https request; the demo may be plain http
		Name: flashCookie, Value: value, Path: s.base + "/", MaxAge: seconds, HttpOnly: true,
	}
	s.guard(c, ck)
	ck.Partitioned = ck.SameSite == http.SameSiteNoneMode
	return ck
}

// guard gives a cookie the attributes that TYPO3 gives its own (BE/cookieSameSite):
// one that is sent less often than TYPO3's would be missing where TYPO3's is there.
func (s *Server) guard(c echo.Context, ck *http.Cookie) { //nolint:gosec // it is what sets the attributes
	ck.Secure = s.proxies.https(c.Request())
	switch s.Settings().TYPO3.CookieSameSite {
	case "none": // browsers take it with Secure only
		ck.SameSite, ck.Secure = http.SameSiteNoneMode, true
	case "lax":
		ck.SameSite = http.SameSiteLaxMode
	default:
		ck.SameSite = http.SameSiteStrictMode
	}
}
