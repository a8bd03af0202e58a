package paint

import (
	"math"
	"strconv"
)

// HikingMap is a map with contour lines, a lake, woods, paths and a legend.
func HikingMap() (Image, error) {
	c := newCanvas(2000, 1500)
	height := newField(c.W, c.H, 4, func(x, y float64) float64 {
		u, v := x/2000, y/1500
		h := 0.72*fractal(1401, u*3.1+2, v*2.4, 5) + 0.35*step(0.2, 1, 1-v) - 0.12*bell(u, 0.5, 0.3)
		d := math.Hypot((u-0.58)*1.25, (v-0.62)*1.9)
		return h + 0.06 - 0.9*math.Exp(-d*d*15)
	})
	const water = 0.30
	tints := ramp{{water, hex(0xDDEBC4)}, {0.45, hex(0xEFF0CB)}, {0.62, hex(0xF2DDAE)}, {0.78, hex(0xDDB98A)}, {0.95, hex(0xF6F3EE)}}
	c.fill(func(x, y float64) rgb {
		h := height.at(x, y)
		if h < water {
			return mix(hex(0xBFE0F0), hex(0x7FB9DB), (water-h)*4.5)
		}
		slope := height.at(x+5, y+5) - h
		p := tints.at(h).times(1 + clamp(slope*7, -0.22, 0.14))
		if wood := fractal(1402, x/150, y/150, 4); h < 0.68 {
			p = mix(p, hex(0xA9CB8E), 0.75*step(0.50, 0.54, wood))
		}
		// a contour line is where the height passes a multiple; its width is even on any slope
		g := math.Hypot(height.at(x+2, y)-height.at(x-2, y), height.at(x, y+2)-height.at(x, y-2))/4 + 1e-5
		for _, k := range []struct{ every, width, strength float64 }{{0.025, 0.8, 0.45}, {0.125, 1.5, 0.8}} {
			r := math.Mod(h, k.every)
			p = mix(p, hex(0xA97544), k.strength*step(k.width+0.8, k.width-0.2, math.Min(r, k.every-r)/g))
		}
		return mix(p, hex(0x2F6FA0), step(2.6, 1.2, math.Abs(h-water)/g))
	})
	road := spline([]pt{{-20, 1330}, {260, 1250}, {520, 1290}, {760, 1390}, {1060, 1420}, {1450, 1395}, {1720, 1260}, {2020, 1180}}, false)
	c.draw(line(road, thick(17)), flat(hex(0x8A5A2A)))
	c.draw(line(road, thick(12)), flat(hex(0xFFD66B)))
	trail := spline([]pt{{520, 1290}, {500, 1130}, {430, 960}, {430, 800}, {640, 640}, {940, 540}, {1180, 520}, {1450, 560}, {1720, 640}, {1810, 860}, {1790, 1090}, {1720, 1260}}, false)
	for i := 0; i+4 < len(trail); i += 6 {
		c.draw(line(trail[i:i+4], thick(8)), flat(hex(0xC8202F)))
	}
	spot := func(x, y float64, name, detail string, tone rgb) {
		c.draw(ellipse(x, y, 15, 15), flat(rgb{1, 1, 1}))
		c.draw(ellipse(x, y, 11, 11), flat(tone))
		for _, o := range []pt{{-2, 0}, {2, 0}, {0, -2}, {0, 2}} {
			c.words(text{face: bold, size: 32, c: rgb{1, 1, 1}}, x+24+o.x, y+10+o.y, name)
		}
		c.words(text{face: bold, size: 32, c: ink}, x+24, y+10, name)
		c.words(text{face: regular, size: 24, c: ink}, x+24, y+42, detail)
	}
	spot(520, 1290, "Bahnhof", "412 m", hex(0x1F4E8A))
	spot(430, 960, "Waldkapelle", "530 m", hex(0x5A3A8A))
	spot(940, 540, "Aussichtsturm", "804 m", hex(0xC8202F))
	spot(1720, 640, "Seeblick-Hütte", "655 m", hex(0x8A4A1F))
	spot(1720, 1260, "Strandbad", "405 m", hex(0x1F7A8A))
	c.words(text{face: italic, size: 62, c: hex(0x1F5C8A), align: 0.5, track: 10, turn: -0.06}, 1165, 960, "Lakeside See")
	c.legend()
	c.draw(rect(0, 0, 2000, 12), flat(ink))
	c.draw(rect(0, 1488, 2000, 12), flat(ink))
	c.draw(rect(0, 0, 12, 1500), flat(ink))
	c.draw(rect(1988, 0, 12, 1500), flat(ink))
	return c.drawing()
}

