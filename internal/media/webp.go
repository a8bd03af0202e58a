package media

import "errors"

// readWebP walks the RIFF chunks (RFC 9649).
func readWebP(data []byte) (Header, error) {
	h := Header{Orientation: 1, Channels: 3, BitDepth: 8}
	end := int64(leUint32(data, 4)) + 8
	if end > int64(len(data)) {
		return h, errCut
	}
	h.Trailing = end < int64(len(data))
	body := data[:end]
	pixels := false
	for at := 12; at+8 <= len(body); {
		kind, length := string(body[at:at+4]), int64(leUint32(body, at+4))
		if length > int64(len(body)-at-8) {
			return h, errCut
		}
		chunk := body[at+8 : at+8+int(length)]
		at += 8 + int(length+length&1)
		switch kind {
		case "VP8X":
			if len(chunk) < 10 {
				return h, errCut
			}
			h.Alpha = chunk[0]&0x10 != 0
			h.Width, h.Height = 1+uint24(chunk, 4), 1+uint24(chunk, 7)
		case "VP8 ", "VP8L":
			pixels = true
			if err := webpFrame(&h, kind, chunk); err != nil {
				return h, err
			}
		case "ANMF":
			if len(chunk) < 16 {
				return h, errCut
			}
			pixels = true
			h.Frames++
		case "ICCP":
			h.Profile = true
		case "EXIF":
			h.Metadata = true
			if len(chunk) > 6 && string(chunk[:4]) == "Exif" {
				chunk = chunk[6:]
			}
			if o := exifOrientation(chunk); o != 0 {
				h.Orientation = o
			}
		case "XMP ":
			h.Metadata = true
		}
	}
	if !pixels {
		return h, errCut
	}
	return h, nil
}

// webpFrame reads the size of a bitstream; an extended header has said it already.
func webpFrame(h *Header, kind string, b []byte) error {
	if kind == "VP8L" {
		if len(b) < 5 || b[0] != 0x2F {
			return errors.New("the lossless header is wrong")
		}
		bits := leUint32(b, 1)
		h.Alpha = h.Alpha || bits>>28&1 == 1
		if h.Width == 0 {
			h.Width, h.Height = int(bits&0x3FFF)+1, int(bits>>14&0x3FFF)+1
		}
		return nil
	}
	if len(b) < 10 || string(b[3:6]) != "\x9D\x01\x2A" {
		return errors.New("the lossy header is wrong")
	}
	if h.Width == 0 {
		h.Width, h.Height = int(leUint16(b, 6)&0x3FFF), int(leUint16(b, 8)&0x3FFF)
	}
	return nil
}

func uint24(b []byte, at int) int {
	return int(b[at]) | int(b[at+1])<<8 | int(b[at+2])<<16
}
