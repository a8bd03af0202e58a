package typo3

import "slices"

// groupRow is what rights need of be_groups.
type groupRow struct {
	UID              uint32 `gorm:"column:uid"`
	Subgroup         string `gorm:"column:subgroup"`
	DBMountpoints    string `gorm:"column:db_mountpoints"`
	FileMountpoints  string `gorm:"column:file_mountpoints"`
	FilePermissions  string `gorm:"column:file_permissions"`
	WorkspacePerms   int    `gorm:"column:workspace_perms"`
	TablesSelect     string `gorm:"column:tables_select"`
	TablesModify     string `gorm:"column:tables_modify"`
	NonExcludeFields string `gorm:"column:non_exclude_fields"`
	AllowedLanguages string `gorm:"column:allowed_languages"`
	TSconfig         string `gorm:"column:TSconfig"`
}

// TableName implements gorm's tabler.
func (groupRow) TableName() string { return "be_groups" }

// resolveGroups walks a user's group list as TYPO3's GroupResolver does:
// subgroups before their group, missing ones skipped together with what is below
// them, cycles cut on the current path only; the final order is by last occurrence.
func resolveGroups(all map[uint32]*groupRow, usergroup string) []*groupRow {
	var found []*groupRow
	var walk func(ids, path []uint32)
	walk = func(ids, path []uint32) {
		for _, id := range ids {
			g, ok := all[id]
			if !ok || slices.Contains(path, id) || len(found) > maxGroupVisits {
				continue
			}
			walk(uids(g.Subgroup), append(slices.Clone(path), id))
			found = append(found, g)
		}
	}
	walk(uids(usergroup), nil)
	var out []*groupRow
	for i, g := range found {
		if !slices.Contains(found[i+1:], g) {
			out = append(out, g)
		}
	}
	return out
}

// maxGroupVisits bounds a walk over groups that name each other crosswise.
const maxGroupVisits = 10_000
