package paint

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"math"
	"strconv"
)

// Countdown is an animated GIF that counts from five to one.
func Countdown() (Image, error) { return countdown(640, 400) }

func countdown(w, h int) (Image, error) {
	const frames = 10
	cx, cy, unit := float64(w)/2, float64(h)/2, float64(h)/400
	palette := color.Palette{}
	for i := range 16 { // shades of the ground and of the ink between them
		for j := range 8 {
			p := mix(mix(hex(0x12284B), hex(0xE8743A), float64(i)/15), rgb{1, 1, 1}, float64(j)/7)
			palette = append(palette, color.RGBA{eight(float64(p.r), 0), eight(float64(p.g), 0), eight(float64(p.b), 0), 255})
		}
	}
	g := &gif.GIF{LoopCount: 0}
	for f := range frames {
		c := newCanvas(w, h)
		turn := float64(f%2) / 2
		c.fill(func(x, y float64) rgb {
			a := math.Atan2(y-cy, x-cx)/(2*math.Pi) + 0.5
			t := 0.0
			if math.Mod(a+0.75, 1) < turn+0.001 {
				t = 0.18
			}
			return mix(hex(0x12284B), hex(0xE8743A), math.Floor((t+0.25*math.Hypot(x-cx, y-cy)/float64(w))*15)/15)
		})
		ring := ellipse(cx, cy, 150*unit, 150*unit).loops[0]
		c.draw(line(append(ring, ring[0]), thick(10*unit)), flat(rgb{1, 1, 1}))
		c.words(text{face: bold, size: 210 * unit, c: rgb{1, 1, 1}, align: 0.5}, cx, cy+76*unit, strconv.Itoa(5-f/2))
		frame := image.NewPaletted(image.Rect(0, 0, w, h), palette)
		src := c.plain()
		seen := map[color.NRGBA]uint8{}
		for i := range w * h {
			p := color.NRGBA{src.Pix[i*4], src.Pix[i*4+1], src.Pix[i*4+2], 255}
			k, ok := seen[p]
			if !ok {
				k = uint8(palette.Index(p)) //nolint:gosec // 128 colours
				seen[p] = k
			}
			frame.Pix[i] = k
		}
		g.Image = append(g.Image, frame)
		g.Delay = append(g.Delay, 50)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		return Image{}, err
	}
	return Image{Data: b.Bytes(), Width: w, Height: h}, nil
}

// BrokenUpload is a JPEG that ends in the middle: its header is fine, so the
// content management system knew its size.
func BrokenUpload() (Image, error) {
	return truncated(mistyHillsCanvas(1600, 1067, 79).photo(film{grain: 0.02, vignette: 0.2, seed: 46}))
}

func truncated(img Image, err error) (Image, error) {
	img.Data = img.Data[:len(img.Data)*2/5]
	return img, err
}

// NotesNamedJPG is a text file that somebody named like a picture.
func NotesNamedJPG() (Image, error) {
	return Image{Data: []byte("Fotos vom Sommerfest\n\n- Lampions: nehmen\n- Feuerwerk: nur das zweite\n- Plakat: neue Fassung abwarten\n")}, nil
}

// VectorLogo is the logo as SVG.
func VectorLogo() (Image, error) {
	return Image{Width: 600, Height: 200, Data: []byte(`<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="600" height="200" viewBox="0 0 600 200" role="img" aria-label="Lakeside">
  <circle cx="100" cy="100" r="75" fill="#0f5c8a"/>
  <circle cx="100" cy="88" r="27" fill="#ffc94a"/>
  <path d="M32 112 q17 -12 34 0 t34 0 t34 0 t34 0 M44 134 q14 -10 28 0 t28 0 t28 0 t28 0" fill="none" stroke="#e8f3f8" stroke-width="11" stroke-linecap="round"/>
  <text x="200" y="112" font-family="sans-serif" font-size="64" font-weight="700" fill="#0f3d5c">Lakeside</text>
  <text x="203" y="150" font-family="sans-serif" font-size="25" letter-spacing="4" fill="#0f3d5c">TOWN AND SHORE</text>
</svg>
`)}, nil
}

// Programme is a PDF of one page.
func Programme() (Image, error) {
	lines := []string{"Sommerfest am See", "Samstag, 13. Juli 2024", "", "15:00  Er\\366ffnung am Steg", "16:00  Kapelle im Uferpark", "18:00  Essen vom Grill", "21:30  Lichterboote", "22:30  Feuerwerk"}
	var s bytes.Buffer
	s.WriteString("0.06 0.16 0.29 rg 0 742 595 100 re f\n1 1 1 rg BT /F1 30 Tf 56 780 Td (Programm) Tj ET\n0.13 0.19 0.24 rg\n")
	for i, l := range lines {
		fmt.Fprintf(&s, "BT /F1 %d Tf 56 %d Td (%s) Tj ET\n", 18, 690-34*i, l)
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R /Lang (de) >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", s.Len(), s.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return Image{Data: b.Bytes(), Width: 595, Height: 842}, nil
}
