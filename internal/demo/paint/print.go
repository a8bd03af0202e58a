package paint

import "math"

// FestivalPoster is a printed poster with words and lanterns.
func FestivalPoster() (Image, error) {
	c := newCanvas(1654, 2339)
	fw, fh := c.size()
	night, paper := hex(0x14284B), hex(0xF6EBD2)
	c.fill(func(_, y float64) rgb {
		return ramp{{0, night}, {0.55, hex(0x2A4A7A)}, {0.68, hex(0xE0785A)}, {0.735, hex(0xF6B56A)}}.at(y / fh)
	})
	c.draw(ellipse(fw/2, 0.735*fh, 300, 300), flat(hex(0xFBE3A8)))
	for i, f := range []struct{ base, amp, wave float64 }{{0.66, 0.05, 420}, {0.70, 0.035, 300}} {
		edge := c.skyline(uint32(1301+i), f.base*fh, f.amp*fh, f.wave, 2, false)
		tone := mix(hex(0x4A5A8A), hex(0x1E3357), float64(i))
		c.below(edge, func(_, _ float64) rgb { return tone })
	}
	c.draw(rect(0, 0.735*fh, fw, fh), flat(hex(0x1B3A63)))
	for i := range 16 { // light on the water
		w := 330 - 17*float64(i) + 60*math.Sin(float64(i)*1.9)
		c.draw(rounded(fw/2-w/2+30*math.Sin(float64(i)*2.7), 0.745*fh+20*float64(i), w, 8, 4), flat(hex(0xF6C98A)))
	}
	tones := []uint32{0xE8503A, 0xF6B23C, 0x59B6A7, 0xE07AA0, 0xF3E2B0}
	for row := range 2 {
		at := func(u float64) pt { return pt{u * fw, 120 + 150*float64(row) + 340*u*(1-u)} }
		var wire []pt
		for i := range 31 {
			wire = append(wire, at(float64(i)/30))
		}
		c.draw(line(wire, thick(4)), flat(paper))
		for i := range 7 {
			p := at((float64(i) + 0.5 + 0.25*float64(row)) / 7.3)
			c.paperLantern(p.x, p.y+74, 58, hex(tones[(i+row*2)%5]))
		}
	}
	big := text{face: bold, size: 208, c: paper, align: 0.5}
	c.words(big, fw/2, 0.345*fh, "Sommerfest")
	big.size = 150
	c.words(big, fw/2, 0.415*fh, "am See")
	c.draw(rect(fw/2-90, 0.437*fh, 180, 8), flat(hex(0xF6B23C)))
	c.words(text{face: regular, size: 74, c: paper, align: 0.5}, fw/2, 0.49*fh, "Samstag, 13. Juli 2024")
	c.words(text{face: regular, size: 62, c: paper, align: 0.5}, fw/2, 0.528*fh, "ab 15 Uhr im Uferpark")
	c.words(text{face: bold, size: 62, c: hex(0xFBE3A8), align: 0.5}, fw/2, 0.905*fh, "Musik · Essen vom Grill · Lichterboote")
	c.words(text{face: regular, size: 56, c: paper, align: 0.5}, fw/2, 0.94*fh, "Feuerwerk um 22:30 Uhr · Eintritt frei")
	c.words(text{face: regular, size: 34, c: mix(paper, night, 0.3), align: 0.5}, fw/2, 0.975*fh, "Bei Regen eine Woche später")
	return c.drawing()
}

func (c *Canvas) paperLantern(x, y, r float64, tone rgb) {
	c.draw(ellipse(x, y, r, r*1.1), flat(tone))
	for i := range 5 {
		u := (float64(i) - 2) / 2.6
		c.draw(line(spline([]pt{{x + u*r*0.4, y - r*1.06}, {x + u*r*1.1, y}, {x + u*r*0.4, y + r*1.06}}, false), thick(3)), flat(tone.times(0.78)))
	}
	c.draw(rect(x-r*0.35, y-r*1.22, r*0.7, r*0.2), flat(hex(0x14284B)))
	c.draw(rect(x-r*0.35, y+r*1.02, r*0.7, r*0.2), flat(hex(0x14284B)))
}

