package typo3

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// mountRow is sys_filemounts.
type mountRow struct {
	UID        uint32 `gorm:"column:uid"`
	Identifier string `gorm:"column:identifier"`
	ReadOnly   bool   `gorm:"column:read_only"`
}

// TableName implements gorm's tabler.
func (mountRow) TableName() string { return "sys_filemounts" }

func mountUIDs(r *userRow, groups []*groupRow) []uint32 {
	out := uids(r.FileMountpoints)
	if r.Options&optionGroupMounts != 0 {
		for _, g := range groups {
			out = append(out, uids(g.FileMountpoints)...)
		}
	}
	return out
}

// mounts reads the mounts that count: not deleted, not hidden, on the root level.
func (c *CMS) mounts(ctx context.Context, ids []uint32) (map[uint32]*mountRow, error) {
	out := map[uint32]*mountRow{}
	if len(ids) == 0 {
		return out, nil
	}
	var rows []mountRow
	err := c.conn(ctx, nil).Where("uid IN ? AND deleted = 0 AND hidden = 0 AND pid = 0", ids).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("typo3: read file mounts: %w", err)
	}
	for i := range rows {
		out[rows[i].UID] = &rows[i]
	}
	return out, nil
}

// fileMounts collects a user's mounts: records, home folders, extra read-only
// ones from TSconfig. A workspace with mounts of its own leaves those records that
// both name, and takes the home folders away.
func (c *CMS) fileMounts(u *BackendUser, r *userRow, groups []*groupRow, rows map[uint32]*mountRow, limit []uint32) []FileMount {
	var out []FileMount
	for _, id := range mountUIDs(r, groups) {
		if row, ok := rows[id]; ok && (len(limit) == 0 || slices.Contains(limit, id)) {
			if m, ok := parseMount(row.Identifier); ok {
				m.ReadOnly = row.ReadOnly
				out = append(out, m)
			}
		}
	}
	if v, ok := u.TSconfig.Lookup("options.folderTree.altElementBrowserMountPoints"); ok && !u.TSconfig.Unreadable {
		for _, item := range list(v) {
			m, ok := parseMount(item)
			if !ok {
				m = FileMount{DefaultStorage: true, Path: folderPath(item)}
			}
			m.ReadOnly = true
			out = append(out, m)
		}
	}
	if len(limit) > 0 {
		return out
	}
	t := c.settings().TYPO3
	// Plain concatenation, as TYPO3 does it: no slash is added.
	if storage, path, ok := strings.Cut(t.UserHomePath, ":"); ok {
		for _, name := range []string{decimal(u.UID) + "_" + u.Username, decimal(u.UID)} {
			out = append(out, FileMount{Storage: StorageUID(phpInt(storage)), Path: folderPath(path + name + t.UserUploadDir)}) //nolint:gosec // what is no uid matches no storage
		}
	}
	if storage, path, ok := strings.Cut(t.GroupHomePath, ":"); ok && r.Options&optionGroupMounts != 0 {
		for _, g := range groups {
			out = append(out, FileMount{Storage: StorageUID(phpInt(storage)), Path: folderPath(path + decimal(g.UID))}) //nolint:gosec // what is no uid matches no storage
		}
	}
	return out
}

// parseMount splits "1:/press/" at the first colon. Without one the record is
// ignored. An empty path mounts the whole storage.
func parseMount(identifier string) (FileMount, bool) {
	storage, path, ok := strings.Cut(identifier, ":")
	if !ok {
		return FileMount{}, false
	}
	n := phpInt(storage)
	if n < 0 || n > 1<<32-1 {
		return FileMount{}, false
	}
	return FileMount{Storage: StorageUID(n), Path: folderPath(strings.TrimSpace(path))}, true
}
