package main

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers/providertest"
)

func withAssistant(c *config.Settings) { c.Assistant.Enabled = true }

// ask starts an assistant run about a folder.
func (c *client) ask(folder, text string) string {
	c.t.Helper()
	r := c.post("/api/v1/assistant", map[string]any{"folder": folder, "request": text})
	if r.code != 201 || !strings.Contains(string(r.body), `"can_cancel":true`) {
		c.t.Fatalf("%d %s", r.code, r.body)
	}
	var run apiRun
	r.decode(&run)
	return run.ID
}

// proposals are the runs that an assistant run has made, in their order.
func (s *service) proposals(parent string) (ids []string) {
	s.t.Helper()
	if err := s.site.DB.Raw("SELECT id FROM tx_editoractions_run WHERE parent = ? ORDER BY created_at, id", parent).Scan(&ids).Error; err != nil {
		s.t.Fatal(err)
	}
	return ids
}

func look(id string, uid int) providertest.Call {
	return providertest.Call{ID: id, Name: "view_file_image", Arguments: fmt.Sprintf(`{"uid":%d}`, uid)}
}

func propose(id string, uid int, text string) providertest.Call {
	raw, _ := json.Marshal(map[string]any{"uid": uid, "alternative": text})
	return providertest.Call{ID: id, Name: "set_file_alternative_text", Arguments: string(raw)}
}

// lastParts says what the last message of a request holds.
func lastParts(r providertest.Request) (pictures int, text string) {
	last := r.Messages[len(r.Messages)-1]
	for _, p := range last.Parts() {
		if p.Type == "image_url" {
			pictures++
		}
	}
	return pictures, last.Text()
}

func TestAssistant_LooksProposesIsCorrectedAndFinishes(t *testing.T) {
	eachService(t, withAssistant, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		s.model.Script(
			providertest.Calls(providertest.Call{ID: "a1", Name: "search_files", Arguments: `{"folder":"1:/user_upload/"}`}, look("a2", 23), look("a3", 48)),
			providertest.Calls(propose("b1", 23, "Mist over a lake at dawn"), propose("b2", 48, "A sunrise"), propose("b3", 11, "A file elsewhere"), propose("b4", 42, "<b>bold</b>"), look("b5", 45)),
			providertest.Calls(propose("c1", 48, "The sun comes up behind green hills")),
			providertest.Text("Both pictures have a text now."),
		)
		before := s.writes()
		id := editor.ask("1:/user_upload/", "Describe the two landscapes, same tone.")
		editor.await(id, "paused")
		children := s.proposals(id)
		if len(children) != 2 {
			t.Fatalf("%d proposals", len(children))
		}
		first, second := reviewer.card(children[0]), reviewer.card(children[1])
		if first.Fields[0].Proposed != "Mist over a lake at dawn" || !first.CanApprove || s.writes() != before {
			t.Errorf("%+v", first)
		}
		if page := html.UnescapeString(string(reviewer.get("/review/" + children[0]).body)); !strings.Contains(page, "Describe the two landscapes, same tone.") {
			t.Error("the card does not say what was asked for")
		}
		if page := string(editor.get("/runs/" + id).body); !strings.Contains(page, "Describe the two landscapes, same tone.") {
			t.Error("the run's page does not say what was asked for")
		}
		if page := string(s.as(11).get("/runs/" + id).body); strings.Contains(page, "Describe the two landscapes") {
			t.Error("a stranger reads what was asked for")
		}
		r, res := reviewer.decide(children[0], decisionBody(first, "approve"))
		mustOutcome(t, r, res, "written")
		body := decisionBody(second, "ask_again")
		body["category"], body["reason"] = "too_long", "Name the hills."
		r, res = reviewer.decide(children[1], body)
		mustOutcome(t, r, res, "asked_again")
		editor.awaitProposals(s, id, 3)
		third := s.proposals(id)[2]
		card := reviewer.card(third)
		r, res = reviewer.decide(third, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "written")
		run := editor.await(id, "completed")
		if run.Reason != "answered" || run.Message != "Both pictures have a text now." || run.Written {
			t.Errorf("%+v", run)
		}
		if n := s.writes() - before; n != 2 {
			t.Errorf("%d writes", n)
		}
		if got := text(s.metadata(fileSunset).Alternative); got != "The sun comes up behind green hills" {
			t.Errorf("stored %q", got)
		}

		reqs := s.model.Requests()
		if len(reqs) != 4 {
			t.Fatalf("%d requests", len(reqs))
		}
		if n, _ := lastParts(reqs[1]); n != 2 {
			t.Errorf("%d pictures after the round that looked", n)
		}
		if n, _ := lastParts(reqs[2]); n != 1 { // b5 looked in the turn that was decided
			t.Errorf("%d pictures after the decided round", n)
		}
		if n, _ := lastParts(reqs[3]); n != 0 {
			t.Errorf("%d pictures in a round that looked at none", n)
		}
		all := string(reqs[2].Body)
		for _, want := range []string{`\"status\":\"done\"`, `\"rule\":\"not_available\"`, `HTML`, `approval_denied`, `The text is too long. Name the hills.`} {
			if !strings.Contains(all, want) {
				t.Errorf("the model is not told %s", want)
			}
		}
		if strings.Count(all, "data:image/") != 1 {
			t.Errorf("%d pictures in the whole request", strings.Count(all, "data:image/"))
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_artifact"); n != 0 {
			t.Errorf("X03: %d pictures are left", n)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE sealed_state IS NOT NULL"); n != 0 {
			t.Errorf("P7: %d sealed states are left", n)
		}
	})
}

