package paint

import "math"

// ForestPath is a path through a beech wood with rays of light. The camera was
// held upright, so the file lies on its side and says so in its EXIF block.
func ForestPath() (Image, error) {
	c := newCanvas(1800, 2400)
	fw, fh := c.size()
	c.fill(func(x, y float64) rgb {
		d := math.Hypot((x-0.54*fw)/fw, (y-0.36*fh)/fh*1.1)
		return ramp{{0, hex(0xFFFBDD)}, {0.16, hex(0xE9F0AE)}, {0.4, hex(0x9DBB5C)}, {0.8, hex(0x3E5F2B)}}.at(d)
	})
	leaves := newField(c.W, c.H, 3, func(x, y float64) float64 { return fractal(801, x/150, y/120, 6) })
	c.change(0, int(0.7*fh), func(x, y float64, was rgb) rgb {
		n := leaves.at(x, y)
		return mix(was, was.times(0.55+1.1*n), 0.8*step(0.05, 0.4, math.Hypot((x-0.54*fw)/fw, (y-0.36*fh)/fh)))
	})
	rng := random(802)
	floor := 0.58 * fh
	path := func(t float64) (mid, half float64) { // t = 0 far, 1 near
		return fw * (0.54 + 0.07*math.Sin(t*4.2)*(1-t) - 0.06*t), fw * (0.018 + 0.27*t*t)
	}
	litter := newField(c.W, c.H, 3, func(x, y float64) float64 {
		d := 0.3 + 1.6*clamp((y-floor)/(fh-floor), 0, 1)
		return fractal(803, x/(60*d), y/(22*d), 5)
	})
	c.change(int(floor), c.H, func(x, y float64, _ rgb) rgb {
		t := (y - floor) / (fh - floor)
		mid, half := path(t)
		n := litter.at(x, y)
		moss := mix(hex(0xA9BF62), hex(0x33491F), t).times(0.6 + 0.8*n)
		earth := mix(hex(0xE6CFA0), hex(0x8A6540), t).times(0.68 + 0.62*n)
		p := mix(earth, moss, step(0.8, 1.25, math.Abs(x-mid)/half+0.5*(n-0.5)))
		dapple := step(0.52, 0.64, fractal(804, x/(90+240*t), y/(26+60*t), 3))
		return mix(p.times(0.82), p.times(1.45).plus(rgb{0.06, 0.05, 0}), dapple*0.75).times(1 + 0.05*speck(805, int(x), int(y)))
	})
	for i := range 46 {
		t := pow2(float64(i) / 45)
		side := 1.0
		if i%2 == 0 {
			side = -1
		}
		mid, half := path(t * 0.82)
		x := mid + side*(half*1.5+fw*(0.02+0.30*rng.Float64())*(0.35+0.75*t))
		c.beech(rng.Uint64(), x, floor+(fh-floor)*t*0.82+8, fw*(0.010+0.070*t)*(0.8+0.4*rng.Float64()), t)
	}
	for range 9 { // rays
		a := 0.35 + 0.9*rng.Float64()
		l := fh * (0.6 + 0.35*rng.Float64())
		x := 0.54*fw + 120*(rng.Float64()-0.5) + fw*0.55*(rng.Float64()-0.62)
		w := 26 + 70*rng.Float64()
		c.wash(polygon(pt{x, 0}, pt{x + w, 0}, pt{x + w*2.2 - l*0.24*a, l}, pt{x - l*0.24*a - w, l}), flat(hex(0xFFF6C4)), 0.13, 26)
	}
	for range 5200 { // leaves of the crowns, out of focus far away
		x, y := rng.Float64()*fw, math.Pow(rng.Float64(), 1.7)*0.5*fh
		d := math.Hypot((x-0.54*fw)/fw, (y-0.36*fh)/fh)
		r := 5 + 15*rng.Float64()*clamp(d*1.6, 0.2, 1)
		tone := mix(hex(0xD9E88A), hex(0x3A6A22), clamp(d*1.25+0.5*(rng.Float64()-0.5), 0, 1))
		q := pt{r, 0}.turn(rng.Float64() * 3)
		c.stamp(c.mask(line([]pt{{x - q.x, y - q.y}, {x, y}, {x + q.x, y + q.y}}, func(t float64) float64 { return r * 1.1 * math.Sin(math.Pi*(0.08+0.84*t)) }), 0), flat(tone), 0.85*step(0.04, 0.3, d))
	}
	c.glow(0.54*fw, 0.34*fh, 420, hex(0xFFF7CC), 0.34)
	return onItsSide(c.develop(film{grain: 0.016, vignette: 0.26, seed: 13}))
}

