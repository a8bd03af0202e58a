package media

// exifOrientation reads tag 0x0112 of the first image directory of a TIFF
// structure, 0 when there is none. It follows no other offset.
func exifOrientation(tiff []byte) int {
	if o := tiffTag(tiff, 0x0112); o >= 1 && o <= 8 {
		return int(o)
	}
	return 0
}

// tiffTag reads one short or long value of the first image directory, 0 when
// it is not there.
func tiffTag(tiff []byte, tag uint16) uint32 {
	if len(tiff) < 8 {
		return 0
	}
	u16, u32 := leUint16, leUint32
	if tiff[0] == 'M' {
		u16, u32 = beUint16, beUint32
	}
	at := int(u32(tiff, 4))
	if at < 8 || at+2 > len(tiff) {
		return 0
	}
	for i := range int(u16(tiff, at)) {
		entry := at + 2 + 12*i
		if entry+12 > len(tiff) {
			return 0
		}
		if u16(tiff, entry) != tag {
			continue
		}
		if u16(tiff, entry+2) == 3 { // SHORT, left-justified in the value field
			return uint32(u16(tiff, entry+8))
		}
		return u32(tiff, entry+8)
	}
	return 0
}
