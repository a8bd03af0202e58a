package downscaler

import (
	"context"
	"errors"

	"editor-actions/internal/fault"
	"editor-actions/internal/media"
)

// Report is what `inspect image` prints.
type Report struct {
	OK       bool     `json:"ok"`
	Format   string   `json:"format,omitempty"`
	Width    int      `json:"width,omitempty"`
	Height   int      `json:"height,omitempty"`
	Bytes    int      `json:"bytes,omitempty"`
	SHA256   string   `json:"sha256,omitempty"`
	Warnings []string `json:"warnings,omitzero"`
	Kind     string   `json:"kind,omitempty"`
	Reason   string   `json:"reason,omitempty"`
}

// Inspect runs Fit and reports it. The image is nil when the report is not OK.
func Inspect(ctx context.Context, s *Scaler, data []byte, edge int) (Report, *media.Image) {
	res, err := s.Fit(ctx, data, edge)
	if err != nil {
		r := Report{Kind: string(fault.KindOf(err)), Reason: "The picture cannot be used."}
		if f, ok := errors.AsType[*fault.Error](err); ok {
			r.Kind, r.Reason = f.Code, f.Sentence()
		}
		return r, nil
	}
	img := res.Image
	r := Report{OK: true, Format: "jpeg", Width: img.Width(), Height: img.Height(), Bytes: img.Size(), SHA256: img.SHA256(), Warnings: []string{}}
	if img.Type() == media.PNG {
		r.Format = "png"
	}
	r.Warnings = append(r.Warnings, res.Warnings...)
	return r, img
}
