package typo3_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/database"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// usagesOf lists the uses of a file as a user sees them: "tt_content:1.assets@1 Welcome/Home".
func usagesOf(t *testing.T, s *testsite.Site, name string, file typo3.FileUID) string {
	t.Helper()
	cms := cmsAt(s, time.Unix(1_800_000_000, 0))
	usages, err := cms.FileUsages(t.Context(), named(t, cms, name), file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, u := range usages {
		line := fmt.Sprintf("%s:%d.%s@%d %s/%s", u.Table, u.Record, u.Field, u.Page.UID, u.Heading, u.Page.Title)
		if u.Reference == 0 {
			line = "link " + line
		}
		if u.Hidden {
			line += " hidden"
		}
		if u.Alternative != nil {
			line += fmt.Sprintf(" %q", *u.Alternative)
		}
		out = append(out, line)
	}
	return strings.Join(out, "; ")
}

func TestFileUsages_WhatAUserMaySee(t *testing.T) {
	t.Parallel()
	const lake = 23
	const home = "tt_content:1.assets@1 Welcome/Home"
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		check := func(what, who, want string) {
			t.Helper()
			if got := usagesOf(t, s, who, lake); got != want {
				t.Errorf("%s: %s sees %q, want %q", what, who, got, want)
			}
		}
		check("as it is", "ed_uploads", home)
		check("as it is", "admin", home)
		check("no mount", "ed_no_groups", "")
		check("no page mount", "ed_nested", "")
		run(t, s, "UPDATE be_users SET workspace_perms = 1, db_mountpoints = '1' WHERE uid = 53")
		check("a mount and no table", "ed_no_groups", "")

		step := func(what, do, undo, want string) {
			t.Helper()
			run(t, s, do)
			check(what, "ed_uploads", want)
			run(t, s, undo)
		}
		step("a hidden record", "UPDATE tt_content SET hidden = 1 WHERE uid = 1", "UPDATE tt_content SET hidden = 0 WHERE uid = 1", home+" hidden")
		step("a hidden reference", "UPDATE sys_file_reference SET hidden = 1 WHERE uid = 2", "UPDATE sys_file_reference SET hidden = 0 WHERE uid = 2", home+" hidden")
		step("a deleted record", "UPDATE tt_content SET deleted = 1 WHERE uid = 1", "UPDATE tt_content SET deleted = 0 WHERE uid = 1", "")
		step("a deleted reference", "UPDATE sys_file_reference SET deleted = 1 WHERE uid = 2", "UPDATE sys_file_reference SET deleted = 0 WHERE uid = 2", "")
		step("a deleted page", "UPDATE pages SET deleted = 1 WHERE uid = 1", "UPDATE pages SET deleted = 0 WHERE uid = 1", "")
		step("a page nobody may see", "UPDATE pages SET perms_everybody = 0, perms_group = 0 WHERE uid = 1", "UPDATE pages SET perms_everybody = 31, perms_group = 31 WHERE uid = 1", "")
		step("a draft of the record", "UPDATE tt_content SET t3ver_wsid = 1 WHERE uid = 1", "UPDATE tt_content SET t3ver_wsid = 0 WHERE uid = 1", "")
		step("a draft of the reference", "UPDATE sys_file_reference SET t3ver_oid = 1 WHERE uid = 2", "UPDATE sys_file_reference SET t3ver_oid = 0 WHERE uid = 2", "")
		step("decorative here", "UPDATE sys_file_reference SET alternative = '' WHERE uid = 2", "UPDATE sys_file_reference SET alternative = NULL WHERE uid = 2", home+` ""`)
		step("a text here", "UPDATE sys_file_reference SET alternative = 'Übersee' WHERE uid = 2", "UPDATE sys_file_reference SET alternative = NULL WHERE uid = 2", home+` "Übersee"`)
		step("a record at the root", "UPDATE tt_content SET pid = 0 WHERE uid = 1", "UPDATE tt_content SET pid = 1 WHERE uid = 1", "")
		step("no right to the table", "UPDATE be_groups SET tables_select = 'pages', tables_modify = 'sys_file_metadata'", "UPDATE be_groups SET tables_select = 'tt_content,pages'", "")

		// A translated record needs the language, by the record and by the reference.
		run(t, s, "UPDATE tt_content SET sys_language_uid = 1, l18n_parent = 2 WHERE uid = 1")
		check("German", "ed_german_only", home)
		check("German", "ed_english_only", "")
		run(t, s, "UPDATE tt_content SET sys_language_uid = -1, l18n_parent = 0 WHERE uid = 1")
		check("all languages", "ed_english_only", home)
		run(t, s, "UPDATE sys_file_reference SET sys_language_uid = 1 WHERE uid = 2")
		check("German reference", "ed_english_only", "")
		run(t, s, "UPDATE sys_file_reference SET sys_language_uid = 0 WHERE uid = 2")
	})
}

