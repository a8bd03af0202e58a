package paint

import "math"

// WinterForest is a snowy clearing with long blue shadows.
func WinterForest() (Image, error) {
	c := newCanvas(2400, 1600)
	fw, fh := c.size()
	horizon := 0.60 * fh
	c.sky(horizon, ramp{{0, hex(0x86ABD6)}, {0.6, hex(0xC9D7E6)}, {1, hex(0xFBE6CB)}})
	sun := pt{0.74 * fw, 0.47 * fh}
	c.sun(sun.x, sun.y, 34, hex(0xFFE4B0))
	rng := random(701)
	for i := range 3 {
		t := float64(i) / 2
		edge := firs(rng, c.skyline(uint32(702+i), horizon-lerp(30, -8, t), 30, 600, 3, false), lerp(50, 110, t), lerp(130, 330, t), lerp(13, 34, t))
		tone := mix(hex(0xB7C4D4), hex(0x5C7488), t)
		c.hill(edge, hill{crest: mix(tone, hex(0xFFFFFF), 0.25), foot: mix(tone, hex(0xE8E6E6), 0.35), depth: 220, rough: 0.4, grain: 14, seed: uint32(i)})
	}
	ground := c.skyline(710, horizon+26, 26, 900, 3, false)
	drift := newField(c.W, c.H, 4, func(x, y float64) float64 {
		d := 0.3 + 2*clamp((y-horizon)/(fh-horizon), 0, 1)
		return fractal(711, x/(300*d), y/(70*d), 5)
	})
	c.below(ground, func(x, y float64) rgb {
		n := drift.at(x, y)
		light := clamp(0.55+(drift.at(x+10, y-3)-n)*-9, 0, 1)
		p := mix(hex(0x9DB5DA), hex(0xFDF6EC), light)
		return p.times(0.97 + 0.05*speck(712, int(x), int(y)))
	})
	for i, f := range []struct{ x, y, h float64 }{{0.60, 0.66, 0.30}, {0.44, 0.68, 0.36}, {0.87, 0.74, 0.50}, {0.27, 0.76, 0.52}, {0.08, 0.92, 0.82}} {
		x, y, h := f.x*fw, f.y*fh, f.h*fh
		away := pt{x - sun.x, (y - horizon) * 1.2}
		l := h * 0.9 / math.Hypot(away.x, away.y+90)
		tip := pt{x + away.x*l, y + (away.y+90)*l*0.45}
		c.wash(polygon(pt{x - h*0.17, y}, pt{x + h*0.17, y}, tip), flat(hex(0x6F8EC2)), 0.55, 9)
		c.snowyFir(uint64(720+i), x, y, h)
	}
	c.tracks(0.55 * fw)
	for range 500 {
		x, y, r := rng.Float64()*fw, rng.Float64()*fh, 1+3*rng.Float64()*rng.Float64()
		c.wash(ellipse(x, y, r, r), flat(hex(0xFFFFFF)), 0.55, 1)
	}
	return c.photo(film{grain: 0.012, vignette: 0.14, seed: 11})
}

// snowyFir is a fir in tiers with snow on each of them.
func (c *Canvas) snowyFir(seed uint64, x, y, h float64) {
	rng := random(seed)
	c.draw(rect(x-h*0.018, y-h*0.1, h*0.036, h*0.11), across(x-h*0.02, x+h*0.02, ramp{{0, hex(0x2B2522)}, {1, hex(0x6A5748)}}))
	const tiers = 9
	for i := range tiers {
		t := (float64(i) + 1) / tiers
		top, foot := y-h+h*0.86*math.Max(0, t-0.19), y-h+h*0.95*t
		half := h * 0.215 * math.Pow(t, 0.9) * (0.9 + 0.2*rng.Float64())
		var fringe, snow []pt
		const n = 18
		for j := range n + 1 {
			u := float64(j)/n*2 - 1
			sag := h * 0.018 * (rng.Float64() + 0.8*u*u)
			fringe = append(fringe, pt{x + u*half, foot + sag - h*0.02*(1-u*u)})
			snow = append(snow, pt{x + u*half*0.97, foot - h*0.012 - h*0.034*rng.Float64()*(1-0.6*math.Abs(u)) - h*0.02*(1-u*u)})
		}
		c.draw(polygon(append([]pt{{x, top}}, fringe...)...), across(x-half, x+half, ramp{{0, hex(0x16323A)}, {0.6, hex(0x27504C)}, {1, hex(0x3F6B5C)}}))
		c.draw(polygon(append([]pt{{x, top}}, snow...)...), across(x-half, x+half, ramp{{0, hex(0x93ABD2)}, {0.5, hex(0xD5E0F0)}, {0.8, hex(0xFFFAF0)}, {1, hex(0xFFF3DE)}}))
		for range 14 { // needles look out
			u := rng.Float64()*2 - 1
			v := rng.Float64()
			p := pt{x + u*half*v, lerp(top, foot, v)}
			c.draw(line([]pt{p, {p.x + u*h*0.012, p.y + h*0.016}}, taper(h*0.006, 1)), flat(hex(0x37594F)))
		}
	}
}

