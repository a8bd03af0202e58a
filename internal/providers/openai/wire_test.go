package openai_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

// send sends req once and gives the recorded request and the answer.
func send(t *testing.T, vendor string, req providers.Request, answer providertest.Answer) (providertest.Request, providers.Response) {
	t.Helper()
	s := providertest.New(t)
	s.Script(answer)
	resp, err := build(t, vendor, s.URL).Complete(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return s.Requests()[0], resp
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
	for _, v := range vendors {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			got, _ := send(t, v, providertest.VisionRequest(t), providertest.Text("x"))
			providertest.Golden(t, "first-"+v, got.Body)
			m := got.Messages
			if len(m) != 3 || m[1].Text() == "" || m[2].Text() != "" || len(m[2].Parts()) != 1 || m[2].Parts()[0].ImageURL.Detail != "low" {
				t.Errorf("not a string message and a list message with one picture: %s", got.Body)
			}
		})
	}
}

func TestS52_SecondRequestOnTheWire(t *testing.T) {
	t.Parallel()
	for _, v := range vendors {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			got, _ := send(t, v, second(t), providertest.Text("x"))
			providertest.Golden(t, "second-"+v, got.Body)
			calls := toolCalls(t, got.Messages[3])
			if calls[0].ID != got.Messages[4].ToolCallID {
				t.Errorf("call %q and result %q do not belong together", calls[0].ID, got.Messages[4].ToolCallID)
			}
			if want := `{ "uid":7, "alternative":"Ein \u0042oot <b>" }`; calls[0].Function.Arguments != want {
				t.Errorf("arguments are %s, want the same bytes %s", calls[0].Function.Arguments, want)
			}
		})
	}
}

type wireCall struct {
	ID       string `json:"id"`
	Function struct{ Name, Arguments string }
}

func toolCalls(t *testing.T, m providertest.Message) []wireCall {
	t.Helper()
	var calls []wireCall
	if err := json.Unmarshal(m.ToolCalls, &calls); err != nil {
		t.Fatal(err)
	}
	return calls
}

func TestS52_IDsAreValidForTheProvider(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		vendor, model, id string
		want              string // a pattern
	}{
		{config.VendorOpenAI, "gpt-4.1", "call_abc-1", `^call_abc-1$`},
		{config.VendorCompatible, "scripted", "call_1", `^call_1$`},
		{config.VendorMistral, "pixtral-12b", "Ab3dEf9h1", `^Ab3dEf9h1$`},
		{config.VendorMistral, "x", "call_1", `^[A-Za-z0-9]{9}$`},
		{config.VendorOpenRouter, "mistralai/mistral-small", "call_1", `^[A-Za-z0-9]{9}$`},
		{config.VendorOpenRouter, "openai/gpt-4.1", "call_1", `^call_1$`},
		{config.VendorOpenAI, "gpt-4.1", strings.Repeat("x", 41), `^call_[0-9a-f]{24}$`},
	} {
		req := second(t)
		req.Model = c.model
		req.Messages[3].ToolCalls[0].ID, req.Messages[4].ToolCallID = c.id, c.id
		got, _ := send(t, c.vendor, req, providertest.Text("x"))
		id := got.Messages[4].ToolCallID
		if id != toolCalls(t, got.Messages[3])[0].ID {
			t.Errorf("%s: two ids", c.vendor)
		}
		if !regexp.MustCompile(c.want).MatchString(id) {
			t.Errorf("%s, %s: %q became %q", c.vendor, c.model, c.id, id)
		}
	}
}

// Mistral refuses a user's message behind a tool's result, wherever its models run.
func TestUserBehindATool_IsBridgedForMistralOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ vendor, model, want string }{
		{config.VendorMistral, "x", "system user user assistant tool assistant user"},
		{config.VendorCompatible, "Devstral-Small-2", "system user user assistant tool assistant user"},
		{config.VendorOpenRouter, "mistralai/pixtral-12b", "system user user assistant tool assistant user"},
		{config.VendorOpenAI, "gpt-4.1", "system user user assistant tool user"},
		{config.VendorCompatible, "qwen", "system user user assistant tool user"},
	} {
		req := second(t)
		req.Model = c.model
		req.Messages = append(req.Messages, req.Messages[2])
		got, _ := send(t, c.vendor, req, providertest.Text("x"))
		var roles []string
		for _, m := range got.Messages {
			roles = append(roles, m.Role)
			if m.Role == "assistant" && len(m.ToolCalls) == 0 && m.Text() == "" {
				t.Errorf("%s: an assistant's message without content is refused too", c.vendor)
			}
		}
		if is := strings.Join(roles, " "); is != c.want {
			t.Errorf("%s, %s: %s, want %s", c.vendor, c.model, is, c.want)
		}
	}
}

