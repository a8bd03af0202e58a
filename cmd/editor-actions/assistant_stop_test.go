package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers/providertest"
)

// An operator who switches the assistant off stops the runs that are under way, too: nothing
// more is sent, and what waits for a person keeps waiting.
func TestAssistant_SwitchedOffStopsWhatIsUnderWay(t *testing.T) {
	eachService(t, withAssistant, func(t *testing.T, s *service) {
		s.model.Script(
			providertest.Calls(propose("a1", fileLake, "Mist over a lake at dawn"), propose("a2", fileSunset, "The sun comes up behind green hills")),
			providertest.Text("never asked"),
		)
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		id := editor.ask("1:/user_upload/", "Describe them.")
		editor.await(id, "paused")
		s.change(func(c *config.Settings) { c.Assistant.Enabled = false })
		for i, child := range s.proposals(id) {
			r, res := reviewer.decide(child, decisionBody(reviewer.card(child), []string{"approve", "reject"}[i]))
			mustOutcome(t, r, res, []string{"written", "rejected"}[i])
		}
		run := editor.await(id, "failed", "completed")
		if n := len(s.model.Requests()); n != 1 || run.Status != "failed" || run.Reason != "tool_off" {
			t.Errorf("%d requests, %+v", n, run)
		}
	})
}

// What fails in the site's database is not told as a failure of the model.
func TestAssistant_ABrokenSiteIsNoFailureOfTheModel(t *testing.T) {
	eachService(t, withAssistant, func(t *testing.T, s *service) {
		release := make(chan struct{})
		s.model.Script(providertest.Hold(release, providertest.Calls(propose("a1", fileLake, "Mist over a lake at dawn"))))
		editor := s.as(editorUID)
		id := editor.ask("1:/user_upload/", "Describe it.")
		editor.await(id, "running")
		for deadline := time.Now().Add(time.Minute); len(s.model.Requests()) == 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("nothing is sent")
			}
		}
		s.exec("ALTER TABLE sys_file RENAME TO sys_file_away")
		close(release)
		for deadline := time.Now().Add(time.Minute); s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND settled_at IS NOT NULL", id) == 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the run does not end")
			}
		}
		s.exec("ALTER TABLE sys_file_away RENAME TO sys_file")
		if run := editor.run(id); run.Reason != "internal" {
			t.Errorf("%+v", run)
		}
	})
}

// P11: rights that go while the model thinks are gone when its calls are carried out: nothing
// is read, kept, sent or proposed in the name of somebody who may not any more.
func TestP11_AssistantRightsThatGoWhileTheModelThinks(t *testing.T) {
	for name, c := range map[string]struct{ change, reason string }{
		"the person": {"UPDATE be_users SET disable = 1 WHERE uid = 10", "user_gone"},
		"the mounts": {"UPDATE sys_filemounts SET hidden = 1", "file_gone"},
	} {
		t.Run(name, func(t *testing.T) {
			eachService(t, withAssistant, func(t *testing.T, s *service) {
				release := make(chan struct{})
				s.model.Script(
					providertest.Hold(release, providertest.Calls(look("a1", fileLake), propose("a2", fileSunset, "The sun comes up behind green hills"))),
					providertest.Text("never asked"),
				)
				editor, admin := s.as(editorUID), s.as(adminUID)
				id := editor.ask("1:/user_upload/", "Look.")
				editor.await(id, "running")
				for deadline := time.Now().Add(time.Minute); len(s.model.Requests()) == 0; time.Sleep(20 * time.Millisecond) {
					if time.Now().After(deadline) {
						t.Fatal("nothing is sent")
					}
				}
				s.exec(c.change)
				close(release)
				run := admin.await(id, "failed", "completed", "paused")
				if n := len(s.model.Requests()); n != 1 || run.Status != "failed" || run.Reason != c.reason {
					t.Errorf("%d requests, %+v", n, run)
				}
				if n := len(s.proposals(id)) + s.count("SELECT COUNT(*) FROM tx_editoractions_artifact"); n != 0 {
					t.Errorf("%d proposals and pictures", n)
				}
			})
		})
	}
}

// A folder whose address does not fit a run's row is refused with a sentence.
func TestAssistant_AFolderTooDeepToKeep(t *testing.T) {
	eachService(t, withAssistant, func(t *testing.T, s *service) {
		deep := "user_upload" + strings.Repeat("/"+strings.Repeat("ü", 100), 6) + "/"
		if err := os.MkdirAll(filepath.Join(s.site.Public, "fileadmin", deep), 0o750); err != nil {
			t.Fatal(err)
		}
		r := s.as(editorUID).post("/api/v1/assistant", map[string]any{"folder": "1:/" + deep, "request": "Describe them."})
		if r.code != 422 || r.problem() != "folder_too_deep" || s.count("SELECT COUNT(*) FROM tx_editoractions_run") != 0 {
			t.Errorf("%d %s", r.code, r.body)
		}
	})
}

// Nobody is told that the model is asked again when its run has used up what it may.
func TestAssistant_WhoHasNothingLeftIsNotAskedAgain(t *testing.T) {
	for name, limit := range map[string]func(*config.Settings){
		"steps":     func(c *config.Settings) { c.Assistant.MaxSteps = 1 },
		"proposals": func(c *config.Settings) { c.Assistant.MaxProposals = 1 },
		"tokens":    func(c *config.Settings) { c.Assistant.MaxTokens = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			eachService(t, func(c *config.Settings) { withAssistant(c); limit(c) }, func(t *testing.T, s *service) {
				s.model.Script(providertest.Calls(propose("a1", fileLake, "Mist over a lake at dawn")))
				editor, reviewer := s.as(editorUID), s.as(s.reviewer())
				id := editor.ask("1:/user_upload/", "Describe it.")
				editor.await(id, "paused")
				child := s.proposals(id)[0]
				body := decisionBody(reviewer.card(child), "ask_again")
				body["reason"] = "Name the mountains."
				if r, _ := reviewer.decide(child, body); r.problem() != "no_turns_left" {
					t.Errorf("%d %s", r.code, r.body)
				}
				if strings.Contains(string(reviewer.get("/review/"+child).body), `value="ask_again"`) {
					t.Error("the card offers to ask again")
				}
				r, res := reviewer.decide(child, decisionBody(reviewer.card(child), "approve"))
				mustOutcome(t, r, res, "written")
			})
		})
	}
}
