package web

// germanAssistantTexts are the words of free requests about a folder.
var germanAssistantTexts = map[Key]string{
	"action.assistant.label":       "Anfrage an den Assistenten",
	"action.assistant_texts.label": "Vorschlag des Assistenten",

	"assistant.heading": "Den Assistenten fragen: %s",
	"assistant.title":   "Den Assistenten fragen",
	"assistant.open":    "Den Assistenten zu diesem Ordner fragen",
	"assistant.back":    "Zurück zum Ordner",
	"assistant.intro":   "Sagen Sie in eigenen Worten, was Sie für die Bilder dieses Ordners und der Ordner darunter wünschen. Der Assistent sieht sie an und schlägt Texte vor, höchstens %d. Jeder Vorschlag ist eine eigene Karte; nichts wird gespeichert, bevor ein Mensch es freigibt.",
	"assistant.label":   "Was wünschen Sie?",
	"assistant.hint":    "Zum Beispiel: Beschreiben Sie die drei Produktbilder im gleichen Ton. Bilder, die der Assistent ansieht, werden an das Modell gesendet.",
	"assistant.start":   "Starten",

	"card.asked":       "Anfrage der Redaktion",
	"card.request":     "Zur Anfrage, aus der dieser Vorschlag kommt",
	"run.proposals":    "Vorschläge",
	"status.paused":    "Wartet auf Entscheidungen",
	"status.answered":  "Erledigt",
	"step.assistant":   "Der Assistent arbeitet",
	"step.proposals":   "Menschen prüfen die Vorschläge",
	"outcome.answered": "Der Assistent ist fertig.",
	"outcome.limit":    "Der Assistent hat verbraucht, was eine Anfrage verbrauchen darf, und aufgehört. Seine Vorschläge bleiben.",

	"flash.cancelled_assistant": "Die Anfrage wurde abgebrochen. Was über ihre Vorschläge entschieden wurde, bleibt; wartende Karten können noch entschieden werden.",

	"outcome.assistant.stay":              "Was über ihre Vorschläge entschieden wurde, bleibt; wartende Karten können noch entschieden werden.",
	"outcome.assistant.cancelled":         "Die Anfrage wurde abgebrochen.",
	"outcome.assistant.tool_off":          "Der Assistent wurde abgeschaltet und die Anfrage deshalb gestoppt.",
	"outcome.assistant.user_gone":         "Die Person, die angefragt hat, kann sich nicht mehr anmelden; die Anfrage wurde gestoppt.",
	"outcome.assistant.file_gone":         "Der Ordner oder ein Bild darin lässt sich nicht mehr verwenden; die Anfrage wurde gestoppt.",
	"outcome.assistant.provider_failed":   "Das Modell war nicht erreichbar oder gab keine brauchbare Antwort; die Anfrage wurde gestoppt.",
	"outcome.assistant.policy_denied":     "Eine Sicherheitsregel hat eine Nachricht an das Modell zurückgehalten; die Anfrage wurde gestoppt.",
	"outcome.assistant.policy_approval":   "Eine Sicherheitsregel verlangt eine Genehmigung, die dieser Dienst nicht anbietet; die Anfrage wurde gestoppt.",
	"outcome.assistant.retries_exhausted": "Die Anfrage wurde mehrmals versucht und kam nicht weiter; sie wurde gestoppt.",
	"outcome.assistant.unreadable":        "Der gespeicherte Stand der Anfrage ließ sich nicht öffnen; sie wurde gestoppt.",
	"outcome.assistant.internal":          "Der Dienst hatte ein Problem; die Anfrage wurde gestoppt.",
	"flash.sent_back":                     "Zurückgegeben: %s. Der Assistent liest, warum, und kann auf einer neuen Karte einen besseren Text vorschlagen.",
	"outcome.sent_back":                   "Der Vorschlag wurde zurückgegeben. Der Assistent kann auf einer eigenen Karte einen besseren Text vorschlagen. Es wurde nichts gespeichert.",
	"status.sent_back":                    "Zurückgegeben",
}
