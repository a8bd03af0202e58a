package web

// germanOperatorDetails are the details of the providers room by their English format.
// Arguments keep their order.
var germanOperatorDetails = map[string]string{ //nolint:gosec // sentences; one of them is about a key
	// the settings
	"there is no such configuration":                                   "Diese Konfiguration gibt es nicht.",
	"the configuration is switched off":                                "Die Konfiguration ist ausgeschaltet.",
	"the configuration names no model":                                 "Die Konfiguration nennt kein Modell.",
	"the criteria do not demand vision":                                "Die Kriterien verlangen nicht, dass das Modell Bilder sieht.",
	"no model declares what the criteria demand":                       "Kein angegebenes Modell kann, was die Kriterien verlangen.",
	"the provider could not be set up":                                 "Der Anbieter ließ sich nicht einrichten.",
	"the model %s does not declare vision":                             "Für das Modell %s ist nicht angegeben, dass es Bilder sieht.",
	"the model %s does not say that it sees":                           "Für das Modell %s ist nichts darüber angegeben, ob es Bilder sieht.",
	"the model %s does not declare tools":                              "Für das Modell %s ist nicht angegeben, dass es Werkzeuge aufruft.",
	"a fallback to itself":                                             "Die Konfiguration ist ihre eigene Ausweichmöglichkeit.",
	"its zone %s is less trusted than %s":                              "Ihre Zone %s ist weniger vertrauenswürdig als %s.",
	"limited to groups that the first configuration is not limited to": "Sie ist auf Gruppen beschränkt, auf die die erste Konfiguration nicht beschränkt ist.",

	// the way there
	"no whole answer within %s":                                                             "Innerhalb von %s kam keine vollständige Antwort.",
	"no whole answer in time":                                                               "Es kam nicht rechtzeitig eine vollständige Antwort.",
	"the address redirects to another host":                                                 "Die Adresse leitet auf einen anderen Rechner um.",
	"the address answers with a redirect":                                                   "Die Adresse antwortet mit einer Umleitung.",
	"the address is in a private network, and privateNetwork is not set":                    "Die Adresse liegt in einem privaten Netz, und privateNetwork ist nicht gesetzt.",
	"the address does not speak TLS":                                                        "Die Adresse spricht kein TLS.",
	"the address cannot be used":                                                            "Die Adresse lässt sich nicht verwenden.",
	"the address or the model is not known there":                                           "Die Adresse oder das Modell ist dort nicht bekannt.",
	"the name of the model cannot be part of an address":                                    "Der Name des Modells kann nicht Teil einer Adresse sein.",
	"the certificate of the address is for another name":                                    "Das Zertifikat der Adresse gilt für einen anderen Namen.",
	"the certificate of the address is not trusted":                                         "Dem Zertifikat der Adresse wird nicht vertraut.",
	"the host name is not known":                                                            "Der Rechnername ist nicht bekannt.",
	"the connection was refused":                                                            "Die Verbindung wurde abgelehnt.",
	"the network cannot be reached":                                                         "Das Netz ist nicht erreichbar.",
	"the connection was lost":                                                               "Die Verbindung ging verloren.",
	"it failed several times in a row and is not asked for half a minute; nothing was sent": "Der Anbieter hat mehrmals hintereinander versagt und wird eine halbe Minute nicht gefragt; nichts wurde gesendet.",

	// what a provider takes
	"%s takes no %s":               "%s nimmt kein %s an.",
	"%s takes %d pictures, not %d": "%s nimmt %s Bilder an, nicht %s.",
	"a picture has %d encoded bytes, %s takes %d; nothing was sent": "Ein Bild hat kodiert %s Byte, %s nimmt %s an; nichts wurde gesendet.",
	"the request has %d bytes, %d are taken; nothing was sent":      "Die Anfrage hat %s Byte, angenommen werden %s; nichts wurde gesendet.",
	"more than the model's context window":                          "Es war mehr, als in das Kontextfenster des Modells passt.",
	"the key is not valid":                                          "Der Schlüssel ist nicht gültig.",
	"the account has no credit left":                                "Das Konto hat kein Guthaben mehr.",
	"the account has reached its own spend limit":                   "Das Konto hat seine eigene Ausgabengrenze erreicht.",
	"the picture is larger than is taken there":                     "Das Bild ist größer, als dort angenommen wird.",
	"the model takes no tools":                                      "Das Modell nimmt keine Werkzeuge an.",
	"the model takes no pictures":                                   "Das Modell nimmt keine Bilder an.",
	"the quota of the day is used up":                               "Das Kontingent des Tages ist aufgebraucht.",

	"a picture has an edge of %d pixels, %s takes %d; nothing was sent": "Ein Bild hat eine Kante von %s Pixeln, %s nimmt %s an; nichts wurde gesendet.",
	"the request cannot be written":                                     "Die Anfrage lässt sich nicht schreiben.",

	// the answer
	"the answer is larger than %d bytes":                      "Die Antwort ist größer als %s Byte.",
	"the answer broke off or cannot be read":                  "Die Antwort brach ab oder ist nicht lesbar.",
	"the answer is no message":                                "Die Antwort ist keine Nachricht.",
	"the answer is no chat message":                           "Die Antwort ist keine Nachricht eines Gesprächs.",
	"the answer is no chat completion":                        "Die Antwort ist keine Fortsetzung eines Gesprächs.",
	"the answer is no generateContent answer":                 "Die Antwort ist keine von generateContent.",
	"the answer is not finished":                              "Die Antwort ist nicht abgeschlossen.",
	"the answer has no candidate":                             "Die Antwort enthält keinen Vorschlag (candidate).",
	"the answer has no choice":                                "Die Antwort enthält keine Auswahl (choice).",
	"the answer ended at the output limit":                    "Die Antwort endete an der Ausgabegrenze.",
	"the model refused":                                       "Das Modell hat sich geweigert.",
	"the model refused, or a content filter ended the answer": "Das Modell hat sich geweigert, oder ein Inhaltsfilter hat die Antwort beendet.",
	"a content filter took the request":                       "Ein Inhaltsfilter hat die Anfrage abgefangen.",
	"the model made a call that the provider could not read":  "Das Modell hat einen Aufruf gemacht, den der Anbieter nicht lesen konnte.",

	// a test
	"the offline model reads no words, so there is nothing to check":                            "Das Modell der Demo liest keine Wörter, es gibt also nichts zu testen.",
	"the check was ended before there was an answer":                                            "Der Test wurde beendet, bevor eine Antwort kam.",
	"it read the word, but answered in words and did not call the tool":                         "Das Modell hat das Wort gelesen, aber in Worten geantwortet und das Werkzeug nicht aufgerufen.",
	"it answered without calling the tool and without naming the word":                          "Das Modell hat geantwortet, ohne das Werkzeug aufzurufen und ohne das Wort zu nennen.",
	"it called the tool without having looked: it reported another word than the picture shows": "Das Modell hat das Werkzeug aufgerufen, ohne hinzusehen: Es hat ein anderes Wort genannt, als das Bild zeigt.",
	"the demonstration was asked to fail":                                                       "Die Demo sollte versagen.",
	"the demonstration was asked to answer nothing":                                             "Die Demo sollte nichts antworten.",
}
