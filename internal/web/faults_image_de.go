package web

// germanImageFaults are the sentences about pictures that cannot be used. Editors
// see the one neutral sentence; these are for administrators.
var germanImageFaults = map[string]string{
	"image_corrupt":         "Die %s-Datei ist beschädigt.",
	"image_empty":           "Die Datei ist leer.",
	"image_format":          "Die Datei ist eine %s-Datei. Beschrieben werden können JPEG, PNG, GIF, WebP, AVIF, HEIC und TIFF.",
	"image_not_an_image":    "Der Inhalt der Datei ist kein Bild.",
	"image_busy":            "Zu viele Bilder warten auf ihre Verkleinerung. Versuchen Sie es gleich noch einmal.",
	"image_failed":          "Das Bild lässt sich nicht entschlüsseln.",
	"image_timeout":         "Das Bild ließ sich nicht rechtzeitig verkleinern.",
	"image_too_large":       "Die Datei ist größer als %d Byte.",
	"image_too_many_pixels": "Das Bild hat %d x %d Pixel; erlaubt sind insgesamt %d.",
	"image_too_small":       "Das Bild hat %d x %d Pixel; die lange Kante braucht mindestens %d.",
	"image_too_thin":        "Das Bild hätte %d x %d Pixel; die kurze Kante braucht mindestens %d.",
	"image_truncated":       "Die %s-Datei ist abgeschnitten oder unvollständig.",
}
