package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/typo3"

	"github.com/google/uuid"
)

const lakeText = "A calm lake in the morning" // stored for fileLake in the data set

// written has the editor propose a text for a file and a reviewer approve it.
func (s *service) written(editor, reviewer *client, file uint64) (id string, turn int) {
	s.t.Helper()
	id, card := s.proposed(editor, file)
	r, res := reviewer.decide(id, decisionBody(card, "approve"))
	mustOutcome(s.t, r, res, "written")
	editor.await(id, "completed")
	return id, card.Turn
}

func (c *client) restore(id string, turn int) reply {
	c.t.Helper()
	return c.post("/api/v1/runs/"+id+"/restore", map[string]any{"turn": turn})
}

// restored starts a restoring run and gives its id.
func (c *client) restored(id string, turn int) string {
	c.t.Helper()
	r := c.restore(id, turn)
	if r.code != http.StatusCreated {
		c.t.Fatalf("restore: %d %s", r.code, r.body)
	}
	var run apiRun
	r.decode(&run)
	if run.Status != "waiting" {
		c.t.Fatalf("run is %s", run.Status)
	}
	return run.ID
}

func TestRestore_PutsTheTextsFromBeforeAChangeBack(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		first, turn := s.written(editor, reviewer, fileLake)
		asked, before := len(s.model.Requests()), s.writes()

		id := editor.restored(first, turn)
		card := editor.card(id)
		if f := card.Fields[0]; f.Old != "A text from the scripted model." || f.Proposed != lakeText || !card.CanApprove || card.Refusal != "" {
			t.Fatalf("%+v", card)
		}
		if s.writes() != before || text(s.metadata(fileLake).Alternative) == lakeText {
			t.Error("something was written without a decision")
		}
		r, res := reviewer.decide(id, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "written")
		if run := editor.await(id, "completed"); !run.Written || run.Message != "" {
			t.Errorf("%+v", run)
		}
		if got := text(s.metadata(fileLake).Alternative); got != lakeText {
			t.Errorf("stored is %q", got)
		}
		if len(s.model.Requests()) != asked {
			t.Error("a model was asked")
		}
		// As the editor, with TYPO3's traces, and gone when settled.
		if n := s.count("SELECT COUNT(*) FROM sys_history WHERE tablename = 'sys_file_metadata' AND recuid = ? AND userid = ? AND history_data LIKE ?",
			s.metadata(fileLake).UID, editorUID, `%"newRecord":{"alternative":"`+lakeText+`"%`); n != 1 {
			t.Errorf("%d rows of history", n)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND sealed_state IS NULL AND model = ''", id); n != 1 {
			t.Error("the state is not erased, or a model is named")
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_decision WHERE run_id = ? AND action = 'restore_texts' AND decided_by = ?", id, s.reviewer()); n != 1 {
			t.Error("no decision says that it restored")
		}
		// What was restored can be taken back again.
		again := editor.card(editor.restored(id, 1))
		if again.Fields[0].Proposed != "A text from the scripted model." {
			t.Errorf("%+v", again.Fields)
		}
	})
}

func TestRestore_OneAnswerForEveryReason(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, admin := s.as(editorUID), s.as(s.reviewer())
		id, turn := s.written(editor, admin, fileLake)
		rejected, card := s.proposed(editor, fileSunset)
		r, res := admin.decide(rejected, decisionBody(card, "reject"))
		mustOutcome(t, r, res, "rejected")
		runs := s.count("SELECT COUNT(*) FROM tx_editoractions_run")

		want := editor.restore(uuid.NewString(), 1) // no such run
		if want.code != http.StatusNotFound || want.problem() != "not_available" {
			t.Fatalf("%d %s", want.code, want.body)
		}
		for name, got := range map[string]reply{
			"turn that was not approved": editor.restore(id, turn+1),
			"negative turn":              editor.restore(id, -1),
			"rejected run":               editor.restore(rejected, 1),
			"file out of reach":          s.as(11).restore(id, turn), // ed_press_ro
			"no right to metadata":       s.as(15).restore(id, turn), // ed_no_meta_table
		} {
			if got.code != want.code || string(got.body) != string(want.body) {
				t.Errorf("%s: %d %s", name, got.code, got.body)
			}
		}
		s.change(func(c *config.Settings) { c.Tools.SetFileAlternativeText = false })
		if got := editor.restore(id, turn); string(got.body) != string(want.body) {
			t.Errorf("tool off: %d %s", got.code, got.body)
		}
		s.change(func(c *config.Settings) {
			c.Tools.SetFileAlternativeText, c.Vision.ExcludedFolders = true, []string{"1:/user_upload/"}
		})
		if got := editor.restore(id, turn); string(got.body) != string(want.body) {
			t.Errorf("excluded folder: %d %s", got.code, got.body)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != runs {
			t.Errorf("%d runs, want %d", n, runs)
		}
	})
}