// beech is a smooth trunk with light on one side; near ones are dark and sharp.
func (c *Canvas) beech(seed uint64, x, foot, w, near float64) {
	rng := random(seed)
	bend := w * (rng.Float64() - 0.5) * 1.6
	trunk := []pt{{x, foot}, {x + bend*0.5, foot * 0.6}, {x + bend, foot * 0.3}, {x + bend*0.7, -20}}
	p := line(spline(trunk, false), func(t float64) float64 { return w * (1 + 0.7*math.Exp(-t*26)) * (1 - 0.35*t) })
	dark, lit := mix(hex(0xA3AF78), hex(0x241F17), near), mix(hex(0xD5D9A0), hex(0x8C7F60), near)
	bark := uint32(seed) //nolint:gosec // a seed
	c.draw(p, func(px, py float64) rgb {
		u := clamp((px-x-bend*0.6+w*0.6)/(w*1.2), 0, 1)
		n := noise(bark, px/6, py/46)
		return mix(dark, lit, 0.75*bell(u, 0.78, 0.34)*(0.6+0.8*n)).times(0.86 + 0.28*n)
	})
	for range 3 {
		y := foot * (0.08 + 0.4*rng.Float64())
		side := rng.Float64() - 0.5
		c.draw(line([]pt{{x + bend*0.6, y}, {x + bend + side*w*6, y - w*2.2}, {x + bend + side*w*11, y - w*2.8}}, taper(w*0.3, w*0.06)), flat(mix(dark, lit, 0.2)))
	}
}

// Windmill is a mill behind rows of tulips.
func Windmill() (Image, error) {
	c := newCanvas(2000, 1333)
	fw, fh := c.size()
	horizon := 0.58 * fh
	c.sky(horizon, ramp{{0, hex(0x5F9FD6)}, {0.7, hex(0xBFDDF0)}, {1, hex(0xF8F1DF)}})
	c.clouds(horizon, cloudCover{seed: 851, amount: 0.6, soft: 0.15, light: hex(0xFFFFFF), dim: hex(0xA7B8CB), sun: pt{0.1 * fw, 0}, scale: 0.9, low: 0.1})
	rng := random(852)
	far := crowns(rng, c.skyline(853, horizon, 8, 500, 3, false), 12, 40, 16)
	c.hill(far, hill{crest: hex(0x88A878), foot: hex(0x6C9460), depth: 40, rough: 0.3, grain: 14, seed: 3})
	tones := []uint32{0xD7263D, 0xF4B400, 0xE8557F, 0xF3EFE6, 0x8E3BA0, 0xF2742B}
	gone := pt{0.63 * fw, horizon - 4} // where all rows meet
	c.change(int(horizon)+6, c.H, func(x, y float64, _ rgb) rgb {
		t := (y - gone.y) / (fh - gone.y)
		u := (x - gone.x) / (t * 150)
		row := math.Floor(u)
		f := u - row
		n := noise(855, x/(2+9*t), y/(1.5+7*t))
		if f < 0.22 {
			return mix(hex(0x5E8A3A), hex(0x47351F), 0.35+0.5*n)
		}
		tone := hex(tones[((int(row)%6)+6)%6])
		leaf := step(0.42, 0.6, noise(856, x/(1.6+8*t), y/(2.4+12*t)))
		shade := 0.66 + 0.5*math.Sin((f-0.22)/0.78*math.Pi)*(0.6+0.6*n)
		return mix(hex(0x3F7A2E).times(0.7+0.6*n), tone, 0.35+0.65*leaf).times(shade + 0.12)
	})
	c.mill(0.33*fw, horizon+18, 0.46*fh)
	return c.photo(film{grain: 0.012, vignette: 0.14, seed: 14})
}

