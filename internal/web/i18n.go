package web

import (
	"errors"
	"fmt"
	"strings"

	"editor-actions/internal/actions"
	"editor-actions/internal/fault"
)

// Key names one text of the surface. Templates and code use the same keys; a
// test proves that every key exists in every language and that none is left over.
type Key string

// words is the catalogue of one language. It is immutable.
type words struct {
	lang   string
	texts  map[Key]string
	faults map[string]string // by fault code; a missing one falls back to the fault's own English sentence
}

var (
	english = &words{lang: "en", texts: merge(englishTexts, englishReviewTexts, englishModelTexts, englishBatchTexts, englishAssistantTexts, englishTokenTexts, englishReasonTexts), faults: englishFaults}
	german  = &words{lang: "de", texts: merge(germanTexts, germanReviewTexts, germanModelTexts, germanBatchTexts, germanAssistantTexts, germanTokenTexts, germanReasonTexts), faults: merge(germanFaults, germanImageFaults)}
)

func merge[K comparable, V any](parts ...map[K]V) map[K]V {
	out := map[K]V{}
	for _, p := range parts {
		for k, v := range p {
			out[k] = v
		}
	}
	return out
}

// languages are all catalogues, the fallback first.
func languages() []*words { return []*words{english, german} }

// wordsFor picks the catalogue for a language tag; what is not German is English.
func wordsFor(tag string) *words {
	tag = strings.ToLower(strings.TrimSpace(tag))
	if tag == "de" || strings.HasPrefix(tag, "de-") || strings.HasPrefix(tag, "de_") {
		return german
	}
	return english
}

// wordsAccepted picks the catalogue for somebody who is not signed in: the
// first language of the header that we speak.
func wordsAccepted(header string) *words {
	for part := range strings.SplitSeq(header, ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		tag = strings.ToLower(tag)
		switch {
		case tag == "de" || strings.HasPrefix(tag, "de-"):
			return german
		case tag == "en" || strings.HasPrefix(tag, "en-"):
			return english
		}
	}
	return english
}

// T is the text of a key with its arguments. An unknown key shows itself, so
// that a page stays usable; tests keep that from happening.
func (w *words) T(key Key, args ...any) string {
	text, ok := w.texts[key]
	if !ok {
		return string(key)
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// N is the text for a number of things: key_one or key_other, the number first.
func (w *words) N(key Key, n int, args ...any) string {
	form := key + "_other"
	if n == 1 {
		form = key + "_one"
	}
	return w.T(form, append([]any{n}, args...)...)
}

// Has reports whether there is a text for key.
func (w *words) Has(key Key) bool { _, ok := w.texts[key]; return ok }

// sentence is what a person reads about a failure. Failures without a code are
// the fixed sentence for internal errors: their text is for operators.
func (w *words) sentence(err error) string {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind == fault.Internal {
		return w.T("error.internal")
	}
	return w.coded(f.Code, f.Sentence(), f.Args)
}

// coded translates a code with its arguments; english is the sentence to fall back to.
func (w *words) coded(code, english string, args []any) string {
	format, ok := w.faults[code]
	if !ok {
		return english
	}
	return fmt.Sprintf(format, w.arguments(args)...)
}

// arguments puts the field's name in the reader's language in place of its column.
func (w *words) arguments(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a
		if s, ok := a.(string); ok && actions.Field(s).Valid() {
			out[i] = w.field(actions.Field(s))
		}
	}
	return out
}

func (w *words) field(f actions.Field) string { return w.T(Key("field." + string(f))) }
