package readtools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Clean makes a text of the site fit to be read by a model and by people: valid
// UTF-8, without characters that nobody sees and that hide words or turn their
// direction. Line breaks and tabs stay.
func Clean(text string) string {
	text = strings.Map(plain, lineBreaks.Replace(strings.ToValidUTF8(text, "\uFFFD")))
	return strings.TrimSpace(variationRun.ReplaceAllString(text, "$1"))
}

// CleanLine is Clean for names and other one-line texts.
func CleanLine(text string) string {
	return strings.Join(strings.FieldsFunc(Clean(text), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// plain drops control characters, bidirectional embeddings, overrides and
// isolates, invisible operators and tag characters. Joiners and direction marks
// belong to some scripts.
func plain(r rune) rune {
	switch {
	case r == '\n', r == '\t':
		return r
	case unicode.Is(unicode.Cc, r), r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F,
		r == 0x200B, r == 0xFEFF, r >= 0xFFF9 && r <= 0xFFFB, r >= 0xE0000 && r <= 0xE007F:
		return -1
	}
	return r
}

// variationRun is more than one variation selector behind a character: one
// chooses how it looks, a row of them hides bytes.
var variationRun = regexp.MustCompile(`([\x{FE00}-\x{FE0F}\x{E0100}-\x{E01EF}])[\x{FE00}-\x{FE0F}\x{E0100}-\x{E01EF}]+`)

// cut shortens a text to at most limit bytes between two user-perceived characters.
func cut(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	end := 0
	for g := uniseg.NewGraphemes(text[:min(len(text), limit+maxGrapheme)]); g.Next(); {
		_, to := g.Positions()
		if to > limit-len(ellipsis) {
			break
		}
		end = to
	}
	return text[:end] + ellipsis, true
}

const ellipsis = "…"

// maxGrapheme is how far behind the limit is looked for the end of a character;
// one that is longer is left out.
const maxGrapheme = 256

// cutter shortens the texts of one record and keeps the names of those it cut.
type cutter struct {
	share int // texts get one part in share of their bound
	names []string
}

// line is a one-line text of at most limit bytes.
func (c *cutter) line(name, text string, limit int) string {
	return c.cut(name, CleanLine(text), limit)
}

// text is a text of at most limit bytes.
func (c *cutter) text(name, text string, limit int) string { return c.cut(name, Clean(text), limit) }

// optional is text for a value that may not be there.
func (c *cutter) optional(name string, text *string, limit int) *string {
	if text == nil {
		return nil
	}
	short := c.text(name, *text, limit)
	return &short
}

func (c *cutter) cut(name, text string, limit int) string {
	short, was := cut(text, max(limit/c.share, 2*len(ellipsis)))
	if was {
		c.names = append(c.names, name)
	}
	return short
}

// render writes an answer as JSON that fits MaxText. build gives the answer with
// texts cut to one part in share of their bound; it is asked with growing shares.
func render(build func(share int) any) (string, error) {
	for share := 1; share <= 1<<10; share *= 2 {
		text, err := encode(build(share))
		if err != nil {
			return "", err
		}
		if len(text) <= MaxText {
			return text, nil
		}
	}
	return "", fmt.Errorf("readtools: an answer does not fit %d bytes", MaxText)
}

func encode(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("readtools: write answer: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// fill takes as many of n entries as fit MaxText: build gives the answer with the
// first of them. One entry always fits.
func fill(n int, build func(entries int) any) (string, error) {
	for ; ; n-- {
		if text, err := encode(build(n)); err != nil || len(text) <= MaxText || n <= 1 {
			return text, err
		}
	}
}
