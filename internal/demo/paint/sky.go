package paint

import (
	"math"
	"math/rand/v2"
)

// sky fills the canvas from the top to the horizon (and paints on below it, for
// what shines through).
func (c *Canvas) sky(horizon float64, r ramp) {
	row := make([]rgb, c.H)
	for y := range row {
		row[y] = r.at(float64(y) / horizon)
	}
	c.fill(func(_, y float64) rgb { return row[int(y)] })
}

// cloudCover says how clouds look. amount is the part of the sky they take.
type cloudCover struct {
	seed       uint32
	amount     float64
	soft       float64 // width of their borders
	light, dim rgb
	sun        pt // where the light comes from, in pixels
	scale      float64
	low        float64 // share of the sky near the horizon that stays free
}

// clouds lie on a ceiling that runs away to the horizon: they get flatter and
// smaller further down. The side towards the sun is bright.
func (c *Canvas) clouds(horizon float64, k cloudCover) {
	w, h := c.size()
	density := newField(c.W, int(horizon)+8, 4, func(x, y float64) float64 {
		far := 1 / (1.12 - clamp(y/horizon, 0, 1))
		u := (x - w/2) / h * (0.6 + 0.4*far) * 2.4 * k.scale
		v := far * 2.1 * k.scale
		return fractal(k.seed, u+40, v*1.7, 6)
	})
	edge := 0.72 - 0.42*k.amount
	for y := 0.0; y < horizon && y < h; y++ {
		fade := 1 - step(1-k.low, 1, y/horizon)
		for x := range c.W {
			fx := float64(x)
			d := density.at(fx, y)
			a := step(edge, edge+k.soft, d) * fade
			if a < 0.004 {
				continue
			}
			dx, dy := k.sun.x-fx, k.sun.y-y
			l := 46 / (math.Hypot(dx, dy) + 1)
			lit := clamp(0.5+(d-density.at(fx+dx*l, y+dy*l))*4.2-(d-edge)*0.9, 0, 1)
			c.blend(int(y)*c.W+x, mix(k.dim, k.light, lit), a*0.94)
		}
	}
}

// sun is a disc with light around it.
func (c *Canvas) sun(x, y, r float64, light rgb) {
	_, h := c.size()
	c.glow(x, y, h*0.42, light, 0.42)
	c.glow(x, y, r*4.5, light, 0.55)
	c.wash(ellipse(x, y, r, r), flat(mix(rgb{1, 0.98, 0.9}, light, 0.4)), 1, r*0.06)
}

// stars are many faint ones and a few bright ones.
func (c *Canvas) stars(rng *rand.Rand, horizon float64, count int) {
	w, _ := c.size()
	for range count {
		x, y := rng.Float64()*w, rng.Float64()*horizon
		bright := math.Pow(rng.Float64(), 7)
		tint := mix(hex(0xFFE3C2), hex(0xCFE0FF), rng.Float64())
		low := 1 - step(0.6, 1, y/horizon)
		r := 0.7 + 1.5*bright
		c.wash(ellipse(x, y, r, r), flat(tint), (0.25+0.75*bright)*low, 0)
		if bright > 0.55 {
			c.glow(x, y, 9*bright, tint, 0.5*low)
		}
	}
}

// milkyWay is a band of dusty light from the lower left to the upper right.
func (c *Canvas) milkyWay(seed uint32, horizon float64) {
	w, _ := c.size()
	band := newField(c.W, int(horizon)+8, 4, func(x, y float64) float64 {
		along := (x/w*0.9 + (1 - y/horizon)) / 1.9
		off := (x/w - 0.5) - (1-y/horizon-0.5)*0.75 + 0.16*(fractal(seed, along*4, 3, 3)-0.5)
		core := bell(off, 0, 0.13)
		dust := fractal(seed+9, x/w*9, y/w*9, 6)
		lane := bell(off+0.05*(fractal(seed+5, along*9, 1, 3)-0.5), 0.015, 0.035) * step(0.35, 0.65, dust)
		return core*(0.35+0.95*dust) - lane*0.75
	})
	c.change(0, int(horizon), func(x, y float64, was rgb) rgb {
		b := clamp(band.at(x, y), 0, 1) * (1 - step(0.7, 1, y/horizon))
		glow := mix(hex(0x6C7FB8), hex(0xF3DCC2), b*1.1)
		p := was.plus(glow.times(b * 0.42))
		if s := speck(seed, int(x), int(y)); s > 1-0.03*b {
			p = p.plus(hex(0xE8ECFF).times(0.35 * b))
		}
		return p
	})
}

// moon is a disc with seas.
func (c *Canvas) moon(x, y, r float64, seed uint32) {
	c.glow(x, y, r*5, hex(0xD9E3FF), 0.36)
	c.glow(x, y, r*1.9, hex(0xF2F0E6), 0.5)
	c.draw(ellipse(x, y, r, r), func(px, py float64) rgb {
		u, v := (px-x)/r, (py-y)/r
		seas := step(0.5, 0.66, fractal(seed, u*1.7+8, v*1.7+3, 5))
		rim := 1 - 0.22*(u*u+v*v)
		return mix(hex(0xFBF6E6), hex(0xC4C0B8), seas*0.75).times(rim)
	})
}
