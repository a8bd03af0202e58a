package downscaler_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
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

// BenchmarkFit24MP is one picture through a warm worker: header check, two
// pipes, decode, measure. Compare with BenchmarkVipsthumbnail24MP of the same run.
func BenchmarkFit24MP(b *testing.B) {
	s := scaler(b, nil)
	data := photo24MP()
	if _, err := s.Fit(b.Context(), data, 1024); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for b.Loop() {
		if _, err := s.Fit(b.Context(), data, 1024); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFit24MPParallel shows the throughput of two workers.
func BenchmarkFit24MPParallel(b *testing.B) {
	s := scaler(b, nil)
	data := photo24MP()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.Fit(b.Context(), data, 1024); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkVipsthumbnail24MP is the whole process of libvips' own tool.
func BenchmarkVipsthumbnail24MP(b *testing.B) {
	dir := b.TempDir()
	in := filepath.Join(dir, "in.jpg")
	if err := os.WriteFile(in, photo24MP(), 0o600); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), "vipsthumbnail", in, "--size", "1024x1024", "-o", filepath.Join(dir, "out.jpg[Q=85,strip]"))
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
}
