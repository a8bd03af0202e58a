package paint

import "math"

// Beach is a beach at noon: sand, foam, a parasol and its shadow.
func Beach() (Image, error) {
	c := newCanvas(2400, 1600)
	fw, fh := c.size()
	horizon := 0.40 * fh
	c.sky(horizon, ramp{{0, hex(0x2E86CF)}, {0.7, hex(0x9CCFEE)}, {1, hex(0xE4F3F6)}})
	c.clouds(horizon, cloudCover{seed: 204, amount: 0.5, soft: 0.16, light: hex(0xFFFFFF), dim: hex(0xB9CCDB), sun: pt{0.8 * fw, -200}, scale: 1.1, low: 0.2})
	c.sea(int(horizon), int(0.80*fh), hex(0x2C7FA8), hex(0x43B7B5), hex(0xF4FBFA), 205)
	cape := c.skyline(206, horizon+2, 0, 300, 3, false)
	for x := range cape {
		cape[x] -= 90*bell(float64(x), 0.06*fw, 0.2*fw)*(0.75+0.5*fractal(2, float64(x)/90, 0, 4)) - 8
	}
	c.hillUntil(cape, horizon+3, hex(0x6F8F7C), hex(0x55786B))
	shore := make([]float64, c.W) // where the water ends
	for x := range shore {
		t := float64(x) / fw
		shore[x] = fh * (0.70 + 0.09*math.Sin(t*2.6+0.4) + 0.035*(fractal(207, t*7, 0, 4)-0.5))
	}
	c.sand(shore)
	c.parasol(0.63*fw, 0.90*fh, 560)
	c.towel(0.50*fw, 0.90*fh)
	return c.photo(film{grain: 0.012, vignette: 0.14, seed: 6})
}

// hillUntil paints land that stands in water: flat at its foot.
func (c *Canvas) hillUntil(edge []float64, foot float64, light, dark rgb) {
	relief := newField(c.W, c.H, 3, func(x, y float64) float64 { return fractal(77, x/26, y/14, 4) })
	for y := 0.0; y < foot; y++ {
		for x, e := range edge {
			if a := y + 1 - e; a > 0 {
				c.blend(int(y)*c.W+x, mix(dark, light, relief.at(float64(x), y)*1.6-0.3), math.Min(a, 1))
			}
		}
	}
}

// sand lies below the water's edge: foam, a wet mirror, then dry grains.
func (c *Canvas) sand(shore []float64) {
	_, fh := c.size()
	dunes := newField(c.W, c.H, 4, func(x, y float64) float64 {
		d := 0.4 + 1.6*clamp((y-0.6*fh)/(0.4*fh), 0, 1)
		return fractal(211, x/(190*d), y/(42*d), 5) - 0.5
	})
	for y := int(0.5 * fh); y < c.H; y++ {
		for x := range c.W {
			d := float64(y) - shore[x]
			if d < -34 {
				continue
			}
			i := y*c.W + x
			lace := fractal(212, float64(x)/38, float64(y)/13, 4)
			if d < 0 {
				c.blend(i, hex(0xFAFEFD), step(-34, -6, d)*step(0.38, 0.56, lace)*0.95)
				continue
			}
			wet := 1 - step(20, 120, d+70*(lace-0.5))
			n := dunes.at(float64(x), float64(y))
			p := mix(hex(0xEBD6A8), hex(0xD9BC86), 0.5+1.1*n).times(1 + 0.07*speck(213, x/2, y/2))
			p = mix(p, mix(hex(0x9D8560), hex(0xB9C7BE), 0.5*bell(d, 30, 40)), wet*0.85)
			c.blend(i, p, 1)
			c.blend(i, hex(0xFDFEFC), (1-step(4, 18, d+30*(lace-0.55)))*0.95)
		}
	}
}

