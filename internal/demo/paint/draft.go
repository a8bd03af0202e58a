package paint

// Draft is a small patch of colour, another one for each seed: it stands for a
// picture in tests that do not look at it.
func Draft(seed uint32, asDrawing bool) (Image, error) {
	c := draftCanvas(seed)
	if asDrawing {
		return c.drawing()
	}
	return c.photo(film{grain: 0.01, seed: seed})
}

func draftCanvas(seed uint32) *Canvas {
	c := newCanvas(240, 160)
	a, b := hex(scramble(seed, 1, 2)&0xFFFFFF), hex(scramble(seed, 3, 4)&0xFFFFFF)
	c.fill(func(x, y float64) rgb { return mix(a, b, fractal(seed, x/60, y/60, 3)) })
	return c
}

// DraftOnItsSide is a draft with the EXIF block of ForestPath.
func DraftOnItsSide() (Image, error) {
	c := newCanvas(160, 240)
	c.fill(func(x, y float64) rgb { return mix(hex(0xBFD88A), hex(0x4A3A22), y/240+0.2*noise(1, x/30, y/30)) })
	return onItsSide(c.develop(film{grain: 0.01}))
}

// DraftBroken is a draft that ends in the middle, as BrokenUpload does.
func DraftBroken() (Image, error) { return truncated(Draft(99, false)) }

// DraftCountdown is a small Countdown.
func DraftCountdown() (Image, error) { return countdown(160, 100) }
