package readtools

import (
	"context"
	"fmt"

	"editor-actions/internal/typo3"
)

// maxOverrideBytes bounds a reference's own text, in bytes.
const maxOverrideBytes = 1024

// usageEntry is one place where a file is used.
type usageEntry struct {
	Kind     string            `json:"kind"` // reference or link
	Table    string            `json:"table"`
	Field    string            `json:"field"`
	UID      uint32            `json:"uid"`
	Heading  string            `json:"heading,omitempty"`
	Language typo3.LanguageUID `json:"language"`
	Hidden   bool              `json:"hidden,omitempty"`
	Page     *usagePage        `json:"page,omitempty"`

	// The texts of this use; left out = those of the file, "" = none on purpose.
	Title       *string `json:"title,omitempty"`
	Alternative *string `json:"alternative,omitempty"`
	Description *string `json:"description,omitempty"`

	Cut []string `json:"cut,omitempty"`
}

type usagePage struct {
	UID    typo3.PageUID `json:"uid"`
	Title  string        `json:"title"`
	Hidden bool          `json:"hidden,omitempty"`
}

type usagesAnswer struct {
	UID    typo3.FileUID `json:"uid"`
	Usages []usageEntry  `json:"usages"`
	Next   int           `json:"next,omitempty"`
	Note   string        `json:"note"`
}

// usagesNote is said with every list, so that it says nothing about this one.
var usagesNote = fmt.Sprintf("Only places that the user may see are listed, from the first %d uses of the file. ", typo3.MaxUsages) + SourceMaterial

func (d Deps) findFileUsages() *tool {
	return &tool{
		name: FindFileUsages,
		description: "List where one file is used: the record with its heading, the page with its title, and the texts that this use has of its own " +
			"(a text that is left out is the file's, an empty one is empty on purpose). `next` in an answer means that there are more: call again with it as `after`.",
		parameters: []parameter{
			uidParameter, limitParameter,
			{name: "after", description: "`next` of the answer before", number: true, most: 2 * typo3.MaxUsages},
		},
		run: func(ctx context.Context, actor *typo3.BackendUser, args arguments) (Result, error) {
			f, _, err := d.Gate.LookWithAccess(ctx, actor, typo3.FileUID(args.number("uid")))
			if err != nil {
				return Result{}, err
			}
			all, err := d.CMS.FileUsages(ctx, actor, f.UID)
			if err != nil {
				return Result{}, err
			}
			from := min(int(args.number("after")), len(all))
			entries := make([]usageEntry, min(args.limit(), len(all)-from))
			for i := range entries {
				entries[i] = newUsageEntry(&all[from+i])
			}
			text, err := fill(len(entries), func(n int) any {
				a := usagesAnswer{UID: f.UID, Usages: entries[:n], Note: usagesNote}
				if from+n < len(all) {
					a.Next = from + n
				}
				return a
			})
			return Result{Text: text}, err
		},
		settings: d.Settings, log: d.Log,
	}
}

func newUsageEntry(u *typo3.FileUsage) usageEntry {
	c := &cutter{share: 1}
	e := usageEntry{
		Kind: "reference", Table: c.line("table", u.Table, maxWordBytes), Field: c.line("field", u.Field, maxWordBytes), UID: u.Record,
		Heading: c.line("heading", u.Heading, maxNameBytes), Language: u.Language, Hidden: u.Hidden,
		Title: c.optional("title", u.Title, maxOverrideBytes), Alternative: c.optional("alternative", u.Alternative, maxOverrideBytes),
		Description: c.optional("description", u.Description, maxOverrideBytes),
	}
	if u.Reference == 0 {
		e.Kind = "link"
	}
	if u.Page.UID != 0 {
		e.Page = &usagePage{UID: u.Page.UID, Title: c.line("page", u.Page.Title, maxNameBytes), Hidden: u.Page.Hidden}
	}
	e.Cut = c.names
	return e
}