func TestRestore_NeedsNoModelAndAsksNone(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Vision.Alternative.MaxLength = 40 }, func(t *testing.T, s *service) {
		editor, admin := s.as(editorUID), s.as(s.reviewer())
		first, turn := s.written(editor, admin, fileLake)
		s.change(func(c *config.Settings) { c.Providers.Default, c.Providers.Configurations = "", nil })

		id := editor.restored(first, turn)
		card := admin.card(id)
		body := decisionBody(card, "ask_again")
		body["reason"] = "shorter"
		if r, _ := admin.decide(id, body); r.code != http.StatusUnprocessableEntity || r.problem() != "no_model" {
			t.Errorf("%d %s", r.code, r.body)
		}
		// A reviewer may repair an earlier text, within the same rules.
		body = decisionBody(card, "approve")
		body["edits"] = map[string]string{"alternative": strings.Repeat("x", 41)}
		if r, _ := admin.decide(id, body); r.code != http.StatusUnprocessableEntity {
			t.Errorf("%d %s", r.code, r.body)
		}
		body["edits"] = map[string]string{"alternative": "A calm lake"}
		r, res := admin.decide(id, body)
		mustOutcome(t, r, res, "written")
		editor.await(id, "completed")
		if got := text(s.metadata(fileLake).Alternative); got != "A calm lake" {
			t.Errorf("stored is %q", got)
		}
		// An earlier text that breaks today's rules is shown and cannot be approved as it is.
		s.change(func(c *config.Settings) { c.Vision.Alternative.MaxLength = 5 })
		id = editor.restored(first, turn)
		if card = admin.card(id); card.Refusal == "" || card.Fields[0].Proposed != lakeText {
			t.Errorf("%+v", card)
		}
		before := s.writes()
		if r, _ := admin.decide(id, decisionBody(card, "approve")); r.code != http.StatusUnprocessableEntity || s.writes() != before {
			t.Errorf("%d %s", r.code, r.body)
		}
	})
}

func TestRestore_StaleForms(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, admin := s.as(editorUID), s.as(s.reviewer())
		first, turn := s.written(editor, admin, fileLake)
		key := uuid.NewString()
		path, body := "/api/v1/runs/"+first+"/restore", map[string]any{"turn": turn}
		one, two := editor.postKey(path, key, body), editor.postKey(path, key, body)
		var a, b apiRun
		one.decode(&a)
		two.decode(&b)
		if a.ID == "" || a.ID != b.ID {
			t.Errorf("a double click made two runs: %s and %s", one.body, two.body)
		}
		card := admin.card(a.ID)
		// Somebody edits in TYPO3 meanwhile: nothing is written, the card is drawn anew (P9).
		s.exec("UPDATE sys_file_metadata SET alternative = 'Edited in TYPO3' WHERE file = ? AND sys_language_uid = 0", fileLake)
		before := s.writes()
		r, res := admin.decide(a.ID, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "redrawn")
		if card = admin.card(a.ID); card.Fields[0].Old != "Edited in TYPO3" || s.writes() != before {
			t.Errorf("%+v", card.Fields)
		}
		r, res = admin.decide(a.ID, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "written")
		editor.await(a.ID, "completed")
		if r := editor.restore(first, turn); r.code != http.StatusConflict || r.problem() != "nothing_to_restore" {
			t.Errorf("%d %s", r.code, r.body)
		}
		for _, bad := range []any{map[string]any{"turn": "1"}, map[string]any{"turn": 1, "uid": 3}, []int{1}} {
			if r := editor.post(path, bad); r.code != http.StatusUnprocessableEntity {
				t.Errorf("%v: %d %s", bad, r.code, r.body)
			}
		}
	})
}

func TestRestore_SecondPersonAndActingUser(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Review.RequireSecondApprover = true }, func(t *testing.T, s *service) {
		editor, admin := s.as(editorUID), s.as(s.reviewer())
		first, turn := s.written(editor, admin, fileLake)
		id := admin.restored(first, turn) // the administrator's own run
		if r, _ := admin.decide(id, decisionBody(admin.card(id), "approve")); r.problem() != "own_run" {
			t.Errorf("%d %s", r.code, r.body)
		}
		id = editor.restored(first, turn)
		card := admin.card(id)
		s.exec("UPDATE be_users SET disable = 1 WHERE uid = ?", editorUID)
		before := s.writes()
		if r, _ := admin.decide(id, decisionBody(card, "approve")); r.problem() != "acting_user_gone" || s.writes() != before {
			t.Errorf("%d %s", r.code, r.body)
		}
	})
}

var restoreForm = regexp.MustCompile(`action="(/runs/[^"]+/restore)"><input type="hidden" name="token" value="([^"]+)"><input type="hidden" name="key" value="([^"]+)"><input type="hidden" name="turn" value="(\d+)">`)

func TestRestore_ButtonOnTheFilesHistory(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, admin := s.as(editorUID), s.as(s.reviewer())
		s.written(editor, admin, fileLake)
		page := "/files/23"
		m := restoreForm.FindStringSubmatch(string(editor.get(page).body))
		if m == nil {
			t.Fatal("the history has no restore button")
		}
		send := func(c *client, token string) reply {
			form := url.Values{"token": {token}, "key": {m[3]}, "turn": {m[4]}}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+m[1], strings.NewReader(form.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			return c.do(req)
		}
		runs := s.count("SELECT COUNT(*) FROM tx_editoractions_run")
		if r := send(editor, "forged"); r.code != http.StatusForbidden {
			t.Errorf("forged token: %d", r.code)
		}
		if r := send(s.as(typo3.UserUID(14)), m[2]); r.code != http.StatusForbidden {
			t.Errorf("another session's token: %d", r.code)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != runs {
			t.Fatal("a forged form started a run")
		}
		r := send(editor, m[2])
		if r.code != http.StatusSeeOther || !strings.HasPrefix(r.header.Get("Location"), "/review/") {
			t.Fatalf("%d %s", r.code, r.header.Get("Location"))
		}
		card := string(editor.get(r.header.Get("Location")).body)
		if !strings.Contains(card, lakeText) || strings.Contains(card, `value="ask_again"`) || !strings.Contains(card, "No model was asked") {
			t.Error("the card does not fit a run without a model")
		}
		// The current text is the earlier one: nothing is left to put back.
		s.exec("UPDATE sys_file_metadata SET alternative = ? WHERE file = ? AND sys_language_uid = 0", lakeText, fileLake)
		if restoreForm.MatchString(string(editor.get(page).body)) {
			t.Error("a button that would do nothing")
		}
	})
}
