package actions_test

import (
	"slices"
	"testing"

	"editor-actions/internal/actions"
)

func saysWrongLanguage(lang, text string) bool {
	return slices.Contains(rulesOf(actions.Lint(actions.Alternative, lang, text, actions.LintContext{})), "warning wrong_language")
}

// TestLint_WrongLanguageRates measures the rule on texts in seven languages: no
// text is held against its own language, and most of the longer ones are noticed
// where German or English was asked for.
func TestLint_WrongLanguageRates(t *testing.T) {
	t.Parallel()
	const longer = 60 // characters; shorter ones are left alone more often
	texts := tsv(t, "languages.tsv", 2)
	alarms, all, found, allLonger, foundLonger := 0, 0, 0, 0, 0
	for _, row := range texts {
		lang, text := row[0], row[1]
		if saysWrongLanguage(lang, text) {
			alarms++
			t.Errorf("false alarm on %s: %q", lang, text)
		}
		for _, asked := range []string{"de", "en"} {
			if asked == lang {
				continue
			}
			hit := saysWrongLanguage(asked, text)
			all++
			if hit {
				found++
			}
			if actions.Length(text) < longer {
				continue
			}
			allLonger++
			if hit {
				foundLonger++
			} else {
				t.Logf("not noticed as not %s: %q", asked, text)
			}
		}
	}
	t.Logf("%d texts, %d false alarms; noticed %.1f %% of all, %.1f %% of those with %d characters or more",
		len(texts), alarms, percent(found, all), percent(foundLonger, allLonger), longer)
	if foundLonger*10 < allLonger*9 || found*10 < all*7 {
		t.Errorf("noticed only %d of %d, and %d of %d longer ones", found, all, foundLonger, allLonger)
	}
}

func TestLint_WrongLanguage(t *testing.T) {
	t.Parallel()
	const english = "A fishing boat lies on a calm lake below snow-covered hills."
	for name, tc := range map[string]struct {
		lang, text string
		want       bool
	}{
		"English for German":          {"de", english, true},
		"English for Austrian German": {"de-AT", english, true},
		"English for English":         {"en-GB", english, false},
		"a language not measured":     {"da", english, false},
		"no language":                 {"", english, false},
		"short":                       {"de", "A boat on the lake.", false},
		"names":                       {"de", "Kate Winslet, Leonardo DiCaprio, Jennifer Lawrence, George Clooney", false},
		"a quotation":                 {"de", "Schild: „The museum is closed on Mondays and on all public holidays.“", false},
		"another script":              {"de", "Рыбацкая лодка стоит на тихом озере.", true},
		"another script, quoted":      {"de", "Schild: „Рыбацкая лодка стоит на тихом озере“", false},
		"a name in another script":    {"de", "Φίλιππος Αθήνα", false},
		"numbers":                     {"de", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25", false},
	} {
		if got := saysWrongLanguage(tc.lang, tc.text); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestLint_WrongLanguageNamesTheOneAskedFor(t *testing.T) {
	t.Parallel()
	for ui, want := range map[string]string{
		"en": "The text does not seem to be in the language that was asked for: German.",
		"de": "Der Text scheint nicht in der verlangten Sprache zu sein: Deutsch.",
	} {
		findings := actions.Lint(actions.Alternative, "de", "A fishing boat lies on a calm lake below snow-covered hills.", actions.LintContext{UILanguage: ui})
		if len(findings) != 1 || findings[0].Message != want {
			t.Errorf("%s: %v", ui, findings)
		}
	}
}

func BenchmarkLint(b *testing.B) {
	for b.Loop() {
		actions.Lint(actions.Alternative, "de", "A fishing boat lies on a calm lake below snow-covered hills.", actions.LintContext{})
	}
}
