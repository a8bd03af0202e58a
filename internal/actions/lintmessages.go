package actions

// lintMessages are the sentences of Lint's rules in the languages of the UI.
// Both take the same arguments in the same order.
var lintMessages = map[string]struct{ en, de string }{
	RuleEmpty: {
		"The alternative text is empty. Write one, or mark the picture as decorative.",
		"Der Alternativtext ist leer. Schreiben Sie einen, oder kennzeichnen Sie das Bild als dekorativ.",
	},
	RuleHTML: {
		"The text has HTML in it. Write plain text; put a blank behind a \"less than\" sign.",
		"Der Text enthält HTML. Schreiben Sie reinen Text; setzen Sie hinter ein Kleiner-Zeichen ein Leerzeichen.",
	},
	RuleControl: {
		"The text has a character that nobody can see or that changes how it reads. Type the text anew.",
		"Der Text enthält ein Zeichen, das man nicht sieht oder das die Leserichtung ändert. Geben Sie den Text neu ein.",
	},
	RuleLineBreak: {
		"The text has a line break. This field is one line.",
		"Der Text enthält einen Zeilenumbruch. Dieses Feld ist einzeilig.",
	},
	RuleTooLong: {
		"The text has %d characters; at most %d are allowed.",
		"Der Text hat %d Zeichen; erlaubt sind höchstens %d.",
	},
	RuleTooManyBytes: {
		"The text takes %d bytes; the database column holds %d. Letters with accents take two.",
		"Der Text braucht %d Byte; die Datenbankspalte fasst %d. Umlaute brauchen zwei.",
	},
	RuleRefusal: {
		"This is the model saying that it cannot answer, not a text about the picture.",
		"Hier sagt das Modell, dass es nicht antworten kann. Das ist kein Text über das Bild.",
	},
	RuleJSON: {
		"The text still has parts of a structured answer in it, such as braces or escapes.",
		"Der Text enthält noch Reste einer strukturierten Antwort, etwa Klammern oder Escape-Zeichen.",
	},
	RuleFieldOff: {
		"The field \"%s\" is switched off, so this action may not fill it.",
		"Das Feld „%s“ ist abgeschaltet; diese Aktion darf es nicht füllen.",
	},
	RuleClears: {
		"The text is empty: the stored text of this field will be removed.",
		"Der Text ist leer: Der gespeicherte Text dieses Feldes wird entfernt.",
	},
	RuleCleaned: {
		"There are quotation marks, Markdown, a preamble or needless blanks around the text.",
		"Um den Text stehen Anführungszeichen, Markdown, eine Einleitung oder überflüssige Leerzeichen.",
	},
	RulePrefix: {
		"The text begins with \"%s\". Screen readers say that it is a picture; begin with the subject.",
		"Der Text beginnt mit „%s“. Screenreader sagen schon, dass es ein Bild ist; beginnen Sie mit dem Gegenstand.",
	},
	RuleSuffix: {
		"The text ends with \"%s\". Screen readers say that it is a picture; leave it out unless it matters.",
		"Der Text endet mit „%s“. Screenreader sagen schon, dass es ein Bild ist; lassen Sie es weg, wenn es nicht wichtig ist.",
	},
	RuleLong: {
		"The text has %d characters. Up to about %d can be listened to in one go.",
		"Der Text hat %d Zeichen. Bis etwa %d lässt er sich gut am Stück anhören.",
	},
	RuleShort: {
		"The text has only %d characters. Check that it says enough.",
		"Der Text hat nur %d Zeichen. Prüfen Sie, ob er genug aussagt.",
	},
	RuleFileName: {
		"The text looks like a file name, or has one in it.",
		"Der Text sieht wie ein Dateiname aus oder enthält einen.",
	},
	RulePlaceholder: {
		"The text is a placeholder and says nothing about the picture.",
		"Der Text ist ein Platzhalter und sagt nichts über das Bild.",
	},
	RuleSame: {
		"The text is the same as the field \"%s\". People would hear it twice.",
		"Der Text ist derselbe wie im Feld „%s“. Man würde ihn doppelt hören.",
	},
	RuleTinySource: {
		"The original picture is very small, so the text may be a guess.",
		"Das Originalbild ist sehr klein, der Text ist vielleicht geraten.",
	},
	RuleFirstFrame: {
		"The file is an animation, and the text is about its first frame only.",
		"Die Datei ist eine Animation, und der Text handelt nur von ihrem ersten Bild.",
	},
	RuleSameFile: {
		"The file \"%s\" has the same text. Say what tells the two apart.",
		"Die Datei „%s“ hat denselben Text. Sagen Sie, was die beiden unterscheidet.",
	},
	RuleLanguage: {
		"The text does not seem to be in the language that was asked for: %s.",
		"Der Text scheint nicht in der verlangten Sprache zu sein: %s.",
	},
	RuleEmoji: {
		"The text has an emoji in it. Screen readers read out its name.",
		"Der Text enthält ein Emoji. Screenreader lesen dessen Namen vor.",
	},
	RuleCapitals: {
		"The text is written in capitals. Some screen readers spell such words.",
		"Der Text steht in Großbuchstaben. Manche Screenreader buchstabieren solche Wörter.",
	},
	RuleKeywords: {
		"The text is a list of keywords. Write a sentence.",
		"Der Text ist eine Liste von Stichwörtern. Schreiben Sie einen Satz.",
	},
	RuleInstruction: {
		"The text talks to a reader or a program, or has an address in it. It may come from words in the picture.",
		"Der Text richtet sich an Lesende oder ein Programm oder enthält eine Adresse. Er kann aus Wörtern im Bild stammen.",
	},
	RulePersonAttribute: {
		"\"%s\" says something about a person that a picture does not show for sure. Keep it only if it is known and matters.",
		"„%s“ sagt etwas über eine Person, das ein Bild nicht sicher zeigt. Behalten Sie es nur, wenn es bekannt und wichtig ist.",
	},
}
