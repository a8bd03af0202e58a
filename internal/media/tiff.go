package media

import (
	"errors"
	"fmt"
)

// Tags of a TIFF image directory (TIFF 6.0, section 8).
const (
	tiffWidth            = 0x0100
	tiffHeight           = 0x0101
	tiffBitsPerSample    = 0x0102
	tiffPhotometric      = 0x0106
	tiffStripOffsets     = 0x0111
	tiffOrientation      = 0x0112
	tiffSamplesPerPixel  = 0x0115
	tiffStripByteCounts  = 0x0117
	tiffTileOffsets      = 0x0144
	tiffTileByteCounts   = 0x0145
	tiffICCProfile       = 0x8773
	tiffSeparated        = 5 // photometric interpretation of CMYK
	tiffMaxStrips        = 1 << 20
	tiffShort            = 3
	tiffEntry, tiffValue = 12, 8 // bytes of an entry, offset of the value in it
)

// readTIFF reads the first image directory. Strips and tiles must lie inside
// the file: decoders fill what is missing with black.
func readTIFF(data []byte) (Header, error) {
	h := Header{Orientation: 1, Metadata: true}
	d, err := openTIFF(data)
	if err != nil {
		return h, err
	}
	h.Width, h.Height = int(d.value(tiffWidth)), int(d.value(tiffHeight))
	if h.Width == 0 || h.Height == 0 {
		return h, errors.New("the first directory has no size")
	}
	if o := d.value(tiffOrientation); o >= 1 && o <= 8 {
		h.Orientation = int(o)
	}
	h.BitDepth = max(1, int(d.value(tiffBitsPerSample)))
	h.Channels = 3
	switch d.value(tiffPhotometric) {
	case 0, 1: // grey
		h.Channels = 1
	case tiffSeparated:
		h.Channels = 4
	}
	// A palette picture has one sample and three colours.
	h.Alpha = int(d.value(tiffSamplesPerPixel)) > h.Channels
	_, h.Profile = d.entry(tiffICCProfile)
	for _, pair := range [][2]uint16{{tiffStripOffsets, tiffStripByteCounts}, {tiffTileOffsets, tiffTileByteCounts}} {
		if err := d.inside(pair[0], pair[1]); err != nil {
			return h, err
		}
	}
	_, strips := d.entry(tiffStripOffsets)
	_, tiles := d.entry(tiffTileOffsets)
	if !strips && !tiles {
		return h, errors.New("the first directory has no picture data")
	}
	return h, nil
}

// tiffDirectory is the first image directory of a TIFF structure, which EXIF
// blocks are too. Every read is bounded by the file; no other offset is followed.
type tiffDirectory struct {
	data []byte
	at   int // of the first entry
	n    int // entries that lie inside the file
	u16  func([]byte, int) uint16
	u32  func([]byte, int) uint32
}

func openTIFF(data []byte) (tiffDirectory, error) {
	d := tiffDirectory{data: data, u16: leUint16, u32: leUint32}
	if len(data) < 8 {
		return d, errCut
	}
	if data[0] == 'M' {
		d.u16, d.u32 = beUint16, beUint32
	}
	at := int(d.u32(data, 4))
	if at < 8 {
		return d, errors.New("the first directory lies in the header")
	}
	if at+2 > len(data) {
		return d, errCut
	}
	d.at = at + 2
	d.n = int(d.u16(data, at))
	if fits := (len(data) - d.at) / tiffEntry; d.n > fits {
		d.n = fits // EXIF blocks in the wild end early; a TIFF then lacks its strips
	}
	return d, nil
}

// entry answers the offset of the entry of a tag.
func (d tiffDirectory) entry(tag uint16) (int, bool) {
	for i := range d.n {
		if at := d.at + i*tiffEntry; d.u16(d.data, at) == tag {
			return at, true
		}
	}
	return 0, false
}

// value answers the first short or long of a tag, 0 when there is none.
func (d tiffDirectory) value(tag uint16) uint32 {
	at, ok := d.entry(tag)
	if !ok {
		return 0
	}
	return d.element(at, 0)
}

func (d tiffDirectory) count(entry int) int { return int(d.u32(d.data, entry+4)) }

// element answers the i-th short or long of an entry: in the entry itself when
// all fit into its four bytes, else where it points to.
func (d tiffDirectory) element(entry, i int) uint32 {
	at, size := d.elements(entry)
	if size == 2 {
		return uint32(d.u16(d.data, at+2*i))
	}
	return d.u32(d.data, at+4*i)
}

// elements answers where the values of an entry begin and how long each one is.
func (d tiffDirectory) elements(entry int) (at, size int) {
	size = 4
	if d.u16(d.data, entry+2) == tiffShort {
		size = 2
	}
	at = entry + tiffValue
	if d.count(entry)*size > 4 {
		at = int(d.u32(d.data, at))
	}
	return at, size
}

// whole reports whether all values of an entry lie inside the file.
func (d tiffDirectory) whole(entry int) bool {
	at, size := d.elements(entry)
	return at+d.count(entry)*size <= len(d.data)
}

// inside checks that each strip or tile ends inside the file.
func (d tiffDirectory) inside(offsets, counts uint16) error {
	o, ok := d.entry(offsets)
	if !ok {
		return nil
	}
	c, ok := d.entry(counts)
	if !ok {
		return errors.New("a strip or tile has no length")
	}
	n := d.count(o)
	if n != d.count(c) || n > tiffMaxStrips {
		return fmt.Errorf("%d strips or tiles have %d lengths", n, d.count(c))
	}
	if !d.whole(o) || !d.whole(c) {
		return errCut
	}
	for i := range n {
		if int64(d.element(o, i))+int64(d.element(c, i)) > int64(len(d.data)) {
			return errCut
		}
	}
	return nil
}
