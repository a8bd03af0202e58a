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

// found pages through a whole search and gives the files in their order,
// checking that each page costs the same.
func (s *site) found(who *typo3.BackendUser, q falgate.SearchQuery) []typo3.FileUID {
	s.t.Helper()
	var out []typo3.FileUID
	for {
		s.queries.Reset()
		page, err := s.gate.Search(s.t.Context(), who, q)
		if err != nil {
			s.t.Fatal(err)
		}
		if n := s.queries.Reset(); len(n) > 3 {
			s.t.Errorf("%d queries for a page: %v", len(n), n)
		}
		if len(page.Files) > q.Limit {
			s.t.Errorf("%d files on a page of %d", len(page.Files), q.Limit)
		}
		for _, f := range page.Files {
			out = append(out, f.UID)
		}
		if page.Next == 0 {
			return out
		}
		if page.Next <= q.After {
			s.t.Fatal("the cursor does not move")
		}
		q.After = page.Next
	}
}

// What a search gives is what the user can look at, for everybody; what lies
// below folders that the user may not list is left out, as in Files.
func TestP13_SearchEqualsDecisions(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		s.settings.FAL.AllowedStorages = []uint32{1, 2, 4}
		s.settings.Vision.ExcludedFolders = []string{"1:/press/2025", "2:/letters/"}
		names, _, err := s.cms.AllUserNames(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, name := range names {
			who, err := s.cms.UserByName(t.Context(), name)
			if err != nil {
				continue // may not sign in
			}
			listed := map[typo3.FileUID]bool{}
			for _, uid := range s.found(who, falgate.SearchQuery{Limit: 7}) {
				if listed[uid] {
					t.Errorf("%s: file %d is listed twice", name, uid)
				}
				listed[uid] = true
			}
			for uid := typo3.FileUID(1); uid <= 70; uid++ {
				f, err := s.gate.Look(t.Context(), who, uid)
				switch {
				case err != nil && !errors.Is(err, falgate.ErrNotAvailable):
					t.Fatal(err)
				case err != nil && listed[uid]:
					t.Errorf("%s: file %d is listed and cannot be looked at: %s", name, uid, falgate.Reason(err))
				case err == nil && !listed[uid] && who.MayFile("readFolder", f.Storage):
					t.Errorf("%s: file %d (%s) can be looked at and is not listed", name, uid, f.CombinedIdentifier())
				case listed[uid]:
					seen++
				}
			}
		}
		if seen < 500 {
			t.Errorf("only %d files were seen in all", seen)
		}
	})
}

func TestSearch_WordsFolderAndMissingTexts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		admin := s.user("admin")
		s.exec("UPDATE sys_file_metadata SET title = 'Quarterly 100%_report!' WHERE file = ?", nested)
		s.exec("UPDATE sys_file_metadata SET description = 'quarterly numbers' WHERE file = ? AND sys_language_uid = 0", deeper)
		for _, c := range []struct {
			query falgate.SearchQuery
			want  string
		}{
			{falgate.SearchQuery{Text: "lake"}, "[14 23]"},
			{falgate.SearchQuery{Text: " LAKE  morning "}, "[23]"},
			{falgate.SearchQuery{Text: "lake evening"}, "[]"},
			{falgate.SearchQuery{Text: "calm"}, "[23]"}, // only in its alternative text
			{falgate.SearchQuery{Text: "quarterly"}, "[36 37]"},
			{falgate.SearchQuery{Text: "quarterly", Folder: "1:/user_upload/nested/deeper/"}, "[37]"},
			{falgate.SearchQuery{Text: "quarterly", Folder: "1:/press"}, "[]"},
			{falgate.SearchQuery{Text: "100%_report!"}, "[36]"},
			{falgate.SearchQuery{Text: "1%r"}, "[]"},      // a wildcard stands for itself
			{falgate.SearchQuery{Text: "lake_m"}, "[23]"}, // the name has the line
			{falgate.SearchQuery{Text: "lak_"}, "[]"},     // ...and here it has none
			{falgate.SearchQuery{Text: `' OR 1=1 --`}, "[]"},
			{falgate.SearchQuery{Text: "quarterly", Missing: "title"}, "[37]"},
			{falgate.SearchQuery{Text: "quarterly", Missing: "description"}, "[36]"},
			{falgate.SearchQuery{Text: "tiny", Missing: "title"}, "[]"}, // no metadata row to write to
			{falgate.SearchQuery{Text: "tiny"}, "[51]"},
		} {
			c.query.Limit = 1
			if got := fmt.Sprint(s.found(admin, c.query)); got != c.want {
				t.Errorf("%+v: %s, want %s", c.query, got, c.want)
			}
		}
		// Both Unicode forms of a letter are found.
		s.exec("UPDATE sys_file_metadata SET title = 'Bu\u0308hne' WHERE file = ?", lake)
		if got := fmt.Sprint(s.found(admin, falgate.SearchQuery{Text: "Bühne", Limit: 5})); got != "[23]" {
			t.Errorf("the other Unicode form: %s", got)
		}
		if got := s.found(admin, falgate.SearchQuery{Missing: "alternative", Limit: 3}); len(got) < 10 {
			t.Errorf("missing alternative: %v", got)
		}
		for _, bad := range []string{"1:/nowhere/", "9:/", "x", "1:/private/"} {
			if _, err := s.gate.Search(t.Context(), s.user("ed_uploads"), falgate.SearchQuery{Folder: bad}); !errors.Is(err, falgate.ErrNotAvailable) {
				t.Errorf("%s: %v", bad, err)
			}
		}
	})
}

// A file that is gone from the disk, or marked missing, is not found.
func TestSearch_MissingFilesAreNotFound(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	if err := os.Remove(s.path("/user_upload/lake_morning.jpg")); err != nil {
		t.Fatal(err)
	}
	got := " " + strings.Trim(fmt.Sprint(s.found(s.user("admin"), falgate.SearchQuery{Limit: 50})), "[]") + " "
	for _, uid := range []int{lake, gone, marked} {
		if strings.Contains(got, fmt.Sprintf(" %d ", uid)) {
			t.Errorf("%d is found: %s", uid, got)
		}
	}
}

func TestSearch_StopsAtTheBoundOfItsWorkAndGoesOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		s.gate.SetWindow(10)
		page, err := s.gate.Search(t.Context(), s.user("admin"), falgate.SearchQuery{Text: "lake", Limit: 5})
		if err != nil || len(page.Files) != 0 || page.Next != 10 || !page.Stopped {
			t.Errorf("%+v, %v", page, err)
		}
		if got := fmt.Sprint(s.found(s.user("admin"), falgate.SearchQuery{Text: "lake", Limit: 5})); got != "[14 23]" {
			t.Errorf("in the end: %s", got)
		}
		page, err = s.gate.Search(t.Context(), s.user("admin"), falgate.SearchQuery{Limit: 2})
		if err != nil || page.Stopped || page.Next == 0 {
			t.Errorf("a full page: %+v, %v", page, err)
		}
		page, err = s.gate.Search(t.Context(), s.user("admin"), falgate.SearchQuery{Limit: 50, After: 66})
		if err != nil || page.Stopped || page.Next != 0 {
			t.Errorf("the end: %+v, %v", page, err)
		}
	})
}
