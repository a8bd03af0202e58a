package downscaler

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/png"
	"runtime"
	"slices"

	"editor-actions/internal/media"

	"github.com/h2non/bimg"
)

const quality = 85 // of JPEG

// work makes the copy of one picture. It runs in a worker only.
func work(data []byte, p plan) ([]byte, answer) {
	out, typ, flattened, err := copyOf(data, p)
	if err != nil {
		// The library's text may belong to another call: say only that it failed.
		return nil, answer{Error: "decoder failed"}
	}
	return out, answer{OK: true, Type: typ, Flattened: flattened}
}

// copyOf makes a JPEG of what was a JPEG or has neither transparency nor the
// sharp edges that PNG and GIF are used for; else a PNG, unless it is too heavy.
func copyOf(data []byte, p plan) (out []byte, typ media.Type, flattened bool, err error) {
	h := p.Header
	data, err = readable(data, h)
	if err != nil {
		return nil, "", false, err
	}
	photograph := h.Format == media.FormatJPEG || !h.Alpha && h.Format != media.FormatPNG && h.Format != media.FormatGIF
	if photograph && h.Orientation == 1 && !byRows(h.Format) {
		out, err = resize(data, fitting(p, bimg.JPEG))
		return out, media.JPEG, false, err
	}
	small, err := lossless(data, p)
	if err != nil {
		return nil, "", false, err
	}
	if !photograph {
		if out, err = encode(small, h.Orientation, bimg.PNG); err != nil || len(out) <= maxPNGBytes {
			return out, media.PNG, false, err
		}
	}
	out, err = encode(small, h.Orientation, bimg.JPEG)
	return out, media.JPEG, h.Alpha, err
}

// lossless is the small picture, not turned yet, as an uncompressed TIFF.
func lossless(data []byte, p plan) ([]byte, error) {
	if byRows(p.Header.Format) {
		w, h := stored(p)
		return shrinkRows(data, w, h, p.Header.Profile)
	}
	return resize(data, fitting(p, bimg.TIFF))
}

// byRows are the formats that bimg would decode whole.
func byRows(f media.Format) bool { return f == media.FormatPNG || f == media.FormatTIFF }

// fitting is one call of bimg from the original to the small picture. bimg's own
// rotation of a JPEG reads freed memory, so the original is never turned by it.
func fitting(p plan, final bimg.ImageType) bimg.Options {
	o := bimg.Options{NoAutoRotate: true, StripMetadata: true, Quality: quality, Type: final}
	if w, h := stored(p); w != p.Header.Width || h != p.Header.Height {
		o.Width, o.Height, o.Force = w, h, true // both and Force: exact, computed by us
	}
	if p.Header.Profile && p.Header.Channels != 4 {
		o.OutputICC = "srgb" // built in; a CMYK profile is imported by the colourspace step
	}
	return o
}

// stored is the size of the small picture before it is turned.
func stored(p plan) (width, height int) {
	if p.Header.Orientation >= 5 {
		return p.Height, p.Width
	}
	return p.Width, p.Height
}

// encode turns and writes the small picture, which is no JPEG any more: turning
// it is safe. What a JPEG has no transparency for becomes white.
func encode(small []byte, orientation int, final bimg.ImageType) ([]byte, error) {
	o := bimg.Options{NoAutoRotate: true, StripMetadata: true, Quality: quality, Type: final}
	if final == bimg.JPEG {
		o.Background = bimg.Color{R: 255, G: 255, B: 255}
	}
	o.Rotate, o.Flip = upright(orientation)
	return resize(small, o)
}

// resize keeps the slice alive until the call is over: libvips reads from it lazily.
func resize(data []byte, o bimg.Options) ([]byte, error) {
	out, err := bimg.Resize(data, o)
	runtime.KeepAlive(data)
	return out, err
}

// upright is how a picture with an EXIF orientation is turned (EXIF 2.32, 4.6.4);
// bimg rotates first and flips then.
func upright(orientation int) (bimg.Angle, bool) {
	switch orientation {
	case 2:
		return bimg.D0, true
	case 3:
		return bimg.D180, false
	case 4:
		return bimg.D180, true
	case 5:
		return bimg.D90, true
	case 6:
		return bimg.D90, false
	case 7:
		return bimg.D270, true
	case 8:
		return bimg.D270, false
	}
	return bimg.D0, false
}

// readable answers bytes of the same picture that bimg reads as it is.
func readable(data []byte, h media.Header) ([]byte, error) {
	switch {
	case h.Partial:
		return wholeCanvas(data, h)
	case h.Format == media.FormatAVIF || h.Format == media.FormatHEIC:
		return knownBrand(data, h.Format), nil
	}
	return data, nil
}

// knownBrand names a file by the one brand of its format that bimg knows:
// pictures of cameras and converters say heix, avis or mif1 first.
func knownBrand(data []byte, f media.Format) []byte {
	brand := "heic"
	if f == media.FormatAVIF {
		brand = "avif"
	}
	if string(data[8:12]) == brand {
		return data
	}
	data = slices.Clone(data)
	copy(data[8:12], brand)
	return data
}

// wholeCanvas draws the first frame of a GIF on its transparent canvas. libvips
// answers another size for some canvases (libnsgif takes the frames' extent when
// the canvas has a size that old encoders wrote without meaning it), and black
// where the frame leaves the canvas free.
func wholeCanvas(data []byte, h media.Header) ([]byte, error) {
	frame, err := gif.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("downscaler: first frame of GIF: %w", err)
	}
	canvas := image.NewNRGBA(image.Rect(0, 0, h.Width, h.Height))
	draw.Draw(canvas, frame.Bounds(), frame, frame.Bounds().Min, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, canvas); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
