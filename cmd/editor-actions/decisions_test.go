package main

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A reviewer says in one word what is wrong; the model is told, the record keeps it,
// and it can be exported and counted.
func TestDecisions_ReasonsAreToldKeptAndCounted(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c, reviewer := s.as(editorUID), s.as(s.reviewer())
		s.model.Script(
			alternative(`{"uid":23,"alternative":"=HYPERLINK(\"x\") a lake"}`), alternative(`{"uid":23,"alternative":"A lake at dawn"}`),
			alternative(`{"uid":23,"alternative":"A third text"}`))
		id := c.begin(suggestAlternative, fileLake, "")
		c.await(id, "waiting")
		card := c.card(id)
		for _, bad := range []map[string]any{
			{"verb": "ask_again", "category": "no_such_word"}, {"verb": "ask_again", "category": "other"}, {"verb": "ask_again"},
		} {
			bad["turn"], bad["digest"] = card.Turn, card.Digest
			if r, _ := reviewer.decide(id, bad); r.code != http.StatusUnprocessableEntity {
				t.Errorf("%v: %d %s", bad, r.code, r.body)
			}
		}
		reviewer.decide(id, map[string]any{"verb": "ask_again", "category": "too_long", "turn": card.Turn, "digest": card.Digest})
		c.await(id, "waiting")
		reqs := s.model.Requests()
		if last := reqs[len(reqs)-1].Messages; !strings.Contains(last[len(last)-1].Text(), "The text is too long.") {
			t.Errorf("the model was told %s", last[len(last)-1].Text())
		}
		card = c.card(id)
		reviewer.postForm("/review/"+id, url.Values{
			"verb": {"approve"}, "category": {"tone"}, "turn": {"2"}, "digest": {card.Digest}, "alternative": {"A lake at dawn, seen from the shore"},
		})
		c.await(id, "completed")
		second := c.begin(suggestAlternative, fileLake, "")
		c.await(second, "waiting")
		card = c.card(second)
		reviewer.postForm("/review/"+second, url.Values{"verb": {"reject"}, "category": {"wrong_subject"}, "turn": {"1"}, "digest": {card.Digest}, "reason": {"@home"}})
		c.await(second, "rejected")
		if page := string(c.get("/files/23").body); !strings.Contains(page, "Describes the wrong thing") && !strings.Contains(page, "Beschreibt das Falsche") {
			t.Error("the history does not say what was wrong")
		}

		file := siteFile(t, s.site)
		code, out, errs := command(t, nil, "decisions", "export", "--config", file)
		var lines []exportedDecision
		for line := range strings.Lines(out) {
			var d exportedDecision
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			lines = append(lines, d)
		}
		if code != 0 || len(lines) != 3 {
			t.Fatalf("%d %d lines %s", code, len(lines), errs)
		}
		asked, approved, rejected := lines[0], lines[1], lines[2]
		if asked.Verb != "ask_again" || asked.Category != "too_long" || asked.Fields["alternative"].Proposed != `=HYPERLINK("x") a lake` || asked.Fields["alternative"].Provenance != "kept" || len(asked.Prompt) != 12 {
			t.Errorf("%+v", asked)
		}
		if f := approved.Fields["alternative"]; approved.Category != "" || !approved.Edited || f.New != "A lake at dawn, seen from the shore" || f.Provenance != "edited" || approved.Prompt != asked.Prompt {
			t.Errorf("%+v", approved)
		}
		if rejected.Category != "wrong_subject" || rejected.Reason != "@home" || rejected.Run == asked.Run {
			t.Errorf("%+v", rejected)
		}
		_, out, _ = command(t, nil, "decisions", "export", "--format", "csv", "--config", file)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || len(rows) != 4 || rows[1][16] != `'=HYPERLINK("x") a lake` || rows[3][5] != "'@home" {
			t.Errorf("%v %q", err, rows)
		}
		_, out, _ = command(t, nil, "decisions", "stats", "--config", file)
		if !strings.Contains(out, asked.Prompt) || !strings.Contains(out, "too_long 1, wrong_subject 1") {
			t.Error(out)
		}
		if code, _, errs := command(t, nil, "decisions", "export", "--format", "xml", "--config", file); code != exitUsage || !strings.Contains(errs, "must be jsonl or csv") {
			t.Errorf("%d %s", code, errs)
		}
	})
}
