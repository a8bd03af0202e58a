package anthropic_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

const call = `{"type":"tool_use","id":"toolu_1","name":"set_file_alternative_text","input":{"uid":7}}`

// answered sends blocks as an answer and gives the request that follows it, with the
// transcript stored and read in between.
func answered(t *testing.T, blocks string) (providers.Message, providers.Request) {
	t.Helper()
	req := providertest.VisionRequest(t)
	_, resp := send(t, req, message("tool_use", blocks, `{}`))
	stored, err := providers.EncodeTranscript(append(req.Messages, resp.Message,
		providers.Message{Role: providers.ToolRole, ToolCallID: resp.Message.ToolCalls[0].ID, ToolName: "x", Text: "done"}))
	if err != nil {
		t.Fatal(err)
	}
	if req.Messages, err = providers.DecodeTranscript(stored); err != nil {
		t.Fatal(err)
	}
	return resp.Message, req
}

// Thoughts are signed: they go back as they came.
func TestS52_ThoughtsAreEchoed(t *testing.T) {
	t.Parallel()
	for name, blocks := range map[string]string{
		"thinking": `{"type":"thinking","thinking":"A \u0062oat? Größe","signature":"c2lnbmF0dXJl+/=="},{"type":"text","text":"I set it."},` + call,
		"redacted": `{"type":"redacted_thinking","data":"ZGF0YQ=="},` + call,
		"unknown":  `{"signature":"s","type":"thinking","thinking":"","new":[1,2.50]},` + call,
	} {
		m, req := answered(t, blocks)
		if string(m.Raw) != "["+blocks+"]" || m.RawVendor != config.VendorAnthropic {
			t.Errorf("%s: kept %s of %q", name, m.Raw, m.RawVendor)
		}
		got, _ := send(t, req, providertest.Text("x"))
		if want := `{"content":[` + blocks + `],"role":"assistant"}`; !bytes.Contains(got.Body, []byte(want)) {
			t.Errorf("%s: sent %s, want the bytes %s in it", name, got.Body, want)
		}
		if id := sent(t, got).Messages[2].Content[0].ToolUseID; id != "toolu_1" {
			t.Errorf("%s: the result answers %q", name, id)
		}
	}
}

// What the SDK writes in another way is the same to a reader of JSON.
func TestS52_ThoughtsKeepTheirValues(t *testing.T) {
	t.Parallel()
	thought := `{ "type": "thinking", "thinking": "a <b> & \"c\" \u2028", "signature": "c2ln" }`
	_, req := answered(t, thought+`, {"type":"text","text":"\n\n"}, `+call)
	got, _ := send(t, req, providertest.Text("x"))
	var b struct {
		Messages []struct {
			Content []map[string]any `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(got.Body, &b); err != nil {
		t.Fatal(err)
	}
	blocks := b.Messages[1].Content
	if len(blocks) != 2 || blocks[0]["thinking"] != "a <b> & \"c\" \u2028" || blocks[0]["signature"] != "c2ln" || blocks[1]["type"] != "tool_use" {
		t.Errorf("sent %v", blocks)
	}
}

// The raw form of another vendor is neither sent nor read.
func TestS52_RawOfAnotherVendorIsNotSent(t *testing.T) {
	t.Parallel()
	blocks := `{"type":"thinking","thinking":"CANARY-THOUGHT","signature":"s"},{"type":"text","text":"I set it."},` + call
	for name, change := range map[string]func(*providers.Message){
		"gemini":    func(m *providers.Message) { m.RawVendor = config.VendorGemini },
		"no vendor": func(m *providers.Message) { m.RawVendor = "" },
		"no list":   func(m *providers.Message) { m.Raw = json.RawMessage(`{"thinking":"CANARY-THOUGHT"}`) },
		"no JSON":   func(m *providers.Message) { m.Raw = json.RawMessage(`[{"thinking":"CANARY-THOUGHT"}`) },
		"empty":     func(m *providers.Message) { m.Raw = json.RawMessage(`[]`) },
	} {
		_, req := answered(t, blocks)
		change(&req.Messages[3])
		got, _ := send(t, req, providertest.Text("x"))
		if b := sent(t, got); bytes.Contains(got.Body, []byte("CANARY-THOUGHT")) || types(b) != "user: text image, assistant: text tool_use, user: tool_result" ||
			b.Messages[1].Content[0].Text != "I set it." {
			t.Errorf("%s: sent %s", name, got.Body)
		}
	}
}

// A call that nobody can answer would be refused when it is sent back.
func TestS52_ThoughtsBesideABrokenCallAreNotKept(t *testing.T) {
	t.Parallel()
	m, _ := answered(t, `{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"b","input":{}},`+call)
	if m.Raw != nil || m.RawVendor != "" || len(m.ToolCalls) != 1 {
		t.Errorf("kept %s of %q, %d calls", m.Raw, m.RawVendor, len(m.ToolCalls))
	}
}
