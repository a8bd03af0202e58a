package downscaler_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

// cardColour is the colour of an upright card: red top left, green top right,
// blue bottom left, white bottom right.
func cardColour(x, y, w, h int) color.NRGBA {
	switch left, top := x < w/2, y < h/2; {
	case left && top:
		return color.NRGBA{R: 230, A: 255}
	case top:
		return color.NRGBA{G: 200, A: 255}
	case left:
		return color.NRGBA{B: 230, A: 255}
	}
	return color.NRGBA{R: 255, G: 255, B: 255, A: 255}
}

// storedCard draws a card of w x h pixels the way a camera with the given EXIF
// orientation stores it. hole makes its middle transparent.
func storedCard(w, h, orientation int, hole bool) *image.NRGBA {
	sw, sh := w, h
	if orientation >= 5 {
		sw, sh = h, w
	}
	img := image.NewNRGBA(image.Rect(0, 0, sw, sh))
	for y := range h {
		for x := range w {
			sx, sy := x, y
			switch orientation {
			case 2:
				sx = w - 1 - x
			case 3:
				sx, sy = w-1-x, h-1-y
			case 4:
				sy = h - 1 - y
			case 5:
				sx, sy = y, x
			case 6:
				sx, sy = y, w-1-x
			case 7:
				sx, sy = h-1-y, w-1-x
			case 8:
				sx, sy = h-1-y, x
			}
			c := cardColour(x, y, w, h)
			if hole && x > w/4 && x < w*3/4 && y > h/4 && y < h*3/4 {
				c.A = 0
			}
			img.SetNRGBA(sx, sy, c)
		}
	}
	return img
}

// exifBlock is a TIFF structure with the orientation, an author and a GPS directory.
func exifBlock(orientation int) []byte {
	b := []byte("MM\x00*\x00\x00\x00\x08\x00\x03")
	b = append(b, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(orientation), 0, 0)
	b = append(b, 0x01, 0x3B, 0, 2, 0, 0, 0, 4, 'A', 'n', 'n', 0)
	b = append(b, 0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 50)
	b = append(b, 0, 0, 0, 0)
	b = append(b, 0, 1, 0, 1, 0, 2, 0, 0, 0, 2, 'N', 0, 0, 0, 0, 0, 0, 0)
	return b
}

func jpegWithOrientation(t testing.TB, img image.Image, orientation int) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: 92}); err != nil {
		t.Fatal(err)
	}
	body := append([]byte("Exif\x00\x00"), exifBlock(orientation)...)
	app1 := binary.BigEndian.AppendUint16([]byte{0xFF, 0xE1}, uint16(len(body)+2))
	return bytes.Join([][]byte{buf.Bytes()[:2], app1, body, buf.Bytes()[2:]}, nil)
}

func pngChunk(kind string, body []byte) []byte {
	c := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	c = append(append(c, kind...), body...)
	return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
}

func pngBytes(t testing.TB, img image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func pngWithOrientation(t testing.TB, img image.Image, orientation int) []byte {
	t.Helper()
	data := pngBytes(t, img)
	return bytes.Join([][]byte{data[:33], pngChunk("eXIf", exifBlock(orientation)), data[33:]}, nil)
}

// tiffWithOrientation writes an uncompressed RGB or RGBA picture in one strip.
func tiffWithOrientation(img *image.NRGBA, orientation int, alpha bool) []byte {
	b := img.Bounds()
	samples := 3
	if alpha {
		samples = 4
	}
	var pix []byte
	for i := 0; i < len(img.Pix); i += 4 {
		pix = append(pix, img.Pix[i:i+samples]...)
	}
	type entry struct {
		tag, typ uint16
		n, v     uint32
	}
	at := uint32(8 + len(pix)) // of four bit depths, then the directory
	entries := []entry{
		{0x100, 4, 1, uint32(b.Dx())},
		{0x101, 4, 1, uint32(b.Dy())},
		{0x102, 3, uint32(samples), at},
		{0x103, 3, 1, 1},
		{0x106, 3, 1, 2},
		{0x111, 4, 1, 8},
		{0x112, 3, 1, uint32(orientation)},
		{0x115, 3, 1, uint32(samples)},
		{0x116, 4, 1, uint32(b.Dy())},
		{0x117, 4, 1, uint32(len(pix))},
	}
	if alpha {
		entries = append(entries, entry{0x152, 3, 1, 2})
	}
	le := binary.LittleEndian
	out := le.AppendUint32([]byte("II*\x00"), at+8)
	out = append(out, pix...)
	for range 4 {
		out = le.AppendUint16(out, 8)
	}
	out = le.AppendUint16(out, uint16(len(entries)))
	for _, e := range entries {
		out = le.AppendUint16(le.AppendUint16(out, e.tag), e.typ)
		out = le.AppendUint32(le.AppendUint32(out, e.n), e.v)
	}
	return le.AppendUint32(out, 0)
}

// gifOf writes frames, red first, at their places on a canvas.
func gifOf(t testing.TB, w, h int, frames ...image.Rectangle) []byte {
	t.Helper()
	pal := color.Palette{color.RGBA{R: 255, A: 255}, color.RGBA{G: 255, A: 255}, color.RGBA{B: 255, A: 255}, color.White}
	g := &gif.GIF{Config: image.Config{ColorModel: pal, Width: w, Height: h}}
	for i, r := range frames {
		p := image.NewPaletted(r, pal)
		for j := range p.Pix {
			p.Pix[j] = uint8(i)
		}
		g.Image, g.Delay = append(g.Image, p), append(g.Delay, 10)
	}
	var buf bytes.Buffer
	if err := gif.EncodeAll(&buf, g); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// thinJPEG is a JPEG on which libvips aborts the process (shrink-on-load makes an edge 0).
func thinJPEG(t testing.TB) []byte {
	t.Helper()
	return picture(t, "dim_1x20000.jpg")
}

// foreign lists what an output holds beside the picture itself. It walks the
// file on its own: the room's reader is what it checks.
func foreign(data []byte) []string {
	var found []string
	if bytes.HasPrefix(data, []byte("\x89PNG")) {
		at := 8
		for at+12 <= len(data) {
			n, kind := int(binary.BigEndian.Uint32(data[at:])), string(data[at+4:at+8])
			switch kind {
			case "IHDR", "PLTE", "tRNS", "IDAT", "IEND", "pHYs", "bKGD":
			default:
				found = append(found, "chunk "+kind)
			}
			if at += n + 12; kind == "IEND" {
				break
			}
		}
		if at != len(data) {
			found = append(found, "trailing bytes")
		}
		return found
	}
	at := 2
	for at+4 <= len(data) && data[at] == 0xFF && data[at+1] != 0xDA {
		m, n := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		switch {
		case m == 0xE0 && n == 16, m == 0xDB, m == 0xC4, m == 0xC0, m == 0xC2, m == 0xDD: // a JFIF head without thumbnail
		default:
			found = append(found, "segment "+string("0123456789ABCDEF"[m>>4])+string("0123456789ABCDEF"[m&15]))
		}
		at += 2 + n
	}
	if !bytes.HasSuffix(data, []byte{0xFF, 0xD9}) || bytes.Count(data[at:], []byte{0xFF, 0xD9}) != 1 {
		found = append(found, "trailing bytes")
	}
	return found
}
