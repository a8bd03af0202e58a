package downscaler

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
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

// Scaler makes small copies. It is safe for concurrent use: as many pictures as
// there are workers run at once, a bounded number waits. Close it.
type Scaler struct {
	limits   config.Images
	log      *slog.Logger
	cache    *cache
	pool     *pool
	attempts *attempts
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
	s := &Scaler{limits: limits, log: o.Log, attempts: newAttempts(time.Now)}
	if o.CacheDir != "" && limits.CacheMiB > 0 {
		c, err := openCache(o.CacheDir, int64(limits.CacheMiB)<<20)
		if err != nil {
			s.log.Warn("work without picture cache", "err", err)
		}
		s.cache = c
	}
	var err error
	s.pool, err = newPool(limits.Workers, limits.QueueLength, func() (*process, error) {
		return startProcess(command, limits.WorkerMemoryMiB)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Close lets pictures in work finish, for as long as one picture may take, and
// ends all workers. Fit answers an error from then on.
func (s *Scaler) Close() error {
	s.pool.close(s.timeout())
	return nil
}

func (s *Scaler) timeout() time.Duration {
	return time.Duration(s.limits.TimeoutSeconds) * time.Second
}

// Fit makes the copy of src whose longest edge is at most maxEdge pixels.
// Every failure is a fault with a kind and a reason for operators; none of them
// gives the original. src is only read.
func (s *Scaler) Fit(ctx context.Context, src []byte, maxEdge int) (*Result, error) {
	if int64(len(src)) > s.limits.MaxFileBytes {
		return nil, errFileSize(s.limits)
	}
	h, err := media.ReadHeader(src)
	if err != nil {
		return nil, err
	}
	p, err := planFor(h, s.limits, maxEdge)
	if err != nil {
		return nil, err
	}
	return s.fit(ctx, src, p)
}

// Normalize makes the copy of a picture that a program made, as Fit does, of any size: an
// icon of eight pixels is a picture, although nobody would ask to have it described. The
// copy stays out of the cache, because it belongs to one run and goes with it.
func (s *Scaler) Normalize(ctx context.Context, src []byte, maxEdge int) (*media.Image, error) {
	if int64(len(src)) > s.limits.MaxFileBytes {
		return nil, errFileSize(s.limits)
	}
	h, err := media.ReadHeader(src)
	if err != nil {
		return nil, err
	}
	p, err := planAny(h, s.limits, maxEdge)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(src)
	img, _, err := s.make(ctx, src, p, hex.EncodeToString(sum[:]))
	return img, err
}

// fit runs a plan that the header allowed: from the cache, else in a worker.
func (s *Scaler) fit(ctx context.Context, src []byte, p plan) (*Result, error) {
	sum := sha256.Sum256(src)
	id := hex.EncodeToString(sum[:])
	key := fmt.Sprintf("%s-%d-%s", id, p.MaxEdge, recipe)
	if data, a, ok := s.cache.load(key); ok {
		// What lies on a disk is measured like what comes from a worker.
		if img, err := measured(data, a.Type, p); err == nil {
			return result(img, p.Header, a.Flattened), nil
		}
	}
	img, a, err := s.make(ctx, src, p, id)
	if err != nil {
		return nil, err
	}
	s.cache.store(key, img.Bytes(), a)
	return result(img, p.Header, a.Flattened), nil
}

// make has a worker make the copy, and measures it.
func (s *Scaler) make(ctx context.Context, src []byte, p plan, id string) (*media.Image, answer, error) {
	if until, yes := s.attempts.banned(id); yes {
		return nil, answer{}, failed(bannedError(until))
	}
	data, a, err := s.run(ctx, p, src, id)
	if err != nil {
		return nil, a, err
	}
	img, err := measured(data, a.Type, p)
	if err != nil {
		return nil, a, failed(err)
	}
	return img, a, nil
}

func errFileSize(limits config.Images) error {
	return fault.New(fault.TooLarge, "image_too_large", "The file is larger than %d bytes.", limits.MaxFileBytes)
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
// promised (P4): type, size, weight, upright, eight bits of grey or RGB, no
// profile, no metadata, nothing behind the picture.
func measured(data []byte, typ media.Type, p plan) (*media.Image, error) {
	img, err := media.NewImage(data, typ, p.Width, p.Height)
	if err != nil {
		return nil, err
	}
	h, err := media.ReadHeader(data)
	if err != nil {
		return nil, err
	}
	switch {
	case max(h.Width, h.Height) > p.MaxEdge:
		return nil, fmt.Errorf("downscaler: the result has %d x %d pixels", h.Width, h.Height)
	case typ == media.PNG && len(data) > maxPNGBytes:
		return nil, fmt.Errorf("downscaler: the result is a PNG of %d bytes", len(data))
	case h.Orientation != 1, h.Profile, h.Metadata, h.Trailing, h.Frames != 1:
		return nil, fmt.Errorf("downscaler: the result carries what it must not: %+v", h)
	case h.Channels != 1 && h.Channels != 3, h.BitDepth > 8:
		return nil, fmt.Errorf("downscaler: the result is no sRGB picture: %+v", h)
	}
	return img, nil
}

// bannedError is what an operator reads in the log and in explain.
func bannedError(until time.Time) error {
	return fmt.Errorf("downscaler: this picture has ended workers, it is tried again after %s", until.UTC().Format(time.RFC3339))
}

// run gives the picture to a worker. A worker that ends by itself is tried
// again with a fresh one, as often as a picture may: something else, like the
// system running out of memory, may have ended it.
func (s *Scaler) run(ctx context.Context, p plan, src []byte, id string) ([]byte, answer, error) {
	for {
		data, a, err := s.attempt(ctx, p, src, id)
		switch {
		case errors.Is(err, errDied):
			if until, banned := s.attempts.banned(id); banned {
				return nil, a, failed(errors.Join(err, bannedError(until)))
			}
			continue
		case err != nil:
			return nil, a, err
		case a.Warning != "":
			return nil, a, fault.New(fault.Unsupported, "image_corrupt", "The %s file is damaged.", string(p.Header.Format)).Because(errors.New(a.Warning))
		case !a.OK:
			return nil, a, failed(errors.New(a.Error))
		}
		return data, a, nil
	}
}

var errDied = errors.New("downscaler: a worker died")

// attempt is one picture in one worker within the time a picture may take.
func (s *Scaler) attempt(ctx context.Context, p plan, src []byte, id string) ([]byte, answer, error) {
	w, err := s.pool.acquire(ctx)
	if err != nil {
		return nil, answer{}, err
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	data, a, err := w.do(limited, p, src)
	s.pool.release(w, w.done >= s.limits.WorkerPictures)
	switch {
	case err == nil:
		s.attempts.done(id)
		return data, a, nil
	case ctx.Err() != nil: // the caller left, the picture is not to blame
		return nil, a, errTime.Because(err)
	}
	s.attempts.died(id)
	s.log.WarnContext(ctx, "replaced image worker", "err", err)
	if limited.Err() != nil {
		return nil, a, errTime.Because(err)
	}
	return nil, a, fmt.Errorf("%w: %w", errDied, err)
}
