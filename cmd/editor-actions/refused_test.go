package main

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"editor-actions/internal/providers/providertest"
)

func TestS41_StrangersGetANeutralAnswer(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		id, card := s.proposed(s.as(editorUID), fileLake)
		stranger := s.as(13)
		r, _ := stranger.decide(id, decisionBody(card, "approve"))
		unknown, _ := stranger.decide("01900000-0000-7000-8000-000000000000", decisionBody(card, "approve"))
		if r.code != http.StatusNotFound || r.problem() != "run_not_found" || string(r.body) != string(unknown.body) {
			t.Errorf("%d %s; an unknown run: %s", r.code, r.body, unknown.body)
		}
		for _, verb := range []string{"approve", "ask_again", "reject"} {
			form := url.Values{"verb": {verb}, "turn": {"1"}, "digest": {card.Digest}, "reason": {"x"}}
			if r := stranger.postForm("/review/"+id, form); r.code != http.StatusNotFound {
				t.Errorf("%s by a form: %d", verb, r.code)
			}
		}
		for _, path := range []string{"/api/v1/runs/", "/api/v1/review/", "/runs/", "/review/"} {
			if r := stranger.get(path + id); r.code != http.StatusNotFound {
				t.Errorf("%s: %d", path, r.code)
			}
		}
	})
}

func TestP17_UnreadableStateHidesNothingAndIsKept(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		broken, _ := s.proposed(editor, fileLake)
		whole, _ := s.proposed(editor, fileSunset)
		s.exec("UPDATE tx_editoractions_run SET sealed_state = ? WHERE id = ?", []byte("garbage"), broken)
		r := reviewer.get("/api/v1/review")
		if r.code != http.StatusOK || !strings.Contains(string(r.body), broken) || !strings.Contains(string(r.body), whole) {
			t.Errorf("%d %s", r.code, r.body)
		}
		card := reviewer.card(broken)
		if !card.Unreadable || card.CanApprove {
			t.Errorf("%+v", card)
		}
		t.Run("S36_ApproveLeavesTheRow", func(t *testing.T) {
			row := s.row(broken)
			if r, _ := reviewer.decide(broken, decisionBody(card, "approve")); r.problem() != "run_unreadable" {
				t.Errorf("%d %s", r.code, r.body)
			}
			if page := reviewer.get("/review/" + broken); page.code != http.StatusOK || strings.Contains(string(page.body), `value="approve"`) {
				t.Errorf("its page: %d, or it can be approved there", page.code)
			}
			if inbox := string(reviewer.get("/review").body); !strings.Contains(inbox, broken) || !strings.Contains(inbox, whole) {
				t.Error("the page of the inbox hides a run")
			}
			if !reflect.DeepEqual(s.row(broken), row) {
				t.Error("the row was changed")
			}
		})
		t.Run("S37_CopiedStateDoesNotOpen", func(t *testing.T) {
			var sealed []byte
			if err := s.site.DB.Raw("SELECT sealed_state FROM tx_editoractions_run WHERE id = ?", whole).Row().Scan(&sealed); err != nil {
				t.Fatal(err)
			}
			s.exec("UPDATE tx_editoractions_run SET sealed_state = ? WHERE id = ?", sealed, broken)
			if !reviewer.card(broken).Unreadable {
				t.Error("the state of another run opens")
			}
			s.exec("UPDATE tx_editoractions_run SET sealed_state = sealed_key WHERE id = ?", broken)
			if !reviewer.card(broken).Unreadable {
				t.Error("the value of another column opens")
			}
		})
	})
}

func TestCancel_BeforeAnythingWasWritten(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		release := make(chan struct{})
		defer close(release)
		s.model.Script(providertest.Hold(release, providertest.Text("late")))
		c := s.as(editorUID)
		id := c.begin(suggestAlternative, fileLake, "")
		c.await(id, "running")
		s.exec("UPDATE tx_editoractions_run SET status = status WHERE id = ?", id)
		if r := c.postForm("/runs/"+id+"/cancel", nil); r.code != http.StatusSeeOther {
			t.Fatalf("%d %s", r.code, r.body)
		}
		if run := c.await(id, "cancelled"); run.Written {
			t.Error("written")
		}
	})
}

func TestS58_PartialFieldGrantRefusesTheWholeCall(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		id := c.begin(suggestTitle, fileLake, "")
		c.await(id, "waiting")
		card := c.card(id)
		s.exec("UPDATE be_groups SET non_exclude_fields = ''")
		before := s.metadata(fileLake)
		r, res := s.as(adminUID).decide(id, decisionBody(card, "approve"))
		after := s.metadata(fileLake)
		if res.Outcome == "written" || r.code < 400 || text(before.Description) != text(after.Description) || text(before.Title) != text(after.Title) {
			t.Errorf("%d %s", r.code, r.body)
		}
	})
}

func TestS59_DraftsAreNeverWritten(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		live := s.metadata(fileLake)
		// A draft with a lower uid than the live row.
		s.exec("DELETE FROM sys_file_metadata WHERE uid = 100001 OR uid = 100000")
		s.exec("UPDATE sys_file_metadata SET uid = 100001 WHERE uid = ?", live.UID)
		s.exec("INSERT INTO sys_file_metadata (uid, pid, file, sys_language_uid, t3ver_oid, t3ver_wsid, alternative) VALUES (100000, 0, ?, 0, 100001, 1, 'draft')", fileLake)
		c := s.as(editorUID)
		id, card := s.proposed(c, fileLake)
		if card.Fields[0].Old == "draft" {
			t.Error("the draft is previewed")
		}
		r, res := s.as(adminUID).decide(id, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "written")
		if n := s.count("SELECT COUNT(*) FROM sys_file_metadata WHERE uid = 100000 AND alternative = 'draft'"); n != 1 {
			t.Error("the draft was written")
		}
	})
}
