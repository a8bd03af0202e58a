package downscaler_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/fault"
	"editor-actions/internal/media"
)

// cards are the pictures of the table that show an upright card.
var cards = []string{"exif_6.jpg", "exif_6.png", "exif_6.webp", "gif_anim.gif", "orient_1.jpg", "orient_3.jpg", "orient_5.jpg", "orient_6.jpg", "orient_8.jpg", "webp_anim.webp", "webp_orient6_large.webp"}

// reasons are the codes of the refused pictures of the table.
var reasons = map[string]string{
	"badcrc_screenshot.png": "image_corrupt", "bomb_30000_rgb.png": "image_too_many_pixels", "bomb_gif_canvas.gif": "image_too_many_pixels",
	"bomb_jpeg_dims.jpg": "image_too_many_pixels", "dim_16384x4.jpg": "image_too_thin", "dim_1x1.png": "image_too_small",
	"dim_1x20000.jpg": "image_too_thin", "dim_20000x1.png": "image_too_thin", "dim_3x3000.jpg": "image_too_thin",
	"html.jpg": "image_not_an_image", "ico.ico": "image_format", "mvg.png": "image_not_an_image", "oneb.jpg": "image_not_an_image",
	"pdf.pdf": "image_format", "poly_gifjs.gif": "image_corrupt", "ps.png": "image_not_an_image", "svg.svg": "image_format",
	"svg_huge.svg": "image_format", "svg_lfi.svg": "image_format", "text.jpg": "image_not_an_image", "trunc_10.jpg": "image_truncated",
	"trunc_5.gif": "image_truncated", "trunc_99.jpg": "image_truncated", "trunc_hdr.jpg": "image_truncated", "zero.jpg": "image_empty",
}

type row struct{ name, format, size, note string }

func table(t testing.TB) []row {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(pictures, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		col := strings.Split(line, "\t")
		rows = append(rows, row{col[0], col[1], col[2], col[3]})
	}
	return rows
}

func code(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

func TestP4_EveryPictureHasOneRightAnswer(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	for _, r := range table(t) {
		if r.format == "refused" {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			res, err := s.Fit(t.Context(), picture(t, r.name), 1024)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.TrimPrefix(string(res.Image.Type()), "image/")
			if !slices.Contains(strings.Split(r.format, " or "), got) {
				t.Errorf("is %s, want %s", got, r.format)
			}
			decoded := decode(t, res)
			if b := decoded.Bounds(); fmt.Sprintf("%dx%d", b.Dx(), b.Dy()) != r.size {
				t.Errorf("is %v, want %s", b, r.size)
			}
			if slices.Contains(cards, r.name) {
				assertCard(t, decoded)
			}
		})
	}
}

// decode checks that a result is clean, and decodes it with another decoder.
func decode(t testing.TB, res *downscaler.Result) image.Image {
	t.Helper()
	data := res.Image.Bytes()
	if f := foreign(data); len(f) > 0 {
		t.Errorf("the result holds %v", f)
	}
	for _, word := range []string{"Exif", "http://ns.adobe.com", "ICC_PROFILE", "Photoshop", "<?php"} {
		if bytes.Contains(data, []byte(word)) {
			t.Errorf("the result holds %q", word)
		}
	}
	img, format, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != res.Image.Width() || b.Dy() != res.Image.Height() || "image/"+format != string(res.Image.Type()) {
		t.Errorf("is %s %v, declared as %v", format, b, res.Image)
	}
	return img
}

func TestS8_EveryBadPictureIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	for _, r := range table(t) {
		if r.format != "refused" {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			data := picture(t, r.name)
			start := time.Now()
			res, err := s.Fit(t.Context(), data, 1024)
			took := time.Since(start)
			if err == nil {
				t.Fatalf("accepted: %v; want refused: %s", res.Image, r.note)
			}
			if got := code(err); got != reasons[r.name] {
				t.Errorf("refused as %v, want %s", err, reasons[r.name])
			}
			if strings.Contains(r.note, "under 50 ms") && took > 200*time.Millisecond { // room for the race detector
				t.Errorf("took %v", took)
			}
		})
	}
}

// at answers the colour at a fraction of the size.
func at(img image.Image, fx, fy float64) color.NRGBA {
	b := img.Bounds()
	c, _ := color.NRGBAModel.Convert(img.At(b.Min.X+int(fx*float64(b.Dx())), b.Min.Y+int(fy*float64(b.Dy())))).(color.NRGBA)
	return c
}

