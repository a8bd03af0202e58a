package guardrails

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is kept of one text at privacy level "redacted".
const (
	storedCharacters = 2000
	// CutMarker ends a stored text that was longer.
	CutMarker = "…[cut]"
)

// maxRedacted bounds the part of a text that is searched before it is cut, in
// bytes; everything behind it is cut away anyway.
const maxRedacted = 64 << 10

var (
	email   = regexp.MustCompile(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`)
	dataURI = regexp.MustCompile(`^(data:[a-z]+/[a-z0-9.+-]+;base64,)[A-Za-z0-9+/=]*$`)
)

// RedactForStorage gives the form of a text that an event may keep at privacy
// level "redacted": secrets masked, then e-mail addresses masked, then cut to
// 2000 characters and a marker. Of a picture as data URI the first 2000
// characters of its base64 are kept, and they are not searched: base64 holds no
// sentence, and the cut must be exact. It is a heuristic, and never for texts
// that are sent.
func RedactForStorage(text string) string {
	head, _ := cutAt(text, storedCharacters)
	if uri := dataURI.FindStringSubmatch(head); uri != nil {
		if more, cut := cutAt(text, len(uri[1])+storedCharacters); dataURI.MatchString(more) {
			return marked(more, cut)
		}
	}
	searched := text
	if len(text) > maxRedacted {
		searched = text[:lastBorder(text[:maxRedacted])]
	}
	head, cut := cutAt(email.ReplaceAllString(MaskSecrets(searched), mask), storedCharacters)
	return marked(head, cut || len(searched) < len(text))
}

func marked(s string, cut bool) string {
	if cut {
		return s + CutMarker
	}
	return s
}

// cutAt gives the first n characters of s and whether there are more.
func cutAt(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}

// lastBorder is where s can be cut without leaving half a secret, which would no
// longer be recognised: at its last blank, or well before its end.
func lastBorder(s string) int {
	const tail = 4 << 10
	from := len(s) - tail
	if i := strings.LastIndexFunc(s[from:], unicode.IsSpace); i >= 0 {
		return from + i
	}
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	return from
}
