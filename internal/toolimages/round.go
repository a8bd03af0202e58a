package toolimages

import (
	"slices"
	"strings"

	"editor-actions/internal/providers"
)

// notice stands where an earlier result cannot be shown as it was.
const notice = "An image that this tool returned earlier is not part of this request. Call the tool again to look at it."

// round are the replies that end a transcript when an image tool takes part in them, nil
// when there are none. A round is whole or an error: every call has one reply, and every
// reply of an image tool says whose it is.
func round(messages []providers.Message, imageTools map[string]struct{}) ([]providers.Message, error) {
	first := len(messages)
	for first > 0 && messages[first-1].Role == providers.ToolRole {
		first--
	}
	replies := messages[first:]
	if len(replies) == 0 {
		return nil, nil
	}
	var calls []providers.ToolCall
	if first > 0 && messages[first-1].Role == providers.Assistant {
		calls = messages[first-1].ToolCalls
	}
	takesPart := func(name string) bool { _, ok := imageTools[name]; return ok }
	if !slices.ContainsFunc(replies, func(m providers.Message) bool { return takesPart(m.ToolName) }) &&
		!slices.ContainsFunc(calls, func(c providers.ToolCall) bool { return takesPart(c.Name) }) {
		return nil, nil
	}
	open := map[string]string{}
	for _, c := range calls {
		if _, twice := open[c.ID]; c.ID == "" || twice {
			return nil, because(ErrRound, "a call has no id, or another's")
		}
		open[c.ID] = c.Name
	}
	if len(calls) != len(replies) {
		return nil, because(ErrRound, "%d calls and %d replies", len(calls), len(replies))
	}
	for _, m := range replies {
		name, ok := open[m.ToolCallID]
		switch {
		case !ok:
			return nil, because(ErrRound, "a reply answers no call, or one that was answered")
		case m.ToolName != name && (m.ToolName != "" || takesPart(name)):
			return nil, because(ErrRound, "a reply does not have its call's name")
		}
		delete(open, m.ToolCallID)
	}
	return replies, nil
}

// result is a reply of an image tool that carries pictures.
type result struct {
	message      providers.Message
	presentation Presentation
}

// results are the replies of a round whose pictures are to be shown: errors are only
// texts, and a success of an image tool without a picture is none.
func results(replies []providers.Message, imageTools map[string]struct{}, most int) ([]result, error) {
	var out []result
	pictures := 0
	for _, m := range replies {
		if _, ok := imageTools[m.ToolName]; !ok || m.ToolError {
			continue
		}
		p, err := ParsePresentation(m.Artifact)
		text, plain := textOf(m)
		switch {
		case err != nil:
			return nil, because(ErrUnavailable, "%v", err)
		case !plain:
			return nil, because(ErrUnavailable, "a result holds a picture itself")
		case blank(text):
			return nil, because(ErrUnavailable, "a result has no text")
		}
		pictures += len(p.Attachments)
		out = append(out, result{m, p})
	}
	if pictures > most {
		return nil, because(ErrBatch, "%d pictures in one round", pictures)
	}
	return out, nil
}

// textOf is the text of a tool's message; plain is false when there is a picture in it.
func textOf(m providers.Message) (text string, plain bool) {
	if len(m.Parts) == 0 {
		return m.Text, !providers.HasInlineImage(m.Text)
	}
	plain = true
	var texts []string
	for _, p := range m.Parts {
		if p.Type != providers.TextPart {
			plain = false
			continue
		}
		texts = append(texts, p.Text)
	}
	text = strings.Join(texts, "\n")
	return text, plain && !providers.HasInlineImage(text)
}

// asTexts is a transcript in which every message of an image tool is a text, the earlier
// ones too. The input is not changed; all other messages are passed on as they are.
func asTexts(messages []providers.Message, imageTools map[string]struct{}) []providers.Message {
	out := slices.Clone(messages)
	names := map[string]string{} // of calls, by id: a result need not say its tool
	for i, m := range out {
		for _, c := range m.ToolCalls {
			names[c.ID] = c.Name
		}
		if m.Role != providers.ToolRole {
			continue
		}
		name := m.ToolName
		if name == "" {
			name = names[m.ToolCallID]
		}
		if _, ok := imageTools[name]; ok {
			out[i] = asText(m)
		}
	}
	return out
}

func asText(m providers.Message) providers.Message {
	text, plain := textOf(m)
	p, err := ParsePresentation(m.Artifact)
	if !plain || blank(text) || err != nil && !m.ToolError {
		text = notice
	}
	m.Text, m.Parts, m.Artifact = text, nil, nil
	if err == nil {
		m.Artifact, _ = p.encode() // it was parsed
	}
	return m
}
