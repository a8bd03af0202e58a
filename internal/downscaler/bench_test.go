package downscaler_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
)

// photo24MP is a photograph-like JPEG of 6000 x 4000 pixels: soft shapes with grain.
var photo24MP = sync.OnceValue(func() []byte {
	const w, h = 6000, 4000
	img := image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
	r := rand.New(rand.NewPCG(1, 2))
	for y := range h {
		for x := range w {
			v := (x*y/9000 + x/7 + y/5) % 200
			img.Y[y*img.YStride+x] = uint8(v + r.IntN(24) + 16)
		}
	}
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = uint8(110+i%30), uint8(120+i/4000%30)
	}
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: 88}); err != nil {
		panic(err)
	}
	return buf.Bytes()
})

// BenchmarkFit24MP is one picture through a warm worker: header check, hash,
// two pipes, decode, measure.
func BenchmarkFit24MP(b *testing.B) {
	s := scaler(b, nil)
	data := photo24MP()
	fitOnce(b, s, data)
	for b.Loop() {
		fitOnce(b, s, data)
	}
}

// BenchmarkFit24MPParallel shows the throughput of two workers.
func BenchmarkFit24MPParallel(b *testing.B) {
	s := scaler(b, nil)
	data := photo24MP()
	fitOnce(b, s, data)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.Fit(b.Context(), data, 1024); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkPictures compares the whole function, warm, with the whole process
// of libvips' own tool: each round makes both, so that what else the machine
// does hits both. It reports medians. scripts/bench-images.sh prints them as a table.
func BenchmarkPictures(b *testing.B) {
	for _, c := range []struct{ name, file, ext string }{
		{"JPEG_24MP", "", "jpg"},
		{"JPEG_rotated", "orient_6.jpg", "jpg"},
		{"JPEG_progressive", "jpeg_progressive.jpg", "jpg"},
		{"JPEG_CMYK", "jpeg_cmyk_icc.jpg", "jpg"},
		{"PNG_screenshot", "png_screenshot.png", "png"},
		{"PNG_heavy", "png_noise.png", "jpg"},
		{"GIF_animated", "gif_anim.gif", "png"},
		{"WebP_rotated", "webp_orient6_large.webp", "jpg"},
		{"AVIF", "avif.avif", "jpg"},
		{"HEIC", "heic.heic", "jpg"},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := photo24MP()
			if c.file != "" {
				data = picture(b, c.file)
			}
			in := filepath.Join(b.TempDir(), "in"+filepath.Ext(c.file))
			if err := os.WriteFile(in, data, 0o600); err != nil {
				b.Fatal(err)
			}
			s := scaler(b, func(c *config.Images) { c.Workers = 1 })
			fitOnce(b, s, data)
			thumbnailOnce(b, in, c.ext)
			var ours, theirs []time.Duration
			var cpu time.Duration
			worker := s.WorkerPIDs()[0]
			before := cpuTime(b, worker) + cpuTime(b, os.Getpid())
			for b.Loop() {
				start := time.Now()
				fitOnce(b, s, data)
				middle := time.Now()
				cpu += thumbnailOnce(b, in, c.ext)
				ours, theirs = append(ours, middle.Sub(start)), append(theirs, time.Since(middle))
			}
			fit, vips := median(ours), median(theirs)
			b.ReportMetric(0, "ns/op") // of both together: means nothing
			b.ReportMetric(fit, "fit-ms")
			b.ReportMetric(vips, "vipsthumbnail-ms")
			b.ReportMetric(fit/vips, "ratio")
			used := cpuTime(b, worker) + cpuTime(b, os.Getpid()) - before // starting vipsthumbnail is in it: to our disadvantage
			b.ReportMetric(float64(used)/float64(cpu), "cpu-ratio")
			b.ReportMetric(float64(peakResident(b, worker))/1024, "fit-MB")
		})
	}
}

func fitOnce(b *testing.B, s *downscaler.Scaler, data []byte) {
	b.Helper()
	if _, err := s.Fit(b.Context(), data, 1024); err != nil {
		b.Fatal(err)
	}
}

// thumbnailOnce answers the CPU time of the process.
func thumbnailOnce(b *testing.B, in, ext string) time.Duration {
	b.Helper()
	options := "[strip]"
	if ext == "jpg" {
		options = "[Q=85,strip,background=255]"
	}
	cmd := exec.CommandContext(b.Context(), "vipsthumbnail", in, "--size", "1024x1024>", "-o", filepath.Join(filepath.Dir(in), "out."+ext+options))
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// cpuTime answers what a process has used, in steps of 10 ms.
func cpuTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name before it may hold blanks
	f := strings.Fields(rest)
	var ticks int
	for _, i := range []int{11, 12} { // user, system
		n, err := strconv.Atoi(f[i])
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// peakResident answers the most memory a process ever had, in kB.
func peakResident(b *testing.B, pid int) int {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		b.Fatal(err)
	}
	return kb
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}
