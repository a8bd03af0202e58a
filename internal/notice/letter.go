package notice

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"editor-actions/internal/config"
)

// letter is one mail. Nothing in it comes from a person or a model.
type letter struct {
	to       string
	subject  string
	body     string
	language string
	id       string // without < and >; the same for every try
	listID   string
	date     time.Time
}

// words of one language.
type words struct {
	subjectOne, subjectOther string
	oldest                   string
	ageUnder, ageOne, ageMany,
	lateOne, lateOther string
	link   string
	footer string
}

var english = words{
	subjectOne: "1 proposal waits for your decision", subjectOther: "%d proposals wait for your decision",
	oldest:   "The oldest has waited for %s.",
	ageUnder: "less than a day", ageOne: "1 day", ageMany: "%d days",
	lateOne: "1 of them has waited for %d days or longer.", lateOther: "%d of them have waited for %d days or longer.",
	link:   "Review: %s",
	footer: "Nothing is written before somebody decides. This mail was sent automatically.\nAn administrator can switch these mails off for you.",
}

var german = words{
	subjectOne: "1 Vorschlag wartet auf Ihre Entscheidung", subjectOther: "%d Vorschläge warten auf Ihre Entscheidung",
	oldest:   "Der älteste wartet seit %s.",
	ageUnder: "weniger als einem Tag", ageOne: "1 Tag", ageMany: "%d Tagen",
	lateOne: "1 davon wartet seit %d Tagen oder länger.", lateOther: "%d davon warten seit %d Tagen oder länger.",
	link:   "Prüfen: %s",
	footer: "Nichts wird gespeichert, bevor jemand entscheidet. Diese Mail wurde automatisch verschickt.\nEine Administratorin oder ein Administrator kann diese Mails für Sie abschalten.",
}

// wordsFor an interface language of TYPO3's: German, else English.
func wordsFor(language string) (words, string) {
	if base, _, _ := strings.Cut(language, "-"); base == "de" {
		return german, "de"
	}
	return english, "en"
}

// plural chooses a sentence by a number.
func plural(n int, one, other string, args ...any) string {
	if n == 1 {
		return fmt.Sprintf(one, args...)
	}
	return fmt.Sprintf(other, append([]any{n}, args...)...)
}

// digestLetter writes a person's mail: counts, ages and one link.
func digestLetter(s *config.Settings, p recipient, period, now time.Time) letter {
	w, language := wordsFor(p.user.Language)
	age := w.ageUnder
	if days := int(now.Sub(p.tally.Oldest) / (24 * time.Hour)); days > 0 {
		age = plural(days, w.ageOne, w.ageMany)
	}
	subject := plural(p.tally.Count, w.subjectOne, w.subjectOther)
	lines := []string{subject + ".", fmt.Sprintf(w.oldest, age)}
	if p.tally.Late > 0 {
		lines = append(lines, plural(p.tally.Late, w.lateOne, w.lateOther, s.Review.RemindAfterDays))
	}
	lines = append(lines, "", fmt.Sprintf(w.link, reviewPage(s, "")), "", w.footer, "")
	return letter{
		to: p.address, subject: subject, body: strings.Join(lines, "\n"), language: language,
		id:     fmt.Sprintf("digest-%d-%s-%s", p.user.UID, period.Format("20060102T1504"), idTail(s)),
		listID: listID(s), date: now,
	}
}

// idTail ends a Message-ID. Two services that share a sender must not share ids: the
// second mail would be taken for the first.
func idTail(s *config.Settings) string {
	sum := sha256.Sum256([]byte(reviewPage(s, "")))
	host := "localhost"
	if a, err := mail.ParseAddress(s.Notices.Mail.From); err == nil {
		host = a.Address[strings.LastIndex(a.Address, "@")+1:]
	}
	return hex.EncodeToString(sum[:6]) + "@" + host
}

// listID names the list (RFC 2919), so that a reader can sort by it.
func listID(s *config.Settings) string {
	return "<digest.editor-actions." + publicHost(s) + ">"
}

func publicHost(s *config.Settings) string {
	if u, err := url.Parse(s.Server.PublicOrigin); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return "localhost"
}
