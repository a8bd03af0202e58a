package main

import (
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/typo3"
)

// reviewer is somebody who may decide about everybody's runs.
func (s *service) reviewer() typo3.UserUID { return adminUID }

func TestMainPath_ClickToApprovedWrite(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		id, card := s.proposed(editor, fileLake)
		if card.Fields[0].Old != "A calm lake in the morning" || card.Fields[0].Proposed != "A text from the scripted model." {
			t.Fatalf("%+v", card.Fields)
		}
		before := s.writes()
		body := decisionBody(card, "approve")
		body["edits"] = map[string]string{"alternative": "Morning light over a lake"}
		r, res := reviewer.decide(id, body)
		mustOutcome(t, r, res, "written")
		run := editor.await(id, "completed")
		if !run.Written || run.Reason != "approved" || run.Message != "The text was saved." {
			t.Errorf("%+v", run)
		}
		if got := text(s.metadata(fileLake).Alternative); got != "Morning light over a lake" {
			t.Errorf("read back %q", got)
		}
		if n := s.writes() - before; n != 1 {
			t.Errorf("%d history rows", n)
		}
		t.Run("P1_WrittenAsTheEditorDecidedByTheReviewer", func(t *testing.T) {
			if n := s.count("SELECT COUNT(*) FROM sys_history WHERE userid = ? AND recuid = ? AND tablename = 'sys_file_metadata' AND actiontype = 2", editorUID, s.metadata(fileLake).UID); n < 1 {
				t.Error("the history does not name the editor")
			}
			if n := s.count("SELECT COUNT(*) FROM tx_editoractions_decision WHERE run_id = ? AND decided_by = ? AND edited = ?", id, adminUID, true); n != 1 {
				t.Errorf("%d decisions of the reviewer", n)
			}
		})
		t.Run("P15_NoSecretNoTextNoPictureInTheLog", func(t *testing.T) {
			for _, canary := range []string{"CANARY-KEY", "scripted model", "Morning light", "base64", "An editor of a website"} {
				if strings.Contains(s.log.String(), canary) {
					t.Errorf("the log holds %q", canary)
				}
			}
		})
		t.Run("P7_S45_SealedStateIsGone", func(t *testing.T) {
			if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND sealed_state IS NOT NULL", id); n != 0 {
				t.Error("the sealed state is still there")
			}
		})
	})
}

func TestS25_SimultaneousApprovesWriteOnce(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		id, card := s.proposed(editor, fileLake)
		before := s.writes()
		outcomes := make(chan string, 12)
		var wg sync.WaitGroup
		for range cap(outcomes) {
			wg.Go(func() {
				_, res := reviewer.decide(id, decisionBody(card, "approve"))
				outcomes <- res.Outcome
			})
		}
		wg.Wait()
		close(outcomes)
		got := map[string]int{}
		for o := range outcomes {
			got[o]++
		}
		if got["written"] != 1 || got["written"]+got["already_decided"] != cap(outcomes) {
			t.Errorf("outcomes: %v", got)
		}
		if n := s.writes() - before; n != 1 {
			t.Errorf("%d writes", n)
		}
		t.Run("P10_ExactlyOnce", func(t *testing.T) {
			if n := s.count("SELECT COUNT(*) FROM tx_editoractions_decision WHERE run_id = ?", id); n != 1 {
				t.Errorf("%d decisions", n)
			}
		})
	})
}

func TestS26_ApproveNeedsTheDigestThatWasShown(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		id, card := s.proposed(editor, fileLake)
		before := s.writes()
		for name, spoil := range map[string]func(map[string]any){
			"missing": func(b map[string]any) { b["digest"] = "" },
			"altered": func(b map[string]any) { b["digest"] = "0" + card.Digest[1:] },
			"turn":    func(b map[string]any) { b["turn"] = card.Turn + 1 },
		} {
			body := decisionBody(card, "approve")
			spoil(body)
			if r, res := reviewer.decide(id, body); res.Outcome == "written" || r.code < 400 {
				t.Errorf("%s: %d %s", name, r.code, r.body)
			}
		}
		if run := editor.run(id); run.Status != "waiting" || s.writes() != before {
			t.Errorf("run is %s, %d writes", run.Status, s.writes()-before)
		}
		t.Run("P9_StaleTurnWritesNothing", func(t *testing.T) {
			body := decisionBody(card, "ask_again")
			body["reason"] = "Name the season."
			r, res := reviewer.decide(id, body)
			mustOutcome(t, r, res, "asked_again")
			editor.await(id, "waiting")
			if r, res := reviewer.decide(id, decisionBody(card, "approve")); res.Outcome != "stale_turn" || s.writes() != before {
				t.Errorf("%s %d", res.Outcome, r.code)
			}
		})
	})
}

