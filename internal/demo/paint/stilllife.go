package paint

import "math"

var window = pt{-0.52, -0.58} // where the light of the still lifes comes from

// FruitBowl is a blue bowl with apples, oranges, a lemon and grapes.
func FruitBowl() (Image, error) {
	c := newCanvas(2000, 1500)
	fw, fh := c.size()
	c.wall(hex(0x8A9488), pt{0.18 * fw, 0.2 * fh}, 1500, 901)
	table := 0.64 * fh
	c.wood(table, hex(0xC08A56), hex(0x6E4526), 902)
	c.wash(rect(0, table-8, fw, 20), flat(hex(0x2A1B10)), 0.5, 12)
	x, y := 0.50*fw, 0.82*fh // foot of the bowl
	c.cast(x+130, y+8, 560, 70, 0.95)
	warm := hex(0x8A5A36)
	apple := ramp{{0, hex(0x8E1220)}, {0.55, hex(0xC8262A)}, {0.85, hex(0xE2913A)}, {1, hex(0xEDC65A)}}
	green := ramp{{0, hex(0x6E9A2B)}, {0.6, hex(0x9DBF45)}, {1, hex(0xD3D66B)}}
	orange := ramp{{0, hex(0xE07B14)}, {1, hex(0xF59A2A)}}
	fruit := func(fx, fy, r float64, skin ramp, seed uint32, kind string) {
		b := ball{
			x: x + fx, y: y + fy, r: r, squash: 0.95, light: window, gloss: 0.6, ambient: warm, seed: seed,
			skin: speckled(seed, skin, x+fx, y+fy, r, hex(0xF7E8B0), 0.16),
		}
		switch kind {
		case "apple":
			b.dimple = true
		case "orange":
			b.rough, b.roughScale, b.gloss, b.squash = 0.16, 7, 0.34, 0.98
		}
		c.wash(ellipse(x+fx+r*0.12, y+fy+r*0.16, r*1.02, r*1.0), flat(hex(0x1A0E08)), 0.5, 16)
		c.ball(b)
		if kind == "apple" {
			c.draw(line(spline([]pt{{x + fx, y + fy - r*0.72}, {x + fx + r*0.05, y + fy - r*0.95}, {x + fx + r*0.17, y + fy - r*1.18}}, false), taper(9, 13)), across(x+fx-8, x+fx+20, ramp{{0, hex(0x6F5233)}, {1, hex(0x35241A)}}))
		}
	}
	fruit(-255, -475, 165, orange, 911, "orange")
	fruit(235, -480, 170, green, 912, "apple")
	fruit(-10, -560, 180, apple, 913, "apple")
	c.lemon(x-110, y-440)
	fruit(110, -425, 150, orange, 915, "orange")
	fruit(-330, -400, 130, apple, 914, "apple")
	c.bowl(x, y, 520, 350)
	c.grapes(0.76*fw, 0.865*fh)
	fruit(-640, -40, 150, apple, 917, "apple")
	return c.photo(film{grain: 0.014, vignette: 0.3, seed: 20})
}

func (c *Canvas) lemon(x, y float64) {
	skin := speckled(921, ramp{{0, hex(0xE9C21F)}, {1, hex(0xF8E04A)}}, x, y, 120, hex(0xFFF6A8), 0.1)
	c.ball(ball{x: x, y: y, r: 150, squash: 0.72, light: window, gloss: 0.4, ambient: hex(0x9A7A2A), rough: 0.14, roughScale: 8, seed: 922, skin: skin})
	c.draw(blob(pt{x - 160, y + 4}, pt{x - 138, y - 28}, pt{x - 128, y + 26}), flat(hex(0xD9B62A)))
}

func (c *Canvas) bowl(x, foot, half, h float64) {
	glaze := hex(0x2F5E9E)
	var side []pt
	for i := range 41 { // from the left rim around the belly to the right rim
		a := math.Pi * float64(i) / 40
		side = append(side, pt{x - half*math.Cos(a), foot - h + (h-14)*math.Pow(math.Sin(a), 0.72)})
	}
	c.draw(ellipse(x, foot, half*0.42, 30), tube(x-half*0.42, x+half*0.42, glaze.times(0.8), 0.3))
	c.draw(polygon(side...), func(px, py float64) rgb {
		v := (py - foot + h) / h
		p := tube(x-half, x+half, glaze, 0.26)(px, py).times(1.08 - 0.55*v)
		p = mix(p, hex(0xE9EEF2).times(0.5+0.6*bell((px-x)/half, -0.45, 0.7)), 0.9*step(0.02, 0, math.Abs(v-0.20)-0.018))
		wave := 0.36 + 0.035*math.Sin((px-x)/half*22)
		p = mix(p, hex(0xE9EEF2).times(0.5+0.6*bell((px-x)/half, -0.45, 0.7)), 0.85*step(0.012, 0, math.Abs(v-wave)-0.008))
		return p.plus(hex(0x8A5A36).times(0.22 * step(0.55, 1, v)))
	})
	rim := line(spline([]pt{{x - half, foot - h}, {x - half*0.6, foot - h + 40}, {x, foot - h + 56}, {x + half*0.6, foot - h + 40}, {x + half, foot - h}}, false), thick(20))
	c.draw(rim, across(x-half, x+half, ramp{{0, hex(0x6E97CC)}, {0.28, hex(0xEAF3FF)}, {0.6, hex(0x5E86BF)}, {1, hex(0x24406E)}}))
}

