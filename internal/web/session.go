package web

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/fault"
	"editor-actions/internal/typo3"
)

// session is who a request is.
type session struct {
	viewer *typo3.BackendUser
	cookie string
	token  string // what every form of this session carries
}

// Results of typo3's session check.
const (
	resultUser         = "user"
	resultSecondFactor = "second_factor_required"
)

// requireViewer lets signed-in backend users in, as TYPO3 would: on every request anew.
func (s *Server) requireViewer(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		in, err := s.signedIn(c)
		if err != nil {
			return s.keepTyped(c, err)
		}
		c.Set(keySession, in)
		return next(c)
	}
}

// keepTyped saves what somebody wrote before their session ended.
func (s *Server) keepTyped(c echo.Context, err error) error {
	if api, _ := c.Get(keyAPI).(bool); api || c.Request().Method != http.MethodPost {
		return err
	}
	f, formErr := readForm(c)
	if formErr != nil {
		return err
	}
	return keep(err, f, "/files")
}

func (s *Server) signedIn(c echo.Context) (*session, error) {
	settings := s.Settings()
	cookie, err := c.Cookie(settings.TYPO3.CookieName)
	if err != nil || cookie.Value == "" {
		return nil, errSignedOut
	}
	ctx := c.Request().Context()
	res, err := s.CMS.SessionUser(ctx, typo3.SessionRequest{
		Cookie: cookie.Value, Host: c.Request().Host, RemoteIP: c.RealIP(), HTTPS: s.proxies.https(c.Request()), Now: s.Now(),
	})
	if err != nil {
		return nil, err
	}
	switch string(res.Result) {
	case resultUser:
	case resultSecondFactor:
		return nil, errSecondStep
	default:
		return nil, errSignedOut
	}
	user, err := s.CMS.User(ctx, res.UserUID)
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Forbidden, fault.Unauthenticated:
		return nil, errSignedOut.Because(err)
	}
	if err != nil {
		return nil, err
	}
	if !user.MayEnter(settings.Access.Groups) {
		return nil, errNoAccess
	}
	viewer := *user
	viewer.OriginalUID = res.OriginalUserUID
	token, err := s.formToken(sessionID(cookie.Value), viewer.UID)
	if err != nil {
		return nil, err
	}
	return &session{viewer: &viewer, cookie: cookie.Value, token: token}, nil
}

// sessionID reads the session's id out of a cookie that SessionUser has
// verified. The rest of the cookie changes whenever TYPO3 sends it again.
func sessionID(cookie string) string {
	parts := strings.Split(cookie, ".")
	if len(parts) != 3 {
		return cookie
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return cookie
	}
	var claims struct {
		Identifier string `json:"identifier"`
	}
	if json.Unmarshal(payload, &claims) != nil || claims.Identifier == "" {
		return cookie
	}
	return claims.Identifier
}

// derive makes a key of our own out of TYPO3's, one per purpose.
func (s *Server) derive(purpose string) ([]byte, error) {
	return hkdf.Key(sha256.New, []byte(s.Settings().TYPO3.EncryptionKey.Reveal()), nil, "editor-actions/"+purpose, sha256.Size)
}

// formToken is bound to the session and to the user in it: switching the user
// in TYPO3 keeps the session's id.
func (s *Server) formToken(sessionID string, user typo3.UserUID) (string, error) {
	key, err := s.derive("form-token")
	if err != nil {
		return "", err
	}
	m := hmac.New(sha256.New, key)
	m.Write([]byte(sessionID + "\x00" + strconv.FormatUint(uint64(user), 10)))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil)), nil
}

// checkToken compares in constant time.
func (in *session) checkToken(sent string) error {
	if subtle.ConstantTimeCompare([]byte(in.token), []byte(sent)) != 1 {
		return errFormToken
	}
	return nil
}

// current is the session of a request behind requireViewer.
func current(c echo.Context) *session { return c.Get(keySession).(*session) }

func viewerOf(c echo.Context) *typo3.BackendUser { return current(c).viewer }

// words is the catalogue for the reader of this answer.
func (s *Server) words(c echo.Context) *words {
	if in, ok := c.Get(keySession).(*session); ok {
		return wordsFor(in.viewer.Language)
	}
	return wordsAccepted(c.Request().Header.Get("Accept-Language"))
}

// sessionCookie is TYPO3's cookie with TYPO3's attributes.
func (s *Server) sessionCookie(c echo.Context, value string) *http.Cookie {
	t := s.Settings().TYPO3
	path := t.SitePath
	if path == "" {
		path = "/"
	}
	ck := &http.Cookie{ //nolint:gosec // Secure on every https request; the demo may be plain http
		Name: t.CookieName, Value: value, Path: path, HttpOnly: true,
	}
	s.guard(c, ck)
	if value == "" {
		ck.MaxAge = -1
	}
	return ck
}

// localPath accepts an address of ours to go on to, and nothing that a browser
// could take for another site.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/files"
	}
	return u.RequestURI()
}
