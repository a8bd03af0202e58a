package downscaler

import (
	"errors"
	"fmt"
	"io"
	"os"
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

// pictureFD is the descriptor of the memory that holds the picture in work.
const pictureFD = 3

// WorkerMain serves pictures from in to out until in ends; it answers the exit
// code. Nothing but the service calls it, over pipes; the pictures come in memory
// that both share, in descriptor 3.
func WorkerMain(in io.Reader, out io.Writer) int {
	out, stderr, err := captureOutput(out)
	if err != nil {
		return 1
	}
	bimg.VipsCacheSetMax(0)             // the cache keeps foreign pixels alive and never helps
	_ = bimg.IsTypeSupported(bimg.JPEG) // fills a map that is read without a lock later
	if err := limit(os.Getenv(envMemory)); err != nil {
		return 1
	}
	for {
		var p plan
		_, err := receive(in, &p, 0)
		if errors.Is(err, io.EOF) {
			return 0
		}
		if err != nil {
			return 1
		}
		data, err := unix.Mmap(pictureFD, 0, p.Bytes, unix.PROT_READ, unix.MAP_SHARED|unix.MAP_POPULATE)
		if err != nil {
			return 1
		}
		result, a := work(data, p)
		if err := unix.Munmap(data); err != nil {
			return 1
		}
		if word := refusal(stderr.take()); word != "" {
			a, result = answer{Warning: word}, nil
		}
		if err := send(out, a, result); err != nil {
			return 1
		}
	}
}

// limit bounds the address space at what it is now plus mib, and forbids core
// dumps: they would hold pictures.
func limit(mib string) error {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return err
	}
	n, err := strconv.ParseUint(mib, 10, 32)
	if err != nil || n == 0 {
		return nil //nolint:nilerr // nobody asked for a bound
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	var pages uint64
	if _, err := fmt.Sscan(string(statm), &pages); err != nil {
		return err
	}
	bytes := pages*uint64(os.Getpagesize()) + n<<20 //nolint:gosec // a page has a positive size
	return unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: bytes, Max: bytes})
}

// stderrFile takes the place of descriptor 2: libvips and GLib report damaged
// pictures there and nowhere else. A file in memory, not a pipe, so that what a
// call wrote is complete when the call is over.
type stderrFile struct{ f *os.File }

// captureOutput makes a stderrFile and keeps answers apart from what libraries
// print: GLib writes a failed assertion to descriptor 1 too. It answers what
// answers go to from now on.
func captureOutput(out io.Writer) (io.Writer, *stderrFile, error) {
	fd, err := unix.MemfdCreate("stderr", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil, err
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_APPEND); err != nil {
		return nil, nil, err
	}
	if f, ok := out.(*os.File); ok && f.Fd() == 1 {
		answers, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return nil, nil, err
		}
		if err := unix.Dup3(fd, 1, 0); err != nil {
			return nil, nil, err
		}
		out = os.NewFile(uintptr(answers), "answers")
	}
	if err := unix.Dup3(fd, 2, 0); err != nil {
		return nil, nil, err
	}
	return out, &stderrFile{os.NewFile(uintptr(fd), "stderr")}, nil
}

// maxWarnings bounds what is read of the decoders' complaints about one picture.
const maxWarnings = 1 << 20

// take answers what was written since the last call. More than the bound is as
// bad as the worst warning: a picture must not hide one behind many others.
func (s *stderrFile) take() string {
	info, err := s.f.Stat()
	if err != nil || info.Size() > maxWarnings {
		_ = s.f.Truncate(0)
		return refusals[0]
	}
	if info.Size() == 0 {
		return ""
	}
	buf := make([]byte, info.Size())
	n, _ := s.f.ReadAt(buf, 0) // io.EOF is the normal end
	_ = s.f.Truncate(0)
	return string(buf[:n])
}

// refusals are the decoders' words for a picture that is not whole. Others,
// like a corrupt profile or an ignored colour box, leave a right picture.
var refusals = []string{
	"corrupt jpeg data", "premature end", "read gave", "not enough data", "unexpected end", "invalid distance", "bad huffman", "invalid stored block", "truncated",
}

// refusal answers the first of these words in warnings, "" when there is none.
func refusal(warnings string) string {
	w := strings.ToLower(warnings)
	for _, r := range refusals {
		if strings.Contains(w, r) {
			return r
		}
	}
	return ""
}
