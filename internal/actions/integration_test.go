package actions_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"editor-actions/internal/actions"
	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/providers"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// imageWorker makes the test binary the image worker that the downscaler starts.
const imageWorker = "image-worker"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == imageWorker {
		os.Exit(downscaler.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// realWorld is a catalogue on TYPO3's own tables and files.
type realWorld struct {
	site     *testsite.Site
	db       *gorm.DB
	queries  *database.Counter
	cms      *typo3.CMS
	gate     *falgate.Gate
	cat      *actions.Catalogue
	settings *config.Settings
	log      *bytes.Buffer
}

func onSite(t *testing.T, site *testsite.Site) *realWorld {
	t.Helper()
	settings := site.Settings
	settings.FAL.AllowedStorages = []uint32{1}
	settings.Vision.ExcludedFolders = []string{"1:/user_upload/nested/"}
	settings.Tools = config.Tools{SetFileAlternativeText: true, UpdateFALAssetMeta: true}
	w := &realWorld{site: site, settings: &settings, log: &bytes.Buffer{}}
	var err error
	if w.queries, err = database.CountQueries(site.DB); err != nil {
		t.Fatal(err)
	}
	w.db = site.DB
	log := slog.New(slog.NewTextHandler(w.log, nil))
	current := func() *config.Settings { return w.settings }
	scaler, err := downscaler.New(settings.Images, downscaler.Options{WorkerCommand: []string{os.Args[0], imageWorker}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { scaler.Close() })
	w.cms = typo3.New(w.db, current, time.Now)
	w.gate = falgate.New(w.cms, w.db, current, log)
	w.cat = actions.NewCatalogue(w.gate, scaler, w.cms, &fakeModels{model: providers.Resolved{Name: "demo"}, ok: true}, current, log)
	return w
}

func (w *realWorld) user(t *testing.T, name string) *typo3.BackendUser {
	t.Helper()
	u, err := w.cms.UserByName(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// run previews a call and executes it in one transaction, as an approval does.
func (w *realWorld) run(t *testing.T, who *typo3.BackendUser, call actions.Call) (actions.Preview, actions.Outcome, error) {
	t.Helper()
	tool, _ := w.cat.Tool(call.Tool)
	p := tool.Preview(t.Context(), nil, who, call)
	out, err := w.execute(t, who, call, p.Expect(""))
	return p, out, err
}

func (w *realWorld) execute(t *testing.T, who *typo3.BackendUser, call actions.Call, expect actions.Expectation) (out actions.Outcome, err error) {
	t.Helper()
	tool, _ := w.cat.Tool(call.Tool)
	err = w.db.WithContext(t.Context()).Transaction(func(tx *gorm.DB) error {
		out, err = tool.Execute(t.Context(), tx, who, call, expect)
		return err
	})
	return out, err
}

// row is the live row of a file as the database has it.
func (w *realWorld) row(t *testing.T, uid uint32) (alternative, title, description string) {
	t.Helper()
	var r struct{ Alternative, Title, Description *string }
	if err := w.site.DB.WithContext(t.Context()).Raw("SELECT alternative, title, description FROM sys_file_metadata WHERE uid = ?", uid).Scan(&r).Error; err != nil {
		t.Fatal(err)
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return text(r.Alternative), text(r.Title), text(r.Description)
}

func (w *realWorld) count(t *testing.T, table string) (n int64) {
	t.Helper()
	if err := w.site.DB.WithContext(t.Context()).Table(table).Count(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

func (w *realWorld) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if err := w.site.DB.WithContext(t.Context()).Exec(sql, args...).Error; err != nil {
		t.Fatal(err)
	}
}

func TestP3_OnTheRealTablesEveryReasonCostsTheSame(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		w := onSite(t, site)
		who := w.user(t, "ed_uploads")
		if _, err := w.cat.Prepare(t.Context(), who, actions.SuggestAlternativeText, file(23), ""); err != nil {
			t.Fatalf("a usable file: %v (%s)", err, w.log)
		}
		cost, sentence := -1, ""
		for name, uid := range map[string]uint64{
			"missing": 4711, "never a uid": 1 << 63, "zero": 0, "foreign": 27, "excluded folder": 36, "without metadata": 51,
			"truncated": 54, "pdf": 7, "empty": 16, "other storage": 57, "marked missing": 55, "gone from disk": 3,
		} {
			before := w.queries.Count()
			p, err := w.cat.Prepare(t.Context(), who, actions.SuggestAlternativeText, file(uid), "")
			if p != nil || !errors.Is(err, actions.ErrNotAvailable) {
				t.Errorf("%s: %v, %v", name, p, err)
				continue
			}
			f, _ := errors.AsType[*fault.Error](err)
			n := w.queries.Count() - before
			if cost < 0 {
				cost, sentence = n, f.Sentence()
			}
			if n != cost || f.Sentence() != sentence {
				t.Errorf("%s: %d queries and %q, others %d and %q", name, n, f.Sentence(), cost, sentence)
			}
			if actions.Reason(err) == "" {
				t.Errorf("%s: no reason for the operator", name)
			}
			t.Logf("%s: %s, %d queries", name, actions.Reason(err), n)
		}
	})
}

func TestP4_OnTheRealFilesTheOriginalIsNotSent(t *testing.T) {
	t.Parallel()
	site := testsite.SQLite(t)
	w := onSite(t, site)
	p, err := w.cat.Prepare(t.Context(), w.user(t, "ed_uploads"), actions.SuggestAlternativeText, file(42), "")
	if err != nil {
		t.Fatal(err)
	}
	img := p.Messages[len(p.Messages)-1].Parts[0].Image
	if max(img.Width(), img.Height()) > w.settings.Vision.MaxImageEdge || img.SHA256() == p.SourceSHA256 {
		t.Errorf("sent: %s", img)
	}
	if img.Width() >= img.Height() {
		t.Errorf("not upright: %s", img)
	}
}

func TestS18_OnTheRealTablesTheToolWritesAFieldThatIsOff(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		w := onSite(t, site)
		w.settings.Vision.Alternative.Enabled = false
		history, logs := w.count(t, "sys_history"), w.count(t, "sys_log")
		p, out, err := w.run(t, w.user(t, "ed_uploads"), alt(23, "Ein See – ruhig & weit 🛶"))
		if err != nil {
			t.Fatal(err)
		}
		if p.Refusal != "" || p.FileName != "lake_morning.jpg" || p.Fields[0].Old != "A calm lake in the morning" {
			t.Errorf("%+v", p)
		}
		alternative, title, _ := w.row(t, 23)
		if alternative != "Ein See – ruhig & weit 🛶" || title != "Lake" || out.HistoryUID == 0 {
			t.Errorf("%q %q %+v", alternative, title, out)
		}
		if w.count(t, "sys_history") != history+1 || w.count(t, "sys_log") != logs+1 {
			t.Error("history or log is missing")
		}
	})
}

func TestS19_OnTheRealTablesAnOverLongTextIsNotWritten(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		w := onSite(t, site)
		w.settings.Vision.Alternative.MaxLength = 100
		who := w.user(t, "ed_uploads")
		p, _, err := w.run(t, who, alt(23, strings.Repeat("ö", 101)))
		if p.Refusal != "value_too_long" || codeOf(err) != "value_too_long" {
			t.Errorf("%+v, %v", p, err)
		}
		if a, _, _ := w.row(t, 23); a != "A calm lake in the morning" {
			t.Errorf("written: %q", a)
		}
		if _, _, err := w.run(t, who, alt(23, strings.Repeat("ö", 100))); err != nil {
			t.Error(err)
		}
	})
}

func TestP12_S21_OnTheRealTablesATitleOfExactlyTheColumnFits(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		w := onSite(t, site)
		who := w.user(t, "ed_uploads")
		title := strings.Repeat("ö", 127) + "x" // 255 bytes
		if _, _, err := w.run(t, who, asset(23, `,"title":"`+title+`"`)); err != nil {
			t.Fatal(err)
		}
		if _, got, _ := w.row(t, 23); got != title {
			t.Errorf("stored: %q", got)
		}
	})
}

