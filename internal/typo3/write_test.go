package typo3_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"editor-actions/internal/database"
	"editor-actions/internal/fault"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// write changes the alternative text of file 23 (row 23) as ed_uploads.
func write(t *testing.T, s *testsite.Site, change func(*typo3.MetadataWrite)) (uint32, error) {
	t.Helper()
	cms := cmsAt(s, time.Unix(1_800_000_000, 0))
	w := typo3.MetadataWrite{
		Actor: userOf(t, cms, editor), File: 23, MetadataUID: 23, RemoteIP: "192.0.2.1",
		Fields: map[string]string{"alternative": "New"}, Old: map[string]string{"alternative": "A calm lake in the morning"},
	}
	if change != nil {
		change(&w)
	}
	var history uint32
	err := s.DB.Transaction(func(tx *gorm.DB) (err error) {
		history, err = cms.WriteMetadata(t.Context(), tx, w)
		return err
	})
	return history, err
}

func run(t *testing.T, s *testsite.Site, statement string, args ...any) {
	t.Helper()
	if err := s.DB.Exec(statement, args...).Error; err != nil {
		t.Fatal(err)
	}
}

// P9: what stands there is compared byte by byte, whatever the collation.
func TestP9_OldTextsAreComparedByBytes(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		for _, c := range []struct {
			stored any
			old    string
			ok     bool
		}{
			{"Text", "Text", true},
			{"text", "Text", false},
			{"Text ", "Text", false},
			{"Text", "Text ", false},
			{"Straße", "Strasse", false},
			{"é", "e", false},
			{"e\u0301", "é", false},
			{"", "", true},
			{nil, "", true},
			{nil, "x", false},
			{"", "x", false},
			{"x", "", false},
			{"🌄", "🌅", false},
			{"a\x00b", "a", false},
			{"a\x00b", "a\x00b", true},
			{"0", "00", false},
			{"1e1", "10", false},
		} {
			run(t, s, "UPDATE sys_file_metadata SET alternative = ? WHERE uid = 23", c.stored)
			before := count(t, s.DB, "sys_history")
			_, err := write(t, s, func(w *typo3.MetadataWrite) { w.Old["alternative"] = c.old })
			if c.ok != (err == nil) || !c.ok && (!errors.Is(err, typo3.ErrMetadataChanged) || fault.KindOf(err) != fault.Stale) {
				t.Errorf("stored %q, shown %q: %v", c.stored, c.old, err)
			}
			if grown := count(t, s.DB, "sys_history") - before; grown == 1 != c.ok {
				t.Errorf("stored %q, shown %q: %d rows of history", c.stored, c.old, grown)
			}
		}
	})
}

// S32: a change of a field that is not written does not matter.
func TestS32_OtherFieldsMayChange(t *testing.T) {
	t.Parallel()
	s := testsite.SQLite(t)
	run(t, s, "UPDATE sys_file_metadata SET title = 'Something else', description = NULL WHERE uid = 23")
	if _, err := write(t, s, nil); err != nil {
		t.Error(err)
	}
}

// S58: one field that is not permitted refuses the call as a whole, by name.
func TestS58_NoPartialWrite(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		cms := cmsAt(s, time.Now())
		_, err := write(t, s, func(w *typo3.MetadataWrite) {
			w.Actor = userOf(t, cms, 16) // ed_no_title_field
			w.Fields["title"], w.Old["title"] = "T", "Lake"
		})
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Kind != fault.Forbidden || f.Code != "field_not_permitted" || fmt.Sprint(f.Args) != "[title]" {
			t.Errorf("got %v", err)
		}
		if got := one(t, s.DB, "sys_file_metadata", 23); text(got["alternative"]) != `"A calm lake in the morning"` {
			t.Errorf("written: %v", got["alternative"])
		}
	})
}

