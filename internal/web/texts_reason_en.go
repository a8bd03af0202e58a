package web

// englishReasonTexts say to administrators why an action is not available, by the reason
// of the room that refused.
var englishReasonTexts = map[Key]string{
	"reason.no_user":              "There is no such user.",
	"reason.no_such_action":       "There is no such action.",
	"reason.not_on_this_table":    "The action does not exist for records of this table.",
	"reason.tool_off":             "The tool is switched off under tools in the settings.",
	"reason.no_field_enabled":     "Every field of this action is switched off in the settings.",
	"reason.no_vision_model":      "No model that sees is configured for this user: look at providers.default and at the page Models.",
	"reason.field_not_permitted":  "The user may not write any field of this action.",
	"reason.picture_not_usable":   "The picture cannot be used.",
	"reason.no_login":             "The user may not sign in to the backend.",
	"reason.no_file":              "There is no file of this number.",
	"reason.storage_not_allowed":  "The file's storage is not among fal.allowedStorages in the settings.",
	"reason.driver_not_supported": "The storage does not use the local driver.",
	"reason.storage_offline":      "The storage is offline.",
	"reason.base_path_invalid":    "The folder of the storage cannot be found or opened.",
	"reason.identifier_invalid":   "The file's path is not valid inside its storage.",
	"reason.excluded_folder":      "The folder is excluded from every model by vision.excludedFolders.",
	"reason.processed_file":       "The file is one that TYPO3 has made from another.",
	"reason.no_read":              "The user may not read the file: look at file permissions and file mounts.",
	"reason.missing":              "The file is missing in its storage.",
	"reason.no_edit_meta":         "The user may not edit metadata there: the file lies in no writable file mount.",
	"reason.not_live_workspace":   "The user works in a workspace; texts of files are written in the live workspace only.",
	"reason.table_not_allowed":    "The user may not edit the table sys_file_metadata.",
	"reason.language_not_allowed": "The user may not edit texts in the language of the metadata.",
	"reason.no_metadata_row":      "TYPO3 has no metadata record for the file yet. Opening the file once in the file list makes one.",
	"reason.content_unreadable":   "The file's content cannot be read: look at the rights of the service on the disk.",
	"reason.image_too_large":      "The file is larger than is read.",
	"reason.no_folder":            "There is no such folder.",
	"reason.folder_not_permitted": "The user may not open the folder.",
}
