package downscaler_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/downscaler"
)

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

func fitOnce(b *testing.B, s *downscaler.Scaler, data []byte) {
	b.Helper()
	if _, err := s.Fit(b.Context(), data, 1024); err != nil {
		b.Fatal(err)
	}
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