func assertCard(t testing.TB, img image.Image) {
	t.Helper()
	for _, c := range []struct {
		name       string
		x, y       float64
		r, g, blue bool
	}{
		{"top left red", .03, .03, true, false, false},
		{"top right green", .97, .03, false, true, false},
		{"bottom left blue", .03, .97, false, false, true},
		{"bottom right white", .97, .97, true, true, true},
	} {
		p := at(img, c.x, c.y)
		if (p.R > 128) != c.r || (p.G > 100) != c.g || (p.B > 128) != c.blue {
			t.Errorf("%s: is %v", c.name, p)
		}
	}
}

func TestS9_OrientationIsAppliedAndGone(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	for o := 1; o <= 8; o++ {
		large, small, holed := storedCard(1800, 1200, o, false), storedCard(300, 200, o, false), storedCard(600, 400, o, true)
		for name, data := range map[string][]byte{
			"jpeg shrunk on load": jpegWithOrientation(t, large, o),
			"jpeg as it is":       jpegWithOrientation(t, small, o),
			"png with alpha":      pngWithOrientation(t, holed, o),
			"tiff":                tiffWithOrientation(small, o, false),
			"tiff with alpha":     tiffWithOrientation(holed, o, true),
		} {
			t.Run(fmt.Sprintf("%d %s", o, name), func(t *testing.T) {
				res, err := s.Fit(t.Context(), data, 450)
				if err != nil {
					t.Fatal(err)
				}
				if w, h := res.Image.Width(), res.Image.Height(); 2*w != 3*h {
					t.Errorf("is %dx%d", w, h)
				}
				img := decode(t, res)
				assertCard(t, img)
				if strings.Contains(name, "alpha") && (at(img, .5, .5).A != 0 || at(img, .1, .1).A != 255) {
					t.Errorf("the hole has alpha %d", at(img, .5, .5).A)
				}
			})
		}
	}
}

func TestP4_ColoursAreSRGB(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	get := func(name string) image.Image {
		res, err := s.Fit(t.Context(), picture(t, name), 1024)
		if err != nil {
			t.Fatal(name, err)
		}
		return decode(t, res)
	}
	base := mean(get("jpeg_base.jpg"))
	// The profile swaps red and green: applied, the reddish cat becomes greenish.
	for _, name := range []string{"icc_swapped.jpg", "orient6_icc.jpg"} {
		if m := mean(get(name)); m[1] <= m[0] || base[0] <= base[1] {
			t.Errorf("%s: mean %v, the plain picture has %v", name, m, base)
		}
	}
	// Not inverted: printing inks are paler, but no channel is far from RGB's.
	cmyk := mean(get("jpeg_cmyk_icc.jpg"))
	for i := range 3 {
		if d := cmyk[i] - base[i]; d < -45 || d > 45 {
			t.Errorf("CMYK: mean %v, as RGB %v", cmyk, base)
		}
	}
}

func mean(img image.Image) (m [3]float64) {
	n := 0.0
	for y := .05; y < 1; y += .1 {
		for x := .05; x < 1; x += .1 {
			c := at(img, x, y)
			m[0], m[1], m[2], n = m[0]+float64(c.R), m[1]+float64(c.G), m[2]+float64(c.B), n+1
		}
	}
	return [3]float64{m[0] / n, m[1] / n, m[2] / n}
}

func TestP4_TransparencyIsKeptOrWhite(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	for _, name := range []string{"png_alpha_half.png", "png_alpha_hidden_red.png", "png_white_logo.png", "webp_alpha.webp", "gif_transparent.gif", "gif_offset.gif"} {
		res, err := s.Fit(t.Context(), picture(t, name), 1024)
		if err != nil {
			t.Fatal(err)
		}
		if img, ok := decode(t, res).(interface{ Opaque() bool }); !ok || img.Opaque() {
			t.Errorf("%s: nothing is transparent", name)
		}
	}
	res, err := s.Fit(t.Context(), picture(t, "png_graya16.png"), 1024)
	if err != nil {
		t.Fatal(err)
	}
	if c := at(decode(t, res), .1, .5); c.A != 0 && c.R < 250 {
		t.Errorf("16-bit grey with alpha: the transparent half is %v", c)
	}
}

