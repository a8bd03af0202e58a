package paint

import (
	"image/png"
	"math"
)

// aged turns a canvas into an old print: one tone, scratches, a paper border.
func (c *Canvas) aged(seed uint32, light, dark rgb) {
	fw, fh := c.size()
	spots := newField(c.W, c.H, 5, func(x, y float64) float64 { return fractal(seed, x/260, y/260, 5) })
	c.change(0, c.H, func(x, y float64, was rgb) rgb {
		g := clamp(was.grey()*1.1-0.04, 0, 1)
		p := mix(dark, light, 0.06+0.86*smooth(g)*0.55+0.86*g*0.45)
		p = mix(p, light.times(0.92), 0.28*step(0.55, 0.8, spots.at(x, y)))
		edge := math.Min(math.Min(x, fw-x), math.Min(y, fh-y)) / fh
		return mix(light, p, 0.55+0.45*step(0.03, 0.2, edge+0.1*(spots.at(x, y)-0.5)))
	})
	rng := random(uint64(seed))
	for range 34 {
		a := pt{rng.Float64() * fw, rng.Float64() * fh}
		b := a.plus(pt{(rng.Float64() - 0.5) * 60, (rng.Float64()*2 - 1) * fh * 0.16})
		c.stamp(c.mask(line([]pt{a, a.to(b, 0.5).plus(pt{6 * rng.Float64(), 0}), b}, thick(1.2)), 0), flat(light), 0.5)
	}
	m := fh * 0.045
	paper := func(x, y float64) rgb { return light.times(1.03 + 0.03*noise(seed, x/3, y/3)) }
	c.draw(rect(0, 0, fw, m), paper)
	c.draw(rect(0, fh-m, fw, m), paper)
	c.draw(rect(0, 0, m, fh), paper)
	c.draw(rect(fw-m, 0, m, fh), paper)
}

// OldMountainPrint is the lake as somebody might have photographed it long ago.
func OldMountainPrint() (Image, error) {
	c := mountainLakeCanvas(1500, 1000)
	c.aged(1501, hex(0xF2E2C0), hex(0x3A2414))
	return c.photo(film{grain: 0.05, vignette: 0.12, seed: 40})
}

// OldStreet is a street with a tram, black and white.
func OldStreet() (Image, error) {
	c := newCanvas(1400, 1800)
	fw, fh := c.size()
	gone := pt{0.54 * fw, 0.56 * fh}
	c.sky(gone.y, ramp{{0, hex(0x9AA4AE)}, {1, hex(0xF2F2F0)}})
	c.clouds(gone.y, cloudCover{seed: 1511, amount: 0.6, soft: 0.3, light: hex(0xFFFFFF), dim: hex(0xA8ACB2), sun: pt{0, 0}, scale: 1, low: 0.2})
	c.change(int(gone.y), c.H, func(x, y float64, _ rgb) rgb {
		t := math.Max((y-gone.y)/(fh-gone.y), 0.004)
		u := (x - gone.x) / t / 46
		row := math.Floor(9 / t)
		stone := lattice(1512, int32(math.Floor(u+0.5*math.Mod(row, 2))), int32(row))
		return hex(0x8C8A86).times(0.7 + 0.4*stone*step(0.03, 0.3, t) + 0.1*speck(3, int(x), int(y)))
	})
	rng := random(1513)
	for _, side := range []float64{-1, 1} {
		far := 1.0
		for range 6 { // houses from the far end to the viewer
			near := far * 1.62
			c.house(side, gone, far*0.10, near*0.10, 560+420*rng.Float64(), 0.5+0.4*rng.Float64(), rng.Uint32())
			far = near
		}
	}
	for _, o := range []float64{-150, -40} { // rails
		c.draw(polygon(pt{gone.x + 1, gone.y}, pt{gone.x + o*4.2, fh}, pt{gone.x + o*4.2 + 16, fh}), flat(hex(0x3A3A3C)))
	}
	c.tram(gone.x-118, 0.765*fh, 330)
	c.aged(1514, hex(0xEEEAE2), hex(0x17171A))
	return c.photo(film{grain: 0.07, vignette: 0.2, seed: 41})
}