func (c *Canvas) parasol(x, y, size float64) {
	lean := 0.16
	top := pt{x + size*lean, y - size}
	c.wash(ellipse(x-size*0.42, y+size*0.05, size*0.55, size*0.11), flat(hex(0x7A6038)), 0.55, size*0.025)
	c.draw(line([]pt{{x, y + size*0.04}, top}, thick(size*0.022)), across(x-8, x+size*lean+10, ramp{{0, hex(0xFFFFFF)}, {1, hex(0xB9A88E)}}))
	c.wash(ellipse(x, y+size*0.035, size*0.05, size*0.016), flat(hex(0xB79A66)), 0.9, 3)
	const ribs = 8
	r := size * 0.58
	rim := func(t float64) pt { // along the front edge of the cloth, left to right
		a := math.Pi * (1 - t)
		q := pt{r * math.Cos(a), r*0.30 - r*0.08*math.Abs(math.Sin(t*ribs*math.Pi))}
		return top.plus(q.turn(lean))
	}
	apex := top.plus(pt{0, -r * 0.44}.turn(lean))
	curve := func(t float64) []pt { // from the rim up to the top
		var out []pt
		e := rim(t)
		for i := range 15 {
			s := float64(i) / 14
			bulge := pt{(t - 0.5) * 2 * r * 0.24, -r * 0.13}.turn(lean).times(math.Sin(s * math.Pi))
			out = append(out, e.to(apex, s).plus(bulge))
		}
		return out
	}
	for i := range ribs {
		a, b := float64(i)/ribs, float64(i+1)/ribs
		loop := curve(a)
		right := curve(b)
		for j := len(right) - 1; j >= 0; j-- {
			loop = append(loop, right[j])
		}
		for s := 1.0; s > 0; s -= 0.1 {
			loop = append(loop, rim(lerp(a, b, s)))
		}
		tone := hex(0xF7F3EA)
		if i%2 == 0 {
			tone = hex(0xE2492F)
		}
		light := 0.72 + 0.36*math.Sin(math.Pi*(0.18+0.72*(a+b)/2))
		c.draw(polygon(loop...), down(apex.y, top.y+r*0.3, ramp{{0, tone.times(light * 1.08)}, {0.75, tone.times(light * 0.92)}, {1, tone.times(light * 0.72)}}))
	}
	c.draw(ellipse(apex.x, apex.y-2, size*0.014, size*0.02), flat(hex(0xFFFFFF)))
}

func (c *Canvas) towel(x, y float64) {
	corner := func(u, v float64) pt { return pt{x - 430 + 300*u - 130*v + 40*u*v, y - 40 + 40*u + 130*v} }
	c.wash(polygon(corner(-0.02, 0.04), corner(1.03, 0.04), corner(1.03, 1.06), corner(-0.02, 1.06)), flat(hex(0x7A6038)), 0.6, 7)
	for i := range 11 {
		a, b := float64(i)/11, float64(i+1)/11
		tone := hex(0x2F6FB0)
		if i%2 == 1 {
			tone = hex(0xF4F1E6)
		}
		c.draw(polygon(corner(a, 0), corner(b, 0), corner(b, 1), corner(a, 1)), func(px, py float64) rgb {
			return tone.times(0.93 + 0.16*noise(9, px/34, py/13))
		})
	}
}

// SailingBoat is the sea in the evening with a boat against the light.
func SailingBoat() (Image, error) {
	c := newCanvas(2400, 1600)
	fw, fh := c.size()
	horizon := 0.56 * fh
	c.sky(horizon, ramp{{0, hex(0x3B3F73)}, {0.4, hex(0x9A5C86)}, {0.72, hex(0xE8825F)}, {1, hex(0xFFC766)}})
	sun := pt{0.42 * fw, 0.495 * fh}
	c.sun(sun.x, sun.y, 66, hex(0xFFB35C))
	c.clouds(horizon, cloudCover{seed: 305, amount: 0.55, soft: 0.2, light: hex(0xFFB27A), dim: hex(0x6A4468), sun: sun, scale: 0.8, low: 0.22})
	x, y := 0.615*fw, horizon+2
	dark := hex(0x2A1B2C)
	c.draw(blob(pt{x - 120, y - 34}, pt{x, y - 26}, pt{x + 150, y - 46}, pt{x + 96, y}, pt{x - 86, y}), flat(dark))
	c.draw(line([]pt{{x + 10, y - 20}, {x + 16, y - 420}}, taper(7, 4)), flat(dark))
	sail := ramp{{0, hex(0xFFD9A2)}, {0.5, hex(0xC9806A)}, {1, hex(0x6E4254)}}
	c.draw(polygon(append(spline([]pt{{x + 22, y - 410}, {x + 90, y - 230}, {x + 128, y - 76}}, false), pt{x + 20, y - 62})...), across(x, x+140, sail))
	c.draw(polygon(append(spline([]pt{{x + 8, y - 400}, {x - 66, y - 210}, {x - 132, y - 58}}, false), pt{x - 2, y - 56})...), across(x-150, x+10, sail))
	c.lake(lake{from: int(horizon), to: c.H, tint: hex(0x1C1B3B), dark: 0.12, near: 0.62, ripple: 1.25, seed: 306, glint: hex(0xFFE2A0), shine: pt{sun.x, 95}})
	for i := range 9 {
		gx, gy := fw*(0.72+0.022*float64(i%5)+0.01*float64(i)), fh*(0.16+0.018*float64(i*i%7))
		s := 16.0 + float64(i%3)*5
		c.draw(line(spline([]pt{{gx - s, gy - s*0.35}, {gx - s*0.4, gy - s*0.3}, {gx, gy}, {gx + s*0.5, gy - s*0.42}, {gx + s*1.1, gy - s*0.25}}, false), thick(3)), flat(dark))
	}
	return c.photo(film{grain: 0.02, vignette: 0.26, seed: 7})
}

