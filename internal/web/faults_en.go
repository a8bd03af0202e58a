package web

// englishFaults are the sentences whose own English is written for the model and
// for programs: they name a database column, a person is told the field's name.
var englishFaults = map[string]string{
	"field_not_in_call":   "The proposal has no text for %s, so there is nothing to edit.",
	"field_not_permitted": "%s may not be changed in the name of this user. Nothing was written.",

	"value_control_character": "%s: The text has a control character that nobody can see.",
	"value_encoding":          "%s: The text is not valid UTF-8.",
	"value_html":              "%s: The text has HTML in it. Write plain text; put a blank behind a \"less than\" sign.",
	"value_line_break":        "%s: The text has a line break. It must be one line.",
	"value_too_long":          "%s: The text has %s characters; at most %s are allowed.",
	"value_too_long_bytes":    "%s: The text has %s bytes; the database column holds %s bytes. Letters with accents take two.",
	"value_marks":             "%s: One character of the text is built of %s bytes; at most %s are allowed. No writing heaps so many marks on one letter.",
}
