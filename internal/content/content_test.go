package content_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/content"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// fake is a gate with one file and a scaler that fails.
type fake struct {
	data []byte
	err  error // of the scaler
}

func (f fake) View(context.Context, *typo3.BackendUser, typo3.FileUID) (*falgate.Opened, error) {
	return &falgate.Opened{File: falgate.File{Name: "a.bin"}, Data: f.data}, nil
}

func (f fake) Fit(context.Context, []byte, int) (*downscaler.Result, error) { return nil, f.err }

func read(t *testing.T, f fake) (content.Block, error) {
	t.Helper()
	s := config.DefaultSettings()
	r, err := content.New(f, f, func() *config.Settings { return &s })
	if err != nil {
		t.Fatal(err)
	}
	return r.File(t.Context(), nil, 1, true)
}

func TestFile_TextsTravelAsTheyAreUpToABound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "Größe\x00\ufeff", strings.Repeat("x", 1<<20)} {
		if b, err := read(t, fake{data: []byte(text)}); err != nil || b.Text != text || b.Image != nil {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
	if b, err := read(t, fake{data: []byte(strings.Repeat("x", 1<<20+1))}); !errors.Is(err, content.ErrTextTooLong) || b.Text != "" {
		t.Errorf("one more: %v", err)
	}
}

func TestP3_File_APictureThatCannotBeScaledIsNotAvailable(t *testing.T) {
	t.Parallel()
	picture := testsite.Read(t, "images/trunc_99.jpg")
	corrupt := fault.New(fault.Invalid, "image_truncated", "x")
	if b, err := read(t, fake{picture, corrupt}); !errors.Is(err, falgate.ErrNotAvailable) || b.Text != "" {
		t.Errorf("corrupt: %v", err)
	}
	// What is about the moment is said: the same call may work later.
	busy := fault.New(fault.RateLimited, "image_busy", "x")
	if _, err := read(t, fake{picture, busy}); !errors.Is(err, busy) {
		t.Errorf("busy: %v", err)
	}
}
