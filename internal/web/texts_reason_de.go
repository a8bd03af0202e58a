package web

// germanReasonTexts say to administrators why an action is not available, by the reason
// of the room that refused.
var germanReasonTexts = map[Key]string{
	"reason.no_user":              "Diesen Benutzer gibt es nicht.",
	"reason.no_such_action":       "Diese Aktion gibt es nicht.",
	"reason.not_on_this_table":    "Für Datensätze dieser Tabelle gibt es die Aktion nicht.",
	"reason.tool_off":             "Das Werkzeug ist in den Einstellungen unter tools abgeschaltet.",
	"reason.no_field_enabled":     "Jedes Feld dieser Aktion ist in den Einstellungen abgeschaltet.",
	"reason.no_vision_model":      "Für diesen Benutzer ist kein Modell eingerichtet, das Bilder sieht: Prüfen Sie providers.default und die Seite „Modelle“.",
	"reason.field_not_permitted":  "Der Benutzer darf kein Feld dieser Aktion schreiben.",
	"reason.picture_not_usable":   "Das Bild lässt sich nicht verwenden.",
	"reason.no_login":             "Der Benutzer darf sich nicht am Backend anmelden.",
	"reason.no_file":              "Eine Datei mit dieser Nummer gibt es nicht.",
	"reason.storage_not_allowed":  "Der Dateispeicher steht nicht in fal.allowedStorages in den Einstellungen.",
	"reason.driver_not_supported": "Der Dateispeicher verwendet nicht den lokalen Treiber.",
	"reason.storage_offline":      "Der Dateispeicher ist offline.",
	"reason.base_path_invalid":    "Der Ordner des Dateispeichers lässt sich nicht finden oder öffnen.",
	"reason.identifier_invalid":   "Der Pfad der Datei ist in ihrem Dateispeicher nicht gültig.",
	"reason.excluded_folder":      "Der Ordner ist durch vision.excludedFolders von jedem Modell ausgenommen.",
	"reason.processed_file":       "Die Datei hat TYPO3 aus einer anderen gemacht.",
	"reason.no_read":              "Der Benutzer darf die Datei nicht lesen: Prüfen Sie Dateirechte und Dateifreigaben.",
	"reason.missing":              "Die Datei fehlt in ihrem Dateispeicher.",
	"reason.no_edit_meta":         "Der Benutzer darf dort keine Metadaten bearbeiten: Die Datei liegt in keiner beschreibbaren Dateifreigabe.",
	"reason.not_live_workspace":   "Der Benutzer arbeitet in einem Arbeitsbereich; Texte von Dateien werden nur im Live-Arbeitsbereich geschrieben.",
	"reason.table_not_allowed":    "Der Benutzer darf die Tabelle sys_file_metadata nicht bearbeiten.",
	"reason.language_not_allowed": "Der Benutzer darf Texte in der Sprache der Metadaten nicht bearbeiten.",
	"reason.no_metadata_row":      "TYPO3 hat für die Datei noch keinen Metadatensatz. Er entsteht, wenn man die Datei einmal in der Dateiliste öffnet.",
	"reason.content_unreadable":   "Der Inhalt der Datei lässt sich nicht lesen: Prüfen Sie die Rechte des Dienstes auf dem Datenträger.",
	"reason.image_too_large":      "Die Datei ist größer, als gelesen wird.",
	"reason.no_folder":            "Diesen Ordner gibt es nicht.",
	"reason.folder_not_permitted": "Der Benutzer darf den Ordner nicht öffnen.",
}
