package providers_test

import (
	"bytes"
	"encoding/json"
	"regexp"
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
)

// wireOf is a vendor's format, and how its adapter is made.
type wireOf struct {
	format providertest.Format
	build  func(name string, c config.ProviderConfiguration) (providers.Provider, error)
	// id is what the vendor takes as the id of a call; nil where ids do not travel.
	id *regexp.Regexp
}

func wires() map[string]wireOf {
	compatible := func(name string, c config.ProviderConfiguration) (providers.Provider, error) {
		return openai.New(name, c)
	}
	return map[string]wireOf{
		config.VendorOpenAI:     {providertest.OpenAI, compatible, regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)},
		config.VendorOpenRouter: {providertest.OpenAI, compatible, regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)},
		config.VendorMistral:    {providertest.OpenAI, compatible, regexp.MustCompile(`^[A-Za-z0-9]{9}$`)},
		config.VendorGroq:       {providertest.OpenAI, compatible, regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)},
		config.VendorAnthropic: {providertest.Anthropic, func(name string, c config.ProviderConfiguration) (providers.Provider, error) {
			return anthropic.New(name, c)
		}, regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)},
		config.VendorGemini: {providertest.Gemini, func(name string, c config.ProviderConfiguration) (providers.Provider, error) {
			return gemini.New(name, c)
		}, nil},
		config.VendorOllama: {providertest.Ollama, func(name string, c config.ProviderConfiguration) (providers.Provider, error) {
			return ollama.New(name, c)
		}, nil},
	}
}

// exchange sends one request at a vendor.
func exchange(t *testing.T, vendor string, req providers.Request, answer providertest.Answer) (providertest.Request, providers.Response) {
	t.Helper()
	w := wires()[vendor]
	s := providertest.NewFor(t, w.format)
	s.Script(answer)
	p, err := w.build(vendor, config.ProviderConfiguration{
		Active: true, Vendor: vendor, BaseURL: s.URL, PrivateNetwork: true, APIKey: secret.New(providertest.CanaryKey), TimeoutSeconds: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := p.Complete(t.Context(), req)
	if err != nil {
		t.Fatalf("%s: %v", vendor, err)
	}
	return s.Requests()[0], resp
}

// TestS52_S53_AnyTranscriptGoesOnAnywhere begins at every vendor and goes on at every
// other: call, result and picture are there in the other's form, ids are valid and
// belong together, and nothing private to the first one travels.
func TestS52_S53_AnyTranscriptGoesOnAnywhere(t *testing.T) {
	t.Parallel()
	const args = `{"uid":7,"alternative":"Ein Boot <b> \u00fc"}`
	for from := range wires() {
		req := providertest.VisionRequest(t)
		_, resp := exchange(t, from, req, providertest.Calls(providertest.Call{ID: "call.with/odd characters", Name: "set_file_alternative_text", Arguments: args}))
		if len(resp.Message.ToolCalls) != 1 {
			t.Fatalf("%s: %+v", from, resp)
		}
		call := resp.Message.ToolCalls[0]
		next := req
		next.Messages = append(append([]providers.Message(nil), req.Messages...), resp.Message,
			providers.Message{Role: providers.ToolRole, ToolCallID: call.ID, ToolName: call.Name, Text: `{"status":"approval_denied","feedback":"shorter"}`, ToolError: true})
		// What waits for days comes back as it was.
		kept, err := providers.EncodeTranscript(next.Messages)
		if err != nil {
			t.Fatalf("%s: %v", from, err)
		}
		if next.Messages, err = providers.DecodeTranscript(kept); err != nil {
			t.Fatalf("%s: %v", from, err)
		}
		for to, w := range wires() {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				got, answer := exchange(t, to, next, providertest.Calls(providertest.Call{ID: "c2", Name: "set_file_alternative_text", Arguments: `{}`}))
				if !bytes.Equal(got.Image(t), next.Messages[2].Parts[0].Image.Bytes()) {
					t.Error("the picture is another one")
				}
				body := string(got.Body)
				for _, want := range []string{"approval_denied", "set_file_alternative_text", "Ein Boot"} {
					if !strings.Contains(body, want) {
						t.Errorf("%q is missing in %s", want, body)
					}
				}
				if from != to && (strings.Contains(body, "c2lnbmF0dXJl") || strings.Contains(body, "CANARY")) {
					t.Errorf("what belongs to %s travels to %s", from, to)
				}
				calls, results := idsOf(t, got.Body)
				if w.id != nil && (len(calls) != 1 || len(results) != 1 || calls[0] != results[0] || !w.id.MatchString(calls[0])) {
					t.Errorf("ids of calls %q, of results %q", calls, results)
				}
				if string(answer.Message.ToolCalls[0].Arguments) != `{}` || answer.Message.ToolCalls[0].ID == call.ID {
					t.Errorf("%+v", answer.Message.ToolCalls[0])
				}
			})
		}
	}
}

// idsOf finds the ids of calls and of results anywhere in a body.
func idsOf(t *testing.T, body []byte) (calls, results []string) {
	t.Helper()
	var root any
	if err := json.Unmarshal(body, &root); err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			id, _ := v["id"].(string)
			if id != "" && (v["type"] == "function" || v["type"] == "tool_use") {
				calls = append(calls, id)
			}
			for _, key := range []string{"tool_call_id", "tool_use_id"} {
				if id, ok := v[key].(string); ok {
					results = append(results, id)
				}
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(root)
	return calls, results
}

// TestS55_EmptyArgumentsStayAnObject on all seven, there and back.
func TestS55_EmptyArgumentsStayAnObject(t *testing.T) {
	t.Parallel()
	empty := regexp.MustCompile(`"(arguments|input|args)":\s*("\{\}"|\{\})`)
	for vendor := range wires() {
		t.Run(vendor, func(t *testing.T) {
			t.Parallel()
			req := providertest.VisionRequest(t)
			req.Messages = append(req.Messages,
				providers.Message{Role: providers.Assistant, ToolCalls: []providers.ToolCall{{ID: "call_1", Name: "set_file_alternative_text", Arguments: json.RawMessage(`{}`)}}},
				providers.Message{Role: providers.ToolRole, ToolCallID: "call_1", ToolName: "set_file_alternative_text", Text: `{"status":"refused"}`})
			got, _ := exchange(t, vendor, req, providertest.Text("x"))
			if !empty.Match(got.Body) {
				t.Errorf("no empty object in %s", got.Body)
			}
		})
	}
}

// Every vendor of the settings has an address, a wire and limits.
func TestVendors_AreComplete(t *testing.T) {
	t.Parallel()
	for vendor := range wires() {
		if config.ShippedAddress[vendor] == "" {
			t.Errorf("%s has no address", vendor)
		}
		if len(providers.LimitsOf(config.ProviderConfiguration{Vendor: vendor}).Types) == 0 {
			t.Errorf("%s takes no pictures", vendor)
		}
	}
	if n := len(wires()); n != 7 {
		t.Errorf("%d vendors", n)
	}
}
