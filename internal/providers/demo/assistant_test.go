package demo_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"editor-actions/internal/providers"
)

// assisted is a request of an assistant run with what was said so far.
func assisted(said ...providers.Message) providers.Request {
	r := providers.Request{Messages: append([]providers.Message{{Role: providers.User, Text: "Folder: `1:/x/`\n\nTexts are written in German (de)."}}, said...)}
	for _, name := range []string{"search_files", "read_file_metadata", "view_file_image", "set_file_alternative_text"} {
		r.Tools = append(r.Tools, providers.Tool{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return r
}

// round adds an answer for each call, and what stands behind them.
func round(resp providers.Response, text func(i int) string, more ...providers.Message) []providers.Message {
	out := []providers.Message{resp.Message}
	for i, c := range resp.Message.ToolCalls {
		out = append(out, providers.Message{Role: providers.ToolRole, ToolCallID: c.ID, ToolName: c.Name, Text: text(i)})
	}
	return append(out, more...)
}

func TestAssistant_SearchesLooksProposesLooksAgainAndEnds(t *testing.T) {
	t.Parallel()
	var said []providers.Message
	search := ask(t, assisted(said...))
	if c := search.Message.ToolCalls; len(c) != 1 || c[0].Name != "search_files" || !strings.Contains(string(c[0].Arguments), `"folder":"1:/x/"`) {
		t.Fatalf("%+v", c)
	}
	said = append(said, round(search, func(int) string { return `{"files":[{"uid":7},{"uid":9}]}` })...)
	views := ask(t, assisted(said...))
	if c := views.Message.ToolCalls; len(c) != 2 || c[1].Name != "view_file_image" || string(c[1].Arguments) != `{"uid":9}` {
		t.Fatalf("%+v", c)
	}
	image := providers.Part{Type: providers.ImagePart, Image: seaAndSky(t)}
	said = append(said, round(views, func(int) string { return `{"uid":7}` }, providers.Message{Role: providers.User, Parts: []providers.Part{image, image}})...)
	proposals := ask(t, assisted(said...))
	if c := proposals.Message.ToolCalls; len(c) != 2 || c[0].Name != "set_file_alternative_text" || !strings.Contains(string(c[0].Arguments), "Blau und Weiß") {
		t.Fatalf("%+v", c)
	}
	said = said[:len(said)-1] // pictures are shown once
	said = append(said, round(proposals, func(i int) string {
		if i == 1 {
			return `{"status":"approval_denied","message":"Propose a better text with the same tool."}`
		}
		return `{"status":"done"}`
	})...)
	again := ask(t, assisted(said...))
	if c := again.Message.ToolCalls; len(c) != 1 || string(c[0].Arguments) != `{"uid":9}` {
		t.Fatalf("%+v", c)
	}
	ids := map[string]bool{}
	for _, m := range append(said, again.Message) {
		for _, c := range m.ToolCalls {
			if ids[c.ID] {
				t.Errorf("the id %s stands twice", c.ID)
			}
			ids[c.ID] = true
		}
	}
	said = append(said, round(again, func(int) string { return `{"uid":9}` }, providers.Message{Role: providers.User, Parts: []providers.Part{image}})...)
	better := ask(t, assisted(said...))
	said = append(said[:len(said)-1], round(better, func(int) string { return `{"status":"done"}` })...)
	if end := ask(t, assisted(said...)); len(end.Message.ToolCalls) != 0 || !strings.Contains(end.Message.Text, "1 Texte") {
		t.Errorf("%+v", end.Message)
	}
}

func TestAssistant_NothingToDo(t *testing.T) {
	t.Parallel()
	search := ask(t, assisted())
	said := round(search, func(int) string { return `{"files":[]}` })
	if end := ask(t, assisted(said...)); len(end.Message.ToolCalls) != 0 || end.Message.Text == "" {
		t.Errorf("%+v", end.Message)
	}
	views := round(search, func(int) string { return `{"files":[{"uid":7}]}` })
	look := ask(t, assisted(views...))
	refused := round(look, func(int) string { return `{"status":"refused"}` })
	for i := range refused {
		refused[i].ToolError = refused[i].Role == providers.ToolRole
	}
	if end := ask(t, assisted(append(views, refused...)...)); len(end.Message.ToolCalls) != 0 || end.Message.Text == "" {
		t.Errorf("%+v %s", end.Message, fmt.Sprint(refused))
	}
}