func (c *client) awaitProposals(s *service, parent string, n int) {
	c.t.Helper()
	for deadline := time.Now().Add(time.Minute); len(s.proposals(parent)) < n; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("%d proposals, not %d", len(s.proposals(parent)), n)
		}
	}
}

func TestAssistant_StaysInItsFolderAndItsLimits(t *testing.T) {
	eachService(t, func(c *config.Settings) {
		withAssistant(c)
		c.Assistant.MaxSteps, c.Assistant.MaxPictures, c.Assistant.MaxProposals = 3, 1, 1
		c.Privacy.Level = config.PrivacyFull
	}, func(t *testing.T, s *service) {
		editor := s.as(editorUID)
		s.model.Script(
			providertest.Calls(look("a1", 23), look("a2", 36), look("a3", 37), providertest.Call{ID: "a4", Name: "delete_files", Arguments: `{}`}, propose("a5", 23, "A lake at dawn, seen from afar")),
			providertest.Calls(propose("b1", 36, "Coloured clouds"), propose("b2", 37, "More coloured clouds")),
			providertest.Calls(providertest.Call{ID: "c1", Name: "search_files", Arguments: `{}`}),
		)
		id := editor.ask("1:/user_upload/nested/", "Describe the clouds.")
		editor.await(id, "paused")
		if n := len(s.proposals(id)); n != 1 {
			t.Fatalf("%d proposals", n)
		}
		second := string(s.model.Requests()[1].Body)
		for _, want := range []string{`\"rule\":\"other_folder\"`, `\"rule\":\"too_many_pictures\"`, `\"rule\":\"unknown_tool\"`} {
			if !strings.Contains(second, want) {
				t.Errorf("the model is not told %s", want)
			}
		}
		if n, _ := lastParts(s.model.Requests()[1]); n != 1 {
			t.Errorf("%d pictures", n)
		}
		t.Run("I16_TheResultIsASummary", func(t *testing.T) {
			for _, m := range s.model.Requests()[1].Messages {
				if m.Role == "tool" && (strings.Contains(m.Text(), "base64") || strings.Contains(m.Text(), "data:") || strings.Contains(m.Text(), "artifact")) {
					t.Errorf("a tool's result holds more than words: %s", m.Text())
				}
			}
		})
		t.Run("X07_NoPixelsInEvents", func(t *testing.T) {
			if strings.Contains(s.events(id), "base64,") || !strings.Contains(s.events(id), "editor-actions.tool-output") {
				t.Error("events hold pixels, or no presentation")
			}
		})
		child := s.proposals(id)[0]
		card := editor.card(child)
		r, res := editor.decide(child, decisionBody(card, "reject"))
		mustOutcome(t, r, res, "rejected")
		run := editor.await(id, "completed")
		if run.Reason != "limit" {
			t.Errorf("%+v", run)
		}
		third := string(s.model.Requests()[2].Body)
		if !strings.Contains(third, `too_many_proposals`) || !strings.Contains(third, `\"decided_by\":\"run_owner\"`) || strings.Contains(third, "Propose a better text") {
			t.Errorf("the third request tells %.3000s", third[max(0, len(third)-3000):])
		}
	})
}

