package downscaler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/fault"
	"editor-actions/internal/media"
)

const pictures = "../../testdata/images"

// TestMain lets the test binary be its own worker, a good one or a bad one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case downscaler.WorkerCommand:
			os.Exit(downscaler.WorkerMain(os.Stdin, os.Stdout))
		case "sleeping-worker":
			time.Sleep(time.Minute)
			os.Exit(0)
		case "dying-worker":
			os.Exit(134)
		case "lying-worker": // answers every picture with the file it is given
			data, err := os.ReadFile(os.Args[2])
			if err != nil || downscaler.AnswerAlways(os.Stdin, os.Stdout, os.Args[3], data) != nil {
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func scaler(t testing.TB, change func(*config.Images), command ...string) *downscaler.Scaler {
	t.Helper()
	return scalerWith(t, downscaler.Options{}, func(c *config.Images) {
		c.CacheMiB = 0
		if change != nil {
			change(c)
		}
	}, command...)
}

func scalerWith(t testing.TB, o downscaler.Options, change func(*config.Images), command ...string) *downscaler.Scaler {
	t.Helper()
	limits := config.DefaultSettings().Images
	limits.TimeoutSeconds = 60 // test machines are busy
	if change != nil {
		change(&limits)
	}
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

func one(c *config.Images) { c.Workers = 1 }

func TestFit_DeadlineEndsTheWorker(t *testing.T) {
	t.Parallel()
	s := scaler(t, func(c *config.Images) { c.Workers, c.TimeoutSeconds = 1, 1 }, "sleeping-worker")
	before := s.WorkerPIDs()
	_, err := s.Fit(t.Context(), picture(t, "exif_6.jpg"), 1024)
	if code(err) != "image_timeout" || fault.KindOf(err) != fault.Unavailable {
		t.Fatal(err)
	}
	if after := s.WorkerPIDs(); len(after) != 1 || after[0] == before[0] {
		t.Fatalf("worker %v was followed by %v", before, after)
	}
	if err := syscall.Kill(before[0], 0); err == nil {
		t.Error("the late worker is still there")
	}
}

func TestFit_CallerThatLeavesDoesNotBlameThePicture(t *testing.T) {
	t.Parallel()
	s := scaler(t, one, "sleeping-worker")
	for range 4 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := s.Fit(ctx, picture(t, "exif_6.jpg"), 1024)
		cancel()
		if code(err) != "image_timeout" {
			t.Fatal(err) // the fourth would be image_failed if the first three counted
		}
	}
}

func TestFit_AbortOfThePictureLibraryLeavesTheServiceAlive(t *testing.T) {
	t.Parallel()
	s := scaler(t, one)
	thin := thinJPEG(t)
	h, err := media.ReadHeader(thin)
	if err != nil {
		t.Fatal(err)
	}
	before := s.WorkerPIDs()
	_, err = s.FitUnchecked(t.Context(), thin, h, 1, 1024, 1024)
	if code(err) != "image_failed" || !strings.Contains(err.Error(), "worker ended") || !strings.Contains(err.Error(), "tried again after") {
		t.Fatalf("want the abort that the header check prevents, got %v", err)
	}
	if after := s.WorkerPIDs(); len(after) != 1 || after[0] == before[0] {
		t.Fatalf("worker %v was followed by %v", before, after)
	}
	// The picture had its attempts; another one is fine, and time heals.
	_, err = s.FitUnchecked(t.Context(), thin, h, 1, 1024, 1024)
	if code(err) != "image_failed" || !strings.Contains(err.Error(), "tried again after") {
		t.Fatal(err)
	}
	if _, err := s.Fit(t.Context(), picture(t, "exif_6.jpg"), 256); err != nil {
		t.Fatal(err)
	}
	s.SetNow(func() time.Time { return time.Now().Add(downscaler.BanTime + time.Minute) })
	if _, err = s.FitUnchecked(t.Context(), thin, h, 1, 1024, 1024); !strings.Contains(err.Error(), "worker ended") {
		t.Fatal(err)
	}
}

func TestFit_KilledWorkerIsReplacedAndThePictureStillMade(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	data := picture(t, "exif_6.jpg")
	for range 3 {
		for _, pid := range s.WorkerPIDs() {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		// Both workers are gone and the picture has two attempts: the first
		// replaces one, the second may meet the other.
		var err error
		for range 2 {
			if _, err = s.Fit(t.Context(), data, 256); err == nil {
				break
			}
		}
		if err != nil && code(err) != "image_failed" {
			t.Fatal(err)
		}
		s.SetNow(func() time.Time { return time.Now().Add(downscaler.BanTime + time.Minute) })
		if _, err := s.Fit(t.Context(), data, 256); err != nil {
			t.Fatal(err)
		}
		s.SetNow(time.Now)
	}
}

func TestFit_DyingWorkersAreReplacedAndThePictureIsBanned(t *testing.T) {
	t.Parallel()
	s := scaler(t, one, "dying-worker")
	for range 3 {
		if _, err := s.Fit(t.Context(), picture(t, "exif_6.jpg"), 1024); code(err) != "image_failed" {
			t.Fatal(err)
		}
	}
}

func TestFit_MemoryOfAWorkerIsBounded(t *testing.T) {
	t.Parallel()
	data := pngBytes(t, storedCard(3000, 2500, 1, true)) // 30 MB decoded
	tight := scaler(t, func(c *config.Images) { c.Workers, c.WorkerMemoryMiB = 1, 8 })
	if _, err := tight.Fit(t.Context(), data, 1024); code(err) != "image_failed" {
		t.Fatal(err)
	}
	if _, err := scaler(t, one).Fit(t.Context(), data, 1024); err != nil {
		t.Fatal(err)
	}
}

func TestFit_FullQueueIsATypedError(t *testing.T) {
	t.Parallel()
	s := scaler(t, func(c *config.Images) { c.Workers, c.QueueLength, c.TimeoutSeconds = 1, 0, 2 }, "sleeping-worker")
	data := picture(t, "exif_6.jpg")
	errs := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := s.Fit(context.Background(), data, 1024)
			errs <- err
		}()
	}
	busy := 0
	for range 3 {
		if err := <-errs; fault.KindOf(err) == fault.RateLimited && code(err) == "image_busy" {
			busy++
		}
	}
	if busy != 2 {
		t.Fatalf("%d of 3 were told to come back, want 2", busy)
	}
}

