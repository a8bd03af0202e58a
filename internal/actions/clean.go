package actions

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean takes off what a model wraps around a text: a preamble, Markdown, paired
// outer quotation marks, line breaks in one-line fields, blanks at the ends. It
// never takes words away that could carry meaning ("image of" is a finding of
// Lint, not something to rewrite), and it never shortens. It is pure, and
// cleaning twice changes nothing more.
func Clean(field Field, _ string, text string) string {
	for range 8 { // each round takes off at least one layer, or ends
		next := cleanOnce(field, text)
		if next == text {
			break
		}
		text = next
	}
	return text
}

func cleanOnce(field Field, text string) string {
	text = layoutOf(field, strings.TrimSpace(text))
	text = withoutCodeFence(text)
	text = withoutPreamble(field, text)
	text = withoutMarkdown(text)
	text = withoutOuterQuotes(text)
	return layoutOf(field, strings.TrimSpace(text))
}

var (
	blanks     = regexp.MustCompile(`[ \t\p{Zs}]+`)
	blankLines = regexp.MustCompile(`\n{3,}`)
	lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
)

// layoutOf makes one line of a one-line field; a description keeps its paragraphs.
func layoutOf(field Field, text string) string {
	text = lineBreaks.Replace(text)
	if field != Description {
		return collapse(strings.ReplaceAll(text, "\n", " "))
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(collapse(l))
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(strings.Join(lines, "\n"), "\n\n"))
}

// collapse makes one blank of many; a single no-break space stays.
func collapse(line string) string {
	return blanks.ReplaceAllStringFunc(line, func(s string) string {
		if utf8.RuneCountInString(s) == 1 && s != "\t" {
			return s
		}
		return " "
	})
}

var codeFence = regexp.MustCompile("(?s)^```[a-z]*\\s(.*?)\\s?```$")

func withoutCodeFence(text string) string {
	if m := codeFence.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

// Preambles end in a colon and name the field, or say that an answer follows.
var preambles = regexp.MustCompile(`(?i)^(?:` +
	`(?:sure|certainly|of course|okay|ok|gerne?|natürlich|klar)\s*[!,.:]\s*(?:here(?:'s| is| are)\b|hier (?:ist|sind|kommt)\b)[^:\n]{0,80}:` +
	`|(?:here(?:'s| is)|hier (?:ist|kommt)|der folgende|the following)\b[^:\n]{0,40}\b(?:alt(?:ernative)?[ -]?text|title|description|caption|text|alternativtext|alt-text|titel|beschreibung|vorschlag|suggestion)\b[^:\n]{0,40}:` +
	`|` + suggested + `(?:alt(?:ernative)?[ -]text|image description|alternativ-?text|alt-?text|bildbeschreibung)(?: \([^)]{0,20}\))?\s*:` +
	`|(?:my|mein) (?:suggestion|vorschlag)(?: (?:for|für) [^:\n]{0,40})?(?: (?:is|would be|ist|lautet|wäre))?\s*:` +
	`|(?:the|an?|my|der|ein|mein)(?: \p{L}+)? (?:alt(?:ernative)?[ -]text|image description|alternativ-?text|alt-?text)(?: (?:for|für) [^:\n]{0,30})? (?:is|reads|would be|could be|ist|lautet|wäre|könnte lauten)\s*:` +
	`)\s*`)

// fieldLabels are the field's own name in front of its text.
var fieldLabels = map[Field]*regexp.Regexp{
	Alternative: regexp.MustCompile(`(?i)^(?:alt|alternative)\s*[:=]\s*`),
	Title:       regexp.MustCompile(`(?i)^` + suggested + `(?:title|titel)\s*[:=]\s*`),
	Description: regexp.MustCompile(`(?i)^` + suggested + `(?:description|beschreibung)\s*[:=]\s*`),
}

const suggested = `(?:suggested |proposed |possible |vorgeschlagene[rs]? |mögliche[rs]? )?`

func withoutPreamble(field Field, text string) string {
	for _, p := range []*regexp.Regexp{preambles, fieldLabels[field]} {
		if p == nil {
			continue
		}
		if loc := p.FindStringIndex(text); loc != nil && loc[1] < len(text) {
			text = text[loc[1]:]
		}
	}
	return text
}

var (
	markdownLink    = regexp.MustCompile(`!?\[([^\[\]\n]*)\]\((?:https?://|/|\.)[^()\s]*\)`)
	markdownStrong  = regexp.MustCompile(`(\*\*|__)(\S|\S[^\n]*?\S)(?:\*\*|__)`)
	markdownEm      = regexp.MustCompile(`(^|[\s(])\*(\S|\S[^*\n]*?\S)\*($|[\s).,;:!?])`)
	markdownHeading = regexp.MustCompile(`(?m)^#{1,6} +`)
	markdownQuote   = regexp.MustCompile(`^> +`)
	markdownBullet  = regexp.MustCompile(`^[-*•] +`)
)

func withoutMarkdown(text string) string {
	text = markdownLink.ReplaceAllString(text, "$1")
	text = markdownStrong.ReplaceAllString(text, "$2")
	text = markdownEm.ReplaceAllString(text, "$1$2$3")
	text = markdownHeading.ReplaceAllString(text, "")
	text = markdownQuote.ReplaceAllString(text, "")
	if !strings.Contains(text, "\n") { // a list of one; a real list keeps its marks
		text = markdownBullet.ReplaceAllString(text, "")
	}
	return text
}

// outerQuotes are the pairs people and models use, opening to possible closings.
var outerQuotes = map[rune]string{
	'"': `"`, '\'': `'`, '`': "`'´", '“': `”"`, '”': `”`, '„': `“”"`, '«': `»`, '»': `«`, '‘': `’'`, '‚': `‘’'`, '‹': `›`, '›': `‹`,
}

// withoutOuterQuotes takes off one pair that encloses the whole text. Marks
// inside mean that the outer two may belong to two quotations: then both stay.
func withoutOuterQuotes(text string) string {
	open, size := utf8.DecodeRuneInString(text)
	closings, ok := outerQuotes[open]
	if !ok || len(text) <= size {
		return text
	}
	last, lastSize := utf8.DecodeLastRuneInString(text)
	if !strings.ContainsRune(closings, last) || len(text) < size+lastSize {
		return text
	}
	inner := text[size : len(text)-lastSize]
	if hasClosing(inner, open) || hasClosing(inner, last) {
		return text
	}
	return inner
}

// hasClosing looks for a closing mark; an apostrophe inside a word is none.
func hasClosing(inner string, mark rune) bool {
	runes := []rune(inner)
	for i, r := range runes {
		if r != mark {
			continue
		}
		inWord := i > 0 && i+1 < len(runes) && unicode.IsLetter(runes[i-1]) && unicode.IsLetter(runes[i+1])
		if (mark == '\'' || mark == '’') && inWord {
			continue
		}
		return true
	}
	return false
}
