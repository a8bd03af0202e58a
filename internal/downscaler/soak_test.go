package downscaler_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"editor-actions/internal/config"
)

// TestFit_Soak gives workers many pictures, good and bad ones, and watches
// what grows. scripts/bench-images.sh --soak runs it with 10,000.
func TestFit_Soak(t *testing.T) {
	n := 300
	if v := os.Getenv("EDITOR_ACTIONS_SOAK_PICTURES"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	s := scaler(t, func(c *config.Images) { c.Workers, c.WorkerPictures, c.QueueLength = 2, 100, 10 })
	var data [][]byte
	for _, r := range table(t) {
		switch r.name {
		case "png_noise.png", "png_1bit.png", "heic.heic", "bomb_30000_rgb.png": // slow; the rest is what grows
		default:
			data = append(data, picture(t, r.name))
		}
	}
	work := func(from, to int) {
		next := make(chan int)
		done := make(chan struct{})
		for range 2 {
			go func() {
				for i := range next {
					_, err := s.Fit(t.Context(), data[i%len(data)], 256)
					if err != nil && (code(err) == "image_timeout" || code(err) == "image_busy") {
						t.Errorf("picture %d: %v", i, err)
					}
				}
				done <- struct{}{}
			}()
		}
		for i := from; i < to; i++ {
			next <- i
		}
		close(next)
		<-done
		<-done
	}
	warm := min(n/3, 300)
	work(0, warm)
	files, memory := descriptors(t), resident(t, "self")
	work(warm, n)
	if now := descriptors(t); now > files+4 { // replacing a worker may be under way
		t.Errorf("%d descriptors became %d", files, now)
	}
	now := resident(t, "self")
	if now > memory+64<<10 {
		t.Errorf("the service grew from %d to %d kB", memory, now)
	}
	workers := 0
	for _, pid := range s.WorkerPIDs() {
		workers = max(workers, resident(t, fmt.Sprint(pid)))
	}
	t.Logf("%d pictures: service %d kB before, %d kB after; largest worker %d kB", n, memory, now, workers)
}

func descriptors(t testing.TB) int {
	t.Helper()
	d, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(d)
}

// resident answers the memory of a process in kB.
func resident(t testing.TB, pid string) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmRSS:" {
			kb, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			return kb
		}
	}
	t.Fatalf("process %s has no memory", pid)
	return 0
}