// S59: a draft, a row of another file and a row that is gone are never written.
func TestS59_OnlyTheLiveRowIsWritten(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		run(t, s, "INSERT INTO sys_file_metadata (uid, file, t3ver_oid, t3ver_wsid, alternative) VALUES (600, 23, 23, 1, 'A calm lake in the morning')")
		for _, uid := range []typo3.MetadataUID{600, 24, 9999} {
			if _, err := write(t, s, func(w *typo3.MetadataWrite) { w.MetadataUID = uid }); !errors.Is(err, typo3.ErrMetadataChanged) {
				t.Errorf("row %d: %v", uid, err)
			}
		}
		// A row read before it became a draft is no way around.
		cms := cmsAt(s, time.Now())
		m, err := cms.Metadata(t.Context(), nil, 23)
		if err != nil {
			t.Fatal(err)
		}
		run(t, s, "UPDATE sys_file_metadata SET t3ver_wsid = 1 WHERE uid = 23")
		if _, err := write(t, s, func(w *typo3.MetadataWrite) { w.Current = m }); !errors.Is(err, typo3.ErrMetadataChanged) {
			t.Errorf("stale row: %v", err)
		}
	})
}

func TestWriteMetadata_Refusals(t *testing.T) {
	t.Parallel()
	s := testsite.SQLite(t)
	for name, c := range map[string]struct {
		change func(*typo3.MetadataWrite)
		code   string
	}{
		"nobody":           {func(w *typo3.MetadataWrite) { w.Actor = nil }, "table_not_allowed"},
		"frozen workspace": {func(w *typo3.MetadataWrite) { a := *w.Actor; a.Frozen = true; w.Actor = &a }, "not_live_workspace"},
		"255 bytes and one": {func(w *typo3.MetadataWrite) {
			w.Fields["title"], w.Old["title"] = strings.Repeat("ä", 128), "Lake"
		}, "title_too_many_bytes"},
		"64 KB and one": {func(w *typo3.MetadataWrite) { w.Fields["alternative"] = strings.Repeat("a", 65_536) }, "text_too_many_bytes"},
		"unknown field": {func(w *typo3.MetadataWrite) { w.Fields["caption"], w.Old["caption"] = "x", "" }, ""},
		"no old text":   {func(w *typo3.MetadataWrite) { w.Fields["title"] = "x" }, ""},
	} {
		_, err := write(t, s, c.change)
		f, ok := errors.AsType[*fault.Error](err)
		if err == nil || c.code != "" && (!ok || f.Code != c.code) || c.code == "" && ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := cmsAt(s, time.Now()).WriteMetadata(t.Context(), nil, typo3.MetadataWrite{}); err == nil {
		t.Error("a write without a transaction")
	}
	if _, err := write(t, s, func(w *typo3.MetadataWrite) {
		w.Fields["title"], w.Old["title"] = strings.Repeat("a", 255), "Lake"
		w.Fields["alternative"] = strings.Repeat("a", 65_535)
	}); err != nil {
		t.Errorf("as much as fits: %v", err)
	}
}

// Cached pages that show the file go, all others stay. One query looks.
func TestP14_CachesAreFlushedByTag(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		for i, tag := range []string{"sys_file_metadata", "sys_file_metadata_23", "sys_file_23", "sys_file_metadata_2", "sys_file_230", "pageId_1"} {
			for _, cache := range []string{"cache_pages", "cache_hash", "cache_rootline"} {
				id := fmt.Sprintf("id%d", i)
				run(t, s, "INSERT INTO "+cache+" (identifier, expires, content) VALUES (?, 2000000000, 'x')", id)
				run(t, s, "INSERT INTO "+cache+"_tags (identifier, tag) VALUES (?, ?)", id, tag)
				run(t, s, "INSERT INTO "+cache+"_tags (identifier, tag) VALUES (?, 'other')", id)
			}
		}
		if _, err := write(t, s, nil); err != nil {
			t.Fatal(err)
		}
		for _, cache := range []string{"cache_pages", "cache_hash", "cache_rootline"} {
			var left []string
			if err := s.DB.Raw("SELECT identifier FROM " + cache + " ORDER BY identifier").Scan(&left).Error; err != nil || fmt.Sprint(left) != "[id3 id4 id5]" {
				t.Errorf("%s: %v, %v", cache, left, err)
			}
			if n := count(t, s.DB, cache+"_tags"); n != 6 {
				t.Errorf("%s: %d tags", cache, n)
			}
		}
	})
}

