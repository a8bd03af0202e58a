package main

import (
	"net/http"
	"strings"
	"testing"

	"editor-actions/internal/config"
)

func TestP9_NobodyApprovesAFileTheyMayNotSee(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Review.ApproverGroups = []uint32{3} }, func(t *testing.T, s *service) {
		id, _ := s.proposed(s.as(editorUID), fileLake)
		press := s.as(11) // ed_press_ro: an approver who reaches /press/ only
		card := press.card(id)
		if !card.Withheld || card.CanApprove || len(card.Fields) != 0 {
			t.Fatalf("%+v", card)
		}
		before := s.writes()
		if r, _ := press.decide(id, decisionBody(card, "approve")); r.code != http.StatusForbidden || r.problem() != "card_withheld" {
			t.Errorf("%d %s", r.code, r.body)
		}
		long := decisionBody(card, "approve")
		long["edits"] = map[string]string{"alternative": "<b>" + strings.Repeat("x", 2000)}
		if r, _ := press.decide(id, long); r.code != http.StatusForbidden || r.problem() != "card_withheld" {
			t.Errorf("a broken rule is told: %d %s", r.code, r.body)
		}
		s.exec("UPDATE sys_file_metadata SET alternative = 'moved' WHERE file = ?", fileLake)
		if r, _ := press.decide(id, decisionBody(card, "approve")); r.code != http.StatusForbidden || r.problem() != "card_withheld" || strings.Contains(string(r.body), "moved") {
			t.Errorf("a moved field is told: %d %s", r.code, r.body)
		}
		card = press.card(id)
		if s.writes() != before || press.run(id).Status != "waiting" {
			t.Error("something was written, or the run does not wait")
		}
		t.Run("S29_AColleagueCanStillApprove", func(t *testing.T) {
			r, res := s.as(s.reviewer()).decide(id, decisionBody(card, "approve"))
			mustOutcome(t, r, res, "written")
		})
		id, _ = s.proposed(s.as(editorUID), fileSunset)
		r, res := press.decide(id, decisionBody(press.card(id), "reject"))
		mustOutcome(t, r, res, "rejected")
	})
}

// Who may use the product is asked on every page and call, and again when
// something is written in somebody's name (P11).
func TestAccess_GroupsRuleWhoMayUseTheService(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, nested, admin := s.as(editorUID), s.as(14), s.as(s.reviewer()) // ed_uploads: 1, 2; ed_nested: 7 brings 6
		id, card := s.proposed(editor, fileLake)
		s.change(func(c *config.Settings) { c.Access.Groups = []uint32{6} })
		for _, path := range []string{"/files", "/files/23", "/actions", "/runs/" + id, "/review", "/review/" + id, "/review/" + id + "/picture", "/thumb?uid=23", "/api/v1/review", "/api/v1/session"} {
			if r := editor.get(path); r.code != http.StatusForbidden {
				t.Errorf("%s: %d", path, r.code)
			}
			if r := admin.get(path); r.code == http.StatusForbidden {
				t.Errorf("%s refuses an administrator", path)
			}
		}
		runs := s.count("SELECT COUNT(*) FROM tx_editoractions_run")
		if r := editor.post("/api/v1/runs", startBody(suggestAlternative, fileLake, "")); r.code != http.StatusForbidden || r.problem() != "no_access" {
			t.Errorf("%d %s", r.code, r.body)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != runs {
			t.Error("a run was started")
		}
		if r := nested.get("/files"); r.code != http.StatusOK {
			t.Errorf("a member through a subgroup: %d", r.code)
		}
		before := s.writes()
		if r, _ := admin.decide(id, decisionBody(card, "approve")); r.problem() != "acting_user_gone" || s.writes() != before {
			t.Errorf("%d %s", r.code, r.body)
		}
		s.change(func(c *config.Settings) { c.Access.Groups = []uint32{2} })
		r, res := admin.decide(id, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "written")
	})
}
