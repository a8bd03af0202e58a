// Package readtools is what an agent may ask about files without writing.
package readtools

import (
	"context"
	"encoding/json"

	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/typo3"
)

// Tool is one question. Implementations are safe for concurrent use, and judge with
// the rights of the actor they are given.
type Tool interface {
	Name() string
	// Definition is name, description and the schema of the arguments.
	Definition() providers.Tool
	// Image reports whether an answer may hold a picture.
	Image() bool
	// Run answers a call. Errors are faults for the caller.
	Run(ctx context.Context, actor *typo3.BackendUser, arguments json.RawMessage) (Result, error)
}

// Result is the answer to one call.
type Result struct {
	Text  string
	Image *media.Image // nil unless the tool looked at a picture
	Title string       // of the picture
	File  typo3.FileUID
}
