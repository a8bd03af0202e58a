package main

import (
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/suspend"
)

// withConfiguration changes the one model configuration, as a reload does.
func (s *service) withConfiguration(change func(*config.ProviderConfiguration)) {
	s.change(func(c *config.Settings) {
		c.Providers.Configurations = maps.Clone(c.Providers.Configurations)
		m := c.Providers.Configurations["scripted"]
		change(&m)
		c.Providers.Configurations["scripted"] = m
	})
}

// stores opens the store that the service has, for rows that a test makes by the hundred.
func (s *service) stores() *rooms {
	s.t.Helper()
	log := slog.New(slog.DiscardHandler)
	r, err := openSite(s.settings.Load, log)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(r.close)
	if err := r.withStore(log); err != nil {
		s.t.Fatal(err)
	}
	return r
}

// sentence is what a refused call tells a person.
func (r reply) sentence() string {
	var p struct {
		Title  string `json:"title"`
		Detail string `json:"detail"`
	}
	r.decode(&p)
	return p.Title + " " + p.Detail
}

func TestS30_WithoutARecordNothingIsDecided(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		id, card := s.proposed(editor, fileLake)
		s.exec("ALTER TABLE tx_editoractions_decision RENAME TO away")
		before, row, was := s.writes(), s.row(id), s.metadata(fileLake)
		for _, verb := range []string{"approve", "ask_again", "reject"} {
			body := decisionBody(card, verb)
			body["reason"] = "Name the season."
			if r, res := reviewer.decide(id, body); r.code < 400 || res.Outcome != "" {
				t.Errorf("%s: %d %s", verb, r.code, r.body)
			}
		}
		if s.writes() != before || !reflect.DeepEqual(s.row(id), row) || !reflect.DeepEqual(s.metadata(fileLake), was) {
			t.Error("something was written, or the run moved")
		}
		s.exec("ALTER TABLE away RENAME TO tx_editoractions_decision")
		r, res := reviewer.decide(id, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "written")
	})
}

// A decision needs its record; whoever wants a run gone although there can be none
// cancels it, for that decides nothing.
func TestS30_ARunCanBeEndedWithoutARecord(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor := s.as(editorUID)
		id, _ := s.proposed(editor, fileLake)
		s.exec("DROP TABLE tx_editoractions_decision")
		s.exec("CREATE TABLE tx_editoractions_decision AS SELECT id AS run_id, turn, digest FROM tx_editoractions_run WHERE 1 = 0")
		editor.postForm("/runs/"+id+"/cancel", nil)
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND status = 'cancelled' AND sealed_state IS NULL", id); n != 1 {
			t.Error("the run goes on")
		}
	})
}

func TestS35_ADeactivatedConfigurationKeepsTheRunWaiting(t *testing.T) {
	for name, change := range map[string]func(*service){
		"Deactivated": func(s *service) {
			s.withConfiguration(func(c *config.ProviderConfiguration) { c.Active = false })
		},
		"Gone": func(s *service) {
			s.change(func(c *config.Settings) { c.Providers.Configurations = map[string]config.ProviderConfiguration{} })
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachService(t, nil, func(t *testing.T, s *service) {
				editor, reviewer := s.as(editorUID), s.as(s.reviewer())
				id, card := s.proposed(editor, fileLake)
				put, putCard := s.proposed(editor, fileSunset)
				settings, row, before := s.settings.Load(), s.row(id), s.writes()
				change(s)
				for _, verb := range []string{"approve", "ask_again"} {
					body := decisionBody(card, verb)
					body["reason"] = "Name the season."
					r, _ := reviewer.decide(id, body)
					if r.code != http.StatusServiceUnavailable || r.problem() != "configuration_inactive" {
						t.Errorf("%s: %d %s", verb, r.code, r.body)
					}
					said := r.sentence()
					if !strings.Contains(said, "keeps waiting") {
						t.Errorf("%s: %s", verb, said)
					}
					for _, secret := range []string{"CANARY", "scripted", "http", strconv.Itoa(fileLake), strconv.Itoa(editorUID)} {
						if strings.Contains(said, secret) {
							t.Errorf("%s names %q: %s", verb, secret, said)
						}
					}
				}
				if !reflect.DeepEqual(s.row(id), row) || s.writes() != before || len(s.model.Requests()) != 2 {
					t.Error("the run was claimed, written or sent")
				}
				if card := reviewer.card(id); card.Unreadable || len(card.Fields) != 1 {
					t.Errorf("%+v", card)
				}
				r, res := reviewer.decide(put, decisionBody(putCard, "reject"))
				mustOutcome(t, r, res, "rejected")
				s.settings.Store(settings)
				r, res = reviewer.decide(id, decisionBody(card, "approve"))
				mustOutcome(t, r, res, "written")
				if run := editor.await(id, "completed"); run.Message != "The text was saved." {
					t.Errorf("%+v", run)
				}
			})
		})
	}
}