// house is one front of a row that runs to the vanishing point; a and b say how
// near its far and near end are.
func (c *Canvas) house(side float64, gone pt, a, b, tall, tone float64, seed uint32) {
	at := func(t, v float64) pt { // v = height above the street, 0..1
		return pt{gone.x + side*t*620, gone.y + t*420 - v*t*tall*1.5}
	}
	c.draw(polygon(at(a, 0), at(b, 0), at(b, 1), at(a, 1)), func(x, y float64) rgb {
		l := tone
		if side > 0 {
			l *= 0.62
		}
		return rgb{1, 1, 0.98}.times(l * (0.9 + 0.2*fractal(seed, x/60, y/60, 3)))
	})
	for i := range 4 {
		t0, t1 := lerp(a, b, 0.10+0.22*float64(i)), lerp(a, b, 0.22+0.22*float64(i))
		for j := range 4 {
			v := 0.10 + 0.23*float64(j)
			c.draw(polygon(at(t0, v), at(t1, v), at(t1, v+0.14), at(t0, v+0.14)), flat(rgb{1, 1, 1}.times(0.16+0.12*lattice(seed, int32(i), int32(j)))))
			c.draw(polygon(at(t0*0.995, v-0.012), at(t1*1.005, v-0.012), at(t1*1.005, v), at(t0*0.995, v)), flat(rgb{1, 1, 1}.times(tone*1.2)))
		}
	}
	c.draw(polygon(at(a*0.98, 0.98), at(b*1.02, 0.98), at(b*1.02, 1.04), at(a*0.98, 1.04)), flat(rgb{1, 1, 1}.times(tone*0.55)))
	c.draw(polygon(at(a, 1.04), at(b, 1.04), at(lerp(a, b, 0.85), 1.2), at(lerp(a, b, 0.2), 1.2)), flat(rgb{1, 1, 1}.times(0.24)))
}

func (c *Canvas) tram(x, foot, w float64) {
	h := w * 1.16
	c.wash(ellipse(x+w/2, foot, w*0.62, w*0.06), flat(hex(0x101010)), 0.7, 9)
	c.draw(line([]pt{{x + w*0.5, foot - h*1.0}, {x + w*0.62, foot - h*1.34}}, thick(4)), flat(hex(0x202020)))
	c.draw(line([]pt{{x + w*0.3, foot - h*1.34}, {x + w*0.9, foot - h*1.35}}, thick(4)), flat(hex(0x202020)))
	c.draw(rounded(x, foot-h, w, h*0.96, w*0.12), across(x, x+w, ramp{{0, hex(0xB9B5AC)}, {0.5, hex(0xF4F1EA)}, {1, hex(0x8E8A82)}}))
	c.draw(rect(x, foot-h*0.48, w, h*0.44), across(x, x+w, ramp{{0, hex(0x4A4844)}, {0.5, hex(0x7A7772)}, {1, hex(0x33312E)}}))
	for i := range 3 {
		c.draw(rounded(x+w*(0.07+0.30*float64(i)), foot-h*0.83, w*0.26, h*0.30, 8), down(foot-h*0.83, foot-h*0.5, ramp{{0, hex(0x6E757C)}, {0.5, hex(0x2A2E33)}, {1, hex(0x17191C)}}))
	}
	c.draw(rounded(x+w*0.33, foot-h*0.945, w*0.34, h*0.08, 5), flat(hex(0x1A1A1A)))
	c.words(text{face: bold, size: w * 0.085, c: hex(0xF2F0E8), align: 0.5}, x+w/2, foot-h*0.885, "3  Seeufer")
	c.ball(ball{x: x + w/2, y: foot - h*0.26, r: w * 0.085, light: pt{-0.2, -0.4}, gloss: 0.9, skin: flat(hex(0xF6F2E4))})
	c.words(text{face: bold, size: w * 0.12, c: hex(0xF2F0E8), align: 0.5}, x+w*0.82, foot-h*0.22, "27")
	c.draw(rect(x+w*0.06, foot-h*0.06, w*0.88, h*0.06), flat(hex(0x1D1C1B)))
}

