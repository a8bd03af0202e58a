package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"editor-actions/internal/actions"
	"editor-actions/internal/config"
	"editor-actions/internal/fault"
	"editor-actions/internal/readtools"
	"editor-actions/internal/token"
	"editor-actions/internal/typo3"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"
)

var errTooOften = fault.New(fault.RateLimited, "too_many_calls", "This access token made too many calls in a short time. Wait a moment, then go on.")

// ours is what is said about a failure on our side.
const ours = "Something went wrong on the server's side; nothing was written. Tell the operator this number: "

// JSON-RPC codes from the range for servers.
const (
	codeUnauthorized = -32001
	codeRefused      = -32003
)

// caller is who makes a call: a token and its owner with the rights of this moment.
type caller struct {
	token *token.Token
	user  *typo3.BackendUser
	// origin is how the client reached us, "http://127.0.0.1:8080"; "" when that says nothing.
	origin string
}

type callerKey struct{}

func callerOf(ctx context.Context) *caller {
	c, _ := ctx.Value(callerKey{}).(*caller)
	return c
}

// secretKey holds the token of a stdio client.
type secretKey struct{}

// whenGone has f called when the client of an HTTP request has gone away, unless it is
// stopped before: the SDK cuts the work off from the request. goneKey holds it.
type (
	whenGone func(f func()) (stop func() bool)
	goneKey  struct{}
)

// Methods that are answered with a scope.
const (
	methodListTools     = "tools/list"
	methodCallTool      = "tools/call"
	methodListResources = "resources/list"
	methodReadResource  = "resources/read"
)

// guard stands before every method: whose call is it, may they make so many, and does
// the work end when nobody waits for it any more.
func (s *Server) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch {
		case strings.HasPrefix(method, "notifications/"), method == "ping":
			return next(ctx, method, req)
		}
		by, err := s.identify(ctx)
		if err != nil {
			return nil, s.protocolError(ctx, req, err)
		}
		ctx, cancel := context.WithTimeout(context.WithValue(ctx, callerKey{}, by), callTimeout)
		defer cancel()
		// A client that goes away cancels what it asked for: over HTTP there is nothing to resume.
		if gone, ok := ctx.Value(goneKey{}).(whenGone); ok {
			defer gone(cancel)()
		}
		leave, ok := s.limits.enter(ctx, by.token.ID, s.Settings().MCP)
		if !ok {
			if method == methodCallTool {
				return s.refusal(ctx, req, errTooOften), nil
			}
			return nil, s.protocolError(ctx, req, errTooOften)
		}
		defer leave()
		began := s.Now()
		res, err := s.recovered(s.answering(by, next))(ctx, method, req)
		s.Log.InfoContext(ctx, "answered agent", "request_id", requestID(req), "method", method, "tool", s.toolName(req), "token_id", by.token.ID,
			"be_user_uid", by.user.UID, "duration_ms", s.Now().Sub(began).Milliseconds(), "refused", err != nil || refused(res))
		return res, err
	}
}

// recovered makes a panic a failure of ours: the SDK runs methods in goroutines of its
// own, where one would end the whole service.
func (s *Server) recovered(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		defer func() {
			r := recover()
			if r == nil {
				return
			}
			s.Log.ErrorContext(ctx, "recovered panic", "request_id", requestID(req), "method", method, "tool", s.toolName(req),
				"err", fmt.Sprint(r), "stack", string(debug.Stack()))
			failure := fmt.Errorf("mcp: panic in %s", method)
			if method == methodCallTool {
				res, err = s.refusal(ctx, req, failure), nil
				return
			}
			res, err = nil, s.protocolError(ctx, req, failure)
		}()
		return next(ctx, method, req)
	}
}

func (s *Server) answering(by *caller, next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		return s.answer(ctx, by, method, req, next)
	}
}

func (s *Server) answer(ctx context.Context, by *caller, method string, req sdk.Request, next sdk.MethodHandler) (sdk.Result, error) {
	switch method {
	case methodCallTool:
		if p, ok := req.GetParams().(*sdk.CallToolParamsRaw); ok {
			if err := s.mayCall(by, p.Name); err != nil {
				return s.refusal(ctx, req, err), nil
			}
		}
	case methodListResources, methodReadResource:
		if !by.token.May(token.Read) {
			return nil, s.protocolError(ctx, req, scopeError(token.Read))
		}
	}
	if method == methodListResources {
		return s.listResources(ctx, by, req)
	}
	res, err := next(ctx, method, req)
	if list, ok := res.(*sdk.ListToolsResult); ok && err == nil {
		mine := *list
		mine.Tools = s.toolsOf(by, list.Tools)
		return &mine, nil
	}
	return res, err
}

// identify says who calls: HTTP has checked the token of this request, stdio checks
// it on every call.
func (s *Server) identify(ctx context.Context) (*caller, error) {
	if by := callerOf(ctx); by != nil {
		return by, nil
	}
	text, _ := ctx.Value(secretKey{}).(string)
	t, u, err := s.Tokens.Check(ctx, text)
	if err != nil {
		return nil, err
	}
	return &caller{token: t, user: u}, nil
}

