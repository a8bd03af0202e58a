package media

import (
	"errors"
	"fmt"
)

// readGIF walks the blocks to the trailer (GIF89a specification). The size is
// the logical screen: libvips reports the extent of the frames instead.
func readGIF(data []byte) (Header, error) {
	h := Header{Orientation: 1, Channels: 3, BitDepth: 8}
	if len(data) < 13 {
		return h, errCut
	}
	h.Width, h.Height = int(leUint16(data, 6)), int(leUint16(data, 8))
	at := 13
	if data[10]&0x80 != 0 {
		at += 3 << (data[10]&7 + 1)
	}
	for {
		if at >= len(data) {
			return h, errCut
		}
		switch data[at] {
		case 0x3B: // trailer
			h.Trailing = at+1 < len(data)
			if h.Frames == 0 {
				return h, errors.New("there is no frame")
			}
			return h, nil
		case 0x21: // extension
			if at+2 > len(data) {
				return h, errCut
			}
			label := byte(0)
			if at+1 < len(data) {
				label = data[at+1]
			}
			if label == 0xF9 && at+4 <= len(data) && data[at+3]&1 != 0 {
				h.Alpha = true
			}
			h.Metadata = h.Metadata || label == 0xFE
			if at = gifSubBlocks(data, at+2); at < 0 {
				return h, errCut
			}
		case 0x2C: // image
			if at+10 > len(data) {
				return h, errCut
			}
			left, top := int(leUint16(data, at+1)), int(leUint16(data, at+3))
			w, ht := int(leUint16(data, at+5)), int(leUint16(data, at+7))
			if h.Frames == 0 && (left > 0 || top > 0 || w < h.Width || ht < h.Height) {
				h.Partial, h.Alpha = true, true // what the frame leaves free is transparent
			}
			if left+w > h.Width || top+ht > h.Height {
				return h, fmt.Errorf("a frame reaches over the canvas of %dx%d", h.Width, h.Height)
			}
			next := at + 10
			if data[at+9]&0x80 != 0 {
				next += 3 << (data[at+9]&7 + 1)
			}
			if at = gifSubBlocks(data, next+1); at < 0 { // one byte: LZW code size
				return h, errCut
			}
			h.Frames++
		default:
			return h, fmt.Errorf("byte %d begins no block", at)
		}
	}
}

// gifSubBlocks skips a chain of sub-blocks; -1 when the file ends inside it.
func gifSubBlocks(data []byte, at int) int {
	for {
		if at >= len(data) {
			return -1
		}
		n := int(data[at])
		at++
		if n == 0 {
			return at
		}
		at += n
	}
}
