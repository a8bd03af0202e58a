package actions

import (
	"fmt"
	"strings"
	"text/template"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
)

// Assistant is the key of runs that follow an editor's free request about a folder. It is
// no entry of the catalogue: it has no tool of its own and no single record.
const Assistant = "assistant"

// AssistantTexts is the key of the proposals of an assistant run.
const AssistantTexts = "assistant_texts"

var assistantPrompt = template.Must(template.New("assistant.md").ParseFS(promptFiles, "prompts/assistant.md"))

// AssistantMessages begin the transcript of an assistant run: the role text, if there is
// one, and the rules with the request in their fence. The request is cleaned and cut like
// a note; "" is none. tag is the language of the texts.
func AssistantMessages(s *config.Settings, system, folder, tag, request string) ([]providers.Message, error) {
	d := struct {
		Folder, Language, LanguageName, Fence, Request string
		Fields                                         []promptField
	}{
		Folder: strings.NewReplacer("`", "'", "\n", " ", "\r", " ").Replace(folder), Language: tag, LanguageName: languageName(tag, fallbackLanguage),
		Request: CleanNote(request),
	}
	d.Fence = fenceFor(d.Request)
	for _, f := range []Field{Alternative, Title, Description} {
		set := f.Settings(s)
		if !set.Enabled {
			continue
		}
		text := strings.TrimSpace(set.Prompt)
		if text == "" {
			text = ShippedPrompt(f, tag)
		}
		d.Fields = append(d.Fields, promptField{Name: f, Limit: toldLength(set.MaxLength), Prompt: text})
	}
	var b strings.Builder
	if err := assistantPrompt.Execute(&b, d); err != nil {
		return nil, fmt.Errorf("actions: build prompt: %w", err)
	}
	var m []providers.Message
	if system = strings.TrimSpace(system); system != "" {
		m = append(m, providers.Message{Role: providers.System, Text: system})
	}
	return append(m, providers.Message{Role: providers.User, Text: strings.TrimSpace(b.String())}), nil
}
