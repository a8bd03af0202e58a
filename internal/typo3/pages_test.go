package typo3_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/database"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// visiblePages are the pages of the data set that a user may see, "1 2 3".
func visiblePages(t *testing.T, s *testsite.Site, name string) string {
	t.Helper()
	cms := cmsAt(s, time.Unix(1_800_000_000, 0))
	var all []typo3.PageUID
	for uid := typo3.PageUID(1); uid <= 40; uid++ {
		all = append(all, uid)
	}
	pages, err := cms.VisiblePages(t.Context(), named(t, cms, name), all)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, uid := range all {
		if p, ok := pages[uid]; ok {
			if p.UID != uid || p.Title == "" {
				t.Errorf("page %d is %+v", uid, p)
			}
			out = append(out, fmt.Sprint(uid))
		}
	}
	return strings.Join(out, " ")
}

const everyPage = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24"

// P13: each case is a rule of BackendUserAuthentication, one at a time.
func TestP13_VisiblePages(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, who, want string
		change          []string
	}{
		{"a mount of a group covers everything below", "ed_uploads", everyPage, nil},
		{"a group without a mount", "ed_nested", "", nil},
		{"no groups", "ed_no_groups", "", nil},
		{"admin needs no mount", "admin", everyPage, nil},
		{"a mount of the user", "ed_no_groups", "5 6 7 8 23", []string{"UPDATE be_users SET workspace_perms = 1, db_mountpoints = ' 5 ,0,x7' WHERE uid = 53"}},
		{"mount 0 lets nobody in", "ed_no_groups", "", []string{"UPDATE be_users SET workspace_perms = 1, db_mountpoints = '0' WHERE uid = 53"}},
		{"options without page mounts of groups", "ed_opt2", "", nil},
		{"options with page mounts of groups", "ed_opt1", everyPage, nil},
		{"the show bit of everybody", "ed_uploads", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 21 22 23 24", []string{"UPDATE pages SET perms_everybody = 30 WHERE uid = 20"}},
		{"the show bit of a group", "ed_uploads", everyPage, []string{"UPDATE pages SET perms_everybody = 0, perms_groupid = 2, perms_group = 1 WHERE uid = 20"}},
		{"the show bit of another group", "ed_uploads", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 21 22 23 24", []string{"UPDATE pages SET perms_everybody = 0, perms_groupid = 3, perms_group = 31 WHERE uid = 20"}},
		{"the show bit of the owner", "ed_uploads", everyPage, []string{"UPDATE pages SET perms_everybody = 0, perms_userid = 10, perms_user = 1 WHERE uid = 20"}},
		{"the owner's bit is not another's", "ed_uploads", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 21 22 23 24", []string{"UPDATE pages SET perms_everybody = 0, perms_userid = 11, perms_user = 31 WHERE uid = 20"}},
		{"an unreadable page breaks the way", "ed_uploads", "1 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 23 24", []string{"UPDATE pages SET perms_everybody = 0 WHERE uid = 2"}},
		{"a mount below an unreadable page", "ed_no_groups", "3", []string{"UPDATE be_users SET workspace_perms = 1, db_mountpoints = '3' WHERE uid = 53", "UPDATE pages SET perms_everybody = 0 WHERE uid = 2"}},
		{"an unreadable mount", "ed_no_groups", "", []string{"UPDATE be_users SET workspace_perms = 1, db_mountpoints = '5' WHERE uid = 53", "UPDATE pages SET perms_everybody = 0 WHERE uid = 5"}},
		{"a deleted page and those below it", "ed_uploads", "1 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 23 24", []string{"UPDATE pages SET deleted = 1 WHERE uid = 2"}},
		{"deleted for admins too", "admin", "1 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24", []string{"UPDATE pages SET deleted = 1 WHERE uid = 2"}},
		{"hidden pages are shown in the backend", "ed_uploads", everyPage, []string{"UPDATE pages SET hidden = 1"}},
		{"drafts of a workspace are no pages", "ed_uploads", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 21 22 23 24", []string{"UPDATE pages SET t3ver_wsid = 1 WHERE uid = 19", "UPDATE pages SET t3ver_wsid = 1, t3ver_oid = 19 WHERE uid = 20"}},
		{"translations need the language", "ed_english_only", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20", nil},
		{"pages in the default language do not", "ed_german_only", everyPage, nil},
		{"pages that are each other's parents", "ed_uploads", "1 2 3 4 9 10 11 12 13 14 15 16 17 18 19 20 21 22 24", []string{"UPDATE pages SET pid = 6 WHERE uid = 5"}},
		{"a workspace limits the mounts", "ed_ws_filemounts", "9 10 11 24", []string{"UPDATE sys_workspace SET db_mountpoints = '9' WHERE uid = 2"}},
		{"a workspace widens nothing", "ed_ws_filemounts", "5 6 7 8 23", []string{"UPDATE sys_workspace SET db_mountpoints = '1,9' WHERE uid = 2", "UPDATE be_groups SET db_mountpoints = '' WHERE uid = 1", "UPDATE be_users SET db_mountpoints = '5' WHERE uid = 37", "UPDATE sys_workspace SET db_mountpoints = '1' WHERE uid = 2"}},
		{"a mount must lie in every one of a workspace's", "ed_ws_filemounts", "", []string{"UPDATE sys_workspace SET db_mountpoints = '1,9' WHERE uid = 2", "UPDATE be_groups SET db_mountpoints = '' WHERE uid = 1", "UPDATE be_users SET db_mountpoints = '5' WHERE uid = 37"}},
		{"a user with no workspace", "ed_no_live", "", []string{"UPDATE sys_workspace SET members = '', adminusers = ''", "UPDATE be_users SET db_mountpoints = '1' WHERE uid = 34"}},
	}
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		for _, c := range cases {
			tables := map[string][]map[string]any{}
			for _, table := range []string{"pages", "be_users", "be_groups", "sys_workspace"} {
				var rows []map[string]any
				if err := s.DB.Table(table).Find(&rows).Error; err != nil {
					t.Fatal(err)
				}
				tables[table] = rows
			}
			for _, statement := range c.change {
				run(t, s, statement)
			}
			if got := visiblePages(t, s, c.who); got != c.want {
				t.Errorf("%s: %s sees %q, want %q", c.name, c.who, got, c.want)
			}
			for table, rows := range tables {
				if len(c.change) == 0 {
					break
				}
				run(t, s, "DELETE FROM "+table)
				if err := s.DB.Table(table).CreateInBatches(rows, 50).Error; err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestVisiblePages_OneQueryHoweverDeep(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		for uid := 100; uid < 180; uid++ { // a line of pages below page 20
			run(t, s, "INSERT INTO pages (uid, pid, title, perms_everybody) VALUES (?, ?, 'deep', 1)", uid, max(uid-1, 20))
		}
		run(t, s, "UPDATE pages SET pid = 20 WHERE uid = 100")
		cms := cmsAt(s, time.Unix(1_800_000_000, 0))
		who := userOf(t, cms, editor)
		counter, err := database.CountQueries(s.DB)
		if err != nil {
			t.Fatal(err)
		}
		pages, err := cms.VisiblePages(t.Context(), who, []typo3.PageUID{179, 20, 0, 4_000_000_000})
		if err != nil || len(pages) != 2 || pages[179].Title != "deep" {
			t.Errorf("%v, %v", pages, err)
		}
		if n := counter.Count(); n != 1 {
			t.Errorf("%d queries", n)
		}
	})
}

func TestMayReadTable(t *testing.T) {
	t.Parallel()
	s := testsite.SQLite(t)
	cms := cmsAt(s, time.Unix(1_800_000_000, 0))
	for who, want := range map[string][]bool{ // tt_content, sys_category, be_users
		"admin":            {true, true, true},
		"ed_uploads":       {true, true, false},
		"ed_no_meta_table": {true, false, false}, // may modify, so may read
		"ed_no_groups":     {false, false, false},
	} {
		u := named(t, cms, who)
		if got := []bool{u.MayReadTable("tt_content"), u.MayReadTable("sys_category"), u.MayReadTable("be_users")}; !slices.Equal(got, want) {
			t.Errorf("%s: %v", who, got)
		}
	}
}

// named is a user by name.
func named(t *testing.T, cms *typo3.CMS, name string) *typo3.BackendUser {
	t.Helper()
	u, err := cms.UserByName(t.Context(), name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return u
}
