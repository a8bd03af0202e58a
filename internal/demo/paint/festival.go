package paint

import (
	"math"
	"math/rand/v2"
)

// SummerFestival is a lake shore in the blue hour with strings of paper lanterns.
func SummerFestival() (Image, error) {
	c := newCanvas(2400, 1600)
	fw, fh := c.size()
	shore := 0.60 * fh
	c.sky(shore, ramp{{0, hex(0x16224A)}, {0.5, hex(0x3B4A80)}, {0.8, hex(0x9A6F8E)}, {1, hex(0xE6A07A)}})
	rng := random(1101)
	c.stars(rng, shore*0.5, 160)
	back := c.skyline(1102, 0.55*fh, 0.035*fh, 600, 5, true)
	c.hill(back, hill{crest: hex(0x3E3F66), foot: hex(0x7A5F7C), depth: 120, rough: 0.1, grain: 40, seed: 1})
	wood := crowns(rng, c.skyline(1103, 0.592*fh, 6, 400, 3, false), 20, 70, 20)
	c.hill(wood, hill{crest: hex(0x1E2340), foot: hex(0x2A2440), depth: 50, rough: 0.2, grain: 12, seed: 2})
	for range 46 {
		x := rng.Float64() * fw
		c.glow(x, shore-6-16*rng.Float64(), 9, hex(0xFFD48A), 0.9)
	}
	c.lake(lake{from: int(shore), to: int(0.80 * fh), tint: hex(0x16183A), dark: 0.1, near: 0.35, ripple: 0.9, seed: 1104, glint: hex(0xFFE0B0)})
	grass := crowns(rng, c.skyline(1105, 0.79*fh, 10, 900, 3, false), 3, 16, 4)
	c.hill(grass, hill{crest: hex(0x1B2A22), foot: hex(0x0E1714), depth: 260, rough: 0.5, grain: 10, seed: 3})
	tones := []uint32{0xFFB347, 0xFF6F61, 0xFFE08A, 0xE86AA6, 0x7CC7E8, 0x9BD67A}
	for row := range 4 {
		t := float64(row)
		a := pt{-60, fh * (0.08 + 0.075*t)}
		b := pt{fw + 60, fh * (0.03 + 0.11*t)}
		sag := 170 + 26*t
		at := func(u float64) pt { return pt{lerp(a.x, b.x, u), lerp(a.y, b.y, u) + sag*4*u*(1-u)} }
		var wire []pt
		for i := range 41 {
			wire = append(wire, at(float64(i)/40))
		}
		c.draw(line(wire, thick(3)), flat(hex(0x0E1020)))
		n := 8 + row
		for i := range n {
			u := (float64(i) + 0.5 + 0.2*(rng.Float64()-0.5)) / float64(n)
			p := at(u)
			c.lantern(p.x, p.y+62-8*t, 62-10*t, hex(tones[(i*3+row)%len(tones)]), rng.Uint32())
		}
	}
	for i := range 7 { // stalls and tables on the grass
		x := fw * (0.07 + 0.145*float64(i))
		c.stall(x, 0.895*fh+30*math.Sin(float64(i)*2.3), 250, hex(tones[i%len(tones)]))
	}
	c.crowd(rng, 0.985*fh)
	return c.photo(film{grain: 0.03, vignette: 0.28, seed: 30})
}

func (c *Canvas) lantern(x, y, r float64, tone rgb, seed uint32) {
	c.glow(x, y, r*2.3, tone, 0.42)
	c.draw(line([]pt{{x, y - r*1.15}, {x, y - r*0.9}}, thick(3)), flat(hex(0x0E1020)))
	c.draw(ellipse(x, y, r, r*0.92), func(px, py float64) rgb {
		u, v := (px-x)/r, (py-y)/(r*0.92)
		d := u*u + v*v
		rib := 0.93 + 0.08*math.Cos(v*28)
		return mix(tone.times(0.82), rgb{1, 0.97, 0.84}, 0.85*math.Exp(-d*2.2)).times(rib * (1.06 - 0.25*d) * (0.97 + 0.06*noise(seed, px/5, py/5)))
	})
	for _, s := range []float64{-1, 1} {
		c.draw(rect(x-r*0.3, y+s*r*0.88-r*0.06, r*0.6, r*0.12), flat(hex(0x2A1E1A)))
	}
}

func (c *Canvas) stall(x, y, w float64, tone rgb) {
	h := w * 0.62
	c.glow(x, y-h*0.3, w*0.62, hex(0xFFC97A), 0.5)
	c.draw(rect(x-w*0.4, y-h*0.62, w*0.8, h*0.62), down(y-h*0.62, y, ramp{{0, hex(0xFFE2A6)}, {0.55, hex(0xD08A45)}, {1, hex(0x4A2A1C)}}))
	for i := range 9 {
		c.ball(ball{x: x - w*0.34 + float64(i)*w*0.085, y: y - h*0.33, r: w * 0.03, light: pt{0, -0.6}, gloss: 0.2, skin: flat(mix(tone, hex(0xD94F2E), lattice(3, int32(i), 2)))})
	}
	c.draw(rect(x-w*0.44, y-h*0.30, w*0.88, h*0.30), down(y-h*0.3, y, ramp{{0, hex(0x7A4A2A)}, {1, hex(0x24160F)}}))
	for i := range 8 {
		p := hex(0xF4EDE0)
		if i%2 == 0 {
			p = tone
		}
		a := x - w*0.5 + w*float64(i)/8
		top := func(v float64) float64 { return lerp(v, x, 0.16) }
		c.draw(polygon(pt{top(a), y - h}, pt{top(a + w/8), y - h}, pt{a + w/8, y - h*0.66}, pt{a + w/16, y - h*0.60}, pt{a, y - h*0.66}), down(y-h, y-h*0.6, ramp{{0, p.times(0.6)}, {1, p.times(0.98)}}))
	}
}

