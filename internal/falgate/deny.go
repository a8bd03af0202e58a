package falgate

import (
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// denied reports whether TYPO3's deny pattern matches a file's name, for
// admins too (FileNameValidator). A name that is no valid text is denied, where
// TYPO3's expression fails and lets it pass.
func (s *storage) denied(f *File) bool {
	if s.deny == nil || !utf8.ValidString(f.Name) || !utf8.ValidString(f.Identifier) {
		return true
	}
	return s.deny.MatchString(f.Name) || s.deny.MatchString(path.Base(f.Identifier))
}

// denyPattern compiles /(?:[[:cntrl:]]|PATTERN)/iu of PCRE. nil when RE2 cannot
// say the same: then every name is denied, because guessing would be a hole.
func denyPattern(pattern string) *regexp.Regexp {
	translated, ok := translatePCRE(pattern)
	if !ok {
		return nil
	}
	expression := `(?i)(?:\p{Cc}|` + translated + `)`
	if pattern == "" {
		expression = `\p{Cc}`
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil
	}
	return re
}

// unicodeClasses are what PCRE's short classes mean with /u in PHP; RE2's are
// ASCII, and a narrower class would deny less.
var unicodeClasses = map[byte]string{
	'd': `\p{Nd}`, 'w': `\p{L}\p{N}\p{Mn}\p{Pc}`, 's': `\s\x0b\x{85}\p{Z}`, 'h': `\t\p{Zs}`, 'v': `\n\x0b\f\r\x{85}\x{2028}\x{2029}`,
}

// translatePCRE rewrites what the two engines write alike and mean differently.
// false for what has no counterpart: word boundaries of Unicode, references back,
// classes of classes, lookaround and other groups that RE2 refuses anyway.
func translatePCRE(p string) (string, bool) {
	var b strings.Builder
	class := false // inside [...]
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\':
			if i++; i == len(p) {
				return "", false
			}
			text, ok := translateEscape(p[i], class)
			if !ok {
				return "", false
			}
			b.WriteString(text)
		case !class && c == '[':
			class = true
			b.WriteByte(c)
			for _, lead := range []string{"^", "]"} { // a bracket in the first place is a letter
				if strings.HasPrefix(p[i+1:], lead) {
					b.WriteString(strings.Replace(lead, "]", `\]`, 1))
					i++
				}
			}
		case class && c == '[':
			name, ok := posixClasses[posixName(p[i:])]
			if !ok {
				if strings.HasPrefix(p[i:], "[:") || strings.HasPrefix(p[i:], "[=") || strings.HasPrefix(p[i:], "[.") {
					return "", false
				}
				b.WriteString(`\[`)
				continue
			}
			b.WriteString(name)
			i += len(posixName(p[i:])) - 1
		case class && c == ']':
			class = false
			b.WriteByte(c)
		case !class && c == '$':
			b.WriteString(`(?:\n?\z)`) // PCRE: also before a line feed at the end
		case !class && c == '(' && strings.HasPrefix(p[i:], "(?") && !strings.HasPrefix(p[i:], "(?:"):
			return "", false
		case !class && c == '(' && strings.HasPrefix(p[i:], "(*"):
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), !class
}

// posixClasses with /u are Unicode's too.
var posixClasses = map[string]string{
	"[:alpha:]": `\p{L}`, "[:digit:]": `\p{Nd}`, "[:alnum:]": `\p{L}\p{N}`, "[:cntrl:]": `\p{Cc}`, "[:upper:]": `\p{Lu}\p{Ll}\p{Lt}`,
	"[:lower:]": `\p{Lu}\p{Ll}\p{Lt}`, "[:space:]": `\s\x0b\x{85}\p{Z}`, "[:blank:]": `\t\p{Zs}`, "[:word:]": `\p{L}\p{N}\p{Mn}\p{Pc}`, "[:xdigit:]": `0-9A-Fa-f`,
}

func posixName(p string) string {
	if end := strings.Index(p, ":]"); end > 0 && strings.HasPrefix(p, "[:") {
		return p[:end+2]
	}
	return ""
}

func translateEscape(c byte, class bool) (string, bool) {
	if set, ok := unicodeClasses[c]; ok {
		if class {
			return set, true
		}
		return "[" + set + "]", true
	}
	switch c {
	case 't', 'n', 'r', 'f', 'a', 'x':
		return `\` + string(c), true
	case 'e':
		return `\x1b`, true
	case 'A', 'z':
		return `\` + string(c), !class
	case 'Z':
		return `(?:\n?\z)`, !class
	}
	if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 {
		return "", false // \b, \p{...}, \1, \Q, ...: not needed in a pattern of extensions
	}
	return `\` + string(c), true
}
