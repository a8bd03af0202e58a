package typo3_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"editor-actions/internal/database"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// A write touches the row it is about, adds one row of history and one of log,
// and changes nothing else in TYPO3's database: every table is read whole before
// and after.
func TestP14_NoOtherTableChanges(t *testing.T) {
	t.Parallel()
	var cases []writeCase
	if err := json.Unmarshal(testsite.Read(t, "typo3/main-writes.json.gz"), &cases); err != nil {
		t.Fatal(err)
	}
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		names := tableNames(t, s)
		if len(names) < 40 {
			t.Fatalf("only %d tables", len(names))
		}
		done := 0
		for _, c := range cases {
			if _, no := refused[c.Case]; no || len(c.History) == 0 || slices.Contains(elsewhere, c.Case) {
				continue
			}
			fields, uid := c.change(t)
			cms := cmsAt(s, time.Unix(1_800_000_000, 0))
			write := typo3.MetadataWrite{
				Actor: userOf(t, cms, c.User), File: fileOf(t, s.DB, uid), MetadataUID: typo3.MetadataUID(uid), RemoteIP: "127.0.0.1",
				Fields: fields, Old: map[string]string{},
			}
			stored := one(t, s.DB, "sys_file_metadata", uid)
			for f := range fields {
				write.Old[f], _ = plain(stored[f]).(string)
			}
			before := snapshot(t, s.DB, names)
			if err := s.DB.Transaction(func(tx *gorm.DB) error {
				_, err := cms.WriteMetadata(t.Context(), tx, write)
				return err
			}); err != nil {
				t.Fatalf("%s: %v", c.Case, err)
			}
			got := changes(before, snapshot(t, s.DB, names))
			want := map[string]string{"sys_file_metadata": "1 gone, 1 new", "sys_history": "0 gone, 1 new", "sys_log": "0 gone, 1 new"}
			if !maps.Equal(got, want) {
				t.Errorf("%s changed %v, want %v", c.Case, got, want)
			}
			done++
		}
		if done < 8 {
			t.Errorf("only %d writes", done)
		}
	})
}

func tableNames(t *testing.T, s *testsite.Site) []string {
	t.Helper()
	query := "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
	if s.Dialect == database.SQLite {
		query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'"
	}
	var names []string
	if err := s.DB.Raw(query).Scan(&names).Error; err != nil {
		t.Fatal(err)
	}
	return names
}

// snapshot is every row of every table as a text.
func snapshot(t *testing.T, db *gorm.DB, names []string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, name := range names {
		var rows []map[string]any
		if err := db.Table(name).Find(&rows).Error; err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, r := range rows {
			var b strings.Builder
			for _, k := range slices.Sorted(maps.Keys(r)) {
				fmt.Fprintf(&b, "%s=%v|", k, plain(r[k]))
			}
			out[name] = append(out[name], b.String())
		}
	}
	return out
}

func changes(before, after map[string][]string) map[string]string {
	out := map[string]string{}
	tables := map[string]bool{}
	for name := range before {
		tables[name] = true
	}
	for name := range after {
		tables[name] = true
	}
	for name := range tables {
		was, is := counted(before[name]), counted(after[name])
		gone, added := 0, 0
		for r, n := range was {
			gone += max(0, n-is[r])
		}
		for r, n := range is {
			added += max(0, n-was[r])
		}
		if gone+added > 0 {
			out[name] = fmt.Sprintf("%d gone, %d new", gone, added)
		}
	}
	return out
}

func counted(rows []string) map[string]int {
	out := map[string]int{}
	for _, r := range rows {
		out[r]++
	}
	return out
}

// plain is a column's value as a driver-independent one.
func plain(v any) any {
	switch v := v.(type) {
	case *any:
		return plain(*v)
	case []byte:
		return string(v)
	}
	return v
}