func (c *Canvas) grapes(x, y float64) {
	rng := random(930)
	c.cast(x+40, y+40, 250, 34, 0.9)
	c.draw(line(spline([]pt{{x - 150, y - 60}, {x - 40, y - 110}, {x + 90, y - 150}}, false), taper(8, 14)), flat(hex(0x6A5A2C)))
	for i := range 30 {
		t := float64(i) / 30
		gx := x - 210 + 400*rng.Float64()*(0.6+0.4*t)
		gy := y - 105 + 120*t + 20*rng.Float64()
		r := 37 + 9*rng.Float64()
		tone := mix(hex(0x4A1C4E), hex(0x7A3468), rng.Float64())
		c.wash(ellipse(gx+5, gy+7, r, r), flat(hex(0x120814)), 0.5, 7)
		c.ball(ball{x: gx, y: gy, r: r, light: window, gloss: 0.7, ambient: hex(0x6A3A4E), skin: speckled(rng.Uint32(), ramp{{0, tone}, {1, mix(tone, hex(0xB79AC8), 0.5)}}, gx, gy, r, tone, 0.05)})
	}
}

// ThreeApples are three apples on a marble slab in hard light.
func ThreeApples() (Image, error) {
	c := newCanvas(2000, 1333)
	fw, fh := c.size()
	c.wall(hex(0x33383F), pt{0.15 * fw, 0.1 * fh}, 1300, 941)
	folds := newField(c.W, c.H, 3, func(x, y float64) float64 { return fractal(942, x/420+y/300, y/240-x/900, 4) })
	c.below(c.skyline(943, 0.60*fh, 14, 900, 3, false), func(x, y float64) rgb {
		n := folds.at(x, y)
		l := clamp(0.62+(folds.at(x+8, y+6)-n)*16, 0, 1)
		return mix(hex(0x8F8A8C), hex(0xFBF6EC), l).times(1 - 0.42*step(0.25, 1, x/fw))
	})
	skins := []ramp{
		{{0, hex(0x9A1A22)}, {0.6, hex(0xC9322C)}, {1, hex(0xE9B95A)}},
		{{0, hex(0xB9B03A)}, {0.7, hex(0xD9CF5C)}, {1, hex(0xE08A4A)}},
		{{0, hex(0x5F8F2B)}, {0.7, hex(0x8FB544)}, {1, hex(0xC9D46B)}},
	}
	for i, f := range []pt{{0.30, 0.60}, {0.71, 0.585}, {0.50, 0.68}} {
		x, y, r := f.x*fw, f.y*fh, 215.0
		if i == 2 {
			r = 235
		}
		c.wash(polygon(pt{x - r*0.5, y + r*0.72}, pt{x + r*0.9, y + r*0.5}, pt{x + r*2.5, y + r*0.82}, pt{x + r*2.1, y + r*1.12}, pt{x, y + r*1.05}), flat(hex(0x2A2630)), 0.62, 22)
		c.cast(x+20, y+r*0.9, r*0.85, 34, 0.8)
		c.ball(ball{
			x: x, y: y, r: r, squash: 0.93, light: pt{-0.62, -0.48}, gloss: 0.75, ambient: hex(0x9A9088), dimple: true,
			skin: speckled(uint32(950+i), skins[i], x, y, r, hex(0xF3E6B8), 0.2), seed: 5,
		})
		c.draw(line(spline([]pt{{x, y - r*0.68}, {x + r*0.04, y - r*0.92}, {x + r*0.14, y - r*1.12}}, false), taper(10, 15)), across(x-8, x+26, ramp{{0, hex(0x7A5A38)}, {1, hex(0x2E2018)}}))
		if i == 2 {
			leaf := polygon(append(spline([]pt{{x + 12, y - r*0.9}, {x + 70, y - r*1.16}, {x + 185, y - r*1.14}}, false), spline([]pt{{x + 185, y - r*1.14}, {x + 130, y - r*0.92}, {x + 12, y - r*0.9}}, false)...)...)
			c.draw(leaf, across(x, x+190, ramp{{0, hex(0x3D6B2A)}, {0.6, hex(0x7AA84A)}, {1, hex(0x4F7F33)}}))
			c.draw(line([]pt{{x + 14, y - r*0.9}, {x + 100, y - r*1.02}, {x + 182, y - r*1.135}}, taper(4, 1.5)), flat(hex(0xA9CB78)))
		}
	}
	return c.photo(film{grain: 0.016, vignette: 0.34, seed: 21})
}

