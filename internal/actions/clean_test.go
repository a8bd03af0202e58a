package actions_test

import (
	"testing"

	"editor-actions/internal/actions"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		field    actions.Field
		in, want string
	}{
		{actions.Alternative, `"A calm lake."`, "A calm lake."},
		{actions.Alternative, "„Ein stiller See.“", "Ein stiller See."},
		{actions.Alternative, "«Un lac.»", "Un lac."},
		{actions.Alternative, "»Ein See.«", "Ein See."},
		{actions.Alternative, "'A lake'", "A lake"},
		{actions.Alternative, "'It's a lake'", "It's a lake"},
		{actions.Alternative, "`A lake`", "A lake"},
		{actions.Alternative, `"Open" and "Closed"`, `"Open" and "Closed"`},
		{actions.Alternative, `Sign: "Open"`, `Sign: "Open"`},
		{actions.Alternative, `"Open" sign`, `"Open" sign`},
		{actions.Alternative, "A calm\r\nlake.\n", "A calm lake."},
		{actions.Alternative, "A   calm\tlake", "A calm lake"},
		{actions.Alternative, "10\u00a0€", "10\u00a0€"},
		{actions.Alternative, "Alt text: A lake.", "A lake."},
		{actions.Alternative, "**Alt text:** A lake.", "A lake."},
		{actions.Alternative, "Here is the alternative text: \"A lake.\"", "A lake."},
		{actions.Alternative, "Sure! Here's a concise alt text for the image:\n\n\"A lake.\"", "A lake."},
		{actions.Alternative, "Hier ist der Alternativtext: Ein See.", "Ein See."},
		{actions.Alternative, "Alternativtext: „Ein See.“", "Ein See."},
		{actions.Title, "Titel: Der See", "Der See"},
		{actions.Title, "# The lake", "The lake"},
		{actions.Alternative, "**A lake** with a *red* boat", "A lake with a red boat"},
		{actions.Alternative, "```text\nA lake.\n```", "A lake."},
		{actions.Alternative, "- A lake.", "A lake."},
		{actions.Alternative, "A [lake](https://example.org/x) here", "A lake here"},
		{actions.Alternative, "Image of a lake", "Image of a lake"},
		{actions.Alternative, "Formula: a * b * c", "Formula: a * b * c"},
		{actions.Alternative, "snake_case_name stays", "snake_case_name stays"},
		{actions.Alternative, "Title: the word stands on a book", "Title: the word stands on a book"},
		{actions.Alternative, "5' 10\"", "5' 10\""},
		{actions.Alternative, "\"", "\""},
		{actions.Alternative, "", ""},
		{actions.Description, "One.\n\n\n\nTwo.  \n- a\n- b", "One.\n\nTwo.\n- a\n- b"},
		{actions.Description, "Description: A lake.", "A lake."},
		{actions.Alternative, "Alt text:", "Alt text:"},

		// Paired outer quotation marks, in the forms of both languages.
		{actions.Alternative, "“A calm lake.”", "A calm lake."},
		{actions.Alternative, "‘A calm lake’", "A calm lake"},
		{actions.Alternative, "‚Ein stiller See‘", "Ein stiller See"},
		{actions.Alternative, "„Ein stiller See.\"", "Ein stiller See."},
		{actions.Alternative, "›Ein See‹", "Ein See"},
		{actions.Alternative, "\"„Ein See.“\"", "Ein See."},
		{actions.Alternative, "„Auf“ und „Zu“", "„Auf“ und „Zu“"},
		{actions.Alternative, "Schild „Offen“", "Schild „Offen“"},
		{actions.Alternative, "“Open” and “Closed”", "“Open” and “Closed”"},
		{actions.Alternative, "„Ein See", "„Ein See"},

		// Preambles: what a model says before the text, never words of the text.
		{actions.Alternative, "Certainly! Here is a possible alternative text: A lake.", "A lake."},
		{actions.Alternative, "My suggestion: A lake.", "A lake."},
		{actions.Alternative, "A suitable alt text would be: A lake.", "A lake."},
		{actions.Alternative, "Image description: A lake.", "A lake."},
		{actions.Alternative, "Gerne! Hier ist ein passender Alternativtext: „Ein See.“", "Ein See."},
		{actions.Alternative, "Mein Vorschlag für den Alternativtext: Ein See.", "Ein See."},
		{actions.Alternative, "Der Alternativtext lautet: Ein See.", "Ein See."},
		{actions.Alternative, "Bildbeschreibung: Ein See.", "Ein See."},
		{actions.Alternative, "Natürlich, hier ist der Text:\nEin See.", "Ein See."},
		{actions.Title, "Suggested title: The lake", "The lake"},
		{actions.Title, "Vorgeschlagener Titel: Der See", "Der See"},
		{actions.Description, "Mögliche Beschreibung: Ein See.", "Ein See."},
		{actions.Alternative, "Vorschlag: neue Fassade des Rathauses", "Vorschlag: neue Fassade des Rathauses"},
		{actions.Alternative, "The title reads: Summer concert", "The title reads: Summer concert"},
		{actions.Alternative, "Diagramm: Ein Titel lautet: Sommer", "Diagramm: Ein Titel lautet: Sommer"},
		{actions.Alternative, "Suggestion box: green, with a slot", "Suggestion box: green, with a slot"},

		// Markdown.
		{actions.Alternative, "**Alternativtext:** Ein See.", "Ein See."},
		{actions.Alternative, "Ein **stiller** See mit *rotem* Boot", "Ein stiller See mit rotem Boot"},
		{actions.Title, "## Der See", "Der See"},
		{actions.Alternative, "> Ein See.", "Ein See."},
		{actions.Alternative, "![A lake](https://example.org/lake.jpg)", "A lake"},
		{actions.Alternative, "Ein [See](https://example.org/see) hier", "Ein See hier"},
		{actions.Alternative, "```\nEin See.\n```", "Ein See."},
		{actions.Alternative, "Tastenfeld mit *, 0 und #", "Tastenfeld mit *, 0 und #"},
		{actions.Alternative, "Keypad with * and #", "Keypad with * and #"},

		// Line breaks: one line but for a description.
		{actions.Alternative, "Ein See.\n\nEin Boot.", "Ein See. Ein Boot."},
		{actions.Title, "Der\u2028See", "Der See"},
		{actions.Description, "Ein See.\r\n\r\n\r\nEin Boot.", "Ein See.\n\nEin Boot."},
		{actions.Description, "A lake.\r\rA boat.", "A lake.\n\nA boat."},

		// "Image of" at either end may carry meaning: a finding, not a change.
		{actions.Alternative, "A lake in the picture", "A lake in the picture"},
		{actions.Alternative, "A lake (photo)", "A lake (photo)"},
		{actions.Alternative, "Bild von einem See", "Bild von einem See"},
		{actions.Alternative, "Ein See, Foto", "Ein See, Foto"},
		{actions.Alternative, "Ein See ist auf dem Bild zu sehen.", "Ein See ist auf dem Bild zu sehen."},
	} {
		got := actions.Clean(tc.field, "en", tc.in)
		if got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.in, got, tc.want)
		}
		if again := actions.Clean(tc.field, "de", got); again != got {
			t.Errorf("%q: cleaned again it is %q", tc.in, again)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{`"a"`, "**a**", "„„a““", "```\na\n```", "Alt text: Alt text: a", "\u00a0\n\t", "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, field := range []actions.Field{actions.Alternative, actions.Description} {
			once := actions.Clean(field, "en", s)
			if len(s) < 200 && actions.Clean(field, "en", once) != once {
				t.Errorf("not stable: %q, %q", once, actions.Clean(field, "en", once))
			}
			actions.Lint(field, "de", s, actions.LintContext{MaxLength: 5})
		}
	})
}