func TestP9_OnTheRealTables(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		w := onSite(t, site)
		who := w.user(t, "ed_uploads")
		tool, _ := w.cat.Tool(actions.SetFileAlternativeText)
		prepared, err := w.cat.Prepare(t.Context(), who, actions.SuggestAlternativeText, file(23), "")
		if err != nil {
			t.Fatal(err)
		}
		call := alt(23, "New.")
		p := tool.Preview(t.Context(), nil, who, call)

		w.exec(t, "UPDATE sys_file_metadata SET alternative = ? WHERE uid = 23", "a calm lake in the morning") // another case only
		if _, err := w.execute(t, who, call, p.Expect(prepared.SourceSHA256)); fault.KindOf(err) != fault.Stale {
			t.Errorf("S31, changed text: %v", err)
		}
		w.exec(t, "UPDATE sys_file_metadata SET alternative = ?, title = ? WHERE uid = 23", "A calm lake in the morning", "Other")

		original := filepath.Join(site.Public, "fileadmin", "user_upload", "lake_morning.jpg")
		bytes, err := os.ReadFile(original)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(original, append(bytes, 0), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := w.execute(t, who, call, p.Expect(prepared.SourceSHA256)); !errors.Is(err, actions.ErrFileChanged) {
			t.Errorf("replaced file: %v", err)
		}
		if err := os.WriteFile(original, bytes, 0o644); err != nil {
			t.Fatal(err)
		}
		if a, _, _ := w.row(t, 23); a != "A calm lake in the morning" {
			t.Errorf("written: %q", a)
		}
		if _, err := w.execute(t, who, call, p.Expect(prepared.SourceSHA256)); err != nil {
			t.Errorf("S32, an unrelated field changed: %v", err)
		}
	})
}

