package paint

// StarrySky is the Milky Way over a wood, held upright.
func StarrySky() (Image, error) {
	c := newCanvas(1600, 2400)
	fw, fh := c.size()
	horizon := 0.86 * fh
	c.sky(horizon, ramp{{0, hex(0x070B1C)}, {0.5, hex(0x0F1A38)}, {0.85, hex(0x243B5E)}, {1, hex(0x5C6B6B)}})
	c.milkyWay(505, horizon)
	rng := random(506)
	c.stars(rng, horizon, 2600)
	c.glow(0.25*fw, horizon, 500, hex(0xC79A5E), 0.22)
	back := firs(rng, c.skyline(507, 0.87*fh, 50, 700, 3, false), 60, 190, 24)
	c.hill(back, hill{crest: hex(0x121C28), foot: hex(0x1B2830), depth: 200, rough: 0.3, grain: 20, seed: 1})
	front := firs(rng, c.skyline(508, 0.965*fh, 40, 600, 3, false), 140, 620, 95)
	c.hill(front, hill{crest: hex(0x04070C), foot: hex(0x080D12), depth: 300, rough: 0.3, grain: 20, seed: 2})
	return c.photo(film{grain: 0.03, vignette: 0.3, seed: 9})
}

// Moonrise is the full moon over still water.
func Moonrise() (Image, error) {
	c := newCanvas(2000, 1333)
	fw, fh := c.size()
	horizon := 0.62 * fh
	c.sky(horizon, ramp{{0, hex(0x0E1A33)}, {0.55, hex(0x24406B)}, {0.85, hex(0x5B7299)}, {1, hex(0x9AA0B4)}})
	rng := random(602)
	c.stars(rng, horizon*0.8, 420)
	m := pt{0.58 * fw, 0.30 * fh}
	c.moon(m.x, m.y, 72, 603)
	c.clouds(horizon, cloudCover{seed: 604, amount: 0.46, soft: 0.26, light: hex(0xB8C3DD), dim: hex(0x2A3A5E), sun: m, scale: 0.9, low: 0.15})
	for i := range 4 {
		t := float64(i) / 3
		edge := c.skyline(uint32(610+i), lerp(0.545, 0.60, t)*fh, lerp(70, 14, t), lerp(560, 300, t), 5, i < 2)
		if i == 3 {
			edge = firs(rng, edge, 14, 40, 7)
		}
		tone := mix(hex(0x5E7398), hex(0x111B2C), t)
		c.hill(edge, hill{crest: tone, foot: mix(tone, hex(0x8390AE), 0.4-0.3*t), depth: 120, rough: 0.15, grain: 30, seed: 4})
	}
	c.lake(lake{from: int(horizon), to: c.H, tint: hex(0x0B1426), dark: 0.12, near: 0.6, ripple: 0.8, seed: 620, glint: hex(0xF3F0E2), shine: pt{m.x, 70}})
	c.jetty(0.24*fw, horizon+0.05*fh)
	return c.photo(film{grain: 0.026, vignette: 0.3, seed: 10})
}

// jetty runs out from the viewer to a point on the water.
func (c *Canvas) jetty(x, y float64) {
	_, fh := c.size()
	end, near := 26.0, 250.0
	x0 := x - 190
	for _, t := range []float64{0.15, 0.42, 0.9} {
		px, py, s := lerp(x, x0, t), lerp(y, fh, t), lerp(end, near, t)
		for _, side := range []float64{-1, 1} {
			c.draw(rect(px+side*s-3-6*t, py-18-60*t, 6+12*t, 34+150*t), flat(hex(0x10131B)))
		}
	}
	const planks = 46
	for i := range planks {
		a, b := pow2(float64(i)/planks), pow2((float64(i)+0.86)/planks)
		q := func(t, side float64) pt { return pt{lerp(x, x0, t) + side*lerp(end, near, t), lerp(y, fh+10, t)} }
		tone := hex(0x39404F).times(0.75 + 0.5*lattice(9, int32(i), 3))
		c.draw(polygon(q(a, -1), q(a, 1), q(b, 1), q(b, -1)), flat(tone))
	}
}

func pow2(v float64) float64 { return v * v }
