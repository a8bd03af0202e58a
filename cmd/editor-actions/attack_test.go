package main

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/providers/providertest"
)

func TestP15_HostileReasonsAreStoredClean(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor := s.as(editorUID)
		for name, reason := range map[string]string{
			"no UTF-8":           "wrong \xff\xfe season",
			"NUL and escape":     "wrong \x00\x1b[2J season",
			"reversed":           "wrong \u202e season",
			"one huge character": "wrong season e" + strings.Repeat("\u0301", 8<<10),
			"tag characters":     "wrong \U000E0041\U000E0042 season",
		} {
			id, card := s.proposed(editor, fileLake)
			r := editor.postForm("/review/"+id, url.Values{
				"verb": {"reject"}, "turn": {strconv.Itoa(card.Turn)}, "digest": {card.Digest}, "reason": {reason},
			})
			if r.code != http.StatusSeeOther {
				t.Fatalf("%s: %d %s", name, r.code, r.body)
			}
			var stored string
			if err := s.site.DB.Raw("SELECT reason FROM tx_editoractions_decision WHERE run_id = ?", id).Row().Scan(&stored); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(stored, "wrong") || strings.ContainsAny(stored, "\x00\x1b\u202e\U000E0041") || len(stored) > 20<<10 {
				t.Errorf("%s: %d bytes", name, len(stored))
			}
		}
	})
}

func TestP8_AForeignToolsNameIsNoMetadata(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		call := providertest.Calls(providertest.Call{ID: "a red ship", Name: "a_red_ship_at_the_quay", Arguments: `{}`})
		s.model.Script(call, call)
		id := c.begin(suggestAlternative, fileLake, "")
		if run := c.await(id, "failed"); run.Reason != "refused_call" {
			t.Errorf("%+v", run)
		}
		if events := s.events(id); events == "" || strings.Contains(events, "red") && strings.Contains(events, "ship") || !strings.Contains(events, `"other"`) {
			t.Error(events)
		}
		if strings.Contains(s.log.String(), "red_ship") {
			t.Error("the name is in the log")
		}
	})
}

// The closing turn waits behind another run; meanwhile the operator excludes the folder.
func TestP11_ClosingTurnSendsNoPictureOfAnExcludedFolder(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Agent.Workers = 1 }, func(t *testing.T, s *service) {
		editor := s.as(editorUID)
		id, card := s.proposed(editor, fileLake)
		release := make(chan struct{})
		s.model.Script(providertest.Hold(release, providertest.Text("nothing")))
		other := editor.begin(suggestAlternative, fileSunset, "")
		editor.await(other, "running")
		r, res := s.as(adminUID).decide(id, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "written")
		s.change(func(c *config.Settings) { c.Vision.ExcludedFolders = []string{"1:/user_upload/"} })
		close(release)
		run := editor.await(id, "completed", "failed")
		if run.Status != "completed" || !run.Written || run.Reason != "approved" {
			t.Errorf("%+v", run)
		}
		if n := len(s.model.Requests()); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}