func TestS27_DenialIsToldAndWritesNothing(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Privacy.Level = config.PrivacyFull }, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		id, card := s.proposed(editor, fileLake)
		before := s.writes()
		body := decisionBody(card, "ask_again")
		body["reason"] = "Too long. Key: " + "sk" + "-" + strings.Repeat("Zz9", 8)
		r, res := reviewer.decide(id, body)
		mustOutcome(t, r, res, "asked_again")
		editor.await(id, "waiting")
		reqs := s.model.Requests()
		last := reqs[1].Messages[len(reqs[1].Messages)-1]
		if last.Role != "tool" || !strings.Contains(last.Text(), `"status":"approval_denied"`) || !strings.Contains(last.Text(), `"decided_by":"other_user"`) || !strings.Contains(last.Text(), "Too long.") {
			t.Errorf("the model reads %s", last.Text())
		}
		t.Run("P6_ReasonIsScreened", func(t *testing.T) {
			if strings.Contains(string(reqs[1].Body), strings.Repeat("Zz9", 8)) {
				t.Error("the reviewer's secret left")
			}
		})
		t.Run("ByItsOwner", func(t *testing.T) {
			own, card := s.proposed(editor, fileSunset)
			body := decisionBody(card, "ask_again")
			body["reason"] = "Name the season."
			r, res := editor.decide(own, body)
			mustOutcome(t, r, res, "asked_again")
			editor.await(own, "waiting")
			reqs := s.model.Requests()
			if last := reqs[len(reqs)-1].Messages; !strings.Contains(last[len(last)-1].Text(), `"decided_by":"run_owner"`) {
				t.Errorf("the model reads %s", last[len(last)-1].Text())
			}
			s.exec("DELETE FROM tx_editoractions_event WHERE run_id = ?", own)
		})
		asked := len(s.model.Requests())
		r, res = reviewer.decide(id, decisionBody(editor.card(id), "reject"))
		mustOutcome(t, r, res, "rejected")
		if run := editor.run(id); run.Status != "rejected" || s.writes() != before || len(s.model.Requests()) != asked {
			t.Errorf("run %s, %d writes, %d requests", run.Status, s.writes()-before, len(s.model.Requests()))
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_event WHERE run_id = ? AND kind = 'tool' AND payload LIKE '%approval_denied%other_user%'", id); n != 2 {
			t.Errorf("%d denials in the events", n)
		}
	})
}

func TestS28_FourEyes(t *testing.T) {
	t.Run("Everywhere", func(t *testing.T) {
		fourEyes(t, func(c *config.Settings) { c.Review.RequireSecondApprover = true })
	})
	t.Run("OneConfiguration", func(t *testing.T) {
		fourEyes(t, func(c *config.Settings) {
			m := c.Providers.Configurations["scripted"]
			m.RequireSecondApprover = true
			c.Providers.Configurations["scripted"] = m
		})
	})
}

func fourEyes(t *testing.T, change func(*config.Settings)) {
	t.Helper()
	eachService(t, change, func(t *testing.T, s *service) {
		for _, uid := range []typo3.UserUID{adminUID, editorUID} {
			owner := s.as(uid)
			id, card := s.proposed(owner, fileLake)
			row, before := s.row(id), s.writes()
			r, _ := owner.decide(id, decisionBody(card, "approve"))
			if r.code != http.StatusForbidden || r.problem() != "own_run" {
				t.Errorf("%d: %d %s", uid, r.code, r.body)
			}
			if !reflect.DeepEqual(s.row(id), row) || s.writes() != before {
				t.Errorf("%d: the run was claimed", uid)
			}
			r, res := owner.decide(id, decisionBody(card, "reject"))
			mustOutcome(t, r, res, "rejected")
		}
		id, card := s.proposed(s.as(editorUID), fileLake)
		r, res := s.as(s.reviewer()).decide(id, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "written")
	})
}

func TestS31_EditedRecordRedrawsTheCard(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		id, card := s.proposed(editor, fileLake)
		s.exec("UPDATE sys_file_metadata SET alternative = 'changed meanwhile' WHERE uid = ?", s.metadata(fileLake).UID)
		before := s.writes()
		r, res := reviewer.decide(id, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "redrawn")
		again := reviewer.card(id)
		if again.Fields[0].Old != "changed meanwhile" || len(again.Moved) != 1 || again.Moved[0] != "alternative" || again.Digest == card.Digest {
			t.Errorf("%+v", again)
		}
		if s.writes() != before {
			t.Error("something was written")
		}
		if _, res := reviewer.decide(id, decisionBody(card, "approve")); res.Outcome != "stale_turn" {
			t.Errorf("the old form gives %q", res.Outcome)
		}
		r, res = reviewer.decide(id, decisionBody(again, "approve"))
		mustOutcome(t, r, res, "written")
	})
}

