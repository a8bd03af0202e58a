package demo

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // TYPO3's content hash is SHA-1
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path"
	"runtime"
	"strings"
	"time"

	"editor-actions/internal/demo/paint"

	"golang.org/x/sync/errgroup"
)

// epoch is when the demo's rows were made, so that every build gives the same rows.
var epoch = time.Date(2026, time.March, 2, 8, 0, 0, 0, time.UTC)

// stored is a file as it lies on disk, and what sys_file says about it.
type stored struct {
	entry
	width, height int
	size          int
	sha1          string
	mime          string
	modified      time.Time
}

func (e entry) path() string {
	base := fileadminFolder
	if e.storage == int(ArchiveStorage) {
		base = archiveFolder
	}
	return base + e.identifier()
}

// modifiedAt spreads the files over the time before the epoch.
func modifiedAt(i int) time.Time {
	return epoch.Add(-time.Duration(len(entries)-i) * 31 * time.Hour)
}

// drawAll draws every picture and writes it, a few at a time: a canvas needs
// some fifty megabytes while it is painted.
func drawAll(ctx context.Context, root *os.Root, draft bool) ([]stored, error) {
	out := make([]stored, len(entries))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(min(runtime.NumCPU(), 6))
	for i, e := range entries {
		out[i] = stored{entry: e, modified: modifiedAt(i)}
		if e.draw == nil {
			continue
		}
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			draw := e.draw
			switch {
			case draft && e.draft != nil:
				draw = e.draft
			case draft:
				draw = func() (paint.Image, error) { return paint.Draft(uint32(i), path.Ext(e.name) == ".png") } //nolint:gosec // a few dozen files
			}
			img, err := draw()
			if err != nil {
				return fmt.Errorf("demo: draw %s: %w", e.name, err)
			}
			out[i].describe(img)
			return out[i].write(root, img.Data)
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, e := range entries {
		switch {
		case e.sameAs != "":
			if err := out[i].copyFrom(root, out); err != nil {
				return nil, err
			}
		case e.missing:
			out[i].describe(paint.Image{Data: []byte(e.name), Width: 1200, Height: 800})
			out[i].mime = "image/jpeg"
		}
	}
	return out, nil
}

func (s *stored) describe(img paint.Image) {
	sum := sha1.Sum(img.Data) //nolint:gosec // see import
	s.sha1 = hex.EncodeToString(sum[:])
	s.size = len(img.Data)
	s.width, s.height = img.Width, img.Height
	s.mime = mediaType(img.Data)
}

func (s *stored) write(root *os.Root, data []byte) error {
	if err := root.MkdirAll(path.Dir(s.path()), 0o750); err != nil {
		return fmt.Errorf("demo: make folder of %s: %w", s.name, err)
	}
	return writeFile(root, s.path(), data, s.modified)
}

func (s *stored) copyFrom(root *os.Root, all []stored) error {
	for _, o := range all {
		if o.name != s.sameAs || o.draw == nil {
			continue
		}
		data, err := root.ReadFile(o.path())
		if err != nil {
			return fmt.Errorf("demo: copy %s: %w", s.name, err)
		}
		s.describe(paint.Image{Data: data, Width: o.width, Height: o.height})
		return s.write(root, data)
	}
	return fmt.Errorf("demo: %s is a copy of %s, which there is not", s.name, s.sameAs)
}

// mediaType is decided by content, as TYPO3's indexer does.
func mediaType(data []byte) string {
	if bytes.Contains(data[:min(len(data), 512)], []byte("<svg")) {
		return "image/svg+xml"
	}
	t, _, _ := strings.Cut(http.DetectContentType(data), ";")
	return t
}

// fileType is sys_file.type for a media type.
func fileType(mime string) int {
	kind, _, _ := strings.Cut(mime, "/")
	switch kind {
	case "text":
		return 1
	case "image":
		return 2
	case "audio":
		return 3
	case "video":
		return 4
	}
	return 5
}
