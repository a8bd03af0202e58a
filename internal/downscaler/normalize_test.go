package downscaler_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/media"
)

// Pictures of programs may have any size, and are as upright and bare as all others.
func TestNormalize_AnySize(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	small := func(w, h int) *image.Paletted {
		return image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.White, color.Black})
	}
	var pngFile, jpegFile, gifFile, dot, line bytes.Buffer
	for _, err := range []error{
		png.Encode(&pngFile, small(8, 6)), jpeg.Encode(&jpegFile, small(3, 2), nil), gif.Encode(&gifFile, small(5, 4), nil),
		png.Encode(&dot, small(1, 1)), png.Encode(&line, small(900, 1)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		data []byte
		typ  media.Type
		w, h int
	}{
		"PNG":     {pngFile.Bytes(), media.PNG, 8, 6},
		"JPEG":    {jpegFile.Bytes(), media.JPEG, 3, 2},
		"GIF":     {gifFile.Bytes(), media.PNG, 5, 4},
		"dot":     {dot.Bytes(), media.PNG, 1, 1},
		"line":    {line.Bytes(), media.PNG, 900, 1},
		"turned":  {picture(t, "orient_6.jpg"), media.JPEG, 0, 0},
		"webp":    {picture(t, "webp_alpha.webp"), media.PNG, 0, 0},
		"exif":    {picture(t, "jpeg_all_metadata.jpg"), media.JPEG, 0, 0},
		"scaled":  {picture(t, "jpeg_base.jpg"), media.JPEG, 0, 0},
		"gif all": {picture(t, "gif_anim.gif"), media.PNG, 0, 0},
	} {
		img, err := s.Normalize(t.Context(), c.data, 1024)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		h, err := media.ReadHeader(img.Bytes())
		if err != nil || img.Type() != c.typ || h.Metadata || h.Profile || h.Orientation != 1 || max(h.Width, h.Height) > 1024 || c.w > 0 && (h.Width != c.w || h.Height != c.h) {
			t.Errorf("%s: %s, %+v %v", name, img, h, err)
		}
	}
	var thread bytes.Buffer
	if err := png.Encode(&thread, small(4000, 2)); err != nil {
		t.Fatal(err)
	}
	if img, err := s.Normalize(t.Context(), thread.Bytes(), 1024); code(err) != "image_too_thin" {
		t.Errorf("scaled to nothing: %s %v", img, err)
	}
	for _, bad := range []string{"trunc_99.jpg", "text.jpg", "svg.svg", "bomb_30000_rgb.png"} {
		if img, err := s.Normalize(t.Context(), picture(t, bad), 1024); err == nil {
			t.Errorf("%s: %s", bad, img)
		}
	}
}

func TestNormalize_LeavesNothingInTheCache(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := scalerWith(t, downscaler.Options{CacheDir: dir}, func(c *config.Images) { c.CacheMiB = 10 })
	if _, err := s.Normalize(t.Context(), picture(t, "jpeg_base.jpg"), 512); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}