func TestS31_CaseAndTrailingBlankCount(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor := s.as(editorUID)
		id, card := s.proposed(editor, fileLake)
		s.exec("UPDATE sys_file_metadata SET alternative = 'a calm lake in the morning ' WHERE uid = ?", s.metadata(fileLake).UID)
		r, res := s.as(adminUID).decide(id, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "redrawn")
	})
}

func TestS32_UnrelatedEditDoesNotMatter(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor := s.as(editorUID)
		id, card := s.proposed(editor, fileLake)
		s.exec("UPDATE sys_file_metadata SET title = 'another title' WHERE uid = ?", s.metadata(fileLake).UID)
		r, res := s.as(adminUID).decide(id, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "written")
	})
}

func TestP9_ReplacedFileRedrawsTheCardWithTheNewPicture(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		id, card := s.proposed(editor, fileLake)
		old := reviewer.get("/review/" + id + "/picture")
		s.replaceFile(lakeIdentifier, "jpeg_base.jpg")
		r, res := reviewer.decide(id, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "redrawn")
		again := reviewer.card(id)
		now := reviewer.get("/review/" + id + "/picture")
		if !again.FileMoved || string(old.body) == string(now.body) || now.code != http.StatusOK {
			t.Errorf("file moved %v, picture %d", again.FileMoved, now.code)
		}
		r, res = reviewer.decide(id, decisionBody(again, "approve"))
		mustOutcome(t, r, res, "written")
	})
}

func TestP11_RightsAreAskedAgainAtTheWrite(t *testing.T) {
	for name, take := range map[string]string{
		"S34_Disabled":   "UPDATE be_users SET disable = 1 WHERE uid = 10",
		"NoMount":        "UPDATE sys_filemounts SET hidden = 1",
		"NoTable":        "UPDATE be_groups SET tables_modify = ''",
		"ReadOnlyMounts": "UPDATE sys_filemounts SET read_only = 1",
	} {
		t.Run(name, func(t *testing.T) {
			eachService(t, nil, func(t *testing.T, s *service) {
				id, card := s.proposed(s.as(editorUID), fileLake)
				reviewer := s.as(s.reviewer())
				s.exec(take)
				before := s.writes()
				r, res := reviewer.decide(id, decisionBody(card, "approve"))
				if res.Outcome == "written" || r.code < 400 || r.code >= 600 || r.code == http.StatusInternalServerError {
					t.Errorf("%d %s", r.code, r.body)
				}
				if s.writes() != before || reviewer.run(id).Status != "waiting" {
					t.Error("something was written, or the run does not wait")
				}
			})
		})
	}
}

func TestS33_ToolSwitchedOffWhileWaiting(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		id, card := s.proposed(s.as(editorUID), fileLake)
		row, before := s.row(id), s.writes()
		s.change(func(c *config.Settings) { c.Tools.SetFileAlternativeText = false })
		r, _ := s.as(adminUID).decide(id, decisionBody(card, "approve"))
		if r.problem() != "tool_off" || !strings.Contains(r.sentence(), "switched off, so nothing was written") {
			t.Errorf("%d %s", r.code, r.body)
		}
		if !reflect.DeepEqual(s.row(id), row) || s.writes() != before {
			t.Error("something was written, or the run moved")
		}
		s.change(func(c *config.Settings) { c.Tools.SetFileAlternativeText = true })
		r, res := s.as(adminUID).decide(id, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "written")
	})
}

func TestS40_ClosingFailureIsNotAFailedWrite(t *testing.T) {
	for name, answer := range map[string]providertest.Answer{
		"Error": providertest.Status(http.StatusInternalServerError), "Empty": providertest.Text(""), "Cut": providertest.Cut(),
	} {
		t.Run(name, func(t *testing.T) {
			eachService(t, nil, func(t *testing.T, s *service) {
				editor := s.as(editorUID)
				id, card := s.proposed(editor, fileLake)
				s.model.Script(answer)
				r, res := s.as(adminUID).decide(id, decisionBody(card, "approve"))
				mustOutcome(t, r, res, "written")
				run := editor.await(id, "completed", "failed")
				if run.Status != "completed" || !run.Written || run.Reason != "approved" {
					t.Errorf("%+v", run)
				}
				page := editor.get("/runs/" + id)
				if !strings.Contains(string(page.body), "approved") && !strings.Contains(string(page.body), "Approved") {
					t.Error("the run page does not say that the change was made")
				}
				t.Run("P18_WrittenIsNeverReportedOtherwise", func(t *testing.T) {
					if got := text(s.metadata(fileLake).Alternative); got != "A text from the scripted model." || !run.Written {
						t.Error(got, run.Written)
					}
				})
			})
		})
	}
}
