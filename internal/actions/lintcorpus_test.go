package actions_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"editor-actions/internal/actions"
)

// tsv reads the rows of a table in testdata, without its head.
func tsv(t *testing.T, name string, columns int) [][]string {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n")[1:] {
		row := strings.Split(line, "\t")
		if len(row) != columns {
			t.Fatalf("%s: %q", name, line)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestLint_FalseAlarms measures the rules on texts that are good: no error at
// all, and a warning on at most 3 of 100.
func TestLint_FalseAlarms(t *testing.T) {
	t.Parallel()
	of, warned := map[string]int{}, map[string]int{}
	for _, row := range tsv(t, "good_texts.tsv", 3) {
		lang, field, text := row[0], actions.Field(row[1]), strings.ReplaceAll(row[2], `\n`, "\n")
		of[lang]++
		findings := actions.Lint(field, lang, text, actions.LintContext{FileName: "IMG_0001.jpg"})
		if len(findings) > 0 {
			warned[lang]++
			t.Logf("%v on %q", rulesOf(findings), text)
		}
		if actions.HasError(findings) {
			t.Errorf("false error %v on %q", rulesOf(findings), text)
		}
		if clean := actions.Clean(field, lang, text); clean != text {
			t.Errorf("cleaning changed %q to %q", text, clean)
		}
	}
	for _, lang := range []string{"de", "en"} {
		t.Logf("%s: %d good texts, %d with a warning (%.1f %%)", lang, of[lang], warned[lang], percent(warned[lang], of[lang]))
		if of[lang] < 60 || warned[lang]*100 > 3*of[lang] {
			t.Errorf("%s: false warnings on %d of %d texts", lang, warned[lang], of[lang])
		}
	}
}

// badText is one entry of bad_texts.yaml.
type badText struct {
	Text    string        `yaml:"text"`
	Field   actions.Field `yaml:"field"`
	Repeat  int           `yaml:"repeat"`
	Max     int           `yaml:"max"`
	File    string        `yaml:"file"`
	Title   string        `yaml:"title"`
	Caption string        `yaml:"caption"`
	Other   string        `yaml:"other"`
}

func (b badText) lint(lang string) []actions.Finding {
	ctx := actions.LintContext{MaxLength: b.Max, FileName: b.File, Caption: b.Caption}
	if b.Field == "" {
		b.Field = actions.Alternative
	}
	if b.Title != "" {
		ctx.Others = map[actions.Field]string{actions.Title: b.Title}
	}
	if b.Other != "" {
		ctx.Files = []actions.FileText{{Name: "andere.jpg", Text: b.Other}}
	}
	return actions.Lint(b.Field, lang, strings.TrimSpace(strings.Repeat(b.Text+" ", max(b.Repeat, 1))), ctx)
}

// corpusLevels are the rules about a text, with their levels. The others (empty,
// clears, field_off) are about the field and have a test of their own.
var corpusLevels = map[string]actions.Level{
	actions.RuleHTML: actions.LevelError, actions.RuleControl: actions.LevelError, actions.RuleLineBreak: actions.LevelError,
	actions.RuleTooLong: actions.LevelError, actions.RuleTooManyBytes: actions.LevelError, actions.RuleRefusal: actions.LevelError,
	actions.RuleJSON: actions.LevelError, actions.RuleCleaned: actions.LevelWarning, actions.RulePrefix: actions.LevelWarning,
	actions.RuleSuffix: actions.LevelWarning, actions.RuleLong: actions.LevelWarning, actions.RuleShort: actions.LevelWarning,
	actions.RuleFileName: actions.LevelWarning, actions.RulePlaceholder: actions.LevelWarning, actions.RuleSame: actions.LevelWarning,
	actions.RuleSameFile: actions.LevelWarning, actions.RuleEmoji: actions.LevelWarning, actions.RuleCapitals: actions.LevelWarning,
	actions.RuleKeywords: actions.LevelWarning, actions.RuleInstruction: actions.LevelWarning,
	actions.RulePersonAttribute: actions.LevelWarning, actions.RuleLanguage: actions.LevelWarning,
}

// TestLint_BadTextsAreFound measures how many bad texts each rule finds: nine of
// ten in each language, and no rule fewer than four of five.
func TestLint_BadTextsAreFound(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/bad_texts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var corpus map[string]map[string][]badText
	if err := yaml.UnmarshalWithOptions(raw, &corpus, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if len(corpus) != len(corpusLevels) {
		t.Errorf("texts for %d rules, want %d", len(corpus), len(corpusLevels))
	}
	for _, lang := range []string{"de", "en"} {
		all, found := 0, 0
		for rule, level := range corpusLevels {
			hits := 0
			for _, b := range corpus[rule][lang] {
				findings := b.lint(lang)
				if slices.Contains(rulesOf(findings), string(level)+" "+rule) {
					hits++
				} else {
					t.Logf("%s %s: missed %q, got %v", lang, rule, b.Text, rulesOf(findings))
				}
			}
			n := len(corpus[rule][lang])
			if n < 5 || hits*5 < n*4 {
				t.Errorf("%s %s: %d of %d texts found", lang, rule, hits, n)
			}
			all, found = all+n, found+hits
		}
		t.Logf("%s: %d of %d bad texts found (%.1f %%)", lang, found, all, percent(found, all))
		if found*10 < all*9 {
			t.Errorf("%s: only %d of %d bad texts found", lang, found, all)
		}
	}
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }
