package downscaler

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"editor-actions/internal/media"

	"github.com/h2non/bimg"
	"golang.org/x/sys/unix"
)

// WorkerCommand is the hidden subcommand that runs WorkerMain.
const WorkerCommand = "image-worker"

// envMemory tells a worker its limit in MiB above what it has when idle.
const envMemory = "EDITOR_ACTIONS_IMAGE_WORKER_MIB"

// answer is what a worker says about one picture; the bytes follow it.
type answer struct {
	OK        bool       `json:"ok"`
	Error     string     `json:"error,omitempty"`
	Warning   string     `json:"warning,omitempty"` // what the decoder complained about
	Type      media.Type `json:"type,omitempty"`
	Flattened bool       `json:"flattened,omitempty"`
}

// WorkerMain serves pictures from in to out until in ends; it answers the exit
// code. Nothing but the service calls it, over pipes.
func WorkerMain(in io.Reader, out io.Writer) int {
	stderr, err := captureStderr()
	if err != nil {
		return 1
	}
	bimg.VipsCacheSetMax(0)             // the cache keeps foreign pixels alive and never helps
	_ = bimg.IsTypeSupported(bimg.JPEG) // fills a map that is read without a lock later
	if err := limitMemory(os.Getenv(envMemory)); err != nil {
		return 1
	}
	for {
		var p plan
		data, err := receive(in, &p)
		if errors.Is(err, io.EOF) {
			return 0
		}
		if err != nil {
			return 1
		}
		result, a := work(data, p)
		if w := stderr.take(); refuses(w) {
			a, result = answer{Warning: "decoder warning"}, nil
		}
		if err := send(out, a, result); err != nil {
			return 1
		}
	}
}

// limitMemory bounds the address space at what it is now plus mib.
func limitMemory(mib string) error {
	n, err := strconv.ParseUint(mib, 10, 32)
	if err != nil || n == 0 {
		return nil //nolint:nilerr // nobody asked for a bound
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return nil //nolint:nilerr // not Linux: the deadline is the only bound
	}
	var pages uint64
	if _, err := fmt.Sscan(string(statm), &pages); err != nil {
		return err
	}
	limit := pages*uint64(os.Getpagesize()) + n<<20 //nolint:gosec // a page has a positive size
	return unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit})
}

// stderrFile takes the place of descriptor 2: libvips and GLib report damaged
// pictures there and nowhere else. A file, not a pipe, so that what a call wrote
// is complete when the call is over.
type stderrFile struct{ f *os.File }

func captureStderr() (*stderrFile, error) {
	fd, err := unix.MemfdCreate("stderr", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_APPEND); err != nil {
		return nil, err
	}
	if err := unix.Dup3(fd, 2, 0); err != nil {
		return nil, err
	}
	return &stderrFile{os.NewFile(uintptr(fd), "stderr")}, nil
}

// take answers what was written since the last call, up to a bound.
func (s *stderrFile) take() string {
	buf := make([]byte, 8<<10)
	n, _ := s.f.ReadAt(buf, 0) // io.EOF is the normal end
	_ = s.f.Truncate(0)
	return string(buf[:n])
}

// refusals are the decoders' words for a picture that is not whole. Others,
// like a corrupt profile or an ignored colour box, leave a right picture.
var refusals = []string{
	"premature end", "corrupt jpeg data", "read gave", "not enough data", "unexpected end", "invalid distance", "bad huffman", "invalid stored block", "truncated",
}

func refuses(warnings string) bool {
	w := strings.ToLower(warnings)
	for _, r := range refusals {
		if strings.Contains(w, r) {
			return true
		}
	}
	return false
}

// work makes the copy of one picture.
func work(data []byte, p plan) ([]byte, answer) {
	h := p.Header
	final := media.JPEG
	if h.Format != media.FormatJPEG && (h.Alpha || h.Format == media.FormatPNG || h.Format == media.FormatGIF) {
		final = media.PNG
	}
	out, err := render(data, p, final)
	flattened := false
	if err == nil && final == media.PNG && len(out) > maxPNGBytes {
		final, flattened = media.JPEG, h.Alpha
		out, err = render(data, p, final)
	}
	if err != nil {
		// The library's text may belong to another call: say only that it failed.
		return nil, answer{Error: "decoder failed"}
	}
	return out, answer{OK: true, Type: final, Flattened: flattened}
}

