package paint

import "math"

// ball is a lit sphere: fruit, lamps, beads.
type ball struct {
	x, y, r    float64
	squash     float64 // height over width
	skin       shader
	light      pt      // direction the light comes from, in the picture's plane, length below 1
	gloss      float64 // strength of the highlight
	ambient    rgb     // what the shadow side reflects
	dimple     bool    // a dip at the top, as apples have
	rough      float64
	roughScale float64
	seed       uint32
}

func (c *Canvas) ball(b ball) {
	if b.squash == 0 {
		b.squash = 1
	}
	lz := math.Sqrt(math.Max(0.05, 1-b.light.x*b.light.x-b.light.y*b.light.y))
	var outline []pt
	for i := range 120 {
		s, k := math.Sincos(2 * math.Pi * float64(i) / 120)
		r := b.r
		if b.dimple {
			r *= 1 - 0.10*bell(math.Atan2(k, -s), 0, 0.42) - 0.035*bell(math.Atan2(k, s), 0, 0.35) + 0.02*math.Cos(2*math.Atan2(s, k))
		}
		outline = append(outline, pt{b.x + r*k, b.y + r*s*b.squash})
	}
	c.draw(polygon(outline...), func(x, y float64) rgb {
		u, v := (x-b.x)/b.r, (y-b.y)/(b.r*b.squash)
		d := math.Min(u*u+v*v, 0.999)
		z := math.Sqrt(1 - d)
		if b.rough > 0 {
			s := b.roughScale
			u += b.rough * (noise(b.seed, x/s, y/s) - 0.5)
			v += b.rough * (noise(b.seed+1, x/s, y/s) - 0.5)
		}
		lit := math.Max(0, u*b.light.x+v*b.light.y+z*lz)
		p := b.skin(x, y)
		out := p.times(0.16 + 0.96*lit)
		out = out.plus(b.ambient.times((1 - lit) * 0.55 * (0.4 + 0.6*step(-0.2, 0.9, v)) * (0.35 + float64(p.grey()))))
		if b.dimple {
			out = out.times(1 - 0.55*bell(u, 0, 0.2)*bell(v, -0.80, 0.16))
		}
		h := 2*z*(u*b.light.x+v*b.light.y+z*lz) - lz // reflected towards the viewer
		out = mix(out, rgb{1, 0.99, 0.95}, b.gloss*math.Pow(clamp(h, 0, 1), 26))
		return out.times(1 - 0.25*math.Pow(d, 4)) // darker towards the rim
	})
}

// speckled is a skin that goes from one colour to another and has dots.
func speckled(seed uint32, r ramp, x, y, size float64, dots rgb, amount float64) shader {
	return func(px, py float64) rgb {
		u, v := (px-x)/size, (py-y)/size
		streak := fractal(seed, u*2.2+math.Atan2(u, v+2)*3, v*0.8, 4)
		p := r.at(clamp(streak*1.5-0.25, 0, 1))
		// dots sit on a turned grid, one in a few cells, or they line up
		q := pt{u, v}.turn(0.6).times(17)
		cell := pt{math.Floor(q.x), math.Floor(q.y)}
		if lattice(seed+5, int32(cell.x), int32(cell.y)) < amount*2 {
			d := math.Hypot(q.x-cell.x-0.3-0.4*lattice(seed+6, int32(cell.x), int32(cell.y)), q.y-cell.y-0.3-0.4*lattice(seed+7, int32(cell.x), int32(cell.y)))
			p = mix(p, dots, 0.55*step(0.22, 0.05, d))
		}
		return p
	}
}

// tube is a shape lit from the side like a cylinder.
func tube(x0, x1 float64, tone rgb, light float64) shader {
	return func(x, _ float64) rgb {
		u := clamp((x-x0)/(x1-x0), 0, 1)
		l := 0.34 + 0.72*bell(u, light, 0.42) + 0.10*step(0.86, 1, u)
		p := tone.times(l)
		return mix(p, rgb{1, 1, 0.97}, 0.45*bell(u, light, 0.07))
	}
}

// wood is a table top: boards with rings and pores, running to the side.
func (c *Canvas) wood(from float64, light, dark rgb, seed uint32) {
	_, fh := c.size()
	grain := newField(c.W, c.H, 3, func(x, y float64) float64 {
		d := 0.5 + 1.2*clamp((y-from)/(fh-from), 0, 1)
		w := fractal(seed, x/(900*d), y/(70*d), 4)
		return 0.5 + 0.5*math.Sin(w*34+y/(26*d))
	})
	c.change(int(from), c.H, func(x, y float64, _ rgb) rgb {
		t := clamp((y-from)/(fh-from), 0, 1)
		board := math.Floor(math.Pow(t, 0.72) * 5.4)
		f := math.Pow(t, 0.72)*5.4 - board
		g := grain.at(x+board*731, y)
		pore := noise(seed+3, x/44+board*9, y/1.9)
		p := mix(dark, light, 0.35+0.4*g+0.22*(pore-0.5)).times(0.93 + 0.12*lattice(seed, int32(board), 4))
		return p.times(1 - 0.45*bell(f, 0, 0.016))
	})
}

// wall fills the background with plaster that is brighter where the light falls.
func (c *Canvas) wall(tone rgb, light pt, reach float64, seed uint32) {
	plaster := newField(c.W, c.H, 5, func(x, y float64) float64 { return fractal(seed, x/190, y/190, 5) - 0.5 })
	c.fill(func(x, y float64) rgb {
		d := math.Hypot(x-light.x, y-light.y) / reach
		return tone.times(0.36 + 0.78*math.Exp(-d*d*1.1) + 0.16*plaster.at(x, y))
	})
}

// cast lays the soft shadow of something that stands at x, y.
func (c *Canvas) cast(x, y, rx, ry, strength float64) {
	c.wash(ellipse(x, y, rx, ry), flat(hex(0x120B08)), strength*0.6, ry*0.6)
	c.wash(ellipse(x-rx*0.1, y-ry*0.1, rx*0.7, ry*0.45), flat(hex(0x0A0605)), strength*0.6, ry*0.22)
}
