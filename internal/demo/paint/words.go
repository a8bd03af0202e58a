package paint

import (
	"image"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// typeface parses a font once for all pictures.
type typeface struct {
	ttf  []byte
	once sync.Once
	font *opentype.Font
}

var (
	regular = &typeface{ttf: goregular.TTF}
	bold    = &typeface{ttf: gobold.TTF}
	italic  = &typeface{ttf: goitalic.TTF}
	mono    = &typeface{ttf: gomono.TTF}
)

func (t *typeface) face(size float64) font.Face {
	t.once.Do(func() {
		f, err := opentype.Parse(t.ttf)
		if err != nil {
			panic("paint: a built-in font does not parse: " + err.Error())
		}
		t.font = f
	})
	f, err := opentype.NewFace(t.font, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic("paint: a built-in font has no such size: " + err.Error())
	}
	return f
}

// text says how words are set. align is 0 for left, 0.5 for centred, 1 for right.
type text struct {
	face  *typeface
	size  float64
	c     rgb
	align float64
	track float64 // extra space between letters, in pixels
	turn  float64 // radians
}

func (t text) width(s string) float64 {
	f := t.face.face(t.size)
	w := float64(font.MeasureString(f, s)) / 64
	return w + t.track*float64(max(len([]rune(s))-1, 0))
}

// words writes s with its baseline at y.
func (c *Canvas) words(t text, x, y float64, s string) {
	f := t.face.face(t.size)
	total := t.width(s)
	w, h := int(math.Ceil(total))+8, int(t.size*1.6)+4
	ink := image.NewAlpha(image.Rect(0, 0, w, h))
	base := t.size * 1.15
	d := font.Drawer{Dst: ink, Src: image.Opaque, Face: f, Dot: fixed.Point26_6{X: 4 << 6, Y: fixed.Int26_6(base * 64)}}
	if t.track == 0 {
		d.DrawString(s)
	} else {
		for _, r := range s {
			d.DrawString(string(r))
			d.Dot.X += fixed.Int26_6(t.track * 64)
		}
	}
	if t.turn == 0 {
		c.ink(ink, t.c, int(math.Round(x-total*t.align))-4, int(math.Round(y-base)))
		return
	}
	c.turned(ink, t, x, y, 4+total*t.align, base)
}

func (c *Canvas) ink(m *image.Alpha, colour rgb, ox, oy int) {
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			a := m.Pix[y*m.Stride+x]
			if px, py := ox+x, oy+y; a > 0 && px >= 0 && py >= 0 && px < c.W && py < c.H {
				c.blend(py*c.W+px, colour, float64(a)/255)
			}
		}
	}
}

// turned draws rotated words: every pixel nearby looks back into the straight ones.
func (c *Canvas) turned(m *image.Alpha, t text, x, y, px, py float64) {
	reach := math.Hypot(float64(m.Rect.Dx()), float64(m.Rect.Dy()))
	for j := max(0, int(y-reach)); j < min(c.H, int(y+reach)); j++ {
		for i := max(0, int(x-reach)); i < min(c.W, int(x+reach)); i++ {
			q := pt{float64(i) - x, float64(j) - y}.turn(-t.turn)
			u, v := q.x+px, q.y+py
			if u < 0 || v < 0 || u >= float64(m.Rect.Dx()-1) || v >= float64(m.Rect.Dy()-1) {
				continue
			}
			k, fu, fv := int(v)*m.Stride+int(u), u-math.Floor(u), v-math.Floor(v)
			a := lerp(lerp(float64(m.Pix[k]), float64(m.Pix[k+1]), fu), lerp(float64(m.Pix[k+m.Stride]), float64(m.Pix[k+m.Stride+1]), fu), fv)
			if a > 0 {
				c.blend(j*c.W+i, t.c, a/255)
			}
		}
	}
}
