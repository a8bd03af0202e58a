package anthropic_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

// send sends req once and gives the recorded request and the answer.
func send(t *testing.T, req providers.Request, answer providertest.Answer) (providertest.Request, providers.Response) {
	t.Helper()
	s := providertest.NewFor(t, providertest.Anthropic)
	s.Script(answer)
	resp, err := build(t, s.URL).Complete(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return s.Requests()[0], resp
}

// wireBody is a request as it was sent.
type wireBody struct {
	MaxTokens int         `json:"max_tokens"`
	System    []wireBlock `json:"system"`
	Messages  []struct {
		Role    string      `json:"role"`
		Content []wireBlock `json:"content"`
	} `json:"messages"`
	Tools []struct {
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
}

type wireBlock struct {
	Type, Text, ID, Name string
	Input, Content       json.RawMessage
	ToolUseID            string `json:"tool_use_id"`
	IsError              bool   `json:"is_error"`
}

func sent(t *testing.T, r providertest.Request) wireBody {
	t.Helper()
	var b wireBody
	if err := json.Unmarshal(r.Body, &b); err != nil {
		t.Fatal(err)
	}
	return b
}

// types are the types of the blocks of each message, with its role.
func types(b wireBody) string {
	var all []string
	for _, m := range b.Messages {
		one := m.Role + ":"
		for _, block := range m.Content {
			one += " " + block.Type
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}

// second is the request of the closing turn: call, result and picture again.
func second(t *testing.T) providers.Request {
	t.Helper()
	req := providertest.VisionRequest(t)
	req.Messages = append(req.Messages,
		providers.Message{Role: providers.Assistant, Text: "I will set it.", ToolCalls: []providers.ToolCall{{
			ID: "call.01/from-another-provider", Name: "set_file_alternative_text", Arguments: json.RawMessage(`{ "uid":7, "alternative":"Ein \u0042oot <b>" }`),
		}}},
		providers.Message{Role: providers.ToolRole, ToolCallID: "call.01/from-another-provider", ToolName: "set_file_alternative_text", Text: `{"status":"done"}`},
	)
	return req
}

func TestS1_S51_FirstRequestOnTheWire(t *testing.T) {
	t.Parallel()
	got, _ := send(t, providertest.VisionRequest(t), providertest.Text("x"))
	providertest.Golden(t, "first", got.Body)
	b := sent(t, got)
	if types(b) != "user: text image" || len(b.System) != 1 || b.MaxTokens != 500 || string(b.ToolChoice) != `{"type":"auto"}` {
		t.Errorf("got %s", got.Body)
	}
	if want := string(providertest.VisionRequest(t).Tools[0].Parameters); string(b.Tools[0].InputSchema) != want {
		t.Errorf("the schema is %s, want the same bytes %s", b.Tools[0].InputSchema, want)
	}
}

func TestS52_SecondRequestOnTheWire(t *testing.T) {
	t.Parallel()
	got, _ := send(t, second(t), providertest.Text("x"))
	providertest.Golden(t, "second", got.Body)
	b := sent(t, got)
	if types(b) != "user: text image, assistant: text tool_use, user: tool_result" {
		t.Fatalf("got %s", types(b))
	}
	call, result := b.Messages[1].Content[1], b.Messages[2].Content[0]
	if call.ID != result.ToolUseID || !regexp.MustCompile(`^call_[0-9a-f]{24}$`).MatchString(call.ID) || result.IsError {
		t.Errorf("call %q, result %q", call.ID, result.ToolUseID)
	}
	// The same values in the same order; the SDK takes blanks out and escapes < and >.
	if want := `{"uid":7,"alternative":"Ein \u0042oot \u003cb\u003e"}`; string(call.Input) != want {
		t.Errorf("input is %s, want %s", call.Input, want)
	}
}

func TestComplete_MessagesThatBecomeOne(t *testing.T) {
	t.Parallel()
	req := second(t)
	req.MaxOutputTokens, req.Tools = 0, nil
	req.Messages[3].ToolCalls = append(req.Messages[3].ToolCalls, providers.ToolCall{ID: "toolu_2", Name: "x", Arguments: json.RawMessage(`{}`)})
	req.Messages = append(req.Messages,
		providers.Message{Role: providers.ToolRole, ToolCallID: "toolu_2", ToolName: "x", ToolError: true},
		providers.Message{Role: providers.System, Text: "Be brief. \xff"},
		providers.Message{Role: providers.User, Text: "And \xffnow?"},
		providers.Message{Role: providers.User, Text: " \n"},
		providers.Message{Role: providers.Assistant},
		providers.Message{Role: providers.User, Parts: []providers.Part{{Type: providers.TextPart, Text: "Go on."}, {Type: providers.TextPart}}},
	)
	got, _ := send(t, req, providertest.Text("x"))
	b := sent(t, got)
	if want := "user: text image, assistant: text tool_use tool_use, user: tool_result tool_result text text"; types(b) != want {
		t.Fatalf("got %s, want %s", types(b), want)
	}
	if len(b.System) != 1 || b.System[0].Text != "You help editors.\n\nBe brief. \uFFFD" {
		t.Errorf("system is %+v", b.System)
	}
	last := b.Messages[2].Content
	if last[0].IsError || !last[1].IsError || last[1].Content != nil || last[1].ToolUseID != "toolu_2" {
		t.Errorf("results are %+v", last[:2])
	}
	if last[2].Text != "And \uFFFDnow?" || last[3].Text != "Go on." {
		t.Errorf("texts are %+v", last[2:])
	}
	if in := b.Messages[1].Content[2].Input; string(in) != "{}" {
		t.Errorf("empty arguments became %s", in)
	}
	if b.MaxTokens != 4096 || b.ToolChoice != nil || b.Tools != nil {
		t.Errorf("limit %d, choice %s, tools %v", b.MaxTokens, b.ToolChoice, b.Tools)
	}
}

func TestS52_IDsAreValidForTheProvider(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"toolu_01A-b":           `^toolu_01A-b$`,
		"call_1":                `^call_1$`,
		"a.b":                   `^call_[0-9a-f]{24}$`,
		"":                      `^call_[0-9a-f]{24}$`,
		strings.Repeat("x", 64): `^x{64}$`,
		strings.Repeat("x", 65): `^call_[0-9a-f]{24}$`,
	} {
		req := second(t)
		req.Messages[3].ToolCalls[0].ID, req.Messages[4].ToolCallID = id, id
		got, _ := send(t, req, providertest.Text("x"))
		b := sent(t, got)
		if call := b.Messages[1].Content[1].ID; call != b.Messages[2].Content[0].ToolUseID || !regexp.MustCompile(want).MatchString(call) {
			t.Errorf("%q became %q and %q", id, call, b.Messages[2].Content[0].ToolUseID)
		}
	}
}

func TestS55_ArgumentsOfCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, input, want string
		malformed         bool
	}{
		{"none", ``, `{}`, false},
		{"null", `,"input":null`, `{}`, false},
		{"object", `,"input":{}`, `{}`, false},
		{"own bytes", `,"input":{ "b":1, "a" : 2.50, "c":"\u0041<" }`, `{ "b":1, "a" : 2.50, "c":"\u0041<" }`, false},
		{"list", `,"input":[1]`, `{}`, true},
		{"scalar", `,"input":7`, `{}`, true},
		{"text", `,"input":"{\"uid\":7"`, `{}`, true},
		{"not UTF-8", ",\"input\":{\"alternative\":\"\xff\"}", "{\"alternative\":\"\uFFFD\"}", false},
	} {
		_, resp := send(t, providertest.VisionRequest(t), message("end_turn", `{"type":"tool_use","id":"a","name":"x"`+c.input+`}`, `{}`))
		if n := len(resp.Message.ToolCalls); n != 1 {
			t.Fatalf("%s: %d calls", c.name, n)
		}
		got := resp.Message.ToolCalls[0]
		if string(got.Arguments) != c.want || got.Malformed != c.malformed || got.ID != "a" || got.Name != "x" {
			t.Errorf("%s: got %+v with %s", c.name, got, got.Arguments)
		}
		if resp.FinishReason != providers.FinishToolCalls || resp.Message.Raw != nil {
			t.Errorf("%s: finish %s, raw %s", c.name, resp.FinishReason, resp.Message.Raw)
		}
	}
}

// message answers with these blocks and this usage.
func message(stop, blocks, usage string) providertest.Answer {
	return providertest.Raw(`{"type":"message","role":"assistant","model":"m","content":[` + blocks + `],"stop_reason":"` + stop + `","usage":` + usage + `}`)
}

func TestComplete_TextOfAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, blocks, want string }{
		{"one", `{"type":"text","text":" A boat. "}`, "A boat."},
		{"several", `{"type":"text","text":"A "},{"type":"text","text":"boat."}`, "A boat."},
		{"with thoughts", `{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"d"},{"type":"text","text":"A boat."}`, "A boat."},
		{"with a block of another day", `{"type":"new","text":"hm"},{"type":"text","text":"A boat."}`, "A boat."},
		{"not UTF-8", "{\"type\":\"text\",\"text\":\"A \xffboat.\"}", "A \uFFFDboat."},
	} {
		if _, resp := send(t, providertest.VisionRequest(t), message("end_turn", c.blocks, `{}`)); resp.Message.Text != c.want {
			t.Errorf("%s: got %q, want %q", c.name, resp.Message.Text, c.want)
		}
	}
}