// Postcard is a coloured greeting from the lake.
func Postcard() (Image, error) {
	c := newCanvas(1800, 1200)
	fw, fh := c.size()
	c.fill(func(x, y float64) rgb { return hex(0xF7EFDC).times(0.985 + 0.03*noise(1521, x/4, y/4)) })
	view := mountainLakeCanvas(1500, 1000)
	view.change(0, view.H, func(_, _ float64, was rgb) rgb { // inks of the time
		g := was.grey()
		return mix(rgb{float32(g), float32(g), float32(g)}, was, 1.35).times(1.06).plus(rgb{0.05, 0.03, -0.02})
	})
	c.paste(view, image4(50, 50, 1700, 1100))
	script := text{face: italic, size: 150, c: hex(0x7A1F1A), align: 0.5, turn: -0.05}
	c.words(script, 0.56*fw+5, 0.185*fh+6, "Gruß vom See")
	script.c = hex(0xFFF2CF)
	c.words(script, 0.56*fw, 0.185*fh, "Gruß vom See")
	return c.photo(film{grain: 0.03, vignette: 0.1, seed: 42})
}

// PostcardBack is the side for writing, with a stamp and a postmark.
func PostcardBack() (Image, error) {
	c := newCanvas(1800, 1200)
	stain := newField(c.W, c.H, 5, func(x, y float64) float64 { return fractal(1531, x/500, y/500, 5) })
	c.fill(func(x, y float64) rgb {
		return mix(hex(0xF4EAD2), hex(0xD9C49A), 0.5*stain.at(x, y)).times(0.98 + 0.04*noise(1532, x/3, y/3))
	})
	brown := hex(0x5A4632)
	c.draw(rect(900, 120, 4, 960), flat(brown))
	for i := range 4 {
		c.draw(rect(990, 640+110*float64(i), 700, 3), flat(brown))
	}
	c.words(text{face: regular, size: 44, c: brown, align: 0.5, track: 14}, 900, 90, "POSTKARTE")
	c.draw(rect(1430, 120, 260, 320), flat(hex(0xFBF7EA)))
	c.draw(rect(1452, 142, 216, 276), down(142, 418, ramp{{0, hex(0x9EC3D8)}, {0.6, hex(0xE2D6B0)}, {1, hex(0x4A7A6A)}}))
	c.draw(polygon(pt{1452, 340}, pt{1530, 230}, pt{1580, 300}, pt{1620, 250}, pt{1668, 340}), flat(hex(0x5A6E8A)))
	c.words(text{face: bold, size: 60, c: hex(0x7A2A20), align: 1}, 1656, 405, "20")
	for i := range 2 {
		ring := ellipse(1390, 300, 150-40*float64(i), 150-40*float64(i)).loops[0]
		c.stamp(c.mask(line(append(ring, ring[0]), thick(5)), 0), flat(hex(0x2A2A33)), 0.75)
	}
	c.words(text{face: bold, size: 34, c: hex(0x33333C), align: 0.5, turn: -0.2}, 1390, 310, "12. 8. 68")
	for i := range 5 {
		var wave []pt
		for k := range 40 {
			wave = append(wave, pt{1540 + 6.5*float64(k), 230 + 36*float64(i) + 9*math.Sin(float64(k)*0.5)})
		}
		c.stamp(c.mask(line(wave, thick(4)), 0), flat(hex(0x2A2A33)), 0.6)
	}
	pen := text{face: italic, size: 56, c: hex(0x23346A), turn: -0.035}
	for i, s := range []string{"Viele Grüße vom See!", "Das Wasser ist warm, und", "am Abend spielt Musik am", "Ufer. Bis bald!"} {
		c.words(pen, 120, 330+120*float64(i), s)
	}
	return c.photo(film{grain: 0.02, vignette: 0.1, seed: 43})
}