func (c *Canvas) legend() {
	c.draw(rounded(48, 48, 470, 400, 14), flat(hex(0x3A4650)))
	c.draw(rounded(51, 51, 464, 394, 12), flat(rgb{1, 1, 1}))
	c.words(text{face: bold, size: 40, c: ink}, 84, 112, "Wanderkarte Seeufer")
	t := text{face: regular, size: 28, c: ink}
	for i := range 3 {
		c.draw(line([]pt{{86 + 30*float64(i), 162}, {102 + 30*float64(i), 162}}, thick(8)), flat(hex(0xC8202F)))
	}
	c.words(t, 200, 171, "Rundweg, 11 km, 3:30 h")
	c.draw(line([]pt{{86, 214}, {166, 214}}, thick(15)), flat(hex(0x8A5A2A)))
	c.draw(line([]pt{{86, 214}, {166, 214}}, thick(10)), flat(hex(0xFFD66B)))
	c.words(t, 200, 223, "Straße")
	c.draw(rect(84, 250, 84, 32), flat(hex(0xA9CB8E)))
	c.words(t, 200, 275, "Wald")
	c.draw(rect(84, 302, 84, 32), flat(hex(0x9FCBE4)))
	c.words(t, 200, 327, "Wasser")
	for i := range 4 {
		tone := ink
		if i%2 == 1 {
			tone = rgb{1, 1, 1}
		}
		c.draw(rect(84+70*float64(i), 376, 70, 14), flat(ink))
		c.draw(rect(86+70*float64(i), 378, 66, 10), flat(tone))
		c.words(text{face: regular, size: 22, c: ink, align: 0.5}, 84+70*float64(i), 420, strconv.Itoa(i*500))
	}
	c.words(text{face: regular, size: 22, c: ink, align: 0.5}, 376, 420, "2000 m")
	n := pt{1890, 130}
	c.draw(polygon(pt{n.x, n.y - 80}, pt{n.x + 30, n.y + 30}, pt{n.x, n.y + 8}), flat(ink))
	c.draw(polygon(pt{n.x, n.y - 80}, pt{n.x - 30, n.y + 30}, pt{n.x, n.y + 8}), flat(rgb{1, 1, 1}))
	c.draw(line([]pt{{n.x, n.y - 80}, {n.x - 30, n.y + 30}, {n.x, n.y + 8}}, thick(3)), flat(ink))
	c.words(text{face: bold, size: 36, c: ink, align: 0.5}, n.x, n.y+74, "N")
}

// FloorPlan is the plan of a ground floor.
func FloorPlan() (Image, error) {
	c := newCanvas(1600, 1100)
	c.fill(func(x, y float64) rgb {
		if math.Mod(x, 50) < 1 || math.Mod(y, 50) < 1 {
			return hex(0xE6EEF5)
		}
		return hex(0xFBFDFE)
	})
	rooms := []struct {
		x, y, w, h float64
		name, area string
	}{
		{120, 160, 460, 340, "Bürgerbüro", "46,0 m²"},
		{580, 160, 300, 340, "Registratur", "30,2 m²"},
		{880, 160, 600, 340, "Sitzungssaal", "62,5 m²"},
		{120, 640, 340, 320, "Kasse", "32,8 m²"},
		{460, 640, 420, 320, "Foyer", "40,1 m²"},
		{880, 640, 260, 320, "Archiv", "24,9 m²"},
		{1140, 640, 340, 320, "Technik", "32,6 m²"},
		{120, 500, 1360, 140, "Flur", "57,3 m²"},
	}
	for _, r := range rooms {
		if r.name == "Archiv" || r.name == "Technik" {
			c.draw(rect(r.x, r.y, r.w, r.h), flat(hex(0xF5E3E0)))
		}
		c.words(text{face: bold, size: 30, c: ink, align: 0.5}, r.x+r.w/2, r.y+r.h/2, r.name)
		c.words(text{face: regular, size: 24, c: faint, align: 0.5}, r.x+r.w/2, r.y+r.h/2+36, r.area)
	}
	for _, r := range rooms {
		loop := []pt{{r.x, r.y}, {r.x + r.w, r.y}, {r.x + r.w, r.y + r.h}, {r.x, r.y + r.h}, {r.x, r.y}}
		c.draw(line(loop, thick(12)), flat(ink))
	}
	door := func(x, y, dir float64) {
		c.draw(rect(x, y-8, 84, 16), flat(hex(0xFBFDFE)))
		var arc []pt
		for i := range 21 {
			s, k := math.Sincos(math.Pi / 2 * float64(i) / 20)
			arc = append(arc, pt{x + 84*k, y + dir*84*s})
		}
		c.draw(line(arc, thick(2)), flat(faint))
		c.draw(line([]pt{{x, y}, {x, y + dir*84}}, thick(5)), flat(ink))
	}
	for _, x := range []float64{300, 680, 1130} {
		door(x, 500, -1)
	}
	for _, x := range []float64{240, 620, 960, 1260} {
		door(x, 640, 1)
	}
	door(630, 960, -1)
	c.words(text{face: bold, size: 40, c: ink}, 120, 100, "Rathaus, Erdgeschoss")
	c.words(text{face: regular, size: 26, c: hex(0xB3261E)}, 1150, 100, "Nur für den Dienstgebrauch")
	c.words(text{face: regular, size: 26, c: faint}, 120, 1040, "Maßstab 1:100")
	return c.drawing()
}
