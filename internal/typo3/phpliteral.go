package typo3

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const maxLiteralDepth = 32

// phpArray is an array of a PHP file, in the order of its keys. Values are nil,
// bool, int64, float64, string or *phpArray.
type phpArray struct {
	keys   []string
	values map[string]any
	next   int64 // key of the next value without one
}

func (a *phpArray) put(key string, v any) {
	if _, ok := a.values[key]; !ok {
		a.keys = append(a.keys, key)
	}
	a.values[key] = v
}

// literalError says what cannot be read in a PHP file, and where.
type literalError struct {
	Line int
	Text string
}

func (e *literalError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// literalReader reads the values that PHP's var_export and TYPO3's own writer
// make, and nothing else. It stops at the first thing that would have to be
// executed. Its errors never quote a string, which may be a password.
type literalReader struct {
	text string
	pos  int
}

// parsePHPReturn reads a file of the form "<?php return [...];".
func parsePHPReturn(text string) (_ *phpArray, err error) {
	r := &literalReader{text: strings.TrimPrefix(text, "\ufeff")}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *literalError:
			err = e
		default:
			panic(e)
		}
	}()
	if !strings.HasPrefix(r.text, "<?php") {
		r.fail("must begin with <?php")
	}
	r.pos = len("<?php")
	if r.word("declare") {
		for _, s := range []string{"(", "strict_types", "=", "1", ")", ";"} {
			r.need(s)
		}
	}
	if !r.word("return") {
		r.fail("must return one array and do nothing before that")
	}
	v, ok := r.value(0).(*phpArray)
	if !ok {
		r.fail("must return an array")
	}
	r.need(";")
	r.accept("?>")
	if r.skip(); r.pos < len(r.text) {
		r.fail("has something after the returned array")
	}
	return v, nil
}

// fail leaves the reader; only parsePHPReturn catches it.
func (r *literalReader) fail(format string, args ...any) {
	line := 1 + strings.Count(r.text[:min(r.pos, len(r.text))], "\n")
	panic(&literalError{Line: line, Text: fmt.Sprintf(format, args...)})
}

// skip goes past blanks and comments.
func (r *literalReader) skip() {
	for r.pos < len(r.text) {
		rest := r.text[r.pos:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			r.pos++
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				r.fail("a comment has no end")
			}
			r.pos += end + 4
		case strings.HasPrefix(rest, "//"), rest[0] == '#' && !strings.HasPrefix(rest, "#["):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			if i := strings.Index(rest[:end], "?>"); i >= 0 { // ends PHP, even in a comment
				r.pos += i
				return
			}
			r.pos += end
		default:
			return
		}
	}
}

func (r *literalReader) accept(s string) bool {
	r.skip()
	if !strings.HasPrefix(r.text[r.pos:], s) {
		return false
	}
	r.pos += len(s)
	return true
}

func (r *literalReader) need(s string) {
	if !r.accept(s) {
		r.fail("%q is missing", s)
	}
}

// word accepts a keyword, in any case as PHP does.
func (r *literalReader) word(s string) bool {
	r.skip()
	end := r.pos + len(s)
	if end > len(r.text) || !strings.EqualFold(r.text[r.pos:end], s) || end < len(r.text) && isWord(r.text[end]) {
		return false
	}
	r.pos = end
	return true
}

