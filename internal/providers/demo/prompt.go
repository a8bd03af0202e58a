package demo

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"editor-actions/internal/providers"
)

// task is what the model has read in a transcript.
type task struct {
	tool    string
	uid     uint64
	fields  []string
	limits  map[string]int // user-perceived characters, as told
	german  bool
	picture *providers.Part
	orders  orders
	results []result // answers to earlier calls, oldest first
}

// result is what a tool answered.
type result struct {
	Status   string `json:"status"` // done, refused, approval_denied
	Feedback string `json:"reviewer_feedback"`
}

// The lines of the prompt that say what to do. They are the same in every
// language but for the words around them.
var (
	toolName  = regexp.MustCompile("(?i)(?:tool|werkzeug) `([A-Za-z0-9_-]+)`")
	uidNumber = regexp.MustCompile(`(?i)\buid:? ?([0-9]+)`)
	fieldLine = regexp.MustCompile("(?m)^[-*] `([a-z_]+)`(?: \\([^0-9)\\n]*([0-9]+)[^)\\n]*\\))?")
	limitText = regexp.MustCompile("(?i)(?:at most|höchstens|no more than) ([0-9]+) (?:characters|zeichen)")
	language  = regexp.MustCompile(`(?im)^(?:language|sprache): .*\(([A-Za-z]{2,3})[A-Za-z0-9_-]*\)`)
	fence     = regexp.MustCompile("(?m)^(=== NOTE [0-9a-f]+ ===)$")
)

// read takes the first text of the user as the prompt, as a real model sees it.
func read(req providers.Request) task {
	t := task{limits: map[string]int{}, orders: orders{}}
	seen := false
	for i, m := range req.Messages {
		switch m.Role {
		case providers.User:
			if len(m.Parts) == 0 && !seen {
				t.prompt(m.Text)
				seen = true
			}
			for j := range m.Parts {
				if m.Parts[j].Type == providers.ImagePart {
					t.picture = &req.Messages[i].Parts[j]
				}
			}
		case providers.ToolRole:
			var r result
			if json.Unmarshal([]byte(m.Text), &r) != nil || r.Status == "" {
				r.Status = "done"
				if m.ToolError {
					r.Status = "refused"
				}
			}
			t.results = append(t.results, r)
			t.orders.add(ordersAfterDemo(r.Feedback))
		case providers.System, providers.Assistant: // say nothing new
		}
	}
	t.orders.add(ordersInName(req.FileName))
	t.offered(req.Tools)
	return t
}

func (t *task) prompt(text string) {
	body, note := splitNote(text)
	t.orders.add(ordersInNote(note))
	if m := toolName.FindStringSubmatch(body); m != nil {
		t.tool = m[1]
	}
	if m := uidNumber.FindStringSubmatch(body); m != nil {
		t.uid, _ = strconv.ParseUint(m[1], 10, 64) // a number out of range becomes one that is refused
	}
	for _, m := range fieldLine.FindAllStringSubmatchIndex(body, -1) {
		name := body[m[2]:m[3]]
		t.fields = append(t.fields, name)
		line, _, _ := strings.Cut(body[m[0]:], "\n")
		limit := ""
		if m[4] >= 0 {
			limit = body[m[4]:m[5]]
		} else if l := limitText.FindStringSubmatch(line); l != nil {
			limit = l[1]
		}
		if n, err := strconv.Atoi(limit); err == nil {
			t.limits[name] = n
		}
	}
	if m := language.FindStringSubmatch(body); m != nil {
		t.german = strings.EqualFold(m[1], "de")
	} else {
		t.german = strings.Contains(body, "Werkzeug")
	}
}

// splitNote takes the editor's note out of the prompt: what stands in it is
// content and changes neither tool nor record.
func splitNote(text string) (body, note string) {
	at := fence.FindAllStringIndex(text, -1)
	if len(at) < 2 || text[at[0][0]:at[0][1]] != text[at[len(at)-1][0]:at[len(at)-1][1]] {
		return text, ""
	}
	last := at[len(at)-1]
	return text[:at[0][0]] + text[last[1]:], strings.TrimSpace(text[at[0][1]:last[0]])
}

// offered fills in what the prompt did not say from the tools of the request.
func (t *task) offered(tools []providers.Tool) {
	if len(tools) == 0 {
		return
	}
	if t.tool == "" {
		t.tool = tools[0].Name
	}
	if len(t.fields) > 0 {
		return
	}
	var schema struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	for _, tool := range tools {
		if tool.Name != t.tool || json.Unmarshal(tool.Parameters, &schema) != nil {
			continue
		}
		for _, name := range []string{"alternative", "title", "description"} {
			if schema.Properties[name].Type == "string" {
				t.fields = append(t.fields, name)
			}
		}
	}
}

// last is the newest result of the transcript's end, nil before the first call.
func (t *task) last() *result {
	if len(t.results) == 0 {
		return nil
	}
	return &t.results[len(t.results)-1]
}
