package readtools

import (
	"context"

	"editor-actions/internal/falgate"
	"editor-actions/internal/typo3"
)

// maxTextBytes bounds a long text of a record, in bytes.
const maxTextBytes = 8 << 10

// maxLanguages bounds the list of translations.
const maxLanguages = 50

// metadataAnswer is one file with its texts in the default language, live.
type metadataAnswer struct {
	UID         typo3.FileUID   `json:"uid"`
	Identifier  string          `json:"identifier"`
	Name        string          `json:"name"`
	MimeType    string          `json:"mime_type"`
	Size        int64           `json:"size"`
	Width       int             `json:"width,omitempty"`
	Height      int             `json:"height,omitempty"`
	Title       string          `json:"title"`
	Alternative string          `json:"alternative"`
	Description string          `json:"description"`
	Caption     string          `json:"caption,omitempty"`
	Record      *metadataRecord `json:"record"` // null: the file has no metadata row, so nothing can be written
	MayWrite    []string        `json:"may_write"`
	Cut         []string        `json:"cut,omitempty"`
	Note        string          `json:"note"`
}

// metadataRecord is the row that the texts are from.
type metadataRecord struct {
	UID          typo3.MetadataUID   `json:"uid"`
	Language     typo3.LanguageUID   `json:"language"` // 0 = default language
	Workspace    string              `json:"workspace"`
	Translations []typo3.LanguageUID `json:"translations"` // other languages that the user may use
}

func (d Deps) readFileMetadata() *tool {
	return &tool{
		name: ReadFileMetadata,
		description: "Read what the site knows about one file: name, type, size, dimensions, and its title, alternative text and description in the default language. " +
			"`may_write` names the texts that the user may change.",
		parameters: []parameter{uidParameter},
		run: func(ctx context.Context, actor *typo3.BackendUser, args arguments) (Result, error) {
			f, access, err := d.Gate.LookWithAccess(ctx, actor, typo3.FileUID(args.number("uid")))
			if err != nil {
				return Result{}, err
			}
			records, err := d.CMS.MetadataRecords(ctx, f.UID)
			if err != nil {
				return Result{}, err
			}
			text, err := render(func(share int) any { return newMetadataAnswer(actor, f, access, records, share) })
			return Result{Text: text}, err
		},
		settings: d.Settings, log: d.Log,
	}
}

func newMetadataAnswer(actor *typo3.BackendUser, f *falgate.File, access falgate.Access, records []typo3.MetadataRecord, share int) metadataAnswer {
	c := &cutter{share: share}
	a := metadataAnswer{
		UID: f.UID, Identifier: c.line("identifier", f.CombinedIdentifier(), maxPathBytes), Name: c.line("name", f.Name, maxNameBytes),
		MimeType: c.line("mime_type", f.MimeType, maxWordBytes), Size: f.Size, Width: f.Width, Height: f.Height,
		MayWrite: mayWrite(access), Note: SourceMaterial,
	}
	if m := f.Metadata; m != nil {
		a.Title, a.Alternative, a.Description = c.text("title", m.Title, maxTextBytes), c.text("alternative", m.Alternative, maxTextBytes), c.text("description", m.Description, maxTextBytes)
		a.Record = &metadataRecord{UID: m.UID, Language: m.Language, Workspace: "live", Translations: []typo3.LanguageUID{}}
		for _, r := range records {
			switch {
			case r.UID == m.UID:
				a.Caption = c.text("caption", r.Caption, maxTextBytes)
			case r.Language > 0 && actor.MayUseLanguage(r.Language) && len(a.Record.Translations) < maxLanguages:
				a.Record.Translations = append(a.Record.Translations, r.Language)
			}
		}
	}
	a.Cut = c.names
	return a
}

// mayWrite are the fields that a write in the user's name would change now.
func mayWrite(a falgate.Access) []string {
	fields := []string{}
	if a.Usable != falgate.Yes {
		return fields
	}
	for _, f := range []struct{ name, answer string }{
		{"alternative", a.WriteAlternative}, {"title", a.WriteTitle}, {"description", a.WriteDescription},
	} {
		if f.answer == falgate.Yes {
			fields = append(fields, f.name)
		}
	}
	return fields
}
