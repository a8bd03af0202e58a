package actions

import (
	"regexp"
	"strings"
)

// Words about a person's ethnicity, age or health: guesses that a picture cannot
// show for sure. Most are said of things as well ("an Asian noodle soup", "alter
// Koffer", "sick tree"), so they count only in front of a word for a person. The
// borders are spelt out because \b knows ASCII letters only.
const (
	borderBefore = `(?:^|[^\p{L}])`
	borderAfter  = `(?:[^\p{L}'’-]|$)` // "men's shoes", "Herren-Uhr" and "old people's home" are things

	germanPersons = `(?:\p{L}*(?:mann|mannes|männern?|frau|frauen|leute|leuten|paare?n?)|herr|herren|damen?|mensch|menschen|person(?:en)?` +
		`|kind|kinder|kindern|jungen?|mädchen|familien?|mutter|mütter|vater|väter|eltern|erwachsene[rn]?|jugendliche[rn]?` +
		`|patient|patient(?:en|in|innen)|kund(?:e|en|in|innen)|mitarbeiter(?:n|in|innen)?|kolleg(?:e|en|in|innen)|ärzt(?:e|in|innen)|arzt` +
		`|schüler(?:n|in|innen)?|student(?:en|in|innen)?|studierende[rn]?|besucher(?:n|in|innen)?|sportler(?:n|in|innen)?)`
	englishPersons = `(?:\p{L}*(?:man|men|woman|women)|people|persons?|boys?|girls?|child|children|lady|ladies|couples?|family|families|guys?` +
		`|adults?|teenagers?|students?|workers?|employees?|nurses?|doctors?|patients?|customers?|colleagues?|mother|father|athletes?|visitors?)`
)

var (
	// Always about a person.
	personWords = regexp.MustCompile(`(?i)` + borderBefore + `(` +
		`african[- ]american|hispanic|latin[oax]s?|(?:dark|light|fair)-skinned|elderly|handicapped|pregnant|mentally (?:ill|disabled|handicapped)|transgender` +
		`|middle-aged|(?:with|mit) (?:down|autism|dementia|alzheimer|autismus|demenz)\p{L}*|down[- ]syndrome?|senior citizens?|pensioners?|wheelchair-bound|suffering from|of (?:asian|african|arab|indian|turkish|middle[- ]eastern) (?:descent|origin|appearance|heritage)` +
		`|(?:about|around|approximately|roughly) (?:[1-9][0-9]|twenty|thirty|forty|fifty|sixty|seventy|eighty) years old` +
		`|(?:asiatischer|afrikanischer|arabischer|indischer|türkischer) (?:herkunft|abstammung)` +
		`|in (?:his|her|their) (?:early |mid-?|late )?(?:20s|30s|40s|50s|60s|70s|80s|twenties|thirties|forties|fifties|sixties|seventies|eighties)` +
		`|dunkelhäutige?[rsmn]?|hellhäutige?[rsmn]?|südländische?[rsmn]?|migrationshintergrund|schwangere?[rsmn]?|betagte?[rsmn]?|greise?[rsmn]?` +
		`|senior(?:in|innen|en)|rentner(?:n|in|innen)?|asiat(?:in|innen|en)?|afrikaner(?:n|in|innen)?|mittleren alters|an den rollstuhl gefesselte?[rsmn]?` +
		`|(?:anfang|mitte|ende) (?:zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig)` +
		`)` + borderAfter)

	// One word may stand between ("young blonde woman"), but not behind a colour:
	// "tables in white and women in red".
	germanAttributes = regexp.MustCompile(`(?i)` + borderBefore + `(?:(` +
		`(?:jung|alt|jünger|älter|asiatisch|afrikanisch|arabisch|indisch|türkisch|orientalisch|jüdisch|muslimisch|indigen` +
		`|behindert|körperbehindert|übergewichtig|dick|krank|demenzkrank|blind|taub|gehörlos|autistisch|dement|homosexuell|schwul|lesbisch|[0-9]{1,2}-jährig` + //nolint:misspell // German words
		`|(?:\p{L}*(?:zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig)|[1-9][0-9])(?:jährig| jahre alt))e[rsmn]?` +
		`)(?: (?-i:\p{Ll}+))?|((?:schwarz|weiß|farbig)e[rsmn]?)) ` + germanPersons + borderAfter)

	englishAttributes = regexp.MustCompile(`(?i)` + borderBefore + `(?:(` +
		`young|younger|old|older|teenage|caucasian|asian|african|arab|arabic|indian|turkish|middle[- ]eastern|indigenous|jewish|muslim` +
		`|disabled|obese|overweight|sick|ill|blind|deaf|autistic|gay|lesbian|[0-9]{1,2}-year-old` +
		`)(?: (?-i:\p{Ll}+))?|(black|white|brown)) ` + englishPersons + borderAfter)
)

// personAttribute gives the first such word of a text, or "".
func personAttribute(text string) string {
	for _, words := range []*regexp.Regexp{personWords, germanAttributes, englishAttributes} {
		if m := words.FindStringSubmatch(text); m != nil {
			return m[1] + strings.Join(m[2:], "")
		}
	}
	return ""
}
