package media

import (
	"bytes"
	"errors"
	"fmt"
)

// readJPEG walks the segments to the end of the picture (ITU-T T.81, annex B).
// An embedded thumbnail has its own end marker inside a segment, so the walk
// never searches for one outside entropy-coded data.
func readJPEG(data []byte) (Header, error) {
	h := Header{Orientation: 1}
	at, scans := 2, 0
	for {
		marker, next, err := jpegMarker(data, at)
		if err != nil {
			return h, err
		}
		at = next
		switch {
		case marker == 0xD9: // end of image
			h.Trailing = at < len(data)
			if h.Width == 0 {
				return h, errors.New("the picture ends before its header")
			}
			if scans == 0 {
				return h, errors.New("there is no picture data")
			}
			return h, nil
		case marker == 0x01 || marker >= 0xD0 && marker <= 0xD7: // stand alone
			continue
		case marker == 0xD8:
			return h, errors.New("a second picture begins inside the first")
		}
		if at+2 > len(data) {
			return h, errCut
		}
		length := int(beUint16(data, at))
		if length < 2 {
			return h, fmt.Errorf("segment %02x has length %d", marker, length)
		}
		if at+length > len(data) {
			return h, errCut
		}
		segment := data[at+2 : at+length]
		at += length
		if err := jpegSegment(&h, marker, segment); err != nil {
			return h, err
		}
		if marker == 0xDA { // start of scan: entropy-coded data up to the next marker
			if h.Width == 0 {
				return h, errors.New("a scan begins before the header")
			}
			scans++
			if at = jpegScanEnd(data, at); at < 0 {
				return h, errCut
			}
		}
	}
}

// jpegMarker reads the marker at or after fill bytes.
func jpegMarker(data []byte, at int) (marker byte, next int, err error) {
	if at >= len(data) {
		return 0, at, errCut
	}
	if data[at] != 0xFF {
		return 0, at, fmt.Errorf("byte %d is no marker", at)
	}
	for at < len(data) && data[at] == 0xFF {
		at++
	}
	if at >= len(data) {
		return 0, at, errCut
	}
	return data[at], at + 1, nil
}

// jpegScanEnd finds the marker after a scan: a stuffed FF 00 and restart
// markers belong to the scan. -1 when the file ends first.
func jpegScanEnd(data []byte, at int) int {
	for {
		i := bytes.IndexByte(data[at:], 0xFF)
		if i < 0 || at+i+1 >= len(data) {
			return -1
		}
		at += i
		switch m := data[at+1]; {
		case m == 0x00 || m >= 0xD0 && m <= 0xD7:
			at += 2
		case m == 0xFF:
			at++
		default:
			return at
		}
	}
}

func jpegSegment(h *Header, marker byte, s []byte) error {
	switch {
	case marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC: // frame header
		if len(s) < 6 {
			return errors.New("the frame header is too short")
		}
		if h.Width != 0 {
			return errors.New("there are two frame headers")
		}
		h.BitDepth, h.Channels = int(s[0]), int(s[5])
		h.Height, h.Width = int(beUint16(s, 1)), int(beUint16(s, 3))
		if h.Width == 0 || h.Height == 0 {
			return errors.New("the frame has no size")
		}
	case marker == 0xE1 && bytes.HasPrefix(s, []byte("Exif\x00\x00")):
		h.Metadata = true
		if o := exifOrientation(s[6:]); o != 0 {
			h.Orientation = o
		}
	case marker == 0xE2 && bytes.HasPrefix(s, []byte("ICC_PROFILE\x00")):
		h.Profile = true
	case marker == 0xE0 && (bytes.HasPrefix(s, []byte("JFIF\x00")) || bytes.HasPrefix(s, []byte("JFXX\x00"))):
		if len(s) >= 14 && (s[12] != 0 || s[13] != 0) || bytes.HasPrefix(s, []byte("JFXX")) {
			h.Metadata = true // a thumbnail
		}
	case marker == 0xEE && bytes.HasPrefix(s, []byte("Adobe")): // says how colours are coded, nothing else
	case marker >= 0xE1 && marker <= 0xEF || marker == 0xFE:
		h.Metadata = true
	}
	return nil
}
