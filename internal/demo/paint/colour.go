package paint

import "math"

// rgb is a colour in sRGB, each part 0..1. Values above 1 are allowed until a
// canvas is finished: glow adds light.
type rgb struct{ r, g, b float32 }

// hex reads 0xRRGGBB.
func hex(v uint32) rgb {
	return rgb{float32(v>>16&255) / 255, float32(v>>8&255) / 255, float32(v&255) / 255}
}

func (c rgb) times(f float64) rgb {
	k := float32(f)
	return rgb{c.r * k, c.g * k, c.b * k}
}

func (c rgb) plus(d rgb) rgb { return rgb{c.r + d.r, c.g + d.g, c.b + d.b} }

// mix goes from a to b as t goes from 0 to 1.
func mix(a, b rgb, t float64) rgb {
	if !(t > 0) {
		return a
	}
	if t >= 1 {
		return b
	}
	k := float32(t)
	return rgb{a.r + (b.r-a.r)*k, a.g + (b.g-a.g)*k, a.b + (b.b-a.b)*k}
}

func (c rgb) grey() float64 { return 0.299*float64(c.r) + 0.587*float64(c.g) + 0.114*float64(c.b) }

// stop is a colour at a place of a ramp.
type stop struct {
	at float64
	c  rgb
}

// ramp is a gradient through stops in ascending order.
type ramp []stop

func (r ramp) at(t float64) rgb {
	if t <= r[0].at {
		return r[0].c
	}
	for i := 1; i < len(r); i++ {
		if t < r[i].at {
			return mix(r[i-1].c, r[i].c, smooth((t-r[i-1].at)/(r[i].at-r[i-1].at)))
		}
	}
	return r[len(r)-1].c
}

// clamp is written out because it runs for every pixel. What is not a number
// becomes lo.
func clamp(v, lo, hi float64) float64 {
	if !(v > lo) {
		return lo
	}
	if v > hi {
		return hi
	}
	return v
}

func lerp(a, b, t float64) float64 { return a + (b-a)*t }

// smooth eases 0..1 in and out.
func smooth(t float64) float64 {
	t = clamp(t, 0, 1)
	return t * t * (3 - 2*t)
}

// step rises smoothly from 0 to 1 between a and b.
func step(a, b, v float64) float64 { return smooth((v - a) / (b - a)) }

// bell is 1 at centre and falls off to both sides.
func bell(v, centre, width float64) float64 {
	d := (v - centre) / width
	return math.Exp(-d * d)
}
