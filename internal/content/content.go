// Package content decides how the content of a file travels to a program that asked
// for it: the agent behind the model context protocol and the caller of the JSON API
// get the same block for the same file.
//
// A picture travels as the small, measured copy that a model would be sent, never as
// the original (P4): as a picture when the reader sees, else as media.Envelope does. A
// text travels as it is, any other file in an envelope. What the asking user may not
// see, and a picture that cannot be scaled, is the one neutral refusal (P3).
package content

import (
	"context"
	"path"
	"strings"

	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/media"
	"editor-actions/internal/typo3"
)

// maxText bounds a text that travels as it is, in bytes.
const maxText = 1 << 20

// ErrTextTooLong is for texts that are too long to travel.
var ErrTextTooLong = fault.New(fault.TooLarge, "content_too_long", "The file is a text of more than %d bytes, so its content is not given out here.", maxText)

// fileGate opens files that a user may see; falgate.Gate is the real one.
type fileGate interface {
	View(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (*falgate.Opened, error)
}

// scaler makes the copy; downscaler.Scaler is the real one.
type scaler interface {
	Fit(ctx context.Context, src []byte, maxEdge int) (*downscaler.Result, error)
}

// atOnce is how many files are in memory at the same time; more wait for their turn.
const atOnce = 4

// Reader makes blocks of files. It is safe for concurrent use.
type Reader struct {
	gate     fileGate
	scaler   scaler
	settings func() *config.Settings
	turns    chan struct{}
}

// Block is what travels: a picture when Image is set, else a text.
type Block struct {
	Text     string
	Image    []byte
	MIMEType string // of the picture
}

// New makes a Reader. Ceilings that cannot be are an error, used or not.
func New(gate fileGate, s scaler, settings func() *config.Settings) (*Reader, error) {
	r := &Reader{gate: gate, scaler: s, settings: settings, turns: make(chan struct{}, atOnce)}
	_, err := r.deliverer(false)
	return r, err
}

func (r *Reader) deliverer(vision bool) (*media.Deliverer, error) {
	in := r.settings().Inline
	return media.NewDeliverer(media.DeliveryOptions{Vision: vision, MaxInlineBinary: in.MaxBinaryBytes, MaxInlineImage: in.MaxImageBytes})
}

// File gives the content of a file that the user may see. It waits for a turn.
func (r *Reader) File(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID, vision bool) (Block, error) {
	select {
	case r.turns <- struct{}{}:
		defer func() { <-r.turns }()
	case <-ctx.Done():
		return Block{}, ctx.Err()
	}
	opened, err := r.gate.View(ctx, who, uid)
	if err != nil {
		return Block{}, err
	}
	if picture(opened.Data) {
		small, err := r.scaler.Fit(ctx, opened.Data, r.settings().Vision.MaxImageEdge)
		if err != nil {
			return Block{}, r.unscalable(ctx, err)
		}
		return r.Picture(opened.File.Name, small.Image, vision)
	}
	b, err := r.block(opened.File.Name, opened.Data, vision)
	if err == nil && len(b.Text) > maxText {
		return Block{}, ErrTextTooLong
	}
	return b, err
}

// Picture gives a copy that was made already. name is the original's.
func (r *Reader) Picture(name string, img *media.Image, vision bool) (Block, error) {
	return r.block(nameOfCopy(name, img.Type()), img.Bytes(), vision)
}

func (r *Reader) block(name string, data []byte, vision bool) (Block, error) {
	d, err := r.deliverer(vision)
	if err != nil {
		return Block{}, err
	}
	out, err := d.Deliver(name, data)
	if err != nil {
		return Block{}, err
	}
	return Block{Text: out.Text, Image: out.Image, MIMEType: out.Resource.MediaType}, nil
}

// picture reports whether the bytes begin as those of a picture that can be scaled do.
func picture(data []byte) bool { return media.Sniff(data).Decodable() }

// unscalable is the neutral refusal, except when the caller went away or there is no
// room just now.
func (r *Reader) unscalable(ctx context.Context, err error) error {
	if k := fault.KindOf(err); ctx.Err() != nil || k == fault.RateLimited || k == fault.Unavailable {
		return err
	}
	return falgate.Unusable(err)
}

// nameOfCopy gives the copy of a picture the ending of its own format: an envelope
// tells the type by the name.
func nameOfCopy(name string, t media.Type) string {
	if name == "" {
		name = "picture"
	}
	ext, old := ".png", strings.ToLower(path.Ext(name))
	if t == media.JPEG {
		ext = ".jpg"
	}
	if old == ext || ext == ".jpg" && old == ".jpeg" {
		return name
	}
	return strings.TrimSuffix(name, path.Ext(name)) + ext
}