func TestAssistant_RefusalsBeforeARunExists(t *testing.T) {
	eachService(t, withAssistant, func(t *testing.T, s *service) {
		editor := s.as(editorUID)
		for name, c := range map[string]struct {
			body map[string]any
			code int
			want string
		}{
			"foreign folder": {map[string]any{"folder": "1:/products/", "request": "x"}, 404, "not_available"},
			"no folder":      {map[string]any{"folder": "1:/nowhere/", "request": "x"}, 404, "not_available"},
			"no request":     {map[string]any{"folder": "1:/user_upload/", "request": " \n\t "}, 422, "request_required"},
			"unknown key":    {map[string]any{"folder": "1:/user_upload/", "request": "x", "tools": []string{"all"}}, 400, ""},
		} {
			if r := editor.post("/api/v1/assistant", c.body); r.code != c.code && (c.want == "" && r.code < 400) || c.want != "" && r.problem() != c.want {
				t.Errorf("%s: %d %s", name, r.code, r.body)
			}
		}
		forged := *editor
		forged.token = "x"
		if r := forged.post("/api/v1/assistant", map[string]any{"folder": "1:/user_upload/", "request": "x"}); r.problem() != "form_token" {
			t.Errorf("%d %s", r.code, r.body)
		}
		s.change(func(c *config.Settings) { c.Assistant.Enabled = false })
		if r := editor.post("/api/v1/assistant", map[string]any{"folder": "1:/user_upload/", "request": "x"}); r.problem() != "assistant_not_available" {
			t.Errorf("%d %s", r.code, r.body)
		}
		if strings.Contains(string(editor.get("/files?folder=1:/user_upload/").body), "/assistant") {
			t.Error("the page offers an assistant that is off")
		}
		s.change(func(c *config.Settings) { c.Assistant.Enabled = true })
		if !strings.Contains(string(editor.get("/files?folder=1:/user_upload/").body), "/assistant") {
			t.Error("the page does not offer the assistant")
		}
		s.exec("UPDATE be_groups SET tables_modify = ''") // whoever may store no text has nothing to ask for
		if r := editor.post("/api/v1/assistant", map[string]any{"folder": "1:/user_upload/", "request": "x"}); r.problem() != "assistant_not_available" {
			t.Errorf("%d %s", r.code, r.body)
		}
		if strings.Contains(string(editor.get("/files?folder=1:/user_upload/").body), "/assistant") {
			t.Error("the page offers an assistant to somebody who may store nothing")
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != 0 || len(s.model.Requests()) != 0 {
			t.Errorf("%d runs", n)
		}
	})
}

// A picture that may not be seen any more when it is its turn to be sent is not sent.
func TestAssistant_RightsAreAskedBeforeEverySend(t *testing.T) {
	eachService(t, withAssistant, func(t *testing.T, s *service) {
		release := make(chan struct{})
		s.model.Script(providertest.Hold(release, providertest.Calls(look("a1", 23))))
		editor := s.as(editorUID)
		id := editor.ask("1:/user_upload/", "Look.")
		editor.await(id, "running")
		s.change(func(c *config.Settings) { c.Vision.ExcludedFolders = []string{"1:/user_upload/"} })
		close(release)
		run := editor.await(id, "failed", "completed")
		for i, r := range s.model.Requests() {
			if strings.Contains(string(r.Body), "data:image/") {
				t.Errorf("request %d holds a picture", i)
			}
		}
		if run.Written || s.count("SELECT COUNT(*) FROM tx_editoractions_artifact") != 0 {
			t.Errorf("%+v", run)
		}
	})
}

// I17: it reads why, and never the bytes in base64.
func TestAssistant_AModelThatIsNotKnownToSeeIsShownNothing(t *testing.T) {
	eachService(t, func(c *config.Settings) { withAssistant(c); c.Providers.Models = nil }, func(t *testing.T, s *service) {
		s.model.Script(providertest.Calls(look("a1", 23)), providertest.Text("I cannot see it."))
		editor := s.as(editorUID)
		id := editor.ask("1:/user_upload/", "Describe the lake.")
		editor.await(id, "completed")
		reqs := s.model.Requests()
		if len(reqs) != 2 || strings.Contains(string(reqs[1].Body), "data:image/") || strings.Contains(string(reqs[1].Body), `"encoding"`) || strings.Contains(string(reqs[1].Body), "/9j/") || !strings.Contains(string(reqs[1].Body), "model_does_not_see") {
			t.Errorf("%d requests", len(reqs))
		}
	})
}

func TestAssistant_FourEyesOfItsConfigurationAndCancel(t *testing.T) {
	eachService(t, func(c *config.Settings) {
		withAssistant(c)
		p := c.Providers.Configurations["scripted"]
		p.RequireSecondApprover = true
		c.Providers.Configurations["scripted"] = p
	}, func(t *testing.T, s *service) {
		s.model.Script(providertest.Calls(propose("a1", 23, "Mist over a lake at dawn")))
		editor := s.as(editorUID)
		id := editor.ask("1:/user_upload/", "Describe the lake.")
		editor.await(id, "paused")
		child := s.proposals(id)[0]
		card := editor.card(child)
		if card.CanApprove || card.WhyNot != "own_run" {
			t.Errorf("%+v", card)
		}
		if r, res := editor.decide(child, decisionBody(card, "approve")); res.Outcome == "written" {
			t.Errorf("%d", r.code)
		}
		if r := editor.postForm("/runs/"+id+"/cancel", nil); r.code >= 400 {
			t.Fatalf("%d %s", r.code, r.body)
		}
		if run := editor.run(id); run.Status != "cancelled" {
			t.Errorf("%+v", run)
		}
		if card := editor.card(child); card.Run.Status != "waiting" {
			t.Errorf("%+v", card.Run)
		}
		body := decisionBody(card, "ask_again")
		body["reason"] = "shorter"
		if r, _ := editor.decide(child, body); r.problem() != "no_model" {
			t.Errorf("nobody is there to ask again: %d %s", r.code, r.body)
		}
		reviewer := s.as(s.reviewer())
		r, res := reviewer.decide(child, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "written")
	})
}

// What models do to ids and arguments: each call has its own result, and none is lost.
func TestAssistant_CallsWithTheSameIDOrNone(t *testing.T) {
	eachService(t, withAssistant, func(t *testing.T, s *service) {
		broken := propose("x", 42, "A rotated picture")
		broken.Arguments = `{"uid":42,`
		s.model.Script(
			providertest.Calls(look("same", 23), look("same", 48)),
			providertest.Calls(propose("same", 23, "Mist over a lake at dawn"), propose("same", 48, "The sun comes up behind green hills"), broken),
			providertest.Text("Done."),
		)
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		id := editor.ask("1:/user_upload/", "Describe them.")
		editor.await(id, "paused")
		children := s.proposals(id)
		if len(children) != 2 {
			t.Fatalf("%d proposals", len(children))
		}
		for i, child := range children {
			verb := []string{"approve", "reject"}[i]
			if _, res := reviewer.decide(child, decisionBody(reviewer.card(child), verb)); res.Outcome != map[string]string{"approve": "written", "reject": "rejected"}[verb] {
				t.Errorf("%+v", res)
			}
		}
		if run := editor.await(id, "completed"); run.Reason != "answered" {
			t.Errorf("%+v", run)
		}
		reqs := s.model.Requests()
		last := string(reqs[len(reqs)-1].Body)
		if strings.Count(last, `\"status\":\"done\"`) != 1 || strings.Count(last, "approval_denied") != 1 || !strings.Contains(last, "arguments_no_json") {
			t.Errorf("the model is told %.2000s", last[max(0, len(last)-2000):])
		}
	})
}

// A model without a price is not known to stay within a bound in money.
func TestAssistant_MoneyNeedsAPrice(t *testing.T) {
	eachService(t, func(c *config.Settings) { withAssistant(c); c.Assistant.MaxCost = 1 }, func(t *testing.T, s *service) {
		s.model.Script(providertest.Calls(look("a1", 23)), providertest.Text("never asked"))
		editor := s.as(editorUID)
		id := editor.ask("1:/user_upload/", "Describe them.")
		if run := editor.await(id, "completed"); run.Reason != "limit" || len(s.model.Requests()) != 1 {
			t.Errorf("%+v after %d requests", run, len(s.model.Requests()))
		}
	})
}

// X10: a guardrail that denies what a tool answered stops the send, and its picture with it.
func TestAssistant_X10_ADeniedResultIsNotSent(t *testing.T) {
	eachService(t, func(c *config.Settings) {
		withAssistant(c)
		c.Guardrails.Patterns = []config.GuardrailPattern{{Name: "no-lakes", Pattern: "lake_morning", Verdict: "deny"}}
	}, func(t *testing.T, s *service) {
		s.model.Script(providertest.Calls(look("a1", 23)), providertest.Text("never asked"))
		editor := s.as(editorUID)
		id := editor.ask("1:/user_upload/", "Describe them.")
		run := editor.await(id, "failed")
		if n := len(s.model.Requests()); n != 1 || run.Reason != "policy_denied" {
			t.Errorf("%d requests, %+v", n, run)
		}
		if strings.Contains(string(s.model.Requests()[0].Body), "data:image/") || s.count("SELECT COUNT(*) FROM tx_editoractions_artifact") != 0 {
			t.Error("a picture left, or stays")
		}
	})
}

// X12: whoever takes a run over verifies its pictures anew and puts them behind the round again.
func TestAssistant_X12_ATakeOverProjectsAnew(t *testing.T) {
	eachService(t, withAssistant, func(t *testing.T, s *service) {
		release := make(chan struct{})
		s.model.Script(
			providertest.Calls(look("a1", 23)),
			providertest.Hold(release, providertest.Text("too late")),
			providertest.Text("Seen by the second worker."),
		)
		editor := s.as(editorUID)
		id := editor.ask("1:/user_upload/", "Describe it.")
		requests := func(n int) {
			t.Helper()
			for deadline := time.Now().Add(time.Minute); len(s.model.Requests()) < n; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%d requests, not %d", len(s.model.Requests()), n)
				}
			}
		}
		requests(2)
		s.exec("UPDATE tx_editoractions_run SET lease_expires = '2020-01-01 00:00:00' WHERE id = ?", id)
		requests(3)
		run := editor.await(id, "completed")
		close(release)
		if run.Message != "Seen by the second worker." {
			t.Errorf("%+v", run)
		}
		for i := 1; i < 3; i++ {
			if n, _ := lastParts(s.model.Requests()[i]); n != 1 {
				t.Errorf("request %d shows %d pictures", i, n)
			}
		}
	})
}