// render runs the calls into bimg. data is kept alive until the last one is
// over: libvips reads from it lazily.
func render(data []byte, p plan, final media.Type) ([]byte, error) {
	defer runtime.KeepAlive(data)
	h := p.Header
	o := bimg.Options{NoAutoRotate: true, StripMetadata: true, Quality: 85, Type: bimgType(final)}
	w, ht := p.Width, p.Height
	if h.Orientation >= 5 {
		w, ht = ht, w
	}
	if w != h.Width || ht != h.Height {
		o.Width, o.Height, o.Force = w, ht, true // both and Force: exact, computed by us
	}
	if h.Profile && h.Channels != 4 {
		o.OutputICC = "srgb" // built in; a CMYK profile is imported by the colourspace step
	}
	if final == media.JPEG && h.Alpha {
		o.Background = bimg.Color{R: 255, G: 255, B: 255}
	}
	if h.Alpha && h.Channels == 1 && h.BitDepth == 16 {
		// bimg does not see the alpha of 16-bit grey: make it 8-bit first.
		eight, err := bimg.Resize(data, bimg.Options{NoAutoRotate: true, StripMetadata: true, Type: bimg.PNG})
		runtime.KeepAlive(data)
		if err != nil {
			return nil, err
		}
		data = eight
	}
	if h.Orientation == 1 || h.Format == media.FormatAVIF || h.Format == media.FormatHEIC {
		out, err := bimg.Resize(data, o)
		runtime.KeepAlive(data)
		return out, err
	}
	o.Type = bimg.TIFF // lossless between the calls, and no shrink-on-load that rereads freed memory
	small, err := bimg.Resize(data, o)
	runtime.KeepAlive(data)
	if err != nil {
		return nil, err
	}
	turn := bimg.Options{NoAutoRotate: true, StripMetadata: true, Quality: 85, Type: bimgType(final)}
	turn.Rotate, turn.Flip = upright(h.Orientation)
	out, err := bimg.Resize(small, turn)
	runtime.KeepAlive(small)
	return out, err
}

func bimgType(t media.Type) bimg.ImageType {
	if t == media.PNG {
		return bimg.PNG
	}
	return bimg.JPEG
}

// upright is how a picture with an EXIF orientation is turned (EXIF 2.32, 4.6.4);
// bimg rotates first and flips then.
func upright(orientation int) (bimg.Angle, bool) {
	switch orientation {
	case 2:
		return bimg.D0, true
	case 3:
		return bimg.D180, false
	case 4:
		return bimg.D180, true
	case 5:
		return bimg.D90, true
	case 6:
		return bimg.D90, false
	case 7:
		return bimg.D270, true
	case 8:
		return bimg.D270, false
	}
	return bimg.D0, false
}

// maxFrame bounds one message between service and worker.
const maxFrame = 1 << 30

// send writes a header in JSON and the bytes that belong to it, each after its length.
func send(w io.Writer, header any, data []byte) error {
	raw, err := json.Marshal(header)
	if err != nil {
		return err
	}
	buf := make([]byte, 0, 12+len(raw))
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(raw))) //nolint:gosec // a header has a few hundred bytes
	buf = append(buf, raw...)
	buf = binary.BigEndian.AppendUint64(buf, uint64(len(data)))
	if _, err := w.Write(buf); err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// receive is the other side of send. io.EOF only between two messages.
func receive(r io.Reader, header any) ([]byte, error) {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return nil, err
	}
	raw, err := readN(r, uint64(binary.BigEndian.Uint32(n[:])))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, header); err != nil {
		return nil, err
	}
	var m [8]byte
	if _, err := io.ReadFull(r, m[:]); err != nil {
		return nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return readN(r, binary.BigEndian.Uint64(m[:]))
}

func readN(r io.Reader, n uint64) ([]byte, error) {
	if n > maxFrame {
		return nil, fmt.Errorf("downscaler: a message of %d bytes is too long", n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, fmt.Errorf("downscaler: message is cut: %w", err)
	}
	return b, nil
}
