package media_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"editor-actions/internal/fault"
	"editor-actions/internal/media"
)

const pictures = "../../testdata/images"

// refusedByHeader are the difficult pictures that the structure alone refuses, with the code.
var refusedByHeader = map[string]string{
	"badcrc_screenshot.png": "image_corrupt", "html.jpg": "image_not_an_image", "ico.ico": "image_format",
	"mvg.png": "image_not_an_image", "oneb.jpg": "image_not_an_image", "pdf.pdf": "image_format",
	"poly_gifjs.gif": "image_corrupt", "ps.png": "image_not_an_image", "svg.svg": "image_format", "svg_huge.svg": "image_format",
	"svg_lfi.svg": "image_format", "text.jpg": "image_not_an_image", "trunc_10.jpg": "image_truncated",
	"trunc_5.gif": "image_truncated", "trunc_99.jpg": "image_truncated", "trunc_hdr.jpg": "image_truncated", "zero.jpg": "image_empty",
}

func TestS8_ReadHeaderRefusesBrokenFiles(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(pictures)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() == "README.md" || f.Name() == "expected.tsv" {
			continue
		}
		t.Run(f.Name(), func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(pictures, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			h, err := media.ReadHeader(data)
			want := refusedByHeader[f.Name()]
			if want == "" {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				t.Logf("%+v", h)
				return
			}
			if err == nil {
				t.Fatalf("accepted as %+v", h)
			}
			if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != want {
				t.Fatalf("got %v, want %s", err, want)
			}
		})
	}
}

func TestReadHeader_Orientation(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"orient_1.jpg": 1, "orient_3.jpg": 3, "orient_5.jpg": 5, "orient_6.jpg": 6, "orient_8.jpg": 8,
		"exif_6.jpg": 6, "exif_6.png": 6, "exif_6.webp": 6, "webp_orient6_large.webp": 6,
	} {
		data, err := os.ReadFile(filepath.Join(pictures, name))
		if err != nil {
			t.Fatal(err)
		}
		if h, err := media.ReadHeader(data); err != nil || h.Orientation != want {
			t.Errorf("%s: orientation %d, %v; want %d", name, h.Orientation, err, want)
		}
	}
}

func TestNewImage_PrintsNoBytes(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(pictures, "dim_1024x1024.png"))
	if err != nil {
		t.Fatal(err)
	}
	img, err := media.NewImage(data, media.PNG, 1024, 1024)
	if err != nil {
		t.Fatal(err)
	}
	if s := img.String(); !strings.Contains(s, "image/png 1024x1024") || len(s) > 100 {
		t.Fatal(s)
	}
	if _, err := media.NewImage(data, media.JPEG, 1024, 1024); err == nil {
		t.Fatal("a PNG passed as JPEG")
	}
	if _, err := media.NewImage(data, media.PNG, 512, 1024); err == nil {
		t.Fatal("a wrong size passed")
	}
}

func FuzzReadHeader(f *testing.F) {
	files, _ := os.ReadDir(pictures)
	for _, e := range files {
		if data, err := os.ReadFile(filepath.Join(pictures, e.Name())); err == nil && len(data) < 60_000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, err := media.ReadHeader(data); err == nil && (h.Width <= 0 || h.Height <= 0 || h.Orientation < 1 || h.Orientation > 8) {
			t.Fatalf("accepted %+v", h)
		}
	})
}
