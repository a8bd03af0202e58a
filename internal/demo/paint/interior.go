package paint

import "math"

// ReadingLamp is a lamp with a paper shade beside a pile of books in the evening.
func ReadingLamp() (Image, error) {
	c := newCanvas(1500, 2000)
	fw, fh := c.size()
	bulb := pt{0.46 * fw, 0.34 * fh}
	c.wall(hex(0xA8713E), pt{bulb.x, bulb.y}, 900, 1001)
	c.glow(bulb.x, bulb.y-330, 520, hex(0xFFD08A), 0.42) // light on the wall above the shade
	top := 0.80 * fh
	c.wood(top, hex(0xA9743F), hex(0x4A2C16), 1002)
	c.wash(rect(0, top-8, fw, 22), flat(hex(0x1A0F08)), 0.6, 14)
	c.glow(bulb.x, top+120, 560, hex(0xFFC880), 0.42)
	c.cast(bulb.x+20, 0.875*fh, 300, 44, 0.9)
	brass := hex(0xC79A4A)
	c.draw(ellipse(bulb.x, 0.87*fh, 210, 46), tube(bulb.x-210, bulb.x+210, brass.times(0.8), 0.4))
	c.draw(ellipse(bulb.x, 0.862*fh, 210, 42), tube(bulb.x-210, bulb.x+210, brass, 0.4))
	c.draw(rect(bulb.x-15, 0.42*fh, 30, 0.44*fh), tube(bulb.x-15, bulb.x+15, brass, 0.4))
	for _, y := range []float64{0.845, 0.62, 0.50} {
		c.ball(ball{x: bulb.x, y: y * fh, r: 40, squash: 0.7, light: pt{-0.3, -0.6}, gloss: 0.8, ambient: hex(0x7A5326), skin: flat(brass)})
	}
	yTop, yFoot := bulb.y-230, bulb.y+210
	shade := polygon(pt{bulb.x - 230, yTop}, pt{bulb.x + 230, yTop}, pt{bulb.x + 430, yFoot}, pt{bulb.x - 430, yFoot})
	c.draw(shade, func(x, y float64) rgb {
		v := (y - yTop) / (yFoot - yTop)
		half := lerp(230, 430, v)
		u := (x - bulb.x) / half
		hot := math.Exp(-(u*u*1.9 + (v-0.62)*(v-0.62)*4.2))
		fold := 0.965 + 0.05*math.Sin(u*46+4*u*u*u)
		p := mix(hex(0xC07A35), hex(0xFFF0C0), hot).times(fold)
		return p.times(1 - 0.28*math.Pow(math.Abs(u), 5)).plus(rgb{0.01, 0.01, 0}.times(noise(3, x/3, y/3)))
	})
	c.draw(line([]pt{{bulb.x - 430, yFoot}, {bulb.x + 430, yFoot}}, thick(14)), flat(hex(0x8A5526)))
	c.draw(line([]pt{{bulb.x - 230, yTop}, {bulb.x + 230, yTop}}, thick(12)), flat(hex(0xD9A05A)))
	c.glow(bulb.x, bulb.y+60, 420, hex(0xFFDFA6), 0.3)
	c.books(0.80*fw, 0.905*fh)
	return c.photo(film{grain: 0.024, vignette: 0.36, seed: 23})
}

// books are a pile, the spines towards the viewer.
func (c *Canvas) books(x, foot float64) {
	c.cast(x, foot+4, 330, 36, 0.9)
	y := foot
	for i, tone := range []uint32{0x7A2E2A, 0x2F4A5E, 0x9A7B3A, 0x3F5B3E, 0x5A3A5E} {
		h := 62 + 26*lattice(5, int32(i), 2)
		w := 250 + 60*lattice(6, int32(i), 3)
		shift := 44 * (lattice(7, int32(i), 4) - 0.5)
		l, r := x-w+shift, x+w+shift
		c.draw(rounded(l, y-h, r-l, h, 10), func(px, py float64) rgb {
			v := (py - y + h) / h
			lit := (0.5 + 0.75*bell(v, 0.3, 0.5)) * lerp(1.25, 0.5, (px-l)/(r-l))
			p := hex(tone).times(lit)
			for _, band := range []float64{0.09, 0.11, 0.86, 0.88} {
				if math.Abs((px-l)/(r-l)-band) < 0.004 {
					return hex(0xE3C27A).times(lit)
				}
			}
			return p.times(0.95 + 0.1*noise(11, px/3, py/3))
		})
		c.draw(rect(l+w*0.55, y-h*0.58, w*0.9, h*0.13), flat(hex(0xE3C27A).times(0.72)))
		y -= h
	}
}

