package providers_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

func transcript(t testing.TB) []providers.Message {
	t.Helper()
	return append(providertest.VisionRequest(t).Messages,
		providers.Message{
			Role: providers.Assistant, Text: "Here: <b>&", RawVendor: "gemini", Raw: json.RawMessage(`{ "thoughtSignature" : "x" }`),
			ToolCalls: []providers.ToolCall{
				{ID: "a.1", Name: "x", Arguments: json.RawMessage("{ \"uid\":7,\n \"alternative\":\"\\u0041\" }")},
				{ID: "b", Name: "y", Arguments: json.RawMessage("{}"), Malformed: true},
			},
		},
		providers.Message{Role: providers.ToolRole, ToolCallID: "a.1", ToolName: "x", ToolError: true, Text: "Größe 👩‍👩‍👧 \u2028 \x00", Artifact: json.RawMessage(`{ "type" : "x" }`)},
		providers.Message{Role: providers.User, Parts: []providers.Part{{Type: providers.TextPart, Text: "t"}, {Type: providers.ImagePart, Image: providertest.Picture(t)}}},
	)
}

func TestP7_TranscriptKeepsEveryByte(t *testing.T) {
	t.Parallel()
	want := transcript(t)
	data, err := providers.EncodeTranscript(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := providers.DecodeTranscript(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("got %+v", got)
	}
	if !bytes.Equal(got[2].Parts[0].Image.Bytes(), want[2].Parts[0].Image.Bytes()) {
		t.Error("the picture has other bytes")
	}
	again, err := providers.EncodeTranscript(got)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("a second encoding differs: %v", err)
	}
	// The sealed state holds a transcript as JSON inside JSON, which is compacted and escaped.
	var inside struct{ T json.RawMessage }
	wrapped, _ := json.Marshal(map[string]json.RawMessage{"T": data})
	if err := json.Unmarshal(wrapped, &inside); err != nil {
		t.Fatal(err)
	}
	if got, err = providers.DecodeTranscript(inside.T); err != nil || !reflect.DeepEqual(want, got) {
		t.Errorf("inside another JSON text: %v", err)
	}
	if none, err := providers.EncodeTranscript(nil); err != nil || len(none) == 0 {
		t.Errorf("an empty transcript: %v", err)
	}
}

func TestDecodeTranscript_RefusesAnythingElse(t *testing.T) {
	t.Parallel()
	data, err := providers.EncodeTranscript(transcript(t))
	if err != nil {
		t.Fatal(err)
	}
	s := string(data)
	for name, bad := range map[string]string{
		"nothing":       "",
		"null":          "null",
		"no JSON":       s[:len(s)-1],
		"more behind":   s + "{}",
		"version":       strings.Replace(s, `"v":1`, `"v":2`, 1),
		"no version":    strings.Replace(s, `"v":1,`, "", 1),
		"unknown key":   strings.Replace(s, `"v":1`, `"v":1,"x":1`, 1),
		"role":          strings.Replace(s, `"role":"system"`, `"role":"root"`, 1),
		"two contents":  strings.Replace(s, `"parts":[{`, `"text":"x","parts":[{`, 1),
		"part type":     strings.Replace(s, `"type":"image",`, `"type":"video",`, 1),
		"picture size":  strings.Replace(s, `"width":12`, `"width":13`, 1),
		"picture type":  strings.Replace(s, `image/png`, `image/jpeg`, 1),
		"picture bytes": strings.Replace(s, `"data":"iVBOR`, `"data":"iVBOS`, 1),
		"no call id":    strings.Replace(s, `"call_id":"a.1",`, "", 1),
		"calls of user": strings.Replace(s, `"role":"assistant"`, `"role":"user"`, 1),
	} {
		if _, err := providers.DecodeTranscript([]byte(bad)); err == nil || (bad == s) {
			t.Errorf("%s was read", name)
		}
	}
}

func TestEncodeTranscript_RefusesWhatItCouldNotRead(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]providers.Message{
		"zero value":    {},
		"not UTF-8":     {Role: providers.User, Text: "\xff"},
		"both contents": {Role: providers.User, Text: "x", Parts: []providers.Part{{Type: providers.TextPart}}},
		"no picture":    {Role: providers.User, Parts: []providers.Part{{Type: providers.ImagePart}}},
		"no call id":    {Role: providers.ToolRole},
	} {
		if _, err := providers.EncodeTranscript([]providers.Message{m}); err == nil {
			t.Errorf("%s was encoded", name)
		}
	}
}

func FuzzDecodeTranscript(f *testing.F) {
	data, err := providers.EncodeTranscript(transcript(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"v":1,"messages":[{"role":"user","text":"x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		messages, err := providers.DecodeTranscript(data)
		if err != nil {
			return
		}
		again, err := providers.EncodeTranscript(messages)
		if errors.Is(err, providers.ErrNotDurable) { // a row from before that rule opens
			return
		}
		if err != nil {
			t.Fatalf("read, and not written: %v", err)
		}
		if got, err := providers.DecodeTranscript(again); err != nil || len(got) != len(messages) {
			t.Fatalf("written, and not read: %v", err)
		}
	})
}
