package toolimages_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/anthropic"
	"editor-actions/internal/providers/gemini"
	"editor-actions/internal/providers/ollama"
	"editor-actions/internal/providers/openai"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/secret"
	"editor-actions/internal/suspend"
	"editor-actions/internal/toolimages"
)

// X11: what each wire is sent. A tool's result is a text and nothing else; its pictures
// follow in the user's turn, each behind its caption.
func TestE9_X11_OnTheWire(t *testing.T) {
	t.Parallel()
	r := newSQLite(t)
	n := 0 // ids that are the same in every run of this test
	r.spy.NewID = func() suspend.RunID { n++; return suspend.RunID(fmt.Sprintf("00000000-0000-7000-8000-%012d", n)) }
	a, b, c := r.saved("Page 1", 1), r.saved("Page <2>", 21), r.saved("", 41)
	durable := transcript(asked("call_1", viewPage, "call_2", listAll, "call_3", viewPage),
		r.shown("call_1", viewPage, "The first page.", a), said("call_2", listAll, "pages: 1, 2, 3"), r.shown("call_3", viewPage, "Two more.", b, c))
	out, _, err := r.Project(t.Context(), durable, imageTools)
	r.must(err)
	req := providers.Request{Model: "model-x", MaxOutputTokens: 500, Tools: providertest.VisionRequest(t).Tools}.With(out)
	for vendor, w := range map[string]struct {
		format providertest.Format
		build  func(c config.ProviderConfiguration) (providers.Provider, error)
		check  func(t *testing.T, body []byte)
	}{
		config.VendorOpenAI: {providertest.OpenAI, func(c config.ProviderConfiguration) (providers.Provider, error) { return openai.New("main", c) }, func(t *testing.T, body []byte) {
			t.Helper()
			var sent struct {
				Messages []struct {
					Role    string
					Content json.RawMessage
				}
			}
			read(t, body, &sent)
			var roles []string
			for _, m := range sent.Messages {
				roles = append(roles, m.Role)
				if m.Role == "tool" && m.Content[0] != '"' {
					t.Errorf("a tool's message is %s", m.Content)
				}
			}
			if got := strings.Join(roles, " "); got != "user user assistant tool tool tool user" {
				t.Error(got)
			}
		}},
		config.VendorMistral: {providertest.OpenAI, func(c config.ProviderConfiguration) (providers.Provider, error) { return openai.New("main", c) }, func(t *testing.T, body []byte) {
			t.Helper()
			var sent struct{ Messages []struct{ Role string } }
			read(t, body, &sent)
			var roles []string
			for _, m := range sent.Messages {
				roles = append(roles, m.Role)
			}
			if got := strings.Join(roles, " "); got != "user user assistant tool tool tool assistant user" { // it refuses a user behind a tool
				t.Error(got)
			}
		}},
		config.VendorAnthropic: {providertest.Anthropic, func(c config.ProviderConfiguration) (providers.Provider, error) { return anthropic.New("main", c) }, func(t *testing.T, body []byte) {
			t.Helper()
			var sent struct {
				Messages []struct {
					Role    string
					Content []struct{ Type string }
				}
			}
			read(t, body, &sent)
			var types []string
			for _, block := range sent.Messages[2].Content {
				types = append(types, block.Type)
			}
			if got := strings.Join(types, " "); len(sent.Messages) != 3 || got != "tool_result tool_result tool_result text text text image text text image text image" {
				t.Errorf("%d messages, the last with %s", len(sent.Messages), got)
			}
		}},
		config.VendorGemini: {providertest.Gemini, func(c config.ProviderConfiguration) (providers.Provider, error) { return gemini.New("main", c) }, func(t *testing.T, body []byte) {
			t.Helper()
			var sent struct {
				Contents []struct {
					Role  string
					Parts []map[string]json.RawMessage
				}
			}
			read(t, body, &sent)
			var kinds []string
			for _, p := range sent.Contents[2].Parts {
				for kind := range p {
					kinds = append(kinds, kind)
				}
			}
			if got := strings.Join(kinds, " "); len(sent.Contents) != 3 || got != "functionResponse functionResponse functionResponse text text text inlineData text text inlineData text inlineData" {
				t.Errorf("%d contents, the last with %s", len(sent.Contents), got)
			}
		}},
		config.VendorOllama: {providertest.Ollama, func(c config.ProviderConfiguration) (providers.Provider, error) { return ollama.New("main", c) }, func(t *testing.T, body []byte) {
			t.Helper()
			var sent struct {
				Messages []struct {
					Role, Content string
					Images        []string
				}
			}
			read(t, body, &sent)
			last := sent.Messages[len(sent.Messages)-1]
			if last.Role != "user" || len(last.Images) != 3 {
				t.Errorf("%s with %d pictures", last.Role, len(last.Images))
			}
			for i := range 3 { // its pictures lie apart from the texts: only the count tells which is which
				if !strings.Contains(last.Content, fmt.Sprintf("image %d of 3: ", i+1)) {
					t.Errorf("image %d has no caption in %s", i+1, last.Content)
				}
			}
			for _, m := range sent.Messages {
				if m.Role == "tool" && len(m.Images) != 0 {
					t.Error("a tool's message has pictures")
				}
			}
		}},
	} {
		t.Run(vendor, func(t *testing.T) {
			t.Parallel()
			s := providertest.NewFor(t, w.format)
			s.Script(providertest.Text("I see three pages."))
			p, err := w.build(config.ProviderConfiguration{
				Active: true, Vendor: vendor, BaseURL: s.URL, PrivateNetwork: true, APIKey: secret.New(providertest.CanaryKey), TimeoutSeconds: 20, Detail: "low",
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Complete(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			body := s.Requests()[0].Body
			providertest.Golden(t, vendor, body)
			w.check(t, body)
			if all := string(body); strings.Contains(all, toolimages.PresentationType) || strings.Contains(all, a.Attachments[0].SHA256) {
				t.Error("the presentation was sent")
			}
		})
	}
}

func read(t *testing.T, body []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatal(err)
	}
}
