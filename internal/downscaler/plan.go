package downscaler

import (
	"editor-actions/internal/config"
	"editor-actions/internal/fault"
	"editor-actions/internal/media"
)

const (
	minLongEdge  = 50        // pixels: smaller pictures make models invent
	tinyLongEdge = 200       // pixels: smaller ones are described with a warning
	minShortEdge = 8         // pixels after fitting: thinner ones show nothing, and abort libvips
	maxPNGBytes  = 512 << 10 // a result that is no JPEG and heavier becomes one (ADR-235)
)

// recipe is part of the cache key: raise it when the output changes.
const recipe = "2"

// plan is what a worker is asked to do.
type plan struct {
	Header  media.Header `json:"header"`
	Width   int          `json:"width"` // upright, after fitting
	Height  int          `json:"height"`
	Bytes   int          `json:"bytes"` // of the picture
	MaxEdge int          `json:"-"`
}

// planFor applies every limit that the header can answer, before any decode.
func planFor(h media.Header, limits config.Images, maxEdge int) (plan, error) {
	if err := pixels(h, limits); err != nil {
		return plan{}, err
	}
	if w, ht := h.Upright(); max(w, ht) < minLongEdge {
		return plan{}, fault.New(fault.Unsupported, "image_too_small", "The picture has %d x %d pixels; the long edge must have %d at least.", w, ht, minLongEdge)
	}
	p := planned(h, maxEdge)
	return p, thin(p)
}

// planAny is planFor for pictures of any size. Only what is scaled must not become too thin.
func planAny(h media.Header, limits config.Images, maxEdge int) (plan, error) {
	if err := pixels(h, limits); err != nil {
		return plan{}, err
	}
	p := planned(h, maxEdge)
	if w, ht := h.Upright(); max(w, ht) <= maxEdge {
		return p, nil
	}
	return p, thin(p)
}

func planned(h media.Header, maxEdge int) plan {
	w, ht := h.Upright()
	tw, th := fit(w, ht, maxEdge)
	return plan{Header: h, Width: tw, Height: th, MaxEdge: maxEdge}
}

func pixels(h media.Header, limits config.Images) error {
	most := limits.MaxPixels
	if h.Format == media.FormatJPEG {
		most = limits.MaxPixelsJPEG
	}
	if h.Pixels() > most {
		return fault.New(fault.TooLarge, "image_too_many_pixels", "The picture has %d x %d pixels; %d in all are allowed.", h.Width, h.Height, most)
	}
	return nil
}

func thin(p plan) error {
	if min(p.Width, p.Height) < minShortEdge {
		return fault.New(fault.Unsupported, "image_too_thin", "The picture would be %d x %d pixels; the short edge must have %d at least.", p.Width, p.Height, minShortEdge)
	}
	return nil
}

// fit bounds the long edge, rounds the short one half up, and never enlarges.
func fit(w, h, edge int) (int, int) {
	long := max(w, h)
	if long <= edge {
		return w, h
	}
	scale := func(n int) int { return max(1, (2*n*edge+long)/(2*long)) }
	return scale(w), scale(h)
}