// Nothing is sent to a model that cannot see; what a person approved is written all the same.
func TestS35_LostVisionWritesAndSkipsTheClosingTurn(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		id, card := s.proposed(editor, fileLake)
		again, againCard := s.proposed(editor, fileSunset)
		settings := s.settings.Load()
		s.change(func(c *config.Settings) {
			c.Providers.Models = []config.Model{{ID: "scripted-vision", Vendor: config.VendorCompatible, Capabilities: []string{"chat", "tools"}}}
		})
		body := decisionBody(againCard, "ask_again")
		body["reason"] = "Name the season."
		if r, _ := reviewer.decide(again, body); r.problem() != "configuration_inactive" || reviewer.run(again).Status != "waiting" {
			t.Errorf("%d %s", r.code, r.body)
		}
		r, res := reviewer.decide(id, decisionBody(card, "approve"))
		mustOutcome(t, r, res, "written")
		run := editor.await(id, "completed", "failed")
		if run.Status != "completed" || !run.Written || run.ErrorKind != "closing_skipped" || run.Message != "" || len(s.model.Requests()) != 2 {
			t.Errorf("%+v, %d requests", run, len(s.model.Requests()))
		}
		if got := text(s.metadata(fileLake).Alternative); got != "A text from the scripted model." {
			t.Error(got)
		}
		if page := string(editor.get("/runs/" + id).body); !strings.Contains(page, "approved") && !strings.Contains(page, "Approved") {
			t.Error("the page does not say that the change was made")
		}
		s.settings.Store(settings)
		r, res = reviewer.decide(again, body)
		mustOutcome(t, r, res, "asked_again")
		editor.await(again, "waiting")
	})
}

func TestS45_EveryEndErasesTheState(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		decide := func(verb string) func(id string) {
			return func(id string) {
				r, _ := reviewer.decide(id, decisionBody(reviewer.card(id), verb))
				if r.code != http.StatusOK {
					t.Fatalf("%s: %d %s", verb, r.code, r.body)
				}
			}
		}
		for status, end := range map[string]func(id string){
			"completed": decide("approve"), "rejected": decide("reject"),
			"cancelled": func(id string) { editor.postForm("/runs/"+id+"/cancel", nil) },
			"failed": func(id string) {
				s.model.Script(providertest.Status(http.StatusBadRequest))
				body := decisionBody(reviewer.card(id), "ask_again")
				body["reason"] = "Name the season."
				reviewer.decide(id, body)
			},
		} {
			id, _ := s.proposed(editor, fileLake)
			if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND sealed_state IS NOT NULL AND sealed_key IS NOT NULL", id); n != 1 {
				t.Fatal("a waiting run has no state")
			}
			end(id)
			editor.await(id, status)
			if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND sealed_state IS NULL AND sealed_key IS NULL AND digest = ''", id); n != 1 {
				t.Errorf("%s: the state is still there", status)
			}
		}
	})
}

