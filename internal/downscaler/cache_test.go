package downscaler_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
)

func entries(t testing.TB, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestCache_IsSharedAndIgnoresWhatIsNotWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	maker := scalerWith(t, downscaler.Options{CacheDir: dir}, one)
	src := picture(t, "exif_6.jpg")
	first, err := maker.Fit(t.Context(), src, 512)
	if err != nil {
		t.Fatal(err)
	}
	found := entries(t, dir)
	if len(found) != 1 {
		t.Fatal(found)
	}
	whole, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	// Another instance whose workers cannot do anything reads it all the same.
	reader := scalerWith(t, downscaler.Options{CacheDir: dir}, one, "dying-worker")
	again, err := reader.Fit(t.Context(), src, 512)
	if err != nil || again.Image.SHA256() != first.Image.SHA256() {
		t.Fatal(again, err)
	}
	head, _, _ := strings.Cut(string(whole), "\n")
	sum := sha256.Sum256(src)
	old := head[strings.Index(head, `"sha256":"`)+10:][:64]
	original := strings.Replace(head, old, hex.EncodeToString(sum[:]), 1) + "\n" + string(src)
	for name, bad := range map[string]string{
		"empty": "", "torn": string(whole[:len(whole)/2]), "no head": "no json\nxx", "head only": head + "\n", "the original": original,
	} {
		if err := os.WriteFile(found[0], []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := maker.Fit(t.Context(), src, 512)
		if err != nil || again.Image.SHA256() != first.Image.SHA256() {
			t.Fatal(name, again, err)
		}
		if now, err := os.ReadFile(found[0]); err != nil || string(now) != string(whole) {
			t.Errorf("%s: was not replaced: %v", name, err)
		}
	}
}

func TestCache_KeepsParametersApartAndFailuresOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := scalerWith(t, downscaler.Options{CacheDir: dir}, one)
	for _, edge := range []int{100, 200, 100} {
		res, err := s.Fit(t.Context(), picture(t, "exif_6.jpg"), edge)
		if err != nil || res.Image.Width() != edge {
			t.Fatal(res, err)
		}
	}
	if _, err := s.Fit(t.Context(), picture(t, "trunc_99.jpg"), 100); err == nil {
		t.Fatal("accepted")
	}
	if found := entries(t, dir); len(found) != 2 {
		t.Fatal(found)
	}
}

func TestCache_IsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := scalerWith(t, downscaler.Options{CacheDir: dir}, func(c *config.Images) { c.Workers, c.CacheMiB = 1, 1 })
	for i := range 30 { // about 90 kB each
		data := jpegWithOrientation(t, storedCard(1200+i, 900, 1, false), 1)
		if i%3 == 0 {
			data = append(picture(t, "jpeg_base.jpg"), fmt.Sprint(i)...)
		}
		if _, err := s.Fit(t.Context(), data, 1024); err != nil {
			t.Fatal(err)
		}
	}
	var total int64
	for _, path := range entries(t, dir) {
		if info, err := os.Stat(path); err == nil {
			total += info.Size()
		}
	}
	if limit := int64(1 << 20); total == 0 || total > limit+limit/8 {
		t.Fatalf("%d bytes are kept", total)
	}
}

func TestCache_FolderThatCannotBeUsedIsNoReasonToFail(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := scalerWith(t, downscaler.Options{CacheDir: filepath.Join(file, "cache")}, one)
	if _, err := s.Fit(t.Context(), picture(t, "exif_6.jpg"), 100); err != nil {
		t.Fatal(err)
	}
}
