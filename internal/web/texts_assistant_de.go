package web

// germanAssistantTexts are the words of free requests about a folder.
var germanAssistantTexts = map[Key]string{
	"action.assistant.label":       "Freie Anfrage",
	"action.assistant_texts.label": "Vorschlag des Assistenten",

	"assistant.heading": "Den Assistenten fragen: %s",
	"assistant.title":   "Den Assistenten fragen",
	"assistant.open":    "Den Assistenten zu diesem Ordner fragen",
	"assistant.back":    "Zurück zum Ordner",
	"assistant.intro":   "Sagen Sie in eigenen Worten, was Sie für die Bilder dieses Ordners und der Ordner darunter wünschen. Der Assistent sieht sie an und schlägt Texte vor, höchstens %d. Jeder Vorschlag ist eine eigene Karte; nichts wird gespeichert, bevor ein Mensch es freigibt.",
	"assistant.label":   "Was wünschen Sie?",
	"assistant.hint":    "Zum Beispiel: Beschreibe die drei Produktbilder im gleichen Ton. Bilder, die er ansieht, werden an das Modell gesendet.",
	"assistant.start":   "Starten",

	"card.request":     "Die Anfrage, zu der er gehört",
	"run.proposals":    "Vorschläge",
	"status.paused":    "Wartet auf Entscheidungen",
	"status.answered":  "Erledigt",
	"step.assistant":   "Der Assistent arbeitet",
	"step.proposals":   "Über seine Vorschläge wird entschieden",
	"outcome.answered": "Der Assistent ist fertig.",
	"outcome.limit":    "Der Assistent hat verbraucht, was eine Anfrage verbrauchen darf, und aufgehört. Seine Vorschläge bleiben.",
}
