package media

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
)

// Type is a media type that a model may be sent.
type Type string

// The two types every wire format takes (P4).
const (
	JPEG Type = "image/jpeg"
	PNG  Type = "image/png"
)

// Valid reports whether t may be sent.
func (t Type) Valid() bool { return t == JPEG || t == PNG }

// Image is an encoded picture with its measured size. It is immutable, safe
// for concurrent use, and prints itself as a description: no formatting, log
// or JSON encoder gives its bytes.
type Image struct {
	data          string // a string, so that nobody can write to it
	typ           Type
	width, height int
	sha256        [sha256.Size]byte
}

// NewImage copies data into an Image. The type and size must have been read
// from those bytes; NewImage checks them against its own header reader and
// answers an error when they differ.
func NewImage(data []byte, typ Type, width, height int) (*Image, error) {
	if !typ.Valid() {
		return nil, fmt.Errorf("media: %q is not a type that can be sent", typ)
	}
	h, err := ReadHeader(data)
	if err != nil {
		return nil, fmt.Errorf("media: measure image: %w", err)
	}
	if h.Format.MediaType() != string(typ) || h.Width != width || h.Height != height {
		return nil, fmt.Errorf("media: image is %s %dx%d, not %s %dx%d", h.Format, h.Width, h.Height, typ, width, height)
	}
	return &Image{data: string(data), typ: typ, width: width, height: height, sha256: sha256.Sum256(data)}, nil
}

// Type is the media type of the bytes.
func (i *Image) Type() Type { return i.typ }

// Width in pixels.
func (i *Image) Width() int { return i.width }

// Height in pixels.
func (i *Image) Height() int { return i.height }

// Size in bytes.
func (i *Image) Size() int { return len(i.data) }

// Bytes returns a copy of the encoded picture.
func (i *Image) Bytes() []byte { return []byte(i.data) }

// SHA256 of the bytes, in hex.
func (i *Image) SHA256() string { return hex.EncodeToString(i.sha256[:]) }

// Base64 is the standard encoding of the bytes.
func (i *Image) Base64() string { return base64.StdEncoding.EncodeToString([]byte(i.data)) }

// EncodedLen is the length of Base64.
func (i *Image) EncodedLen() int { return base64.StdEncoding.EncodedLen(len(i.data)) }

// DataURI is the picture as a data URI.
func (i *Image) DataURI() string { return "data:" + string(i.typ) + ";base64," + i.Base64() }

// String describes the picture without its bytes.
func (i *Image) String() string {
	if i == nil {
		return "no image"
	}
	return fmt.Sprintf("%s %dx%d, %d bytes, sha256 %s", i.typ, i.width, i.height, len(i.data), i.SHA256()[:12])
}

// Format implements fmt.Formatter for every verb, so that %#v prints no bytes either.
func (i *Image) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(i.String())) }

// LogValue implements slog.LogValuer.
func (i *Image) LogValue() slog.Value { return slog.StringValue(i.String()) }

// MarshalJSON gives the description; sealing uses Bytes explicitly.
func (i *Image) MarshalJSON() ([]byte, error) { return json.Marshal(i.String()) }