// OpeningHours is a printed notice: nothing but words.
func OpeningHours() (Image, error) {
	c := newCanvas(1240, 1754)
	fw, _ := c.size()
	c.fill(func(_, _ float64) rgb { return hex(0xFDFBF5) })
	c.draw(rect(0, 0, fw, 250), flat(hex(0x0F5C6B)))
	c.words(text{face: bold, size: 92, c: rgb{1, 1, 1}, align: 0.5}, fw/2, 162, "Öffnungszeiten")
	rows := [][2]string{{"Montag", "geschlossen"}, {"Dienstag", "9 – 12 und 14 – 18 Uhr"}, {"Mittwoch", "9 – 12 Uhr"}, {"Donnerstag", "9 – 12 und 14 – 19 Uhr"}, {"Freitag", "9 – 15 Uhr"}, {"Samstag", "10 – 13 Uhr"}, {"Sonntag", "geschlossen"}}
	for i, r := range rows {
		y := 400 + 130*float64(i)
		if i%2 == 0 {
			c.draw(rect(70, y-84, fw-140, 130), flat(hex(0xEEF4F2)))
		}
		c.words(text{face: bold, size: 48, c: ink}, 110, y, r[0])
		c.words(text{face: regular, size: 48, c: ink, align: 1}, fw-110, y, r[1])
	}
	c.draw(rounded(70, 1350, fw-140, 250, 24), flat(hex(0xFFF0CC)))
	c.words(text{face: bold, size: 44, c: hex(0x7A4A00), align: 0.5}, fw/2, 1440, "Am 24. und 31. Dezember")
	c.words(text{face: regular, size: 44, c: hex(0x7A4A00), align: 0.5}, fw/2, 1510, "bleibt die Bücherei geschlossen.")
	c.words(text{face: regular, size: 32, c: faint, align: 0.5}, fw/2, 1690, "Rückgabekasten rund um die Uhr neben dem Eingang")
	return c.drawing()
}

// mark is the sign of the logo: a sun over two waves in a circle.
func (c *Canvas) mark(x, y, r float64, ground, sun, wave rgb) {
	c.draw(ellipse(x, y, r, r), flat(ground))
	c.draw(ellipse(x, y-r*0.16, r*0.36, r*0.36), flat(sun))
	for i := range 2 {
		base := y + r*(0.14+0.30*float64(i))
		half := math.Sqrt(math.Max(0, r*r-(base-y+r*0.1)*(base-y+r*0.1))) * 0.93
		var p []pt
		for k := range 61 {
			u := float64(k)/30 - 1
			p = append(p, pt{x + u*half, base + r*0.075*math.Sin(u*7+float64(i)*1.4)})
		}
		c.draw(line(p, thick(r*0.15)), flat(wave))
	}
}

func (c *Canvas) logoWords(tone rgb) {
	c.words(text{face: bold, size: 128, c: tone}, 400, 222, "Lakeside")
	c.words(text{face: regular, size: 50, c: tone, track: 9}, 406, 300, "TOWN AND SHORE")
}

// Logo is the logo on a transparent ground.
func Logo() (Image, error) {
	c := newFilm(1200, 400)
	c.mark(200, 200, 150, hex(0x0F5C8A), hex(0xFFC94A), hex(0xE8F3F8))
	c.logoWords(hex(0x0F3D5C))
	return c.drawing()
}

// WhiteLogo is the logo for dark pages: all white, and nothing behind it.
func WhiteLogo() (Image, error) {
	c := newFilm(1200, 400)
	white := rgb{1, 1, 1}
	ring := line(append(ellipse(200, 200, 146, 146).loops[0], pt{346, 200}), thick(9))
	c.draw(ring, flat(white))
	c.draw(ellipse(200, 168, 50, 50), flat(white))
	for i := range 2 {
		var p []pt
		for k := range 61 {
			u := float64(k)/30 - 1
			p = append(p, pt{200 + u*(112-14*float64(i)), 240 + 42*float64(i) + 10*math.Sin(u*6+float64(i)*1.4)})
		}
		c.draw(line(p, thick(19)), flat(white))
	}
	c.logoWords(white)
	return c.drawing()
}
