package main

import (
	"strings"
	"testing"
)

// Somebody who writes the head of a data URI into a reason or a text has written a text: it
// goes on its way, and no tool's result holds what looks like a picture.
func TestToolResult_QuotesNoPicture(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		id, card := s.proposed(editor, fileLake)
		body := decisionBody(card, "ask_again")
		body["reason"] = "Do not write data:image/png;base64,iVBORw0KGgo= into it."
		r, res := reviewer.decide(id, body)
		mustOutcome(t, r, res, "asked_again")
		editor.await(id, "waiting")
		edited := decisionBody(editor.card(id), "approve")
		edited["edits"] = map[string]string{"alternative": "A lake, DATA:Image/png in its sign"}
		r, res = reviewer.decide(id, edited)
		mustOutcome(t, r, res, "written")
		editor.await(id, "completed")
		told := 0
		for _, req := range s.model.Requests() {
			for _, m := range req.Messages {
				if m.Role != "tool" {
					continue
				}
				if strings.Contains(strings.ToLower(m.Text()), "data:image/") {
					t.Errorf("a tool's result is %s", m.Text())
				}
				if strings.Contains(strings.ToLower(m.Text()), "data: image/") {
					told++
				}
			}
		}
		if told != 3 { // the reason in two requests, the approved text in the last
			t.Errorf("the model reads it %d times", told)
		}
		if got := text(s.metadata(fileLake).Alternative); got != "A lake, DATA:Image/png in its sign" {
			t.Errorf("written is %q", got)
		}
	})
}
