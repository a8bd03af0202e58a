package gemini_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/gemini"
	"editor-actions/internal/providers/providertest"
)

// send sends req once and gives the recorded request and the answer.
func send(t *testing.T, req providers.Request, answer providertest.Answer) (providertest.Request, providers.Response) {
	t.Helper()
	s := providertest.NewFor(t, providertest.Gemini)
	s.Script(answer)
	resp, err := build(t, s.URL).Complete(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return s.Requests()[0], resp
}

// sent is a request on the wire.
type sent struct {
	SystemInstruction struct {
		Parts []struct{ Text string }
	}
	Contents []struct {
		Role  string
		Parts []json.RawMessage
	}
}

func read(t *testing.T, r providertest.Request) sent {
	t.Helper()
	var s sent
	if err := json.Unmarshal(r.Body, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// holds checks the parts of one content, in their order.
func holds(t *testing.T, s sent, i int, role string, parts ...string) {
	t.Helper()
	if i >= len(s.Contents) {
		t.Fatalf("there is no content %d", i)
	}
	c := s.Contents[i]
	if c.Role != role || len(c.Parts) != len(parts) {
		t.Fatalf("content %d is of %s: %s", i, c.Role, c.Parts)
	}
	for n, want := range parts {
		if string(c.Parts[n]) != want {
			t.Errorf("content %d, part %d: got %s, want %s", i, n, c.Parts[n], want)
		}
	}
}

func tool(id, name, text string) providers.Message {
	return providers.Message{Role: providers.ToolRole, ToolCallID: id, ToolName: name, Text: text}
}

// second is the request of the closing turn: call, result and picture again.
func second(t *testing.T) providers.Request {
	t.Helper()
	req := providertest.VisionRequest(t)
	req.Messages = append(req.Messages,
		providers.Message{Role: providers.Assistant, ToolCalls: []providers.ToolCall{{
			ID: "toolu_01.from-another-provider", Name: "set_file_alternative_text", Arguments: json.RawMessage(`{ "uid":7, "alternative":"Ein \u0042oot <b>" }`),
		}}},
		tool("toolu_01.from-another-provider", "set_file_alternative_text", `{"status":"done"}`),
	)
	return req
}

func TestS1_S51_FirstRequestOnTheWire(t *testing.T) {
	t.Parallel()
	got, _ := send(t, providertest.VisionRequest(t), providertest.Text("x"))
	providertest.Golden(t, "first", got.Body)
	if got.Model != "model-x" || len(got.Messages) != 3 || len(got.Messages[2].Parts()) != 1 {
		t.Errorf("not one text and one picture: %s", got.Body)
	}
	req := providertest.VisionRequest(t)
	req.Tools, req.MaxOutputTokens = nil, 0
	got, _ = send(t, req, providertest.Text("x"))
	for _, never := range []string{"tools", "generationConfig", "toolConfig"} {
		if bytes.Contains(got.Body, []byte(never)) {
			t.Errorf("%s is sent without need", never)
		}
	}
}

func TestS52_SecondRequestOnTheWire(t *testing.T) {
	t.Parallel()
	got, _ := send(t, second(t), providertest.Text("x"))
	providertest.Golden(t, "second", got.Body)
}

func TestComplete_SystemMessagesAreJoined(t *testing.T) {
	t.Parallel()
	req := providertest.VisionRequest(t)
	req.Messages = append([]providers.Message{{Role: providers.System, Text: "First."}}, req.Messages...)
	got, _ := send(t, req, providertest.Text("x"))
	s := read(t, got)
	if p := s.SystemInstruction.Parts; len(p) != 1 || p[0].Text != "First.\n\nYou help editors." {
		t.Errorf("got %+v", p)
	}
	if len(s.Contents) != 1 || len(s.Contents[0].Parts) != 2 {
		t.Errorf("got %s", got.Body)
	}
}

func TestS55_ArgumentsOfCalls(t *testing.T) {
	t.Parallel()
	body := func(call string) providertest.Answer {
		return providertest.Raw(`{"candidates":[{"content":{"parts":[{"functionCall":` + call + `}]},"finishReason":"STOP"}]}`)
	}
	for _, c := range []struct {
		name, call, want string
		malformed        bool
	}{
		{"none", `{"name":"x"}`, `{}`, false},
		{"null", `{"name":"x","args":null}`, `{}`, false},
		{"empty", `{"name":"x","args":{}}`, `{}`, false},
		{"own bytes", `{"name":"x","args":{ "b":12345678901234567890, "a" : "\u0041" }}`, `{ "b":12345678901234567890, "a" : "\u0041" }`, false},
		{"list", `{"name":"x","args":[1]}`, `{}`, true},
		{"scalar", `{"name":"x","args":7}`, `{}`, true},
		{"not UTF-8", "{\"name\":\"x\",\"args\":{\"a\":\"\xff\"}}", "{\"a\":\"\uFFFD\"}", false},
	} {
		_, resp := send(t, providertest.VisionRequest(t), body(c.call))
		if n := len(resp.Message.ToolCalls); n != 1 {
			t.Fatalf("%s: %d calls", c.name, n)
		}
		got := resp.Message.ToolCalls[0]
		if string(got.Arguments) != c.want || got.Malformed != c.malformed || resp.FinishReason != providers.FinishToolCalls {
			t.Errorf("%s: got %s malformed %v, finish %s", c.name, got.Arguments, got.Malformed, resp.FinishReason)
		}
	}
}

func TestComplete_TextOfAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, parts, want string }{
		{"string", `{"text":" A boat. "}`, "A boat."},
		{"several", `{"text":"A "},{"inlineData":{"mimeType":"image/png","data":"eA=="}},{"text":"boat."}`, "A boat."},
		{"thoughts", `{"text":"a boat?","thought":true},{"text":"A boat.","thought":false,"thoughtSignature":"eA=="}`, "A boat."},
		{"a call in thoughts", `{"functionCall":{"name":"x","args":{}},"thought":true},null,{"text":"A boat."}`, "A boat."},
		{"thoughts in the text", `{"text":"<think>a boat?</think>\n\nA boat."}`, "A boat."},
		{"not UTF-8", "{\"text\":\"A \xffboat.\"}", "A \uFFFDboat."},
	} {
		_, resp := send(t, providertest.VisionRequest(t), providertest.Raw(`{"candidates":[{"content":{"parts":[`+c.parts+`]},"finishReason":"STOP"},{"content":{"parts":[{"text":"Another."}]}}]}`))
		if resp.Message.Text != c.want || resp.FinishReason != providers.FinishStop {
			t.Errorf("%s: got %q, want %q", c.name, resp.Message.Text, c.want)
		}
	}
}

func TestComplete_UsageIsAddedUp(t *testing.T) {
	t.Parallel()
	answer := func(usage string) providertest.Answer {
		return providertest.Raw(strings.TrimSuffix(boat, "}") + `,"usageMetadata":` + usage + `}`)
	}
	for usage, want := range map[string]providers.Usage{
		`{"promptTokenCount":100,"toolUsePromptTokenCount":20,"cachedContentTokenCount":60,"candidatesTokenCount":7,"thoughtsTokenCount":5,"totalTokenCount":132}`: {InputTokens: 120, CachedInputTokens: 60, OutputTokens: 12, ReasoningTokens: 5},
		`{"promptTokenCount":-1,"candidatesTokenCount":7,"thoughtsTokenCount":-9}`:                                                                                 {OutputTokens: 7},
		`{"promptTokenCount":9223372036854775807,"toolUsePromptTokenCount":9223372036854775807}`:                                                                   {InputTokens: 2 << 40},
		`null`: {},
	} {
		if _, resp := send(t, providertest.VisionRequest(t), answer(usage)); resp.Usage != want {
			t.Errorf("%s: got %+v", usage, resp.Usage)
		}
	}
}

// GIF cannot even become a media.Image; the adapter does not rely on that.
func TestP4_NoOtherPictureIsSent(t *testing.T) {
	t.Parallel()
	for typ, want := range map[media.Type]bool{
		media.PNG: true, media.JPEG: true, "image/webp": true, "image/heic": true, "image/heif": true,
		"image/gif": false, "image/svg+xml": false, "image/avif": false, "": false,
	} {
		if gemini.Takes(typ) != want {
			t.Errorf("%q: %v", typ, !want)
		}
	}
	s := providertest.NewFor(t, providertest.Gemini)
	for name, part := range map[string]providers.Part{
		"type":       {Type: providers.ImagePart, Image: &media.Image{}},
		"no picture": {Type: providers.ImagePart},
		"unknown":    {Type: "video"},
	} {
		req := providertest.VisionRequest(t)
		req.Messages[2].Parts[0] = part
		_, err := build(t, s.URL).Complete(t.Context(), req)
		if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.BadRequest || e.Status != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}
