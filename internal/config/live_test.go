package config_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/config"
)

// logBuffer is a log that tests read while it is written.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) count(part string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Count(b.buf.String(), part)
}

func watch(t *testing.T, text string) (live *config.Live, path string, log *logBuffer) {
	t.Helper()
	path, log = file(t, text), &logBuffer{}
	ctx, cancel := context.WithCancel(context.Background())
	live, err := config.Watch(ctx, path, nil)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); live.Wait() })
	live.LogTo(slog.New(slog.NewTextHandler(log, nil)))
	return live, path, log
}

// eventually waits for what a change of the file must lead to.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("never happened: %s", what)
		case <-tick.C:
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWatch_PicksUpAChangeAndKeepsTheOldOnesWhenBroken(t *testing.T) {
	t.Parallel()
	live, path, log := watch(t, "vision: {maxImageEdge: 512}\n")
	old := live.Current()

	write(t, path, "vision: {maxImageEdge: 768}\n")
	eventually(t, "the new edge", func() bool { return live.Current().Vision.MaxImageEdge == 768 })
	if old.Vision.MaxImageEdge != 512 {
		t.Error("the old value was changed under its reader")
	}
	write(t, path, "vision: {maxImageEdge: 9}\nnonsense: 1\n")
	eventually(t, "the report", func() bool { return log.count("kept old settings") == 1 })
	if log.count("must be 64 to 4096; ") != 1 || log.count("nonsense: is not a known key") != 1 {
		t.Errorf("one line must hold all problems:\n%s", log.buf.String())
	}
	if live.Current().Vision.MaxImageEdge != 768 {
		t.Error("the old settings are gone")
	}

	// Editors and orchestrators write beside the file and rename.
	write(t, path+".new", "vision: {maxImageEdge: 1024}\n")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the repaired file", func() bool { return live.Current().Vision.MaxImageEdge == 1024 })

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the report of the missing file", func() bool { return log.count("kept old settings") == 2 })
	if live.Current().Vision.MaxImageEdge != 1024 {
		t.Error("the old settings are gone")
	}
}

func TestWatch_OtherFilesChangeNothing(t *testing.T) {
	t.Parallel()
	live, path, log := watch(t, "vision: {maxImageEdge: 512}\n")
	before := live.Current()
	write(t, filepath.Join(filepath.Dir(path), "other"), "x")
	if err := live.Reload(); err != nil {
		t.Fatal(err)
	}
	if live.Current() != before || log.count("loaded changed settings") != 0 {
		t.Error("equal settings count as a change")
	}
}

func TestReload_BrokenTwiceIsReportedOnce(t *testing.T) {
	t.Parallel()
	live, path, log := watch(t, "")
	write(t, path, "x: 1\n")
	for range 3 {
		if err := live.Reload(); err == nil {
			t.Fatal("loaded")
		}
	}
	if n := log.count("kept old settings"); n != 1 {
		t.Errorf("reported %d times", n)
	}
	write(t, path, "")
	if err := live.Reload(); err != nil {
		t.Fatal(err)
	}
	if log.count("they are valid") != 1 {
		t.Error("the repair is not reported")
	}
}

func TestWatch_NeedsAValidFileToStart(t *testing.T) {
	t.Parallel()
	if _, err := config.Watch(t.Context(), file(t, "x: 1\n"), nil); err == nil {
		t.Error("started on a broken file")
	}
	live, err := config.Watch(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if live.Current().Vision.MaxImageEdge != 1024 {
		t.Error("no file must mean the shipped settings")
	}
	live.Wait() // nothing to follow
}
