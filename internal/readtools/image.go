package readtools

import (
	"context"

	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/typo3"
)

// imageAnswer goes with a picture.
type imageAnswer struct {
	UID      typo3.FileUID `json:"uid"`
	Name     string        `json:"name"`
	Width    int           `json:"width"` // of the copy
	Height   int           `json:"height"`
	Original imageSize     `json:"original"`
	Cut      []string      `json:"cut,omitempty"`
	Note     string        `json:"note"`
}

type imageSize struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

func (d Deps) viewFileImage() *tool {
	return &tool{
		name: ViewFileImage, image: true,
		description: "Look at one picture of the site: a scaled copy of it. Files that the user may not see and files that are no picture are not available.",
		parameters:  []parameter{uidParameter},
		run: func(ctx context.Context, actor *typo3.BackendUser, args arguments) (Result, error) {
			opened, err := d.Gate.View(ctx, actor, typo3.FileUID(args.number("uid")))
			if err != nil {
				return Result{}, err
			}
			copied, err := d.Scaler.Fit(ctx, opened.Data, d.Settings().Vision.MaxImageEdge)
			switch {
			case ctx.Err() != nil:
				return Result{}, ctx.Err()
			case err != nil && fault.KindOf(err) == fault.RateLimited:
				return Result{}, err // nothing about this file: too many pictures wait
			case err != nil:
				return Result{}, falgate.Unusable(err)
			}
			c := &cutter{share: 1}
			w, h := copied.Source.Upright()
			name := c.line("name", opened.File.Name, maxNameBytes)
			text, err := encode(imageAnswer{
				UID: opened.File.UID, Name: name, Width: copied.Image.Width(), Height: copied.Image.Height(),
				Original: imageSize{w, h}, Cut: c.names, Note: SourceMaterial,
			})
			if err != nil {
				return Result{}, err
			}
			return Result{Text: text, Image: copied.Image, Title: name, File: opened.File.UID}, nil
		},
		settings: d.Settings, log: d.Log,
	}
}
