package paint

import "math"

// lake mirrors what lies above a line into the rows below it.
type lake struct {
	from, to int // rows
	tint     rgb
	dark     float64 // how much of the tint at the far and near end
	near     float64
	ripple   float64 // strength of the waves
	seed     uint32
	glint    rgb // light on the waves
	shine    pt  // column and width of a path of light; zero width = none
}

func (c *Canvas) lake(k lake) {
	depth := float64(k.to - k.from)
	src := make([]rgb, k.from*c.W)
	copy(src, c.pix[:k.from*c.W])
	up := &Canvas{W: c.W, H: k.from, pix: src}
	for y := k.from; y < min(k.to, c.H); y++ {
		t := float64(y-k.from) / depth
		// waves look longer and higher the nearer they are
		scale := 5 + 46*t
		sway := k.ripple * (2 + 46*t)
		for x := range c.W {
			n := noise(k.seed, float64(x)/(scale*5.5), float64(y)/(2.2+9*t)) - 0.5
			m := noise(k.seed+1, float64(x)/(scale*1.7)+9, float64(y)/(1.6+5*t)) - 0.5
			wave := n*0.75 + m*0.25
			sy := float64(k.from) - 1 - float64(y-k.from)*0.93 + wave*sway*1.6
			p := up.sample(float64(x)+wave*sway*0.35, sy)
			p = mix(p, k.tint, lerp(k.dark, k.near, t))
			if k.ripple > 0 {
				p = p.times(1 + wave*0.22*math.Min(k.ripple, 1.2))
			}
			if k.shine.y > 0 {
				width := k.shine.y * (0.35 + 1.3*t)
				s := bell(float64(x), k.shine.x+n*60*t, width) * step(0.05, 0.42, m+0.16)
				p = mix(p, k.glint, clamp(s*0.85, 0, 1))
			}
			c.pix[y*c.W+x] = p
		}
	}
}

// sea is open water without a mirror: bands of waves from the horizon on.
func (c *Canvas) sea(from, to int, far, near, foam rgb, seed uint32) {
	depth := float64(to - from)
	for y := from; y < min(to, c.H); y++ {
		t := float64(y-from) / depth
		scale := 4 + 60*t
		for x := range c.W {
			n := fractal(seed, float64(x)/(scale*6), float64(y)/(1.8+13*t), 3)
			m := noise(seed+3, float64(x)/(scale*1.4), float64(y)/(1.2+6*t))
			p := mix(far, near, math.Pow(t, 0.75)).times(0.84 + 0.34*n)
			p = mix(p, foam, 0.85*step(0.70, 0.80, n*0.72+m*0.28)*step(0.02, 0.3, t))
			c.pix[y*c.W+x] = p
		}
	}
}
