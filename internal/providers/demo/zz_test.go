package demo

import (
	"bytes"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"

	"editor-actions/internal/media"
)

func TestZZ(t *testing.T) {
	fs, _ := filepath.Glob("/tmp/w/try_*")
	for _, f := range fs {
		d, _ := os.ReadFile(f)
		m, _, err := image.Decode(bytes.NewReader(d))
		if err != nil {
			t.Log(f, err)
			continue
		}
		// shrink crude
		b := m.Bounds()
		k := max(1, max(b.Dx(), b.Dy())/1024)
		o := image.NewRGBA(image.Rect(0, 0, b.Dx()/k, b.Dy()/k))
		for y := 0; y < o.Rect.Dy(); y++ {
			for x := 0; x < o.Rect.Dx(); x++ {
				o.Set(x, y, m.At(x*k, y*k))
			}
		}
		var w bytes.Buffer
		jpeg.Encode(&w, o, &jpeg.Options{Quality: 85})
		img, err := media.NewImage(w.Bytes(), media.JPEG, o.Rect.Dx(), o.Rect.Dy())
		if err != nil {
			t.Log(f, err)
			continue
		}
		s, err := look(img)
		t.Log(filepath.Base(f), err, s.alternative(false, wording{long: true}))
	}
}
