package ollama_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

// send sends req once and gives the recorded request and the answer.
func send(t *testing.T, req providers.Request, answer providertest.Answer) (sent, providers.Response) {
	t.Helper()
	s := providertest.NewFor(t, providertest.Ollama)
	s.Script(answer)
	resp, err := build(t, s.URL).Complete(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	got := sent{raw: s.Requests()[0].Body}
	if err := json.Unmarshal(got.raw, &got); err != nil {
		t.Fatal(err)
	}
	return got, resp
}

// sent is a request as this wire has it.
type sent struct {
	raw      []byte
	Messages []struct {
		Role, Content, Thinking string
		Images                  []string
		ToolName                string `json:"tool_name"`
		ToolCallID              string `json:"tool_call_id"`
		ToolCalls               []struct {
			ID       string
			Function struct {
				Name      string
				Arguments json.RawMessage
			}
		} `json:"tool_calls"`
	}
	Tools []struct {
		Function struct{ Parameters json.RawMessage }
	}
	Options map[string]any
}

// second is the request of the closing turn: call, result and picture again.
func second(t *testing.T) providers.Request {
	t.Helper()
	req := providertest.VisionRequest(t)
	req.Messages = append(req.Messages,
		providers.Message{Role: providers.Assistant, ToolCalls: []providers.ToolCall{{
			ID: "toolu_01.from-another-provider", Name: "set_file_alternative_text", Arguments: json.RawMessage(`{ "uid":7, "alternative":"Ein \u0042oot <b>" }`),
		}}},
		providers.Message{Role: providers.ToolRole, ToolCallID: "toolu_01.from-another-provider", ToolName: "set_file_alternative_text", Text: `{"status":"done"}`},
	)
	return req
}

func TestS1_S51_FirstRequestOnTheWire(t *testing.T) {
	t.Parallel()
	req := providertest.VisionRequest(t)
	got, _ := send(t, req, providertest.Text("x"))
	providertest.Golden(t, "first", got.raw)
	m := got.Messages
	if len(m) != 3 || m[1].Content == "" || m[2].Content != "" || len(m[2].Images) != 1 || m[2].Images[0] != req.Messages[2].Parts[0].Image.Base64() {
		t.Errorf("not a text message and a message with one picture: %s", got.raw)
	}
	if want := string(req.Tools[0].Parameters); len(got.Tools) != 1 || string(got.Tools[0].Function.Parameters) != want {
		t.Errorf("the schema is not %s", want)
	}
}

func TestS52_SecondRequestOnTheWire(t *testing.T) {
	t.Parallel()
	got, _ := send(t, second(t), providertest.Text("x"))
	providertest.Golden(t, "second", got.raw)
	if len(got.Messages) != 5 || len(got.Messages[3].ToolCalls) != 1 {
		t.Fatalf("got %s", got.raw)
	}
	c, result := got.Messages[3].ToolCalls[0], got.Messages[4]
	if c.ID == "" || c.ID != result.ToolCallID || result.ToolName != c.Function.Name || result.Role != "tool" {
		t.Errorf("call %+v and result %+v do not belong together", c, result)
	}
	// Blanks between tokens are lost, nothing else.
	if want := `{"uid":7,"alternative":"Ein \u0042oot <b>"}`; string(c.Function.Arguments) != want {
		t.Errorf("arguments are %s, want %s", c.Function.Arguments, want)
	}
}

func TestComplete_OptionalFieldsAreLeftOut(t *testing.T) {
	t.Parallel()
	req := providertest.VisionRequest(t)
	req.MaxOutputTokens, req.Tools = 0, nil
	got, _ := send(t, req, providertest.Text("x"))
	for _, key := range []string{`"options"`, `"tools"`, `"think"`, `"thinking"`, `"format"`, `"tool_calls"`} {
		if bytes.Contains(got.raw, []byte(key)) {
			t.Errorf("%s is in the request", key)
		}
	}
	req.MaxOutputTokens = 9
	if got, _ := send(t, req, providertest.Text("x")); got.Options["num_predict"] != float64(9) {
		t.Errorf("options are %v", got.Options)
	}
}

// Most renderers of the server read the first message only.
func TestComplete_SystemMessagesBecomeOne(t *testing.T) {
	t.Parallel()
	req := providertest.VisionRequest(t)
	req.Messages = append(req.Messages, providers.Message{Role: providers.System, Text: "Be <brief>."}, providers.Message{Role: providers.User, Text: "Go \xffon."})
	got, _ := send(t, req, providertest.Text("x"))
	m := got.Messages
	if len(m) != 4 || m[0].Role != "system" || m[0].Content != "You help editors.\n\nBe <brief>." || m[3].Content != "Go \uFFFDon." {
		t.Errorf("got %s", got.raw)
	}
	if !bytes.Contains(got.raw, []byte("Be <brief>.")) {
		t.Error("HTML was escaped")
	}
}

func TestComplete_ListOfTextsAndPictures(t *testing.T) {
	t.Parallel()
	req := providertest.VisionRequest(t)
	img := providertest.Picture(t)
	req.Messages[2].Parts = []providers.Part{
		{Type: providers.TextPart, Text: "One"},
		{Type: providers.ImagePart, Image: img},
		{Type: providers.TextPart, Text: "two"},
		{Type: providers.ImagePart, Image: img},
	}
	got, _ := send(t, req, providertest.Text("x"))
	if m := got.Messages[2]; m.Content != "One\ntwo" || len(m.Images) != 2 || m.Images[0] != img.Base64() || m.Images[1] != img.Base64() {
		t.Errorf("got %+v", m)
	}
}

// What this wire cannot say is refused, and no byte is sent.
func TestP4_RefusedBeforeSending(t *testing.T) {
	t.Parallel()
	picture := func(img *media.Image) []providers.Part {
		return []providers.Part{{Type: providers.ImagePart, Image: img}}
	}
	for name, change := range map[string]func(*providers.Request){
		"neither JPEG nor PNG": func(r *providers.Request) { r.Messages[2].Parts = picture(&media.Image{}) },
		"no picture in it":     func(r *providers.Request) { r.Messages[2].Parts = picture(nil) },
		"unknown part":         func(r *providers.Request) { r.Messages[2].Parts = []providers.Part{{Type: "audio"}} },
		"unknown role":         func(r *providers.Request) { r.Messages[1].Role = "developer" },
		"picture of a system":  func(r *providers.Request) { r.Messages[2].Role = providers.System },
		"schema":               func(r *providers.Request) { r.Tools[0].Parameters = json.RawMessage(`{`) },
		"arguments": func(r *providers.Request) {
			r.Messages[1] = providers.Message{Role: providers.Assistant, ToolCalls: []providers.ToolCall{{ID: "a", Name: "x", Arguments: json.RawMessage(`[1]`)}}}
		},
	} {
		s := providertest.NewFor(t, providertest.Ollama)
		req := providertest.VisionRequest(t)
		change(&req)
		_, err := build(t, s.URL).Complete(t.Context(), req)
		e, ok := errors.AsType[*providers.Error](err)
		if !ok || e.Kind != providers.BadRequest || e.Status != 0 || e.Detail == "" || len(s.Requests()) != 0 {
			t.Errorf("%s: %v after %d requests", name, err, len(s.Requests()))
		}
	}
}

func TestS52_IDsAreValidForTheProvider(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, want string }{ // want is a pattern
		{"call_abc-1", `^call_abc-1$`},
		{"ollama_12_0", `^ollama_12_0$`},
		{"toolu_01.x", `^call_[0-9a-f]{24}$`},
		{"<|im_start|>", `^call_[0-9a-f]{24}$`},
		{strings.Repeat("x", 65), `^call_[0-9a-f]{24}$`},
	} {
		req := second(t)
		req.Messages[3].ToolCalls[0].ID, req.Messages[4].ToolCallID = c.id, c.id
		got, _ := send(t, req, providertest.Text("x"))
		id := got.Messages[4].ToolCallID
		if id != got.Messages[3].ToolCalls[0].ID || !regexp.MustCompile(c.want).MatchString(id) {
			t.Errorf("%q became %q", c.id, id)
		}
	}
}

// Thoughts are no text. They go back with their message, and to this vendor only.
func TestComplete_ThoughtsAreKeptApart(t *testing.T) {
	t.Parallel()
	_, resp := send(t, providertest.VisionRequest(t), providertest.Raw(`{"model":"m","message":{"role":"assistant","content":"A boat.","thinking":"Is it <a> boat?"},"done":true,"done_reason":"stop"}`))
	m := resp.Message
	if m.Text != "A boat." || m.RawVendor != config.VendorOllama || bytes.Contains(m.Raw, []byte("A boat.")) {
		t.Errorf("got %+v with %s", m, m.Raw)
	}
	if _, err := providers.EncodeTranscript([]providers.Message{m}); err != nil {
		t.Error(err)
	}
	for vendor, want := range map[string]string{config.VendorOllama: "Is it <a> boat?", config.VendorAnthropic: ""} {
		req := providertest.VisionRequest(t)
		m.RawVendor = vendor
		req.Messages = append(req.Messages, m, providers.Message{Role: providers.User, Text: "Sure?"})
		got, _ := send(t, req, providertest.Text("x"))
		if a := got.Messages[3]; a.Thinking != want || a.Content != "A boat." {
			t.Errorf("%s: got %+v", vendor, a)
		}
	}
}
