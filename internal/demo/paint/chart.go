package paint

import (
	"math"
	"strconv"
)

var (
	ink    = hex(0x22303C)
	faint  = hex(0x6B7883)
	rule   = hex(0xDDE3E8)
	series = []rgb{hex(0x1F6FB2), hex(0xE0802B), hex(0x3C9A5F), hex(0xB23A5B), hex(0x7A5CB0), hex(0x8C98A3)}
)

// sheet is a white page with a title and a line below it.
func sheet(w, h int, title, sub string) *Canvas {
	c := newCanvas(w, h)
	c.fill(func(_, _ float64) rgb { return rgb{1, 1, 1} })
	c.words(text{face: bold, size: 46, c: ink}, 80, 100, title)
	c.words(text{face: regular, size: 27, c: faint}, 80, 146, sub)
	return c
}

// VisitorBars is a bar chart of visitors per year.
func VisitorBars() (Image, error) {
	c := sheet(1600, 1000, "Visitors per year", "Overnight guests in thousands, 2019 to 2024")
	values := []float64{412, 188, 236, 371, 428, 463}
	const x0, y0, w, h, top = 150.0, 860.0, 1380.0, 620.0, 500.0
	for v := 0.0; v <= top; v += 100 {
		y := y0 - v/top*h
		c.draw(rect(x0, y-1, w, 2), flat(rule))
		c.words(text{face: regular, size: 26, c: faint, align: 1}, x0-18, y+9, strconv.Itoa(int(v)))
	}
	for i, v := range values {
		cx := x0 + w*(float64(i)+0.5)/float64(len(values))
		bh := v / top * h
		tone := series[0]
		if i == 1 {
			tone = series[1]
		}
		c.draw(rounded(cx-70, y0-bh, 140, bh+10, 10), down(y0-bh, y0, ramp{{0, mix(tone, rgb{1, 1, 1}, 0.12)}, {1, tone}}))
		c.draw(rect(cx-72, y0+1, 144, 14), flat(rgb{1, 1, 1}))
		c.words(text{face: bold, size: 30, c: ink, align: 0.5}, cx, y0-bh-18, strconv.Itoa(int(v)))
		c.words(text{face: regular, size: 28, c: ink, align: 0.5}, cx, y0+46, strconv.Itoa(2019+i))
	}
	c.draw(rect(x0, y0-1, w, 3), flat(ink))
	c.words(text{face: italic, size: 22, c: faint}, 80, 960, "2020: hotels closed from March to June. Numbers are made up for this demonstration.")
	return c.drawing()
}

// NightsLine is a line chart of overnight stays per month in two years.
func NightsLine() (Image, error) {
	c := sheet(1600, 1000, "Overnight stays per month", "Thousands of nights, hotels and camp sites")
	years := []struct {
		name string
		v    []float64
	}{
		{"2023", []float64{18, 21, 24, 33, 47, 58, 79, 84, 55, 38, 20, 27}},
		{"2024", []float64{20, 25, 29, 36, 52, 66, 88, 91, 61, 40, 22, 31}},
	}
	months := []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}
	const x0, y0, w, h = 150.0, 860.0, 1300.0, 620.0
	for v := 0; v <= 100; v += 20 {
		y := y0 - float64(v)/100*h
		c.draw(rect(x0, y-1, w, 2), flat(rule))
		c.words(text{face: regular, size: 26, c: faint, align: 1}, x0-18, y+9, strconv.Itoa(v))
	}
	for i, m := range months {
		c.words(text{face: regular, size: 26, c: ink, align: 0.5}, x0+w*float64(i)/11, y0+44, m)
	}
	for k, y := range years {
		var p []pt
		for i, v := range y.v {
			p = append(p, pt{x0 + w*float64(i)/11, y0 - v/100*h})
		}
		tone := series[1-k]
		if k == 1 {
			area := append(append([]pt{}, p...), pt{x0 + w, y0}, pt{x0, y0})
			c.stamp(c.mask(polygon(area...), 0), down(y0-h, y0, ramp{{0, tone}, {1, rgb{1, 1, 1}}}), 0.22)
		}
		c.draw(line(p, thick(6)), flat(tone))
		for _, q := range p {
			c.draw(ellipse(q.x, q.y, 11, 11), flat(tone))
			c.draw(ellipse(q.x, q.y, 5, 5), flat(rgb{1, 1, 1}))
		}
		last := p[len(p)-1]
		c.words(text{face: bold, size: 28, c: tone}, last.x+22, last.y+10-14*float64(k)+7, y.name)
	}
	peak := pt{x0 + w*7/11, y0 - 0.91*h}
	c.words(text{face: bold, size: 26, c: ink, align: 0.5}, peak.x, peak.y-28, "91 in August")
	return c.drawing()
}

// TravelPie is a ring chart: how guests travel.
func TravelPie() (Image, error) {
	c := sheet(1600, 1000, "How guests travel to the lake", "Share of guests asked in summer 2024")
	parts := []struct {
		name  string
		share float64
	}{{"Car", 46}, {"Train", 27}, {"Coach", 11}, {"Bicycle", 9}, {"Boat", 5}, {"On foot", 2}}
	const cx, cy, r = 500.0, 570.0, 330.0
	from := -math.Pi / 2
	for i, p := range parts {
		to := from + p.share/100*2*math.Pi
		loop := []pt{}
		const n = 60
		for k := range n + 1 {
			s, q := math.Sincos(lerp(from, to, float64(k)/n))
			loop = append(loop, pt{cx + r*q, cy + r*s})
		}
		for k := n; k >= 0; k-- {
			s, q := math.Sincos(lerp(from, to, float64(k)/n))
			loop = append(loop, pt{cx + r*0.52*q, cy + r*0.52*s})
		}
		c.draw(polygon(loop...), flat(series[i]))
		s, q := math.Sincos(from)
		c.draw(line([]pt{{cx + r*0.5*q, cy + r*0.5*s}, {cx + r*1.02*q, cy + r*1.02*s}}, thick(7)), flat(rgb{1, 1, 1}))
		if p.share > 4 {
			s, q := math.Sincos((from + to) / 2)
			c.words(text{face: bold, size: 30, c: rgb{1, 1, 1}, align: 0.5}, cx+r*0.76*q, cy+r*0.76*s+11, strconv.Itoa(int(p.share))+" %")
		}
		y := 330 + 88*float64(i)
		c.draw(rounded(1000, y-30, 40, 40, 8), flat(series[i]))
		c.words(text{face: regular, size: 34, c: ink}, 1066, y+2, p.name)
		c.words(text{face: bold, size: 34, c: ink, align: 1}, 1430, y+2, strconv.Itoa(int(p.share))+" %")
		from = to
	}
	s, q := math.Sincos(-math.Pi / 2)
	c.draw(line([]pt{{cx + r*0.5*q, cy + r*0.5*s}, {cx + r*1.02*q, cy + r*1.02*s}}, thick(7)), flat(rgb{1, 1, 1}))
	c.words(text{face: bold, size: 58, c: ink, align: 0.5}, cx, cy+8, "1 240")
	c.words(text{face: regular, size: 27, c: faint, align: 0.5}, cx, cy+50, "answers")
	return c.drawing()
}
