package downscaler_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/fault"
	"editor-actions/internal/media"
)

const pictures = "../../testdata/images"

// TestMain lets the test binary be its own worker.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == downscaler.WorkerCommand:
		os.Exit(downscaler.WorkerMain(os.Stdin, os.Stdout))
	case len(os.Args) > 1 && os.Args[1] == "sleeping-worker":
		time.Sleep(time.Minute)
		os.Exit(0)
	case len(os.Args) > 1 && os.Args[1] == "dying-worker":
		os.Exit(134)
	}
	os.Exit(m.Run())
}

func scaler(t testing.TB, change func(*config.Images), command ...string) *downscaler.Scaler {
	t.Helper()
	limits := config.DefaultSettings().Images
	limits.CacheMiB = 0
	if change != nil {
		change(&limits)
	}
	o := downscaler.Options{}
	if len(command) > 0 {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		o.WorkerCommand = append([]string{self}, command...)
	}
	s, err := downscaler.New(limits, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func picture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(pictures, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// cards have a red top left, green top right, blue bottom left and white bottom right corner.
var cards = []string{"exif_6.jpg", "exif_6.png", "exif_6.webp", "gif_anim.gif", "orient_1.jpg", "orient_3.jpg", "orient_5.jpg", "orient_6.jpg", "orient_8.jpg", "webp_anim.webp", "webp_orient6_large.webp"}

func TestP4_EveryPictureHasOneRightAnswer(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	table, err := os.ReadFile(filepath.Join(pictures, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		col := strings.Split(line, "\t")
		name, format, size := col[0], col[1], col[2]
		t.Run(name, func(t *testing.T) {
			res, err := s.Fit(t.Context(), picture(t, name), 1024)
			if format == "refused" {
				if err == nil {
					t.Fatalf("accepted: %v; want refused: %s", res.Image, col[3])
				}
				if fault.KindOf(err) == fault.Internal {
					t.Fatalf("refused without a kind: %v", err)
				}
				t.Log(err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := strings.TrimPrefix(string(res.Image.Type()), "image/")
			if !strings.Contains(format, got) {
				t.Errorf("is %s, want %s", got, format)
			}
			if s := fmt.Sprintf("%dx%d", res.Image.Width(), res.Image.Height()); s != size {
				t.Errorf("is %s, want %s", s, size)
			}
			decoded, _, err := image.Decode(bytes.NewReader(res.Image.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if b := decoded.Bounds(); fmt.Sprintf("%dx%d", b.Dx(), b.Dy()) != size {
				t.Errorf("another decoder sees %v", b)
			}
			for _, word := range []string{"Exif", "http://ns.adobe.com", "ICC_PROFILE", "Photoshop", "iCCP", "eXIf", "tEXt", "iTXt", "<?php"} {
				if bytes.Contains(res.Image.Bytes(), []byte(word)) {
					t.Errorf("the result holds %q", word)
				}
			}
			for _, card := range cards {
				if card == name {
					assertCard(t, decoded)
				}
			}
		})
	}
}

func assertCard(t *testing.T, img image.Image) {
	t.Helper()
	b := img.Bounds()
	at := func(fx, fy float64) (r, g, bl uint32) {
		r, g, bl, _ = img.At(b.Min.X+int(fx*float64(b.Dx())), b.Min.Y+int(fy*float64(b.Dy()))).RGBA()
		return r >> 8, g >> 8, bl >> 8
	}
	for _, c := range []struct {
		name       string
		x, y       float64
		r, g, blue bool
	}{
		{"top left red", .03, .03, true, false, false},
		{"top right green", .97, .03, false, true, false},
		{"bottom left blue", .03, .97, false, false, true},
		{"bottom right white", .97, .97, true, true, true},
	} {
		r, g, bl := at(c.x, c.y)
		if (r > 128) != c.r || (g > 100) != c.g || (bl > 128) != c.blue {
			t.Errorf("%s: is %d %d %d", c.name, r, g, bl)
		}
	}
}

func TestS3_LongEdgeIsBounded(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	for _, edge := range []int{64, 240, 1000, 1024} {
		res, err := s.Fit(t.Context(), picture(t, "jpeg_base.jpg"), edge)
		if err != nil {
			t.Fatal(err)
		}
		if max(res.Image.Width(), res.Image.Height()) != edge {
			t.Errorf("edge %d gives %v", edge, res.Image)
		}
	}
}

func TestS4_SmallPicturesAreNotEnlarged(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	res, err := s.Fit(t.Context(), picture(t, "gif_offset.gif"), 4096)
	if err != nil || res.Image.Width() != 800 {
		t.Fatal(res, err)
	}
}

func TestS5_AnimationGivesFirstFrameAsPNG(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	res, err := s.Fit(t.Context(), picture(t, "gif_anim.gif"), 1024)
	if err != nil || res.Image.Type() != media.PNG || len(res.Warnings) != 1 || res.Warnings[0] != downscaler.WarnFirstFrame {
		t.Fatal(res, err)
	}
}

func TestS6_HeavyPNGBecomesJPEG(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	heavy, err := s.Fit(t.Context(), picture(t, "png_noise.png"), 1024)
	if err != nil || heavy.Image.Type() != media.JPEG {
		t.Fatal(heavy, err)
	}
	light, err := s.Fit(t.Context(), picture(t, "png_screenshot.png"), 1024)
	if err != nil || light.Image.Type() != media.PNG || light.Image.Size() > 512<<10 {
		t.Fatal(light, err)
	}
}

func TestFit_DeadlineEndsTheWorkerAndTheNextPictureIsFine(t *testing.T) {
	t.Parallel()
	s := scaler(t, func(c *config.Images) { c.Workers, c.TimeoutSeconds = 1, 1 }, "sleeping-worker")
	_, err := s.Fit(t.Context(), picture(t, "jpeg_base.jpg"), 1024)
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != "image_timeout" {
		t.Fatal(err)
	}
}

func TestFit_DyingWorkersAreReplacedAndThePictureIsBanned(t *testing.T) {
	t.Parallel()
	s := scaler(t, func(c *config.Images) { c.Workers = 1 }, "dying-worker")
	for range 4 {
		_, err := s.Fit(t.Context(), picture(t, "jpeg_base.jpg"), 1024)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != "image_failed" {
			t.Fatal(err)
		}
	}
}

func TestFit_FullQueueIsATypedError(t *testing.T) {
	t.Parallel()
	s := scaler(t, func(c *config.Images) { c.Workers, c.QueueLength, c.TimeoutSeconds = 1, 0, 2 }, "sleeping-worker")
	data := picture(t, "jpeg_base.jpg")
	errs := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := s.Fit(context.Background(), data, 1024)
			errs <- err
		}()
	}
	busy := 0
	for range 3 {
		if fault.KindOf(<-errs) == fault.RateLimited {
			busy++
		}
	}
	if busy != 2 {
		t.Fatalf("%d of 3 were told to come back, want 2", busy)
	}
}

func TestFit_WorkersAreReplacedAfterNPictures(t *testing.T) {
	t.Parallel()
	s := scaler(t, func(c *config.Images) { c.Workers, c.WorkerPictures = 1, 3 })
	before := descriptors(t)
	for range 20 {
		if _, err := s.Fit(t.Context(), picture(t, "exif_6.jpg"), 256); err != nil {
			t.Fatal(err)
		}
	}
	if after := descriptors(t); after > before+10 {
		t.Fatalf("%d descriptors became %d", before, after)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	d, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(d)
}

func TestFit_CacheIgnoresTornEntries(t *testing.T) {
	t.Parallel()
	limits := config.DefaultSettings().Images
	dir := t.TempDir()
	s, err := downscaler.New(limits, downscaler.Options{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	first, err := s.Fit(t.Context(), picture(t, "jpeg_base.jpg"), 512)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	for _, torn := range [][]byte{nil, []byte("{}\n"), []byte("no json\nxx")} {
		if err := os.WriteFile(entries[0], torn, 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := s.Fit(t.Context(), picture(t, "jpeg_base.jpg"), 512)
		if err != nil || again.Image.SHA256() != first.Image.SHA256() {
			t.Fatal(again, err)
		}
	}
}

func TestFit_ManyAtOnce(t *testing.T) {
	t.Parallel()
	s := scaler(t, func(c *config.Images) { c.QueueLength = 100 })
	data := [][]byte{picture(t, "orient_6.jpg"), picture(t, "orient6_icc.jpg"), picture(t, "png_alpha_half.png")}
	want := make([]string, len(data))
	for i, d := range data {
		res, err := s.Fit(t.Context(), d, 512)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = res.Image.SHA256()
	}
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			res, err := s.Fit(context.Background(), data[i%len(data)], 512)
			if err != nil || res.Image.SHA256() != want[i%len(data)] {
				t.Errorf("picture %d: %v %v", i, res, err)
			}
		})
	}
	wg.Wait()
	runtime.KeepAlive(data)
}
