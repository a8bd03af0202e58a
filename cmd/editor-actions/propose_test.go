package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/config"
	"editor-actions/internal/fault"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

// second is another instance on the service's site, without workers.
func (s *service) second() *rooms {
	s.t.Helper()
	log := slog.New(slog.DiscardHandler)
	r, err := openSite(s.settings.Load, log)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(r.close)
	if err := r.withScaler(log); err != nil {
		s.t.Fatal(err)
	}
	r.withCatalogue(log)
	if err := r.withAgent(log); err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (r *rooms) user(t *testing.T, uid typo3.UserUID) *typo3.BackendUser {
	t.Helper()
	u, err := r.cms.User(t.Context(), uid)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// propose calls a write tool as an agent of the user does.
func (r *rooms) propose(t *testing.T, uid typo3.UserUID, tool, arguments string) (*agent.Proposed, error) {
	t.Helper()
	return r.agent.Propose(t.Context(), agent.ProposeRequest{
		User: r.user(t, uid), Tool: tool, Arguments: json.RawMessage(arguments), By: "Describer\u202e (client\n <b>1</b>)",
	})
}

const (
	altTool   = actions.SetFileAlternativeText
	metaTool  = actions.UpdateFALAssetMeta
	agentText = "Two people row across a calm lake at sunrise"
)

func alternativeOf(uid uint64, text string) string {
	raw, _ := json.Marshal(map[string]any{"uid": uid, "alternative": text})
	return string(raw)
}

func codeOf(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

func TestP1_Propose_WaitsForAPersonAndIsWrittenByThem(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		r, reviewer := s.second(), s.as(s.reviewer())
		before, asked := s.writes(), len(s.model.Requests())
		p, err := r.propose(t, editorUID, altTool, alternativeOf(fileLake, agentText))
		if err != nil || !p.Created || p.Run.Status != suspend.Waiting || p.Run.Vendor != agent.VendorMCP || p.Run.Model != "Describer (client <b>1</b>)" {
			t.Fatalf("%+v %v", p, err)
		}
		if s.writes() != before || len(s.model.Requests()) != asked || text(s.metadata(fileLake).Alternative) != lakeText {
			t.Fatal("something was written, or a model was asked")
		}
		id := string(p.Run.ID)
		page := string(reviewer.get("/review/" + id).body)
		for _, want := range []string{agentText, "Proposed by an agent:", "Describer (client &lt;b&gt;1&lt;/b&gt;)", "It cannot be asked again", `name="category"`, "Proposal of an agent", "/picture?of="} {
			if !strings.Contains(page, want) {
				t.Errorf("the card has no %q", want)
			}
		}
		if strings.Contains(page, `value="ask_again"`) || strings.Contains(page, "Earlier text") || strings.Contains(page, "No model was asked") {
			t.Error("the card is that of another kind of run")
		}
		card := reviewer.card(id)
		body := decisionBody(card, "ask_again")
		body["reason"] = "shorter"
		if rep, _ := reviewer.decide(id, body); rep.problem() != "no_model" {
			t.Errorf("ask again: %d %s", rep.code, rep.body)
		}
		rep, res := reviewer.decide(id, decisionBody(card, "approve"))
		mustOutcome(t, rep, res, "written")
		reviewer.await(id, "completed")
		if text(s.metadata(fileLake).Alternative) != agentText || s.writes() != before+1 {
			t.Error("the approved text is not stored")
		}
		if page := string(reviewer.get("/runs/" + id).body); !strings.Contains(page, "Describer (client &lt;b&gt;1&lt;/b&gt;)") || strings.Contains(page, "The model looks") {
			t.Error("the run's page does not say who proposed, or speaks of a model")
		}
		got, err := r.agent.Proposal(t.Context(), r.user(t, editorUID), p.Run.ID)
		if err != nil || got.State != agent.ProposalApproved || got.Written["alternative"] != agentText {
			t.Errorf("%+v %v", got, err)
		}
	})
}

func TestPropose_OutcomesAreToldWithoutNames(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		r, reviewer := s.second(), s.as(s.reviewer())
		waiting := func(tool, args string) (string, apiCard) {
			t.Helper()
			p, err := r.propose(t, editorUID, tool, args)
			if err != nil {
				t.Fatal(err)
			}
			return string(p.Run.ID), reviewer.card(string(p.Run.ID))
		}
		state := func(id string) *agent.Proposal {
			t.Helper()
			p, err := r.agent.Proposal(t.Context(), r.user(t, editorUID), suspend.RunID(id))
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		id, card := waiting(metaTool, fmt.Sprintf(`{"uid":%d,"title":"Lake at dawn","description":"A lake."}`, fileLake))
		body := decisionBody(card, "approve")
		body["edits"] = map[string]string{"title": "A lake at dawn"}
		rep, res := reviewer.decide(id, body)
		mustOutcome(t, rep, res, "written")
		if p := state(id); p.State != agent.ProposalEdited || p.Written["title"] != "A lake at dawn" || p.Written["description"] != "A lake." {
			t.Errorf("%+v", p)
		}

		id, card = waiting(altTool, alternativeOf(fileLake, agentText))
		body = decisionBody(card, "reject")
		body["category"], body["reason"] = "too_long", "Half of it would do."
		rep, res = reviewer.decide(id, body)
		mustOutcome(t, rep, res, "rejected")
		p := state(id)
		if p.State != agent.ProposalRejected || p.Category != suspend.CategoryTooLong || p.Reason != "Half of it would do." {
			t.Errorf("%+v", p)
		}
		if raw, _ := json.Marshal(p); strings.Contains(string(raw), r.user(t, adminUID).DisplayName()) {
			t.Error("the agent is told who decided")
		}
		// The same text again after a rejection is a new proposal, and a bounded one.
		for n := range 9 {
			again, card := waiting(altTool, alternativeOf(fileLake, agentText))
			if again == id {
				t.Fatal("a settled run was answered")
			}
			rep, res := reviewer.decide(again, decisionBody(card, "reject"))
			mustOutcome(t, rep, res, "rejected")
			_ = n
		}
		if _, err := r.propose(t, editorUID, altTool, alternativeOf(fileLake, agentText)); codeOf(err) != "proposed_too_often" {
			t.Errorf("the eleventh time: %v", err)
		}
		// Somebody changes the text in TYPO3 meanwhile.
		id, card = waiting(altTool, alternativeOf(fileSunset, agentText))
		s.exec("UPDATE sys_file_metadata SET alternative = 'Edited in TYPO3' WHERE file = ? AND sys_language_uid = 0", fileSunset)
		rep, res = reviewer.decide(id, decisionBody(card, "approve"))
		mustOutcome(t, rep, res, "redrawn")
		if p := state(id); p.State != agent.ProposalWaiting || !p.Redrawn {
			t.Errorf("%+v", p)
		}
		if again, err := r.propose(t, editorUID, altTool, alternativeOf(fileSunset, agentText)); err != nil || again.Created || string(again.Run.ID) != id {
			t.Errorf("the redrawn card is not the answer: %+v %v", again, err)
		}
		if err := r.agent.Cancel(t.Context(), r.user(t, editorUID), suspend.RunID(id)); err != nil {
			t.Fatal(err)
		}
		if p := state(id); p.State != agent.ProposalCancelled {
			t.Errorf("%+v", p)
		}
	})
}

