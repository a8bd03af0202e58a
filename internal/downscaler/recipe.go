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
	if h.Format == media.FormatJPEG || !h.Alpha && h.Format != media.FormatPNG && h.Format != media.FormatGIF {
		out, err = render(data, p, bimg.JPEG)
		return out, media.JPEG, false, err
	}
	out, err = render(data, p, bimg.PNG)
	if err != nil || len(out) <= maxPNGBytes {
		return out, media.PNG, false, err
	}
	// From the small PNG, which is lossless, upright, sRGB and 8-bit already.
	small := out
	out, err = bimg.Resize(small, bimg.Options{
		NoAutoRotate: true, StripMetadata: true, Quality: quality, Type: bimg.JPEG, Background: bimg.Color{R: 255, G: 255, B: 255},
	})
	runtime.KeepAlive(small)
	return out, media.JPEG, h.Alpha, err
}

// render runs the calls into bimg. Every slice that a call reads is kept alive
// until the call is over: libvips reads from it lazily.
func render(data []byte, p plan, final bimg.ImageType) ([]byte, error) {
	h := p.Header
	o := bimg.Options{NoAutoRotate: true, StripMetadata: true, Quality: quality, Type: final}
	w, ht := p.Width, p.Height
	if h.Orientation >= 5 {
		w, ht = ht, w
	}
	if w != h.Width || ht != h.Height {
		o.Width, o.Height, o.Force = w, ht, true // both and Force: exact, computed by us
	}
	if h.Profile && h.Channels != 4 {
		o.OutputICC = "srgb" // built in; a CMYK profile is imported by the colourspace step
	}
	if h.Orientation == 1 {
		out, err := bimg.Resize(data, o)
		runtime.KeepAlive(data)
		return out, err
	}
	// bimg's own rotation of a JPEG reads freed memory. So: fit without it,
	// lossless, then turn the small picture, which is no JPEG any more.
	o.Type = bimg.TIFF
	small, err := bimg.Resize(data, o)
	runtime.KeepAlive(data)
	if err != nil {
		return nil, err
	}
	turn := bimg.Options{NoAutoRotate: true, StripMetadata: true, Quality: quality, Type: final}
	turn.Rotate, turn.Flip = upright(h.Orientation)
	out, err := bimg.Resize(small, turn)
	runtime.KeepAlive(small)
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
	case h.Alpha && h.Channels == 1 && h.BitDepth == 16:
		// bimg does not see the alpha of 16-bit grey: make it 8-bit first.
		out, err := bimg.Resize(data, bimg.Options{NoAutoRotate: true, StripMetadata: true, Type: bimg.PNG})
		runtime.KeepAlive(data)
		return out, err
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
