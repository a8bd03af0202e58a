package downscaler

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/fault"
	"editor-actions/internal/media"
)

// Warning codes of a Result.
const (
	WarnTinySource = "tiny_source" // the picture is so small that a description is a guess
	WarnFirstFrame = "first_frame" // an animation: only its first frame was used
	WarnFlattened  = "flattened"   // transparency became white to stay under the size limit
)

// Result is a picture that may be sent.
type Result struct {
	Image    *media.Image
	Warnings []string
	Source   media.Header
}

// Options of a Scaler.
type Options struct {
	WorkerCommand []string // default: this binary with the hidden subcommand
	CacheDir      string   // "" = no cache
	Log           *slog.Logger
}

// killsPerPicture bounds how often one picture may take a worker down; it is
// refused for banTime then, so that it cannot keep doing so.
const (
	killsPerPicture = 2
	banTime         = 10 * time.Minute
	maxBans         = 1000
)

var errBusy = fault.New(fault.RateLimited, "image_busy", "Too many pictures are waiting to be scaled. Try again in a moment.")

// Scaler makes small copies. It is safe for concurrent use: as many pictures as
// there are workers run at once, a bounded number waits. Close it.
type Scaler struct {
	limits  config.Images
	command []string
	log     *slog.Logger
	cache   *cache
	slots   chan *process // nil = a worker that must be started
	waiting atomic.Int64

	mu     sync.Mutex
	deaths map[string]deaths
}

type deaths struct {
	count int
	last  time.Time
}

// New starts the workers, so that the first picture finds a warm one.
func New(limits config.Images, o Options) (*Scaler, error) {
	command := o.WorkerCommand
	if command == nil {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("downscaler: find own binary: %w", err)
		}
		command = []string{self, WorkerCommand}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Scaler{limits: limits, command: command, log: o.Log, slots: make(chan *process, limits.Workers), deaths: map[string]deaths{}}
	if o.CacheDir != "" && limits.CacheMiB > 0 {
		c, err := openCache(o.CacheDir, int64(limits.CacheMiB)<<20)
		if err != nil {
			s.log.Warn("work without picture cache", "err", err)
		}
		s.cache = c
	}
	for range limits.Workers {
		p, err := startProcess(command, limits.WorkerMemoryMiB)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.slots <- p
	}
	return s, nil
}

// Close waits for pictures in work and ends all workers. Fit must not be called any more.
func (s *Scaler) Close() error {
	for range cap(s.slots) {
		select {
		case p := <-s.slots:
			if p != nil {
				p.close()
			}
		case <-time.After(time.Duration(s.limits.TimeoutSeconds) * time.Second):
			return errors.New("downscaler: a worker did not come back")
		}
	}
	return nil
}

// Fit makes the copy of src whose longest edge is at most maxEdge pixels.
// Every failure is a fault with a kind and a reason for operators; none of them
// gives the original. src is only read.
func (s *Scaler) Fit(ctx context.Context, src []byte, maxEdge int) (*Result, error) {
	if int64(len(src)) > s.limits.MaxFileBytes {
		return nil, fault.New(fault.TooLarge, "image_too_large", "The file is larger than %d bytes.", s.limits.MaxFileBytes)
	}
	h, err := media.ReadHeader(src)
	if err != nil {
		return nil, err
	}
	p, err := planFor(h, s.limits, maxEdge)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(src)
	id := hex.EncodeToString(sum[:])
	key := fmt.Sprintf("%s-%d-%s", id, maxEdge, recipe)
	if img, flattened, ok := s.cache.load(key); ok {
		return result(img, h, flattened), nil
	}
	if s.banned(id) {
		return nil, failed(errors.New("this picture has ended workers before"))
	}
	data, a, err := s.run(ctx, p, src, id)
	if err != nil {
		return nil, err
	}
	img, err := measured(data, a.Type, p)
	if err != nil {
		return nil, failed(err)
	}
	s.cache.store(key, img, a.Flattened)
	return result(img, h, a.Flattened), nil
}

func failed(cause error) error {
	return fault.New(fault.Unsupported, "image_failed", "The picture cannot be decoded.").Because(cause)
}

func result(img *media.Image, h media.Header, flattened bool) *Result {
	r := &Result{Image: img, Source: h}
	if max(h.Width, h.Height) < tinyLongEdge {
		r.Warnings = append(r.Warnings, WarnTinySource)
	}
	if h.Frames > 1 {
		r.Warnings = append(r.Warnings, WarnFirstFrame)
	}
	if flattened {
		r.Warnings = append(r.Warnings, WarnFlattened)
	}
	return r
}

// measured reads the result's own header and holds it against what was
// promised (P4): type, size, upright, no profile, no metadata, nothing behind the picture.
func measured(data []byte, typ media.Type, p plan) (*media.Image, error) {
	img, err := media.NewImage(data, typ, p.Width, p.Height)
	if err != nil {
		return nil, err
	}
	h, err := media.ReadHeader(data)
	if err != nil {
		return nil, err
	}
	if h.Orientation != 1 || h.Profile || h.Metadata || h.Trailing {
		return nil, fmt.Errorf("downscaler: the result carries what it must not: %+v", h)
	}
	return img, nil
}

// run gives the picture to a worker within the time that is left.
func (s *Scaler) run(ctx context.Context, p plan, src []byte, id string) ([]byte, answer, error) {
	w, err := s.acquire(ctx)
	if err != nil {
		return nil, answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(s.limits.TimeoutSeconds)*time.Second)
	defer cancel()
	data, a, err := w.do(ctx, p, src)
	switch {
	case err != nil:
		s.slots <- nil
		s.died(id)
		s.log.Warn("replaced image worker", "err", err)
		if ctx.Err() != nil {
			return nil, answer{}, fault.New(fault.Unavailable, "image_timeout", "The picture could not be scaled in time.").Because(err)
		}
		return nil, answer{}, failed(err)
	case w.done >= s.limits.WorkerPictures:
		w.close()
		s.slots <- nil
	default:
		s.slots <- w
	}
	switch {
	case a.Warning != "":
		return nil, a, fault.New(fault.Unsupported, "image_corrupt", "The %s file is damaged.", string(p.Header.Format)).Because(errors.New(a.Warning))
	case !a.OK:
		return nil, a, failed(errors.New(a.Error))
	}
	return data, a, nil
}

// acquire waits for a worker, in a queue of bounded length.
func (s *Scaler) acquire(ctx context.Context) (*process, error) {
	var w *process
	select {
	case w = <-s.slots:
	default:
		if s.waiting.Add(1) > int64(s.limits.QueueLength) {
			s.waiting.Add(-1)
			return nil, errBusy
		}
		defer s.waiting.Add(-1)
		select {
		case w = <-s.slots:
		case <-ctx.Done():
			return nil, fault.New(fault.Unavailable, "image_timeout", "The picture could not be scaled in time.").Because(ctx.Err())
		}
	}
	if w != nil {
		return w, nil
	}
	w, err := startProcess(s.command, s.limits.WorkerMemoryMiB)
	if err != nil {
		s.slots <- nil
		return nil, fault.New(fault.Unavailable, "image_failed", "The picture cannot be decoded.").Because(err)
	}
	return w, nil
}

func (s *Scaler) died(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.deaths) >= maxBans {
		clear(s.deaths)
	}
	d := s.deaths[id]
	s.deaths[id] = deaths{d.count + 1, time.Now()}
}

func (s *Scaler) banned(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.deaths[id]
	if ok && time.Since(d.last) > banTime {
		delete(s.deaths, id)
		return false
	}
	return d.count >= killsPerPicture
}
