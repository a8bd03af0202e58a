package demo

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// field is one text of a call.
type field struct{ name, text string }

// wording is how a text is put. The zero value is the first proposal.
type wording struct {
	short, long bool
	turn        int // so that no proposal repeats the one before
}

// wordingOf reads the reviewer's reason.
func wordingOf(t task) wording {
	w := wording{turn: len(t.results)}
	last := t.last()
	if last == nil {
		return w
	}
	w.short = has(last.Feedback, "short", "too long", "brief", "concise", "kürz", "kurz", "zu lang", "knapp")
	w.long = !w.short && has(last.Feedback, "longer", "detail", "more", "too short", "länger", "ausführlich", "genauer", "mehr", "zu kurz")
	if has(last.Feedback, "too short", "zu kurz") {
		w.short, w.long = false, true
	}
	return w
}

// texts writes what the prompt asked for, within the limits it was told.
func texts(t task, s sight, o orders) []field {
	w := wordingOf(t)
	out := make([]field, 0, len(t.fields))
	for _, name := range t.fields {
		out = append(out, field{name, t.text(name, s, w, o)})
	}
	return out
}

func (t *task) text(name string, s sight, w wording, o orders) string {
	write := map[string]func(bool, wording) string{"title": s.title, "description": s.description}[name]
	if write == nil {
		write = s.alternative
	}
	text := write(t.german, w)
	switch {
	case name == "alternative" && (o[decorative] || s.flat):
		return "" // one colour and nothing else decorates
	case o[html]:
		return "<b>" + text + "</b>"
	case o[tooLong]:
		return strings.TrimSpace(strings.Repeat(text+" ", 1+max(400, 2*t.limits[name])/utf8.RuneCountInString(text)))
	}
	return fit(t.limits[name], text,
		write(t.german, wording{short: true, turn: w.turn}),
		pick(t.german, "Demonstration: "+s.kindDE()+".", "Demonstration: "+s.kindEN()+"."),
		pick(t.german, "Demo: Bild.", "Demo: picture."))
}

// fit takes the first text that keeps the limit. When none does, the last one is
// cut: a limit of a few characters holds no sentence.
func fit(limit int, candidates ...string) string {
	if limit <= 0 {
		return candidates[0]
	}
	for _, c := range candidates {
		if uniseg.GraphemeClusterCount(c) <= limit {
			return c
		}
	}
	g := uniseg.NewGraphemes(candidates[len(candidates)-1])
	for range limit {
		g.Next()
	}
	_, end := g.Positions()
	return strings.TrimSpace(candidates[len(candidates)-1][:end])
}

// alternative is one sentence about what pixels tell.
func (s sight) alternative(german bool, w wording) string {
	if german {
		colours, what, rest := "vor allem "+s.colourList(true), s.kindDE(), inGerman[s.shape]+", "+inGerman[s.brightness]+", mit "+inGerman[s.detail]+" Einzelheiten"
		return s.sentence(w, what, colours, rest, "in der Mitte "+inGerman[s.centre])
	}
	colours, what, rest := "mostly "+s.colourList(false), s.kindEN(), inEnglish[s.shape]+", "+inEnglish[s.brightness]+", with "+inEnglish[s.detail]+" detail"
	return s.sentence(w, what, colours, rest, s.centre+" in the middle")
}

func (s sight) sentence(w wording, what, colours, rest, centre string) string {
	parts := []string{what, rest, colours}
	switch {
	case w.short && w.turn%2 == 0:
		parts = []string{what, colours}
	case w.short:
		parts = []string{colours, what}
	case w.long:
		parts = append(parts, centre)
	case w.turn%2 == 1:
		parts = []string{colours, what, rest}
	}
	return "Demonstration: " + strings.Join(parts, ", ") + "."
}

func (s sight) title(german bool, w wording) string {
	first := s.colours[0]
	if w.turn%2 == 1 {
		return pick(german, "Demonstration: vor allem "+inGerman[first], "Demonstration: mostly "+first)
	}
	return pick(german, "Demonstration: "+s.kindDE()+" in "+inGerman[first], "Demonstration: "+s.kindEN()+" in "+first)
}

func (s sight) description(german bool, w wording) string {
	if w.short {
		return s.alternative(german, wording{turn: w.turn})
	}
	return s.alternative(german, wording{long: true, turn: w.turn}) + pick(german,
		" Dieser Text stammt vom Demonstrationsmodell. Es misst Farben und Helligkeit und erkennt keine Motive.",
		" This text comes from the demonstration model. It measures colours and brightness and recognises no subjects.")
}

func (s sight) kindDE() string { return pick(s.drawing, "gezeichnetes Bild", "fotoähnliches Bild") }
func (s sight) kindEN() string { return pick(s.drawing, "drawn picture", "photo-like picture") }

func (s sight) colourList(german bool) string {
	names := make([]string, len(s.colours))
	for i, c := range s.colours {
		names[i] = pick(german, inGerman[c], c)
	}
	return strings.Join(names, pick(german, " und ", " and "))
}

// inGerman and inEnglish are words for what look found. English colours are
// their own names.
var inGerman = map[string]string{
	"black": "Schwarz", "white": "Weiß", "grey": "Grau", "red": "Rot", "brown": "Braun", "orange": "Orange", "yellow": "Gelb", "beige": "Beige",
	"green": "Grün", "blue": "Blau", "purple": "Violett", "pink": "Rosa",
	"landscape": "im Querformat", "portrait": "im Hochformat", "square": "in quadratischem Format", "panorama": "im Panoramaformat",
	"dark": "dunkel", "medium": "mittelhell", "bright": "hell", "little": "wenigen", "some": "einigen", "much": "vielen",
}

var inEnglish = map[string]string{
	"landscape": "in landscape format", "portrait": "in portrait format", "square": "in square format", "panorama": "in panorama format",
	"dark": "dark", "medium": "of medium brightness", "bright": "bright", "little": "little", "some": "some", "much": "a lot of",
}
