package typo3

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"
)

// diffsource is the translation source that TYPO3's form stores with a write.
// On a default row: the submitted fields with empty texts, replaced as a whole. On
// a translation: the stored object with the submitted fields set to the texts of
// the default language, keys sorted.
func (c *CMS) diffsource(tx *gorm.DB, w MetadataWrite, row *MetadataRow) (string, error) {
	values := map[string]any{}
	if row.Language <= 0 || row.L10nParent == 0 {
		for f := range w.Fields {
			values[f] = ""
		}
		return phpJSON(values), nil
	}
	var parent MetadataRow
	err := tx.Where("uid = ?", row.L10nParent).Take(&parent).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return string(row.Diffsource), nil
	}
	if err != nil {
		return "", fmt.Errorf("typo3: read default language: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(row.Diffsource))
	d.UseNumber()
	if len(row.Diffsource) > 0 && d.Decode(&values) != nil {
		values = map[string]any{} // not an object: TYPO3 starts anew as well
	}
	for f := range w.Fields {
		values[f] = value(parent.column(f))
	}
	return phpJSON(values), nil
}

// phpObject is a JSON object in the order its members were added, written as
// PHP's json_encode does by default.
type phpObject struct{ members []string }

func (o *phpObject) add(name string, text *string) {
	v := "null"
	if text != nil {
		v = phpString(*text)
	}
	o.members = append(o.members, phpString(name)+":"+v)
}

func (o *phpObject) number(name string, n uint32) {
	o.members = append(o.members, phpString(name)+":"+decimal(n))
}

func (o *phpObject) String() string { return "{" + strings.Join(o.members, ",") + "}" }

// phpJSON writes a flat object with sorted keys; an empty one is PHP's empty array.
func phpJSON(values map[string]any) string {
	if len(values) == 0 {
		return "[]"
	}
	var o phpObject
	for _, k := range slices.Sorted(maps.Keys(values)) {
		switch v := values[k].(type) {
		case string:
			o.add(k, &v)
		case nil:
			o.add(k, nil)
		default:
			raw, err := json.Marshal(v)
			if err != nil {
				raw = []byte("null")
			}
			o.members = append(o.members, phpString(k)+":"+string(raw))
		}
	}
	return o.String()
}

// phpString escapes what json_encode escapes: slashes, control characters and
// everything that is not ASCII, as UTF-16 units.
func phpString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch r {
		case '"', '\\', '/':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			switch {
			case r >= 0x20 && r < 0x7F || r == 0x7F:
				b.WriteRune(r)
			case r > 0xFFFF:
				r -= 0x10000
				fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+(r>>10), 0xDC00+(r&0x3FF))
			default:
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}
