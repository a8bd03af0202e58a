package web

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// operatorView is what the providers room says to operators, as a sentence. Lang is
// set when there are no words for it in the reader's language.
type operatorView struct{ Text, Lang string }

// operatorSentence is one of those details: its English format, and how to find its
// arguments again.
type operatorSentence struct {
	english, german string
	shape           *regexp.Regexp
}

var operatorSentences = compileOperatorSentences(germanOperatorDetails)

var formatVerb = regexp.MustCompile(`%[a-z]`)

func compileOperatorSentences(texts map[string]string) []operatorSentence {
	out := make([]operatorSentence, 0, len(texts))
	for en, de := range texts {
		var shape strings.Builder
		for i, part := range formatVerb.Split(en, -1) {
			if i > 0 {
				shape.WriteString("(.+)")
			}
			shape.WriteString(regexp.QuoteMeta(part))
		}
		out = append(out, operatorSentence{en, de, regexp.MustCompile("^" + shape.String() + "$")})
	}
	return out
}

// operator writes a detail for the reader. Details travel as English text, because they
// also go to logs and terminals; one that is not known here is shown as it is.
func (w *words) operator(detail string) operatorView {
	for _, s := range operatorSentences {
		found := s.shape.FindStringSubmatch(detail)
		if found == nil {
			continue
		}
		if w.lang == "de" {
			args := make([]any, len(found)-1)
			for i, a := range found[1:] {
				args[i] = a
			}
			return operatorView{Text: fmt.Sprintf(s.german, args...)}
		}
		if strings.HasPrefix(s.english, "%") { // begins with a name
			return operatorView{Text: detail + "."}
		}
		first, size := utf8.DecodeRuneInString(detail)
		return operatorView{Text: string(unicode.ToUpper(first)) + detail[size:] + "."}
	}
	v := operatorView{Text: detail}
	if w.lang != "en" {
		v.Lang = "en"
	}
	return v
}
