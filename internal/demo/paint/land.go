package paint

import (
	"math"
	"math/rand/v2"
)

// skyline answers, per column, how far down the land begins: base is the mean
// height, amp how far it goes up and down, wave the width of a hill.
func (c *Canvas) skyline(seed uint32, base, amp, wave float64, octaves int, sharp bool) []float64 {
	e := make([]float64, c.W)
	for x := range e {
		var n float64
		if sharp {
			n = ridged(seed, float64(x)/wave, 0.37, octaves) - 0.45
		} else {
			n = fractal(seed, float64(x)/wave, 0.37, octaves) - 0.5
		}
		e[x] = base - 2*amp*n
	}
	return e
}

// hill paints land under an edge: sunlit at its crest, hazy at its foot.
type hill struct {
	crest, foot rgb
	depth       float64 // pixels from crest to foot colour
	rough       float64 // strength of the texture
	grain       float64 // size of the texture in pixels
	seed        uint32
}

func (c *Canvas) hill(edge []float64, k hill) {
	texture := newField(c.W, c.H, 3, func(x, y float64) float64 {
		return fractal(k.seed, x/k.grain, y/(k.grain*0.42), 5) - 0.5
	})
	c.below(edge, func(x, y float64) rgb {
		d := (y - edge[int(x)]) / k.depth
		p := mix(k.crest, k.foot, smooth(d))
		return p.times(1 + 2*k.rough*texture.at(x, y)*(1-0.6*clamp(d, 0, 1)))
	})
}

// mountain is rock with snow from a line upwards, lit from the left or right.
type mountain struct {
	rock, shade rgb
	snow, blue  rgb     // snow in light and in shadow
	snowline    float64 // y below which snow ends
	haze        rgb
	hazeFrom    float64 // y where haze begins
	hazeTo      float64
	side        float64 // -1 = light from the left, 1 = from the right
	seed        uint32
	grain       float64
}

func (c *Canvas) mountain(edge []float64, k mountain) {
	relief := newField(c.W, c.H, 3, func(x, y float64) float64 {
		// creases run down from the crest
		i := int(clamp(x, 0, float64(c.W-1)))
		d := math.Max(y-edge[i], 0)
		return ridged(k.seed, (x+d*0.35)/k.grain, (y-edge[i]*0.3)/(k.grain*1.25), 6)
	})
	c.below(edge, func(x, y float64) rgb {
		r := relief.at(x, y)
		slope := (relief.at(x+7*k.side, y) - r) * 5.5
		// large forms follow the skyline
		i := int(x)
		j := int(clamp(x+36*k.side, 0, float64(c.W-1)))
		slope += (edge[j] - edge[i]) / 130 * 0.55
		light := clamp(0.52+slope*0.9, 0, 1)
		p := mix(k.shade, k.rock, light).times(0.8 + 0.4*r)
		snow := step(30, -70, y-k.snowline+260*(r-0.5)-150*(light-0.5))
		p = mix(p, mix(k.blue, k.snow, step(0.2, 0.62, light)), snow)
		return mix(p, k.haze, 0.9*step(k.hazeFrom, k.hazeTo, y))
	})
}

// firs raises an edge by a row of conifers, seen as outlines.
func firs(rng *rand.Rand, edge []float64, low, high, spacing float64) []float64 {
	out := make([]float64, len(edge))
	copy(out, edge)
	for x := -high; x < float64(len(edge))+high; x += spacing * (0.35 + 1.3*rng.Float64()) {
		h := lerp(low, high, math.Pow(rng.Float64(), 1.6))
		half := h * (0.15 + 0.07*rng.Float64())
		teeth := 7 + rng.Float64()*5
		phase := rng.Float64()
		for i := max(0, int(x-half)); i < min(len(edge), int(x+half)+1); i++ {
			d := math.Abs(float64(i)-x) / half
			if d > 1 {
				continue
			}
			// branches: the outline is a saw that gets finer towards the tip
			saw := math.Mod((1-d)*teeth+phase, 1) * 0.1
			top := edge[min(max(int(x), 0), len(edge)-1)] - h*(1-math.Pow(d, 0.82)+saw*d-0.02)
			out[i] = math.Min(out[i], top)
		}
	}
	return out
}

// crowns raises an edge by round trees and bushes.
func crowns(rng *rand.Rand, edge []float64, low, high, spacing float64) []float64 {
	out := make([]float64, len(edge))
	copy(out, edge)
	for x := -high; x < float64(len(edge))+high; x += spacing * (0.3 + 1.4*rng.Float64()) {
		h := lerp(low, high, rng.Float64()*rng.Float64())
		half := h * (0.5 + 0.35*rng.Float64())
		seed := rng.Uint32()
		for i := max(0, int(x-half)); i < min(len(edge), int(x+half)+1); i++ {
			d := (float64(i) - x) / half
			bump := 0.16 * (fractal(seed, float64(i)/(h*0.16), 0, 3) - 0.5)
			top := edge[min(max(int(x), 0), len(edge)-1)] - h*(math.Sqrt(math.Max(1-d*d, 0))+bump)
			out[i] = math.Min(out[i], top)
		}
	}
	return out
}

// meadow is grass that runs from a far line to the viewer: blades are drawn one
// by one, the near ones long and clear.
func (c *Canvas) meadow(rng *rand.Rand, edge []float64, far, near rgb, blades int, tall float64) {
	_, h := c.size()
	top := h
	for _, e := range edge {
		top = math.Min(top, e)
	}
	seed := rng.Uint32()
	patch := newField(c.W, c.H, 4, func(x, y float64) float64 {
		d := 0.25 + 2.2*clamp((y-top)/(h-top), 0, 1)
		return fractal(seed, x/(130*d), y/(38*d), 5) - 0.5
	})
	c.below(edge, func(x, y float64) rgb {
		d := clamp((y-edge[int(x)])/(h-top), 0, 1)
		return mix(far, near, d).times(1 + 0.75*patch.at(x, y))
	})
	for i := range blades {
		d := math.Sqrt(float64(i) / float64(blades)) // far ones first
		x := rng.Float64() * float64(c.W)
		e := edge[min(int(x), c.W-1)]
		y := e + (h*1.03-e)*d
		l := tall * (0.12 + d*d) * (0.5 + rng.Float64())
		lean := (rng.Float64() - 0.35) * l * 0.7
		tone := mix(far, near, d).times(0.72 + 0.75*rng.Float64())
		c.draw(line([]pt{{x, y}, {x + lean*0.35, y - l*0.6}, {x + lean, y - l}}, taper(0.8+2.6*d*d, 0.5)), flat(tone))
	}
}