// A site whose caches are elsewhere has no such tables.
func TestWriteMetadata_WithoutCacheTables(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		for _, cache := range []string{"cache_pages", "cache_hash", "cache_rootline"} {
			run(t, s, "DROP TABLE "+cache)
			run(t, s, "DROP TABLE "+cache+"_tags")
		}
		if _, err := write(t, s, nil); err != nil {
			t.Error(err)
		}
	})
}

// The budget of an approval leaves a write six statements when nothing is cached.
func TestWriteMetadata_Queries(t *testing.T) {
	t.Parallel()
	s := testsite.SQLite(t)
	if _, err := write(t, s, nil); err != nil { // learns which tables there are
		t.Fatal(err)
	}
	cms := cmsAt(s, time.Now())
	counter, err := database.CountQueries(s.DB)
	if err != nil {
		t.Fatal(err)
	}
	users, err := cms.Users(t.Context(), 1, editor, 36)
	if err != nil || len(users) != 3 {
		t.Fatalf("%v, %v", users, err)
	}
	counter.Reset()
	if users, err = cms.Users(t.Context(), 1, editor, 36); err != nil || len(counter.Statements()) > 4 {
		t.Errorf("%d users cost %v (%v)", len(users), counter.Statements(), err)
	}
	m, err := cms.Metadata(t.Context(), nil, 23)
	if err != nil {
		t.Fatal(err)
	}
	err = s.DB.Transaction(func(tx *gorm.DB) error {
		w := typo3.MetadataWrite{Actor: users[editor], File: 23, MetadataUID: 23, Current: m, Fields: map[string]string{"alternative": "Again"}, Old: map[string]string{"alternative": "New"}}
		if _, err := cms.WriteMetadata(t.Context(), tx, w); err != nil {
			return err
		}
		counter.Reset()
		w.Current, err = cms.Metadata(t.Context(), tx, 23)
		w.Fields["alternative"], w.Old["alternative"] = "Once more", "Again"
		counter.Reset()
		if err == nil {
			_, err = cms.WriteMetadata(t.Context(), tx, w)
		}
		return err
	})
	if n := counter.Statements(); err != nil || len(n) > 4 {
		t.Errorf("%d statements: %v (%v)", len(n), n, err)
	}
}

// The form of 12.4 differs in the log only.
func TestP14_LogOf12(t *testing.T) {
	t.Parallel()
	s := testsite.SQLite(t)
	s.Settings.TYPO3.Version = "12.4"
	history, err := write(t, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := last(t, s.DB, "sys_log")
	if text(l["details"]) != `"Record \"{title}\" ({table}:{uid}) was updated."` || text(l["details_nr"]) != "10" ||
		text(l["log_data"]) != fmt.Sprintf("%q", fmt.Sprintf(`{"title":"Lake","table":"sys_file_metadata","uid":23,"history":"%d"}`, history)) {
		t.Errorf("got %v", l)
	}
}

func TestUserByName_NamesThatDifferInCase(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		run(t, s, "INSERT INTO be_users (uid, username) VALUES (500, 'ED_uploads'), (501, 'Jo')")
		cms := cmsAt(s, time.Now())
		for name, want := range map[string]typo3.UserUID{"ed_uploads": 10, "ED_uploads": 500, "Jo": 501} {
			if u, err := cms.UserByName(t.Context(), name); err != nil || u.UID != want {
				t.Errorf("%s: %v, %v", name, u, err)
			}
		}
		for _, name := range []string{"jo", "JO", "", "nobody", "ed_uploads "} {
			if u, err := cms.UserByName(t.Context(), name); !errors.Is(err, typo3.ErrUserNotFound) {
				t.Errorf("%q: %v, %v", name, u, err)
			}
		}
		if _, err := cms.UserByName(t.Context(), "ed_disabled"); !errors.Is(err, typo3.ErrUserDisabled) {
			t.Errorf("disabled: %v", err)
		}
	})
}
