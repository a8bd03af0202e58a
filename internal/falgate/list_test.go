package falgate_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"editor-actions/internal/falgate"
	"editor-actions/internal/typo3"
)

func combined(folders []falgate.Folder) string {
	var out []string
	for _, f := range folders {
		out = append(out, f.Combined)
	}
	return strings.Join(out, " ")
}

// names pages through everything and gives the names, checking that each page
// costs the same.
func (s *site) names(who *typo3.BackendUser, q falgate.FileQuery) string {
	s.t.Helper()
	var out []string
	for {
		s.queries.Reset()
		page, err := s.gate.Files(s.t.Context(), who, q)
		if err != nil {
			s.t.Fatal(err)
		}
		if n := s.queries.Reset(); len(n) != 2 {
			s.t.Errorf("%d queries for a page: %v", len(n), n)
		}
		for _, f := range page.Files {
			out = append(out, f.Name)
		}
		if page.Next == 0 {
			return strings.Join(out, " ")
		}
		if page.Next <= q.After {
			s.t.Fatal("the cursor does not move")
		}
		q.After = page.Next
	}
}

func TestRootsAndFolders(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		s.settings.FAL.AllowedStorages = []uint32{1, 2, 3}
		s.settings.Vision.ExcludedFolders = []string{"1:/user_upload/nested/deeper"}
		for who, want := range map[string]string{
			"admin":                 "1:/ 2:/",
			"ed_uploads":            "1:/group_homes/1/ 1:/user_upload/",
			"ed_ro_parent_rw_child": "1:/group_homes/1/ 1:/press/",
			"ed_no_groups":          "1:/user_upload/",
			"ed_mount_storage_only": "1:/",
		} {
			roots, err := s.gate.Roots(t.Context(), s.user(who))
			if err != nil || combined(roots) != want {
				t.Errorf("%s: %s (%v), want %s", who, combined(roots), err, want)
			}
		}
		uploads := s.user("ed_uploads")
		s.queries.Reset()
		sub, crumbs, err := s.gate.Folders(t.Context(), uploads, "1:/user_upload/nested")
		if err != nil || combined(sub) != "" || combined(crumbs) != "1:/user_upload/ 1:/user_upload/nested/" || crumbs[0].Name != "user_upload" {
			t.Errorf("%s, %s, %v", combined(sub), combined(crumbs), err)
		}
		if n := s.queries.Count(); n != 1 {
			t.Errorf("%d queries", n)
		}
		sub, crumbs, err = s.gate.Folders(t.Context(), s.user("admin"), "1:/")
		if err != nil || combined(sub) != "1:/group_homes/ 1:/Press/ 1:/press/ 1:/private/ 1:/products/ 1:/user_homes/ 1:/user_upload/" || crumbs[0].Name != "fileadmin" {
			t.Errorf("%s, %s, %v", combined(sub), combined(crumbs), err)
		}
		for _, bad := range []string{"", "1:", "1:/", "1:/private/", "1:/user_upload/../private/", "1:/user_upload/nowhere/", "1:/user_upload/nested/deeper/", "2:/", "3:/", "x:/user_upload/", "-1:/", "1:/user_upload-2/", "99999999999:/", "1:/user_upload/\x00"} {
			if sub, crumbs, err := s.gate.Folders(t.Context(), uploads, bad); !errors.Is(err, falgate.ErrNotAvailable) {
				t.Errorf("%q: %v, %v, %v", bad, sub, crumbs, err)
			}
			if page, err := s.gate.Files(t.Context(), uploads, falgate.FileQuery{Folder: bad, Limit: 5}); !errors.Is(err, falgate.ErrNotAvailable) {
				t.Errorf("%q: %v, %v", bad, page, err)
			}
		}
	})
}

func TestFiles_PagesThroughAFolder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		const want = "annual_meeting.jpg award.webp factory_tour.jpg"
		press := s.user("ed_press2024")
		for _, limit := range []int{1, 2, 3, 50} {
			if got := s.names(press, falgate.FileQuery{Folder: "1:/press/2024/", Limit: limit}); got != want {
				t.Errorf("pages of %d: %s", limit, got)
			}
		}
		// /Press/ and /press/ are two folders, whatever the collation of the database.
		if got := s.names(s.user("admin"), falgate.FileQuery{Folder: "1:/Press/", Limit: 5}); got != "capital_folder.jpg" {
			t.Errorf("/Press/: %s", got)
		}
		if got := s.names(s.user("admin"), falgate.FileQuery{Folder: "1:/", Limit: 5}); got != "root_level.jpg" {
			t.Errorf("/: %s", got)
		}
		if got := s.names(s.user("ed_no_read_file"), falgate.FileQuery{Folder: "1:/user_upload/", Limit: 5}); got != "" {
			t.Errorf("without readFile: %s", got)
		}
	})
}

