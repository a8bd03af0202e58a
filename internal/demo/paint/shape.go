package paint

import (
	"image"
	"math"

	"golang.org/x/image/vector"
)

type pt struct{ x, y float64 }

func (p pt) plus(q pt) pt          { return pt{p.x + q.x, p.y + q.y} }
func (p pt) minus(q pt) pt         { return pt{p.x - q.x, p.y - q.y} }
func (p pt) times(f float64) pt    { return pt{p.x * f, p.y * f} }
func (p pt) to(q pt, t float64) pt { return pt{lerp(p.x, q.x, t), lerp(p.y, q.y, t)} }
func (p pt) turn(angle float64) pt {
	s, c := math.Sincos(angle)
	return pt{p.x*c - p.y*s, p.x*s + p.y*c}
}

// path is an outline of closed loops.
type path struct {
	loops [][]pt // each loop is flattened to straight pieces
}

func polygon(points ...pt) *path { return &path{loops: [][]pt{points}} }

func rect(x, y, w, h float64) *path {
	return polygon(pt{x, y}, pt{x + w, y}, pt{x + w, y + h}, pt{x, y + h})
}

func ellipse(cx, cy, rx, ry float64) *path {
	n := int(clamp(math.Sqrt(math.Max(rx, ry))*5, 16, 240))
	loop := make([]pt, n)
	for i := range loop {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		loop[i] = pt{cx + rx*c, cy + ry*s}
	}
	return &path{loops: [][]pt{loop}}
}

func rounded(x, y, w, h, r float64) *path {
	r = math.Min(r, math.Min(w, h)/2)
	var loop []pt
	corner := func(cx, cy, from float64) {
		for i := range 13 {
			s, c := math.Sincos(from + math.Pi/2*float64(i)/12)
			loop = append(loop, pt{cx + r*c, cy + r*s})
		}
	}
	corner(x+w-r, y+r, -math.Pi/2)
	corner(x+w-r, y+h-r, 0)
	corner(x+r, y+h-r, math.Pi/2)
	corner(x+r, y+r, math.Pi)
	return &path{loops: [][]pt{loop}}
}

// spline runs smoothly through the points (Catmull-Rom); closed joins the ends.
func spline(points []pt, closed bool) []pt {
	n := len(points)
	pick := func(i int) pt {
		if closed {
			return points[((i%n)+n)%n]
		}
		return points[min(max(i, 0), n-1)]
	}
	pieces := n - 1
	if closed {
		pieces = n
	}
	var out []pt
	for i := range pieces {
		a, b, c, d := pick(i-1), pick(i), pick(i+1), pick(i+2)
		for k := range 16 {
			t := float64(k) / 16
			out = append(out, pt{catmull(a.x, b.x, c.x, d.x, t), catmull(a.y, b.y, c.y, d.y, t)})
		}
	}
	if !closed {
		out = append(out, points[n-1])
	}
	return out
}

func catmull(a, b, c, d, t float64) float64 {
	return 0.5 * (2*b + (c-a)*t + (2*a-5*b+4*c-d)*t*t + (3*b-a-3*c+d)*t*t*t)
}

func blob(points ...pt) *path { return &path{loops: [][]pt{spline(points, true)}} }

// line is the outline of a stroke through the points, with round joins.
func line(points []pt, width func(t float64) float64) *path {
	p := &path{}
	last := float64(max(len(points)-1, 1))
	for i, b := range points {
		r := width(float64(i)/last) / 2
		p.loops = append(p.loops, ellipse(b.x, b.y, r, r).loops[0])
		if i == 0 {
			continue
		}
		a := points[i-1] //nolint:gosec // i is not 0 here
		d := b.minus(a)
		l := math.Hypot(d.x, d.y)
		if l == 0 {
			continue
		}
		q := width(float64(i-1)/last) / 2
		n := pt{-d.y / l, d.x / l}
		// the same sense of rotation as the circles: loops that overlap must not cancel out
		p.loops = append(p.loops, []pt{a.minus(n.times(q)), b.minus(n.times(r)), b.plus(n.times(r)), a.plus(n.times(q))})
	}
	return p
}

func thick(w float64) func(float64) float64 { return func(float64) float64 { return w } }
func taper(a, b float64) func(float64) float64 {
	return func(t float64) float64 { return lerp(a, b, t) }
}