func TestS55_ArgumentsOfCalls(t *testing.T) {
	t.Parallel()
	body := func(arguments string) providertest.Answer {
		return providertest.Raw(`{"model":"m","choices":[{"finish_reason":"stop","message":{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":` + arguments + `}}]}}],"usage":{"prompt_tokens":-5,"completion_tokens":1}}`)
	}
	for _, c := range []struct {
		name, wire, want string
		malformed        bool
	}{
		{"empty", `""`, `{}`, false},
		{"object", `"{}"`, `{}`, false},
		{"null", `"null"`, `{}`, false},
		{"own bytes", `"{ \"b\":1, \"a\" : 2 }"`, `{ "b":1, "a" : 2 }`, false},
		{"object and no string", `{"uid":7}`, `{"uid":7}`, false},
		{"broken", `"{\"uid\":7"`, `{}`, true},
		{"list", `"[1]"`, `{}`, true},
		{"scalar", `"7"`, `{}`, true},
		{"two values", `"{} {}"`, `{}`, true},
		{"fenced", "\"```json\\n{}\\n```\"", `{}`, true},
		{"not UTF-8", "\"{\\\"alternative\\\":\\\"\xff\\\"}\"", "{\"alternative\":\"\uFFFD\"}", false},
	} {
		_, resp := send(t, config.VendorCompatible, providertest.VisionRequest(t), body(c.wire))
		if n := len(resp.Message.ToolCalls); n != 1 {
			t.Fatalf("%s: %d calls", c.name, n)
		}
		got := resp.Message.ToolCalls[0]
		if string(got.Arguments) != c.want || got.Malformed != c.malformed {
			t.Errorf("%s: got %s malformed %v", c.name, got.Arguments, got.Malformed)
		}
		if resp.Usage.InputTokens != 0 || resp.FinishReason != providers.FinishToolCalls {
			t.Errorf("%s: usage %+v, finish %s", c.name, resp.Usage, resp.FinishReason)
		}
	}
}

func TestComplete_TextOfAnswers(t *testing.T) {
	t.Parallel()
	message := func(m string) providertest.Answer {
		return providertest.Raw(`{"choices":[{"finish_reason":"stop","message":` + m + `}]}`)
	}
	for _, c := range []struct{ name, message, want string }{
		{"string", `{"content":" A boat. "}`, "A boat."},
		{"list with thoughts", `{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"A "},{"type":"text","text":"boat."}]}`, "A boat."},
		{"thoughts in the text", `{"content":"<think>a boat?</think>\n\nA boat."}`, "A boat."},
		{"not UTF-8", "{\"content\":\"A \xffboat.\"}", "A \uFFFDboat."},
	} {
		if _, resp := send(t, config.VendorCompatible, providertest.VisionRequest(t), message(c.message)); resp.Message.Text != c.want {
			t.Errorf("%s: got %q, want %q", c.name, resp.Message.Text, c.want)
		}
	}
}

// Two calls in one turn are for the caller to judge (P2); none is hidden.
func TestP2_TwoCallsAreBothAnswered(t *testing.T) {
	t.Parallel()
	_, resp := send(t, config.VendorOpenAI, providertest.VisionRequest(t), providertest.Calls(
		providertest.Call{Name: "set_file_alternative_text", Arguments: `{"uid":7}`}, providertest.Call{Name: "delete_file", Arguments: `{}`}))
	if len(resp.Message.ToolCalls) != 2 || resp.Message.ToolCalls[1].Name != "delete_file" {
		t.Errorf("got %+v", resp.Message.ToolCalls)
	}
}
