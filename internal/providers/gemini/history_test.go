package gemini_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

// The parts of an answer with two parallel calls: one id, one signature, a key nobody
// knows, and a number that a float could not hold.
const (
	thoughtPart = `{"text":"hm","thought":true}`
	callOne     = `{"functionCall":{"id":"fc-1","name":"one","args":{"uid":12345678901234567890}},"thoughtSignature":"CiQB+/_-abc=","newKey":[1.0]}`
	callTwo     = `{"functionCall":{"name":"two","args":{}}}`
)

func parallel(t *testing.T) (providers.Request, providers.Message) {
	t.Helper()
	req := providertest.VisionRequest(t)
	_, resp := send(t, req, providertest.Raw(`{"candidates":[{"content":{"parts":[`+thoughtPart+`, `+callOne+`,`+callTwo+`],"role":"model"},"finishReason":"STOP"}]}`))
	if len(resp.Message.ToolCalls) != 2 || resp.Message.ToolCalls[0].ID != "fc-1" || resp.Message.Text != "" {
		t.Fatalf("got %+v", resp.Message)
	}
	return req, resp.Message
}

// TestS52_ParallelCallsAreAnsweredTogether: Gemini 3 refuses calls that come back
// without their signatures, and wants all results of a turn at once.
func TestS52_S54_ParallelCallsAreAnsweredTogether(t *testing.T) {
	t.Parallel()
	req, answer := parallel(t)
	data, err := providers.EncodeTranscript([]providers.Message{answer}) // as after days of waiting
	if err != nil {
		t.Fatal(err)
	}
	kept, err := providers.DecodeTranscript(data)
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, kept[0],
		tool("fc-1", "one", `{"status":"done"}`), tool(answer.ToolCalls[1].ID, "", `[1,2]`), providers.Message{Role: providers.User, Text: "Go on."})
	got, _ := send(t, req, providertest.Text("x"))
	s := read(t, got)
	if len(s.Contents) != 3 {
		t.Fatalf("%d contents", len(s.Contents))
	}
	holds(t, s, 1, "model", thoughtPart, callOne, callTwo)
	holds(t, s, 2, "user",
		`{"functionResponse":{"id":"fc-1","name":"one","response":{"status":"done"}}}`,
		`{"functionResponse":{"name":"two","response":{"result":[1,2]}}}`,
		`{"text":"Go on."}`)
}

func TestS52_TextsAreEchoed(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"parts":[{ "text":"As it came. ","thoughtSignature":"eA==" }]}`: `{"text":"As it came. ","thoughtSignature":"eA=="}`,
		`{"parts":[null,{"text":"As it came."}]}`:                         `{"text":"As it came."}`,
		`{"parts":[null]}`: `{"text":"As it is kept."}`,
		`{}`:               `{"text":"As it is kept."}`,
	} {
		req := providertest.VisionRequest(t)
		req.Messages = append(req.Messages,
			providers.Message{Role: providers.Assistant, Text: "As it is kept.", Raw: json.RawMessage(raw), RawVendor: config.VendorGemini},
			providers.Message{Role: providers.User, Text: "Go on."})
		got, _ := send(t, req, providertest.Text("x"))
		holds(t, read(t, got), 1, "model", want)
	}
}

// Only what this vendor's model said, and what still is the message, is echoed.
func TestP15_OtherRawIsNotSent(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*providers.Message){
		"another vendor": func(m *providers.Message) { m.RawVendor = config.VendorAnthropic },
		"no vendor":      func(m *providers.Message) { m.RawVendor = "" },
		"a call less":    func(m *providers.Message) { m.Raw = json.RawMessage(`{"parts":[` + callOne + `]}`) },
		"a call more": func(m *providers.Message) {
			m.Raw = json.RawMessage(`{"parts":[` + callOne + `,` + callTwo + `,{"functionCall":{"args":{"hidden":1}}}]}`)
		},
		"another call": func(m *providers.Message) { m.ToolCalls[1].Name = "three" },
		"malformed":    func(m *providers.Message) { m.ToolCalls[1].Malformed = true },
		"no JSON":      func(m *providers.Message) { m.Raw = json.RawMessage(`{"parts":[`) },
		"only null":    func(m *providers.Message) { m.Raw = json.RawMessage(`{"parts":[null]}`) },
		"a list":       func(m *providers.Message) { m.Raw = json.RawMessage(`[{"newKey":1}]`) },
		"nothing":      func(m *providers.Message) { m.Raw = nil },
	} {
		req, answer := parallel(t)
		change(&answer)
		answer.Text = "Two things."
		req.Messages = append(req.Messages, answer, tool("fc-1", "one", "{}"), tool(answer.ToolCalls[1].ID, "", "{}"))
		got, _ := send(t, req, providertest.Text("x"))
		s := read(t, got)
		holds(t, s, 1, "model", `{"text":"Two things."}`,
			`{"functionCall":{"name":"one","args":{"uid":12345678901234567890}},"thoughtSignature":"skip_thought_signature_validator"}`,
			`{"functionCall":{"name":"`+answer.ToolCalls[1].Name+`","args":{}}}`)
		if strings.Contains(string(got.Body), "newKey") || strings.Contains(string(got.Body), "hidden") || strings.Contains(string(got.Body), `"id"`) {
			t.Errorf("%s: %s", name, got.Body)
		}
	}
}

// Empty arguments are {}: the SDK would leave them out, PHP would make them [].
func TestS55_EmptyArgumentsStayAnObject(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"", "null", "{}", " { } ", "[]", `"x"`, "{"} {
		req := providertest.VisionRequest(t)
		req.Messages = append(req.Messages,
			providers.Message{Role: providers.Assistant, ToolCalls: []providers.ToolCall{{ID: "a", Name: "x", Arguments: json.RawMessage(args)}}},
			tool("a", "x", "{}"))
		got, _ := send(t, req, providertest.Text("x"))
		holds(t, read(t, got), 1, "model", `{"functionCall":{"name":"x","args":{}},"thoughtSignature":"skip_thought_signature_validator"}`)
	}
}

func TestComplete_ResultsAreObjects(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"status":"done"}`: `{"status":"done"}`,
		`{}`:                `{}`,
		`[1,{"a":2}]`:       `{"result":[1,{"a":2}]}`,
		`7`:                 `{"result":7}`,
		`null`:              `{"result":null}`,
		`"done"`:            `{"result":"done"}`,
		`in words`:          `{"result":"in words"}`,
		``:                  `{"result":""}`,
	} {
		req := second(t)
		req.Messages[4].Text = text
		got, _ := send(t, req, providertest.Text("x"))
		holds(t, read(t, got), 2, "user", `{"functionResponse":{"name":"set_file_alternative_text","response":`+want+`}}`)
	}
}