func TestS58_OnTheRealTables(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		w := onSite(t, site)
		who := w.user(t, "ed_no_title_field")
		p, _, err := w.run(t, who, asset(23, `,"title":"New","description":"New"`))
		if p.Refusal != "field_not_permitted" || codeOf(err) != "field_not_permitted" {
			t.Errorf("%+v, %v", p, err)
		}
		if _, title, description := w.row(t, 23); title != "Lake" || description != "Taken early." {
			t.Errorf("partly written: %q %q", title, description)
		}
		if _, _, err := w.run(t, who, asset(23, `,"description":"New"`)); err != nil {
			t.Error(err)
		}
		if got := keys(w.cat.Offers(t.Context(), who, "sys_file")); len(got) != 1 {
			t.Errorf("offered: %v", got)
		}
	})
}

func TestS59_ADraftWithALowerUIDIsNeverTouched(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		w := onSite(t, site)
		w.exec(t, "INSERT INTO sys_file_metadata (uid, file, alternative, t3ver_oid, t3ver_wsid) VALUES (900, 51, 'draft', 901, 1)")
		w.exec(t, "INSERT INTO sys_file_metadata (uid, file, alternative) VALUES (901, 51, 'live')")
		p, _, err := w.run(t, w.user(t, "ed_uploads"), alt(51, "New."))
		if err != nil || p.MetadataUID != 901 || p.Fields[0].Old != "live" {
			t.Fatalf("%+v, %v", p, err)
		}
		draft, _, _ := w.row(t, 900)
		live, _, _ := w.row(t, 901)
		if draft != "draft" || live != "New." {
			t.Errorf("draft %q, live %q", draft, live)
		}
	})
}

func TestS60_OnTheRealTables(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		w := onSite(t, site)
		who := w.user(t, "ed_uploads")
		var first string
		for name, uid := range map[string]uint64{"missing": 4711, "foreign": 27, "without metadata": 51, "other storage": 57} {
			p, _, err := w.run(t, who, alt(uid, "x"))
			raw, _ := json.Marshal(p)
			f, ok := errors.AsType[*fault.Error](err)
			if !ok {
				t.Fatalf("%s: %v", name, err)
			}
			got := fmt.Sprintf("%s %s %s", raw, f.Code, f.Sentence())
			if first == "" {
				first = got
			}
			if got != first {
				t.Errorf("%s: %s, others %s", name, got, first)
			}
		}
	})
}

func TestP11_RightsAreAskedAgainAtTheWrite(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		w := onSite(t, site)
		tool, _ := w.cat.Tool(actions.SetFileAlternativeText)
		call := alt(23, "New.")
		p := tool.Preview(t.Context(), nil, w.user(t, "ed_uploads"), call)
		w.exec(t, "UPDATE sys_filemounts SET hidden = 1")
		if _, err := w.execute(t, w.user(t, "ed_uploads"), call, p.Expect("")); !errors.Is(err, actions.ErrNotAvailable) {
			t.Errorf("got %v", err)
		}
		if a, _, _ := w.row(t, 23); a != "A calm lake in the morning" {
			t.Errorf("written: %q", a)
		}
	})
}

func TestExplain_OnTheRealTables(t *testing.T) {
	t.Parallel()
	site := testsite.SQLite(t)
	w := onSite(t, site)
	who := w.user(t, "ed_uploads")
	for uid, want := range map[uint64]string{23: "", 36: "excluded_folder", 51: "no_metadata_row", 57: "storage_not_allowed"} {
		var failed []string
		for _, c := range w.cat.Explain(context.WithoutCancel(t.Context()), who, actions.SuggestAlternativeText, file(uid)) {
			if !c.OK && !c.Skipped {
				failed = append(failed, c.Detail)
			}
		}
		if want == "" && len(failed) > 0 || want != "" && (len(failed) == 0 || failed[0] != want) {
			t.Errorf("uid %d: %v, want %s", uid, failed, want)
		}
	}
}

// TestExecute_QueriesAreFew keeps the write at half of the twelve queries an
// approval may cost.
func TestExecute_QueriesAreFew(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		w := onSite(t, site)
		who := w.user(t, "ed_uploads")
		tool, _ := w.cat.Tool(actions.SetFileAlternativeText)
		expect := tool.Preview(t.Context(), nil, who, alt(23, "One.")).Expect("")
		if _, err := w.execute(t, who, alt(23, "One."), expect); err != nil { // the first one looks for cache tables
			t.Fatal(err)
		}
		expect = tool.Preview(t.Context(), nil, who, alt(23, "Two.")).Expect("")
		w.queries.Reset()
		if _, err := w.execute(t, who, alt(23, "Two."), expect); err != nil {
			t.Fatal(err)
		}
		statements := w.queries.Reset()
		if len(statements) > 6 {
			t.Errorf("%d statements:\n%s", len(statements), strings.Join(statements, "\n"))
		}
	})
}