// mayCall holds a tool against the scopes of the token. A tool that does not exist is
// the protocol's own affair.
func (s *Server) mayCall(by *caller, tool string) error {
	switch {
	case s.reads[tool] && !by.token.May(token.Read):
		return scopeError(token.Read)
	case s.writes[tool] && !by.token.May(token.Propose):
		return scopeError(token.Propose)
	}
	return nil
}

// toolsOf is the list as the caller may see it. What texts are wanted stands in the
// descriptions, because it depends on whose they are.
func (s *Server) toolsOf(by *caller, all []*sdk.Tool) []*sdk.Tool {
	mine := slices.DeleteFunc(slices.Clone(all), func(t *sdk.Tool) bool { return !s.offered(by, t.Name) })
	for i, t := range mine {
		if !s.writes[t.Name] {
			continue
		}
		if w, on := s.WriteTools.Tool(t.Name); on {
			own := *t
			own.Description += " " + actions.Wanted(s.Settings(), by.user, w)
			mine[i] = &own
		}
	}
	return mine
}

// offered reports whether a tool is in the caller's list: within its scopes, and not
// switched off.
func (s *Server) offered(by *caller, tool string) bool {
	if s.mayCall(by, tool) != nil {
		return false
	}
	if s.reads[tool] {
		on := readtools.On(s.Settings(), s.ReadTools)
		return slices.ContainsFunc(on, func(t readtools.Tool) bool { return t.Name() == tool })
	}
	if !s.writes[tool] {
		return true
	}
	_, on := s.WriteTools.Tool(tool)
	return on
}

func scopeError(scope token.Scope) error {
	return fault.New(fault.Forbidden, "token_scope", "This access token may not do that: it was made without the scope %s.", string(scope))
}

// toolName is the name for the log: a tool of ours, never a stranger's words.
func (s *Server) toolName(req sdk.Request) string {
	p, ok := req.GetParams().(*sdk.CallToolParamsRaw)
	switch {
	case !ok:
		return ""
	case s.reads[p.Name], s.writes[p.Name], p.Name == toolGet, p.Name == toolList:
		return p.Name
	}
	return "other"
}

func refused(res sdk.Result) bool {
	r, ok := res.(*sdk.CallToolResult)
	return ok && r.IsError
}

// refusal is an error as a tool's result: one sentence and its code.
func (s *Server) refusal(ctx context.Context, req sdk.Request, err error) *sdk.CallToolResult {
	_, text := s.sayable(ctx, req, err)
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// protocolError is an error where the protocol has no result for one.
func (s *Server) protocolError(ctx context.Context, req sdk.Request, err error) error {
	kind, text := s.sayable(ctx, req, err)
	code := int64(codeRefused)
	switch kind {
	case fault.Unauthenticated:
		code = codeUnauthorized
	case fault.Internal:
		code = jsonrpc.CodeInternalError
	case fault.Invalid:
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: text}
}

// sayable is what may be told about err, with its code. A failure of ours is logged
// here, once.
func (s *Server) sayable(ctx context.Context, req sdk.Request, err error) (fault.Kind, string) {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind == fault.Internal || f.Kind == fault.Unavailable {
		id := requestID(req)
		s.Log.ErrorContext(ctx, "answered failure", "request_id", id, "err", err)
		if !ok || f.Kind == fault.Internal {
			return fault.Internal, ours + id + " [internal]"
		}
	}
	return f.Kind, f.Sentence() + " [" + f.Code + "]"
}

// requestHeader carries the name of the HTTP request from the web server's log.
const requestHeader = "X-Request-Id"

func requestID(req sdk.Request) string {
	if e := req.GetExtra(); e != nil && e.Header.Get(requestHeader) != "" {
		return e.Header.Get(requestHeader)
	}
	return randomID()
}

// atOnce is how many calls of a token are answered at the same time; more wait for their
// turn. A call may hold a whole file, and one request may bring many calls.
const atOnce = 4

// limits slow down each token.
type limits struct {
	now func() time.Time
	mu  sync.Mutex
	by  map[string]*pace // only tokens that exist get an entry
}

type pace struct {
	*rate.Limiter
	turns chan struct{}
}

func newLimits(now func() time.Time) *limits {
	return &limits{now: now, by: map[string]*pace{}}
}

// enter counts a call and waits for its turn, which the returned function ends. False
// when there were too many, or none of those before it ended in time.
func (l *limits) enter(ctx context.Context, id string, s config.MCP) (leave func(), ok bool) {
	p := l.allowed(id, s)
	if p == nil {
		return nil, false
	}
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }, true
	case <-ctx.Done():
		return nil, false
	}
}

// allowed counts a call, nil when it is one too many. A quarter of a minute's calls may
// come at once.
func (l *limits) allowed(id string, s config.MCP) *pace {
	l.mu.Lock()
	defer l.mu.Unlock()
	every, burst := rate.Limit(float64(s.CallsPerMinute)/60), max(1, s.CallsPerMinute/4)
	p, ok := l.by[id]
	if !ok {
		p = &pace{rate.NewLimiter(every, burst), make(chan struct{}, atOnce)}
		l.by[id] = p
	}
	now := l.now()
	if p.Limit() != every { // the settings changed
		p.SetLimitAt(now, every)
		p.SetBurstAt(now, burst)
	}
	if !p.AllowN(now, 1) {
		return nil
	}
	return p
}