func TestComplete_NameOfAResult(t *testing.T) {
	t.Parallel()
	req := second(t)
	req.Messages[4].ToolName = ""
	got, _ := send(t, req, providertest.Text("x"))
	holds(t, read(t, got), 2, "user", `{"functionResponse":{"name":"set_file_alternative_text","response":{"status":"done"}}}`)

	s := providertest.NewFor(t, providertest.Gemini)
	req.Messages[4].ToolCallID = "unknown"
	_, err := build(t, s.URL).Complete(t.Context(), req)
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.BadRequest || len(s.Requests()) != 0 {
		t.Errorf("%v after %d requests", err, len(s.Requests()))
	}
}

// The two sides take turns, and a text that is empty is no part.
func TestComplete_NeighboursAreMerged(t *testing.T) {
	t.Parallel()
	req := providers.Request{Model: "m", Messages: []providers.Message{
		{Role: providers.User, Text: "1"},
		{Role: providers.System, Text: "S"},
		{Role: providers.User, Parts: []providers.Part{{Type: providers.TextPart, Text: "2"}, {Type: providers.TextPart}}},
		{Role: providers.Assistant, Text: "3"},
		{Role: providers.Assistant, Text: "4"},
		{Role: providers.User},
		{Role: providers.Assistant, Parts: []providers.Part{{Type: providers.TextPart, Text: "5"}}},
		{Role: providers.User, Text: "6 \xff"},
	}}
	got, _ := send(t, req, providertest.Text("x"))
	s := read(t, got)
	holds(t, s, 0, "user", `{"text":"1"}`, `{"text":"2"}`)
	holds(t, s, 1, "model", `{"text":"3"}`, `{"text":"4"}`, `{"text":"5"}`)
	holds(t, s, 2, "user", "{\"text\":\"6 \uFFFD\"}")
	if len(s.Contents) != 3 || s.SystemInstruction.Parts[0].Text != "S" {
		t.Errorf("got %s", got.Body)
	}
}

// TestS52_IDsAreUniqueInAConversation: models before Gemini 3 give none, and a
// gateway could give the same one again.
func TestS52_IDsAreUniqueInAConversation(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{"no id": ``, "always the same": `"id":"call_1",`} {
		call := `{"functionCall":{` + id + `"name":"x","args":{}}}`
		req, seen := providertest.VisionRequest(t), map[string]bool{}
		for range 3 {
			got, resp := send(t, req, providertest.Raw(`{"candidates":[{"content":{"parts":[`+call+`,`+call+`]},"finishReason":"STOP"}]}`))
			if len(resp.Message.ToolCalls) != 2 {
				t.Fatalf("%s: %s", name, got.Body)
			}
			req.Messages = append(req.Messages, resp.Message)
			for _, c := range resp.Message.ToolCalls {
				if seen[c.ID] || c.ID == "" {
					t.Errorf("%s: %q came twice", name, c.ID)
				}
				seen[c.ID] = true
				req.Messages = append(req.Messages, tool(c.ID, "x", "{}"))
			}
		}
		// The model gets its own ids back, and none that is ours.
		got, _ := send(t, req, providertest.Text("x"))
		result := `{"functionResponse":{` + id + `"name":"x","response":{}}}`
		holds(t, read(t, got), 6, "user", result, result)
	}
	// Five messages, first call; that id is taken.
	req := second(t)
	req.Messages[3].ToolCalls[0].ID, req.Messages[4].ToolCallID = "gemini_5_0", "gemini_5_0"
	_, resp := send(t, req, providertest.Raw(`{"candidates":[{"content":{"parts":[`+callTwo+`]},"finishReason":"STOP"}]}`))
	if resp.Message.ToolCalls[0].ID != "gemini_5_1" {
		t.Errorf("got %q", resp.Message.ToolCalls[0].ID)
	}
}
