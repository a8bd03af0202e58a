package providers

import (
	"fmt"
	"slices"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
)

// Need is how sure we must be that a model sees. Larger is stricter.
type Need uint8

// The needs.
const (
	NeedNone       Need = iota
	NeedNotRefused      // the subject's picture: a model that declares nothing passes (ADR-235)
	NeedDeclared        // a picture that a tool returned: a model that declares nothing fails
)

// Requirements are what a request demands of the model it is sent to. They only ever
// grow: Merge has no way to take one away. The zero value demands nothing.
type Requirements struct {
	Vision  Need
	Tools   bool
	Types   []media.Type // of the pictures
	Largest int          // bytes of the largest picture in base64
	Images  int
}

// VisionAction is what a run needs that shows its subject's picture and offers one tool.
var VisionAction = Requirements{Vision: NeedNotRefused, Tools: true}

// Merge is the stricter of both in everything. It changes neither.
func (r Requirements) Merge(o Requirements) Requirements {
	out := Requirements{
		Vision: max(r.Vision, o.Vision), Tools: r.Tools || o.Tools,
		Largest: max(r.Largest, o.Largest), Images: max(r.Images, o.Images), Types: slices.Clone(r.Types),
	}
	for _, t := range o.Types {
		if !slices.Contains(out.Types, t) {
			out.Types = append(out.Types, t)
		}
	}
	return out
}

// RequirementsOf reads what a request demands by itself: a picture needs a model that
// is not known to be blind, whatever the caller says, and an Outbound brings its own.
func RequirementsOf(req Request) Requirements {
	r := Requirements{Tools: len(req.Tools) > 0}.Merge(Requirements{Vision: req.need.Vision, Tools: req.need.Tools})
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			if p.Type != ImagePart || p.Image == nil {
				continue
			}
			r.Images++
			r.Vision = max(r.Vision, NeedNotRefused)
			r.Largest = max(r.Largest, p.Image.EncodedLen())
			if !slices.Contains(r.Types, p.Image.Type()) {
				r.Types = append(r.Types, p.Image.Type())
			}
		}
	}
	return r
}

// check holds a model against the requirements. Errors are *Error of kind
// Unsupported or TooLarge; nothing has been sent.
func (r Requirements) check(configuration, vendor, model string, d declared) error {
	no := func(format string, args ...any) error {
		return unsupported(configuration, fmt.Sprintf(format, args...))
	}
	vision := d.vision()
	switch {
	case r.Vision >= NeedNotRefused && vision == VisionNo:
		return no("the model %s does not declare vision", model)
	case r.Vision >= NeedDeclared && vision != VisionYes:
		return no("the model %s does not say that it sees", model)
	case r.Tools && d.lacks(CapabilityTools):
		return no("the model %s does not declare tools", model)
	}
	limits := LimitsOf(vendor)
	for _, t := range r.Types {
		if !slices.Contains(limits.Types, t) {
			return no("%s takes no %s", vendor, t)
		}
	}
	if limits.MaxImages > 0 && r.Images > limits.MaxImages {
		return no("%s takes %d pictures, not %d", vendor, limits.MaxImages, r.Images)
	}
	if limits.MaxEncodedBytes > 0 && r.Largest > limits.MaxEncodedBytes {
		return &Error{
			Provider: configuration, Kind: TooLarge,
			Detail: fmt.Sprintf("a picture has %d encoded bytes, %s takes %d; nothing was sent", r.Largest, vendor, limits.MaxEncodedBytes),
		}
	}
	return nil
}

// WireLimits is what one wire takes. Zero does not bound.
type WireLimits struct {
	Types           []media.Type
	MaxEncodedBytes int // of one picture, in base64
	MaxImages       int // in one request
}

// both are the two types this program ever sends; every wire takes them (P4).
var both = []media.Type{media.JPEG, media.PNG}

// wires are from the vendors' references; docs/pictures.md names the pages. Read 2026-12-03.
var wires = map[string]WireLimits{
	config.VendorOpenAI:     {Types: both, MaxEncodedBytes: 20_000_000},
	config.VendorOpenRouter: {Types: both},
	config.VendorMistral:    {Types: both, MaxImages: 8},
	config.VendorGroq:       {Types: both, MaxEncodedBytes: 4_000_000, MaxImages: 5},
	config.VendorAnthropic:  {Types: both, MaxEncodedBytes: 5 << 20, MaxImages: 100},
	config.VendorGemini:     {Types: both, MaxEncodedBytes: 7_000_000},
	config.VendorOllama:     {Types: both},
	config.VendorCompatible: {Types: both},
	config.VendorDemo:       {Types: both},
}

// LimitsOf answers what a vendor's wire takes; an unknown vendor takes nothing.
func LimitsOf(vendor string) WireLimits { return wires[vendor] }
