package media

import "errors"

// maxBoxDepth bounds nesting; a still picture needs four levels.
const maxBoxDepth = 6

// readHEIF walks the boxes of AVIF and HEIC (ISO/IEC 14496-12 and 23008-12). The
// largest spatial extent is the picture; thumbnails and tiles are smaller. libheif applies
// irot and imir itself, so a rotation by 90 degrees only swaps the size here.
func readHEIF(data []byte) (Header, error) {
	h := Header{Orientation: 1, Channels: 3, BitDepth: 8}
	rotated, media := false, false
	err := boxes(data, 0, func(kind string, body []byte) {
		switch kind {
		case "ispe":
			w, ht := int64(beUint32(body, 4)), int64(beUint32(body, 8))
			if w > 0 && ht > 0 && w < 1<<30 && ht < 1<<30 && w*ht > h.Pixels() {
				h.Width, h.Height = int(w), int(ht)
			}
		case "irot":
			rotated = len(body) > 0 && body[0]&1 == 1
		case "colr":
			h.Profile = h.Profile || len(body) >= 4 && (string(body[:4]) == "prof" || string(body[:4]) == "rICC")
		case "auxC":
			h.Alpha = h.Alpha || containsAlpha(body)
		case "pixi":
			if len(body) >= 6 {
				h.BitDepth = max(h.BitDepth, int(body[5]))
			}
		case "mdat", "idat":
			media = true
		}
	})
	if err != nil {
		return h, err
	}
	if !media {
		return h, errCut
	}
	if rotated {
		h.Width, h.Height = h.Height, h.Width
	}
	return h, nil
}

func containsAlpha(body []byte) bool {
	for i := 0; i+5 <= len(body); i++ {
		if string(body[i:i+5]) == "alpha" {
			return true
		}
	}
	// HEVC's alpha auxiliary type ends in auxid:1.
	for i := 0; i+7 <= len(body); i++ {
		if string(body[i:i+7]) == "auxid:1" {
			return true
		}
	}
	return false
}

// boxes calls visit for every box, parents before children.
func boxes(data []byte, depth int, visit func(kind string, body []byte)) error {
	if depth > maxBoxDepth {
		return errors.New("boxes are nested too deep")
	}
	for at := 0; at < len(data); {
		if at+8 > len(data) {
			return errCut
		}
		size, header := int64(beUint32(data, at)), 8
		kind := string(data[at+4 : at+8])
		switch size {
		case 0: // to the end of the file
			size = int64(len(data) - at)
		case 1:
			if at+16 > len(data) {
				return errCut
			}
			if beUint32(data, at+8) != 0 {
				return errCut // longer than 4 GiB
			}
			size, header = int64(beUint32(data, at+12)), 16
		}
		if size < int64(header) {
			return errors.New("a box is smaller than its header")
		}
		if size > int64(len(data)-at) {
			return errCut
		}
		body := data[at+header : at+int(size)]
		visit(kind, body)
		skip := -1
		switch kind {
		case "meta":
			skip = 4 // version and flags
		case "iprp", "ipco":
			skip = 0
		}
		if skip >= 0 && len(body) >= skip {
			if err := boxes(body[skip:], depth+1, visit); err != nil {
				return err
			}
		}
		at += int(size)
	}
	return nil
}