func TestP3_Propose_OneAnswerForEveryReasonOfAFile(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		r := s.second()
		runs := s.count("SELECT COUNT(*) FROM tx_editoractions_run")
		const huge = `{"uid":99999999999999999999,"alternative":"x"}`
		for name, try := range map[string]func() error{
			"missing file":     func() error { _, err := r.propose(t, editorUID, altTool, alternativeOf(999999, "x")); return err },
			"uid of 20 digits": func() error { _, err := r.propose(t, editorUID, altTool, huge); return err },
			"out of reach":     func() error { _, err := r.propose(t, 11, altTool, alternativeOf(fileLake, "x")); return err },
			"no metadata":      func() error { _, err := r.propose(t, 15, altTool, alternativeOf(fileLake, "x")); return err },
			"unknown tool": func() error {
				_, err := r.propose(t, editorUID, "delete_file", alternativeOf(fileLake, "x"))
				return err
			},
			"tool off": func() error {
				s.change(func(c *config.Settings) { c.Tools.SetFileAlternativeText = false })
				defer s.change(func(c *config.Settings) { c.Tools.SetFileAlternativeText = true })
				_, err := r.propose(t, editorUID, altTool, alternativeOf(fileLake, "x"))
				return err
			},
			"excluded": func() error {
				s.change(func(c *config.Settings) { c.Vision.ExcludedFolders = []string{"1:/user_upload/"} })
				defer s.change(func(c *config.Settings) { c.Vision.ExcludedFolders = nil })
				_, err := r.propose(t, editorUID, altTool, alternativeOf(fileLake, "x"))
				return err
			},
			"not in access.groups": func() error {
				s.change(func(c *config.Settings) { c.Access.Groups = []uint32{4242} })
				defer s.change(func(c *config.Settings) { c.Access.Groups = nil })
				_, err := r.propose(t, editorUID, altTool, alternativeOf(fileLake, "x"))
				return err
			},
		} {
			err := try()
			f, ok := errors.AsType[*fault.Error](err)
			if !errors.Is(err, actions.ErrNotAvailable) || !ok || f.Sentence() != actions.ErrNotAvailable.Sentence() {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != runs {
			t.Errorf("%d runs, want %d", n, runs)
		}
	})
}