func TestS6_WhatIsTransparentBecomesWhiteInJPEG(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	noise := func(px func(x, y int, a bool) color.Color, img interface {
		image.Image
		Set(x, y int, c color.Color)
	},
	) []byte {
		for y := range 900 {
			for x := range 900 {
				img.Set(x, y, px(x, y, x > 450))
			}
		}
		return pngBytes(t, img)
	}
	seed := uint32(1)
	next := func() uint16 { seed = seed*1664525 + 1013904223; return uint16(seed >> 16) }
	eight := noise(func(_, _ int, opaque bool) color.Color {
		if !opaque {
			return color.NRGBA{R: 255} // red hidden under full transparency
		}
		return color.NRGBA{uint8(next()), uint8(next()), uint8(next()), 255}
	}, image.NewNRGBA(image.Rect(0, 0, 900, 900)))
	sixteen := noise(func(_, _ int, opaque bool) color.Color {
		if !opaque {
			return color.NRGBA64{}
		}
		return color.NRGBA64{next(), next(), next(), 0xFFFF}
	}, image.NewNRGBA64(image.Rect(0, 0, 900, 900)))
	for name, data := range map[string][]byte{"8 bit": eight, "16 bit": sixteen} {
		res, err := s.Fit(t.Context(), data, 1024)
		if err != nil {
			t.Fatal(name, err)
		}
		if res.Image.Type() != media.JPEG || !slices.Contains(res.Warnings, downscaler.WarnFlattened) {
			t.Fatalf("%s: %v %v", name, res.Image, res.Warnings)
		}
		if c := at(decode(t, res), .1, .5); c.R < 250 || c.G < 250 || c.B < 250 {
			t.Errorf("%s: what was transparent is %v", name, c)
		}
	}
}

func TestP4_CanvasOfAGIFIsThePicture(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	for _, size := range [][2]int{{400, 300}, {800, 600}, {1600, 1200}, {2100, 300}} { // libnsgif distrusts the last three
		w, h := size[0], size[1]
		data := gifOf(t, w, h, image.Rect(10, 20, w/2, h/2), image.Rect(0, 0, w/3, h/3))
		res, err := s.Fit(t.Context(), data, 4096)
		if err != nil {
			t.Fatal(w, h, err)
		}
		img := decode(t, res)
		if img.Bounds().Dx() != w || img.Bounds().Dy() != h {
			t.Errorf("%dx%d: is %v", w, h, img.Bounds())
		}
		if in, out := at(img, .4, .4), at(img, .9, .9); in != (color.NRGBA{R: 255, A: 255}) || out.A != 0 {
			t.Errorf("%dx%d: inside the frame %v, outside %v", w, h, in, out)
		}
	}
}

func TestP4_OtherBrandsOfAVIFAndHEIC(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	for file, brands := range map[string][]string{"avif.avif": {"mif1", "avis"}, "heic.heic": {"mif1", "heix", "heis"}} {
		for _, brand := range brands {
			data := picture(t, file)
			copy(data[8:12], brand)
			res, err := s.Fit(t.Context(), data, 1024)
			if err != nil {
				t.Fatal(file, brand, err)
			}
			if string(data[8:12]) != brand {
				t.Errorf("%s %s: the caller's bytes were changed", file, brand)
			}
			if decode(t, res); res.Image.Width() != 1024 || res.Image.Height() != 683 {
				t.Errorf("%s %s: %v", file, brand, res.Image)
			}
		}
	}
}

func TestS3_LongEdgeIsBounded(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	for _, edge := range []int{64, 240, 1000, 1024, 2048} {
		for _, name := range []string{"jpeg_base.jpg", "orient_6.jpg", "png_screenshot.png", "heic.heic"} {
			res, err := s.Fit(t.Context(), picture(t, name), edge)
			if err != nil {
				t.Fatal(err)
			}
			w, h := res.Source.Upright()
			if want := min(edge, max(w, h)); max(res.Image.Width(), res.Image.Height()) != want {
				t.Errorf("%s: edge %d gives %v", name, edge, res.Image)
			}
		}
	}
}

