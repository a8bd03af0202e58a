package falgate

import (
	"context"
	"crypto/sha1" //nolint:gosec // TYPO3's index of folders is made with it
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"editor-actions/internal/typo3"

	"golang.org/x/text/unicode/norm"
)

// Bounds of a page of files.
const (
	defaultPage = 50
	maxPage     = 500
)

// typeImage is sys_file.type of pictures.
const typeImage = 2

// without asks the one metadata row that counts for an empty text, by the index
// of its file (see typo3.Live for the signs). A file without a row has nothing to
// write to and is not asked for. The column is one of ours, never an argument.
func without(column string) string {
	return `(SELECT COALESCE(d.` + column + `, '') FROM sys_file_metadata d
 WHERE d.file = f.uid AND +d.sys_language_uid = 0 AND +d.t3ver_wsid = 0 AND +d.t3ver_oid = 0 ORDER BY +d.uid LIMIT 1) = ''`
}

// Files pages through files that the user may see, by uid, in two queries
// whatever their number. Mount, excluded folders and the missing text are
// conditions of the query; what only the file's name or its storage can say is
// asked of each row, so a page may hold fewer files than Limit.
func (g *Gate) Files(ctx context.Context, who *typo3.BackendUser, q FileQuery) (FilePage, error) {
	s, folder, _, err := g.permitted(ctx, who, q.Folder)
	if err != nil {
		return FilePage{}, err
	}
	if q.Limit <= 0 {
		q.Limit = defaultPage
	}
	q.Limit = min(q.Limit, maxPage)
	c := &conditions{binary: g.binary()}
	if q.MissingAlternative {
		// The sign keeps SQLite from sorting a whole storage: rows come by uid anyway.
		c.add("+f.storage = ? AND f.uid > ? AND f.type = ? AND f.missing = 0", uint32(s.uid), uint32(q.After), typeImage)
		c.folder(s, folder.Path, g.settings().Vision.ExcludedFolders)
		c.add(without("alternative"))
	} else {
		c.add("f.storage = ? AND f.uid > ?", uint32(s.uid), uint32(q.After))
		c.add("f.folder_hash = ?", folderHash(s.fold(folder.Path)))
	}
	files, err := g.rows(ctx, "WHERE "+strings.Join(c.texts, " AND ")+" ORDER BY f.uid LIMIT ?", append(c.args, q.Limit+1)...)
	if err != nil {
		return FilePage{}, err
	}
	var page FilePage
	if len(files) > q.Limit {
		files = files[:q.Limit]
		page.Next = files[len(files)-1].UID
	}
	cfg := g.settings()
	for _, f := range files {
		if decide(cfg, who, f, 0, f.Metadata != nil).Visible == Yes {
			page.Files = append(page.Files, FileWithMetadata{*f})
		}
	}
	return page, nil
}

// folderHash is sys_file.folder_hash: of the folder without the slash at its end.
func folderHash(folder string) string {
	if folder != "/" {
		folder = strings.TrimSuffix(folder, "/")
	}
	sum := sha1.Sum([]byte(folder)) //nolint:gosec // see the import
	return hex.EncodeToString(sum[:])
}

// binary is the word for bytes that a CAST of this database knows.
func (g *Gate) binary() string {
	if g.db.Name() == "sqlite" {
		return "BLOB"
	}
	return "BINARY"
}

// conditions collects parts of a WHERE.
type conditions struct {
	binary string
	texts  []string
	args   []any
}

func (c *conditions) add(text string, args ...any) {
	c.texts = append(c.texts, text)
	c.args = append(c.args, args...)
}

// folder asks for what a user who may enter a folder may see in it and below.
func (c *conditions) folder(s *storage, folder string, excluded []string) {
	c.below(s.fold(folder), true)
	c.below(s.fold(s.processingFolder()), false)
	for _, e := range excludedFolders(excluded, s) {
		c.below(s.fold(norm.NFC.String(e)), false)
		c.below(s.fold(norm.NFD.String(e)), false)
	}
}

// below asks for identifiers below a folder, or for those that are not. The
// comparison is by bytes: TYPO3's collations take /Press/ for /press/.
func (c *conditions) below(folder string, inside bool) {
	operator := "="
	if !inside {
		operator = "<>"
	}
	if folder == "/" && inside {
		return
	}
	c.add("CAST(SUBSTR(f.identifier, 1, ?) AS "+c.binary+") "+operator+" CAST(? AS "+c.binary+")", utf8.RuneCountInString(folder), folder)
}
