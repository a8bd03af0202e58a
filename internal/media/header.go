package media

import (
	"encoding/binary"
	"errors"

	"editor-actions/internal/fault"
)

// Header is what a file says about its picture, read without decoding pixels.
type Header struct {
	Format      Format
	Width       int // stored pixels, before Orientation is applied
	Height      int
	Orientation int  // EXIF 1 to 8; 1 when there is none or an invalid one
	Alpha       bool // has an alpha channel or transparency
	Profile     bool // carries an ICC profile
	Channels    int  // colour channels without alpha: 1 grey, 3 colour, 4 CMYK; 0 unknown
	BitDepth    int  // bits per channel, 0 unknown
	Frames      int  // pictures in an animation, at least 1
	Metadata    bool // carries EXIF, XMP, IPTC, comments or text
	Trailing    bool // bytes follow the end of the picture
	Partial     bool // a GIF whose first frame leaves part of the canvas free
}

// maxEdge bounds what a header may claim, so that a product of two edges fits
// an int64. No format of the list has larger ones.
const maxEdge = 1<<31 - 1

// Upright answers the size after the orientation is applied.
func (h Header) Upright() (width, height int) {
	if h.Orientation >= 5 {
		return h.Height, h.Width
	}
	return h.Width, h.Height
}

// Pixels of the stored picture.
func (h Header) Pixels() int64 { return int64(h.Width) * int64(h.Height) }

// Errors a file gives before any decoder sees it. Reasons are for operators.
var (
	ErrEmpty      = fault.New(fault.Unsupported, "image_empty", "The file is empty.")
	ErrNotAnImage = fault.New(fault.Unsupported, "image_not_an_image", "The content of the file is no picture.")
	errCut        = errors.New("the file ends too early")
)

func errFormat(f Format) error {
	return fault.New(fault.Unsupported, "image_format", "The file is a %s file. JPEG, PNG, GIF, WebP, AVIF, HEIC and TIFF can be described.", string(f))
}

func errTruncated(f Format, cause error) error {
	return fault.New(fault.Unsupported, "image_truncated", "The %s file is cut off or incomplete.", string(f)).Because(cause)
}

func errCorrupt(f Format, cause error) error {
	return fault.New(fault.Unsupported, "image_corrupt", "The %s file is damaged.", string(f)).Because(cause)
}

// ReadHeader reads what data says about itself and checks its structure to the
// end: cut and damaged files are refused here, because decoders make grey
// pictures of them. Errors are faults with the codes image_empty,
// image_not_an_image, image_format, image_truncated and image_corrupt.
func ReadHeader(data []byte) (Header, error) {
	if len(data) == 0 {
		return Header{}, ErrEmpty
	}
	f := Sniff(data)
	read, ok := readers[f]
	if !ok {
		if f == FormatUnknown {
			return Header{}, ErrNotAnImage
		}
		return Header{}, errFormat(f)
	}
	h, err := read(data)
	h.Format = f
	switch {
	case errors.Is(err, errCut):
		return h, errTruncated(f, err)
	case err != nil:
		return h, errCorrupt(f, err)
	case h.Width <= 0 || h.Height <= 0 || h.Width > maxEdge || h.Height > maxEdge:
		return h, errCorrupt(f, errors.New("the picture has no size"))
	}
	if h.Orientation < 1 || h.Orientation > 8 {
		h.Orientation = 1
	}
	h.Frames = max(h.Frames, 1)
	return h, nil
}

var readers = map[Format]func([]byte) (Header, error){
	FormatJPEG: readJPEG, FormatPNG: readPNG, FormatGIF: readGIF, FormatWebP: readWebP,
	FormatAVIF: readHEIF, FormatHEIC: readHEIF, FormatTIFF: readTIFF,
}

// Bounded readers: 0 past the end.
func beUint16(b []byte, at int) uint16 {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return binary.BigEndian.Uint16(b[at:])
}

func beUint32(b []byte, at int) uint32 {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return binary.BigEndian.Uint32(b[at:])
}

func leUint16(b []byte, at int) uint16 {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint16(b[at:])
}

func leUint32(b []byte, at int) uint32 {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint32(b[at:])
}
