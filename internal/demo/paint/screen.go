package paint

import "image"

// Screenshot is a browser window with the start page of the site.
func Screenshot() (Image, error) {
	c := newCanvas(1920, 1200)
	c.fill(func(_, _ float64) rgb { return rgb{1, 1, 1} })
	c.draw(rect(0, 0, 1920, 46), flat(hex(0xDEE1E6)))
	for i, tone := range []uint32{0xFF5F57, 0xFEBC2E, 0x28C840} {
		c.draw(ellipse(26+28*float64(i), 23, 9, 9), flat(hex(tone)))
	}
	c.draw(rounded(120, 8, 330, 60, 12), flat(rgb{1, 1, 1}))
	c.words(text{face: regular, size: 19, c: ink}, 168, 32, "Lakeside: town and shore")
	c.mark(146, 26, 11, hex(0x0F5C8A), hex(0xFFC94A), hex(0xE8F3F8))
	c.draw(rect(0, 46, 1920, 54), flat(rgb{1, 1, 1}))
	c.draw(rounded(190, 53, 1540, 40, 20), flat(hex(0xF0F2F5)))
	c.words(text{face: regular, size: 20, c: ink}, 230, 80, "lakeside.example/en/")
	for i, s := range []string{"<", ">"} {
		c.words(text{face: mono, size: 26, c: faint}, 40+54*float64(i), 82, s)
	}
	c.draw(rect(0, 99, 1920, 1), flat(rule))

	c.mark(170, 152, 34, hex(0x0F5C8A), hex(0xFFC94A), hex(0xE8F3F8))
	c.words(text{face: bold, size: 38, c: hex(0x0F3D5C)}, 222, 165, "Lakeside")
	for i, s := range []string{"Visit", "Stay", "Events", "Nature", "Town hall"} {
		t := text{face: regular, size: 24, c: ink}
		if i == 0 {
			t.face, t.c = bold, hex(0x0F5C8A)
			c.draw(rect(1020, 176, 56, 4), flat(hex(0x0F5C8A)))
		}
		c.words(t, 1020+[]float64{0, 100, 200, 320, 440}[i], 162, s)
	}
	c.draw(rounded(1600, 130, 150, 46, 23), flat(hex(0x0F5C8A)))
	c.words(text{face: bold, size: 22, c: rgb{1, 1, 1}, align: 0.5}, 1675, 161, "Book")

	hero := mountainLakeCanvas(960, 320)
	c.paste(hero, image.Rect(0, 206, 1920, 846))
	c.change(206, 846, func(x, _ float64, was rgb) rgb { return was.times(0.62 + 0.38*step(500, 1300, x)) })
	c.words(text{face: bold, size: 84, c: rgb{1, 1, 1}}, 130, 480, "Evenings by the lake")
	c.words(text{face: regular, size: 34, c: hex(0xF4EEE6)}, 134, 545, "Walks, boats and warm light until ten o'clock.")
	c.draw(rounded(132, 592, 260, 64, 32), flat(hex(0xFFC94A)))
	c.words(text{face: bold, size: 26, c: hex(0x2A2000), align: 0.5}, 262, 633, "Plan your visit")

	cards := []struct{ title, body string }{{"Summer festival", "13 July, from 3 pm"}, {"Round trip by boat", "Every hour until October"}, {"Town library", "New opening hours"}}
	pictures := []*Canvas{mistyHillsCanvas(540, 230, 91), mountainLakeCanvas(540, 230), mistyHillsCanvas(540, 230, 97)}
	for i, k := range cards {
		x := 130 + 570*i
		c.wash(rect(float64(x), 886, 520, 330), flat(hex(0x203040)), 0.16, 12)
		c.draw(rounded(float64(x), 880, 520, 360, 14), flat(rgb{1, 1, 1}))
		c.paste(pictures[i], image.Rect(x, 880, x+520, 1088))
		c.words(text{face: bold, size: 30, c: ink}, float64(x+26), 1136, k.title)
		c.words(text{face: regular, size: 24, c: faint}, float64(x+26), 1176, k.body)
	}
	return c.drawing()
}
