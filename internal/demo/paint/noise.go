package paint

import (
	"math"
	"math/rand/v2"
)

// random is the source of one picture; the same seed gives the same picture.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x5eed)) } //nolint:gosec // pictures, not secrets

func scramble(seed uint32, x, y int32) uint32 {
	h := seed*0x27D4EB2F ^ uint32(x)*0x9E3779B1 ^ uint32(y)*0x85EBCA77 //nolint:gosec // wrapping is the point
	h ^= h >> 15
	h *= 0x2C1B3C6D
	h ^= h >> 12
	h *= 0x297A2D39
	return h ^ h>>15
}

func lattice(seed uint32, x, y int32) float64 { return float64(scramble(seed, x, y)) / (1 << 32) }

// speck is white noise in -1..1 for one pixel.
func speck(seed uint32, x, y int) float64 {
	return float64(int32(scramble(seed, int32(x), int32(y)))) / (1 << 31) //nolint:gosec // coordinates are small
}

// noise is smooth value noise in 0..1 with cells of size one.
func noise(seed uint32, x, y float64) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	ix, iy := int32(fx), int32(fy)
	u, v := x-fx, y-fy
	u = u * u * u * (u*(u*6-15) + 10)
	v = v * v * v * (v*(v*6-15) + 10)
	return lerp(
		lerp(lattice(seed, ix, iy), lattice(seed, ix+1, iy), u),
		lerp(lattice(seed, ix, iy+1), lattice(seed, ix+1, iy+1), u), v)
}

// fractal adds octaves of noise, each twice as fine and half as strong; 0..1.
func fractal(seed uint32, x, y float64, octaves int) float64 {
	sum, size, total := 0.0, 1.0, 0.0
	for o := range octaves {
		sum += size * noise(seed+uint32(o)*101, x, y)
		total += size
		size *= 0.5
		// turned a little each time, or the grid of the lattice shows
		x, y = 1.6*x+1.2*y+17.3, -1.2*x+1.6*y+5.1
	}
	return sum / total
}

// ridged is fractal noise with sharp crests: rock, not clouds.
func ridged(seed uint32, x, y float64, octaves int) float64 {
	sum, size, total := 0.0, 1.0, 0.0
	for o := range octaves {
		n := 1 - math.Abs(2*noise(seed+uint32(o)*101, x, y)-1)
		sum += size * n * n
		total += size
		size *= 0.5
		x, y = 1.6*x+1.2*y+17.3, -1.2*x+1.6*y+5.1
	}
	return sum / total
}

// field is a coarse grid over a canvas, read smoothly: costly noise is computed
// for a few points and looked up for all pixels.
type field struct {
	w, h int
	cell float64
	v    []float32
}

func newField(width, height, cell int, f func(x, y float64) float64) *field {
	fd := &field{w: width/cell + 2, h: height/cell + 2, cell: float64(cell)}
	fd.v = make([]float32, fd.w*fd.h)
	for j := range fd.h {
		for i := range fd.w {
			fd.v[j*fd.w+i] = float32(f(float64(i)*fd.cell, float64(j)*fd.cell))
		}
	}
	return fd
}

func (f *field) at(x, y float64) float64 {
	x, y = clamp(x/f.cell, 0, float64(f.w)-1.001), clamp(y/f.cell, 0, float64(f.h)-1.001)
	i, j := int(x), int(y)
	u, v := float32(x)-float32(i), float32(y)-float32(j)
	k := j*f.w + i
	a := f.v[k] + (f.v[k+1]-f.v[k])*u
	b := f.v[k+f.w] + (f.v[k+f.w+1]-f.v[k+f.w])*u
	return float64(a + (b-a)*v)
}
