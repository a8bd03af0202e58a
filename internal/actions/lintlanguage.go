package actions

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	// whatlanggo: MIT, no dependencies, 0.45 MB of binary, 0.2 ms a call, keeps no
	// memory; its last release is of 2019. It tells the language of 94 % of 290 short
	// texts, lingua-go (Apache-2.0, last release 2023) of 98 %, but that one adds 131 MB
	// of binary, 142 MB of memory and 4 s to the first call. Asked only where it is
	// sure, and with smallWords beside it, there is no false alarm in testdata.
	"github.com/abadojack/whatlanggo"
)

// detectable are the languages that the detector was measured on. A text is
// never held against another one.
var detectable = map[string]whatlanggo.Lang{
	"de": whatlanggo.Deu, "en": whatlanggo.Eng, "fr": whatlanggo.Fra, "es": whatlanggo.Spa,
	"it": whatlanggo.Ita, "nl": whatlanggo.Nld, "pl": whatlanggo.Pol,
}

// smallWords are the words that nearly every sentence has: a second opinion. By
// its trigrams "a passenger drops a letter into a red pillar box" is Dutch; "into"
// and "a" are not.
var smallWords = map[string]map[string]bool{
	"de": wordSet("der die das den dem des ein eine einen einem einer und oder mit auf von vom im in am an zu zum zur bei für über unter vor nach aus ist sind wird werden nicht durch neben zwischen hinter sich als bis"),
	"en": wordSet("the a an and or with of on in at to from by for over under into onto is are was has have not through beside between behind in front its their his her that which as"),
	"fr": wordSet("le la les l un une des du de d et ou avec sur dans au aux en par pour sous est sont qui que à vers chez devant derrière entre se sa son ses leur"),
	"es": wordSet("el la los las un una unos unas de del y o con en por para sobre bajo al a es son que se su sus desde hasta entre delante detrás junto"),
	"it": wordSet("il lo la i gli le un uno una di del dello della dei degli delle d e o con su sul sulla sui in nel nella da dal dalla per tra a al alla ai è sono che si dell all sopra sotto dopo davanti"),
	"nl": wordSet("de het een en of met op van in aan bij naar voor uit over onder door is zijn wordt worden niet tussen achter naast die dat er als om tot"),
	"pl": wordSet("i w we z ze na do od po o u za przez przed pod nad dla przy jest są się który która które nie oraz lub między obok ku"),
}

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// countSmallWords counts the small words of a language in a text.
func countSmallWords(text, lang string) int {
	n := 0
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if smallWords[lang][w] {
			n++
		}
	}
	return n
}

// What the detector needs to be sure; see the comment at its import.
const (
	minLatinLetters   = 25 // below, a few trigrams decide
	minOtherLetters   = 20 // another script is no guess, but may be a name
	minLowerWords     = 3  // names and labels have fewer
	minSureness       = 0.8
	maxDetectedLength = 4000 // bytes: more tell nothing more
)

var anyDetectable = func() map[whatlanggo.Lang]bool {
	all := make(map[whatlanggo.Lang]bool, len(detectable))
	for _, lang := range detectable {
		all[lang] = true
	}
	return all
}()

// quotations are words that stand in the picture: they keep their language.
var quotations = regexp.MustCompile(`"[^"]*"|„[^“”"]*[“”"]|“[^”]*”|«[^»]*»|»[^«]*«|‚[^‘]*‘`)

// inAnotherLanguage reports whether a text is, for sure, not in the language
// asked for. Short texts, names, quotations and unknown languages are left alone.
// A language that is not detectable may pass for its neighbour: only "not the one
// asked for" is said.
func inAnotherLanguage(text, asked string) bool {
	want, ok := detectable[asked]
	if !ok {
		return false
	}
	text = quotations.ReplaceAllString(firstBytes(text, maxDetectedLength), " ")
	latin, other, lower := countLetters(text)
	if other > latin {
		return other >= minOtherLetters
	}
	if latin < minLatinLetters || lower < minLowerWords {
		return false
	}
	best := whatlanggo.DetectWithOptions(text, whatlanggo.Options{Whitelist: anyDetectable}).Lang
	if best == want || countSmallWords(text, best.Iso6391()) <= countSmallWords(text, asked) {
		return false
	}
	// How sure it is against the language asked for, not against the second best:
	// Dutch or English matters little when German was asked for.
	pair := whatlanggo.DetectWithOptions(text, whatlanggo.Options{Whitelist: map[whatlanggo.Lang]bool{best: true, want: true}})
	return pair.Lang == best && pair.Confidence >= minSureness
}

// countLetters counts Latin letters, others, and the words that begin with a
// small Latin letter.
func countLetters(text string) (latin, other, lower int) {
	for _, word := range strings.Fields(text) {
		first := true
		for _, r := range word {
			switch {
			case !unicode.IsLetter(r):
				continue
			case unicode.Is(unicode.Latin, r):
				latin++
			default:
				other++
			}
			if first && unicode.Is(unicode.Latin, r) && unicode.IsLower(r) {
				lower++
			}
			first = false
		}
	}
	return latin, other, lower
}

// firstBytes cuts a text at a whole character.
func firstBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
