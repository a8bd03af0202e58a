package toolimages_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/media"
	"editor-actions/internal/suspend"
	"editor-actions/internal/toolimages"
)

func TestE4_Scope(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		ctx, whole := t.Context(), r.scope
		round := transcript(asked("a", viewPage), r.shown("a", viewPage, "a page", r.saved("x", 1)))
		for name, change := range map[string]func(s *toolimages.Scope){
			"E4_S18_installation": func(s *toolimages.Scope) { s.Installation = " " },
			"E4_S19_workspace":    func(s *toolimages.Scope) { s.Workspace = "" },
			"E4_S20_user":         func(s *toolimages.Scope) { s.ActingUser = 0 },
			"E4_S21_run":          func(s *toolimages.Scope) { s.Run = "" },
		} {
			t.Run(name, func(t *testing.T) {
				defer func() { r.scope = whole }()
				change(&r.scope)
				_, _, _ = r.spy.calls()
				_, err := r.Save(ctx, toolimages.SaveInput{Data: drawing(8, 6, 1), MIMEType: "image/png"})
				if !errors.Is(err, toolimages.ErrScope) {
					t.Errorf("save: %v", err)
				}
				for _, durable := range [][]int{{}, {1}} { // an empty list too
					list := round
					if len(durable) == 0 {
						list = nil
					}
					if _, _, err := r.Project(ctx, list, imageTools); !errors.Is(err, toolimages.ErrScope) {
						t.Errorf("project: %v", err)
					}
				}
				if err := r.Revoke(ctx, "x"); !errors.Is(err, toolimages.ErrScope) || r.Available(ctx) {
					t.Errorf("revoke: %v", err)
				}
				if a, b, c := r.spy.calls(); a+b+c != 0 {
					t.Errorf("the store was asked %d %d %d times", a, b, c)
				}
			})
		}
		t.Run("E4_S22_a request names no scope", func(t *testing.T) {
			var in toolimages.SaveInput
			body := `{"scope":{"Run":"x"},"Run":"x","run":"x","acting_user":1,"ActingUser":1,"source":"sys_file:1","File":1,"file":1,"Data":"eA==","MIMEType":"image/png"}`
			if err := json.Unmarshal([]byte(body), &in); err != nil || in.File != 0 || in.Data != nil || in.MIMEType != "" {
				t.Errorf("%+v %v", in, err)
			}
			in.Data, in.MIMEType = drawing(8, 6, 2), "image/png"
			p, err := r.Save(ctx, in)
			if err != nil {
				t.Fatal(err)
			}
			row, err := r.spy.Store.Artifact(ctx, p.Attachments[0].ArtifactID)
			if err != nil || row.Run != r.run.ID || row.ActingUser != 3 || row.Source != "tool" {
				t.Errorf("%+v %v", row, err)
			}
		})
		t.Run("E4_S23_scopes of parallel saves", func(t *testing.T) {
			runs := []*suspend.Run{r.run, r.started(4)}
			var mu sync.Mutex
			turn := 0
			host := r.host
			host.Scope = func(context.Context) (toolimages.Scope, error) { // changes with every call
				mu.Lock()
				defer mu.Unlock()
				turn++
				return toolimages.ForRun(installation, runs[turn%2]), nil
			}
			gate := make(chan struct{})
			s, err := toolimages.New(r.spy, waiting{gate}, host, toolimages.DefaultConfig())
			r.must(err)
			var wg sync.WaitGroup
			got := make([]string, 2)
			for i := range got {
				wg.Go(func() {
					p, err := s.Save(ctx, toolimages.SaveInput{Data: drawing(8, 6, 5), MIMEType: "image/png"})
					if err != nil {
						t.Error(err)
						return
					}
					got[i] = p.Attachments[0].ArtifactID
				})
			}
			gate <- struct{}{} // both have their scope, and are in the middle
			gate <- struct{}{}
			wg.Wait()
			owners := map[suspend.RunID]uint32{}
			for _, id := range got {
				row, err := r.spy.Store.Artifact(ctx, id)
				r.must(err)
				owners[row.Run] = row.ActingUser
			}
			if len(owners) != 2 || owners[runs[0].ID] != 3 || owners[runs[1].ID] != 4 {
				t.Errorf("%v", owners)
			}
		})
		t.Run("E4_S26_no run bound", func(t *testing.T) {
			host := r.host
			for name, scope := range map[string]toolimages.ScopeFunc{
				"nothing": nil, "an error": func(context.Context) (toolimages.Scope, error) { return whole, errors.New("no run") },
			} {
				host.Scope = scope
				s, err := toolimages.New(r.spy, asIs{}, host, toolimages.DefaultConfig())
				if err != nil || s.Available(ctx) {
					t.Errorf("%s: available, %v", name, err)
				}
			}
			if !r.Available(ctx) {
				t.Error("with a run it is absent")
			}
		})
	})
}

// waiting is a scaler that has all callers wait at one place.
type waiting struct{ gate chan struct{} }

func (w waiting) Normalize(ctx context.Context, src []byte, edge int) (*media.Image, error) {
	<-w.gate
	return asIs{}.Normalize(ctx, src, edge)
}

func TestNew_WantsEverything(t *testing.T) {
	t.Parallel()
	whole := toolimages.Host{
		MayLook: func(context.Context, uint32) error { return nil }, Screen: func(s string) (string, error) { return s, nil }, MaxEdge: func() int { return 1 },
	}
	var scale *downscaler.Scaler
	if _, err := toolimages.New(&suspend.Store{}, scale, whole, toolimages.DefaultConfig()); err != nil {
		t.Error(err)
	}
	for i := range 3 {
		host := whole
		switch i {
		case 0:
			host.MayLook = nil
		case 1:
			host.Screen = nil
		case 2:
			host.MaxEdge = nil
		}
		if _, err := toolimages.New(&suspend.Store{}, scale, host, toolimages.DefaultConfig()); err == nil {
			t.Errorf("%d is missing", i)
		}
	}
	for i, change := range []func(c *toolimages.Config){
		func(c *toolimages.Config) { c.MaxBytes = 0 }, func(c *toolimages.Config) { c.MaxPixels = 0 }, func(c *toolimages.Config) { c.MaxPerRound = 4 },
		func(c *toolimages.Config) { c.MaxPerRound = 0 }, func(c *toolimages.Config) { c.MaxSummary = -1 }, func(c *toolimages.Config) { c.MaxOutbound = 0 },
	} {
		cfg := toolimages.DefaultConfig()
		change(&cfg)
		if _, err := toolimages.New(&suspend.Store{}, scale, whole, cfg); err == nil {
			t.Errorf("%d: %s", i, fmt.Sprint(cfg))
		}
	}
	if c := config.DefaultSettings(); c.Vision.MaxImageEdge < 1 {
		t.Error("there is no edge to bind")
	}
}
