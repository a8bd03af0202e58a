package downscaler_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
)

// tool is a public program that scales pictures, run as a whole process.
type tool struct {
	name   string
	rounds int // 0 = every round; the slow ones run in the first few only
	args   func(in, out, ext string) []string
}

// phpGD is what a TYPO3 with GD does: no profile, no orientation, white behind a JPEG.
const phpGD = `$i = @imagecreatefromstring(file_get_contents($argv[1])); if (!$i) exit(1);
$w = imagesx($i); $h = imagesy($i); $s = min(1, 1024 / max($w, $h)); $x = max(1, (int)round($w * $s)); $y = max(1, (int)round($h * $s));
$o = imagecreatetruecolor($x, $y); $png = substr($argv[2], -4) === ".png";
if ($png) { imagealphablending($o, false); imagesavealpha($o, true); } else { imagefill($o, 0, 0, 0xFFFFFF); }
imagecopyresampled($o, $i, 0, 0, 0, 0, $x, $y, $w, $h);
exit(($png ? imagepng($o, $argv[2]) : imagejpeg($o, $argv[2], 85)) ? 0 : 1);`

func magick(program ...string) func(in, out, ext string) []string {
	return func(in, out, ext string) []string {
		args := append(program[:len(program):len(program)], in+"[0]", "-auto-orient", "-thumbnail", "1024x1024>")
		if ext == "jpg" {
			args = append(args, "-background", "white", "-flatten", "-quality", "85")
		}
		return append(args, out)
	}
}

var tools = []tool{
	{"vipsthumbnail", 0, func(in, out, ext string) []string {
		options := "[strip]"
		if ext == "jpg" {
			options = "[Q=85,strip,background=255]"
		}
		return []string{"vipsthumbnail", in, "--size", "1024x1024>", "-o", out + options}
	}},
	{"ImageMagick", 5, magick("convert-im6.q16")},
	{"GraphicsMagick", 7, magick("gm", "convert")},
	{"GD", 5, func(in, out, _ string) []string {
		return []string{"php", "-d", "memory_limit=-1", "-r", phpGD, in, out}
	}},
}

// use is what a process took.
type use struct {
	wall, cpu time.Duration
	peak      int // kB
}

// run runs a tool once; false when it cannot read the picture.
func (t tool) run(b *testing.B, in, ext string) (use, bool) {
	b.Helper()
	args := t.args(in, filepath.Join(filepath.Dir(in), "out."+ext), ext)
	if _, err := exec.LookPath(args[0]); err != nil {
		b.Fatalf("install %s: make bench-images does it", t.name)
	}
	// GNU time forks once more: the kernel counts the memory of whoever forks as a
	// new process's own, and this one holds large pictures.
	const mark = "used"
	cmd := exec.CommandContext(b.Context(), "/usr/bin/time", append([]string{"-f", mark + " %M", "--"}, args...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return use{}, false
	}
	_, after, _ := strings.Cut(said.String(), mark+" ")
	peak, err := strconv.Atoi(strings.TrimSpace(after))
	if err != nil {
		b.Fatalf("install time: make bench-images does it (%q)", said.String())
	}
	return use{took, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak}, true
}

// BenchmarkPictures compares the whole function, warm, with whole processes of
// public tools: each round runs them all, so that what else the machine does hits
// all of them. It reports medians. scripts/bench-images.sh prints them as tables.
func BenchmarkPictures(b *testing.B) {
	for _, c := range benchPictures {
		b.Run(c.name, func(b *testing.B) {
			data := c.data(b)
			in := filepath.Join(b.TempDir(), "in."+c.from)
			if err := os.WriteFile(in, data, 0o600); err != nil {
				b.Fatal(err)
			}
			s := scaler(b, func(c *config.Images) { c.Workers = 1 })
			fitOnce(b, s, data)
			worker := s.WorkerPIDs()[0]
			var ours []time.Duration
			var oursCPU time.Duration
			theirs := make([][]use, len(tools))
			for round := 0; b.Loop(); round++ {
				before := cpuTime(b, worker) + cpuTime(b, os.Getpid())
				start := time.Now()
				fitOnce(b, s, data)
				ours = append(ours, time.Since(start))
				oursCPU += cpuTime(b, worker) + cpuTime(b, os.Getpid()) - before
				for i, t := range tools {
					if t.rounds > 0 && round >= t.rounds {
						continue
					}
					if u, ok := t.run(b, in, c.to); ok {
						theirs[i] = append(theirs[i], u)
					}
				}
			}
			b.ReportMetric(0, "ns/op") // of all together: means nothing
			fit, cpu := median(ours), float64(oursCPU.Microseconds())/1000/float64(len(ours))
			b.ReportMetric(fit, "fit-ms")
			b.ReportMetric(cpu, "fit-cpu-ms")
			b.ReportMetric(float64(peakResident(b, worker))/1024, "fit-MB")
			for i, t := range tools {
				if len(theirs[i]) == 0 {
					continue
				}
				var wall, used []time.Duration
				peak := 0
				for _, u := range theirs[i] {
					wall, used, peak = append(wall, u.wall), append(used, u.cpu), max(peak, u.peak)
				}
				b.ReportMetric(median(wall)/fit, t.name+"-wall")
				b.ReportMetric(median(used)/max(cpu, 1), t.name+"-cpu")
				b.ReportMetric(float64(peak)/1024, t.name+"-MB")
			}
		})
	}
}
