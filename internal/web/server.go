package web

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/config"
	"editor-actions/internal/fault"
)

// Server answers HTTP requests. It is safe for concurrent use.
type Server struct {
	Deps
	base    string // path prefix of every address, "" or "/editor-actions"
	proxies *proxies
	pages   *renderer
	thumbs  *thumbLimit
	streams *streamLimit
	signIns *attemptLimit
	checks  sync.Map // names of models that are being checked
	echo    *echo.Echo
}

// New makes a Server. The base path, the trusted proxies and the sign-in mode
// are those of this moment; everything else follows the settings.
func New(d Deps) (*Server, error) {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.NewID == nil {
		d.NewID = randomID
	}
	settings := d.Settings()
	if err := checkSignIn(settings, d.Sessions); err != nil {
		return nil, err
	}
	trusted, err := newProxies(settings.Server.TrustedProxies)
	if err != nil {
		return nil, err
	}
	base := strings.TrimRight(settings.Server.BasePath, "/")
	pages, err := newRenderer(base)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Deps: d, base: base, proxies: trusted, pages: pages,
		thumbs:  newThumbLimit(settings.Images.Workers),
		streams: newStreamLimit(),
		signIns: newAttemptLimit(d.Now),
		echo:    echo.New(),
	}
	s.echo.HideBanner, s.echo.HidePort = true, true
	s.echo.HTTPErrorHandler = s.fail
	s.echo.IPExtractor = trusted.clientIP
	if err := s.routes(settings); err != nil {
		return nil, err
	}
	return s, nil
}

// Handler is the whole surface, ready for http.Server.
func (s *Server) Handler() http.Handler { return s.echo }

// checkSignIn refuses the password form anywhere but on the demo's own database.
func checkSignIn(settings *config.Settings, sessions sessionIssuer) error {
	switch settings.Server.SignIn {
	case config.SignInTYPO3:
		return nil
	case config.SignInDemo:
		if !strings.HasPrefix(settings.TYPO3.DSN.Reveal(), "sqlite:") {
			return fault.New(fault.Invalid, "demo_sign_in_refused",
				"server.signIn: demo: only the demo's own SQLite site has a sign-in form. Use \"typo3\" for this database.")
		}
		if sessions == nil {
			return fmt.Errorf("web: demo sign-in without a session issuer")
		}
		return nil
	}
	return fault.New(fault.Invalid, "sign_in_mode", "server.signIn: %s: must be typo3 or demo.", settings.Server.SignIn)
}

func (s *Server) demo() bool { return s.Settings().Server.SignIn == config.SignInDemo }

// routes is the one list of addresses.
func (s *Server) routes(settings *config.Settings) error {
	origin, err := s.sameOrigin(settings)
	if err != nil {
		return err
	}
	s.echo.Use(s.requestID, s.accessLog, s.headers, s.recoverPanic, origin)
	root := s.echo.Group(s.base)

	root.GET("/healthz", s.healthz)
	root.GET("/readyz", s.readyz)
	root.GET("/assets/:version/:name", s.asset)
	root.GET("/sign-in", s.signInForm)
	if settings.Server.SignIn == config.SignInDemo {
		root.POST("/sign-in", s.signIn)
	}

	root.Any("/mcp", s.agents())

	in := root.Group("", s.requireViewer)
	in.GET("", s.home)
	in.GET("/", s.home)
	in.GET("/files", s.filesPage)
	in.GET("/files/:uid", s.filePage)
	in.GET("/thumb", s.thumb)
	in.GET("/actions", s.actionsPage)
	in.POST("/actions/start", s.startRun)
	in.GET("/runs/:id", s.runPage)
	in.GET("/runs/:id/events", s.runEvents)
	in.POST("/runs/:id/cancel", s.cancelRun)
	in.POST("/runs/:id/restore", s.restoreRun)
	in.GET("/assistant", s.assistantPage)
	in.POST("/assistant", s.askAssistant)
	in.GET("/batch", s.planPage)
	in.POST("/batch", s.startBatch)
	in.GET("/batch/:id", s.batchPage)
	in.GET("/review", s.inboxPage)
	in.POST("/review", s.approveMany)
	in.GET("/review/:id", s.cardPage)
	in.GET("/review/:id/picture", s.cardPicture)
	in.POST("/review/:id", s.decide)
	in.GET("/tokens", s.tokensPage)
	in.POST("/tokens", s.createToken)
	in.POST("/tokens/revoke", s.revokeToken)
	in.GET("/explain", s.explainPage)
	in.GET("/models", s.modelsPage)
	in.POST("/models/check", s.checkModel)
	if settings.Server.SignIn == config.SignInDemo {
		in.POST("/sign-out", s.signOut)
	}

	api := root.Group("/api/v1", s.asAPI, s.requireViewer)
	api.GET("/session", s.apiSession)
	api.GET("/actions", s.apiActions)
	api.POST("/runs", s.apiStart)
	api.POST("/assistant", s.apiAsk)
	api.GET("/runs/:id", s.apiRun)
	api.POST("/runs/:id/restore", s.apiRestore)
	api.GET("/files/:uid/content", s.apiContent)
	api.GET("/review", s.apiInbox)
	api.GET("/review/:id", s.apiCard)
	api.POST("/review/:id/decision", s.apiDecide)
	api.Any("/*", func(echo.Context) error { return errNoPage })
	return nil
}

// sameOrigin refuses unsafe requests that a browser sends for another site.
func (s *Server) sameOrigin(settings *config.Settings) (echo.MiddlewareFunc, error) {
	guard := http.NewCrossOriginProtection()
	if o := settings.Server.PublicOrigin; o != "" {
		if err := guard.AddTrustedOrigin(o); err != nil {
			return nil, fmt.Errorf("web: server.publicOrigin: %w", err)
		}
	}
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if c.Path() == s.base+"/mcp" {
				return next(c) // refuses them itself, more of them and in its protocol's words
			}
			if err := guard.Check(c.Request()); err != nil {
				if strings.HasPrefix(c.Request().URL.Path, s.base+"/api/") {
					c.Set(keyAPI, true)
				}
				return errOrigin.Because(err)
			}
			return next(c)
		}
	}, nil
}

func (s *Server) home(c echo.Context) error { return s.redirect(c, "/files") }

// redirect sends the browser on with GET.
func (s *Server) redirect(c echo.Context, path string) error {
	return c.Redirect(http.StatusSeeOther, s.base+path)
}

func randomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}
