package typo3_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"gorm.io/gorm"

	"editor-actions/internal/fault"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// writeCase is one write that a real TYPO3 made, with what it left behind.
type writeCase struct {
	Case    string        `json:"case"`
	User    typo3.UserUID `json:"user"`
	Datamap any           `json:"datamap"`
	Before  []row         `json:"before"`
	History []row         `json:"sys_history"`
	Log     []row         `json:"sys_log"`
	After   []row         `json:"sys_file_metadata"`
}

type row map[string]any

// refused are the cases where TYPO3 refuses, drops a field in silence or writes
// a draft. Here each of them is a refusal, and nothing is written.
var refused = map[string]string{
	"without_right_for_title":  "field_not_permitted",
	"language_not_allowed":     "language_not_allowed",
	"table_not_allowed":        "table_not_allowed",
	"user_in_workspace":        "not_live_workspace",
	"user_in_workspace_again":  "not_live_workspace",
	"user_without_live_access": "not_live_workspace",
	"title_longer_than_column": "title_too_many_bytes",
}

// elsewhere are the cases that are not this function's: mounts are the gate's,
// translating and new rows are never done, no text is ever NULL.
var elsewhere = []string{"file_outside_mounts", "one_allowed_one_not", "translate_row", "new_row_with_language", "null_values"}

func TestP14_WritesLeaveWhatTYPO3Leaves(t *testing.T) {
	t.Parallel()
	var cases []writeCase
	if err := json.Unmarshal(testsite.Read(t, "typo3/main-writes.json.gz"), &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != 25 {
		t.Fatalf("the data set holds %d cases, want 25", len(cases))
	}
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		for _, c := range cases {
			if !slices.Contains(elsewhere, c.Case) {
				t.Run(c.Case, func(t *testing.T) { c.check(t, s) })
			}
		}
	})
}

