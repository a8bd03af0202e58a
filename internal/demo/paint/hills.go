package paint

// mistyHills is a row of wooded ridges, one paler than the other, before sunrise.
func mistyHillsCanvas(w, h int, seed uint64) *Canvas {
	c := newCanvas(w, h)
	fw, fh := c.size()
	k := fh / 1600
	c.sky(0.62*fh, ramp{{0, hex(0x8FB3D1)}, {0.45, hex(0xC9D3DA)}, {0.8, hex(0xF6DFC2)}, {1, hex(0xFBE8CF)}})
	c.sun(0.34*fw, 0.34*fh, 40*k, hex(0xFFE0A8))
	c.clouds(0.6*fh, cloudCover{seed: uint32(seed) + 3, amount: 0.42, soft: 0.34, light: hex(0xFFF3E0), dim: hex(0xC7C3CC), sun: pt{0.34 * fw, 0.34 * fh}, scale: 0.6, low: 0.3}) //nolint:gosec // small seeds
	rng := random(seed)
	far, near := hex(0xC3CBD0), hex(0x1F3A34)
	const rows = 7
	for i := range rows {
		t := float64(i) / (rows - 1)
		base := lerp(0.45, 0.98, t*t*0.55+t*0.45) * fh
		edge := c.skyline(uint32(i)*17+uint32(seed), base, lerp(0.045, 0.085, t)*fh, lerp(640, 900, t)*k, 4, false) //nolint:gosec // small seeds
		if i > 1 {
			edge = firs(rng, edge, lerp(8, 46, t)*k, lerp(18, 150, t*t)*k, lerp(5, 26, t)*k)
		}
		tone := mix(far, near, t)
		c.hill(edge, hill{
			crest: tone, foot: mix(tone, hex(0xF4E7D6), 0.75-0.35*t), depth: lerp(170, 420, t) * k,
			rough: 0.05 + 0.22*t, grain: lerp(60, 26, t) * k, seed: uint32(i),
		})
		if i < rows-1 { // mist lies in the valley between this ridge and the next
			y := base + lerp(0.055, 0.085, t)*fh
			c.wash(ellipse(fw*lerp(0.3, 0.7, rng.Float64()), y, fw*0.62, 26*k+40*k*t), flat(hex(0xFBF0E2)), 0.5, 34*k)
		}
	}
	return c
}

// MistyHills is a row of wooded ridges in the morning.
func MistyHills() (Image, error) {
	return mistyHillsCanvas(2400, 1600, 71).photo(film{grain: 0.016, vignette: 0.18, seed: 2})
}

// WideHeader is the same kind of view cut for the head of a web page.
func WideHeader() (Image, error) {
	return mistyHillsCanvas(3000, 900, 88).photo(film{grain: 0.012, vignette: 0.1, seed: 3})
}

// FlowerMeadow is a spring meadow with poppies and daisies under a wide sky.
func FlowerMeadow() (Image, error) {
	c := newCanvas(2400, 1600)
	fw, fh := c.size()
	horizon := 0.5 * fh
	c.sky(horizon, ramp{{0, hex(0x2F79C2)}, {0.6, hex(0x86BCE6)}, {1, hex(0xDDEEF4)}})
	c.clouds(horizon, cloudCover{seed: 103, amount: 0.62, soft: 0.13, light: hex(0xFFFFFF), dim: hex(0xA9BCD0), sun: pt{0.2 * fw, -0.3 * fh}, scale: 0.85, low: 0.12})
	rng := random(104)
	for i, tone := range []uint32{0xA3BFC9, 0x7DA394, 0x5F8F62} {
		t := float64(i)
		edge := c.skyline(uint32(110+i), horizon-(34-20*t), 40-8*t, 520, 4, false)
		if i > 0 {
			edge = crowns(rng, edge, 10+8*t, 34+20*t, 16+16*t)
		}
		c.hill(edge, hill{crest: hex(tone), foot: hex(tone).times(0.82), depth: 60, rough: 0.3, grain: 16, seed: 5})
	}
	c.meadow(rng, c.skyline(120, horizon+16, 14, 900, 3, false), hex(0x8DB25A), hex(0x3E7326), 5200, 150)
	for i := range 520 { // far flowers first
		d := float64(i) / 520
		d *= d
		c.flower(rng.Uint64(), rng.Float64()*fw, horizon+26+(fh*1.02-horizon)*d, 2.5+46*d, rng.IntN(9))
	}
	return c.photo(film{grain: 0.012, vignette: 0.16, seed: 4})
}

// flower is a poppy, a daisy or a cornflower, depending on kind.
func (c *Canvas) flower(seed uint64, x, y, r float64, kind int) {
	rng := random(seed)
	if r > 9 {
		c.draw(line([]pt{{x + r*0.3, y + r*4}, {x + r*0.1, y + r*1.5}, {x, y}}, taper(r*0.14, r*0.09)), flat(hex(0x4C7A2C)))
	}
	switch {
	case kind < 5:
		red := mix(hex(0xD7261E), hex(0xF0512D), rng.Float64())
		for i := range 4 {
			q := pt{r * 0.42, 0}.turn(float64(i)*1.57 + rng.Float64())
			p := pt{x + q.x, y + q.y*0.62}
			c.draw(ellipse(p.x, p.y, r*0.72, r*0.56), down(p.y-r*0.6, p.y+r*0.6, ramp{{0, red.times(1.08)}, {1, red.times(0.72)}}))
		}
		c.draw(ellipse(x, y+r*0.05, r*0.22, r*0.17), flat(hex(0x231A1D)))
	case kind < 8:
		for i := range 13 {
			q := pt{r * 0.62, 0}.turn(float64(i)*0.483 + rng.Float64()*0.1)
			c.draw(line([]pt{{x + q.x*0.3, y + q.y*0.2}, {x + q.x, y + q.y*0.66}}, taper(r*0.12, r*0.25)), flat(mix(hex(0xFFFFFF), hex(0xDFE4EA), rng.Float64())))
		}
		c.draw(ellipse(x, y, r*0.27, r*0.2), down(y-r*0.2, y+r*0.2, ramp{{0, hex(0xFFD84A)}, {1, hex(0xD99A1C)}}))
	default:
		for i := range 9 {
			q := pt{r * 0.55, 0}.turn(float64(i)*0.7 + rng.Float64()*0.2)
			c.draw(line([]pt{{x, y}, {x + q.x, y + q.y*0.7}}, taper(r*0.08, r*0.3)), flat(mix(hex(0x3D5BD0), hex(0x6C8BF0), rng.Float64())))
		}
		c.draw(ellipse(x, y, r*0.2, r*0.16), flat(hex(0x3A2E7A)))
	}
}