// ChairByTheWindow is a wooden chair in the light of a tall window.
func ChairByTheWindow() (Image, error) {
	c := newCanvas(1600, 2000)
	fw, fh := c.size()
	c.wall(hex(0xC9C2B0), pt{0.25 * fw, 0.35 * fh}, 1500, 1021)
	floor := 0.74 * fh
	c.boards(floor)
	c.draw(rect(0, floor-54, fw, 54), down(floor-54, floor, ramp{{0, hex(0xEDE8DA)}, {0.8, hex(0xC9C2B0)}, {1, hex(0x6A6050)}}))
	c.tallWindow(0.10*fw, 0.08*fh, 0.36*fw, 0.50*fh)
	for i := range 2 { // panes of light on the floor
		for j := range 3 {
			o := pt{0.40*fw + 210*float64(i) + 95*float64(j), floor + 60 + 125*float64(j)}
			c.wash(polygon(o, pt{o.x + 185, o.y}, pt{o.x + 270, o.y + 108}, pt{o.x + 85, o.y + 108}), flat(hex(0xFFE9B8)), 0.62, 5)
		}
	}
	c.chair(0.60*fw, 0.885*fh, 780)
	return c.photo(film{grain: 0.016, vignette: 0.24, seed: 24})
}

func (c *Canvas) boards(floor float64) {
	fw, fh := c.size()
	c.change(int(floor), c.H, func(x, y float64, _ rgb) rgb {
		t := (y - floor) / (fh - floor)
		u := (x - 0.42*fw) / (90 + 190*t)
		b := math.Floor(u)
		f := u - b
		g := fractal(1030, b*7.7+f*1.5, y/(30+120*t)+b*3, 4)
		p := mix(hex(0x6E4C30), hex(0xB58C5E), 0.2+0.8*g).times(0.9 + 0.25*lattice(1031, int32(b), 1))
		return p.times(1 - 0.55*bell(f, 0, 0.02)).times(1.1 - 0.35*x/fw)
	})
}

func (c *Canvas) tallWindow(x, y, w, h float64) {
	view := newCanvas(int(w), int(h))
	_, vh := view.size()
	view.sky(vh*0.75, ramp{{0, hex(0xBBDDF5)}, {1, hex(0xFBFBF0)}})
	rng := random(1040)
	for i, tone := range []uint32{0xC3D9B4, 0x9DC182, 0x7FAA63} {
		e := crowns(rng, view.skyline(uint32(1041+i), vh*(0.62+0.12*float64(i)), 20, 300, 3, false), 20, 110, 26)
		view.hill(e, hill{crest: hex(tone), foot: hex(tone).times(0.9), depth: 90, rough: 0.3, grain: 20, seed: 3})
	}
	view.change(0, view.H, func(_, _ float64, was rgb) rgb { return was.plus(rgb{0.06, 0.06, 0.05}) })
	ix, iy := int(x), int(y)
	c.draw(rect(x-44, y-44, w+88, h+88), across(x-44, x+w+44, ramp{{0, hex(0xF7F3E8)}, {0.5, hex(0xE5DFCF)}, {1, hex(0xF9F6EC)}}))
	c.paste(view, image4(ix, iy, int(w), int(h)))
	for i := range 4 {
		d := float64(i) / 3
		c.draw(rect(x-11, y+h*d-11, w+22, 22), down(y+h*d-11, y+h*d+11, ramp{{0, hex(0xFDFBF4)}, {1, hex(0xB9B09E)}}))
		if i < 3 {
			dx := w * float64(i) / 2
			c.draw(rect(x+dx-11, y-11, 22, h+22), across(x+dx-11, x+dx+11, ramp{{0, hex(0xFDFBF4)}, {1, hex(0xB9B09E)}}))
		}
	}
	c.draw(rect(x-80, y+h+40, w+160, 34), down(y+h+40, y+h+74, ramp{{0, hex(0xFFFDF6)}, {1, hex(0xA89F8C)}}))
	c.glow(x+w/2, y+h/2, w*1.15, hex(0xFFF6DC), 0.28)
	for i := range 2 { // curtains
		cx := x - 150 + float64(i)*(w+130)
		c.draw(polygon(pt{cx, y - 90}, pt{cx + 170, y - 90}, pt{cx + 150, y + h + 210}, pt{cx + 20, y + h + 210}), func(px, py float64) rgb {
			f := 0.5 + 0.5*math.Sin((px-cx)/13+0.5*math.Sin(py/240))
			return mix(hex(0x8FA39A), hex(0xE9EDE2), f*0.8+0.1)
		})
	}
	c.draw(line([]pt{{x - 180, y - 92}, {x + w + 180, y - 92}}, thick(18)), down(y-101, y-83, ramp{{0, hex(0x9A7A55)}, {1, hex(0x4A3624)}}))
}

