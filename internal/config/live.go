package config

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime lets an editor finish writing before a changed file is read.
const settleTime = 200 * time.Millisecond

// Live holds the current settings and follows changes of the file. It is safe
// for concurrent use.
type Live struct {
	loader  Loader
	current atomic.Pointer[Settings]
	log     atomic.Pointer[slog.Logger]
	done    sync.WaitGroup
}

// Watch loads the settings and follows the file until ctx is done. The first
// load must succeed; a later broken one keeps the old settings.
func (l Loader) Watch(ctx context.Context) (*Live, error) {
	s, warnings, err := l.Load()
	if err != nil {
		return nil, err
	}
	live := &Live{loader: l}
	live.current.Store(s)
	live.log.Store(slog.Default())
	if l.File == "" {
		return live, nil
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("follow settings file: %w", err)
	}
	// The folder and not the file: editors and orchestrators replace files.
	if err := w.Add(filepath.Dir(l.File)); err != nil {
		return nil, errors.Join(fmt.Errorf("follow settings file: %w", err), w.Close())
	}
	live.done.Go(func() { live.follow(ctx, w) })
	_ = warnings // the caller logs them, see LogTo
	return live, nil
}

// Current is the settings as of now; the value is never changed.
func (l *Live) Current() *Settings { return l.current.Load() }

// LogTo says where reloads are reported, and reports what is unwise now.
func (l *Live) LogTo(log *slog.Logger) {
	l.log.Store(log)
	if _, warnings, err := l.loader.Load(); err == nil {
		warn(log, warnings)
	}
}

func warn(log *slog.Logger, warnings []Warning) {
	for _, w := range warnings {
		log.Warn("found unwise setting", "key", w.Key, "rule", w.Text)
	}
}

// Reload reads the file again. When it is broken the old settings stay and the
// error says everything that is wrong.
func (l *Live) Reload() error {
	s, warnings, err := l.loader.Load()
	log := l.log.Load()
	if err != nil {
		log.Error("kept old settings: the changed ones are broken", "err", strings.ReplaceAll(err.Error(), "\n", "; "))
		return err
	}
	l.current.Store(s)
	log.Info("loaded changed settings", "file", l.loader.File)
	warn(log, warnings)
	return nil
}

func (l *Live) follow(ctx context.Context, w *fsnotify.Watcher) {
	defer func() { _ = w.Close() }()
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-w.Events: // any change in the folder: links may hide the file's own name
			if !ok {
				return
			}
			quiet = time.After(settleTime)
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			l.log.Load().Warn("follow settings file", "err", err)
		case <-quiet:
			quiet = nil
			_ = l.Reload() // it has logged its error
		}
	}
}
