package media_test

import (
	"bytes"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"editor-actions/internal/media"
)

func encoded(t *testing.T, width, height int, encode func(b *bytes.Buffer, m image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecode_LimitsAndTypes(t *testing.T) {
	t.Parallel()
	pngBytes := encoded(t, 60, 40, func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) })
	jpegBytes := encoded(t, 60, 40, func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) })
	gifBytes := encoded(t, 60, 40, func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) })
	both := []media.Type{media.PNG, media.JPEG}
	for name, c := range map[string]struct {
		data []byte
		l    media.Limits
		want error
	}{
		"PNG":                        {pngBytes, media.Limits{Types: both}, nil},
		"JPEG":                       {jpegBytes, media.Limits{Types: both, MaxBytes: len(jpegBytes), MaxPixels: 2400, MaxEdge: 60}, nil},
		"no types allow none":        {pngBytes, media.Limits{}, media.ErrType},
		"another type":               {pngBytes, media.Limits{Types: both[1:]}, media.ErrType},
		"a type that is never sent":  {gifBytes, media.Limits{Types: append(both, "image/gif")}, media.ErrType},
		"one byte too many":          {pngBytes, media.Limits{Types: both, MaxBytes: len(pngBytes) - 1}, media.ErrTooLarge},
		"one pixel too many":         {pngBytes, media.Limits{Types: both, MaxPixels: 2399}, media.ErrTooLarge},
		"the edge":                   {pngBytes, media.Limits{Types: both, MaxEdge: 59}, media.ErrTooLarge},
		"text":                       {[]byte("GIF89 is a format"), media.Limits{Types: both}, media.ErrNotAnImage},
		"nothing":                    {nil, media.Limits{Types: both}, media.ErrNotAnImage},
		"C31_PNG signature then ZIP": {append([]byte("\x89PNG\r\n\x1a\n"), "PK\x03\x04 and more"...), media.Limits{Types: both}, errAny},
		"C32_prose that begins well": {[]byte("GIF89a is a format"), media.Limits{Types: both}, media.ErrType},
		"cut off":                    {pngBytes[:len(pngBytes)-5], media.Limits{Types: both}, errAny},
	} {
		img, err := media.Decode(c.data, c.l)
		switch {
		case c.want == nil && (err != nil || img.Width() != 60 || img.Height() != 40):
			t.Errorf("%s: %v", name, err)
		case c.want == errAny && err == nil, c.want != nil && c.want != errAny && !errors.Is(err, c.want): //nolint:errorlint // a marker of this test
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// errAny stands for an error whose kind another test holds.
var errAny = errors.New("any")

func TestVerify_EveryDifferenceCounts(t *testing.T) {
	t.Parallel()
	data := encoded(t, 60, 40, func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) })
	l := media.Limits{Types: []media.Type{media.PNG}}
	img, err := media.Decode(data, l)
	if err != nil {
		t.Fatal(err)
	}
	want := img.Fingerprint()
	if got, err := media.Verify(data, want, l); err != nil || got.SHA256() != img.SHA256() {
		t.Fatal(err)
	}
	for name, change := range map[string]func(f *media.Fingerprint){
		"type":   func(f *media.Fingerprint) { f.Type = media.JPEG },
		"width":  func(f *media.Fingerprint) { f.Width++ },
		"height": func(f *media.Fingerprint) { f.Height-- },
		"size":   func(f *media.Fingerprint) { f.Size++ },
		"hash":   func(f *media.Fingerprint) { f.SHA256[31] ^= 1 },
	} {
		f := want
		change(&f)
		if _, err := media.Verify(data, f, l); !errors.Is(err, media.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := media.Verify(data, want, media.Limits{Types: l.Types, MaxEdge: 10}); !errors.Is(err, media.ErrTooLarge) {
		t.Errorf("limits of now: %v", err)
	}
}
