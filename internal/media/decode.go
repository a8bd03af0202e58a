package media

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
)

// Limits bound a picture that somebody else made. Zero does not bound, except that no
// Types allow none.
type Limits struct {
	MaxBytes  int
	MaxPixels int64 // width times height
	MaxEdge   int
	Types     []Type
}

// Fingerprint is what may be stored about a picture in the clear.
type Fingerprint struct {
	Type          Type
	Width, Height int
	Size          int // bytes
	SHA256        [sha256.Size]byte
}

// Errors of Decode and Verify, for operators.
var (
	ErrType     = errors.New("media: a type of picture that is not allowed here")
	ErrTooLarge = errors.New("media: the picture is larger than allowed here")
	ErrChanged  = errors.New("media: the picture is not the one that was recorded")
)

// Fingerprint of the picture.
func (i *Image) Fingerprint() Fingerprint {
	return Fingerprint{Type: i.typ, Width: i.width, Height: i.height, Size: len(i.data), SHA256: i.sha256}
}

// Decode sniffs, measures and hashes bytes that may be a picture. The limits hold before
// anything of the size of its pixels exists: only the header and the structure are read,
// and nothing is converted. Errors are ErrType, ErrTooLarge, or those of ReadHeader.
func Decode(data []byte, l Limits) (*Image, error) {
	if l.MaxBytes > 0 && len(data) > l.MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, %d are taken", ErrTooLarge, len(data), l.MaxBytes)
	}
	typ := Type(Sniff(data).MediaType())
	if typ == "" {
		return nil, ErrNotAnImage
	}
	if !typ.Valid() || !slices.Contains(l.Types, typ) {
		return nil, fmt.Errorf("%w: %s", ErrType, typ)
	}
	h, err := ReadHeader(data)
	if err != nil {
		return nil, err
	}
	switch {
	case l.MaxPixels > 0 && h.Pixels() > l.MaxPixels:
		return nil, fmt.Errorf("%w: %d x %d pixels, %d are taken", ErrTooLarge, h.Width, h.Height, l.MaxPixels)
	case l.MaxEdge > 0 && max(h.Width, h.Height) > l.MaxEdge:
		return nil, fmt.Errorf("%w: an edge of %d pixels, %d are taken", ErrTooLarge, max(h.Width, h.Height), l.MaxEdge)
	}
	return NewImage(data, typ, h.Width, h.Height)
}

// Verify repeats Decode's measurements and compares them with what a record says.
// Every difference is ErrChanged.
func Verify(data []byte, want Fingerprint, l Limits) (*Image, error) {
	img, err := Decode(data, l)
	if err != nil {
		return nil, err
	}
	got := img.Fingerprint()
	same := subtle.ConstantTimeCompare(got.SHA256[:], want.SHA256[:]) == 1
	if !same || got.Type != want.Type || got.Width != want.Width || got.Height != want.Height || got.Size != want.Size {
		return nil, ErrChanged
	}
	return img, nil
}
