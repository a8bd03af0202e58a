package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/guardrails"
)

// events joins the payloads of a run's stream.
func (s *service) events(id string) string {
	s.t.Helper()
	var rows []string
	if err := s.site.DB.WithContext(s.t.Context()).Raw("SELECT payload FROM tx_editoractions_event WHERE run_id = ? ORDER BY sequence", id).Scan(&rows).Error; err != nil {
		s.t.Fatal(err)
	}
	return strings.Join(rows, "\n")
}

const (
	privateNote   = "the captain stands left"
	privateReason = "name the mate instead"
	privateEdit   = "The mate at the rail"
)

func (s *service) privateRun() string {
	s.t.Helper()
	c := s.as(editorUID)
	id := c.begin(suggestAlternative, fileLake, privateNote)
	c.await(id, "waiting")
	return id
}

// S42, X06.
func TestS42_MetadataLevelKeepsNoContent(t *testing.T) {
	for _, level := range []string{config.PrivacyMetadata, config.PrivacyNone} {
		t.Run(level, func(t *testing.T) {
			eachService(t, func(c *config.Settings) { c.Privacy.Level = level }, func(t *testing.T, s *service) {
				id := s.privateRun()
				admin := s.as(adminUID)
				for _, verb := range []string{"ask_again", "approve"} {
					body := decisionBody(admin.card(id), verb)
					if verb == "ask_again" {
						body["reason"] = privateReason
					} else {
						body["edits"] = map[string]string{"alternative": privateEdit}
					}
					if r, _ := admin.decide(id, body); r.code != http.StatusOK {
						t.Fatalf("%s: %d %s", verb, r.code, r.body)
					}
					admin.await(id, "waiting", "completed")
				}
				events := s.events(id)
				if n := s.count("SELECT COUNT(*) FROM tx_editoractions_event WHERE run_id = ?", id); n < 6 {
					t.Errorf("%d events", n)
				}
				if events == "" {
					t.Fatal("there is no stream")
				}
				for _, word := range []string{"base64", privateNote, "A text from the scripted model", "An editor of a website", privateReason, privateEdit} {
					if strings.Contains(events, word) {
						t.Errorf("the stream holds %q", word)
					}
				}
			})
		})
	}
}

// pictureInEvents finds the picture's leaf in the first request event.
func (s *service) pictureInEvents(id string) string {
	s.t.Helper()
	var found string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if strings.HasPrefix(v, "data:image/") {
				found = v
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	for _, line := range strings.Split(s.events(id), "\n") {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			s.t.Fatal(err)
		}
		walk(v)
	}
	return found
}

func sentPicture(s *service) string {
	s.t.Helper()
	for _, p := range s.model.Requests()[0].Messages[1].Parts() {
		return p.ImageURL.URL
	}
	s.t.Fatal("no picture was sent")
	return ""
}

// S43, P8, X05: of the base64, not of the address that stands before it.
func TestS43_RedactedLevelCutsThePicture(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Privacy.Level = config.PrivacyRedacted }, func(t *testing.T, s *service) {
		got, sent := s.pictureInEvents(s.privateRun()), sentPicture(s)
		address, base64, ok := strings.Cut(sent, ",")
		if !ok || len(base64) <= 2000 {
			t.Fatalf("%d characters were sent", len(base64))
		}
		t.Run("P8_X05_FirstTwoThousandCharacters", func(t *testing.T) {
			if want := address + "," + base64[:2000] + guardrails.CutMarker; got != want {
				t.Errorf("the leaf has %d bytes, not %d", len(got), len(want))
			}
		})
	})
}

// S44, X04.
func TestS44_FullLevelIsByteIdentical(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Privacy.Level = config.PrivacyFull }, func(t *testing.T, s *service) {
		if got := s.pictureInEvents(s.privateRun()); got != sentPicture(s) {
			t.Errorf("the leaf has %d bytes", len(got))
		}
	})
}

func TestS45_SettledRunsHaveNoState(t *testing.T) {
	for _, level := range []string{config.PrivacyNone, config.PrivacyMetadata, config.PrivacyRedacted, config.PrivacyFull} {
		t.Run(level, func(t *testing.T) {
			eachService(t, func(c *config.Settings) { c.Privacy.Level = level }, func(t *testing.T, s *service) {
				id := s.privateRun()
				if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND sealed_state IS NOT NULL", id); n != 1 {
					t.Fatal("a waiting run has no state")
				}
				admin := s.as(adminUID)
				r, res := admin.decide(id, decisionBody(admin.card(id), "reject"))
				mustOutcome(t, r, res, "rejected")
				if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE sealed_state IS NOT NULL"); n != 0 {
					t.Error("the state is still there")
				}
			})
		})
	}
}

func TestP7_StateIsSealedAtRest(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		id := s.privateRun()
		var sealed []byte
		if err := s.site.DB.Raw("SELECT sealed_state FROM tx_editoractions_run WHERE id = ?", id).Row().Scan(&sealed); err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{privateNote, "alternative", "messages", "JFIF"} {
			if strings.Contains(string(sealed), word) {
				t.Errorf("the sealed state shows %q", word)
			}
		}
	})
}

func TestPrivacy_EventsAreDeletedAfterTheirDays(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Privacy.RetentionDays = 7 }, func(t *testing.T, s *service) {
		editor, admin := s.as(editorUID), s.as(s.reviewer())
		old, _ := s.written(editor, admin, fileLake)
		young, _ := s.written(editor, admin, fileSunset)
		for id, days := range map[string]int{old: 8, young: 6} {
			s.exec("UPDATE tx_editoractions_run SET settled_at = ? WHERE id = ?", time.Now().UTC().AddDate(0, 0, -days), id)
		}
		s.stop()
		s.start()
		events := func(id string) int {
			return s.count("SELECT COUNT(*) FROM tx_editoractions_event WHERE run_id = ?", id)
		}
		for deadline := time.Now().Add(time.Minute); events(old) > 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("old events stay")
			}
		}
		if events(young) == 0 || s.count("SELECT COUNT(*) FROM tx_editoractions_decision WHERE run_id = ?", old) != 1 {
			t.Error("young events or a decision are gone")
		}
	})
}
