package paint

import "math"

// fir is one conifer near enough to see its branches.
func (c *Canvas) fir(seed uint64, x, y, h float64, dark, lit rgb) {
	rng := random(seed)
	c.draw(line([]pt{{x, y}, {x, y - h*0.97}}, taper(h*0.035, h*0.004)), flat(dark))
	rows := max(int(h/9), 22)
	for i := range rows {
		t := (float64(i) + rng.Float64()) / float64(rows) // 0 = tip
		by := y - h + h*0.93*t + 0.015*h
		reach := h * 0.22 * math.Pow(t, 0.85) * (0.6 + 0.6*rng.Float64())
		for _, side := range []float64{-1, 1} {
			l := reach * (0.65 + 0.55*rng.Float64())
			droop := l * (0.22 + 0.34*rng.Float64())
			tip := pt{x + side*l, by + droop*0.86}
			mid := pt{x + side*l*0.55, by + droop*0.4}
			tone := mix(dark, lit, 0.25*rng.Float64()+0.45*math.Max(side, 0)*rng.Float64())
			c.draw(line([]pt{{x, by}, mid, tip}, taper(h*0.024*(0.4+t), h*0.003)), flat(tone))
			for range 6 { // twigs hang down
				s := 0.2 + 0.8*rng.Float64()
				a := pt{x, by}.to(tip, s)
				d := h * 0.032 * (0.3 + t) * (0.5 + rng.Float64())
				c.draw(line([]pt{a, {a.x + side*d*0.5, a.y + d}}, taper(h*0.011*(0.4+t), 1)), flat(tone))
			}
		}
	}
}
