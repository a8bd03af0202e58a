package actions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"editor-actions/internal/downscaler"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Level says what a finding means for a decision.
type Level string

// The levels: an error blocks an approval, a warning is shown.
const (
	LevelError   Level = "error"
	LevelWarning Level = "warning"
)

// Finding is one thing that Lint noticed. Rule is stable; Message is a sentence
// in the reader's language.
type Finding struct {
	Level   Level  `json:"level"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// LintContext is what the rules need to know beside the text.
type LintContext struct {
	UILanguage string           // of the messages: "de", else English
	MaxLength  int              // the operator's limit in user-perceived characters, 0 = none
	Decorative bool             // an empty alternative text is meant
	Others     map[Field]string // the texts beside this one; the field itself is ignored
	Caption    string           // TYPO3's caption beside the text, "" = none or not known
	Files      []FileText       // texts of other files, as far as known
	FileName   string           // to notice a copy of it
	Picture    []string         // what the downscaler noticed, where nobody shows it beside the picture
	Off        bool             // the operator has switched the field off for actions
}

// FileText is a text of another file, with a short name that a reader knows it by.
type FileText struct{ Name, Text string }

// The rules.
const (
	RuleEmpty           = "empty"
	RuleHTML            = "html"
	RuleControl         = "control_character"
	RuleLineBreak       = "line_break"
	RuleTooLong         = "too_long"
	RuleTooManyBytes    = "too_many_bytes"
	RuleRefusal         = "refusal"
	RuleJSON            = "json"
	RuleFieldOff        = "field_off"
	RuleClears          = "clears"
	RuleCleaned         = "cleaned"
	RulePrefix          = "prefix"
	RuleSuffix          = "suffix"
	RuleLong            = "long"
	RuleShort           = "short"
	RuleFileName        = "file_name"
	RulePlaceholder     = "placeholder"
	RuleSame            = "same_as"
	RuleSameFile        = "same_as_file"
	RuleLanguage        = "wrong_language"
	RuleEmoji           = "emoji"
	RuleCapitals        = "capitals"
	RuleKeywords        = "keywords"
	RuleInstruction     = "instruction"
	RulePersonAttribute = "person_attribute"
	RuleTinySource      = downscaler.WarnTinySource
	RuleFirstFrame      = downscaler.WarnFirstFrame
)

// Lint holds a text against the rules for its field, errors first. lang is the
// language of the text. It is pure: the same for a model's proposal, a
// reviewer's edit and every other writer.
func Lint(field Field, lang, text string, ctx LintContext) []Finding {
	l := &linter{field: field, lang: baseLanguage(lang), text: strings.TrimSpace(text), ctx: ctx}
	if ctx.Off {
		l.fail(RuleFieldOff, string(field))
	}
	if l.text == "" {
		l.empty()
		return l.findings
	}
	l.form()
	l.limits()
	l.content()
	l.style()
	for _, code := range ctx.Picture {
		if _, known := lintMessages[code]; known {
			l.warn(code)
		}
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int { return cmp.Compare(rank(a.Level), rank(b.Level)) })
	return l.findings
}

// HasError reports whether findings block an approval.
func HasError(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Level == LevelError })
}

func rank(l Level) int {
	if l == LevelError {
		return 0
	}
	return 1
}

type linter struct {
	field    Field
	lang     string
	text     string
	ctx      LintContext
	findings []Finding
}

func (l *linter) fail(rule string, args ...any) { l.add(LevelError, rule, args) }
func (l *linter) warn(rule string, args ...any) { l.add(LevelWarning, rule, args) }

// reader is the language of the messages.
func (l *linter) reader() string {
	if baseLanguage(l.ctx.UILanguage) == "de" {
		return "de"
	}
	return "en"
}

func (l *linter) add(level Level, rule string, args []any) {
	m := lintMessages[rule]
	format := m.en
	if l.reader() == "de" {
		format = m.de
	}
	l.findings = append(l.findings, Finding{Level: level, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

// empty: a picture is decorative only when somebody says so; the other fields
// are cleared, which loses a text and is said.
func (l *linter) empty() {
	switch {
	case l.field != Alternative:
		l.warn(RuleClears)
	case !l.ctx.Decorative:
		l.fail(RuleEmpty)
	}
}

// form: what must not be stored at all.
func (l *linter) form() {
	if hasControlCharacter(l.text) || !hasVisible(l.text) || strings.ContainsRune(l.text, unicode.ReplacementChar) {
		l.fail(RuleControl)
	}
	if hasHTML(l.text) || entity.MatchString(l.text) {
		l.fail(RuleHTML)
	}
	if l.field != Description && hasLineBreak(l.text) {
		l.fail(RuleLineBreak)
	}
	if jsonRemains.MatchString(l.text) {
		l.fail(RuleJSON)
	}
	if Clean(l.field, l.lang, l.text) != l.text {
		l.warn(RuleCleaned)
	}
}

func (l *linter) limits() {
	bounds, aim := fieldBounds[l.field], aimOf(l.field, l.lang)
	most, is := bounds.characters, Length(l.text)
	if set := l.ctx.MaxLength; set > 0 && (most == 0 || set < most) {
		most = set
	}
	switch {
	case most > 0 && is > most:
		l.fail(RuleTooLong, is, most)
	case bounds.bytes > 0 && len(l.text) > bounds.bytes:
		l.fail(RuleTooManyBytes, len(l.text), bounds.bytes)
	case aim.most > 0 && is > aim.most:
		l.warn(RuleLong, is, aim.most)
	case is < aim.least:
		l.warn(RuleShort, is)
	}
}

// content: what a text must not be about.
func (l *linter) content() {
	if refusals.MatchString(strings.TrimSpace(quotations.ReplaceAllString(l.text, " "))) {
		l.fail(RuleRefusal)
	}
	if instructions.MatchString(l.text) {
		l.warn(RuleInstruction)
	}
	if fileNames.MatchString(l.text) || l.copiesFileName() {
		l.warn(RuleFileName)
	}
	if placeholders.MatchString(l.text) {
		l.warn(RulePlaceholder)
	}
	if inAnotherLanguage(l.text, l.lang) {
		l.warn(RuleLanguage, languageName(l.lang, l.reader()))
	}
	l.copies()
	if m := personAttribute(l.text); m != "" {
		l.warn(RulePersonAttribute, m)
	}
}

// copies: what a person would hear twice.
func (l *linter) copies() {
	for _, f := range []Field{Alternative, Title, Description} {
		if other, ok := l.ctx.Others[f]; ok && f != l.field && alike(other, l.text) {
			l.warn(RuleSame, string(f))
		}
	}
	if alike(l.ctx.Caption, l.text) {
		l.warn(RuleSame, "caption")
	}
	for _, f := range l.ctx.Files {
		if alike(f.Text, l.text) {
			l.warn(RuleSameFile, f.Name)
			return // one is enough to look at
		}
	}
}

func (l *linter) style() {
	if l.field == Alternative {
		if m := prefixes.FindString(l.text); m != "" {
			l.warn(RulePrefix, strings.TrimSpace(m))
		}
		if m := suffixes.FindString(l.text); m != "" {
			l.warn(RuleSuffix, strings.TrimLeft(m, " ,;:.|()–—-"))
		}
	}
	if hasEmoji(l.text) {
		l.warn(RuleEmoji)
	}
	if shouts(l.text) {
		l.warn(RuleCapitals)
	}
	if isKeywordList(l.text) {
		l.warn(RuleKeywords)
	}
}

// copiesFileName compares letters and digits only: "Hero-Image_2.jpg" is "hero image 2".
func (l *linter) copiesFileName() bool {
	name := l.ctx.FileName
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	name, text := bare(name), bare(l.text)
	return name != "" && name == text && strings.ContainsAny(l.ctx.FileName, "_-0123456789.")
}

func alike(a, b string) bool {
	a, b = bare(a), bare(b)
	return a != "" && a == b
}

// bare is a text without case, marks and blanks.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, cases.Fold().String(norm.NFC.String(text)))
}

func hasEmoji(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r == 0xFE0F || r >= 0x1F1E6 && r <= 0x1F1FF || r >= 0x1F300 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x26FF || r >= 0x2728 && r <= 0x274C || r == 0x2B50 || r == 0x2B55
	})
}

// shouts: several words, nearly all of their letters capitals.
func shouts(text string) bool {
	var upper, lower int
	for _, r := range text {
		if unicode.IsUpper(r) {
			upper++
		} else if unicode.IsLower(r) {
			lower++
		}
	}
	return upper >= 12 && upper > 4*lower && len(strings.Fields(text)) > 1
}

// isKeywordList: four or more short parts between commas or the like and no
// sentence, or nothing but hashtags.
func isKeywordList(text string) bool {
	words := strings.Fields(text)
	if len(words) > 2 && !slices.ContainsFunc(words, func(w string) bool { return len(w) < 2 || w[0] != '#' }) {
		return true
	}
	if strings.ContainsAny(strings.TrimRight(text, "."), ".!?:") {
		return false
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;|", r) })
	if len(parts) < 4 {
		return false
	}
	for _, p := range parts {
		if n := len(strings.Fields(p)); n == 0 || n > 2 {
			return false
		}
	}
	return true
}
