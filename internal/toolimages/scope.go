package toolimages

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"editor-actions/internal/suspend"
)

// Live is the workspace of all runs: texts of files have no versions in TYPO3.
const Live = "live"

// Scope is whom pictures belong to. The host binds it; there is no way to take it from a
// model or a request. All four are required.
type Scope struct {
	Installation string // a stable name of this CMS, no secret of it
	Workspace    string
	ActingUser   uint32 // who started the run, also when a reviewer resumes it
	Run          suspend.RunID
}

// ScopeFunc answers the scope of the moment. It is asked once, at the start of each call.
type ScopeFunc func(ctx context.Context) (Scope, error)

// ForRun is the scope of a run, whoever resumes it.
func ForRun(installation string, r *suspend.Run) Scope {
	return Scope{Installation: installation, Workspace: Live, ActingUser: r.Initiator, Run: r.ID}
}

func (s Scope) complete() bool {
	blank := func(t string) bool { return strings.TrimSpace(t) == "" }
	return !blank(s.Installation) && !blank(s.Workspace) && s.ActingUser != 0 && !blank(string(s.Run))
}

// hash is what the scope is stored as.
func (s Scope) hash() string {
	list, _ := json.Marshal([]any{s.Installation, s.Workspace, s.ActingUser, s.Run}) // strings and a number always marshal
	sum := sha256.Sum256(list)
	return hex.EncodeToString(sum[:])
}

// scope asks the host. Without an answer nothing is read or stored.
func (s *Service) scope(ctx context.Context) (Scope, error) {
	if s.host.Scope == nil {
		return Scope{}, because(ErrScope, "no scope is bound")
	}
	scope, err := s.host.Scope(ctx)
	switch {
	case ctx.Err() != nil:
		return Scope{}, fmt.Errorf("toolimages: ask for the scope: %w", context.Cause(ctx))
	case err != nil:
		return Scope{}, because(ErrScope, "ask for the scope: %v", err)
	case !scope.complete():
		return Scope{}, because(ErrScope, "the scope has a gap")
	}
	return scope, nil
}

// Available reports whether pictures of tools can be kept now: where no run is bound,
// tools that return one are not offered.
func (s *Service) Available(ctx context.Context) bool {
	_, err := s.scope(ctx)
	return err == nil
}