// CoffeeCup is a cup on a saucer seen in the morning, with steam.
func CoffeeCup() (Image, error) {
	c := newCanvas(1600, 1600)
	fw, fh := c.size()
	c.wall(hex(0x6F7F86), pt{0.1 * fw, 0.1 * fh}, 1250, 961)
	for i := range 16 { // lights far behind, out of focus
		x, y := fw*(0.06+0.062*float64(i)), fh*(0.10+0.28*lattice(7, int32(i), 1))
		r := 34 + 54*lattice(8, int32(i), 2)
		c.wash(ellipse(x, y, r, r), flat(mix(hex(0xFFD8A0), hex(0xBFD8E6), lattice(9, int32(i), 3))), 0.26, 5)
	}
	c.wood(0.56*fh, hex(0x9A6A45), hex(0x3E2617), 962)
	c.wash(rect(0, 0.56*fh-14, fw, 30), flat(hex(0x1D120B)), 0.55, 18)
	x, y := 0.48*fw, 0.80*fh
	c.cast(x+70, y+26, 560, 92, 0.95)
	china := hex(0xF3EFE8)
	c.draw(ellipse(x, y+10, 520, 128), tube(x-520, x+520, china.times(0.74), 0.25))
	c.draw(ellipse(x, y-6, 520, 124), tube(x-520, x+520, china.times(0.97), 0.24))
	c.draw(ellipse(x, y-4, 400, 88), tube(x-400, x+400, china.times(0.86), 0.7))
	c.cast(x+40, y, 270, 48, 0.6)
	c.draw(line(spline([]pt{{x + 270, y - 420}, {x + 430, y - 430}, {x + 455, y - 290}, {x + 360, y - 190}, {x + 225, y - 150}}, false), taper(54, 42)), down(y-450, y-150, ramp{{0, hex(0xF6F2EA)}, {0.5, hex(0xB8AFA6)}, {1, hex(0x8A8078)}}))
	var cup []pt
	for i := range 31 {
		t := float64(i) / 30
		cup = append(cup, pt{x - lerp(330, 190, math.Pow(t, 1.7)), lerp(y-520, y-20, t)})
	}
	for i := 30; i >= 0; i-- {
		t := float64(i) / 30
		cup = append(cup, pt{x + lerp(330, 190, math.Pow(t, 1.7)), lerp(y-520, y-20, t)})
	}
	c.draw(ellipse(x, y-20, 190, 40), tube(x-190, x+190, china.times(0.8), 0.25))
	c.draw(polygon(cup...), func(px, py float64) rgb {
		v := (py - y + 520) / 500
		p := tube(x-330, x+330, china, 0.24)(px, py).times(1.02 - 0.2*v)
		band := step(0.012, 0, math.Abs(v-0.13)-0.02) + step(0.008, 0, math.Abs(v-0.185)-0.006)
		return mix(p, hex(0xB5482E).times(0.45+0.7*bell((px-x)/330, -0.5, 0.8)), clamp(band, 0, 1))
	})
	c.draw(ellipse(x, y-520, 330, 84), across(x-330, x+330, ramp{{0, hex(0xD8D1C8)}, {0.5, hex(0xFFFFFF)}, {1, hex(0xC9C0B6)}}))
	c.draw(ellipse(x, y-514, 306, 72), across(x-306, x+306, ramp{{0, hex(0x9A9088)}, {1, hex(0xE9E3DA)}}))
	crema := newField(c.W, c.H, 2, func(px, py float64) float64 {
		a, r := math.Atan2((py-y+500)*4.2, px-x), math.Hypot(px-x, (py-y+500)*4.2)/290
		return fractal(970, math.Cos(a+r*3)*r*3+5, math.Sin(a+r*3)*r*3+5, 5)
	})
	c.draw(ellipse(x, y-500, 288, 60), func(px, py float64) rgb {
		n := crema.at(px, py)
		p := ramp{{0, hex(0x2B150A)}, {0.45, hex(0x6A3A1A)}, {0.62, hex(0xB07A45)}, {0.8, hex(0xE6C79A)}}.at(n)
		return mix(p, hex(0x2B150A), 0.7*step(0.84, 1, math.Hypot((px-x)/288, (py-y+500)/60)))
	})
	for i := range 3 {
		o := float64(i)*110 - 120
		var s []pt
		for j := range 8 {
			t := float64(j) / 7
			s = append(s, pt{x + o + 66*math.Sin(t*5+float64(i)*2)*t, y - 560 - 420*t})
		}
		c.wash(line(spline(s, false), func(t float64) float64 { return 18 + 62*t*(1.1-t) }), flat(hex(0xF4F6F8)), 0.22, 22)
	}
	c.draw(line(spline([]pt{{x - 470, y + 30}, {x - 300, y + 56}, {x - 60, y + 78}}, false), taper(14, 20)), down(y+10, y+90, ramp{{0, hex(0xF2F4F6)}, {0.5, hex(0x9AA2A8)}, {1, hex(0x5A6268)}}))
	c.draw(ellipse(x-500, y+22, 76, 30), across(x-570, x-430, ramp{{0, hex(0x7C858C)}, {0.4, hex(0xF8FAFB)}, {1, hex(0x8A939A)}}))
	return c.photo(film{grain: 0.015, vignette: 0.34, seed: 22})
}
