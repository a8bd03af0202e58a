package web

import (
	"strings"
	"unicode"
)

// diffPart is a stretch of a text that stayed or changed.
type diffPart struct {
	Text    string
	Changed bool
}

// maxDiffWords bounds the comparison; longer texts are shown as changed in whole.
const maxDiffWords = 400

// minKept is how much of the longer text must stay for single words to be
// marked. Below that, a patchwork of marks says less than two whole texts.
const minKept = 0.4

// diff compares two texts word by word, for the two sides of a card.
func diff(before, after string) (was, is []diffPart) {
	a, b := splitWords(before), splitWords(after)
	whole := func() ([]diffPart, []diffPart) {
		return wholePart(before, before != after), wholePart(after, before != after)
	}
	if before == after || len(a) == 0 || len(b) == 0 || len(a) > maxDiffWords || len(b) > maxDiffWords {
		return whole()
	}
	// Longest common subsequence, from the end, so that reading goes forwards.
	lcs := make([][]int, len(a)+1)
	for i := range lcs {
		lcs[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lcs[i][j] = lcs[i+1][j+1] + 1
			} else {
				lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			}
		}
	}
	if float64(lcs[0][0]) < minKept*float64(max(len(a), len(b))) {
		return whole()
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			was, is = addPart(was, a[i], false), addPart(is, b[j], false)
			i, j = i+1, j+1
		case j >= len(b) || i < len(a) && lcs[i+1][j] >= lcs[i][j+1]:
			was = addPart(was, a[i], true)
			i++
		default:
			is = addPart(is, b[j], true)
			j++
		}
	}
	return was, is
}

func wholePart(text string, changed bool) []diffPart {
	if text == "" {
		return nil
	}
	return []diffPart{{Text: text, Changed: changed}}
}

func addPart(parts []diffPart, text string, changed bool) []diffPart {
	if n := len(parts); n > 0 && parts[n-1].Changed == changed {
		parts[n-1].Text += text
		return parts
	}
	return append(parts, diffPart{Text: text, Changed: changed})
}

// splitWords cuts a text into words, each with the blanks behind it.
func splitWords(s string) []string {
	var out []string
	start, blank := 0, false
	for i, r := range s {
		space := unicode.IsSpace(r)
		if blank && !space {
			out = append(out, s[start:i])
			start = i
		}
		blank = space
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// plainLines makes line ends plain and takes blanks off both ends.
func plainLines(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
}

func hasVerb(format string) bool { return strings.Contains(format, "%") }