func (c writeCase) check(t *testing.T, s *testsite.Site) {
	fields, uid := c.change(t)
	was := c.Before[0]
	for _, b := range c.Before {
		if number(b["uid"]) == number(uid) {
			was = b
		}
	}
	set(t, s.DB, was)
	now := time.Unix(1_800_000_000, 0)
	if len(c.Log) > 0 {
		now = time.Unix(number(c.Log[0]["tstamp"]), 0)
	}
	cms := cmsAt(s, now)
	write := typo3.MetadataWrite{
		Actor: userOf(t, cms, c.User), File: fileOf(t, s.DB, uid), MetadataUID: typo3.MetadataUID(uid), RemoteIP: "127.0.0.1",
		Fields: fields, Old: map[string]string{},
	}
	if c.Case == "switched_user" {
		write.Actor.OriginalUID = 1
	}
	for f := range fields {
		write.Old[f], _ = was[f].(string)
	}
	histories, logs := count(t, s.DB, "sys_history"), count(t, s.DB, "sys_log")
	var history uint32
	err := s.DB.Transaction(func(tx *gorm.DB) (err error) {
		history, err = cms.WriteMetadata(t.Context(), tx, write)
		return err
	})
	if code, no := refused[c.Case]; no {
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != code {
			t.Errorf("got %v, want a refusal %s", err, code)
		}
		same(t, "row", one(t, s.DB, "sys_file_metadata", uid), was, keys(was)...)
		c.nothing(t, s.DB, histories, logs)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	after := c.After[0]
	for _, a := range c.After {
		if number(a["uid"]) == number(uid) {
			after = a
		}
	}
	same(t, "row", one(t, s.DB, "sys_file_metadata", uid), after, keys(after)...)
	if len(c.History) == 0 {
		c.nothing(t, s.DB, histories, logs)
		return
	}
	if n := count(t, s.DB, "sys_history"); n != histories+1 || count(t, s.DB, "sys_log") != logs+1 {
		t.Errorf("%d rows of history more", n-histories)
	}
	want := maps.Clone(c.History[0])
	got := one(t, s.DB, "sys_history", history)
	random := regexp.MustCompile(`^(0400\$)[A-Za-z0-9_-]{32}(:[0-9a-f]{32})$`)
	for _, h := range []row{want, got} {
		text, _ := h["correlation_id"].(string)
		if !random.MatchString(text) {
			t.Errorf("correlation id %q", text)
		}
		h["correlation_id"] = random.ReplaceAllString(text, "$1$2")
	}
	same(t, "history", got, want, without(want, "uid")...)
	want = maps.Clone(c.Log[0])
	text, _ := want["log_data"].(string)
	want["log_data"] = regexp.MustCompile(`"history":"\d+"`).ReplaceAllString(text, fmt.Sprintf(`"history":"%d"`, history))
	same(t, "log", last(t, s.DB, "sys_log"), want, without(want, "uid")...)
}

// change is the submitted fields and the row they are for.
func (c writeCase) change(t *testing.T) (fields map[string]string, uid uint32) {
	t.Helper()
	data, _ := json.Marshal(c.Datamap)
	var m map[string]map[string]map[string]string
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	for id, f := range m["sys_file_metadata"] {
		n, err := strconv.ParseUint(id, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		return f, uint32(n)
	}
	t.Fatal("no change")
	return nil, 0
}

func (c writeCase) nothing(t *testing.T, db *gorm.DB, histories, logs int64) {
	t.Helper()
	if count(t, db, "sys_history") != histories || count(t, db, "sys_log") != logs {
		t.Error("rows were left behind")
	}
}

func userOf(t *testing.T, cms *typo3.CMS, uid typo3.UserUID) *typo3.BackendUser {
	t.Helper()
	u, err := cms.User(t.Context(), uid)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func fileOf(t *testing.T, db *gorm.DB, metadata uint32) typo3.FileUID {
	t.Helper()
	return typo3.FileUID(number(one(t, db, "sys_file_metadata", metadata)["file"]))
}

func set(t *testing.T, db *gorm.DB, to row) {
	t.Helper()
	values := maps.Clone(to)
	delete(values, "uid")
	if text, ok := values["l10n_diffsource"].(string); ok {
		values["l10n_diffsource"] = []byte(text)
	}
	if err := db.Table("sys_file_metadata").Where("uid = ?", number(to["uid"])).Updates(map[string]any(values)).Error; err != nil {
		t.Fatal(err)
	}
}

func one(t *testing.T, db *gorm.DB, table string, uid uint32) row {
	t.Helper()
	out := map[string]any{}
	if err := db.Table(table).Where("uid = ?", uid).Take(&out).Error; err != nil {
		t.Fatalf("%s %d: %v", table, uid, err)
	}
	return out
}

func last(t *testing.T, db *gorm.DB, table string) row {
	t.Helper()
	out := map[string]any{}
	if err := db.Table(table).Order("uid DESC").Take(&out).Error; err != nil {
		t.Fatal(err)
	}
	return out
}

func count(t *testing.T, db *gorm.DB, table string) (n int64) {
	t.Helper()
	if err := db.Table(table).Count(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

func keys(r row) []string { return without(r) }

func without(r row, names ...string) []string {
	return slices.Sorted(func(yield func(string) bool) {
		for k := range r {
			if !slices.Contains(names, k) && !yield(k) {
				return
			}
		}
	})
}

// same compares columns as texts: drivers and JSON differ in the types of numbers.
func same(t *testing.T, what string, got, want row, columns ...string) {
	t.Helper()
	for _, k := range columns {
		if g, w := text(got[k]), text(want[k]); g != w {
			t.Errorf("%s, %s:\n got %s\nwant %s", what, k, g, w)
		}
	}
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case *any: // a column type the driver does not know
		return text(*v)
	case []byte:
		return text(string(v))
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return fmt.Sprint(f)
		}
		return strconv.Quote(v)
	}
	return text(fmt.Sprint(v))
}

func number(v any) int64 {
	n, _ := strconv.ParseFloat(fmt.Sprint(v), 64)
	return int64(n)
}