func TestFileUsages_OfEveryTable(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		reference := func(uid int, table string, record int) {
			run(t, s, "INSERT INTO sys_file_reference (uid, pid, uid_local, uid_foreign, tablenames, fieldname) VALUES (?, 1, 42, ?, ?, 'media')", uid, record, table)
		}
		run(t, s, "DELETE FROM sys_file_reference")
		reference(100, "pages", 20)
		reference(101, "pages", 22) // a translation
		reference(102, "be_users", 10)
		reference(103, "tx_shop_product", 5)
		reference(104, "tx_shop_setting", 1) // has no pid
		reference(105, "no_such_table", 1)
		reference(106, "pages WHERE 1=1 -- ", 1)
		reference(107, "sys_category", 3)
		reference(108, "", 1)
		run(t, s, "CREATE TABLE tx_shop_product (uid INTEGER, pid INTEGER, name VARCHAR(50))")
		run(t, s, "INSERT INTO tx_shop_product VALUES (5, 6, 'Chair')")
		run(t, s, "CREATE TABLE tx_shop_setting (uid INTEGER, name VARCHAR(50))")
		run(t, s, "INSERT INTO tx_shop_setting VALUES (1, 'x')")
		run(t, s, "INSERT INTO sys_category (uid, pid, title) VALUES (3, 0, 'Root category')")
		run(t, s, "UPDATE be_groups SET tables_select = 'pages,tt_content,tx_shop_product,tx_shop_setting,no_such_table,sys_category,be_users'")
		run(t, s, `INSERT INTO sys_refindex (hash, tablename, recuid, field, softref_key, softref_id, workspace, ref_table, ref_uid) VALUES
 ('a', 'tt_content', 4, 'bodytext', 'typolink_tag', '1', 0, 'sys_file', 42), ('b', 'tt_content', 4, 'bodytext', 'typolink_tag', '2', 0, 'sys_file', 42),
 ('c', 'tt_content', 5, 'bodytext', 'typolink_tag', '1', 1, 'sys_file', 42), ('d', 'sys_file_reference', 100, 'uid_local', '', '', 0, 'sys_file', 42)`)

		const seen = "pages:20.media@20 Downloads/Downloads; pages:22.media@22 [Translate to Deutsch:] About us/[Translate to Deutsch:] About us hidden; "
		const product, link = "tx_shop_product:5.media@6 /Chairs; ", "link tt_content:4.bodytext@10 Events in 2024/Press 2024"
		if got := usagesOf(t, s, "ed_uploads", 42); got != seen+product+link {
			t.Errorf("editor sees %q", got)
		}
		if got, want := usagesOf(t, s, "admin", 42), seen+"be_users:10.media@0 /; "+product+"sys_category:3.media@0 Root category/; "+link; got != want {
			t.Errorf("admin sees\n%q, want\n%q", got, want)
		}
		if got := usagesOf(t, s, "ed_english_only", 42); strings.Contains(got, "Deutsch") || !strings.Contains(got, "Downloads") {
			t.Errorf("without German: %q", got)
		}
	})
}

func TestFileUsages_FiveQueriesHoweverMany(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		for i := range 1200 {
			run(t, s, "INSERT INTO sys_file_reference (pid, uid_local, uid_foreign, tablenames, fieldname) VALUES (1, 23, ?, 'tt_content', 'assets')", i%6+1)
		}
		cms := cmsAt(s, time.Unix(1_800_000_000, 0))
		who := userOf(t, cms, editor)
		counter, err := database.CountQueries(s.DB)
		if err != nil {
			t.Fatal(err)
		}
		usages, err := cms.FileUsages(t.Context(), who, 23)
		if err != nil || len(usages) != typo3.MaxUsages {
			t.Errorf("%d usages, %v", len(usages), err)
		}
		if n := counter.Reset(); len(n) != 5 {
			t.Errorf("%d queries: %v", len(n), n)
		}
	})
}

func TestMetadataRecords_WithAndWithoutACaption(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		run(t, s, "UPDATE sys_file_metadata SET caption = 'Seen from the jetty' WHERE uid = 23")
		cms := cmsAt(s, time.Unix(1_800_000_000, 0))
		records, err := cms.MetadataRecords(t.Context(), 23)
		if err != nil || len(records) == 0 || records[0].UID != 23 || records[0].Caption != "Seen from the jetty" || records[0].Alternative != "A calm lake in the morning" {
			t.Errorf("%+v, %v", records, err)
		}
		run(t, s, "ALTER TABLE sys_file_metadata DROP COLUMN caption")
		records, err = cms.MetadataRecords(t.Context(), 23)
		if err != nil || len(records) == 0 || records[0].Caption != "" {
			t.Errorf("without the column: %+v, %v", records, err)
		}
		if records, err := cms.MetadataRecords(t.Context(), 51); err != nil || len(records) != 0 {
			t.Errorf("no row: %+v, %v", records, err)
		}
	})
}