// chair stands on foot; h is its height.
func (c *Canvas) chair(x, foot, h float64) {
	w := h * 0.44
	seat := foot - h*0.47
	c.wash(polygon(pt{x - w*0.4, foot - 20}, pt{x + w*0.5, foot - 40}, pt{x + w*1.5, foot + 60}, pt{x + w*0.6, foot + 90}), flat(hex(0x2A1C12)), 0.5, 16)
	tone := hex(0x9A5B34)
	leg := func(ax, ay, bx, by, t float64) {
		l, r := math.Min(ax, bx)-t, math.Max(ax, bx)+t
		c.draw(line([]pt{{ax, ay}, {bx, by}}, thick(t)), tube(l, r, tone, 0.35))
	}
	leg(x-w*0.36, foot-h*0.10, x-w*0.42, foot-h*1.0, 30) // back posts
	leg(x+w*0.30, foot-h*0.10, x+w*0.30, foot-h*1.0, 30)
	for i := range 5 {
		t := (float64(i) + 0.8) / 5.6
		leg(lerp(x-w*0.37, x+w*0.30, t), seat-h*0.02, lerp(x-w*0.42, x+w*0.30, t), foot-h*0.9, 15)
	}
	c.draw(blob(pt{x - w*0.48, foot - h*0.985}, pt{x - w*0.06, foot - h*1.035}, pt{x + w*0.36, foot - h*0.985}, pt{x + w*0.35, foot - h*0.885}, pt{x - w*0.06, foot - h*0.92}, pt{x - w*0.46, foot - h*0.885}), down(foot-h*1.03, foot-h*0.88, ramp{{0, tone.times(1.35)}, {1, tone.times(0.7)}}))
	leg(x-w*0.50, seat, x-w*0.53, foot, 34) // front legs
	leg(x+w*0.42, seat, x+w*0.46, foot, 34)
	leg(x-w*0.5, foot-h*0.2, x+w*0.43, foot-h*0.2, 18)
	top := polygon(pt{x - w*0.40, seat - h*0.055}, pt{x + w*0.34, seat - h*0.055}, pt{x + w*0.50, seat + h*0.03}, pt{x - w*0.58, seat + h*0.03})
	c.draw(rounded(x-w*0.58, seat+h*0.005, w*1.08, h*0.06, 12), across(x-w*0.6, x+w*0.5, ramp{{0, tone.times(1.05)}, {1, tone.times(0.5)}}))
	c.draw(top, func(px, py float64) rgb {
		return tone.times(1.28 - 0.4*(px-x+w*0.6)/w/1.1 + 0.22*(noise(12, px/60, py/3)-0.5))
	})
}
