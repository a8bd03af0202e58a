package toolimages

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"editor-actions/internal/fault"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
)

// store is what is needed of suspend.Store.
type store interface {
	SaveArtifact(ctx context.Context, a suspend.Artifact, plain []byte) (suspend.Artifact, error)
	Artifact(ctx context.Context, id string) (suspend.Artifact, error)
	OpenArtifact(ctx context.Context, a suspend.Artifact) ([]byte, error)
	RevokeArtifact(ctx context.Context, id string) error
}

// normalizer makes what may be stored of accepted bytes: upright, stripped, sRGB, JPEG or
// PNG, and no longer than an edge. downscaler.Scaler is the real one.
type normalizer interface {
	Normalize(ctx context.Context, src []byte, maxEdge int) (*media.Image, error)
}

// Host is what a Service is bound to. All of it is required but Scope: without one, the
// capability is absent.
type Host struct {
	Scope ScopeFunc
	// MayLook asks anew whether the acting user may see a file that a picture was made of.
	MayLook func(ctx context.Context, file uint32) error
	// Screen is the guardrail for titles. What it answers is used; its error stops the
	// save or the request and is answered as it is.
	Screen func(text string) (string, error)
	// MaxEdge is the longest edge of what is stored and sent, in pixels (vision.maxImageEdge).
	MaxEdge func() int
}

// Config bounds pictures.
type Config struct {
	MaxBytes    int   // of one picture, as a tool gives it and as it is stored
	MaxPixels   int64 // of one picture, as a tool gives it
	MaxPerRound int   // pictures of one round
	MaxSummary  int   // bytes of the text beside them
	MaxOutbound int   // bytes of all pictures of a request in base64, the subject's included
}

// DefaultConfig is what is used.
func DefaultConfig() Config {
	return Config{MaxBytes: 6_000_000, MaxPixels: 16_777_216, MaxPerRound: maxAttachments, MaxSummary: 4 << 10, MaxOutbound: 12_000_000}
}

// Service saves pictures that tools return and projects them into one request. It is safe
// for concurrent use.
type Service struct {
	store store
	norm  normalizer
	host  Host
	cfg   Config
}

// New makes a Service. It does not connect to anything.
func New(store store, norm normalizer, host Host, cfg Config) (*Service, error) {
	if host.MayLook == nil || host.Screen == nil || host.MaxEdge == nil {
		return nil, errors.New("toolimages: the host does not bind everything")
	}
	if cfg.MaxBytes < 1 || cfg.MaxPixels < 1 || cfg.MaxPerRound < 1 || cfg.MaxPerRound > maxAttachments || cfg.MaxSummary < 1 || cfg.MaxOutbound < 1 {
		return nil, fmt.Errorf("toolimages: %+v: every bound must be positive, and at most %d pictures fit a round", cfg, maxAttachments)
	}
	return &Service{store: store, norm: norm, host: host, cfg: cfg}, nil
}

// SaveInput is a picture as a tool has it. No field of it comes from a request: the tags
// see to it that decoding one fills nothing.
type SaveInput struct {
	Data     []byte `json:"-"`
	MIMEType string `json:"-"` // must be what the bytes are: JPEG, PNG, WebP or GIF
	Title    string `json:"-"` // made one clean line of at most 500 characters
	File     uint32 `json:"-"` // the sys_file that the picture was made of, 0 for none
}

// Save keeps a picture for the run and answers the reference to it. What is kept is the
// normalised copy: hash and size are its, WebP and GIF have become JPEG or PNG, and of an
// animation there is the first frame. The same bytes saved again are the same artifact.
// ErrInvalid is everything that is wrong with a picture, and nothing was stored then.
func (s *Service) Save(ctx context.Context, in SaveInput) (Presentation, error) {
	scope, err := s.scope(ctx)
	if err != nil {
		return Presentation{}, err
	}
	if err := s.check(in); err != nil {
		return Presentation{}, err
	}
	title, err := s.host.Screen(cleanTitle(in.Title))
	if err != nil {
		return Presentation{}, err
	}
	title = cleanTitle(title)
	img, err := s.normalized(ctx, in.Data)
	if err != nil {
		return Presentation{}, err
	}
	kept, err := s.store.SaveArtifact(ctx, suspend.Artifact{
		Run: scope.Run, ScopeHash: scope.hash(), ActingUser: scope.ActingUser, Source: sourceOf(in.File),
		SHA256: img.SHA256(), MIME: string(img.Type()), Width: img.Width(), Height: img.Height(), Size: img.Size(), Title: title,
	}, img.Bytes())
	if err != nil {
		return Presentation{}, fmt.Errorf("toolimages: save: %w", err)
	}
	return Presentation{Type: PresentationType, Version: PresentationVersion, Attachments: []Attachment{{
		Type: attachmentType, ArtifactID: kept.ID, VersionID: kept.VersionID, SHA256: kept.SHA256, MIMEType: media.Type(kept.MIME),
		Width: kept.Width, Height: kept.Height, Title: title, Alt: title, Source: kept.Source, Detail: detailHigh,
	}}}, nil
}

