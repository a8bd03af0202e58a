package readtools_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/readtools"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// TestMain makes the test binary the image worker that the downscaler starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == downscaler.WorkerCommand {
		os.Exit(downscaler.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// Files of the data set.
const (
	lake      = 23 // /user_upload/lake_morning.jpg
	nested    = 36 // /user_upload/nested/plasma_a.jpg
	private   = 46 // /private/hr/staff_badge.jpg
	noRow     = 51 // /user_upload/tiny.png
	noFile    = 999_999
	noPicture = 35 // a text that is called .jpg, set by the tests that need one
)

// site is a copy of the data set with the tools on it.
type site struct {
	*testsite.Site
	t        *testing.T
	cms      *typo3.CMS
	tools    []readtools.Tool
	settings *config.Settings
	queries  *database.Counter
	log      *bytes.Buffer
}

func each(t *testing.T, fn func(t *testing.T, s *site)) {
	t.Helper()
	testsite.Each(t, func(t *testing.T, ts *testsite.Site) { fn(t, open(t, ts)) })
}

func open(t *testing.T, ts *testsite.Site) *site {
	t.Helper()
	cfg := ts.Settings
	s := &site{Site: ts, t: t, settings: &cfg, log: &bytes.Buffer{}}
	settings := func() *config.Settings { return s.settings }
	log := slog.New(slog.NewJSONHandler(s.log, nil))
	s.cms = typo3.New(ts.DB, settings, time.Now)
	scaler, err := downscaler.New(cfg.Images, downscaler.Options{WorkerCommand: []string{os.Args[0], downscaler.WorkerCommand}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = scaler.Close() })
	s.tools = readtools.New(readtools.Deps{Gate: falgate.New(s.cms, ts.DB, settings, log), Scaler: scaler, CMS: s.cms, Settings: settings, Log: log})
	if s.queries, err = database.CountQueries(ts.DB); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *site) user(name string) *typo3.BackendUser {
	s.t.Helper()
	u, err := s.cms.UserByName(s.t.Context(), name)
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	return u
}

func (s *site) exec(statement string, args ...any) {
	s.t.Helper()
	if err := s.DB.Exec(statement, args...).Error; err != nil {
		s.t.Fatal(err)
	}
}

// run calls a tool and holds what is true of every answer and of every error.
func (s *site) run(name, who, arguments string) (readtools.Result, *fault.Error) {
	s.t.Helper()
	actor := s.user(who)
	at := slices.IndexFunc(s.tools, func(t readtools.Tool) bool { return t.Name() == name })
	s.queries.Reset()
	result, err := s.tools[at].Run(s.t.Context(), actor, json.RawMessage(arguments))
	if n := s.queries.Count(); n > 6 {
		s.t.Errorf("%s %s: %d queries", name, arguments, n)
	}
	if err != nil {
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Code == "read_failed" || result != (readtools.Result{}) {
			s.t.Fatalf("%s %s: %v, with %+v", name, arguments, err, result)
		}
		return result, f
	}
	if result.Text == "" || len(result.Text) > readtools.MaxText || !json.Valid([]byte(result.Text)) {
		s.t.Fatalf("%s %s: %d bytes: %.200s", name, arguments, len(result.Text), result.Text)
	}
	if (result.Image != nil) != s.tools[at].Image() {
		s.t.Errorf("%s: image %v", name, result.Image)
	}
	return result, nil
}

// answer calls a tool that must succeed and reads its JSON.
func (s *site) answer(name, who, arguments string) map[string]any {
	s.t.Helper()
	result, err := s.run(name, who, arguments)
	if err != nil {
		s.t.Fatalf("%s %s: %v", name, arguments, err)
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(result.Text), &out); err != nil {
		s.t.Fatal(err)
	}
	return out
}