func TestComplete_FinishReasonsAndUsage(t *testing.T) {
	t.Parallel()
	for stop, want := range map[string]providers.FinishReason{
		"end_turn": providers.FinishStop, "stop_sequence": providers.FinishStop, "tool_use": providers.FinishToolCalls,
		"pause_turn": providers.FinishOther, "new": providers.FinishOther,
	} {
		_, resp := send(t, providertest.VisionRequest(t), message(stop, `{"type":"text","text":"A boat."}`,
			`{"input_tokens":100,"cache_creation_input_tokens":20,"cache_read_input_tokens":3,"output_tokens":50,"output_tokens_details":{"thinking_tokens":7}}`))
		if resp.FinishReason != want || resp.Model != "m" {
			t.Errorf("%s: finish %s, model %s", stop, resp.FinishReason, resp.Model)
		}
		if u := (providers.Usage{InputTokens: 123, CachedInputTokens: 3, OutputTokens: 50, ReasoningTokens: 7}); resp.Usage != u {
			t.Errorf("usage is %+v, want %+v", resp.Usage, u)
		}
	}
	_, resp := send(t, providertest.VisionRequest(t), message("end_turn", `{"type":"text","text":"A boat."}`,
		`{"input_tokens":-5,"cache_creation_input_tokens":-1,"cache_read_input_tokens":-1,"output_tokens":-1}`))
	if resp.Usage != (providers.Usage{}) {
		t.Errorf("negative usage became %+v", resp.Usage)
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
