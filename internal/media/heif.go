package media

import (
	"bytes"
	"errors"
)

// readHEIF reads AVIF and HEIC: boxes of ISO/IEC 14496-12 and the items and
// properties of ISO/IEC 23008-12. The picture is the primary item; thumbnails,
// tiles, depth and gain maps are other items. The decoder applies the item's own
// crop, rotation and mirroring, so the size answered here has them applied and
// the orientation is always 1; EXIF inside such a file is only a hint.
func readHEIF(data []byte) (Header, error) {
	h := Header{Orientation: 1, Channels: 3, BitDepth: 8}
	var f heifFile
	if err := boxes("", data, 0, f.visit); err != nil {
		return h, err
	}
	if !f.media {
		return h, errCut
	}
	if len(f.properties) == 0 {
		return h, errors.New("there are no item properties")
	}
	for _, i := range f.primaryProperties() {
		if i == 0 {
			continue // stands for no property
		}
		if i > len(f.properties) {
			return h, errors.New("the primary item has a property that is not there")
		}
		f.properties[i-1].apply(&h)
	}
	h.Alpha = f.alpha
	h.Metadata = f.metadata
	return h, nil
}

// maxProperties is what the 15 bits of an association can name.
const maxProperties = 1<<15 - 1

// heifFile collects what the boxes say.
type heifFile struct {
	primary      uint32
	associations [][]byte // bodies of the ipma boxes
	properties   []heifProperty
	alpha        bool
	metadata     bool
	media        bool // pixels are in the file
}

type heifProperty struct {
	kind string
	body []byte
}

func (f *heifFile) visit(kind, parent string, body []byte) {
	if parent == "ipco" && len(f.properties) < maxProperties {
		f.properties = append(f.properties, heifProperty{kind, body})
	}
	switch kind {
	case "pitm":
		if len(body) > 0 && body[0] == 0 {
			f.primary = uint32(beUint16(body, 4))
		} else {
			f.primary = beUint32(body, 4)
		}
	case "ipma":
		f.associations = append(f.associations, body)
	case "auxC": // the second is HEVC's name, the first everybody else's
		f.alpha = f.alpha || bytes.Contains(body, []byte(":alpha")) || bytes.Contains(body, []byte("auxid:1\x00"))
	case "infe":
		f.metadata = f.metadata || bytes.Contains(body, []byte("Exif")) || bytes.Contains(body, []byte("mime"))
	case "mdat", "idat":
		f.media = true
	}
}

// primaryProperties answers the numbers, from 1, of the properties of the
// primary item in their order.
func (f *heifFile) primaryProperties() []int {
	for _, b := range f.associations {
		if numbers := propertiesOf(f.primary, b); numbers != nil {
			return numbers
		}
	}
	return nil
}

// propertiesOf looks an item up in the body of an ipma box; nil when it is not in it.
func propertiesOf(wanted uint32, b []byte) []int {
	if len(b) < 8 {
		return nil
	}
	version, wide := b[0], b[3]&1 == 1
	at := 8
	for range beUint32(b, 4) {
		var item uint32
		if version < 1 {
			item, at = uint32(beUint16(b, at)), at+2
		} else {
			item, at = beUint32(b, at), at+4
		}
		if at >= len(b) {
			return nil
		}
		n := int(b[at])
		at++
		var numbers []int
		for range n {
			if wide {
				numbers, at = append(numbers, int(beUint16(b, at)&0x7FFF)), at+2
			} else if at < len(b) {
				numbers, at = append(numbers, int(b[at]&0x7F)), at+1
			}
		}
		if item == wanted {
			return numbers
		}
	}
	return nil
}

func (p heifProperty) apply(h *Header) {
	switch p.kind {
	case "ispe":
		h.Width, h.Height = int(beUint32(p.body, 4)), int(beUint32(p.body, 8))
	case "clap": // clean aperture: fractions of width and height
		if wn, wd := beUint32(p.body, 0), beUint32(p.body, 4); wd > 0 {
			h.Width = min(h.Width, int(wn/wd))
		}
		if hn, hd := beUint32(p.body, 8), beUint32(p.body, 12); hd > 0 {
			h.Height = min(h.Height, int(hn/hd))
		}
	case "irot": // steps of 90 degrees; mirroring (imir) changes no size
		if len(p.body) > 0 && p.body[0]&1 == 1 {
			h.Width, h.Height = h.Height, h.Width
		}
	case "colr":
		h.Profile = h.Profile || bytes.HasPrefix(p.body, []byte("prof")) || bytes.HasPrefix(p.body, []byte("rICC"))
	case "pixi":
		if len(p.body) >= 6 {
			h.BitDepth = int(p.body[5])
			if p.body[4] == 1 {
				h.Channels = 1
			}
		}
	}
}

// maxBoxDepth bounds nesting; a still picture needs four levels.
const maxBoxDepth = 6

// boxes calls visit for every box, parents before children.
func boxes(parent string, data []byte, depth int, visit func(kind, parent string, body []byte)) error {
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
			if at+16 > len(data) || beUint32(data, at+8) != 0 { // longer than 4 GiB
				return errCut
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
		visit(kind, parent, body)
		if skip := boxContainer(kind, body); skip >= 0 && len(body) >= skip {
			if err := boxes(kind, body[skip:], depth+1, visit); err != nil {
				return err
			}
		}
		at += int(size)
	}
	return nil
}

// boxContainer answers how many bytes precede the boxes inside a box; -1 when it holds none.
func boxContainer(kind string, body []byte) int {
	switch kind {
	case "meta":
		return 4 // version and flags
	case "iinf":
		if len(body) > 0 && body[0] > 0 {
			return 8 // and a count of 32 bits
		}
		return 6 // and a count of 16 bits
	case "iprp", "ipco":
		return 0
	}
	return -1
}