func TestP4_WhatAWorkerAnswersIsMeasured(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	card := storedCard(300, 200, 1, false)
	src := jpegWithOrientation(t, card, 1)
	clean := slices.Concat(src[:2], src[2+2+int(src[4])<<8+int(src[5]):]) // without its EXIF segment
	heavy := pngBytes(t, card)
	text := pngChunk("tEXt", append([]byte("Comment\x00"), bytes.Repeat([]byte("x"), 600<<10)...))
	for name, c := range map[string]struct {
		path, typ string
		ok        bool
	}{
		"as promised":           {file("clean.jpg", clean), "image/jpeg", true},
		"the original":          {file("original.jpg", src), "image/jpeg", false},
		"another size":          {file("size.jpg", jpegWithOrientation(t, storedCard(150, 100, 1, false), 1)), "image/jpeg", false},
		"another type":          {file("type.jpg", clean), "image/png", false},
		"a type nobody takes":   {file("gif.gif", gifOf(t, 300, 200, card.Bounds())), "image/gif", false},
		"something behind it":   {file("trailing.jpg", append(slices.Clone(clean), "PK"...)), "image/jpeg", false},
		"cut":                   {file("cut.jpg", clean[:len(clean)-9]), "image/jpeg", false},
		"a heavy PNG with text": {file("heavy.png", slices.Concat(heavy[:33], text, heavy[33:])), "image/png", false},
	} {
		s := scaler(t, one, "lying-worker", c.path, c.typ)
		res, err := s.Fit(t.Context(), src, 1024)
		if c.ok != (err == nil) || err != nil && code(err) != "image_failed" {
			t.Errorf("%s: %v, %v", name, res, err)
		}
	}
}

