package actions

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"github.com/rivo/uniseg"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
)

// Bounds of the editor's note: user-perceived characters, and bytes, because one
// such character can be of any size.
const (
	maxNoteLength = 1000
	maxNoteBytes  = 32 << 10
)

// The shipped prompts. A language without a folder of its own gets the neutral
// pattern: English instructions that name the language.
//
//go:embed prompts
var promptFiles embed.FS

const neutralPrompts = "neutral"

var promptFrames = func() map[string]*template.Template {
	frames := make(map[string]*template.Template)
	for _, set := range []string{"de", "en", neutralPrompts} {
		frames[set] = template.Must(template.New("frame.md").ParseFS(promptFiles, "prompts/"+set+"/frame.md"))
	}
	return frames
}()

// promptSet is the folder of shipped prompts for a language tag.
func promptSet(tag string) string {
	if set := baseLanguage(tag); promptFrames[set] != nil && set != neutralPrompts {
		return set
	}
	return neutralPrompts
}

// ShippedPrompt is the text a field's prompt setting replaces.
func ShippedPrompt(f Field, languageCode string) string {
	if !f.Valid() {
		return ""
	}
	text, err := promptFiles.ReadFile("prompts/" + promptSet(languageTag(languageCode)) + "/" + string(f) + ".md")
	if err != nil {
		return "" // every set has every field, see the tests
	}
	return strings.TrimSpace(string(text))
}

// toldLength is the limit a model is told: nine tenths of the real one, because
// models count badly, rounded down and never zero. 0 = no limit is named.
func toldLength(limit int) int {
	if limit <= 0 {
		return 0
	}
	return max(1, limit/10*9+limit%10*9/10)
}

// CleanNote gives the part of an editor's note that is used: without control
// characters and whatever makes it read differently from what it is, trimmed, cut to
// 1000 user-perceived characters, trimmed again.
func CleanNote(note string) string {
	note = strings.TrimSpace(strings.Map(Visible, strings.ToValidUTF8(note, "\uFFFD")))
	count, end, state := 0, 0, -1
	for rest := note; rest != "" && count < maxNoteLength; count++ {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if end+len(cluster) > maxNoteBytes {
			break
		}
		end += len(cluster)
	}
	return strings.TrimSpace(note[:end])
}

// fenceFor gives a line that the note does not contain, so that no note can end
// its own fence. The same note has the same fence.
func fenceFor(note string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256([]byte(strconv.Itoa(n) + "\n" + note))
		if token := hex.EncodeToString(sum[:6]); !strings.Contains(strings.ToLower(note), token) {
			return "=== NOTE " + token + " ==="
		}
	}
}

type promptField struct {
	Name   Field
	Limit  int
	Prompt string
}

type promptData struct {
	Table                            string
	UID                              uint64
	Tool                             string
	Fields                           []promptField
	Language, LanguageName, SelfName string
	Note, Fence                      string
}

// prompt builds the text of the run's first user message. Neither the file's
// name nor the person's is in it: a name misleads a model, and is nobody's business.
func prompt(s *config.Settings, a Action, fields []Field, subject Subject, tag, note string) (string, error) {
	set := promptSet(tag)
	reader := set
	if set == neutralPrompts {
		reader = fallbackLanguage
	}
	d := promptData{
		Table: subject.Table, UID: subject.UID, Tool: a.Tool,
		Language: tag, LanguageName: languageName(tag, reader), SelfName: languageSelfName(tag),
		Note: CleanNote(note),
	}
	if d.Note != "" {
		d.Fence = fenceFor(d.Note)
	}
	for _, f := range fields {
		set := f.Settings(s)
		text := strings.TrimSpace(set.Prompt)
		if text == "" {
			text = ShippedPrompt(f, tag)
		}
		d.Fields = append(d.Fields, promptField{Name: f, Limit: toldLength(set.MaxLength), Prompt: text})
	}
	var b strings.Builder
	if err := promptFrames[set].Execute(&b, d); err != nil {
		return "", fmt.Errorf("actions: build prompt: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}

// promptName is a short name of a prompt's wording, role text included: the same for
// every record and note, so that what people say about proposals can be counted per prompt.
func promptName(s *config.Settings, a Action, fields []Field, tag, system string) (string, error) {
	text, err := prompt(s, a, fields, Subject{Table: TableFile}, tag, "")
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(system + "\x00" + text))
	return hex.EncodeToString(sum[:6]), nil
}

// messages puts a run's first messages in order: the role text if there is one,
// the prompt as a string, the picture as a list with one part. The picture is a
// message of its own because screening reads strings (ADR-235).
func messages(system, prompt string, picture *media.Image) []providers.Message {
	var m []providers.Message
	if system = strings.TrimSpace(system); system != "" {
		m = append(m, providers.Message{Role: providers.System, Text: system})
	}
	return append(m,
		providers.Message{Role: providers.User, Text: prompt},
		pictureMessage(picture),
	)
}

// pictureMessage holds exactly one picture and no text.
func pictureMessage(picture *media.Image) providers.Message {
	return providers.Message{Role: providers.User, Parts: []providers.Part{{Type: providers.ImagePart, Image: picture}}}
}
