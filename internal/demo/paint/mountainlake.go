package paint

import "math"

func mountainLakeCanvas(w, h int) *Canvas {
	c := newCanvas(w, h)
	fw, fh := c.size()
	k := fh / 1600 // everything in pixels of a picture 1600 high
	shore := 0.60 * fh
	c.sky(shore, ramp{{0, hex(0x35507F)}, {0.35, hex(0x7C86A8)}, {0.62, hex(0xE0A58C)}, {0.85, hex(0xFBC98C)}, {1, hex(0xFFE2B0)}})
	sun := pt{0.68 * fw, 0.425 * fh}
	c.sun(sun.x, sun.y, 36*k, hex(0xFFC27A))
	c.clouds(shore, cloudCover{seed: 11, amount: 0.52, soft: 0.2, light: hex(0xFFD9AE), dim: hex(0x8A6F86), sun: sun, scale: 0.9, low: 0.25})
	haze := hex(0xF3BE94)
	back := c.skyline(21, 0.42*fh, 0.11*fh, 520*k, 7, true)
	c.mountain(back, mountain{
		rock: hex(0xC59A8C), shade: hex(0x6B6282), snow: hex(0xFFE6CF), blue: hex(0x9C97B8),
		snowline: 0.40 * fh, haze: haze, hazeFrom: 0.40 * fh, hazeTo: shore, side: 1, seed: 22, grain: 150 * k,
	})
	front := c.skyline(5, 0.52*fh, 0.10*fh, 680*k, 7, true)
	c.mountain(front, mountain{
		rock: hex(0x8E6A5C), shade: hex(0x37405C), snow: hex(0xFFDDBB), blue: hex(0x7E83A6),
		snowline: 0.39 * fh, haze: hex(0xD89A7C), hazeFrom: 0.49 * fh, hazeTo: shore * 1.08, side: 1, seed: 23, grain: 120 * k,
	})
	rng := random(31)
	wood := firs(rng, c.skyline(33, 0.583*fh, 0.012*fh, 300*k, 4, false), 22*k, 46*k, 7*k)
	c.hill(wood, hill{crest: hex(0x2F3A45), foot: hex(0x6B5752), depth: 70 * k, rough: 0.25, grain: 18 * k, seed: 3})
	c.lake(lake{
		from: int(shore), to: c.H, tint: hex(0x1E2B45), dark: 0.10, near: 0.52, ripple: 0.55 * k, seed: 41,
		glint: hex(0xFFDFA6), shine: pt{sun.x, 60 * k},
	})
	c.wash(rect(0, shore-4*k, fw, 9*k), flat(hex(0xFFE0B5)), 0.5, 4*k)
	// near shore with stones and firs
	bank := c.skyline(52, 1.01*fh, 0.05*fh, 700*k, 4, false)
	for x := range bank {
		bank[x] -= 0.15 * fh * math.Pow(math.Max(0, 1-float64(x)/(0.55*fw)), 1.6)
	}
	grass := crowns(rng, bank, 4*k, 26*k, 5*k)
	c.hill(grass, hill{crest: hex(0x2A2C2B), foot: hex(0x11161C), depth: 120 * k, rough: 0.5, grain: 14 * k, seed: 8})
	for i, f := range []struct{ x, y, h float64 }{{0.05, 0.93, 0.56}, {0.14, 0.955, 0.42}, {0.215, 0.965, 0.27}, {-0.01, 0.97, 0.40}} {
		c.fir(uint64(60+i), f.x*fw, f.y*fh, f.h*fh, hex(0x10171C), hex(0x3B3630))
	}
	return c
}

// MountainLake is a lake under snowy mountains at sunset.
func MountainLake() (Image, error) {
	return mountainLakeCanvas(2400, 1600).photo(film{grain: 0.018, vignette: 0.22, seed: 1})
}
