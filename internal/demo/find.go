package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"editor-actions/internal/fault"
)

// addressFile holds where the demo was served last.
const addressFile = "address.txt"

// Find answers the complete demo site in dir and makes nothing. A folder without one
// is refused with code "demo_not_found".
func Find(dir string) (*Site, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("demo: resolve %s: %w", dir, err)
	}
	missing := fault.New(fault.NotFound, "demo_not_found", "There is no demo site in %q. `editor-actions demo` makes one.", abs)
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, missing.Because(err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, missing.Because(err)
	}
	defer func() { _ = root.Close() }()
	m, err := readManifest(root)
	if err != nil {
		return nil, err
	}
	if !m.Complete {
		return nil, missing
	}
	site := newSite(abs)
	site.encryptionKey, err = encryptionKey(root)
	return site, err
}

// Served notes where the site is served, for commands that name its pages.
func (s *Site) Served(origin string) error {
	if err := os.WriteFile(filepath.Join(s.Dir, addressFile), []byte(origin+"\n"), 0o600); err != nil {
		return fmt.Errorf("demo: note address: %w", err)
	}
	return nil
}

// Origin is where the site was served last, "" when it never was.
func (s *Site) Origin() (string, error) {
	raw, err := os.ReadFile(filepath.Join(s.Dir, addressFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("demo: read address: %w", err)
	}
	origin := strings.TrimSpace(string(raw))
	u, err := url.Parse(origin)
	if err == nil && u.Scheme == "http" && u.Host != "" && u.Path == "" {
		return origin, nil
	}
	return "", nil // not what we wrote: nobody knows where it is served
}