func (c *Canvas) mill(x, foot, h float64) {
	body := func(tone rgb, r float64) shader {
		return across(x-r, x+r, ramp{{0, tone.times(1.05)}, {0.3, tone}, {0.75, tone.times(0.68)}, {1, tone.times(0.5)}})
	}
	c.wash(ellipse(x+h*0.16, foot+4, h*0.34, h*0.03), flat(hex(0x2E3F1E)), 0.5, 8)
	c.draw(polygon(pt{x - h*0.19, foot}, pt{x + h*0.19, foot}, pt{x + h*0.15, foot - h*0.24}, pt{x - h*0.15, foot - h*0.24}), body(hex(0x9C5A3C), h*0.18))
	c.draw(polygon(pt{x - h*0.155, foot - h*0.24}, pt{x + h*0.155, foot - h*0.24}, pt{x + h*0.095, foot - h*0.70}, pt{x - h*0.095, foot - h*0.70}), body(hex(0x6E5B48), h*0.15))
	c.draw(rect(x-h*0.23, foot-h*0.262, h*0.46, h*0.022), body(hex(0xE9E2D2), h*0.23))
	for i := range 12 {
		c.draw(rect(x-h*0.225+float64(i)*h*0.0406, foot-h*0.31, h*0.006, h*0.05), flat(hex(0xD8D0BE)))
	}
	c.draw(rect(x-h*0.23, foot-h*0.315, h*0.46, h*0.008), flat(hex(0xE9E2D2)))
	c.draw(blob(pt{x - h*0.115, foot - h*0.69}, pt{x - h*0.085, foot - h*0.80}, pt{x + h*0.03, foot - h*0.835}, pt{x + h*0.12, foot - h*0.76}, pt{x + h*0.11, foot - h*0.69}), body(hex(0x4F5A4A), h*0.12))
	c.draw(rounded(x-h*0.035, foot-h*0.15, h*0.07, h*0.15, 6), flat(hex(0x2F5B3A)))
	for i := range 2 {
		c.draw(rect(x-h*0.022, foot-h*(0.42+0.15*float64(i)), h*0.044, h*0.06), flat(hex(0xF2EEE2)))
		c.draw(rect(x-h*0.016, foot-h*(0.414+0.15*float64(i)), h*0.032, h*0.047), flat(hex(0x34424C)))
	}
	hub := pt{x - h*0.06, foot - h*0.75}
	for i := range 4 {
		a := 0.45 + float64(i)*math.Pi/2
		at := func(u, v float64) pt { return hub.plus(pt{u * h, v * h}.turn(a)) }
		c.stamp(c.mask(polygon(at(0.07, 0.006), at(0.47, 0.006), at(0.47, 0.085), at(0.07, 0.085)), 0), flat(hex(0xEFE6D2)), 0.86)
		for j := range 14 {
			u := 0.07 + 0.4*float64(j)/13
			c.draw(line([]pt{at(u, 0), at(u, 0.085)}, thick(2)), flat(hex(0x7A6A55)))
		}
		for _, v := range []float64{0.03, 0.058, 0.085} {
			c.draw(line([]pt{at(0.07, v), at(0.47, v)}, thick(2)), flat(hex(0x7A6A55)))
		}
		c.draw(line([]pt{hub, at(0.49, 0)}, taper(h*0.016, h*0.009)), flat(hex(0x4B3B2E)))
	}
	c.draw(ellipse(hub.x, hub.y, h*0.018, h*0.018), flat(hex(0x33281F)))
}
