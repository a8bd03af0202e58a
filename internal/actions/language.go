package actions

import (
	"fmt"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"editor-actions/internal/config"
	"editor-actions/internal/typo3"
)

// fallbackLanguage is TYPO3's own language, called "default" in its tables.
const fallbackLanguage = "en"

// LanguageOf is the language a run asks for: the acting user's, because a file
// has no page and so no site language. It is a tag like "de" or "pt-BR".
func LanguageOf(u *typo3.BackendUser) string {
	if u == nil {
		return fallbackLanguage
	}
	return languageTag(u.Language)
}

// languageTag reads a language as TYPO3 or a caller writes it ("de", "pt_BR").
// What is no language is English, as in TYPO3.
func languageTag(code string) string {
	tag, err := language.Parse(strings.ReplaceAll(strings.TrimSpace(code), "_", "-"))
	if err != nil || tag == language.Und {
		return fallbackLanguage
	}
	return tag.String()
}

// baseLanguage is the language without region or script: "de" for "de-AT".
func baseLanguage(code string) string {
	base, _ := language.Make(languageTag(code)).Base()
	return base.String()
}

// languageName names tag in the language that reader is written in.
func languageName(tag, reader string) string {
	name := display.Tags(language.Make(reader)).Name(language.Make(tag))
	if name == "" {
		return tag
	}
	return name
}

// Wanted says in English what somebody who makes texts of their own for a tool should
// know first: the language, which is the user's, and the limits, as models are told them.
func Wanted(s *config.Settings, u *typo3.BackendUser, t Tool) string {
	tag := LanguageOf(u)
	text := fmt.Sprintf("Texts are wanted in %s (%s).", languageName(tag, fallbackLanguage), tag)
	for _, f := range t.Fields() {
		if limit := toldLength(MaxLength(s, f)); limit > 0 {
			text += fmt.Sprintf(" `%s` has at most %d characters.", f, limit)
		}
	}
	return text
}

// languageSelfName is the language's own name for itself, "français".
func languageSelfName(tag string) string {
	if name := display.Self.Name(language.Make(tag)); name != "" {
		return name
	}
	return tag
}