func TestP15_WorkersGetNoSecrets(t *testing.T) {
	t.Setenv("EDITOR_ACTIONS_SEALING__KEYSET", "secret")
	t.Setenv("OPENAI_API_KEY", "secret")
	t.Setenv("VIPS_WARNING", "1") // would silence what tells cut pictures
	env := downscaler.WorkerEnvironment(100)
	if all := strings.Join(env, "\n"); strings.Contains(all, "secret") || strings.Contains(all, "VIPS_WARNING") {
		t.Fatal(all)
	}
	for _, want := range []string{"VIPS_BLOCK_UNTRUSTED=1", "VIPS_CONCURRENCY=1"} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestS8_DecoderWarningsAreRefusals(t *testing.T) {
	t.Setenv("VIPS_WARNING", "1")
	s := scaler(t, one)
	// The structure is whole: the cut is inside the compressed data, and each chunk has its right checksum.
	data := pngBytes(t, storedCard(400, 300, 1, false))
	at := bytes.Index(data, []byte("IDAT"))
	n := int(data[at-4])<<24 | int(data[at-3])<<16 | int(data[at-2])<<8 | int(data[at-1])
	cut := slices.Concat(data[:at-4], pngChunk("IDAT", data[at+4:at+4+n/2]), pngChunk("IEND", nil))
	if _, err := s.Fit(t.Context(), cut, 1024); code(err) != "image_corrupt" {
		t.Fatal(err)
	}
	// The same for a JPEG: half of its scan, then the end marker.
	jpg := picture(t, "jpeg_base.jpg")
	half := append(slices.Clone(jpg[:len(jpg)/2]), 0, 0xFF, 0xD9)
	if _, err := s.Fit(t.Context(), half, 1024); code(err) != "image_corrupt" {
		t.Fatal(err)
	}
	if _, err := s.Fit(t.Context(), jpg, 1024); err != nil { // no warning is left behind
		t.Fatal(err)
	}
}

func TestClose_WaitsForPicturesInWorkAndEndsTheWorkers(t *testing.T) {
	t.Parallel()
	s := scaler(t, nil)
	pids := s.WorkerPIDs()
	data := picture(t, "png_noise.png")
	done := make(chan error, 1)
	started := make(chan struct{})
	go func() {
		close(started)
		_, err := s.Fit(context.Background(), data, 1024)
		done <- err
	}()
	<-started
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil && !strings.Contains(err.Error(), "closed") {
		t.Errorf("the picture in work: %v", err)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); err == nil {
			t.Errorf("worker %d is still there", pid)
		}
	}
	if _, err := s.Fit(t.Context(), data, 1024); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("after Close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func TestClose_KillsAWorkerThatDoesNotComeBack(t *testing.T) {
	t.Parallel()
	s := scaler(t, func(c *config.Images) { c.Workers, c.TimeoutSeconds = 1, 1 }, "sleeping-worker")
	start := time.Now()
	go func() { _, _ = s.Fit(context.Background(), picture(t, "exif_6.jpg"), 1024) }()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestNew_WorkerThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	if s, err := downscaler.New(config.DefaultSettings().Images, downscaler.Options{WorkerCommand: []string{"/nowhere/worker"}}); err == nil {
		_ = s.Close()
		t.Fatal("started")
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

func TestInspect_ReportsInOneForm(t *testing.T) {
	t.Parallel()
	s := scaler(t, one)
	good, img := downscaler.Inspect(t.Context(), s, picture(t, "exif_6.jpg"), 1024)
	raw, err := json.Marshal(good)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if img == nil || len(got) != 7 || got["ok"] != true || got["format"] != "jpeg" || got["width"] != 1024.0 || got["height"] != 768.0 ||
		got["bytes"] != float64(img.Size()) || got["sha256"] != img.SHA256() || len(got["warnings"].([]any)) != 0 {
		t.Errorf("%s", raw)
	}
	bad, img := downscaler.Inspect(t.Context(), s, nil, 1024)
	if raw, err = json.Marshal(bad); err != nil || img != nil || string(raw) != `{"ok":false,"kind":"image_empty","reason":"The file is empty."}` {
		t.Errorf("%s, %v", raw, err)
	}
}
