package config

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settleTime lets an editor finish writing before a changed file is read.
	settleTime = 200 * time.Millisecond
	// longestWait bounds that in a folder where something changes all the time.
	longestWait = 2 * time.Second
)

// Live holds the current settings and follows changes of the file. It is safe
// for concurrent use.
type Live struct {
	loader  Loader
	current atomic.Pointer[Settings]
	done    sync.WaitGroup

	mu        sync.Mutex // guards what follows, and makes reloads follow each other
	log       *slog.Logger
	warnings  []Warning
	lastError string
}

// Watch loads the settings and follows the file until ctx is done. The first
// load must succeed; a later broken one keeps the old settings.
func (l Loader) Watch(ctx context.Context) (*Live, error) {
	s, warnings, err := l.Load()
	if err != nil {
		return nil, err
	}
	live := &Live{loader: l, log: slog.New(slog.DiscardHandler), warnings: warnings}
	live.current.Store(s)
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
	return live, nil
}

// Current is the settings as of now; the value is never changed.
func (l *Live) Current() *Settings { return l.current.Load() }

// LogTo says where reloads are reported, and reports what is unwise now.
func (l *Live) LogTo(log *slog.Logger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = log
	l.warn()
}

// Wait returns when following has ended, which it does when Watch's ctx is done.
func (l *Live) Wait() { l.done.Wait() }

// Reload reads file, environment and secrets' files again, whether or not the
// file has changed. When something is broken the old settings stay and the
// error says everything that is wrong.
func (l *Live) Reload() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, warnings, err := l.loader.Load()
	if err != nil {
		text := strings.ReplaceAll(err.Error(), "\n", "; ")
		if text != l.lastError { // once per mistake, not once per touch of the folder
			l.log.Error("kept old settings: the changed ones are broken", "err", text)
		}
		l.lastError = text
		return err
	}
	repaired := l.lastError != ""
	l.lastError = ""
	if reflect.DeepEqual(s, l.current.Load()) {
		if repaired {
			l.log.Info("read settings again: they are valid and did not change")
		}
		return nil
	}
	l.current.Store(s)
	l.warnings = warnings
	l.log.Info("loaded changed settings", "file", l.loader.File)
	l.warn()
	return nil
}

func (l *Live) warn() {
	for _, w := range l.warnings {
		l.log.Warn("found unwise setting", "key", w.Key, "rule", w.Text)
	}
}

// follow reloads when the folder has been quiet for a moment. Any change in the
// folder counts: with links, the file's own name may never show up.
func (l *Live) follow(ctx context.Context, w *fsnotify.Watcher) {
	defer func() { _ = w.Close() }() // nothing is written through it
	var quiet <-chan time.Time
	var since time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			if e.Op == fsnotify.Chmod {
				continue
			}
			if quiet == nil {
				since = time.Now()
			}
			if quiet == nil || time.Since(since) < longestWait {
				quiet = time.After(settleTime)
			}
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			l.report(ctx, err)
		case <-quiet:
			quiet = nil
			_ = l.Reload() // it has logged its error
		}
	}
}

func (l *Live) report(ctx context.Context, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log.WarnContext(ctx, "could not follow settings file for a moment", "err", err)
}
