package content_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// slow is a gate whose files stay open until the test says so.
type slow struct {
	fake
	inside *atomic.Int32
	hold   chan struct{}
}

func (s slow) View(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (*falgate.Opened, error) {
	s.inside.Add(1)
	<-s.hold
	return s.fake.View(ctx, who, uid)
}

// A file of up to images.maxFileBytes is in memory while it is looked at.
func TestFile_AFewAtATime(t *testing.T) {
	t.Parallel()
	settings := config.DefaultSettings()
	gate := slow{fake{data: []byte("x")}, &atomic.Int32{}, make(chan struct{})}
	r, err := content.New(gate, gate, func() *config.Settings { return &settings })
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			if _, err := r.File(t.Context(), nil, 1, false); err != nil {
				t.Error(err)
			}
		})
	}
	for deadline := time.Now().Add(20 * time.Second); gate.inside.Load() < 4 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
	}
	time.Sleep(100 * time.Millisecond)
	n := gate.inside.Load()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if n != 4 {
		t.Errorf("%d at the same time", n)
	} else if _, err := r.File(gone, nil, 1, false); !errors.Is(err, context.Canceled) {
		t.Errorf("who leaves waits no longer: %v", err)
	}
	close(gate.hold)
	wg.Wait()
}
