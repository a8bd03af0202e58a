package paint

import (
	"image"
	"math"
)

// Canvas is a picture being painted.
type Canvas struct {
	W, H  int
	pix   []rgb
	cover []float32 // how opaque each pixel is; nil = all of them are
}

func newCanvas(w, h int) *Canvas { return &Canvas{W: w, H: h, pix: make([]rgb, w*h)} }

// newFilm is a canvas without a ground: what is not painted stays transparent.
func newFilm(w, h int) *Canvas {
	c := newCanvas(w, h)
	c.cover = make([]float32, w*h)
	return c
}

func (c *Canvas) size() (w, h float64) { return float64(c.W), float64(c.H) }

// blend lays colour s with opacity a over pixel i.
func (c *Canvas) blend(i int, s rgb, a float64) {
	p := &c.pix[i]
	k := float32(a)
	if c.cover != nil {
		total := k + c.cover[i]*(1-k)
		c.cover[i] = total
		if total > 0 {
			k /= total
		}
	}
	p.r += (s.r - p.r) * k
	p.g += (s.g - p.g) * k
	p.b += (s.b - p.b) * k
}

// fill paints every pixel.
func (c *Canvas) fill(f func(x, y float64) rgb) {
	for y := range c.H {
		for x := range c.W {
			c.pix[y*c.W+x] = f(float64(x), float64(y))
		}
	}
}

// change repaints the pixels of rows y0..y1 from what is there.
func (c *Canvas) change(y0, y1 int, f func(x, y float64, was rgb) rgb) {
	for y := max(y0, 0); y < min(y1, c.H); y++ {
		for x := range c.W {
			i := y*c.W + x
			c.pix[i] = f(float64(x), float64(y), c.pix[i])
		}
	}
}

// below paints everything under an edge that is given per column, with a
// smooth border.
func (c *Canvas) below(edge []float64, f func(x, y float64) rgb) {
	top := c.H
	for _, e := range edge {
		top = min(top, int(math.Floor(e)))
	}
	for y := max(top, 0); y < c.H; y++ {
		for x, e := range edge {
			if a := float64(y) + 1 - e; a > 0 {
				c.blend(y*c.W+x, f(float64(x), float64(y)), math.Min(a, 1))
			}
		}
	}
}

// glow adds light around a point, reaching out to about radius.
func (c *Canvas) glow(cx, cy, radius float64, light rgb, strength float64) {
	reach := radius * 2.6
	for y := max(0, int(cy-reach)); y < min(c.H, int(cy+reach)); y++ {
		for x := max(0, int(cx-reach)); x < min(c.W, int(cx+reach)); x++ {
			d := math.Hypot(float64(x)-cx, float64(y)-cy) / radius
			if d > 2.6 {
				continue
			}
			k := strength * (math.Exp(-d*d*1.6) - 0.00002)
			p := &c.pix[y*c.W+x]
			// screen, not plain addition: light never burns a hole into the picture
			p.r += (1.05 - p.r) * light.r * float32(k)
			p.g += (1.05 - p.g) * light.g * float32(k)
			p.b += (1.05 - p.b) * light.b * float32(k)
		}
	}
}

// paste lays another picture onto this one, scaled into the rectangle.
func (c *Canvas) paste(src *Canvas, r image.Rectangle) {
	sx, sy := float64(src.W)/float64(r.Dx()), float64(src.H)/float64(r.Dy())
	for y := max(r.Min.Y, 0); y < min(r.Max.Y, c.H); y++ {
		for x := max(r.Min.X, 0); x < min(r.Max.X, c.W); x++ {
			c.blend(y*c.W+x, src.sample((float64(x-r.Min.X)+0.5)*sx-0.5, (float64(y-r.Min.Y)+0.5)*sy-0.5), 1)
		}
	}
}

// sample reads between pixels.
func (c *Canvas) sample(x, y float64) rgb {
	x, y = clamp(x, 0, float64(c.W)-1.001), clamp(y, 0, float64(c.H)-1.001)
	i, j := int(x), int(y)
	u, v := x-float64(i), y-float64(j)
	k := j*c.W + i
	down := 0
	if j+1 < c.H {
		down = c.W
	}
	right := 0
	if i+1 < c.W {
		right = 1
	}
	return mix(mix(c.pix[k], c.pix[k+right], u), mix(c.pix[k+down], c.pix[k+down+right], u), v)
}

// film is how a finished photograph looks.
type film struct {
	grain    float64 // strength of the noise of a sensor
	vignette float64 // how much darker the corners are
	seed     uint32
}

// develop turns the canvas into pixels of eight bits. Even without grain a
// trace of noise is added, so that gradients show no bands.
func (c *Canvas) develop(f film) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, c.W, c.H))
	cx, cy := float64(c.W)/2, float64(c.H)/2
	inv := 1 / (cx*cx + cy*cy)
	for y := range c.H {
		for x := range c.W {
			i := y*c.W + x
			p := c.pix[i]
			shade := 1.0
			if f.vignette > 0 {
				dx, dy := float64(x)-cx, float64(y)-cy
				d := (dx*dx + dy*dy) * inv
				shade = 1 - f.vignette*d*d
			}
			n := 0.0
			if f.grain > 0 {
				// film is grainiest in the middle tones
				g := p.grey()
				n = f.grain * (speck(f.seed, x, y) + speck(f.seed+1, x/2, y/2)) * (0.35 + 2.4*g*(1-g))
			}
			dither := speck(f.seed+7, x, y) * 0.5
			o := img.Pix[y*img.Stride+x*4:]
			o[0] = eight(float64(p.r)*shade+n, dither)
			o[1] = eight(float64(p.g)*shade+n, dither)
			o[2] = eight(float64(p.b)*shade+n, dither)
			o[3] = 255
		}
	}
	return img
}

// plain turns a drawn canvas (chart, poster) into pixels without any noise, so
// that flat colours stay flat and the file small.
func (c *Canvas) plain() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, c.W, c.H))
	for i, p := range c.pix {
		o := img.Pix[i*4:]
		o[0], o[1], o[2], o[3] = eight(float64(p.r), 0), eight(float64(p.g), 0), eight(float64(p.b), 0), 255
		if c.cover != nil {
			o[3] = eight(float64(c.cover[i]), 0)
		}
	}
	return img
}

func eight(v, dither float64) uint8 {
	return uint8(clamp(v*255+0.5+dither, 0, 255))
}

func image4(x, y, w, h int) image.Rectangle { return image.Rect(x, y, x+w, y+h) }
