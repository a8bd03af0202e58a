package paint_test

import (
	"bytes"
	"image"
	"image/gif"
	_ "image/jpeg"
	_ "image/png"
	"testing"

	"editor-actions/internal/demo/paint"
)

func draw(t *testing.T, f func() (paint.Image, error)) paint.Image {
	t.Helper()
	img, err := f()
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestPictures_SameSeedSameBytes(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func() (paint.Image, error){
		"still life": paint.ThreeApples, "moonrise": paint.Moonrise, "chart": paint.TravelPie, "animation": paint.Countdown, "notice": paint.OpeningHours,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if a, b := draw(t, f), draw(t, f); !bytes.Equal(a.Data, b.Data) {
				t.Error("two drawings differ")
			}
		})
	}
}

func TestForestPath_LiesOnItsSideAndSaysSo(t *testing.T) {
	t.Parallel()
	img := draw(t, paint.ForestPath)
	cfg, kind, err := image.DecodeConfig(bytes.NewReader(img.Data))
	if err != nil || kind != "jpeg" {
		t.Fatalf("decode: %v, %q", err, kind)
	}
	if cfg.Width != img.Height || cfg.Height != img.Width || img.Width >= img.Height {
		t.Errorf("stored %dx%d, upright %dx%d: want a portrait on its side", cfg.Width, cfg.Height, img.Width, img.Height)
	}
	head := img.Data[:300]
	if !bytes.Contains(head, []byte("Exif\x00\x00II*\x00")) {
		t.Error("no EXIF block")
	}
	if !bytes.Contains(head, []byte{0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0}) {
		t.Error("no orientation 6")
	}
	if !bytes.Contains(head, []byte{0x25, 0x88, 4, 0, 1, 0, 0, 0}) {
		t.Error("no GPS directory")
	}
	if _, _, err := image.Decode(bytes.NewReader(img.Data)); err != nil {
		t.Errorf("the picture does not decode: %v", err)
	}
}

func TestBrokenUpload_HasAHeaderAndNoEnd(t *testing.T) {
	t.Parallel()
	img := draw(t, paint.BrokenUpload)
	cfg, _, err := image.DecodeConfig(bytes.NewReader(img.Data))
	if err != nil || cfg.Width != img.Width || cfg.Height != img.Height {
		t.Errorf("header: %v %dx%d", err, cfg.Width, cfg.Height)
	}
	if _, _, err := image.Decode(bytes.NewReader(img.Data)); err == nil {
		t.Error("the truncated picture decodes")
	}
}

func TestCountdown_Moves(t *testing.T) {
	t.Parallel()
	img := draw(t, paint.Countdown)
	g, err := gif.DecodeAll(bytes.NewReader(img.Data))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Image) != 10 || bytes.Equal(g.Image[0].Pix, g.Image[2].Pix) {
		t.Errorf("%d frames, or all the same", len(g.Image))
	}
}

func TestWhiteLogo_IsWhiteOnNothing(t *testing.T) {
	t.Parallel()
	img, _, err := image.Decode(bytes.NewReader(draw(t, paint.WhiteLogo).Data))
	if err != nil {
		t.Fatal(err)
	}
	film, ok := img.(*image.NRGBA)
	if !ok {
		t.Fatalf("decoded to %T, want an image with alpha", img)
	}
	through, white := 0, 0
	for i := 0; i < len(film.Pix); i += 4 {
		switch p := film.Pix[i : i+4]; {
		case p[3] == 0:
			through++
		case p[0] != 255 || p[1] != 255 || p[2] != 255:
			t.Fatalf("pixel %d is %v: neither through nor white", i/4, p)
		default:
			white++
		}
	}
	if through < white || white == 0 {
		t.Errorf("%d through, %d white pixels", through, white)
	}
}

func TestPaperTexture_IsHeavy(t *testing.T) {
	t.Parallel()
	if n := len(draw(t, paint.PaperTexture).Data); n < 2<<20 {
		t.Errorf("%d bytes, want more than 2 MiB", n)
	}
}
