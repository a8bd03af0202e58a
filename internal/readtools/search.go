package readtools

import (
	"context"
	"path"
	"regexp"
	"strings"

	"editor-actions/internal/falgate"
	"editor-actions/internal/typo3"
)

// Bounds of one entry of a list, in bytes. An entry fits MaxText whatever it holds.
const (
	maxPathBytes = 1024
	maxNameBytes = 256
	maxWordBytes = 128
)

// folderForm is a combined identifier of a folder.
var folderForm = regexp.MustCompile(`^[1-9][0-9]{0,9}:/`)

// fileEntry is one file of a search.
type fileEntry struct {
	UID        typo3.FileUID `json:"uid"`
	Identifier string        `json:"identifier"`
	Name       string        `json:"name"`
	Folder     string        `json:"folder"`
	MimeType   string        `json:"mime_type"`
	Width      int           `json:"width,omitempty"`
	Height     int           `json:"height,omitempty"`
	Size       int64         `json:"size"`
	Set        []string      `json:"set"` // which of alternative, title, description hold a text
	Cut        []string      `json:"cut,omitempty"`
}

type searchAnswer struct {
	Files        []fileEntry   `json:"files"`
	Next         typo3.FileUID `json:"next,omitempty"`
	StoppedEarly bool          `json:"stopped_early,omitempty"`
	Note         string        `json:"note"`
}

func (d Deps) searchFiles() *tool {
	return &tool{
		name: SearchFiles,
		description: "Search files of the site that the user may see, in the order of their uids. Without arguments it lists all of them. " +
			"`next` in an answer means that there may be more: call again with it as `after`. " +
			"`stopped_early` means that the search ended at the bound of its work; an empty list with it is no proof that there is nothing.",
		parameters: []parameter{
			{name: "query", description: "words, each of which stands in the file's name, title, alternative text or description", most: 200},
			{name: "folder", description: "search in this folder and below, for instance 1:/products/", most: 500, pattern: folderForm, example: "a folder such as `1:/products/`"},
			{name: "missing", description: "only pictures whose field is empty", choices: []string{"alternative", "title", "description"}},
			limitParameter,
			{name: "after", description: "`next` of the answer before", number: true, most: uidParameter.most},
		},
		run: func(ctx context.Context, actor *typo3.BackendUser, args arguments) (Result, error) {
			page, err := d.Gate.Search(ctx, actor, falgate.SearchQuery{
				Text: args.text("query"), Folder: args.text("folder"), Missing: args.text("missing"),
				After: typo3.FileUID(args.number("after")), Limit: args.limit(),
			})
			if err != nil {
				return Result{}, err
			}
			entries := make([]fileEntry, len(page.Files))
			for i := range page.Files {
				entries[i] = newFileEntry(&page.Files[i].File)
			}
			text, err := fill(len(entries), func(n int) any {
				a := searchAnswer{Files: entries[:n], Next: page.Next, StoppedEarly: page.Stopped, Note: SourceMaterial}
				if n < len(entries) {
					a.Next, a.StoppedEarly = entries[n-1].UID, false
				}
				return a
			})
			return Result{Text: text}, err
		},
		settings: d.Settings, log: d.Log,
	}
}

func newFileEntry(f *falgate.File) fileEntry {
	c := &cutter{share: 1}
	e := fileEntry{
		UID: f.UID, Identifier: c.line("identifier", f.CombinedIdentifier(), maxPathBytes), Name: c.line("name", f.Name, maxNameBytes),
		Folder: c.line("folder", folderOf(f), maxPathBytes), MimeType: c.line("mime_type", f.MimeType, maxWordBytes),
		Width: f.Width, Height: f.Height, Size: f.Size, Set: []string{},
	}
	if m := f.Metadata; m != nil {
		for _, field := range []struct{ name, text string }{{"alternative", m.Alternative}, {"title", m.Title}, {"description", m.Description}} {
			if field.text != "" {
				e.Set = append(e.Set, field.name)
			}
		}
	}
	e.Cut = c.names
	return e
}

// folderOf is the combined identifier of the folder a file lies in.
func folderOf(f *falgate.File) string {
	storage, at, _ := strings.Cut(f.CombinedIdentifier(), ":")
	return storage + ":" + strings.TrimSuffix(path.Dir(at), "/") + "/"
}
