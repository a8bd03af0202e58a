package downscaler_test

import (
	"os"
	"path/filepath"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/fault"
)

// FuzzFit gives the whole way strange bytes: a clean picture comes out or a
// fault with a kind, and the service lives.
func FuzzFit(f *testing.F) {
	files, err := os.ReadDir(pictures)
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range files {
		if data, err := os.ReadFile(filepath.Join(pictures, e.Name())); err == nil && len(data) < 20_000 {
			f.Add(data, 100)
		}
	}
	s := scaler(f, func(c *config.Images) { c.Workers, c.MaxPixels, c.MaxPixelsJPEG, c.TimeoutSeconds = 1, 1<<20, 1<<20, 5 })
	f.Fuzz(func(t *testing.T, data []byte, edge int) {
		edge = 64 + (edge&0x7FFFFFFF)%4033
		res, err := s.Fit(t.Context(), data, edge)
		if err != nil {
			if k := fault.KindOf(err); k == fault.Internal || k == fault.Unavailable {
				t.Fatal(err)
			}
			return
		}
		if max(res.Image.Width(), res.Image.Height()) > edge {
			t.Fatal(res.Image)
		}
		decode(t, res)
	})
}