func isWord(c byte) bool {
	return c == '_' || c == '\\' || c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func (r *literalReader) value(depth int) any {
	if depth > maxLiteralDepth {
		r.fail("arrays are nested more than %d deep", maxLiteralDepth)
	}
	v := r.scalarOrArray(depth)
	if r.skip(); r.pos < len(r.text) && strings.IndexByte(",]);=", r.text[r.pos]) < 0 {
		if r.text[r.pos] == '.' {
			r.fail("strings joined with a dot cannot be read: write one string, or set the key in the settings of this program")
		}
		r.fail("only literal values can be read, no calculation: set the key in the settings of this program")
	}
	return v
}

func (r *literalReader) scalarOrArray(depth int) any {
	r.skip()
	if r.pos >= len(r.text) {
		r.fail("a value is missing")
	}
	switch c := r.text[r.pos]; {
	case c == '\'':
		return r.single()
	case c == '"':
		return r.double()
	case c == '[':
		r.pos++
		return r.array(depth, "]")
	case c >= '0' && c <= '9', c == '-', c == '+', c == '.':
		return r.number()
	}
	switch {
	case r.word("true"):
		return true
	case r.word("false"):
		return false
	case r.word("null"):
		return nil
	case r.word("array"):
		r.need("(")
		return r.array(depth, ")")
	}
	r.fail("only literal values can be read, no variable, constant or call: set the key in the settings of this program")
	return nil
}

func (r *literalReader) array(depth int, end string) *phpArray {
	a := &phpArray{values: map[string]any{}}
	for !r.accept(end) {
		v := r.value(depth + 1)
		if r.accept("=>") {
			key := r.key(a, v)
			a.put(key, r.value(depth+1))
		} else {
			a.put(strconv.FormatInt(a.next, 10), v)
			a.next++
		}
		if !r.accept(",") {
			r.need(end)
			break
		}
	}
	return a
}

// key turns a value into an array key.
func (r *literalReader) key(a *phpArray, v any) string {
	switch v := v.(type) {
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil && strconv.FormatInt(n, 10) == v {
			a.next = max(a.next, n+1)
		}
		return v
	case int64:
		a.next = max(a.next, v+1)
		return strconv.FormatInt(v, 10)
	}
	r.fail("an array key must be a string or a whole number")
	return ""
}

func (r *literalReader) number() any {
	start := r.pos
	r.pos++ // a sign, a digit or a dot
	for r.pos < len(r.text) {
		c := r.text[r.pos]
		exponent := (c == '-' || c == '+') && r.text[r.pos-1]|0x20 == 'e' && !strings.ContainsAny(r.text[start:r.pos], "xX")
		if c != '.' && c != '_' && !exponent && (!isWord(c) || c == '\\') {
			break
		}
		r.pos++
	}
	s := r.text[start:r.pos]
	if n, err := strconv.ParseInt(s, 0, 64); err == nil { // PHP and Go write whole numbers alike
		return n
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && strings.ContainsAny(s, ".eE") && !strings.ContainsAny(s, "xXiInN_") {
		return f
	}
	r.pos = start
	r.fail("a number cannot be read")
	return nil
}

func (r *literalReader) single() string {
	var b strings.Builder
	for i := r.pos + 1; i < len(r.text); i++ {
		c := r.text[i]
		switch {
		case c == '\'':
			r.pos = i + 1
			return b.String()
		case c == '\\' && i+1 < len(r.text) && (r.text[i+1] == '\'' || r.text[i+1] == '\\'):
			i++
			c = r.text[i]
		}
		b.WriteByte(c)
	}
	r.fail("a string has no end")
	return ""
}

func (r *literalReader) double() string {
	var b strings.Builder
	for i := r.pos + 1; i < len(r.text); {
		switch c := r.text[i]; {
		case c == '"':
			r.pos = i + 1
			return b.String()
		case c == '\\' && i+1 < len(r.text):
			i += r.escape(&b, r.text[i:])
		case i+1 < len(r.text) && (c == '{' && r.text[i+1] == '$' || c == '$' && (isWord(r.text[i+1]) && (r.text[i+1] < '0' || r.text[i+1] > '9') || r.text[i+1] == '{')):
			r.fail("a string with a variable in it cannot be read: set the key in the settings of this program")
		default:
			b.WriteByte(c)
			i++
		}
	}
	r.fail("a string has no end")
	return ""
}

// escape writes what a backslash at the front of s means and gives its length.
func (r *literalReader) escape(b *strings.Builder, s string) int {
	if i := strings.IndexByte(`ntrvef\$"`, s[1]); i >= 0 {
		b.WriteByte("\n\t\r\v\x1b\f\\$\""[i])
		return 2
	}
	digits := func(from, most int, set string) int {
		n := from
		for n < len(s) && n < from+most && strings.IndexByte(set, s[n]) >= 0 {
			n++
		}
		return n
	}
	const hex = "0123456789abcdefABCDEF"
	if n := digits(1, 3, "01234567"); n > 1 {
		v, _ := strconv.ParseUint(s[1:n], 8, 16) // three octal digits
		b.WriteByte(byte(v))                     //nolint:gosec // PHP keeps the lowest eight bits too
		return n
	}
	if s[1] == 'x' {
		if n := digits(2, 2, hex); n > 2 {
			v, _ := strconv.ParseUint(s[2:n], 16, 8) // two hex digits
			b.WriteByte(byte(v))
			return n
		}
	}
	if s[1] == 'u' && len(s) > 2 && s[2] == '{' {
		n := digits(3, 8, hex)
		v, err := strconv.ParseUint(s[3:n], 16, 32)
		if err != nil || n >= len(s) || s[n] != '}' || !utf8.ValidRune(rune(v)) { //nolint:gosec // checked by ValidRune
			r.fail(`a string holds a \u that is no character`)
		}
		b.WriteRune(rune(v)) //nolint:gosec // a valid rune
		return n + 1
	}
	b.WriteByte('\\') // PHP leaves what it does not know
	return 1
}
