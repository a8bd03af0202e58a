package falgate

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"editor-actions/internal/typo3"
)

// maxSubfolders bounds a listing.
const maxSubfolders = 1000

// storages reads all storages the service may touch, by uid.
func (g *Gate) storages(ctx context.Context) (map[typo3.StorageUID]*storage, error) {
	var rows []storageRow
	cfg := g.settings()
	err := g.db.WithContext(ctx).Raw("SELECT s.*, o.entry_value AS offline_until FROM sys_file_storage s "+offlineJoin+
		" WHERE s.deleted = 0 AND s.uid IN ? ORDER BY s.uid", cfg.FAL.AllowedStorages).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("falgate: read storages: %w", err)
	}
	out := map[typo3.StorageUID]*storage{}
	for _, r := range rows {
		s := newStorage(r, cfg.TYPO3)
		g.report(ctx, s)
		if s.online && s.browsable && s.base != "" && s.driver == localDriver {
			out[s.uid] = s
		}
	}
	return out, nil
}

func newFolder(s *storage, p string) Folder {
	f := Folder{Storage: s.uid, Path: p, Name: path.Base(p), Combined: strconv.FormatUint(uint64(s.uid), 10) + ":" + p}
	if p == "/" {
		f.Name = s.name
	}
	return f
}

// Roots lists where a user's folders begin: the storages for an admin, else the
// mounts whose folders exist and that lie in no other one.
func (g *Gate) Roots(ctx context.Context, who *typo3.BackendUser) ([]Folder, error) {
	all, err := g.storages(ctx)
	if err != nil {
		return nil, err
	}
	return g.roots(who, all), nil
}

func (g *Gate) roots(who *typo3.BackendUser, all map[typo3.StorageUID]*storage) []Folder {
	var out []Folder
	add := func(s *storage, p string) {
		f := newFolder(s, p)
		if !slices.Contains(out, f) && s.hasFolder(p) && !excluded(g.settings().Vision.ExcludedFolders, s, p) {
			out = append(out, f)
		}
	}
	if who.Admin {
		for _, s := range all {
			add(s, "/")
		}
	}
	for _, m := range who.FileMounts {
		for _, s := range all {
			if !who.Admin && (m.DefaultStorage && s.isDefault || !m.DefaultStorage && m.Storage == s.uid) && who.MayFile("readFolder", s.uid) {
				add(s, m.Path)
			}
		}
	}
	out = slices.DeleteFunc(out, func(f Folder) bool {
		return slices.ContainsFunc(out, func(o Folder) bool {
			return o.Storage == f.Storage && o.Path != f.Path && strings.HasPrefix(f.Path, o.Path)
		})
	})
	slices.SortFunc(out, func(a, b Folder) int {
		if a.Storage != b.Storage {
			return int(a.Storage) - int(b.Storage)
		}
		return strings.Compare(a.Path, b.Path)
	})
	return out
}

// permitted finds a folder the user may look into, with the root it lies in.
func (g *Gate) permitted(ctx context.Context, who *typo3.BackendUser, combined string) (s *storage, folder, root Folder, err error) {
	all, err := g.storages(ctx)
	if err != nil {
		return nil, folder, root, err
	}
	return g.permittedIn(all, g.roots(who, all), combined)
}

func (g *Gate) permittedIn(all map[typo3.StorageUID]*storage, roots []Folder, combined string) (s *storage, folder, root Folder, err error) {
	uid, p, ok := strings.Cut(combined, ":")
	n, convErr := strconv.ParseUint(uid, 10, 32)
	s, known := all[typo3.StorageUID(n)]
	if !ok || convErr != nil || !known {
		return nil, folder, root, notAvailable(ReasonFolder, nil)
	}
	canonical := typo3.CanonicalPath(p)
	if canonical != "/" {
		canonical += "/"
	}
	folder = newFolder(s, canonical)
	for _, r := range roots {
		if r.Storage == s.uid && strings.HasPrefix(s.fold(folder.Path), s.fold(r.Path)) {
			if !s.hasFolder(folder.Path) || excluded(g.settings().Vision.ExcludedFolders, s, folder.Path) {
				break
			}
			return s, folder, r, nil
		}
	}
	return nil, folder, root, notAvailable(ReasonFolderNotInUse, nil)
}

// FoldersOf are those of some folders that the user may look into, by what they were asked
// as. It sends one query for all of them.
func (g *Gate) FoldersOf(ctx context.Context, who *typo3.BackendUser, combined []string) (map[string]Folder, error) {
	out := map[string]Folder{}
	if len(combined) == 0 {
		return out, nil
	}
	all, err := g.storages(ctx)
	if err != nil {
		return nil, err
	}
	roots := g.roots(who, all)
	for _, c := range combined {
		if _, folder, _, err := g.permittedIn(all, roots, c); err == nil {
			out[c] = folder
		}
	}
	return out, nil
}

// Folders lists the folders below one, and the way to it from its root. It
// reads one query and one directory.
func (g *Gate) Folders(ctx context.Context, who *typo3.BackendUser, combined string) (sub, crumbs []Folder, err error) {
	s, folder, root, err := g.permitted(ctx, who, combined)
	if err != nil {
		return nil, nil, err
	}
	names, err := s.subfolders(folder.Path)
	if err != nil {
		return nil, nil, notAvailable(ReasonUnreadable, err)
	}
	for _, name := range names {
		p := folder.Path + name + "/"
		if s.within(p, strings.TrimSuffix(s.processing, "/")+"/") || excluded(g.settings().Vision.ExcludedFolders, s, p) {
			continue
		}
		sub = append(sub, newFolder(s, p))
	}
	crumbs = []Folder{root}
	rest := strings.Trim(strings.TrimPrefix(folder.Path, root.Path), "/")
	for at := root.Path; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		at += part + "/"
		crumbs = append(crumbs, newFolder(s, at))
	}
	return sub, crumbs, nil
}

// subfolders lists directories by name, without hidden and recycler folders.
func (s *storage) subfolders(folder string) ([]string, error) {
	p, ok := s.local(strings.TrimSuffix(folder, "/"))
	if !ok {
		return nil, os.ErrNotExist
	}
	root, err := os.OpenRoot(s.base)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // read-only
	d, err := root.Open(p)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }() // read-only
	entries, err := d.ReadDir(maxSubfolders)
	if err != nil && len(entries) == 0 {
		return nil, nil // io.EOF: an empty folder
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "_recycler_" {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
	})
	return names, nil
}
