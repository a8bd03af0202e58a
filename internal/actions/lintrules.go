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
var jsonRemains = regexp.MustCompile(`(?s)^\s*[\[{]\s*"|"\s*[}\]]\s*$|"(?:uid|alternative|title|description|alt|kind)"\s*:|\\u[0-9a-fA-F]{4}|\\n|\\"|</?(?:tool_call|function)`)

// refusals are first-person sentences of a model. The first person must open the
// text or a sentence: a poster may say "I can't wait".
var refusals = regexp.MustCompile(`(?i)(?:^|[.!?]\s+)(?:` +
	`(?:i'm|i’m|i am) (?:sorry|unable|not able|afraid)\b` +
	`|sorry,? (?:but )?i\b` +
	`|(?:unfortunately,? )?i (?:can't|can’t|cannot|can not|won't|won’t|am unable to|do not feel) (?:help|assist|identify|describe|see|view|analy[sz]e|process|provide|determine|comply|fulfil|generate|create|access|recogni[sz]e|tell|comment)` +
	`|i (?:don't|don’t|do not) (?:see|have) (?:an?|any|the|access|enough)\b` +
	`|(?:es tut mir (?:sehr )?leid|tut mir leid|entschuldigung|entschuldige)\b` +
	`|(?:leider )?(?:kann|darf) ich\b[^.!?]{0,80}\b(?:nicht|keine?n?)\b` +
	`|ich (?:kann|darf)\b[^.!?]{0,80}\b(?:nicht|keine?n?)\b[^.!?]{0,40}\b(?:beschreiben|erkennen|identifizieren|sehen|helfen|beantworten|verarbeiten|analysieren|erstellen|bestimmen|nennen|sagen)` +
	`|ich bin nicht in der lage\b|ich sehe (?:kein|leider)` +
	`)|\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b|\bals (?:ki|künstliche intelligenz|sprachmodell|ki-modell)\b[^.]{0,30}\b(?:kann|darf|bin|habe)\b` +
	`|\b(?:no|kein) (?:image|bild) (?:was |wurde )?(?:provided|attached|bereitgestellt|übermittelt|angehängt)`)

// instructions are words that talk to a model or a person in charge, as a
// picture with planted text makes a model repeat them.
var instructions = regexp.MustCompile(`(?i)\b(?:ignore|disregard|forget)\b[^.]{0,30}\b(?:instruction|previous|above|prior|rules?|prompt)` +
	`|\bsystem ?prompt\b|\byou (?:are|must) now\b|\b(?:call|use|invoke) the (?:tool|function)\b|\bapprove (?:this|it|immediately|without)\b` +
	`|\b(?:ignoriere|missachte|vergiss)\b[^.]{0,30}\b(?:anweisung|vorherig|bisherig|obig|regeln?|prompt)` +
	`|\brufe? das werkzeug\b|\bdu (?:bist|musst) (?:jetzt|nun)\b|\bbitte (?:sofort )?(?:freigeben|genehmigen)\b` +
	`|https?://|\b(?:set_file_alternative_text|update_fal_asset_meta)\b|<\|`)

// fileNames are names with an extension and names that cameras give.
var fileNames = regexp.MustCompile(`(?i)\S\.(?:jpe?g|png|gif|webp|avif|svg|tiff?|heic|bmp|pdf|psd)\b` +
	`|\b(?:img|dscn?|dscf|pxl|p10|mvi|vid|sam|gopr|scan|screenshot|whatsapp image|bildschirmfoto)[ _-]*[0-9]{3,}` +
	`|\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\b[0-9a-f]{16,}\b`)

// placeholders are words that stand for a text that is not there.
var placeholders = regexp.MustCompile(`(?i)^(?:n/?a|none|null|nil|undefined|unknown|untitled|todo|tbd|test|placeholder|platzhalter|lorem ipsum.*|alt|alt[ -]?text|alternativtext|alternative text|image|picture|photo|bild|foto|grafik|titel|title|description|beschreibung|unbekannt|keine?|ohne titel|\.+|-+|\?+)[.!]?$`)

// prefixes are openings that a screen reader has said already. A medium that
// can matter (painting, screenshot, map) is none.
var prefixes = regexp.MustCompile(`(?i)^(?:` +
	`(?:this is |here is |it is )?(?:an?|the|this) (?:image|picture|photo|photograph|pic|graphic)(?: of| showing| shows| depicts| depicting| features| displays| contains| with| that shows)\b` +
	`|(?:close-up )?(?:image|picture|photo|photograph|pic|graphic|illustration)(?: of| showing| depicting| with)\b` +
	`|(?:in|on) (?:this|the) (?:image|picture|photo)\b` +
	`|(?:das|dieses|ein|hier ist ein) (?:bild|foto)(?: von| zeigt| mit| eine[srnm]?| des| der)\b|(?:die|diese|eine) (?:abbildung|grafik|aufnahme|fotografie)(?: von| zeigt| mit| eine[srnm]?| des| der)\b` +
	`|(?:bild|foto|fotografie|abbildung|grafik|aufnahme|illustration)(?: von| vom| mit| eine[srnm]?| des| der|:)(?:\s|$)` +
	`|(?:auf|in) (?:dem|diesem) (?:bild|foto)\b|(?:auf|in) der (?:abbildung|grafik|aufnahme)\b|(?:zu sehen|abgebildet|dargestellt) (?:ist|sind)\b` +
	`)`)

// personAttributes are guesses about people that a picture cannot show for sure. The
// borders are spelt out because \b knows ASCII letters only.
var personAttributes = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(` +
	`caucasian|african[- ]american|asian|hispanic|latin[oax]|arab|middle[- ]eastern|indigenous|dark-skinned|light-skinned|elderly|disabled|handicapped|obese|overweight|pregnant|sick|mentally|transgender|muslim|jewish|gay|lesbian` +
	`|dunkelhäutige?[rsmn]?|hellhäutige?[rsmn]?|asiatische?[rsmn]?|afrikanische?[rsmn]?|arabische?[rsmn]?|südländische?[rsmn]?|migrationshintergrund|behinderte?[rsmn]?|übergewichtige?[rsmn]?|schwangere?[rsmn]?|kranke?[rsmn]?|muslimische?[rsmn]?|jüdische?[rsmn]?|betagte?[rsmn]?|greise?[rsmn]?` +
	`)(?:[^\p{L}]|$)`)