// CoastPanorama is a very wide view of cliffs and a lighthouse at low tide.
func CoastPanorama() (Image, error) {
	c := newCanvas(4000, 1000)
	fw, fh := c.size()
	horizon := 0.47 * fh
	c.sky(horizon, ramp{{0, hex(0x5D93C4)}, {0.6, hex(0xAFCFE2)}, {1, hex(0xEFF0E4)}})
	c.clouds(horizon, cloudCover{seed: 404, amount: 0.66, soft: 0.18, light: hex(0xFFFFFF), dim: hex(0x93A6B8), sun: pt{0.75 * fw, -300}, scale: 0.7, low: 0.1})
	c.sea(int(horizon), c.H, hex(0x5A8CA3), hex(0x3C7F8C), hex(0xEAF4F1), 405)
	for i, f := range []struct{ left, right, tall float64 }{{0.52, 0.86, 0.16}, {0.66, 1.05, 0.31}} {
		edge := make([]float64, c.W)
		for x := range edge {
			t := float64(x) / fw
			rise := step(f.left, f.left+0.10, t) * (1 - step(f.right, f.right+0.02, t))
			edge[x] = horizon + 60*float64(i) + 6 - fh*f.tall*rise*(0.82+0.36*fractal(uint32(406+i), t*22, 0, 5))
			if rise < 0.01 {
				edge[x] = fh + 1
			}
		}
		c.cliff(edge, horizon+8+70*float64(i), uint32(410+i))
	}
	c.lighthouse(0.80*fw, horizon-0.215*fh, 0.21*fh)
	flats := make([]float64, c.W)
	for x := range flats {
		t := float64(x) / fw
		flats[x] = fh * (0.83 - 0.20*step(0.5, 0, t) + 0.10*step(0.55, 1, t) + 0.03*fractal(420, t*16, 0, 4))
	}
	c.sand(flats)
	return c.photo(film{grain: 0.012, vignette: 0.05, seed: 8})
}

func (c *Canvas) cliff(edge []float64, foot float64, seed uint32) {
	strata := newField(c.W, c.H, 3, func(x, y float64) float64 {
		return 0.55*ridged(seed, x/70, y/300, 4) + 0.45*fractal(seed+1, x/240, y/17, 4)
	})
	for y := 0.0; y < foot; y++ {
		for x, e := range edge {
			if y+1 <= e {
				continue
			}
			d := y - e
			p := mix(hex(0x8C7B62), hex(0xE2D6BC), strata.at(float64(x), y)*1.9-0.5)
			green := 1 - step(8, 34, d+50*(strata.at(float64(x)*1.3, y)-0.5))
			p = mix(p, hex(0x6F8E45).times(0.8+0.5*strata.at(float64(x), y*2)), green)
			c.blend(int(y)*c.W+x, p, clamp(y+1-e, 0, 1)*(1-0.25*step(foot-14, foot, y)))
		}
	}
}

func (c *Canvas) lighthouse(x, foot, h float64) {
	at := func(t float64) float64 { return lerp(h*0.085, h*0.055, t) }
	round := func(tone rgb, r float64) shader {
		return across(x-r, x+r, ramp{{0, tone.times(0.66)}, {0.45, tone.times(0.95)}, {0.75, tone.times(1.06)}, {1, tone.times(0.86)}})
	}
	for i := range 6 {
		a, b := float64(i)/6, float64(i+1)/6
		tone := hex(0xF4F1E8)
		if i%2 == 1 {
			tone = hex(0xC93A2E)
		}
		c.draw(polygon(pt{x - at(a), foot - h*0.78*a}, pt{x + at(a), foot - h*0.78*a}, pt{x + at(b), foot - h*0.78*b}, pt{x - at(b), foot - h*0.78*b}), round(tone, h*0.08))
	}
	y := foot - h*0.78
	c.draw(rect(x-h*0.075, y-h*0.02, h*0.15, h*0.022), round(hex(0x4A4A4F), h*0.075))
	c.draw(rect(x-h*0.045, y-h*0.13, h*0.09, h*0.11), round(hex(0xFFF2B8), h*0.05))
	for i := range 4 {
		c.draw(rect(x-h*0.045+float64(i)*h*0.0287, y-h*0.13, h*0.005, h*0.11), flat(hex(0x3C3C42)))
	}
	c.draw(blob(pt{x - h*0.06, y - h*0.128}, pt{x, y - h*0.20}, pt{x + h*0.06, y - h*0.128}), round(hex(0xB23328), h*0.06))
	c.glow(x, y-h*0.08, h*0.13, hex(0xFFF0B0), 0.45)
}
