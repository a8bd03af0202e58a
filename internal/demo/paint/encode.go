package paint

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"
)

// Image is a finished picture file: its bytes and its size when held upright.
// Width and Height are zero for files that are no pictures.
type Image struct {
	Data          []byte
	Width, Height int
}

func asJPEG(img image.Image, quality int) (Image, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		return Image{}, err
	}
	return Image{Data: b.Bytes(), Width: img.Bounds().Dx(), Height: img.Bounds().Dy()}, nil
}

func asPNG(img image.Image, level png.CompressionLevel) (Image, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: level}).Encode(&b, img); err != nil {
		return Image{}, err
	}
	return Image{Data: b.Bytes(), Width: img.Bounds().Dx(), Height: img.Bounds().Dy()}, nil
}

// photo develops and stores a canvas the way a camera would.
func (c *Canvas) photo(f film) (Image, error) { return asJPEG(c.develop(f), 88) }

// drawing stores a canvas as it was drawn.
func (c *Canvas) drawing() (Image, error) { return asPNG(c.plain(), png.DefaultCompression) }

// onItsSide turns an upright picture a quarter to the left, as the sensor of a
// camera that was held upright stores it, and notes orientation 6 ("turn right
// to look at it") with a place in its EXIF block.
func onItsSide(up *image.RGBA) (Image, error) {
	w, h := up.Rect.Dx(), up.Rect.Dy()
	side := image.NewRGBA(image.Rect(0, 0, h, w))
	for y := range h {
		for x := range w {
			copy(side.Pix[(w-1-x)*side.Stride+y*4:][:4], up.Pix[y*up.Stride+x*4:][:4])
		}
	}
	img, err := asJPEG(side, 88)
	if err != nil {
		return Image{}, err
	}
	img.Data = withEXIF(img.Data, 6)
	img.Width, img.Height = w, h
	return img, nil
}

// withEXIF puts an EXIF block with an orientation, a make and a GPS position
// behind the first two bytes of a JPEG.
func withEXIF(jpg []byte, orientation uint16) []byte {
	tiff := exifBlock(orientation)
	var b bytes.Buffer
	b.Write(jpg[:2])
	b.Write([]byte{0xFF, 0xE1})
	_ = binary.Write(&b, binary.BigEndian, uint16(len(tiff)+8)) //nolint:gosec // a few hundred bytes; writing to memory cannot fail
	b.WriteString("Exif\x00\x00")
	b.Write(tiff)
	b.Write(jpg[2:])
	return b.Bytes()
}

type exifEntry struct {
	tag, kind uint16
	count     uint32
	value     []byte // more than four bytes go behind the directory
}

// exifBlock is a little-endian TIFF header with a main and a GPS directory.
func exifBlock(orientation uint16) []byte {
	le := binary.LittleEndian
	short := func(v uint16) []byte { return le.AppendUint16(nil, v) }
	long := func(v uint32) []byte { return le.AppendUint32(nil, v) }
	ascii := func(s string) []byte { return append([]byte(s), 0) }
	degrees := func(d, m, s uint32) (out []byte) {
		for _, v := range []uint32{d, m, s} {
			out = le.AppendUint32(le.AppendUint32(out, v), 1)
		}
		return out
	}
	const model, taken = "Painted camera", "2024:06:09 11:20:43"
	first := []exifEntry{
		{0x010F, 2, uint32(len(model) + 1), ascii(model)},
		{0x0112, 3, 1, short(orientation)},
		{0x0132, 2, uint32(len(taken) + 1), ascii(taken)},
		{0x8825, 4, 1, nil}, // where the GPS directory is; filled in below
	}
	gps := []exifEntry{
		{0x0000, 1, 4, []byte{2, 3, 0, 0}},
		{0x0001, 2, 2, ascii("N")},
		{0x0002, 5, 3, degrees(47, 36, 12)},
		{0x0003, 2, 2, ascii("E")},
		{0x0004, 5, 3, degrees(9, 24, 48)},
	}
	const header = 8
	size := func(d []exifEntry) int {
		n := 2 + 12*len(d) + 4
		for _, e := range d {
			if len(e.value) > 4 {
				n += len(e.value) + len(e.value)%2
			}
		}
		return n
	}
	gpsAt := header + size(first)
	first[3].value = long(uint32(gpsAt)) //nolint:gosec // a few hundred bytes
	out := append([]byte("II"), 42, 0, header, 0, 0, 0)
	return directory(directory(out, first), gps)
}

func directory(out []byte, d []exifEntry) []byte {
	le := binary.LittleEndian
	behind := len(out) + 2 + 12*len(d) + 4
	var extra []byte
	out = le.AppendUint16(out, uint16(len(d))) //nolint:gosec // a handful of entries
	for _, e := range d {
		out = le.AppendUint32(le.AppendUint16(le.AppendUint16(out, e.tag), e.kind), e.count)
		if len(e.value) <= 4 {
			out = append(out, append(append([]byte{}, e.value...), make([]byte, 4-len(e.value))...)...)
			continue
		}
		out = le.AppendUint32(out, uint32(behind+len(extra))) //nolint:gosec // a few hundred bytes
		extra = append(extra, e.value...)
		if len(e.value)%2 == 1 {
			extra = append(extra, 0)
		}
	}
	out = le.AppendUint32(out, 0)
	return append(out, extra...)
}
