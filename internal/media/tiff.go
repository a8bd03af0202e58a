package media

import "errors"

// readTIFF reads the first image directory (TIFF 6.0). Strips and tiles must lie
// inside the file.
func readTIFF(data []byte) (Header, error) {
	h := Header{
		Width: int(tiffTag(data, 0x0100)), Height: int(tiffTag(data, 0x0101)), Orientation: int(tiffTag(data, 0x0112)),
		BitDepth: 8, Channels: 3, Metadata: true,
	}
	if int(beUint32(data, 4)) >= len(data) && int(leUint32(data, 4)) >= len(data) {
		return h, errCut
	}
	if h.Width == 0 || h.Height == 0 {
		return h, errors.New("the first directory has no size")
	}
	switch tiffTag(data, 0x0106) { // photometric interpretation
	case 0, 1:
		h.Channels = 1
	case 5:
		h.Channels = 4
	}
	h.Profile = tiffTag(data, 0x8773) != 0
	h.Alpha = int(tiffTag(data, 0x0115)) > h.Channels // samples per pixel
	if offset, length := tiffTag(data, 0x0111), tiffTag(data, 0x0117); offset != 0 && int64(offset)+int64(min(length, 1)) > int64(len(data)) {
		return h, errCut
	}
	return h, nil
}
