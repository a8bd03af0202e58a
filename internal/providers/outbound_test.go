package providers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

// P36: what is sent cannot be marshalled, prints one line, is no list of messages, and is
// refused by the one writer of transcripts when somebody takes it apart.
func TestP36_OutboundIsSentAndNeverStored(t *testing.T) {
	t.Parallel()
	messages := providertest.VisionRequest(t).Messages
	secret := messages[2].Parts[0].Image.Base64()[:24]
	o := providers.NewOutbound(messages, providers.Requirements{})
	if _, err := json.Marshal(map[string]any{"messages": o}); err == nil {
		t.Error("marshalled")
	}
	var logged strings.Builder
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "outbound", o)
	for _, printed := range []string{logged.String(), fmt.Sprint(o), fmt.Sprintf("%v %+v %#v %s %x", o, o, o, o, o)} {
		if !strings.Contains(printed, "3 outbound messages with 1 pictures") || strings.Contains(printed, secret) || strings.Contains(printed, "You help editors") {
			t.Errorf("prints %q", printed)
		}
	}
	for _, to := range []reflect.Type{reflect.TypeFor[[]providers.Message](), reflect.TypeFor[providers.Message]()} {
		if reflect.TypeFor[providers.Outbound]().ConvertibleTo(to) {
			t.Errorf("it converts to %s", to)
		}
	}
	if _, err := providers.EncodeTranscript(messages); err != nil {
		t.Fatal(err)
	}
	for name, taken := range map[string][]providers.Message{"list": slices.Collect(o.All()), "request": providers.Request{}.With(o).Messages} {
		if _, err := providers.EncodeTranscript(taken); !errors.Is(err, providers.ErrNotDurable) {
			t.Errorf("the %s was encoded: %v", name, err)
		}
	}
}

func TestNewOutbound_KeepsNoList(t *testing.T) {
	t.Parallel()
	messages := []providers.Message{{Role: providers.User, Text: "a"}}
	o := providers.NewOutbound(messages, providers.Requirements{})
	messages[0].Text = "b"
	req := providers.Request{Model: "m"}.With(o)
	req.Messages[0].Text = "c"
	if got := slices.Collect(o.All()); o.Len() != 1 || got[0].Text != "a" || req.Model != "m" {
		t.Errorf("%+v", got)
	}
}

// A tool's message never holds a picture, in no form.
func TestEncodeTranscript_RefusesPicturesOfTools(t *testing.T) {
	t.Parallel()
	tool := providers.Message{Role: providers.ToolRole, ToolCallID: "a", ToolName: "x"}
	part, text, shout, textPart := tool, tool, tool, tool
	part.Parts = []providers.Part{{Type: providers.ImagePart, Image: providertest.Picture(t)}}
	text.Text = "see data:image/png;base64,iVBOR"
	shout.Text = "DATA:Image/PNG;base64,iVBOR"
	textPart.Parts = []providers.Part{{Type: providers.TextPart, Text: "data:image/gif;base64,R0"}}
	for name, m := range map[string]providers.Message{"part": part, "text": text, "capitals": shout, "text part": textPart} {
		if _, err := providers.EncodeTranscript([]providers.Message{m}); !errors.Is(err, providers.ErrNotDurable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	text.Text = providers.WithoutInlineImages(text.Text + shout.Text)
	if _, err := providers.EncodeTranscript([]providers.Message{text}); err != nil || text.Text != "see data: image/png;base64,iVBORDATA: Image/PNG;base64,iVBOR" {
		t.Errorf("%q %v", text.Text, err)
	}
	text.Role, text.ToolCallID, text.ToolName, text.Text = providers.User, "", "", "people may write data:image/"
	if _, err := providers.EncodeTranscript([]providers.Message{text}); err != nil {
		t.Error(err)
	}
	text.Artifact = json.RawMessage(`{}`)
	if _, err := providers.EncodeTranscript([]providers.Message{text}); err == nil {
		t.Error("a user's message refers to a tool's pictures")
	}
}
