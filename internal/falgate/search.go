package falgate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"editor-actions/internal/typo3"

	"golang.org/x/text/unicode/norm"
)

// searchWindow bounds the work of one search: so many rows of the index are
// looked at, whatever is found in them.
const searchWindow = 20_000

// SearchQuery looks for files by words and folder.
type SearchQuery struct {
	Text    string // words, each of which stands in the name or a text of the file; "" = every file
	Folder  string // combined identifier; this folder and all below; "" = everywhere
	Missing string // alternative, title or description: only pictures without this text; "" = every file
	After   typo3.FileUID
	Limit   int
}

// SearchPage is one page of a search. Next is 0 at the end of the index.
// Stopped says that the search ended at the bound of its work before the page
// was full, and goes on at Next.
type SearchPage struct {
	Files   []FileWithMetadata
	Next    typo3.FileUID
	Stopped bool
}

// missingColumns are the texts a search may ask for the lack of.
var missingColumns = []string{"alternative", "title", "description"}

// Search pages through the files that a user may see and use, by uid, in three
// queries whatever their number. Words are compared by the database: as it folds
// case. A folder that the user may not enter is ErrNotAvailable; without a folder all
// that Roots gives are searched. A page may hold fewer files than Limit (see Files).
func (g *Gate) Search(ctx context.Context, who *typo3.BackendUser, q SearchQuery) (SearchPage, error) {
	places, err := g.places(ctx, who, q.Folder)
	if err != nil {
		return SearchPage{}, err
	}
	q.Limit = min(max(q.Limit, 1), maxPage)
	end, err := g.windowEnd(ctx, q.After)
	if err != nil || len(places) == 0 {
		return SearchPage{}, err
	}
	c := &conditions{binary: g.binary()}
	c.add("f.uid > ? AND +f.missing = 0", uint32(q.After))
	if end != 0 {
		c.add("f.uid <= ?", uint32(end))
	}
	c.any(places, g.settings().Vision.ExcludedFolders)
	for word := range strings.FieldsSeq(q.Text) {
		c.word(word)
	}
	if slices.Contains(missingColumns, q.Missing) {
		c.add("f.type = ?", typeImage)
		c.add(without(q.Missing))
	}
	files, err := g.rows(ctx, "WHERE "+strings.Join(c.texts, " AND ")+" ORDER BY f.uid LIMIT ?", append(c.args, q.Limit+1)...)
	if err != nil {
		return SearchPage{}, err
	}
	page := SearchPage{Next: end, Stopped: end != 0}
	if len(files) > q.Limit {
		files = files[:q.Limit]
		page.Next, page.Stopped = files[len(files)-1].UID, false
	}
	cfg := g.settings()
	for _, f := range files {
		if a := decide(cfg, who, f, 0, f.Metadata != nil); a.Visible == Yes && a.Usable != ReasonMissing {
			page.Files = append(page.Files, FileWithMetadata{*f})
		}
	}
	return page, nil
}

// place is a folder that a user may enter, in its storage.
type place struct {
	storage *storage
	path    string
}

// places are the folders to search: the one that is named, or where the user's
// folders begin; none in a storage where the user reads no file.
func (g *Gate) places(ctx context.Context, who *typo3.BackendUser, combined string) ([]place, error) {
	if combined != "" {
		s, folder, _, err := g.permitted(ctx, who, combined)
		if err != nil {
			return nil, err
		}
		if !who.MayFile("readFile", s.uid) {
			return nil, nil
		}
		return []place{{s, folder.Path}}, nil
	}
	all, err := g.storages(ctx)
	if err != nil {
		return nil, err
	}
	var out []place
	for _, r := range g.roots(who, all) {
		if !who.MayFile("readFile", r.Storage) {
			continue
		}
		out = append(out, place{all[r.Storage], r.Path})
	}
	return out, nil
}

// windowEnd is the last uid that one search looks at, 0 when the index ends before.
func (g *Gate) windowEnd(ctx context.Context, after typo3.FileUID) (typo3.FileUID, error) {
	var end []uint32
	err := g.db.WithContext(ctx).Raw("SELECT uid FROM sys_file WHERE uid > ? ORDER BY uid LIMIT 1 OFFSET ?", uint32(after), g.window-1).Scan(&end).Error
	if err != nil {
		return 0, fmt.Errorf("falgate: bound search: %w", err)
	}
	if len(end) == 0 {
		return 0, nil
	}
	return typo3.FileUID(end[0]), nil
}

// any asks for files in one of several places.
func (c *conditions) any(places []place, excluded []string) {
	var texts []string
	var args []any
	for _, p := range places {
		in := &conditions{binary: c.binary}
		in.add("+f.storage = ?", uint32(p.storage.uid))
		in.folder(p.storage, p.path, excluded)
		texts = append(texts, strings.Join(in.texts, " AND "))
		args = append(args, in.args...)
	}
	c.add("("+strings.Join(texts, " OR ")+")", args...)
}

// word asks for a word in the name or in a text of the metadata row that counts,
// in both Unicode forms.
func (c *conditions) word(word string) {
	var patterns []string
	for _, form := range []string{word, norm.NFC.String(word), norm.NFD.String(word)} {
		if p := "%" + likeEscaper.Replace(form) + "%"; !slices.Contains(patterns, p) {
			patterns = append(patterns, p)
		}
	}
	like := func(columns ...string) (text string, args []any) {
		var parts []string
		for _, column := range columns {
			for _, p := range patterns {
				parts = append(parts, column+" LIKE ? ESCAPE '!'")
				args = append(args, p)
			}
		}
		return strings.Join(parts, " OR "), args
	}
	name, nameArgs := like("f.name")
	texts, textArgs := like("d.title", "d.alternative", "d.description")
	c.add("("+name+` OR EXISTS (SELECT 1 FROM sys_file_metadata d WHERE d.file = f.uid
 AND +d.sys_language_uid = 0 AND +d.t3ver_wsid = 0 AND +d.t3ver_oid = 0 AND (`+texts+")))", append(nameArgs, textArgs...)...)
}

// likeEscaper makes a text stand for itself in LIKE ... ESCAPE '!'.
var likeEscaper = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")
