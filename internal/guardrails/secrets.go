package guardrails

import (
	"regexp"
	"strings"
)

// shape is one kind of secret. A text without hint is not searched. keep is the
// group that stays readable (a prefix, a parameter's name); 0 masks everything.
type shape struct {
	hint string
	re   *regexp.Regexp
	keep int
	// is decides about a match where the pattern alone would take too much.
	is func(groups []string) bool
}

// border is where a word begins, also behind an escape of JSON: a stored tool
// call is searched as it is written, and there a line break ends in a letter.
const border = `(?:\b|\\[bfnrt]|\\u[0-9a-fA-F]{4})`

// shapes in the order they are applied: addresses first, because a key in a
// query is then masked as a whole, whatever it looks like. Masked text matches
// none of them in a way that changes it again.
var shapes = []shape{
	// ?api_key=..., also with a prefix (client_secret) and in a fragment. The value
	// ends at what can surround an address in a text, not only at "&".
	{hint: "=", keep: 1, re: regexp.MustCompile(
		`(?i)([?&;#](?:[a-z0-9]+[_.-])*(?:api[_-]?key|access[_-]?token|key|token|secret)=)([^\s&"'<>()\[\]{},;#|\\` + "`" + `]+)`)},
	// scheme://user:pass@host; the user may be empty, the password may hold "@".
	{hint: "://", keep: 1, is: noPort, re: regexp.MustCompile(
		`(?i)\b([a-z][a-z0-9+.-]*://[^\s:/?#@"'<>]*:)([^\s/?#"'<>]+)@`)},
	{hint: "PRIVATE KEY-----", re: regexp.MustCompile(
		`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`)},
	{hint: "sk-", keep: 1, re: regexp.MustCompile(`(` + border + `sk-)[\w-]{16,}`)}, // OpenAI and those who copied it
	{hint: "k_", keep: 1, re: regexp.MustCompile(`(` + border + `[spr]k_(?:live|test)_)[A-Za-z0-9]{24,}`)},
	{hint: "eact_", keep: 1, re: regexp.MustCompile(`(` + border + `eact_)[0-9A-Za-z]{32,}`)}, // ours, see internal/token
	{hint: "gsk_", keep: 1, re: regexp.MustCompile(`(` + border + `gsk_)[A-Za-z0-9]{20,}`)},
	{hint: "hf_", keep: 1, re: regexp.MustCompile(`(` + border + `hf_)[A-Za-z0-9]{30,}`)},
	{hint: "AKIA", keep: 1, re: regexp.MustCompile(`(` + border + `AKIA)[A-Z0-9]{16,}`)},
	{hint: "ASIA", keep: 1, re: regexp.MustCompile(`(` + border + `ASIA)[A-Z0-9]{16,}`)},
	{hint: "gh", keep: 1, re: regexp.MustCompile(`(` + border + `gh[pousr]_)[A-Za-z0-9]{36,}`)},
	{hint: "github_pat_", keep: 1, re: regexp.MustCompile(`(` + border + `github_pat_)\w{22,}`)},
	{hint: "glpat-", keep: 1, re: regexp.MustCompile(`(` + border + `glpat-)[\w-]{20,}`)},
	{hint: "xox", keep: 1, re: regexp.MustCompile(`(` + border + `xox[abeprs]-)[A-Za-z0-9-]{10,}`)},
	{hint: "xapp-", keep: 1, re: regexp.MustCompile(`(` + border + `xapp-)[A-Za-z0-9-]{10,}`)},
	{hint: "AIza", keep: 1, re: regexp.MustCompile(`(` + border + `AIza)[\w-]{35,}`)},
	{hint: "-us", keep: 1, re: regexp.MustCompile(`(` + border + `)[0-9a-fA-F]{32}-us[0-9]{1,3}\b`)}, // Mailchimp
	{hint: "SG.", keep: 1, re: regexp.MustCompile(`(` + border + `SG\.)[\w-]{22}\.[\w-]{43,}`)},
	{hint: "eyJ", keep: 1, re: regexp.MustCompile(`(` + border + `eyJ)[\w-]+\.[\w-]+\.[\w-]*`)}, // JSON web token
	{keep: 1, is: noWord, re: regexp.MustCompile(`(?i)(` + border + `bearer\s+)([A-Za-z0-9._~+/-]{8,}=*)`)},
}

// wholeValues are too general to be looked for inside a text.
var wholeValues = regexp.MustCompile(`^(?:(?:AC|SK)[0-9a-fA-F]{32}|[AE][A-Za-z0-9_-]{79})$`) // Twilio, PayPal

// portBeforeText is the beginning of "host:8080, mail me@example.org" after the colon.
var portBeforeText = regexp.MustCompile(`^[0-9]{1,5}[^0-9A-Za-z]`)

// noPort reports whether what stands before "@" is a password and not a port
// with an unrelated address behind it.
func noPort(groups []string) bool {
	p := groups[2]
	return !portBeforeText.MatchString(p) || !strings.ContainsAny(p[:min(6, len(p))], ",;)]}|*")
}

// noWord reports whether a token is more than the next word of a sentence
// about bearers.
func noWord(groups []string) bool {
	return len(groups[2]) >= 16 || strings.ContainsAny(groups[2], "0123456789")
}

// MaskSecrets replaces what looks like a secret, in place. It is the one catalogue
// for texts that are sent, stored or shown.
func MaskSecrets(text string) string {
	if wholeValues.MatchString(strings.TrimSpace(text)) {
		return mask
	}
	for _, s := range shapes {
		if s.hint != "" && !strings.Contains(text, s.hint) {
			continue
		}
		text = s.mask(text)
	}
	return text
}

func (s shape) mask(text string) string {
	found := s.re.FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		return text
	}
	var b strings.Builder
	end := 0
	for _, at := range found {
		groups := make([]string, len(at)/2)
		for i := range groups {
			if at[2*i] >= 0 {
				groups[i] = text[at[2*i]:at[2*i+1]]
			}
		}
		if s.is != nil && !s.is(groups) {
			continue
		}
		b.WriteString(text[end:at[0]])
		if s.keep > 0 {
			b.WriteString(groups[s.keep])
		}
		b.WriteString(mask)
		if strings.HasSuffix(groups[0], "@") { // the host follows
			b.WriteByte('@')
		}
		end = at[1]
	}
	b.WriteString(text[end:])
	return b.String()
}
