package ollama_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

// calls is an answer with these tool_calls.
func calls(list string) providertest.Answer {
	return providertest.Raw(`{"model":"m","message":{"role":"assistant","content":"","tool_calls":` + list + `},"done":true,"done_reason":"stop","prompt_eval_count":-5,"eval_count":1}`)
}

func TestS55_ArgumentsOfCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, wire, want string
		malformed        bool
	}{
		{"empty object", `{}`, `{}`, false},
		{"null", `null`, `{}`, false},
		{"own bytes", `{ "b":1, "a" : 2.0e0 }`, `{ "b":1, "a" : 2.0e0 }`, false},
		{"large number", `{"uid":9007199254740993}`, `{"uid":9007199254740993}`, false},
		{"text with an object", `"{ \"uid\":7 }"`, `{ "uid":7 }`, false},
		{"empty text", `""`, `{}`, false},
		{"text with no object", `"seven"`, `{}`, true},
		{"list", `[1]`, `{}`, true},
		{"scalar", `7`, `{}`, true},
		{"not UTF-8", "{\"alternative\":\"\xff\"}", "{\"alternative\":\"\uFFFD\"}", false},
	} {
		_, resp := send(t, providertest.VisionRequest(t), calls(`[{"id":"a","function":{"name":"x","arguments":`+c.wire+`}}]`))
		if n := len(resp.Message.ToolCalls); n != 1 {
			t.Fatalf("%s: %d calls", c.name, n)
		}
		got := resp.Message.ToolCalls[0]
		if string(got.Arguments) != c.want || got.Malformed != c.malformed || got.ID != "a" {
			t.Errorf("%s: got %+v with %s", c.name, got, got.Arguments)
		}
		if resp.Usage.InputTokens != 0 || resp.Usage.OutputTokens != 1 || resp.FinishReason != providers.FinishToolCalls {
			t.Errorf("%s: usage %+v, finish %s", c.name, resp.Usage, resp.FinishReason)
		}
	}
	_, resp := send(t, providertest.VisionRequest(t), calls(`[{"function":{"name":"x"}}]`))
	if got := resp.Message.ToolCalls[0]; string(got.Arguments) != `{}` || got.Malformed {
		t.Errorf("no arguments at all: %+v with %s", got, got.Arguments)
	}
}

// Empty arguments stay an empty object on the way back.
func TestS55_EmptyArgumentsAreSentAsAnObject(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{`{}`, ``} {
		req := second(t)
		req.Messages[3].ToolCalls[0].Arguments = json.RawMessage(arguments)
		got, _ := send(t, req, providertest.Text("x"))
		if a := got.Messages[3].ToolCalls[0].Function.Arguments; string(a) != `{}` {
			t.Errorf("%q became %s", arguments, a)
		}
	}
}

// Two calls in one turn are for the caller to judge (P2); none is hidden.
func TestP2_TwoCallsAreBothAnswered(t *testing.T) {
	t.Parallel()
	_, resp := send(t, providertest.VisionRequest(t), providertest.Calls(
		providertest.Call{Name: "set_file_alternative_text", Arguments: `{"uid":7}`}, providertest.Call{Name: "delete_file", Arguments: `{}`}))
	if len(resp.Message.ToolCalls) != 2 || resp.Message.ToolCalls[1].Name != "delete_file" {
		t.Errorf("got %+v", resp.Message.ToolCalls)
	}
}

// A server without ids, one that repeats its ids, and a transcript with an id of our
// own form: no id occurs twice in a conversation.
func TestS52_IDsAreUniqueInAConversation(t *testing.T) {
	t.Parallel()
	none := `[{"function":{"name":"x","arguments":{}}},{"function":{"name":"y","arguments":{}}}]`
	same := `[{"id":"call_1","function":{"name":"x","arguments":{}}},{"id":"call_1","function":{"name":"y","arguments":{}}}]`
	req := providertest.VisionRequest(t)
	req.Messages = append(req.Messages,
		providers.Message{Role: providers.Assistant, ToolCalls: []providers.ToolCall{{ID: "ollama_5_0", Name: "x", Arguments: json.RawMessage(`{}`)}}},
		providers.Message{Role: providers.ToolRole, ToolCallID: "ollama_5_0", ToolName: "x", Text: "{}"})
	seen := map[string]bool{"ollama_5_0": true}
	for turn, list := range []string{none, none, same, same, none} {
		_, resp := send(t, req, calls(list))
		if len(resp.Message.ToolCalls) != 2 {
			t.Fatalf("turn %d: %d calls", turn, len(resp.Message.ToolCalls))
		}
		req.Messages = append(req.Messages, resp.Message)
		for _, c := range resp.Message.ToolCalls {
			if c.ID == "" || seen[c.ID] {
				t.Errorf("turn %d: id %q again", turn, c.ID)
			}
			seen[c.ID] = true
			req.Messages = append(req.Messages, providers.Message{Role: providers.ToolRole, ToolCallID: c.ID, ToolName: c.Name, Text: "{}"})
		}
	}
	if !seen["call_1"] || !seen["ollama_8_0"] {
		t.Errorf("neither the server's own id nor one of the form: %v", seen)
	}
}

