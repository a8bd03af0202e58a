package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"editor-actions/internal/providers"
)

// Tools of an assistant run, by which this model knows that it is in one.
const (
	searchFiles    = "search_files"
	viewFile       = "view_file_image"
	setAlternative = "set_file_alternative_text"
)

// atOnce is how many pictures are looked at and described in one go.
const atOnce = 3

var (
	folderLine = regexp.MustCompile("(?m)^Folder: `([^`]+)`")
	textsIn    = regexp.MustCompile(`(?m)^Texts are written in .*\(([A-Za-z]{2,3})`)
)

// isAssistant reports whether the request offers an assistant's tools.
func isAssistant(req providers.Request) bool {
	offered := map[string]bool{}
	for _, t := range req.Tools {
		offered[t.Name] = true
	}
	return offered[searchFiles] && offered[viewFile] && offered[setAlternative]
}

// assist works through a free request as far as an offline model can: it finds pictures
// without an alternative text, looks at them, proposes a text for each, looks again at
// those that were sent back, and says its last word.
func (p *Provider) assist(req providers.Request) providers.Response {
	folder, german := "", false
	for _, m := range req.Messages {
		if m.Role != providers.User || len(m.Parts) > 0 {
			continue
		}
		if f := folderLine.FindStringSubmatch(m.Text); f != nil {
			folder = f[1]
		}
		if l := textsIn.FindStringSubmatch(m.Text); l != nil {
			german = strings.EqualFold(l[1], "de")
		}
		break
	}
	calls, replies := lastRound(req.Messages)
	turn := len(calls) + len(req.Messages) // of its own in the whole transcript
	if len(calls) == 0 {
		return ask(turn, searchFiles, map[string]any{"folder": folder, "missing": "alternative", "limit": atOnce})
	}
	switch calls[0].Name {
	case searchFiles:
		return lookAt(turn, found(replies), german)
	case viewFile:
		return describe(turn, req.Messages, calls, replies, german)
	}
	var again []uint64
	stored := 0
	for i, c := range calls {
		var answer struct{ Status, Message string }
		_ = json.Unmarshal([]byte(replies[i].Text), &answer) // no JSON, no answer
		switch {
		case answer.Status == statusDone:
			stored++
		case strings.Contains(answer.Message, "Propose a better text"):
			again = append(again, uidOf(c))
		}
	}
	if len(again) > 0 {
		return lookAt(turn, again, german)
	}
	return say(fmt.Sprintf(pick(german, "Demonstration: Ich bin fertig. Zuletzt wurden %d Texte gespeichert.", "Demonstration: I am done. %d texts of the last round were stored."), stored))
}

// lastRound are the calls that were answered last, with their answers in the same order.
func lastRound(messages []providers.Message) (calls []providers.ToolCall, replies []providers.Message) {
	byID := map[string]providers.Message{}
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		if m.Role == providers.ToolRole {
			byID[m.ToolCallID] = m
		}
		if m.Role != providers.Assistant || len(m.ToolCalls) == 0 {
			continue
		}
		for _, c := range m.ToolCalls {
			replies = append(replies, byID[c.ID])
		}
		return m.ToolCalls, replies
	}
	return nil, nil
}

// found are the files of a search.
func found(replies []providers.Message) (uids []uint64) {
	for _, r := range replies {
		var answer struct{ Files []struct{ UID uint64 } }
		_ = json.Unmarshal([]byte(r.Text), &answer) // no JSON, no files
		for _, f := range answer.Files {
			uids = append(uids, f.UID)
		}
	}
	return uids
}

func uidOf(c providers.ToolCall) uint64 {
	var args struct{ UID uint64 }
	_ = json.Unmarshal(c.Arguments, &args) // no number is 0, which no file has
	return args.UID
}

func lookAt(turn int, uids []uint64, german bool) providers.Response {
	if len(uids) == 0 {
		return say(pick(german, "Demonstration: In diesem Ordner fehlt keinem Bild der Alternativtext.", "Demonstration: No picture of this folder lacks an alternative text."))
	}
	r := providers.Response{FinishReason: providers.FinishToolCalls}
	for i, uid := range uids[:min(atOnce, len(uids))] {
		r.Message.ToolCalls = append(r.Message.ToolCalls, toolCall(turn, i, viewFile, map[string]any{"uid": uid}))
	}
	return r
}

// describe proposes a text for every picture that was shown: they stand in the last
// message, in the order of the answers that hold one.
func describe(turn int, messages []providers.Message, calls []providers.ToolCall, replies []providers.Message, german bool) providers.Response {
	var pictures []providers.Part
	for _, part := range messages[len(messages)-1].Parts {
		if part.Type == providers.ImagePart && part.Image != nil {
			pictures = append(pictures, part)
		}
	}
	r := providers.Response{FinishReason: providers.FinishToolCalls}
	for i, c := range calls {
		if replies[i].ToolError || len(pictures) == 0 {
			continue
		}
		s, err := look(pictures[0].Image)
		pictures = pictures[1:]
		if err != nil {
			continue
		}
		r.Message.ToolCalls = append(r.Message.ToolCalls, toolCall(turn, i, setAlternative, map[string]any{
			"uid": uidOf(c), "alternative": s.alternative(german, wording{turn: turn}),
		}))
	}
	if len(r.Message.ToolCalls) == 0 {
		return say(pick(german, "Demonstration: Ich konnte keines der Bilder ansehen.", "Demonstration: I could look at none of the pictures."))
	}
	return r
}

func ask(turn int, tool string, args map[string]any) providers.Response {
	return providers.Response{
		FinishReason: providers.FinishToolCalls,
		Message:      providers.Message{ToolCalls: []providers.ToolCall{toolCall(turn, 0, tool, args)}},
	}
}

func toolCall(turn, n int, tool string, args map[string]any) providers.ToolCall {
	raw, _ := json.Marshal(args) // texts and numbers always marshal
	return providers.ToolCall{ID: fmt.Sprintf("demo_%d_%d", turn, n+1), Name: tool, Arguments: raw}
}
