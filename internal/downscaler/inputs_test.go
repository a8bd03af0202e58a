package downscaler_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"editor-actions/internal/media"
)

// What people and programs write. Each line makes the card in one form with the
// tools of libvips, which share nothing with our readers of headers; a step is a
// command of `vips` with $in and $out for the pictures.
var inputs = []struct {
	name, ext string
	steps     []string // "" = the card itself
	save      string   // options of the last step, which writes the file
	grey      bool     // only light and dark are left
	kind      media.Type
}{
	{"JPEG baseline 4:2:0", "jpg", nil, "[Q=90,subsample-mode=on]", false, media.JPEG},
	{"JPEG baseline 4:4:4", "jpg", nil, "[Q=95,subsample-mode=off]", false, media.JPEG},
	{"JPEG progressive", "jpg", nil, "[Q=90,interlace]", false, media.JPEG},
	{"JPEG progressive, optimised scans", "jpg", nil, "[Q=90,interlace,optimize-scans,optimize-coding,trellis-quant]", false, media.JPEG},
	{"JPEG with restart markers", "jpg", nil, "[Q=90,restart-interval=4]", false, media.JPEG},
	{"JPEG of low quality", "jpg", nil, "[Q=20]", false, media.JPEG},
	{"JPEG grey", "jpg", []string{"colourspace $in $out b-w"}, "[Q=90]", true, media.JPEG},
	{"JPEG CMYK with profile", "jpg", []string{"icc_transform $in $out cmyk --input-profile srgb"}, "[Q=92]", false, media.JPEG},
	{"JPEG CMYK without profile", "jpg", []string{"icc_transform $in $out cmyk --input-profile srgb"}, "[Q=92,strip]", false, media.JPEG},
	{"JPEG CMYK progressive", "jpg", []string{"icc_transform $in $out cmyk --input-profile srgb"}, "[Q=92,interlace]", false, media.JPEG},
	{"JPEG with sRGB profile", "jpg", nil, "[Q=92,profile=srgb]", false, media.JPEG},
	{"JPEG with P3 profile", "jpg", []string{"icc_transform $in $out p3 --input-profile srgb"}, "[Q=92]", false, media.JPEG},
	{"PNG", "png", nil, "", false, media.PNG},
	{"PNG interlaced", "png", nil, "[interlace]", false, media.PNG},
	{"PNG without compression", "png", nil, "[compression=0]", false, media.PNG},
	{"PNG with every filter", "png", nil, "[filter=all]", false, media.PNG},
	{"PNG 16 bit", "png", []string{"colourspace $in $out rgb16"}, "", false, media.PNG},
	{"PNG 16 bit, interlaced", "png", []string{"colourspace $in $out rgb16"}, "[interlace]", false, media.PNG},
	{"PNG palette, 8 bit", "png", nil, "[palette,bitdepth=8]", false, media.PNG},
	{"PNG palette, 4 bit", "png", nil, "[palette,bitdepth=4]", false, media.PNG},
	{"PNG palette, 2 bit, interlaced", "png", nil, "[palette,bitdepth=2,interlace]", false, media.PNG},
	{"PNG grey, 1 bit", "png", []string{"colourspace $in $out b-w"}, "[bitdepth=1]", true, media.PNG},
	{"PNG grey, 2 bit", "png", []string{"colourspace $in $out b-w"}, "[bitdepth=2]", true, media.PNG},
	{"PNG grey, 4 bit", "png", []string{"colourspace $in $out b-w"}, "[bitdepth=4]", true, media.PNG},
	{"PNG grey, 8 bit", "png", []string{"colourspace $in $out b-w"}, "", true, media.PNG},
	{"PNG grey, 16 bit", "png", []string{"colourspace $in $out grey16"}, "", true, media.PNG},
	{"PNG grey with alpha", "png", []string{"colourspace $in $out b-w", "bandjoin_const $in $out 255"}, "", true, media.PNG},
	{"PNG 16 bit with alpha", "png", []string{"colourspace $in $out rgb16", "bandjoin_const $in $out 65535"}, "", false, media.PNG},
	{"PNG with P3 profile", "png", []string{"icc_transform $in $out p3 --input-profile srgb"}, "", false, media.PNG},
	{"GIF", "gif", nil, "", false, media.PNG},
	{"GIF interlaced", "gif", nil, "[interlace]", false, media.PNG},
	{"GIF of few colours", "gif", nil, "[bitdepth=3]", false, media.PNG},
	{"WebP lossy", "webp", nil, "[Q=90]", false, media.JPEG},
	{"WebP lossless", "webp", nil, "[lossless]", false, media.JPEG},
	{"WebP near lossless with alpha", "webp", []string{"bandjoin_const $in $out 255"}, "[near-lossless,alpha-q=50]", false, ""},
	{"AVIF", "avif", nil, "[Q=80,effort=1]", false, media.JPEG},
	{"AVIF lossless", "avif", nil, "[lossless,effort=1]", false, media.JPEG},
	{"HEIC", "heic", nil, "[Q=80,compression=hevc]", false, media.JPEG},
	{"TIFF", "tif", nil, "", false, media.JPEG},
	{"TIFF LZW with predictor", "tif", nil, "[compression=lzw,predictor=horizontal]", false, media.JPEG},
	{"TIFF deflate, tiled", "tif", nil, "[compression=deflate,tile,tile-width=64,tile-height=64]", false, media.JPEG},
	{"TIFF JPEG", "tif", nil, "[compression=jpeg,Q=90]", false, media.JPEG},
	{"TIFF PackBits", "tif", nil, "[compression=packbits]", false, media.JPEG},
	{"TIFF 16 bit", "tif", []string{"colourspace $in $out rgb16"}, "", false, media.JPEG},
	{"TIFF CMYK", "tif", []string{"icc_transform $in $out cmyk --input-profile srgb"}, "", false, media.JPEG},
	{"TIFF grey, 1 bit", "tif", []string{"colourspace $in $out b-w"}, "[bitdepth=1]", true, media.JPEG},
	{"TIFF of several pages", "tif", nil, "[pyramid,tile,tile-width=64,tile-height=64]", false, media.JPEG},
	{"TIFF with alpha", "tif", []string{"bandjoin_const $in $out 255"}, "", false, ""},
}