func (c *Canvas) tracks(x float64) {
	_, fh := c.size()
	for i := range 26 {
		t := pow2(float64(i) / 26)
		y := lerp(0.645, 1.02, t) * fh
		px := x + 190*math.Sin(t*3.1)*t - 210*t
		side := 1.0
		if i%2 == 0 {
			side = -1
		}
		r := 3 + 17*t
		p := ellipse(px+side*r*1.4, y, r, r*0.55)
		c.wash(p, flat(hex(0x7B97C6)), 0.8, 1+2*t)
		c.wash(ellipse(px+side*r*1.4, y-r*0.25, r*0.8, r*0.25), flat(hex(0x5E7DB2)), 0.5, 1+2*t)
	}
}

// SnowyValley is a wide valley between white mountains at noon.
func SnowyValley() (Image, error) {
	c := newCanvas(2000, 1333)
	fw, fh := c.size()
	c.sky(0.6*fh, ramp{{0, hex(0x2D6DB5)}, {0.6, hex(0x7FB2E0)}, {1, hex(0xCFE3F2)}})
	c.clouds(0.55*fh, cloudCover{seed: 751, amount: 0.36, soft: 0.2, light: hex(0xFFFFFF), dim: hex(0xC2D0E0), sun: pt{0.2 * fw, -100}, scale: 1, low: 0.2})
	for i := range 3 {
		t := float64(i) / 2
		edge := c.skyline(uint32(760+i*7), lerp(0.40, 0.56, t)*fh, lerp(0.16, 0.08, t)*fh, lerp(420, 620, t), 7, true)
		if i == 1 {
			for x := range edge { // a valley opens in the middle
				edge[x] += 0.15 * fh * bell(float64(x), 0.52*fw, 0.22*fw)
			}
		}
		c.mountain(edge, mountain{
			rock: hex(0x8D8A90), shade: hex(0x3F4E6E), snow: hex(0xFFFFFF), blue: hex(0x93AFD8),
			snowline: fh * 0.75, haze: hex(0xD9E6F2), hazeFrom: fh * lerp(0.42, 0.62, t), hazeTo: fh * lerp(0.62, 0.95, t), side: -1, seed: uint32(770 + i), grain: lerp(110, 150, t),
		})
	}
	rng := random(780)
	wood := firs(rng, c.skyline(781, 0.73*fh, 20, 500, 3, false), 26, 76, 12)
	c.hill(wood, hill{crest: hex(0x5F7A80), foot: hex(0x39535C), depth: 60, rough: 0.5, grain: 9, seed: 1})
	ground := c.skyline(782, 0.765*fh, 22, 700, 3, false)
	c.hill(ground, hill{crest: hex(0xF7FAFE), foot: hex(0xC5D6EC), depth: 300, rough: 0.05, grain: 90, seed: 5})
	c.hut(0.30*fw, 0.83*fh, 190)
	c.hut(0.43*fw, 0.80*fh, 120)
	return c.photo(film{grain: 0.01, vignette: 0.12, seed: 12})
}

// hut is a log hut under snow with a lit window.
func (c *Canvas) hut(x, y, w float64) {
	h := w * 0.42
	c.wash(polygon(pt{x, y}, pt{x + w, y}, pt{x + w*1.7, y + h*0.35}, pt{x + w*0.5, y + h*0.4}), flat(hex(0x8FA9D2)), 0.6, w*0.03)
	c.draw(rect(x, y-h, w, h), func(_, py float64) rgb {
		log := math.Abs(math.Sin((py - y) / h * 6 * math.Pi))
		return mix(hex(0x4A3226), hex(0x8E6443), log)
	})
	for i := range 2 {
		wx := x + w*(0.17+0.45*float64(i))
		c.draw(rect(wx, y-h*0.72, w*0.2, h*0.38), flat(hex(0x3A261D)))
		c.draw(rect(wx+w*0.015, y-h*0.68, w*0.17, h*0.30), down(y-h*0.7, y-h*0.3, ramp{{0, hex(0xFFD98A)}, {1, hex(0xF2A945)}}))
		c.draw(rect(wx+w*0.095, y-h*0.72, w*0.012, h*0.38), flat(hex(0x3A261D)))
	}
	c.draw(rect(x+w*0.72, y-h*2.05, w*0.09, h*0.8), across(x+w*0.72, x+w*0.81, ramp{{0, hex(0x6F6A68)}, {1, hex(0x9C9792)}}))
	c.draw(blob(pt{x + w*0.71, y - h*2.05}, pt{x + w*0.765, y - h*2.16}, pt{x + w*0.82, y - h*2.05}), flat(hex(0xFFFFFF)))
	c.draw(polygon(pt{x - w*0.1, y - h*0.93}, pt{x + w*0.16, y - h*1.9}, pt{x + w*0.86, y - h*1.9}, pt{x + w*1.1, y - h*0.93}), down(y-h*1.9, y-h*0.9, ramp{{0, hex(0xFFFFFF)}, {0.8, hex(0xDCE7F5)}, {1, hex(0xB7CBE6)}}))
	for i := range 3 { // smoke
		t := float64(i + 1)
		c.wash(ellipse(x+w*(0.78+0.06*t), y-h*(2.05+0.42*t), w*0.05*t, w*0.035*t), flat(hex(0xE9EEF4)), 0.6/t, w*0.03*t)
	}
}
