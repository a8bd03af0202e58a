package typo3

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// pageShow is the bit of the perms_ columns that lets somebody see a page and
// its content (TYPO3 Permission::PAGE_SHOW).
const pageShow = 1

// maxRootline bounds the way up from a page, as TYPO3 bounds it.
const maxRootline = 100

// Page is a page that a user may see in the backend; hidden ones are shown there.
type Page struct {
	UID    PageUID
	Title  string
	Hidden bool
}

// pageRow is what rights need of a live page.
type pageRow struct {
	UID            uint32 `gorm:"column:uid"`
	PID            uint32 `gorm:"column:pid"`
	L10nParent     uint32 `gorm:"column:l10n_parent"`
	Language       int32  `gorm:"column:sys_language_uid"`
	Hidden         bool   `gorm:"column:hidden"`
	Title          string `gorm:"column:title"`
	PermsUserID    uint32 `gorm:"column:perms_userid"`
	PermsGroupID   uint32 `gorm:"column:perms_groupid"`
	PermsUser      int    `gorm:"column:perms_user"`
	PermsGroup     int    `gorm:"column:perms_group"`
	PermsEverybody int    `gorm:"column:perms_everybody"`
}

// TableName implements gorm's tabler.
func (pageRow) TableName() string { return "pages" }

// translation reports whether a row is the translation of another page: mounts
// and the way up are those of the page it translates.
func (p *pageRow) translation() bool { return p.Language != 0 && p.L10nParent != 0 }

const pageColumns = `p.uid, p.pid, p.l10n_parent, p.sys_language_uid, p.hidden, p.title,
 p.perms_userid, p.perms_groupid, p.perms_user, p.perms_group, p.perms_everybody`

// livePage is neither deleted nor a draft of a workspace.
const livePage = "+p.deleted = 0 AND +p.t3ver_wsid = 0 AND +p.t3ver_oid = 0"

// rootlines walks from some pages up to the root. UNION without ALL ends on
// pages that are each other's parents.
const rootlines = `WITH RECURSIVE line AS (
 SELECT ` + pageColumns + ` FROM pages p WHERE p.uid IN ? AND ` + livePage + `
 UNION
 SELECT ` + pageColumns + ` FROM line l JOIN pages p
 ON p.uid = CASE WHEN l.sys_language_uid <> 0 AND l.l10n_parent <> 0 THEN l.l10n_parent ELSE l.pid END WHERE ` + livePage + `
) SELECT * FROM line`

// pageTree is the part of the page tree that one decision needs, and the mounts
// of the user in it.
type pageTree struct {
	who    *BackendUser
	pages  map[uint32]*pageRow
	mounts []uint32
}

// VisiblePages answers those of several pages that a user may see in the
// backend, in one query. It decides as TYPO3's BackendUtility::readPageAccess:
// the right to show the page (getPagePermsClause), and a page mount at it or above it
// that is reached over readable pages only (isInWebMount, BEgetRootLine). Only live
// rows count, a workspace's own version of a page does not. A translated page needs
// the right to its language too.
func (c *CMS) VisiblePages(ctx context.Context, who *BackendUser, pages []PageUID) (map[PageUID]Page, error) {
	out := make(map[PageUID]Page, len(pages))
	if len(pages) == 0 || who.Workspace < 0 {
		return out, nil
	}
	t := pageTree{who: who, pages: map[uint32]*pageRow{}}
	var rows []pageRow
	start := slices.Concat(pages, who.PageMounts, who.WorkspaceMounts)
	if err := c.conn(ctx, nil).Raw(rootlines, start).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("typo3: read pages: %w", err)
	}
	for i := range rows {
		t.pages[rows[i].UID] = &rows[i]
	}
	t.mounts = t.effectiveMounts()
	for _, uid := range pages {
		if t.visible(uint32(uid)) {
			p := t.pages[uint32(uid)]
			out[uid] = Page{UID: uid, Title: p.Title, Hidden: p.Hidden}
		}
	}
	return out, nil
}

// readable is getPagePermsClause(PAGE_SHOW) on one row.
func (t *pageTree) readable(p *pageRow) bool {
	return t.who.Admin || p.PermsEverybody&pageShow != 0 ||
		p.PermsUserID == uint32(t.who.UID) && p.PermsUser&pageShow != 0 ||
		p.PermsGroup&pageShow != 0 && slices.Contains(t.who.Groups, GroupUID(p.PermsGroupID))
}

func (t *pageTree) visible(uid uint32) bool {
	p, ok := t.pages[uid]
	switch {
	case !ok || !t.readable(p) || p.translation() && !t.who.MayUseLanguage(LanguageUID(p.Language)):
		return false
	case t.who.Admin:
		return true
	case p.translation():
		uid = p.L10nParent
	}
	for _, p := range t.rootline(uid) {
		if !t.readable(p) {
			return false
		}
		if slices.Contains(t.mounts, p.UID) {
			return true
		}
	}
	return false
}

// rootline is a page and all above it, as far as they are there.
func (t *pageTree) rootline(uid uint32) []*pageRow {
	var out []*pageRow
	for range maxRootline {
		p, ok := t.pages[uid]
		if !ok {
			break
		}
		out = append(out, p)
		uid = p.PID
	}
	return out
}

// above reports whether one of the pages is uid or lies above it.
func (t *pageTree) above(uid uint32, pages []uint32) bool {
	return slices.ContainsFunc(t.rootline(uid), func(p *pageRow) bool { return slices.Contains(pages, p.UID) })
}

// effectiveMounts are the user's mounts whose pages are there and readable
// (filterValidWebMounts). A workspace with mounts of its own leaves its mounts that
// lie in the user's, and those of the user that lie in every one of the workspace's
// (initializeDbMountpointsInWorkspace, as it is written there).
func (t *pageTree) effectiveMounts() []uint32 {
	var own []uint32
	for _, m := range t.who.PageMounts {
		if p, ok := t.pages[uint32(m)]; ok && t.readable(p) {
			own = append(own, p.UID)
		}
	}
	if len(t.who.WorkspaceMounts) == 0 {
		return own
	}
	var out []uint32
	for _, w := range t.who.WorkspaceMounts {
		if t.above(uint32(w), own) {
			out = append(out, uint32(w))
		}
	}
	for _, m := range own {
		if !slices.ContainsFunc(t.who.WorkspaceMounts, func(w PageUID) bool { return !t.above(m, []uint32{uint32(w)}) }) {
			out = append(out, m)
		}
	}
	return out
}

// pageMounts collects the mounts of a user and, if the user's options say so, of
// the groups. Mount 0 lets nobody in: TYPO3 finds no page by it.
func pageMounts(r *userRow, groups []*groupRow) []PageUID {
	out := pageUIDs(r.DBMountpoints)
	if r.Options&optionGroupPageMounts != 0 {
		for _, g := range groups {
			out = append(out, pageUIDs(g.DBMountpoints)...)
		}
	}
	return out
}

var plainUID = regexp.MustCompile(`^[1-9][0-9]{0,9}$`)

// pageUIDs reads a list of uids; what is no plain number is no page.
func pageUIDs(text string) []PageUID {
	var out []PageUID
	for _, item := range list(text) {
		if n, err := strconv.ParseUint(item, 10, 32); err == nil && plainUID.MatchString(item) {
			out = append(out, PageUID(n))
		}
	}
	return out
}