// check holds the bytes against their claim and the bounds, before anything decodes them.
func (s *Service) check(in SaveInput) error {
	switch {
	case len(in.Data) == 0 || len(in.Data) > s.cfg.MaxBytes:
		return because(ErrInvalid, "%d bytes, 1 to %d are taken", len(in.Data), s.cfg.MaxBytes)
	case !utf8.ValidString(in.Title):
		return because(ErrInvalid, "the title is no text")
	}
	f := media.Sniff(in.Data)
	switch f {
	case media.FormatJPEG, media.FormatPNG, media.FormatWebP, media.FormatGIF:
	default:
		return because(ErrInvalid, "the bytes are %s", f)
	}
	if f.MediaType() != in.MIMEType {
		return because(ErrInvalid, "the bytes are %s and claim to be something else", f)
	}
	h, err := media.ReadHeader(in.Data)
	if err != nil {
		return because(ErrInvalid, "%v", err)
	}
	if h.Pixels() > s.cfg.MaxPixels {
		return because(ErrInvalid, "%d x %d pixels, %d are taken", h.Width, h.Height, s.cfg.MaxPixels)
	}
	return nil
}

// normalized is the copy to keep. A picture that cannot be decoded is invalid; a scaler that
// has no time for it is not the picture's fault.
func (s *Service) normalized(ctx context.Context, data []byte) (*media.Image, error) {
	img, err := s.norm.Normalize(ctx, data, s.host.MaxEdge())
	if err != nil {
		switch fault.KindOf(err) {
		case fault.Invalid, fault.Unsupported, fault.TooLarge:
			return nil, because(ErrInvalid, "%v", err)
		default:
			return nil, fmt.Errorf("toolimages: normalise: %w", err)
		}
	}
	if img.Size() > s.cfg.MaxBytes {
		return nil, because(ErrInvalid, "%d bytes after normalising, %d are taken", img.Size(), s.cfg.MaxBytes)
	}
	return img, nil
}

// Result is the message that answers a call: a short text, which is all that the model
// reads of it, and the references to its pictures. ErrSummary tells a tool that its text
// is blank, too long or holds a picture, while the model can still be told.
func (s *Service) Result(call providers.ToolCall, summary string, pictures ...Presentation) (providers.Message, error) {
	if call.ID == "" || call.Name == "" {
		return providers.Message{}, because(ErrRound, "the call has no id or no name")
	}
	if blank(summary) || len(summary) > s.cfg.MaxSummary || providers.HasInlineImage(summary) {
		return providers.Message{}, because(ErrSummary, "the summary has %d bytes", len(summary))
	}
	all := Presentation{Type: PresentationType, Version: PresentationVersion}
	for _, p := range pictures {
		all.Attachments = append(all.Attachments, p.Attachments...)
	}
	if len(all.Attachments) > s.cfg.MaxPerRound {
		return providers.Message{}, because(ErrBatch, "%d pictures in one result", len(all.Attachments))
	}
	raw, err := all.encode()
	if err != nil {
		return providers.Message{}, because(ErrUnavailable, "%v", err)
	}
	return providers.Message{Role: providers.ToolRole, ToolCallID: call.ID, ToolName: call.Name, Text: summary, Artifact: raw}, nil
}

// Revoke ends an artifact of the run for good: every reference to it is dead, also when
// the same bytes are saved again. What was sent before cannot be recalled.
func (s *Service) Revoke(ctx context.Context, artifact string) error {
	scope, err := s.scope(ctx)
	if err != nil {
		return err
	}
	row, err := s.store.Artifact(ctx, artifact)
	if err != nil {
		return s.unavailable(ctx, err)
	}
	if row.ScopeHash != scope.hash() {
		return because(ErrUnavailable, "the artifact is of another scope")
	}
	if err := s.store.RevokeArtifact(ctx, row.ID); err != nil {
		return s.unavailable(ctx, err)
	}
	return nil
}