// crowd is a row of people seen as outlines against the light.
func (c *Canvas) crowd(rng *rand.Rand, foot float64) {
	fw, _ := c.size()
	for x := 30.0; x < fw; x += 46 + 80*rng.Float64() {
		h := 150 + 46*rng.Float64()
		y := foot + 26*rng.Float64()
		p := blob(pt{x - h*0.13, y}, pt{x - h*0.15, y - h*0.55}, pt{x - h*0.10, y - h*0.74}, pt{x, y - h*0.79}, pt{x + h*0.10, y - h*0.74}, pt{x + h*0.15, y - h*0.55}, pt{x + h*0.13, y})
		p.with(ellipse(x+h*0.01, y-h*0.90, h*0.075, h*0.095), rect(x-h*0.11, y-4, h*0.22, 90))
		c.draw(p, down(y-h, y, ramp{{0, hex(0x3A2430)}, {0.25, hex(0x1A141F)}, {1, hex(0x0A0A10)}}))
		if rng.Float64() < 0.2 {
			c.draw(line([]pt{{x + h*0.12, y - h*0.6}, {x + h*0.2, y - h*0.86}}, taper(h*0.07, h*0.05)), flat(hex(0x1A141F)))
		}
	}
}

// Fireworks burst over a lake.
func Fireworks() (Image, error) {
	c := newCanvas(2000, 1333)
	fw, fh := c.size()
	shore := 0.70 * fh
	c.sky(shore, ramp{{0, hex(0x050714)}, {0.7, hex(0x141B38)}, {1, hex(0x3A3048)}})
	rng := random(1201)
	smoke := newField(c.W, c.H, 5, func(x, y float64) float64 { return fractal(1202, x/300, y/220, 5) })
	c.change(0, int(shore), func(x, y float64, was rgb) rgb {
		return was.plus(hex(0x5A3A4A).times(0.5 * step(0.5, 0.75, smoke.at(x, y))))
	})
	for _, b := range []struct {
		x, y, r float64
		tone    uint32
		kind    int
	}{{0.30, 0.26, 330, 0xFFC65A, 1}, {0.66, 0.20, 280, 0xFF5A5A, 0}, {0.52, 0.42, 190, 0x6AD0FF, 0}, {0.84, 0.40, 210, 0x9CF08A, 1}, {0.12, 0.46, 150, 0xE88AF0, 0}} {
		c.burst(rng, b.x*fw, b.y*fh, b.r, hex(b.tone), b.kind)
	}
	town := crowns(rng, c.skyline(1203, shore-4, 8, 400, 3, false), 14, 60, 18)
	c.hill(town, hill{crest: hex(0x0B0D18), foot: hex(0x14121E), depth: 40, rough: 0.1, grain: 10, seed: 1})
	for range 60 {
		c.glow(rng.Float64()*fw, shore-3-22*rng.Float64(), 6, hex(0xFFD690), 0.9)
	}
	c.lake(lake{from: int(shore), to: c.H, tint: hex(0x060814), dark: 0.05, near: 0.4, ripple: 1.5, seed: 1204, glint: hex(0xFFFFFF)})
	return c.photo(film{grain: 0.028, vignette: 0.25, seed: 31})
}

func (c *Canvas) burst(rng *rand.Rand, x, y, r float64, tone rgb, kind int) {
	_, fh := c.size()
	c.draw(line(spline([]pt{{x + 26, fh * 0.69}, {x + 14, lerp(fh*0.69, y, 0.5)}, {x, y}}, false), taper(1, 3)), flat(tone.times(0.32)))
	c.glow(x, y, r*1.5, tone, 0.24)
	c.glow(x, y, r*0.4, rgb{1, 0.95, 0.85}, 0.55)
	const n = 110
	for range n {
		a := rng.Float64() * 2 * math.Pi
		reach := r * math.Sqrt(1-math.Pow(rng.Float64()*2-1, 2)) * (0.86 + 0.2*rng.Float64())
		drop := reach * 0.14
		if kind == 1 {
			drop = reach * 0.42
		}
		s, k := math.Sincos(a)
		at := func(t float64) pt { return pt{x + reach*k*t, y + reach*s*t + drop*t*t} }
		var trail []pt
		for i := range 9 {
			trail = append(trail, at(0.16+0.84*float64(i)/8))
		}
		p := mix(tone, rgb{1, 1, 0.92}, 0.35*rng.Float64())
		c.draw(line(trail, taper(1.2, 3.6)), func(px, py float64) rgb {
			return mix(p.times(0.55), p, math.Hypot(px-x, py-y)/r)
		})
		end := at(1)
		c.glow(end.x, end.y, 9, p, 0.9)
	}
}
