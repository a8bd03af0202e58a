package demo

import (
	"bytes"
	"image"
	"image/color"
	_ "image/jpeg" // the two formats that are ever sent
	_ "image/png"
	"math"
	"slices"

	"editor-actions/internal/media"
)

// sight is what can be told from pixels alone.
type sight struct {
	shape      string   // landscape, portrait, square, panorama
	colours    []string // names, most frequent first, at most two
	brightness string   // dark, medium, bright
	drawing    bool     // few flat colours
	detail     string   // little, some, much
	centre     string   // the most frequent colour of the inner ninth
	flat       bool     // one colour and nothing else
}

// samples bounds the work: a grid of about this many points.
const samples = 20000

// look decodes a picture and measures it.
func look(img *media.Image) (sight, error) {
	m, _, err := image.Decode(bytes.NewReader(img.Bytes()))
	if err != nil {
		return sight{}, err
	}
	b := m.Bounds()
	step := max(1, int(math.Sqrt(float64(b.Dx()*b.Dy())/samples)))
	var (
		names  = map[string]int{}
		inner  = map[string]int{}
		exact  = map[uint32]int{}
		sum    float64
		edges  float64
		n      int
		before float64
	)
	for y := b.Min.Y; y < b.Max.Y; y += step {
		for x := b.Min.X; x < b.Max.X; x += step {
			c := onWhite(m.At(x, y))
			l := .2126*float64(c.R) + .7152*float64(c.G) + .0722*float64(c.B)
			if x > b.Min.X {
				edges += math.Abs(l - before)
			}
			before = l
			sum += l
			name := colourName(c)
			names[name]++
			if abs(2*(x-b.Min.X)-b.Dx())*3 <= b.Dx() && abs(2*(y-b.Min.Y)-b.Dy())*3 <= b.Dy() {
				inner[name]++
			}
			exact[uint32(c.R>>3)<<10|uint32(c.G>>3)<<5|uint32(c.B>>3)]++
			n++
		}
	}
	s := sight{shape: shapeOf(b.Dx(), b.Dy()), brightness: grade(sum/float64(n), 85, 170, "dark", "medium", "bright")}
	s.detail = grade(edges/float64(n), 3, 10, "little", "some", "much")
	s.colours = most(names, n)
	s.centre = s.colours[0]
	if len(inner) > 0 {
		s.centre = most(inner, n)[0]
	}
	s.drawing = fewColours(exact, n)
	s.flat = len(exact) == 1
	return s, nil
}

func abs(n int) int { return max(n, -n) }

func onWhite(c color.Color) color.NRGBA {
	p, _ := color.NRGBAModel.Convert(c).(color.NRGBA)
	mix := func(v uint8) uint8 { return uint8((int(v)*int(p.A) + 255*(255-int(p.A))) / 255) } //nolint:gosec // at most 255
	return color.NRGBA{mix(p.R), mix(p.G), mix(p.B), 255}
}

func shapeOf(w, h int) string {
	switch r := float64(w) / float64(h); {
	case r >= 2.2:
		return "panorama"
	case r > 1.08:
		return "landscape"
	case r >= .92:
		return "square"
	}
	return "portrait"
}

func grade(v, low, high float64, a, b, c string) string {
	switch {
	case v < low:
		return a
	case v < high:
		return b
	}
	return c
}

// colourName puts a colour into one of twelve drawers, by hue above all.
func colourName(c color.NRGBA) string {
	r, g, b := float64(c.R), float64(c.G), float64(c.B)
	hi, lo := max(r, g, b), min(r, g, b)
	chroma := hi - lo
	switch {
	case hi < 45:
		return "black"
	case chroma < 28 && lo > 215:
		return "white"
	case chroma < 28:
		return "grey"
	}
	var hue float64
	switch hi {
	case r:
		hue = math.Mod((g-b)/chroma+6, 6)
	case g:
		hue = (b-r)/chroma + 2
	default:
		hue = (r-g)/chroma + 4
	}
	hue *= 60
	switch {
	case hue >= 20 && hue < 68 && hi >= 170 && chroma < 75:
		return "beige"
	case hue < 15 || hue >= 345:
		return "red"
	case hue < 45 && hi < 165:
		return "brown"
	case hue < 42:
		return "orange"
	case hue < 68:
		return "yellow"
	case hue < 165:
		return "green"
	case hue < 255:
		return "blue"
	case hue < 300:
		return "purple"
	}
	return "pink"
}

// most names the colours that cover at least a seventh, two at the most.
func most(names map[string]int, n int) []string {
	var out []string
	for name := range names {
		out = append(out, name)
	}
	slices.SortFunc(out, func(a, b string) int {
		if d := names[b] - names[a]; d != 0 {
			return d
		}
		return bytes.Compare([]byte(a), []byte(b))
	})
	keep := out[:1]
	if len(out) > 1 && names[out[1]]*7 >= n {
		keep = out[:2]
	}
	return keep
}

// fewColours reports whether a few exact colours cover most of the picture: drawings,
// charts and screenshots do, photographs do not.
func fewColours(exact map[uint32]int, n int) bool {
	counts := make([]int, 0, len(exact))
	for _, c := range exact {
		counts = append(counts, c)
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	sum := 0
	for _, c := range counts[:min(8, len(counts))] {
		sum += c
	}
	return sum*10 >= n*7
}
