package media

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// Bytes of a file that may travel to a reader as they are.
const (
	DefaultMaxInlineBinary = 64 << 10 // as base64 in a text
	DefaultMaxInlineImage  = 5 << 20  // as a picture
)

// Resource says what the bytes of a named file are. MediaType may be a guess from
// the name, so it labels; only Renderable allows delivery as a picture.
type Resource struct {
	Name       string
	MediaType  string
	Size       int // bytes
	Text       bool
	Renderable bool
}

// Renderable reports whether a reader of pictures can be handed this format as it
// is: PNG, JPEG, GIF and WebP, which every model and client knows.
func (f Format) Renderable() bool {
	return f == FormatPNG || f == FormatJPEG || f == FormatGIF || f == FormatWebP
}

// Classify says what a file is: bytes before name, and nothing past the first
// bytes, so a cut picture is still one here. Renderable demands a size of at most
// maxInlineImage bytes; 0 means never. It is pure; the one error is a negative
// ceiling, a mistake of the caller.
func Classify(name string, data []byte, maxInlineImage int) (Resource, error) {
	if maxInlineImage < 0 {
		return Resource{}, fmt.Errorf("media: an image ceiling of %d bytes", maxInlineImage)
	}
	r := Resource{Name: name, MediaType: typeOfName(name), Size: len(data)}
	// Before the question whether it is text: a short GIF can be valid UTF-8.
	if f := Sniff(data); f.Renderable() {
		r.MediaType, r.Renderable = f.MediaType(), len(data) <= maxInlineImage
		return r, nil
	}
	r.Text = utf8.Valid(data)
	return r, nil
}

const octetStream = "application/octet-stream"

// namedTypes are media types by the extension of a name. The table is our own: the
// one of the system differs from host to host.
var namedTypes = map[string]string{
	"avif": "image/avif", "bmp": "image/bmp", "gif": "image/gif", "heic": "image/heic", "heif": "image/heif", "ico": "image/vnd.microsoft.icon",
	"jpeg": "image/jpeg", "jpg": "image/jpeg", "jxl": "image/jxl", "png": "image/png", "svg": "image/svg+xml", "tif": "image/tiff", "tiff": "image/tiff", "webp": "image/webp",
	"css": "text/css", "csv": "text/csv", "htm": "text/html", "html": "text/html", "ics": "text/calendar", "js": "text/javascript", "md": "text/markdown",
	"txt": "text/plain", "vcf": "text/vcard",
	"doc": "application/msword", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "epub": "application/epub+zip",
	"gz": "application/gzip", "json": "application/json", "odt": "application/vnd.oasis.opendocument.text", "pdf": "application/pdf", "rtf": "application/rtf",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml", "yaml": "application/yaml", "yml": "application/yaml",
	"zip": "application/zip",
	"mp3": "audio/mpeg", "mp4": "video/mp4", "ogg": "audio/ogg", "wav": "audio/wav", "webm": "video/webm",
}

func typeOfName(name string) string {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(path.Base(name)), "."))
	if t, ok := namedTypes[ext]; ok {
		return t
	}
	return octetStream
}

// Delivery is a file as a reader gets it: as a picture when Image is set, else as Text.
type Delivery struct {
	Resource Resource // zero when nobody asked: Vision is off
	Image    []byte   // the file's own bytes, not a copy; nil unless it travels as a picture
	Text     string
}

// DeliveryOptions are what a Deliverer knows about its reader.
type DeliveryOptions struct {
	Vision          bool // the reader can see
	MaxInlineBinary int  // bytes; 0 = never
	MaxInlineImage  int  // bytes; 0 = never
}

// Deliverer decides how files travel to a reader, the same way for every
// integration. It is for resources, where a text in place of the picture is as good
// as the reader allows; code that promises a picture takes an *Image.
type Deliverer struct{ o DeliveryOptions }

// NewDeliverer refuses negative ceilings, also those that would not be used.
func NewDeliverer(o DeliveryOptions) (*Deliverer, error) {
	if o.MaxInlineBinary < 0 || o.MaxInlineImage < 0 {
		return nil, errors.New("media: a ceiling for inline content is negative")
	}
	return &Deliverer{o}, nil
}

// Deliver gives a file as a picture when the reader sees and the file is one of a
// bearable size, else as Envelope does.
func (d *Deliverer) Deliver(name string, data []byte) (Delivery, error) {
	var out Delivery
	if d.o.Vision {
		r, err := Classify(name, data, d.o.MaxInlineImage)
		if err != nil {
			return Delivery{}, err
		}
		if out.Resource = r; r.Renderable {
			out.Image = data
			return out, nil
		}
	}
	text, err := Envelope(name, data, d.o.MaxInlineBinary)
	out.Text = text
	return out, err
}
