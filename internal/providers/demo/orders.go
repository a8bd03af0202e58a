package demo

import (
	"path"
	"regexp"
	"strings"
)

// order is one way to misbehave.
type order string

const (
	decline         order = "decline"
	noTool          order = "no tool"
	twice           order = "twice"
	wrongUID        order = "wrong uid"
	unknownTool     order = "unknown tool"
	unknownArgument order = "unknown argument"
	brokenArguments order = "broken arguments"
	tooLong         order = "too long"
	html            order = "html"
	decorative      order = "decorative"
	slow            order = "slow"
	fail            order = "fail"
	emptyAnswer     order = "empty answer"
	failAtTheEnd    order = "fail at the end"
	once            order = "once"
)

var triggers = map[string]order{
	"decline": decline, "refuse": decline, "ablehnen": decline,
	"no tool": noTool, "without tool": noTool, "ohne werkzeug": noTool,
	"twice": twice, "call twice": twice, "zweimal": twice, "zwei aufrufe": twice,
	"wrong uid": wrongUID, "wrong record": wrongUID, "falsche uid": wrongUID, "falscher datensatz": wrongUID,
	"unknown tool": unknownTool, "wrong tool": unknownTool, "unbekanntes werkzeug": unknownTool, "falsches werkzeug": unknownTool,
	"unknown argument": unknownArgument, "unbekanntes argument": unknownArgument,
	"broken arguments": brokenArguments, "kaputte argumente": brokenArguments,
	"too long": tooLong, "zu lang": tooLong,
	"html":       html,
	"decorative": decorative, "dekorativ": decorative,
	"slow": slow, "langsam": slow,
	"fail": fail, "fehler": fail,
	"empty answer": emptyAnswer, "leere antwort": emptyAnswer,
	"fail at the end": failAtTheEnd, "fehler am ende": failAtTheEnd,
	"once": once, "einmal": once,
}

// orders is a set.
type orders map[order]bool

func (o orders) add(more orders) {
	for k := range more {
		o[k] = true
	}
}

var (
	separators = regexp.MustCompile(`(?i)[,;.!\n]+|\s+(?:and|und)\s+`)
	afterDemo  = regexp.MustCompile(`(?im)\bdemo(?:nstration)?\s*:(.*)$`)
	blanks     = regexp.MustCompile(`[\s_-]+`)
	demoInName = regexp.MustCompile(`(?i)(?:^| )demo (.*)$`)
)

// ordersInNote reads a note: one that is nothing but trigger words, or what
// follows "demo:". A sentence that happens to hold a trigger word is a sentence.
func ordersInNote(note string) orders {
	if all := known(note); all != nil {
		return all
	}
	return ordersAfterDemo(note)
}

func ordersAfterDemo(text string) orders {
	found := orders{}
	for _, m := range afterDemo.FindAllStringSubmatch(text, -1) {
		for _, part := range separators.Split(m[1], -1) {
			if o, ok := triggers[plain(part)]; ok {
				found[o] = true
			}
		}
	}
	return found
}

// known gives the orders of a text in which every part is one, else nil.
func known(text string) orders {
	found := orders{}
	for _, part := range separators.Split(text, -1) {
		if plain(part) == "" {
			continue
		}
		o, ok := triggers[plain(part)]
		if !ok {
			return nil
		}
		found[o] = true
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// ordersInName reads "demo-too-long.jpg" or "Hafen demo slow, decline.png".
func ordersInName(name string) orders {
	stem := plain(strings.TrimSuffix(name, path.Ext(name)))
	m := demoInName.FindStringSubmatch(stem)
	if m == nil {
		return nil
	}
	found := orders{}
	rest := " " + plain(separators.ReplaceAllString(m[1], " ")) + " "
	for words, o := range triggers {
		if strings.Contains(rest, " "+words+" ") && (o != fail || !strings.Contains(rest, " "+words+" at the end ") && !strings.Contains(rest, " "+words+" am ende ")) {
			found[o] = true
		}
	}
	return found
}

func plain(s string) string {
	return strings.TrimSpace(strings.ToLower(blanks.ReplaceAllString(s, " ")))
}