func TestS3_ShortEdgeIsRoundedHalfUp(t *testing.T) {
	t.Parallel()
	for _, c := range [][5]int{
		{1024, 1025, 1024, 1023, 1024}, {3, 3000, 1024, 1, 1024}, {16384, 4, 1024, 1024, 1}, {2048, 3, 1024, 1024, 2}, // 1.5
		{6000, 4000, 1024, 1024, 683}, {1024, 1024, 1024, 1024, 1024}, {800, 600, 4096, 800, 600}, {1, 1 << 31, 64, 1, 64},
	} {
		if w, h := downscaler.FitSize(c[0], c[1], c[2]); w != c[3] || h != c[4] {
			t.Errorf("%v: got %dx%d", c, w, h)
		}
	}
}

func TestS4_SmallPicturesAreNotEnlarged(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	for name, data := range map[string][]byte{
		"gif": picture(t, "gif_offset.gif"), "png": pngBytes(t, storedCard(800, 600, 1, false)), "jpeg": jpegWithOrientation(t, storedCard(800, 600, 6, false), 6),
	} {
		res, err := s.Fit(t.Context(), data, 4096)
		if err != nil || res.Image.Width() != 800 || res.Image.Height() != 600 {
			t.Fatal(name, res, err)
		}
	}
}

func TestS5_AnimationGivesFirstFrameAsPNG(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	res, err := s.Fit(t.Context(), picture(t, "gif_anim.gif"), 1024)
	if err != nil || res.Image.Type() != media.PNG || !slices.Equal(res.Warnings, []string{downscaler.WarnFirstFrame}) {
		t.Fatal(res, err)
	}
	assertCard(t, decode(t, res))
}

func TestS6_HeavyPNGBecomesJPEG(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	heavy, err := s.Fit(t.Context(), picture(t, "png_noise.png"), 1024)
	if err != nil || heavy.Image.Type() != media.JPEG || len(heavy.Warnings) != 0 {
		t.Fatal(heavy, err)
	}
	light, err := s.Fit(t.Context(), picture(t, "png_screenshot.png"), 1024)
	if err != nil || light.Image.Type() != media.PNG || light.Image.Size() > 512<<10 {
		t.Fatal(light, err)
	}
}

func TestFit_TinyPicturesAreRefusedOrWarned(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	for _, c := range []struct {
		w, h     int
		code     string
		warnings []string
	}{
		{49, 49, "image_too_small", nil},
		{50, 7, "image_too_thin", nil},
		{50, 8, "", []string{downscaler.WarnTinySource}},
		{199, 50, "", []string{downscaler.WarnTinySource}},
		{200, 50, "", nil},
		{2600, 20, "image_too_thin", nil}, // 1024x7.9 rounds to 8, and 4096 keeps it
	} {
		res, err := s.Fit(t.Context(), pngBytes(t, storedCard(c.w, c.h, 1, false)), 900)
		switch {
		case c.code != "" && (err == nil || code(err) != c.code):
			t.Errorf("%dx%d: %v, %v", c.w, c.h, res, err)
		case c.code == "" && (err != nil || !slices.Equal(res.Warnings, c.warnings)):
			t.Errorf("%dx%d: %v, %v", c.w, c.h, res, err)
		}
	}
}

func TestFit_LimitsComeFromTheSettings(t *testing.T) {
	t.Parallel()
	s := scaler(t, func(c *config.Images) { c.MaxFileBytes, c.MaxPixels, c.MaxPixelsJPEG = 1<<20, 10_000, 20_000 })
	for name, c := range map[string]struct {
		data []byte
		code string
	}{
		"bytes":         {make([]byte, 1<<20+1), "image_too_large"},
		"pixels":        {pngBytes(t, storedCard(101, 100, 1, false)), "image_too_many_pixels"},
		"pixels, JPEG":  {jpegWithOrientation(t, storedCard(201, 100, 1, false), 1), "image_too_many_pixels"},
		"below, JPEG":   {jpegWithOrientation(t, storedCard(200, 100, 1, false), 1), ""},
		"exactly, PNG":  {pngBytes(t, storedCard(100, 100, 1, false)), ""},
		"many in a TIF": {tiffWithOrientation(storedCard(101, 100, 1, false), 1, false), "image_too_many_pixels"},
	} {
		_, err := s.Fit(t.Context(), c.data, 1024)
		if (c.code == "") != (err == nil) || err != nil && code(err) != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
	}
}
