package falgate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"editor-actions/internal/typo3"
)

// languageRow is one metadata row of a file.
type languageRow struct {
	UID      uint32 `gorm:"column:uid"`
	File     uint32 `gorm:"column:file"`
	Language int32  `gorm:"column:sys_language_uid"`
}

// WriteAccessTSV prints what every user, or the named ones, may do with every
// file, one line per metadata row, under a header. The form is fixed: scripts use it.
func WriteAccessTSV(ctx context.Context, w io.Writer, g *Gate, cms *typo3.CMS, names []string) error {
	all, byName, err := cms.AllUserNames(ctx)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = all
	}
	files, err := g.rows(ctx, "")
	if err != nil {
		return err
	}
	var rows []languageRow
	if err := g.db.WithContext(ctx).Table("sys_file_metadata").Select("uid", "file", "sys_language_uid").
		Where("t3ver_wsid = 0 AND t3ver_oid = 0").Order("sys_language_uid, uid").Find(&rows).Error; err != nil {
		return fmt.Errorf("falgate: read metadata rows: %w", err)
	}
	translations := map[typo3.FileUID][]languageRow{}
	for _, r := range rows {
		translations[typo3.FileUID(r.File)] = append(translations[typo3.FileUID(r.File)], r)
	}
	out := bufio.NewWriter(w)
	_, _ = fmt.Fprintln(out, "user_uid\tusername\tfile_uid\tstorage\tidentifier\tlanguage\tmetadata_uid\tread\twrite\teditMeta\twrite_alternative\twrite_title\twrite_description\tusable")
	for _, name := range names {
		uid, ok := byName[name]
		if !ok {
			return typo3.ErrUserNotFound
		}
		users, err := cms.Users(ctx, uid)
		if err != nil {
			return err
		}
		for _, f := range files {
			g.lines(out, uid, name, users[uid], f, translations[f.UID])
		}
	}
	return out.Flush()
}

func (g *Gate) lines(out io.Writer, uid typo3.UserUID, name string, u *typo3.BackendUser, f *File, rows []languageRow) {
	if len(rows) == 0 {
		rows = []languageRow{{}}
	}
	for _, r := range rows {
		a := decide(g.settings(), u, f, typo3.LanguageUID(r.Language), r.UID != 0)
		_, _ = fmt.Fprintf(out, "%d\t%s\t%d\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", uid, name, f.UID, f.Storage,
			strings.NewReplacer("\t", " ", "\n", " ").Replace(f.Identifier), r.Language, r.UID,
			bit(a.Read), bit(a.Write), bit(a.EditMeta), a.WriteAlternative, a.WriteTitle, a.WriteDescription, a.Usable)
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