func TestP4_EveryInput(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	card := filepath.Join(t.TempDir(), "card.png")
	if err := os.WriteFile(card, pngBytes(t, opaque(storedCard(900, 600, 1, false))), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, in := range inputs {
		data := made(t, card, in.ext, in.save, in.steps)
		want := reference(t, in.name, data, in.grey)
		for _, edge := range []int{1024, 300} { // as it is, and shrunk
			res, err := s.Fit(t.Context(), data, edge)
			if err != nil {
				t.Errorf("%s at %d: %v", in.name, edge, err)
				continue
			}
			if w, h := res.Image.Width(), res.Image.Height(); w != min(900, edge) || h != min(600, edge*2/3) {
				t.Errorf("%s at %d: is %dx%d", in.name, edge, w, h)
			}
			if in.kind != "" && res.Image.Type() != in.kind {
				t.Errorf("%s at %d: is %s", in.name, edge, res.Image.Type())
			}
			assertClean(t, in.name, res.Image)
			assertCorners(t, fmt.Sprintf("%s at %d", in.name, edge), decode(t, res), want)
		}
	}
}

// reference is what a decoder that is not ours sees: Go's for PNG, whose grey
// pictures of few bits the tool writes in its own way, libvips' tool for printing
// inks, which cannot show the card's colours, and the card itself for all others.
func reference(t *testing.T, name string, data []byte, grey bool) image.Image {
	t.Helper()
	switch {
	case strings.Contains(name, "CMYK"), grey && !strings.HasPrefix(name, "PNG"):
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out.png")
		if err := os.WriteFile(in, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if text, err := exec.CommandContext(t.Context(), "vipsthumbnail", in, "--size", "900x600", "-o", out).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		made, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		data = made
	case !grey:
		return storedCard(900, 600, 1, false)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func assertCorners(t *testing.T, name string, img, want image.Image) {
	t.Helper()
	most := 16.0
	if strings.Contains(name, "low quality") || strings.Contains(name, "few colours") {
		most = 40
	}
	for _, c := range []struct{ x, y float64 }{{.05, .05}, {.95, .05}, {.05, .95}, {.95, .95}} {
		if g, w := at(img, c.x, c.y), at(want, c.x, c.y); !near(g, w, most) {
			t.Errorf("%s: at %v is %v, want %v", name, c, g, w)
		}
	}
}

func near(got, want color.NRGBA, most float64) bool {
	d := func(a, b uint8) float64 { return math.Abs(float64(a) - float64(b)) }
	return got.A == want.A && max(d(got.R, want.R), d(got.G, want.G), d(got.B, want.B)) <= most
}

// opaque drops the alpha channel.
func opaque(img *image.NRGBA) image.Image {
	out := image.NewRGBA(img.Bounds())
	copy(out.Pix, img.Pix)
	return out
}

// made writes a picture with libvips' own command.
func made(t testing.TB, from, ext, save string, steps []string) []byte {
	t.Helper()
	dir := t.TempDir()
	in := from
	for i, step := range append(steps[:len(steps):len(steps)], "copy $in $out") {
		out := filepath.Join(dir, "step"+string(rune('a'+i))+".v")
		if i == len(steps) {
			out = filepath.Join(dir, "made."+ext) + save
		}
		var args []string
		for _, a := range strings.Fields(step) {
			args = append(args, strings.NewReplacer("$in", in, "$out", out).Replace(a))
		}
		if text, err := exec.CommandContext(t.Context(), "vips", args...).CombinedOutput(); err != nil {
			t.Fatalf("vips %s: %v: %s", strings.Join(args, " "), err, text)
		}
		in = out
	}
	data, err := os.ReadFile(filepath.Join(dir, "made."+ext))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// traces are what metadata looks like in a file, whatever wraps it.
var traces = []string{"Exif\x00\x00", "http://ns.adobe.com/xap/", "x:xmpmeta", "Photoshop 3.0", "8BIM", "ICC_PROFILE", "iCCP", "eXIf", "tEXt", "iTXt", "zTXt", "acspAPPL", "GPS"}

// assertClean scans the bytes that would be sent, without our own reader.
func assertClean(t *testing.T, name string, img *media.Image) {
	t.Helper()
	for _, trace := range traces {
		if bytes.Contains(img.Bytes(), []byte(trace)) {
			t.Errorf("%s: %q is in the result", name, trace)
		}
	}
}

// A YCCK JPEG, as Photoshop writes it, shows what a CMYK one of the same inks
// shows. It is made as a CMYK one whose channels hold the transformed inks, with the
// transform named in the Adobe marker.
func TestP4_YCCKIsNotInverted(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	const w, h = 900, 600
	var inks, transformed []byte
	for y := range h {
		for x := range w {
			c := cardColour(x, y, w, h)
			cyan, magenta, yellow := 255-c.R, 255-c.G, 255-c.B
			yy, cb, cr := color.RGBToYCbCr(cyan, magenta, yellow)
			inks = append(inks, cyan, magenta, yellow, 0)
			transformed = append(transformed, 255-yy, 255-cb, 255-cr, 0) // libvips inverts what it takes for inks
		}
	}
	fit := func(data []byte) image.Image {
		res, err := s.Fit(t.Context(), data, 1024)
		if err != nil {
			t.Fatal(err)
		}
		return decode(t, res)
	}
	ycck := inkJPEG(t, transformed, w, h)
	at14 := bytes.Index(ycck, []byte("\xff\xee\x00\x0eAdobe"))
	if at14 < 0 {
		t.Fatal("the file has no Adobe marker")
	}
	ycck[at14+15] = 2
	assertCorners(t, "YCCK", fit(ycck), fit(inkJPEG(t, inks, w, h)))
	if c := at(fit(ycck), .95, .95); c.R < 240 {
		t.Errorf("no ink is %v", c)
	}
}

// inkJPEG writes four channels as a CMYK JPEG.
func inkJPEG(t *testing.T, raw []byte, w, h int) []byte {
	t.Helper()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(file("raw"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"rawload", file("raw"), file("a.v"), strconv.Itoa(w), strconv.Itoa(h), "4"},
		{"copy", file("a.v"), file("b.v"), "--interpretation", "cmyk"},
		{"jpegsave", file("b.v"), file("c.jpg"), "--Q", "95", "--subsample-mode", "off"},
	} {
		if text, err := exec.CommandContext(t.Context(), "vips", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	data, err := os.ReadFile(file("c.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
