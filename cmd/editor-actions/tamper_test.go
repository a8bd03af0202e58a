package main

import (
	"reflect"
	"strings"
	"testing"
)

// tamperings change what is not sealed in the row of a waiting run, as somebody with the
// database's password could: each would have the write land elsewhere, count for somebody
// else, or send the picture somewhere else.
var tamperings = map[string]string{
	"another file":           "subject_uid = 48",
	"another table":          "subject_table = 'sys_file_reference'",
	"another tool":           "tool = 'set_file_reference_alternative_text'",
	"a tool with two fields": "tool = 'update_fal_asset_meta'",
	"in an admin's name":     "initiator = 1",
	"in a stranger's name":   "initiator = 13",
	"behind a switched user": "original_user = 1",
	"another action":         "action = 'suggest_title_and_description'",
	"another model":          "configuration = 'elsewhere'",
	"no model":               "configuration = ''",
	"another language":       "language = 'de'",
	"another picture":        "source_sha256 = 'bb'",
	"another storage":        "storage_uid = 2",
	"another turn":           "turn = 2",
	"written already":        "written = 1",
	"closing":                "phase = 'close'",
	"another redraw":         "redraws = 1",
	"another digest":         "digest = 'aa'",
}

func TestP9_ATamperedRowIsNeverWritten(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		lake, sunset := text(s.metadata(fileLake).Alternative), text(s.metadata(fileSunset).Alternative)
		id, _ := s.proposed(editor, fileLake)
		original := s.row(id)
		for name, change := range tamperings {
			s.exec("UPDATE tx_editoractions_run SET "+change+" WHERE id = ?", id)
			tampered, before := s.row(id), s.writes()
			card := reviewer.card(id)
			if !card.Unreadable || card.CanApprove || len(card.Fields) != 0 {
				t.Errorf("%s: the card is shown: %+v", name, card)
			}
			for _, verb := range []string{"approve", "ask_again"} {
				body := decisionBody(card, verb)
				body["reason"] = "Name the season."
				if r, res := reviewer.decide(id, body); r.problem() != "run_unreadable" || res.Outcome != "" {
					t.Errorf("%s, %s: %d %s", name, verb, r.code, r.body)
				}
			}
			if s.writes() != before || text(s.metadata(fileLake).Alternative) != lake || text(s.metadata(fileSunset).Alternative) != sunset {
				t.Errorf("%s: something was written", name)
			}
			if !reflect.DeepEqual(s.row(id), tampered) {
				t.Errorf("%s: the row was changed", name)
			}
			column, _, _ := strings.Cut(change, " ")
			s.exec("UPDATE tx_editoractions_run SET "+column+" = ? WHERE id = ?", original[column], id)
		}
		r, res := reviewer.decide(id, decisionBody(reviewer.card(id), "approve"))
		mustOutcome(t, r, res, "written")
		if run := editor.await(id, "completed"); !run.Written {
			t.Errorf("%+v", run)
		}
		t.Run("PutAway", func(t *testing.T) {
			id, card := s.proposed(editor, fileSunset)
			s.exec("UPDATE tx_editoractions_run SET initiator = 1 WHERE id = ?", id)
			r, res := reviewer.decide(id, decisionBody(card, "reject"))
			mustOutcome(t, r, res, "rejected")
		})
	})
}

// row is a run's columns that a tampering may change, as the database gives them.
func (s *service) row(id string) (out map[string]any) {
	s.t.Helper()
	if err := s.site.DB.WithContext(s.t.Context()).Raw("SELECT * FROM tx_editoractions_run WHERE id = ?", id).Scan(&out).Error; err != nil {
		s.t.Fatal(err)
	}
	return out
}
