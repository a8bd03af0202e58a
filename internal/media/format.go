package media

import "bytes"

// Format is what the bytes of a file are.
type Format string

// The formats that have a header reader, and those that are named to be refused.
const (
	FormatJPEG Format = "jpeg"
	FormatPNG  Format = "png"
	FormatGIF  Format = "gif"
	FormatWebP Format = "webp"
	FormatAVIF Format = "avif"
	FormatHEIC Format = "heic"
	FormatTIFF Format = "tiff"

	FormatBigTIFF Format = "bigtiff" // for files over 4 GiB; none that large is read
	FormatBMP     Format = "bmp"
	FormatICO     Format = "ico"
	FormatSVG     Format = "svg"
	FormatPDF     Format = "pdf"
	FormatJXL     Format = "jpeg xl"
	FormatJP2     Format = "jpeg 2000"
	FormatVideo   Format = "video"
	FormatUnknown Format = "unknown"
)

// MediaType is the registered media type, "" for an unknown format.
func (f Format) MediaType() string {
	switch f {
	case FormatJPEG, FormatPNG, FormatGIF, FormatWebP, FormatAVIF, FormatHEIC, FormatTIFF, FormatBMP:
		return "image/" + string(f)
	case FormatBigTIFF:
		return "image/tiff"
	case FormatICO:
		return "image/vnd.microsoft.icon"
	case FormatSVG:
		return "image/svg+xml"
	case FormatPDF:
		return "application/pdf"
	case FormatJXL:
		return "image/jxl"
	case FormatJP2:
		return "image/jp2"
	}
	return ""
}

// Decodable reports whether pictures of this format can be described.
func (f Format) Decodable() bool {
	switch f {
	case FormatJPEG, FormatPNG, FormatGIF, FormatWebP, FormatAVIF, FormatHEIC, FormatTIFF:
		return true
	}
	return false
}

// sniffLength is how many bytes Sniff looks at; SVG may begin with comments.
const sniffLength = 1024

// Sniff names the format by the first bytes. It says nothing about whether the
// rest is sound. Programs that draw, like PostScript, are no pictures.
func Sniff(data []byte) Format {
	head := data[:min(len(data), sniffLength)]
	has := func(prefix string) bool { return bytes.HasPrefix(head, []byte(prefix)) }
	switch {
	case has("\xFF\xD8\xFF"):
		return FormatJPEG
	case has("\x89PNG\r\n\x1a\n"):
		return FormatPNG
	case has("GIF87a"), has("GIF89a"):
		return FormatGIF
	case has("RIFF") && len(head) >= 12 && string(head[8:12]) == "WEBP":
		return FormatWebP
	case has("II*\x00"), has("MM\x00*"):
		return FormatTIFF
	case has("II+\x00"), has("MM\x00+"):
		return FormatBigTIFF
	case len(head) >= 12 && string(head[4:8]) == "ftyp":
		return sniffBrand(data)
	case has("BM"):
		return FormatBMP
	case has("\x00\x00\x01\x00"):
		return FormatICO
	case has("%PDF-"):
		return FormatPDF
	case has("\xFF\x0A"), has("\x00\x00\x00\x0CJXL \r\n\x87\n"):
		return FormatJXL
	case has("\x00\x00\x00\x0CjP  "), has("\xFF\x4F\xFF\x51"):
		return FormatJP2
	}
	if isSVG(head) {
		return FormatSVG
	}
	return FormatUnknown
}

func isSVG(head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	return bytes.HasPrefix(text, []byte("<")) && bytes.Contains(bytes.ToLower(text), []byte("<svg"))
}

// sniffBrand tells the still pictures among ISO base media files from video.
// Only brands that libvips' loader knows count (libvips 8.14, heifload).
func sniffBrand(data []byte) Format {
	size := int(beUint32(data, 0))
	if size < 16 || size > min(len(data), sniffLength) {
		size = min(len(data), 16)
	}
	brands := []string{string(data[8:12])}
	for i := 16; i+4 <= size; i += 4 {
		brands = append(brands, string(data[i:i+4]))
	}
	for _, b := range brands {
		if b == "avif" || b == "avis" {
			return FormatAVIF
		}
	}
	for _, b := range brands {
		switch b {
		case "heic", "heix", "heis", "hevc", "mif1", "msf1":
			return FormatHEIC
		}
	}
	return FormatVideo
}