func TestFiles_WithoutAlternativeTextBelowAFolder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		q := falgate.FileQuery{Folder: "1:/press/", MissingAlternative: true, Limit: 2}
		const want = "2024_summary.jpg award.webp factory_tour.jpg new_building.jpg old_award.jpg Photo.jpg photo.jpg press_kit_cover.png summer_party.jpg winter_party.jpg"
		if got := s.names(s.user("admin"), q); got != want {
			t.Errorf("below /press/: %s", got)
		}
		s.settings.Vision.ExcludedFolders = []string{"1:/press/2024/events", "1:/press/2025"}
		if got := s.names(s.user("admin"), q); got != "2024_summary.jpg award.webp factory_tour.jpg old_award.jpg press_kit_cover.png" {
			t.Errorf("with excluded folders: %s", got)
		}
		s.exec("UPDATE sys_file_metadata SET alternative = 'text' WHERE uid = 2")
		if got := s.names(s.user("admin"), q); strings.Contains(got, "2024_summary.jpg") {
			t.Error("a file with a text is listed")
		}
		if got := s.names(s.user("ed_uploads"), falgate.FileQuery{Folder: "1:/user_upload/", MissingAlternative: true, Limit: 3}); strings.Contains(got, "tiny.png") || strings.Contains(got, "lake_morning.jpg") || !strings.Contains(got, "plasma_b.jpg") {
			t.Errorf("got %s", got)
		}
	})
}

// The mount filter holds for a user as well as for the list: nothing listed
// that cannot be looked at, nothing left out that can.
func TestP13_ListsEqualDecisions(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		s.settings.FAL.AllowedStorages = []uint32{1, 2, 4}
		names, _, err := s.cms.AllUserNames(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var uids []typo3.FileUID
		for i := typo3.FileUID(1); i <= 68; i++ {
			uids = append(uids, i)
		}
		for _, name := range names {
			who, err := s.cms.UserByName(t.Context(), name)
			if err != nil {
				continue // may not sign in
			}
			visible, err := s.gate.LookMany(t.Context(), who, uids)
			if err != nil {
				t.Fatal(err)
			}
			listed := map[typo3.FileUID]bool{}
			roots, err := s.gate.Roots(t.Context(), who)
			if err != nil {
				t.Fatal(err)
			}
			var walk func(f falgate.Folder)
			walk = func(f falgate.Folder) {
				page, err := s.gate.Files(t.Context(), who, falgate.FileQuery{Folder: f.Combined, Limit: 100})
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range page.Files {
					listed[x.UID] = true
				}
				sub, _, err := s.gate.Folders(t.Context(), who, f.Combined)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range sub {
					walk(x)
				}
			}
			for _, r := range roots {
				walk(r)
			}
			for uid := range listed {
				if visible[uid] == nil {
					t.Errorf("%s: file %d is listed and cannot be seen", name, uid)
				}
			}
			for uid, f := range visible {
				if !listed[uid] && !strings.Contains(f.Identifier, "_recycler_") && who.MayFile("readFolder", f.Storage) {
					t.Errorf("%s: file %d (%s) can be seen and is not listed", name, uid, f.CombinedIdentifier())
				}
			}
		}
	})
}

// BenchmarkFiles pages through a million rows: EDITOR_ACTIONS_BENCH_ROWS sets
// another number.
func BenchmarkFiles(b *testing.B) {
	rows := 1_000_000
	if v := os.Getenv("EDITOR_ACTIONS_BENCH_ROWS"); v != "" {
		if _, err := fmt.Sscan(v, &rows); err != nil {
			b.Fatal(err)
		}
	}
	benchmarkFiles(b, rows)
}

// Asked together, folders have the same answers as one by one, and cost one query.
func TestFoldersOf_AnswersAsFolders(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		s.settings.FAL.AllowedStorages = []uint32{1, 2, 3}
		s.settings.Vision.ExcludedFolders = []string{"1:/user_upload/nested/deeper"}
		asked := []string{
			"1:/", "1:/user_upload/", "1:/user_upload/nested/", "1:/user_upload/nested/deeper/", "1:/user_upload/../press/", "1:/press/",
			"1:/nowhere/", "1:/group_homes/1/", "2:/", "3:/", "9:/", "x", "", "1:",
		}
		for _, name := range []string{"admin", "ed_uploads", "ed_ro_parent_rw_child", "ed_no_groups", "ed_mount_storage_only"} {
			who := s.user(name)
			s.queries.Reset()
			found, err := s.gate.FoldersOf(t.Context(), who, asked)
			if n := s.queries.Reset(); err != nil || len(n) != 1 {
				t.Errorf("%s: %d queries, %v", name, len(n), err)
			}
			for _, c := range asked {
				_, crumbs, err := s.gate.Folders(t.Context(), who, c)
				if got, ok := found[c]; ok != (err == nil) || ok && got != crumbs[len(crumbs)-1] {
					t.Errorf("%s, %q: %+v %t, alone %+v %v", name, c, got, ok, crumbs, err)
				}
			}
		}
	})
}
