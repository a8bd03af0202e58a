package readtools_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/readtools"
	"editor-actions/internal/typo3"
)

// openGate lets everybody read every file; its database is another matter.
type openGate struct {
	*falgate.Gate
	err error
}

func (g openGate) View(context.Context, *typo3.BackendUser, typo3.FileUID) (*falgate.Opened, error) {
	return &falgate.Opened{Data: []byte("picture")}, g.err
}

// failing is a scaler that never makes a copy.
type failing struct{ err error }

func (f failing) Fit(context.Context, []byte, int) (*downscaler.Result, error) { return nil, f.err }

// Every error is a fault: neutral when it is about the file, and honest when it
// is about the service.
func TestFailures_AreFaults(t *testing.T) {
	t.Parallel()
	cfg := config.DefaultSettings()
	busy := fault.New(fault.RateLimited, "image_busy", "Too many pictures are waiting to be scaled. Try again in a moment.")
	lost := errors.New("connection lost at 10.0.0.1")
	for name, c := range map[string]struct {
		gate, scaler error
		code         string
	}{
		"no picture":      {nil, fault.New(fault.Unsupported, "image_corrupt", "The %s file is damaged.", "JPEG"), "not_available"},
		"worker died":     {nil, errors.New("worker died"), "not_available"},
		"too many":        {nil, busy, "image_busy"},
		"may not":         {falgate.ErrNotAvailable, nil, "not_available"},
		"database is off": {lost, nil, "read_failed"},
	} {
		tools := readtools.New(readtools.Deps{Gate: openGate{err: c.gate}, Scaler: failing{c.scaler}, Settings: func() *config.Settings { return &cfg }})
		result, err := tools[2].Run(t.Context(), &typo3.BackendUser{UID: 1}, json.RawMessage(`{"uid":1}`))
		f, ok := err.(*fault.Error) //nolint:errorlint // the error itself is promised to be one
		if !ok || f.Code != c.code || result != (readtools.Result{}) {
			t.Errorf("%s: %v", name, err)
		}
		if ok && f.Code == "read_failed" && (!errors.Is(err, lost) || f.Kind != fault.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRun_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		actor := s.user("ed_uploads")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, tool := range s.tools {
			arguments := uid(lake)
			if tool.Name() == readtools.SearchFiles {
				arguments = `{}`
			}
			_, err := tool.Run(ctx, actor, json.RawMessage(arguments))
			if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != "read_failed" || !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", tool.Name(), err)
			}
		}
	})
}