// FieldsFromAbove is farmland seen straight down from an aeroplane.
func FieldsFromAbove() (Image, error) {
	c := newCanvas(2200, 2200)
	tones := []uint32{0x7E9B45, 0xA9B65A, 0xC9B56A, 0x8A6B42, 0x5E8240, 0xD9C98A, 0x9A8450, 0x6F9A55}
	warp := newField(c.W, c.H, 8, func(x, y float64) float64 { return fractal(1541, x/700, y/700, 3) - 0.5 })
	river := func(y float64) float64 { return 1250 + 330*math.Sin(y/460) + 120*math.Sin(y/170+1) }
	c.fill(func(x, y float64) rgb {
		q := pt{x + 260*warp.at(x, y), y + 260*warp.at(y, x)}.turn(0.42)
		gx := math.Floor(q.x / 470)
		gy := math.Floor((q.y + 190*lattice(2, int32(gx), 0)) / 330)
		seed := scramble(1542, int32(gx), int32(gy))
		tone := hex(tones[int(seed)%len(tones)])
		fx, fy := q.x/470-gx, (q.y+190*lattice(2, int32(gx), 0))/330-gy
		a := float64(seed%7) * 0.45
		furrow := pt{q.x, q.y}.turn(a)
		p := tone.times(0.92 + 0.09*math.Sin(furrow.x/float64(4+seed%5)) + 0.22*(noise(seed, q.x/70, q.y/70)-0.5) + 0.05*speck(9, int(x), int(y)))
		edge := math.Min(math.Min(fx, 1-fx)*470, math.Min(fy, 1-fy)*330)
		hedge := noise(1543, x/20, y/20)
		if edge < 9+8*hedge {
			p = hex(0x3F5B2C).times(0.7 + 0.6*hedge)
		}
		d := math.Abs(x-river(y)) + 34*(noise(1544, x/40, y/40)-0.5)
		p = mix(p, hex(0x35512B).times(0.7+0.6*hedge), step(120, 80, d))
		return mix(p, mix(hex(0x4E7F8C), hex(0x2F5A6E), noise(5, x/50, y/50)), step(58, 46, d))
	})
	road := spline([]pt{{-30, 1720}, {400, 1560}, {900, 1480}, {1400, 1180}, {1800, 700}, {2240, 560}}, false)
	c.draw(line(road, thick(30)), flat(hex(0x9A978C)))
	c.draw(line(road, thick(22)), flat(hex(0x6E6E70)))
	rng := random(1545)
	for range 16 { // farms
		p := road[rng.IntN(len(road))].plus(pt{90 * (rng.Float64() - 0.5), 60 + 80*rng.Float64()})
		if math.Abs(p.x-river(p.y)) < 190 {
			continue // nobody builds in the river
		}
		w, h, a := 40+34*rng.Float64(), 26+16*rng.Float64(), rng.Float64()
		box := func(k float64, o pt) *path {
			return polygon(p.plus(pt{-w * k, -h * k}.turn(a)).plus(o), p.plus(pt{w * k, -h * k}.turn(a)).plus(o), p.plus(pt{w * k, h * k}.turn(a)).plus(o), p.plus(pt{-w * k, h * k}.turn(a)).plus(o))
		}
		c.wash(box(1, pt{14, 14}), flat(hex(0x141A10)), 0.6, 4)
		c.draw(box(1, pt{}), flat(hex(0xA5503A)))
		c.draw(polygon(p.plus(pt{-w, -h}.turn(a)), p.plus(pt{w, -h}.turn(a)), p.plus(pt{w, 0}.turn(a)), p.plus(pt{-w, 0}.turn(a))), flat(hex(0xC9705A)))
	}
	return c.photo(film{grain: 0.012, vignette: 0.14, seed: 44})
}

// PaperTexture is a heavy picture: grain that no compression gets small.
func PaperTexture() (Image, error) {
	c := newCanvas(1600, 1200)
	rng := random(1551)
	clouds := newField(c.W, c.H, 6, func(x, y float64) float64 { return fractal(1552, x/240, y/240, 5) })
	c.fill(func(x, y float64) rgb {
		n := 0.06*speck(1553, int(x), int(y)) + 0.05*speck(1554, int(x)/2, int(y)/2)
		return mix(hex(0xE9DFC8), hex(0xC9B48C), clouds.at(x, y)).times(1 + n)
	})
	for range 900 { // fibres
		a := pt{rng.Float64() * 1600, rng.Float64() * 1200}
		d := pt{20 + 70*rng.Float64(), 0}.turn(rng.Float64() * 6.3)
		tone := mix(hex(0x8A7350), hex(0xFBF4E2), rng.Float64())
		c.stamp(c.mask(line(spline([]pt{a, a.plus(d.times(0.5)).plus(pt{9 * rng.Float64(), 9 * rng.Float64()}), a.plus(d)}, false), thick(1.6)), 0), flat(tone), 0.55)
	}
	return asPNG(c.develop(film{grain: 0.02, seed: 45}), png.BestSpeed)
}