func TestComplete_TextOfAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, message, reason, want string
		finish                      providers.FinishReason
	}{
		{"text", `{"content":" A boat. "}`, `"stop"`, "A boat.", providers.FinishStop},
		{"thoughts in the text", `{"content":"<think>a boat?</think>\n\nA boat."}`, `"stop"`, "A boat.", providers.FinishStop},
		{"not UTF-8", "{\"content\":\"A \xffboat.\"}", `"stop"`, "A \uFFFDboat.", providers.FinishStop},
		{"no reason", `{"content":"A boat."}`, `""`, "A boat.", providers.FinishOther},
		{"unknown reason", `{"content":"A boat."}`, `"load"`, "A boat.", providers.FinishOther},
		{"not called stop", `{"content":"","tool_calls":[{"function":{"name":"x"}}]}`, `"load"`, "", providers.FinishOther},
	} {
		_, resp := send(t, providertest.VisionRequest(t), providertest.Raw(`{"model":"m\u0000","message":`+c.message+`,"done":true,"done_reason":`+c.reason+`}`))
		if resp.Message.Text != c.want || resp.FinishReason != c.finish || resp.Model != "m" {
			t.Errorf("%s: got %q, %s from %q", c.name, resp.Message.Text, resp.FinishReason, resp.Model)
		}
	}
}

// What an operator can do about it is told in our own words.
func TestP15_DetailsOfErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status     int
		said, want string
	}{
		{400, `"registry.ollama.ai/library/CANARY-BODY does not support tools"`, "the model takes no tools"},
		{400, `"CANARY-BODY does not support tools\nthinking"`, "the model takes no tools"},
		{400, `"CANARY-BODY does not support images"`, "the model takes no pictures"},
		{400, `"CANARY-BODY Does Not Support Vision"`, "the model takes no pictures"},
		{500, `"this model is missing data required for image input"`, "the model takes no pictures"},
		{400, `"the input length exceeds the context length"`, "more than the model's context window"},
		{400, `{"message":"request (9 tokens) exceeds the available context size (8 tokens)"}`, "more than the model's context window"},
		{404, `"model 'CANARY-BODY' not found"`, "the address or the model is not known there"},
		{401, `"unauthorized, and does not support tools"`, ""},
		{500, `"CANARY-BODY"`, ""},
		{500, `null`, ""},
	} {
		s := providertest.NewFor(t, providertest.Ollama)
		s.Script(func(w http.ResponseWriter, _ *http.Request, _ providertest.Request) {
			w.WriteHeader(c.status)
			_, _ = fmt.Fprintf(w, `{"error":%s}`, c.said)
		})
		_, err := build(t, s.URL).Complete(t.Context(), providertest.VisionRequest(t))
		if e, ok := errors.AsType[*providers.Error](err); !ok || e.Detail != c.want || e.Status != c.status {
			t.Errorf("%d %s: %v, want %q", c.status, c.said, err, c.want)
		}
	}
}

// FuzzAnswer: whatever a provider answers is an answer or a typed error.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"message":{"content":"A boat.","thinking":"hm"},"done":true,"done_reason":"stop"}`))
	f.Add([]byte(`{"message":{"tool_calls":[{"function":{"name":"x","arguments":{}}}]},"done":true}`))
	f.Add([]byte(`{"message":{"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{"}}]},"done":true}`))
	f.Add([]byte(`{"error":"no"}`))
	f.Add([]byte("\xff{}"))
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	f.Cleanup(server.Close)
	p := build(f, server.URL)
	req := providertest.VisionRequest(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		body = b
		resp, err := p.Complete(t.Context(), req)
		if err != nil {
			if e, ok := errors.AsType[*providers.Error](err); !ok || !e.Kind.Valid() {
				t.Fatalf("%v", err)
			}
			return
		}
		if _, err := providers.EncodeTranscript([]providers.Message{resp.Message}); err != nil {
			t.Fatalf("an answer that cannot be kept: %v", err)
		}
	})
}
