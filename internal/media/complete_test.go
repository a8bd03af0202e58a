package media_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"editor-actions/internal/fault"
	"editor-actions/internal/media"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(pictures, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestS8_EveryCutIsRefused(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{"grey.tif": tiff(false), "wide.tif": tiff(true)}
	for _, name := range []string{
		"jpeg_base.jpg", "jpeg_progressive.jpg", "jpeg_cmyk_icc.jpg", "orient_6.jpg", "png_screenshot.png", "png_graya16.png", "exif_6.png",
		"gif_anim.gif", "gif_transparent.gif", "exif_6.webp", "webp_alpha.webp", "webp_anim.webp", "avif.avif", "heic.heic",
	} {
		files[name] = read(t, name)
	}
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, err := media.ReadHeader(data)
			if err != nil || h.Trailing {
				t.Fatalf("the whole file: %+v, %v", h, err)
			}
			step := max(1, len(data)/500)
			for n := len(data) - 1; n > 0; n -= step {
				if _, err := media.ReadHeader(data[:n]); err == nil {
					t.Fatalf("cut at %d of %d bytes it passes", n, len(data))
				} else if fault.KindOf(err) != fault.Unsupported {
					t.Fatalf("cut at %d: %v", n, err)
				}
			}
		})
	}
}

func TestReadHeader_SaysWhatTheRecipeNeeds(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]media.Header{
		"jpeg_base.jpg":           {Format: media.FormatJPEG, Channels: 3, BitDepth: 8},
		"jpeg_cmyk_icc.jpg":       {Format: media.FormatJPEG, Channels: 4, BitDepth: 8, Profile: true},
		"orient6_icc.jpg":         {Format: media.FormatJPEG, Channels: 3, BitDepth: 8, Profile: true, Metadata: true, Orientation: 6},
		"poly_jpgzip.jpg":         {Format: media.FormatJPEG, Channels: 3, BitDepth: 8, Trailing: true},
		"png_graya16.png":         {Format: media.FormatPNG, Channels: 1, BitDepth: 16, Alpha: true},
		"png_1bit.png":            {Format: media.FormatPNG, Channels: 1, BitDepth: 1},
		"gif_offset.gif":          {Format: media.FormatGIF, Channels: 3, BitDepth: 8, Alpha: true, Partial: true},
		"webp_alpha.webp":         {Format: media.FormatWebP, Channels: 3, BitDepth: 8, Alpha: true},
		"webp_orient6_large.webp": {Format: media.FormatWebP, Channels: 3, BitDepth: 8, Metadata: true, Orientation: 6},
		"avif.avif":               {Format: media.FormatAVIF, Channels: 3, BitDepth: 8},
	} {
		h, err := media.ReadHeader(read(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want.Orientation = max(want.Orientation, 1)
		want.Width, want.Height, want.Frames = h.Width, h.Height, h.Frames
		if want.Metadata != h.Metadata && !want.Metadata {
			want.Metadata = true // the sources carry more or less of it
		}
		if h != want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, h, want)
		}
	}
}

func TestReadHeader_FramesAndCanvas(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][3]int{
		"gif_offset.gif": {800, 600, 1}, "gif_anim.gif": {0, 0, 2}, "webp_anim.webp": {0, 0, 2}, "bomb_gif_canvas.gif": {65535, 65535, 1},
	} {
		h, err := media.ReadHeader(read(t, name))
		if err != nil || h.Frames < want[2] || want[0] > 0 && (h.Width != want[0] || h.Height != want[1]) {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}

// tiff writes a grey picture of 60 x 50 pixels with orientation 6, in two
// strips; wide has 16 bits, and alpha.
func tiff(wide bool) []byte {
	bits, samples, size := uint32(8), uint32(1), 3000
	if wide {
		bits, samples, size = 16, 2, 12000
	}
	le := binary.LittleEndian
	arrays := uint32(8)                  // strip offsets, strip lengths, then the directory and the pixels
	directory, pixels := arrays+16, 1000 // far enough behind the directory
	out := le.AppendUint32([]byte("II*\x00"), directory)
	for _, v := range []uint32{uint32(pixels), uint32(pixels + size/2), uint32(size / 2), uint32(size / 2)} {
		out = le.AppendUint32(out, v)
	}
	entries := [][4]uint32{
		{0x100, 3, 1, 60},
		{0x101, 4, 1, 50},
		{0x102, 3, samples, bits | bits<<16},
		{0x106, 3, 1, 1},
		{0x111, 4, 2, arrays},
		{0x112, 3, 1, 6},
		{0x115, 3, 1, samples},
		{0x117, 4, 2, arrays + 8},
	}
	out = le.AppendUint16(out, uint16(len(entries)))
	for _, e := range entries {
		out = le.AppendUint16(le.AppendUint16(out, uint16(e[0])), uint16(e[1]))
		out = le.AppendUint32(le.AppendUint32(out, e[2]), e[3])
	}
	out = append(out, make([]byte, pixels-len(out)+size)...)
	return out
}

func TestReadHeader_TIFF(t *testing.T) {
	t.Parallel()
	h, err := media.ReadHeader(tiff(true))
	want := media.Header{Format: media.FormatTIFF, Width: 60, Height: 50, Orientation: 6, Alpha: true, Channels: 1, BitDepth: 16, Frames: 1, Metadata: true}
	if err != nil || h != want {
		t.Fatalf("got %+v, %v\nwant %+v", h, err, want)
	}
	if w, ht := h.Upright(); w != 50 || ht != 60 {
		t.Fatal(w, ht)
	}
	huge := tiff(false)
	i := bytes.Index(huge, []byte{0x00, 0x01, 3, 0}) // the width becomes a LONG of 2^32-1
	copy(huge[i+2:], []byte{4, 0, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF})
	if h, err := media.ReadHeader(huge); err == nil {
		t.Fatalf("accepted %+v", h)
	}
}

func TestSniff(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]media.Format{
		"":                                 media.FormatUnknown,
		"\xFF\xD8\xFF\xE0":                 media.FormatJPEG,
		"\x89PNG\r\n\x1a\n":                media.FormatPNG,
		"GIF89a":                           media.FormatGIF,
		"RIFF\x00\x00\x00\x00WEBPVP8 ":     media.FormatWebP,
		"RIFF\x00\x00\x00\x00WAVEfmt ":     media.FormatUnknown,
		"\x00\x00\x00\x14ftypavis\x00\x00": media.FormatAVIF,
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00avifmif1": media.FormatAVIF,
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1heic": media.FormatHEIC,
		"\x00\x00\x00\x18ftypisom\x00\x00\x00\x00mp41mp42": media.FormatVideo,
		"BM\x00\x00": media.FormatBMP,
		"%PDF-1.7":   media.FormatPDF,
		"%!PS-Adobe": media.FormatUnknown,
		"\xEF\xBB\xBF \n<?xml version='1.0'?><svg": media.FormatSVG,
		"<!DOCTYPE html><html>":                    media.FormatUnknown,
		"\xFF\x0A":                                 media.FormatJXL,
	} {
		if got := media.Sniff([]byte(head)); got != want {
			t.Errorf("%q is %s, want %s", head, got, want)
		}
	}
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00avif"))
	f.Add([]byte("<svg"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := media.Sniff(data); got.Decodable() && got.MediaType() == "" {
			t.Fatalf("%s has no media type", got)
		}
	})
}
