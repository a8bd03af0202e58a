package downscaler_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// benchPicture is one line of the comparison.
type benchPicture struct {
	name     string
	from, to string // extensions: of the picture, of the result
	data     func(b *testing.B) []byte
}

// Photographs first: names that begin with "photo".
var benchPictures = []benchPicture{
	{"photo_JPEG_12_MP", "jpg", "jpg", func(*testing.B) []byte { return photo12MP() }},
	{"photo_JPEG_24_MP", "jpg", "jpg", func(*testing.B) []byte { return photo24MP() }},
	{"photo_JPEG_24_MP_progressive", "jpg", "jpg", func(b *testing.B) []byte { return progressive(b, photo24MP()) }},
	{"photo_JPEG_100_MP", "jpg", "jpg", func(*testing.B) []byte { return photo100MP() }},
	{"photo_JPEG_EXIF_orientation", "jpg", "jpg", file("orient_6.jpg")},
	{"photo_JPEG_progressive,_small", "jpg", "jpg", file("jpeg_progressive.jpg")},
	{"JPEG_CMYK_with_profile", "jpg", "jpg", file("jpeg_cmyk_icc.jpg")},
	{"PNG_screenshot", "png", "png", file("png_screenshot.png")},
	{"PNG_that_becomes_JPEG", "png", "jpg", file("png_noise.png")},
	{"PNG_48_MP", "png", "png", func(*testing.B) []byte { return png48MP() }},
	{"GIF_animated", "gif", "png", file("gif_anim.gif")},
	{"WebP_EXIF_orientation", "webp", "jpg", file("webp_orient6_large.webp")},
	{"AVIF", "avif", "jpg", file("avif.avif")},
	{"HEIC", "heic", "jpg", file("heic.heic")},
}

func file(name string) func(b *testing.B) []byte {
	return func(b *testing.B) []byte { return picture(b, name) }
}

// photo is a photograph-like JPEG: soft shapes with grain.
func photo(w, h int) []byte {
	img := image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
	r := rand.New(rand.NewPCG(1, 2))
	for y := range h {
		for x := range w {
			v := (x*y/9000 + x/7 + y/5) % 200
			img.Y[y*img.YStride+x] = uint8(v + r.IntN(24) + 16)
		}
	}
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = uint8(110+i%30), uint8(120+i/4000%30)
	}
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: 88}); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

var (
	photo12MP  = sync.OnceValue(func() []byte { return photo(4000, 3000) })
	photo24MP  = sync.OnceValue(func() []byte { return photo(6000, 4000) })
	photo100MP = sync.OnceValue(func() []byte { return photo(12000, 8333) })
)

// png48MP is a large truecolour PNG with some noise: no shrink-on-load helps.
var png48MP = sync.OnceValue(func() []byte {
	const w, h = 8000, 6000
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(3, 4))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x/40 + r.IntN(4)), uint8(y / 30), uint8((x + y) / 60), 255})
		}
	}
	var buf bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&buf, img); err != nil {
		panic(err)
	}
	return buf.Bytes()
})

// progressive is the same picture, written in scans.
func progressive(b *testing.B, data []byte) []byte {
	b.Helper()
	dir := b.TempDir()
	in, out := filepath.Join(dir, "in.jpg"), filepath.Join(dir, "out.jpg")
	if err := os.WriteFile(in, data, 0o600); err != nil {
		b.Fatal(err)
	}
	if text, err := exec.CommandContext(b.Context(), "vips", "jpegsave", in, out, "--Q", "88", "--interlace").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, text)
	}
	made, err := os.ReadFile(out)
	if err != nil {
		b.Fatal(err)
	}
	return made
}