func TestS46_FiveHundredWaitingRunsResumeAfterARotation(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		first, _ := s.proposed(editor, fileLake)
		r := s.stores()
		run, state, err := r.store.Load(t.Context(), suspend.RunID(first))
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{first}
		for len(ids) < 500 {
			ids = append(ids, string(copyOf(t, r, run, state).ID))
		}
		sealed := func() map[string][2]string {
			var rows []struct{ ID, SealedKey, SealedState string }
			if err := s.site.DB.Raw("SELECT id, sealed_key, sealed_state FROM tx_editoractions_run").Scan(&rows).Error; err != nil {
				t.Fatal(err)
			}
			out := map[string][2]string{}
			for _, r := range rows {
				out[r.ID] = [2]string{r.SealedKey, r.SealedState}
			}
			return out
		}
		before := sealed()
		if code, out, errs := command(t, nil, "keys", "rotate", "--config", s.keysFile()); code != 0 || !strings.Contains(out, "500 runs and pictures are under the new key") {
			t.Fatalf("%d %s %s", code, out, errs)
		}
		after := sealed()
		for _, id := range ids {
			if before[id][0] == after[id][0] || before[id][1] != after[id][1] {
				t.Fatalf("%s: the key was kept, or the payload was changed", id)
			}
			if _, state, err := r.store.Load(t.Context(), suspend.RunID(id)); err != nil || len(state.Pending) != 1 {
				t.Fatalf("%s: %v", id, err)
			}
		}
		for i, verb := range map[int]string{0: "approve", 17: "ask_again", 250: "reject", 499: "ask_again"} {
			card := reviewer.card(ids[i])
			if card.Unreadable || len(card.Fields) != 1 {
				t.Fatalf("%d: %+v", i, card)
			}
			body := decisionBody(card, verb)
			body["reason"] = "Name the season."
			if r, _ := reviewer.decide(ids[i], body); r.code != http.StatusOK {
				t.Errorf("%s: %d %s", verb, r.code, r.body)
			}
		}
		editor.await(ids[0], "completed")
		editor.await(ids[17], "waiting")
		editor.await(ids[250], "rejected")
	})
}

func TestS47_AnOldWaitingRunExpiresVisibly(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Review.ExpireAfterDays = 14 }, func(t *testing.T, s *service) {
		editor := s.as(editorUID)
		old, card := s.proposed(editor, fileLake)
		young, _ := s.proposed(editor, fileSunset)
		for id, hours := range map[string]int{old: 14*24 + 1, young: 14*24 - 1} {
			s.exec("UPDATE tx_editoractions_run SET waiting_since = ? WHERE id = ?", time.Now().UTC().Add(-time.Duration(hours)*time.Hour), id)
		}
		before, events := s.writes(), s.count("SELECT COUNT(*) FROM tx_editoractions_event WHERE run_id = ?", old)
		s.stop()
		s.start()
		editor = s.as(editorUID)
		reviewer := s.as(s.reviewer())
		if run := editor.await(old, "expired"); run.Reason != "expired" || run.Written {
			t.Errorf("%+v", run)
		}
		if run := editor.run(young); run.Status != "waiting" {
			t.Errorf("a young run is %s", run.Status)
		}
		if page := string(editor.get("/runs/" + old).body); !strings.Contains(page, "Nobody decided in time, so the run has expired. Nothing was stored.") && !strings.Contains(page, "Niemand hat rechtzeitig entschieden") {
			t.Error("its page does not say what became of it")
		}
		inbox := string(reviewer.get("/review").body)
		if i := strings.Index(inbox, "/runs/"+old); i < 0 || !strings.Contains(inbox, "Expired") && !strings.Contains(inbox, "Abgelaufen") {
			t.Error("the inbox has no line about it")
		}
		if r := reviewer.get("/review/" + old); r.code >= http.StatusInternalServerError {
			t.Errorf("its card: %d", r.code)
		}
		for name, r := range map[string]reply{
			"API":  reviewer.post("/api/v1/review/"+old+"/decision", decisionBody(card, "approve")),
			"page": reviewer.postForm("/review/"+old, url.Values{"verb": {"approve"}, "turn": {"1"}, "digest": {card.Digest}}),
		} {
			if r.code >= http.StatusInternalServerError || strings.Contains(string(r.body), `"written"`) && name == "API" && !strings.Contains(string(r.body), "already_decided") {
				t.Errorf("%s: %d %s", name, r.code, r.body)
			}
		}
		if s.writes() != before || s.count("SELECT COUNT(*) FROM tx_editoractions_decision WHERE run_id = ?", old) != 0 {
			t.Error("an expired run was decided")
		}
		// Nothing of it is half gone: the row and its stream are there, its state is not.
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_event WHERE run_id = ?", old); n != events {
			t.Errorf("%d events, were %d", n, events)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND sealed_state IS NULL AND sealed_key IS NULL AND settled_at IS NOT NULL", old); n != 1 {
			t.Error("its state is still there")
		}
	})
}
