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
	Edge    int          // pixels of the longest edge of any picture
	Images  int
}

// VisionAction is what a run needs that shows its subject's picture and offers one tool.
var VisionAction = Requirements{Vision: NeedNotRefused, Tools: true}

// Merge is the stricter of both in everything. It changes neither.
func (r Requirements) Merge(o Requirements) Requirements {
	out := Requirements{
		Vision: max(r.Vision, o.Vision), Tools: r.Tools || o.Tools,
		Largest: max(r.Largest, o.Largest), Edge: max(r.Edge, o.Edge), Images: max(r.Images, o.Images), Types: slices.Clone(r.Types),
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
			r.Edge = max(r.Edge, p.Image.Width(), p.Image.Height())
			if !slices.Contains(r.Types, p.Image.Type()) {
				r.Types = append(r.Types, p.Image.Type())
			}
		}
	}
	return r
}

// check holds a model of a configuration against the requirements. Errors are *Error of
// kind Unsupported or TooLarge; nothing has been sent.
func (r Requirements) check(configuration string, cfg config.ProviderConfiguration, model string, d declared) error {
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
	vendor, limits := cfg.Vendor, LimitsOf(cfg)
	for _, t := range r.Types {
		if !slices.Contains(limits.Types, t) {
			return no("%s takes no %s", vendor, t)
		}
	}
	if limits.MaxImages > 0 && r.Images > limits.MaxImages {
		return no("%s takes %d pictures, not %d", vendor, limits.MaxImages, r.Images)
	}
	large := func(format string, args ...any) error {
		return &Error{Provider: configuration, Kind: TooLarge, Detail: fmt.Sprintf(format, args...)}
	}
	switch {
	case limits.MaxEncodedBytes > 0 && r.Largest > limits.MaxEncodedBytes:
		return large("a picture has %d encoded bytes, %s takes %d; nothing was sent", r.Largest, vendor, limits.MaxEncodedBytes)
	case limits.MaxEdge > 0 && r.Edge > limits.MaxEdge:
		return large("a picture has an edge of %d pixels, %s takes %d; nothing was sent", r.Edge, vendor, limits.MaxEdge)
	}
	return nil
}

// WireLimits is what one wire takes. Zero does not bound.
type WireLimits struct {
	Types           []media.Type
	MaxEncodedBytes int // of one picture, in base64
	MaxEdge         int // pixels of one picture
	MaxImages       int // in one request
	MaxRequestBytes int // of one request with all it holds; the adapters count them
}

// both are the two types this program ever sends; every wire takes them (P4).
var both = []media.Type{media.JPEG, media.PNG}

// wires are from the vendors' references; docs/pictures.md names the pages. Read 2026-12-03.
var wires = map[string]WireLimits{
	config.VendorOpenAI:     {Types: both, MaxEncodedBytes: 20_000_000, MaxRequestBytes: 50_000_000},
	config.VendorOpenRouter: {Types: both},
	config.VendorMistral:    {Types: both, MaxImages: 8},
	// console.groq.com/docs/vision: 4 MB for a request with an encoded picture.
	config.VendorGroq: {Types: both, MaxEncodedBytes: 4_000_000, MaxImages: 5, MaxRequestBytes: 4_000_000},
	// A picture of 10 MiB on Anthropic's own API (the vision page's "General limits"; the
	// refusal "image exceeds 10 MB maximum: ... > 10485760 bytes"), 5 at Bedrock and Vertex AI.
	// "image dimensions exceed max allowed size: 8000 pixels" (claude-code issue 11576; 2000 of
	// more than 20 pictures, which no run has). A request: docs/en/api/errors.
	config.VendorAnthropic: {Types: both, MaxEncodedBytes: 5 << 20, MaxEdge: 8000, MaxImages: 100, MaxRequestBytes: 32_000_000},
	// ai.google.dev/gemini-api/docs/image-understanding. Other inline data may have 100 MB
	// (docs/file-input-methods); the rule for pictures is the narrower one.
	config.VendorGemini:     {Types: both, MaxEncodedBytes: 7_000_000, MaxRequestBytes: 20_000_000},
	config.VendorOllama:     {Types: both},
	config.VendorCompatible: {Types: both},
	config.VendorDemo:       {Types: both},
}

// LimitsOf answers what a configuration's provider takes: what its settings say, else what
// its vendor publishes. An unknown vendor takes nothing.
func LimitsOf(c config.ProviderConfiguration) WireLimits {
	l := wires[c.Vendor]
	for _, o := range []struct {
		to  *int
		own int
	}{
		{&l.MaxEncodedBytes, c.Limits.PictureBytes},
		{&l.MaxEdge, c.Limits.PictureEdge},
		{&l.MaxImages, c.Limits.Pictures},
		{&l.MaxRequestBytes, c.Limits.RequestBytes},
	} {
		if o.own > 0 {
			*o.to = o.own
		}
	}
	return l
}
