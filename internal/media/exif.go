package media

// exifOrientation reads the orientation of an EXIF block, which is a TIFF
// structure; 0 when there is none or an invalid one.
func exifOrientation(block []byte) int {
	d, err := openTIFF(block)
	if err != nil {
		return 0
	}
	if o := d.value(tiffOrientation); o >= 1 && o <= 8 {
		return int(o)
	}
	return 0
}