func TestPropose_WhatIsWrongWithATextIsSaid(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Vision.Alternative.MaxLength = 60 }, func(t *testing.T, s *service) {
		r := s.second()
		for name, c := range map[string]struct{ args, code string }{
			"too long":         {alternativeOf(fileLake, strings.Repeat("x", 61)), "value_too_long"},
			"markup":           {alternativeOf(fileLake, "A <b>lake</b>"), "value_html"},
			"a refusal":        {alternativeOf(fileLake, "I cannot see the picture."), "text_refusal"},
			"unknown argument": {fmt.Sprintf(`{"uid":%d,"alternative":"x","publish":"yes"}`, fileLake), "argument_unknown"},
			"twice":            {fmt.Sprintf(`{"uid":%d,"uid":24,"alternative":"x"}`, fileLake), "argument_duplicate"},
			"no text":          {fmt.Sprintf(`{"uid":%d}`, fileLake), "argument_missing"},
			"uid as a text":    {fmt.Sprintf(`{"uid":"%d","alternative":"x"}`, fileLake), "argument_type"},
			"no object":        {`[]`, "arguments_not_object"},
			"too large":        {alternativeOf(fileLake, strings.Repeat("x", 70<<10)), "arguments_too_large"},
			"stored already":   {alternativeOf(fileLake, lakeText), "nothing_to_propose"},
		} {
			if _, err := r.propose(t, editorUID, altTool, c.args); codeOf(err) != c.code {
				t.Errorf("%s: %v, want %s", name, err, c.code)
			}
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != 0 {
			t.Errorf("%d runs", n)
		}
		p, err := r.propose(t, editorUID, altTool, alternativeOf(fileLake, "Image of a calm lake"))
		if err != nil || len(p.Warnings) == 0 || p.Warnings[0].Finding.Level != actions.LevelWarning {
			t.Errorf("%+v %v", p, err)
		}
	})
}

func TestPropose_EqualOnesAtOnceAreOneRun(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.MCP.MaxWaiting = 2 }, func(t *testing.T, s *service) {
		instances := []*rooms{s.second(), s.second()}
		var wg sync.WaitGroup
		var mu sync.Mutex
		ids, created := map[suspend.RunID]bool{}, 0
		for i := range 8 {
			wg.Go(func() {
				// Blanks and order differ, the proposal does not.
				p, err := instances[i%2].propose(t, editorUID, metaTool, []string{
					fmt.Sprintf(`{"uid":%d,"title":"Lake","description":"A lake."}`, fileLake),
					fmt.Sprintf("{\"description\": \"A lake.\",\n \"title\": \" Lake \", \"uid\": %d}", fileLake),
				}[i/2%2])
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
					return
				}
				ids[p.Run.ID] = true
				if p.Created {
					created++
				}
			})
		}
		wg.Wait()
		if len(ids) != 1 || created != 1 {
			t.Errorf("%d runs, %d created", len(ids), created)
		}
		r := instances[0]
		if _, err := r.propose(t, editorUID, metaTool, fmt.Sprintf(`{"uid":%d,"title":"Another"}`, fileLake)); err != nil {
			t.Fatal(err)
		}
		if _, err := r.propose(t, editorUID, altTool, alternativeOf(fileLake, agentText)); codeOf(err) != "too_many_waiting" || fault.KindOf(err) != fault.RateLimited {
			t.Errorf("a third: %v", err)
		}
		if _, err := r.propose(t, adminUID, altTool, alternativeOf(fileLake, agentText)); err != nil {
			t.Errorf("another user: %v", err)
		}
	})
}
