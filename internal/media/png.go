package media

import (
	"errors"
	"fmt"
	"hash/crc32"
)

// readPNG walks chunk by chunk and checks every checksum (W3C PNG, clause 5).
func readPNG(data []byte) (Header, error) {
	h := Header{Orientation: 1}
	pixels := false
	for at := 8; ; {
		if at+12 > len(data) {
			return h, errCut
		}
		length := int64(beUint32(data, at))
		if length > int64(len(data)-at-12) {
			return h, errCut
		}
		kind, body := string(data[at+4:at+8]), data[at+8:at+8+int(length)]
		if crc32.ChecksumIEEE(data[at+4:at+8+int(length)]) != beUint32(data, at+8+int(length)) {
			return h, fmt.Errorf("chunk %q has a wrong checksum", kind)
		}
		if at == 8 && kind != "IHDR" {
			return h, errors.New("the first chunk is no header")
		}
		at += 12 + int(length)
		switch kind {
		case "IHDR":
			if len(body) != 13 || h.Width != 0 {
				return h, errors.New("the header chunk is wrong")
			}
			pngHeader(&h, body)
		case "tRNS":
			h.Alpha = true
		case "iCCP":
			h.Profile = true
		case "eXIf":
			h.Metadata = true
			if o := exifOrientation(body); o != 0 {
				h.Orientation = o
			}
		case "acTL":
			h.Frames = int(beUint32(body, 0))
		case "tEXt", "zTXt", "iTXt", "tIME":
			h.Metadata = true
		case "IDAT":
			pixels = true
		case "IEND":
			h.Trailing = at < len(data)
			if !pixels {
				return h, errors.New("there is no picture data")
			}
			return h, nil
		}
	}
}

func pngHeader(h *Header, b []byte) {
	w, ht := beUint32(b, 0), beUint32(b, 4)
	if w <= 1<<31-1 && ht <= 1<<31-1 {
		h.Width, h.Height = int(w), int(ht)
	}
	h.BitDepth, h.Channels = int(b[8]), 3
	switch b[9] {
	case 0:
		h.Channels = 1
	case 4:
		h.Channels, h.Alpha = 1, true
	case 6:
		h.Alpha = true
	}
}