// with adds the loops of others.
func (p *path) with(others ...*path) *path {
	for _, o := range others {
		p.loops = append(p.loops, o.loops...)
	}
	return p
}

func (p *path) bounds() (lo, hi pt) {
	lo, hi = pt{math.Inf(1), math.Inf(1)}, pt{math.Inf(-1), math.Inf(-1)}
	for _, l := range p.loops {
		for _, q := range l {
			lo = pt{math.Min(lo.x, q.x), math.Min(lo.y, q.y)}
			hi = pt{math.Max(hi.x, q.x), math.Max(hi.y, q.y)}
		}
	}
	return lo, hi
}

// mask is how much of each pixel of a rectangle a shape covers, 0..1.
type mask struct {
	r image.Rectangle
	a []float32
}

func (c *Canvas) mask(p *path, margin int) *mask {
	lo, hi := p.bounds()
	r := image.Rect(int(math.Floor(lo.x))-margin, int(math.Floor(lo.y))-margin, int(math.Ceil(hi.x))+1+margin, int(math.Ceil(hi.y))+1+margin)
	r = r.Intersect(image.Rect(-margin, -margin, c.W+margin, c.H+margin))
	if r.Empty() {
		return nil
	}
	z := vector.NewRasterizer(r.Dx(), r.Dy())
	for _, l := range p.loops {
		for i, q := range l {
			x, y := float32(q.x-float64(r.Min.X)), float32(q.y-float64(r.Min.Y))
			if i == 0 {
				z.MoveTo(x, y)
			} else {
				z.LineTo(x, y)
			}
		}
		z.ClosePath()
	}
	alpha := image.NewAlpha(image.Rect(0, 0, r.Dx(), r.Dy()))
	z.Draw(alpha, alpha.Bounds(), image.Opaque, image.Point{})
	m := &mask{r: r, a: make([]float32, len(alpha.Pix))}
	for i, v := range alpha.Pix {
		m.a[i] = float32(v) / 255
	}
	return m
}

// soften blurs the mask: three boxes are nearly a Gaussian.
func (m *mask) soften(radius int) *mask {
	if m == nil || radius < 1 {
		return m
	}
	w, h := m.r.Dx(), m.r.Dy()
	tmp := make([]float32, len(m.a))
	for range 3 {
		for y := range h {
			box(m.a[y*w:], tmp[y*w:], w, 1, radius)
		}
		for x := range w {
			box(tmp[x:], m.a[x:], h, w, radius)
		}
	}
	return m
}

func box(src, dst []float32, n, stride, radius int) {
	sum := float32(0)
	for i := range min(radius, n) {
		sum += src[i*stride]
	}
	k := 1 / float32(2*radius+1)
	for i := range n {
		if i+radius < n {
			sum += src[(i+radius)*stride]
		}
		dst[i*stride] = sum * k
		if i-radius >= 0 {
			sum -= src[(i-radius)*stride]
		}
	}
}

// shader answers the colour of a place.
type shader func(x, y float64) rgb

func flat(c rgb) shader { return func(float64, float64) rgb { return c } }

// down is a gradient from y0 to y1.
func down(y0, y1 float64, r ramp) shader {
	return func(_, y float64) rgb { return r.at((y - y0) / (y1 - y0)) }
}

// across is a gradient from x0 to x1.
func across(x0, x1 float64, r ramp) shader {
	return func(x, _ float64) rgb { return r.at((x - x0) / (x1 - x0)) }
}

func (c *Canvas) stamp(m *mask, s shader, opacity float64) {
	if m == nil {
		return
	}
	r := m.r.Intersect(image.Rect(0, 0, c.W, c.H))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := m.a[(y-m.r.Min.Y)*m.r.Dx():]
		for x := r.Min.X; x < r.Max.X; x++ {
			if a := row[x-m.r.Min.X]; a > 0.002 {
				c.blend(y*c.W+x, s(float64(x), float64(y)), float64(a)*opacity)
			}
		}
	}
}

// draw fills a shape.
func (c *Canvas) draw(p *path, s shader) { c.stamp(c.mask(p, 0), s, 1) }

// wash fills a shape with soft borders: a shadow, mist, something out of focus.
func (c *Canvas) wash(p *path, s shader, opacity, radius float64) {
	n := int(radius)
	c.stamp(c.mask(p, 3*n+1).soften(n), s, opacity)
}
