package typo3

import "strings"

// conditionToken is a piece of a condition.
type conditionToken struct {
	kind tokenKind
	text string
}

type tokenKind int

const (
	tokenNone tokenKind = iota
	tokenNumber
	tokenText
	tokenWord
	tokenOperator
)

// conditionOperators, longest first.
var conditionOperators = []string{
	"===", "!==", "==", "!=", "<=", ">=", "&&", "||", "?.", "<", ">", "!", "~", "(", ")", "[", "]", ",", ".",
}

// conditionTokens splits a condition; false when it holds what is not known here.
func conditionTokens(s string) ([]conditionToken, bool) {
	var out []conditionToken
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return out, true
		}
		t, rest, ok := nextConditionToken(s)
		if !ok {
			return nil, false
		}
		out, s = append(out, t), rest
	}
}

func nextConditionToken(s string) (t conditionToken, rest string, ok bool) {
	switch c := s[0]; {
	case c == '"' || c == '\'':
		return quoted(s)
	case c >= '0' && c <= '9':
		n := span(s, func(c byte) bool { return c >= '0' && c <= '9' })
		if n < len(s) && (wordByte(s[n]) || s[n] == '.') { // 1.5, 1e3, 1..9
			return t, "", false
		}
		return conditionToken{tokenNumber, s[:n]}, s[n:], true
	case wordByte(c):
		n := span(s, wordByte)
		return conditionToken{tokenWord, s[:n]}, s[n:], true
	}
	for _, op := range conditionOperators {
		if strings.HasPrefix(s, op) {
			return conditionToken{tokenOperator, op}, s[len(op):], true
		}
	}
	return t, "", false
}

func span(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

func wordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x7f
}

// quoted reads a text in quotes. A backslash stands for the character after it.
func quoted(s string) (t conditionToken, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case s[0]:
			return conditionToken{tokenText, b.String()}, s[i+1:], true
		case '\\':
			if i++; i == len(s) || strings.IndexByte(`\"'`, s[i]) < 0 {
				return t, "", false // an escape of PHP
			}
		}
		b.WriteByte(s[i])
	}
	return t, "", false
}
