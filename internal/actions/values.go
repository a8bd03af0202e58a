package actions

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"editor-actions/internal/config"
	"editor-actions/internal/fault"
)

// Bounds that hold without any setting: a tool's own limit in user-perceived
// characters, and the column's in bytes (0 = wider than any call can be).
var fieldBounds = map[Field]struct{ characters, bytes int }{
	Alternative: {characters: 1000},
	Title:       {bytes: 255}, // tinytext
	Description: {characters: 2000},
}

// Length counts user-perceived characters (extended grapheme clusters, UAX 29).
func Length(text string) int { return uniseg.GraphemeClusterCount(text) }

// maxCharacterBytes bounds one user-perceived character, which counts as one however much
// is heaped on it. The longest emoji that are recommended have 41 bytes (two people with
// skin tones, UTS 51), and letters of living scripts a handful of marks.
const maxCharacterBytes = 128

func longestCharacter(text string) int {
	longest := 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		from, to := g.Positions()
		longest = max(longest, to-from)
	}
	return longest
}

// MaxLength is the bound of a field in user-perceived characters for every
// writer: the smaller of the tool's own and the operator's. 0 = none.
func MaxLength(s *config.Settings, f Field) int {
	own, set := fieldBounds[f].characters, f.Settings(s).MaxLength
	if set > 0 && (own == 0 || set < own) {
		return set
	}
	return own
}

// checkValue holds one text against the rules of its field. The text is trimmed already.
func checkValue(s *config.Settings, f Field, text string) error {
	if !utf8.ValidString(text) {
		return refuseValue("value_encoding", "The text for `%s` is not valid UTF-8.", f)
	}
	if hasLineBreak(text) && f != Description {
		return refuseValue("value_line_break", "The text for `%s` has a line break. It must be one line.", f)
	}
	if hasControlCharacter(text) || f != Description && strings.Contains(text, "\t") || text != "" && !hasVisible(text) {
		return refuseValue("value_control_character", "The text for `%s` has a control character that nobody can see.", f)
	}
	if hasHTML(text) && f != Description {
		return refuseValue("value_html", "The text for `%s` has HTML in it. Write plain text; put a blank behind a \"less than\" sign.", f)
	}
	if is := longestCharacter(text); is > maxCharacterBytes {
		return refuseValue("value_marks", "One character of the text for `%s` is built of %s bytes; at most %s are allowed. No writing heaps so many marks on one letter.", f, decimal(is), decimal(maxCharacterBytes))
	}
	if most, is := MaxLength(s, f), Length(text); most > 0 && is > most {
		return refuseValue("value_too_long", "The text for `%s` has %s characters; at most %s are allowed.", f, decimal(is), decimal(most))
	}
	if most := fieldBounds[f].bytes; most > 0 && len(text) > most {
		return refuseValue("value_too_long_bytes", "The text for `%s` has %s bytes; the database column holds %s bytes. Letters with accents take two.", f, decimal(len(text)), decimal(most))
	}
	return nil
}

// valueRefusal marks a fault about a text, as opposed to one about the call.
type valueRefusal struct{ fault *fault.Error }

func (v valueRefusal) Error() string { return v.fault.Error() }

// Unwrap lets fault.KindOf and errors.As find the fault.
func (v valueRefusal) Unwrap() error { return v.fault }

func refuseValue(code, format string, f Field, more ...any) error {
	return valueRefusal{fault.New(fault.Invalid, code, format, append([]any{string(f)}, more...)...)}
}

// tag is what the HTML standard's tokenizer takes for the start of a tag, a
// comment, a declaration or a processing instruction.
var tag = regexp.MustCompile(`<[A-Za-z/!?]`)

func hasHTML(text string) bool { return tag.MatchString(text) }

func hasLineBreak(text string) bool { return strings.ContainsAny(text, "\n\r\v\f\u0085\u2028\u2029") }

// hasControlCharacter finds characters that make a text read differently from
// how it is stored: C0 and C1 controls, bidirectional embeddings, overrides and
// isolates, invisible operators, tag characters. Line breaks and tabs are left
// to the caller; joiners and direction marks belong to some scripts.
func hasControlCharacter(text string) bool {
	return variationRun.MatchString(text) || strings.ContainsFunc(text, func(r rune) bool {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return false
		case unicode.Is(unicode.Cc, r):
			return true
		case r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F:
			return true
		case r == 0x200B, r == 0xFEFF, r >= 0xFFF9 && r <= 0xFFFB, r >= 0xE0000 && r <= 0xE007F:
			return true
		}
		return false
	})
}

// variationRun is more than one variation selector behind a character. One
// chooses how it looks; a row of them hides bytes.
var variationRun = regexp.MustCompile(`[\x{FE00}-\x{FE0F}\x{E0100}-\x{E01EF}]{2}`)

// hasVisible reports whether there is anything to read in a text. Joiners, soft
// hyphens, lone marks and the letters that are blank by design show nothing: such a
// text would be empty without saying that the picture is decorative.
func hasVisible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		switch r {
		case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800: // Hangul fillers, the empty Braille pattern
			return false
		}
		return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S)
	})
}

// Visible drops, with strings.Map, what has no place in a text that people write
// freely: control characters but line breaks and tabs, bidirectional overrides and
// isolates, tag characters.
func Visible(r rune) rune {
	switch {
	case r == '\n', r == '\r', r == '\t':
		return r
	case unicode.Is(unicode.Cc, r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r >= 0xE0000 && r <= 0xE007F:
		return -1
	}
	return r
}

func decimal(n int) string { return strconv.Itoa(n) }

func decimal64(n uint64) string { return strconv.FormatUint(n, 10) }
