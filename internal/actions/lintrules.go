package actions

import "regexp"

// The patterns of Lint. German and English ones are tried on every text: models
// answer in English where German was asked for.

// aim is the length a field is good at, from the guides: alternative texts of 80
// to 125 characters, German a little longer; a warning starts above that.
type aim struct{ least, most int }

func aimOf(f Field, lang string) aim {
	german := lang == "de"
	switch {
	case lang != "de" && lang != "en":
		return aim{} // nothing is known about other languages
	case f == Alternative && german:
		return aim{least: 8, most: 170}
	case f == Alternative:
		return aim{least: 8, most: 150}
	case f == Title:
		return aim{most: 60}
	case f == Description:
		return aim{most: 300}
	}
	return aim{}
}

// entity is a character reference: nobody writes one in plain text.
var entity = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});`)

// jsonRemains are the outside of a structured answer, or its escapes.
var jsonRemains = regexp.MustCompile(`(?s)^\s*[\[{]\s*["']|["']\s*[}\]]\s*$|"(?:uid|alternative|title|description|alt|kind)"\s*:|\\u[0-9a-fA-F]{4}|\\n|\\"|</?(?:tool_call|function)`)

// refusals are first-person sentences of a model, outside of quotation marks. Most
// must open the text or a sentence: a poster may say "I can't wait".
var refusals = regexp.MustCompile(`(?i)(?:^|[.!?]\s+)(?:` +
	`(?:i'm|i’m|i am) (?:sorry|unable|not able|afraid)\b|i apologi[sz]e\b|my apologies\b` +
	`|sorry,? (?:but )?i\b` +
	`|(?:unfortunately,? )?i (?:can't|can’t|cannot|can not|won't|won’t|am unable to|do not feel) (?:be able to|help|assist|identify|describe|see|view|analy[sz]e|process|provide|determine|comply|fulfil|generate|create|access|recogni[sz]e|tell|comment)` +
	`|i (?:don't|don’t|do not) (?:see|have) (?:an?|any|the|access|enough)\b` +
	`|(?:es tut mir (?:sehr )?leid|tut mir leid|entschuldigung|entschuldige)\b` +
	`|(?:(?:leider|dazu|dabei|hierzu) )?(?:kann|darf) ich\b[^.!?]{0,80}\b(?:nicht|keine?n?)\b` +
	`|ich (?:kann|darf)\b[^.!?]{0,80}\b(?:nicht|keine?n?)\b[^.!?]{0,40}\b(?:beschreiben|erkennen|identifizieren|sehen|helfen|beantworten|verarbeiten|analysieren|erstellen|bestimmen|nennen|sagen)` +
	`|please (?:upload|provide|share|send|attach) (?:the|an?|your|me)\b[^.]{0,20}\b(?:image|picture|photo|file)\b` +
	`|bitte (?:laden|senden|schicken|stellen) sie (?:mir )?(?:das|die|ein|eine)\b[^.]{0,20}\b(?:bild|foto|datei)\b` +
	`|mir (?:liegt|wurde) (?:leider )?kein (?:bild|foto)\b|ich bin (?:leider )?nicht in der lage\b|ich sehe (?:kein|leider)` +
	`)|\b(?:kann|darf) ich (?:leider|daher|deshalb)\b[^.!?]{0,40}\b(?:nicht|keine?n?|niemanden|nichts)\b` +
	`|\b(?:kann|darf) ich (?:nicht|keine?n?|niemanden|nichts)\b[^.!?]{0,60}\b(?:beschreiben|erkennen|identifizieren|benennen|analysieren|verarbeiten)\b` +
	`|\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b|\bals (?:ki|künstliche intelligenz|sprachmodell|ki-modell)\b[^.]{0,30}\b(?:kann|darf|bin|habe)\b` +
	`|\b(?:no|kein) (?:image|bild) (?:was |wurde )?(?:provided|attached|bereitgestellt|übermittelt|angehängt)`)

// instructions are words that talk to a model or a person in charge, as a
// picture with planted text makes a model repeat them.
var instructions = regexp.MustCompile(`(?i)\b(?:ignore|disregard|forget)\b[^.]{0,30}\b(?:instruction|previous|above|prior|rules?|prompt)` +
	`|\bsystem ?prompt\b|\byou (?:are|must) now\b|\b(?:call|use|invoke) the (?:tool|function)\b|\bapprove (?:this|it|immediately|without)\b|\bplease approve\b` +
	`|\b(?:ignoriere|missachte|vergiss)\b[^.]{0,30}\b(?:anweisung|vorherig|bisherig|obig|regeln?|prompt)` +
	`|\brufe? das werkzeug\b|\bdu (?:bist|musst) (?:jetzt|nun)\b|\bbitte\b[^.]{0,30}\b(?:freigeben|genehmigen)\b` +
	`|(?:^|[.!?]\s+)(?:(?:respond|reply|answer) (?:only|just|with)\b|(?:antworte|erwidere) (?:nur|mit)\b|click here\b|klicken? (?:sie )?hier\b)` +
	`|\bfollow (?:these|my|the) (?:new |following )?instructions\b|\b(?:be)?folge\b[^.]{0,30}\banweisung` +
	`|\b(?:do not|don't|don’t|never) (?:show|tell|mention|reveal)\b[^.]{0,30}\b(?:reviewer|editor|user)\b|\bzeige?\b[^.]{0,30}\bnicht (?:der redaktion|dem prüfer|der prüferin)\b` +
	`|https?://|\bwww\.[a-z0-9-]+\.|\b(?:set_file_alternative_text|update_fal_asset_meta)\b|<\|`)

// fileNames are names with an extension and names that cameras give.
var fileNames = regexp.MustCompile(`(?i)\S\.(?:jpe?g|png|gif|webp|avif|svg|tiff?|heic|bmp|pdf|psd)\b` +
	`|\b(?:img|dscn?|dscf|pxl|p10|mvi|vid|sam|gopr|scan|screenshot|whatsapp image|bildschirmfoto)[ _-]*[0-9]{3,}` +
	`|\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\b[0-9a-f]{16,}\b|(?-i:^[a-z0-9]+(?:-[a-z0-9]+){2,}$)`)

// placeholders are words that stand for a text that is not there.
var placeholders = regexp.MustCompile(`(?i)^(?:n/?a|none|null|nil|undefined|unknown|untitled|todo|tbd|test|placeholder|platzhalter|lorem ipsum.*|x{2,}|asdf|(?:test ?){2,}|alt|alt[ -]?text|image description|bildbeschreibung|alternativtext|alternative text|image|picture|photo|bild|foto|grafik|titel|title|description|beschreibung|unbekannt|keine?|ohne titel|\.+|-+|\?+` +
	`|(?:image|picture|photo|figure|bild|foto|grafik|abbildung)[ #-]*[0-9]{1,4}` +
	`|(?:no|keine?n?) (?:title|description|alt(?:ernative)?[ -]?text|titel|beschreibung|alternativtext)` +
	`|(?:titel|beschreibung|alternativtext|text) folgt` +
	`|(?:hier )?(?:bitte )?(?:titel|beschreibung|alternativtext|alt-text|text) (?:hier )?(?:einfügen|eingeben|ergänzen)` +
	`|(?:insert|enter|add) (?:an? |the )?(?:title|description|alt(?:ernative)?[ -]?text|text)(?: here)?` +
	`)[.!]?$`)

// prefixes are openings that a screen reader has said already. A medium that
// can matter (painting, screenshot, map) is none.
var prefixes = regexp.MustCompile(`(?i)^(?:` +
	`(?:this is |here is |it is )?(?:an?|the|this) (?:image|picture|photo|photograph|pic|graphic|illustration)(?: of| showing| shows| captures| portrays| presents| illustrates| depicts| depicting| features| featuring| displays| contains| with| that shows)\b` +
	`|(?:close-up |stock )?(?:image|picture|photo|photograph|pic|graphic|illustration)(?: of| showing| depicting| featuring| with)\b` +
	`|(?:image|picture|photo|photograph|pic):` +
	`|(?:pictured|shown)(?: here)? (?:is|are)\b|(?:here )?we (?:can )?see\b|(?:hier )?(?:sieht man|sehen wir)\b|(?:man sieht|wir sehen)\b` +
	`|(?:das|dieses|ein) (?:bild|foto), (?:das|auf dem)\b` +
	`|(?:in|on) (?:this|the) (?:image|picture|photo)\b` +
	`|(?:das|dieses|ein|hier ist ein) (?:bild|foto)(?: von| zeigt| stellt| enthält| präsentiert| mit| eine[srnm]?| des| der)\b|(?:die|diese|eine) (?:abbildung|grafik|aufnahme|fotografie)(?: von| zeigt| mit| eine[srnm]?| des| der)\b` +
	`|(?:bild|foto|fotografie|abbildung|grafik|aufnahme|illustration)(?: von| vom| mit| eine[srnm]?| des| der|:)(?:\s|$)` +
	`|(?:auf|in) (?:dem|diesem) (?:bild|foto)\b|(?:auf|in) der (?:abbildung|grafik|aufnahme)\b|(?:zu sehen|abgebildet|dargestellt) (?:ist|sind)\b` +
	`)`)

// suffixes are endings that say the same, or name the kind of picture as an
// afterthought. They are shown, not taken off: "a nail in the picture" is a thing.
var suffixes = regexp.MustCompile(`(?i)(?:` +
	`(?:\s[-–—|]\s*|[,;:.]\s+|\()(?:stock ?)?(?:image|picture|photo|photograph|pic|bild|foto|fotografie|symbolbild|symbolfoto|aufnahme)\)?` +
	`|\b(?:in|on) (?:this|the) (?:image|picture|photo|photograph)` +
	`|\b(?:auf|in) (?:(?:dem|diesem) (?:bild|foto)|(?:der|dieser) (?:abbildung|aufnahme))(?: (?:ist|sind|wird|werden))?(?: (?:zu sehen|zu erkennen|abgebildet|dargestellt))?` +
	`)[.!]?$`)
