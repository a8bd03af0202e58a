package actions_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"editor-actions/internal/actions"
	"editor-actions/internal/config"
	"editor-actions/internal/falgate"
	"editor-actions/internal/typo3"
)

// slowGate keeps every file open until the test says so.
type slowGate struct {
	*fakeGate
	inside atomic.Int32
	hold   chan struct{}
}

func (g *slowGate) Open(_ context.Context, _ *typo3.BackendUser, uid typo3.FileUID) (*falgate.Opened, error) {
	g.inside.Add(1)
	<-g.hold
	f, m := *g.files[uid], g.cms.rows[uid]
	f.Metadata = &m
	return &falgate.Opened{File: f.File, Access: f.access, Data: f.data, SHA256: f.hash}, nil
}

// A file of up to images.maxFileBytes is in memory while a run is prepared, and one person
// may start many runs, and their agents propose, at the same moment.
func TestCatalogue_AFewFilesAtATime(t *testing.T) {
	t.Parallel()
	w := setup(t)
	img := picture(t)
	for name, prepare := range map[string]func(context.Context, *actions.Catalogue) error{
		"start": func(ctx context.Context, c *actions.Catalogue) error {
			_, err := c.Prepare(ctx, w.editor, actions.SuggestAlternativeText, file(7), "")
			return err
		},
		"proposal": func(ctx context.Context, c *actions.Catalogue) error {
			_, _, err := c.PrepareProposal(ctx, w.editor, actions.UpdateFALAssetMeta, []byte(`{"uid":7,"title":"A lake"}`))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := &slowGate{fakeGate: w.gate, hold: make(chan struct{})}
				c := actions.NewCatalogue(gate, fakeScaler{img}, w.cms, w.models, func() *config.Settings { return w.settings }, slog.New(slog.DiscardHandler))
				answers := make(chan error, 12)
				for range 12 {
					go func() { answers <- prepare(t.Context(), c) }()
				}
				synctest.Wait()
				if n := gate.inside.Load(); n != 4 {
					t.Errorf("%d files at the same time", n)
				}
				gone, cancel := context.WithCancel(t.Context())
				go func() { answers <- prepare(gone, c) }()
				synctest.Wait()
				cancel()
				if err := <-answers; !errors.Is(err, context.Canceled) {
					t.Errorf("who leaves still waits: %v", err)
				}
				close(gate.hold)
				for range 12 {
					if err := <-answers; err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}
