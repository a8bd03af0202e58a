package demo

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"editor-actions/internal/fault"
	"editor-actions/internal/secret"
)

const (
	publicFolder    = "public"
	fileadminFolder = "public/fileadmin"
	archiveFolder   = "archive"
	databaseFile    = "site.sqlite"
	manifestFile    = "demo.json"
	keyFile         = "encryption.key"
	lockFile        = ".demo.lock"
)

// Options tune Build. The zero value is good.
type Options struct {
	// Log is told what is being made; nil = silence.
	Log *slog.Logger
	// Fresh makes the site again even when it is complete: runs, decisions and
	// edited texts are gone then. Only files the demo made are replaced.
	Fresh bool
	// Draft paints small patches of colour instead of most pictures, for tests
	// that do not look at them. Rows and names are the same.
	Draft bool
}

// manifest marks a folder as ours. It is written before anything else and again
// at the end, so that a build which was interrupted can be told from a site.
type manifest struct {
	What     string `json:"what"`
	Complete bool   `json:"complete"`
	Files    int    `json:"files"`
}

const manifestWords = "demo site of editor-actions; delete the whole folder to start over"

var errLocked = errors.New("locked")

// Build makes the demo site in dir, or finds it there. dir may be missing,
// empty, or hold a demo; anything else is refused with code "demo_folder_in_use"
// and stays untouched. It is safe to call at the same time from two processes:
// the second waits.
func Build(ctx context.Context, dir string, opts Options) (*Site, error) {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("demo: resolve %s: %w", dir, err)
	}
	if err := os.MkdirAll(abs, 0o750); err != nil {
		return nil, fault.New(fault.Invalid, "demo_folder", "The folder %q cannot be made.", abs).Because(err)
	}
	// links are resolved once, so that every path in the settings is the real one
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, fmt.Errorf("demo: resolve %s: %w", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fault.New(fault.Invalid, "demo_folder", "The folder %q cannot be opened.", abs).Because(err)
	}
	defer func() { _ = root.Close() }()
	if err := refuseForeign(root, abs); err != nil {
		return nil, err
	}
	unlock, err := lock(ctx, root)
	if err != nil {
		return nil, err
	}
	defer unlock()

	site := newSite(abs)
	m, err := readManifest(root)
	if err != nil {
		return nil, err
	}
	if m.What == "" { // first of all: it tells every later build that the folder is ours
		if err := writeManifest(root, manifest{What: manifestWords}); err != nil {
			return nil, err
		}
	}
	if site.encryptionKey, err = encryptionKey(root); err != nil {
		return nil, err
	}
	if m.Complete && !opts.Fresh {
		if _, err := root.Stat(databaseFile); err == nil {
			return site, nil
		}
	}
	began := time.Now()
	if err := build(ctx, root, site, opts); err != nil {
		return nil, err
	}
	site.Built = true
	opts.Log.InfoContext(ctx, "made demo site", "dir", abs, "files", len(entries), "duration_ms", time.Since(began).Milliseconds())
	return site, nil
}

func build(ctx context.Context, root *os.Root, site *Site, opts Options) error {
	if err := writeManifest(root, manifest{What: manifestWords}); err != nil {
		return err
	}
	for _, d := range []string{fileadminFolder, archiveFolder} {
		if err := root.MkdirAll(d, 0o750); err != nil {
			return fmt.Errorf("demo: make folder %s: %w", d, err)
		}
	}
	opts.Log.InfoContext(ctx, "drawing pictures of the demo site", "files", len(entries))
	files, err := drawAll(ctx, root, opts.Draft)
	if err != nil {
		return err
	}
	if err := writeDatabase(ctx, root, site, files); err != nil {
		return err
	}
	return writeManifest(root, manifest{What: manifestWords, Complete: true, Files: len(entries)})
}

// refuseForeign lets only folders pass that are empty or have a demo's
// manifest. It writes nothing. The manifest is looked for after the listing:
// another build makes it before everything else.
func refuseForeign(root *os.Root, dir string) error {
	there, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return fmt.Errorf("demo: list %s: %w", dir, err)
	}
	for _, e := range there {
		switch e.Name() {
		case lockFile, manifestFile + ".part":
			continue
		}
		if _, err := root.Stat(manifestFile); err == nil {
			_, err := readManifest(root)
			return err
		}
		return fault.New(fault.Invalid, "demo_folder_in_use",
			"The folder %q holds other things (%s) and no demo site. Name an empty or a new folder.", dir, e.Name())
	}
	return nil
}

// lock keeps a second process out while this one builds. The lock file stays;
// the system frees the lock when the process ends, however it ends.
func lock(ctx context.Context, root *os.Root) (unlock func(), err error) {
	f, err := root.OpenFile(lockFile, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("demo: open lock file: %w", err)
	}
	fd := int(f.Fd())
	for {
		err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // closing frees it
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = f.Close()
			return nil, fmt.Errorf("demo: lock folder: %w", err)
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, fmt.Errorf("demo: wait for the other build: %w", errors.Join(errLocked, ctx.Err()))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// encryptionKey reads the key of this site, or makes one: a key that everybody
// could look up in the source would let everybody sign a cookie.
func encryptionKey(root *os.Root) (secret.String, error) {
	raw, err := root.ReadFile(keyFile)
	if err == nil && len(raw) == 96 {
		return secret.New(string(raw)), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return secret.String{}, fmt.Errorf("demo: read %s: %w", keyFile, err)
	}
	random := make([]byte, 48)
	_, _ = rand.Read(random) // never fails, see crypto/rand
	key := hex.EncodeToString(random)
	if err := root.WriteFile(keyFile, []byte(key), 0o600); err != nil {
		return secret.String{}, fmt.Errorf("demo: write %s: %w", keyFile, err)
	}
	return secret.New(key), nil
}

func readManifest(root *os.Root) (manifest, error) {
	var m manifest
	f, err := root.Open(manifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, fmt.Errorf("demo: open %s: %w", manifestFile, err)
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return m, fmt.Errorf("demo: read %s: %w", manifestFile, err)
	}
	if err := json.Unmarshal(raw, &m); err != nil || m.What != manifestWords {
		return manifest{}, fault.New(fault.Invalid, "demo_folder_in_use",
			"The folder has a file %s that is not a demo's. Name an empty or a new folder.", manifestFile).Because(err)
	}
	return m, nil
}

func writeManifest(root *os.Root, m manifest) error {
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("demo: encode %s: %w", manifestFile, err)
	}
	return writeFile(root, manifestFile, append(raw, '\n'), epoch)
}

// writeFile replaces a file in one step: a reader sees the old or the new one.
func writeFile(root *os.Root, name string, data []byte, modified time.Time) error {
	tmp := name + ".part"
	if err := root.WriteFile(tmp, data, 0o644); err != nil {
		return fmt.Errorf("demo: write %s: %w", name, err)
	}
	if err := root.Chtimes(tmp, modified, modified); err != nil {
		return fmt.Errorf("demo: date %s: %w", name, err)
	}
	if err := root.Rename(tmp, name); err != nil {
		return fmt.Errorf("demo: write %s: %w", name, err)
	}
	return nil
}
