package demo_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/demo"
)

// picture paints w x h points.
func picture(t *testing.T, typ media.Type, w, h int, paint func(x, y int) color.Color) *media.Image {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.Set(x, y, paint(x, y))
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, m)
	if typ == media.JPEG {
		b.Reset()
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: 90})
	}
	if err != nil {
		t.Fatal(err)
	}
	img, err := media.NewImage(b.Bytes(), typ, w, h)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

var (
	blue  = color.NRGBA{20, 60, 200, 255}
	white = color.NRGBA{255, 255, 255, 255}
)

// seaAndSky is blue below and white above.
func seaAndSky(t *testing.T) *media.Image {
	t.Helper()
	return picture(t, media.PNG, 120, 80, func(_, y int) color.Color {
		if y > 30 {
			return blue
		}
		return white
	})
}

const schema = `{"type":"object","properties":{"uid":{"type":"integer"},"title":{"type":"string"},"alternative":{"type":"string"},"description":{"type":"string"}}}`

// prompted reads a prompt as the actions room writes it.
func prompted(t *testing.T, golden, note string) providers.Request {
	t.Helper()
	text, err := os.ReadFile("../../actions/testdata/prompt-" + golden + ".golden")
	if err != nil {
		t.Fatal(err)
	}
	prompt := string(text)
	if note != "" {
		prompt += "\n\n=== NOTE 0123456789ab ===\n" + note + "\n=== NOTE 0123456789ab ===\n"
	}
	tool := "set_file_alternative_text"
	if strings.Contains(golden, "asset") {
		tool = "update_fal_asset_meta"
	}
	return providers.Request{
		Model: "demo",
		Messages: []providers.Message{
			{Role: providers.System, Text: "role"},
			{Role: providers.User, Text: prompt},
			{Role: providers.User, Parts: []providers.Part{{Type: providers.ImagePart, Image: seaAndSky(t)}}},
		},
		Tools: []providers.Tool{{Name: tool, Parameters: json.RawMessage(schema)}},
	}
}

func ask(t *testing.T, req providers.Request) providers.Response {
	t.Helper()
	resp, err := demo.Instant("demo").Complete(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Message.Role != providers.Assistant || resp.Model != "demo" || resp.Usage.InputTokens == 0 || resp.Usage.OutputTokens == 0 {
		t.Errorf("got %+v", resp)
	}
	return resp
}

// args reads the arguments of the only call.
func args(t *testing.T, resp providers.Response) map[string]any {
	t.Helper()
	if len(resp.Message.ToolCalls) != 1 {
		t.Fatalf("got %d calls and %q", len(resp.Message.ToolCalls), resp.Message.Text)
	}
	var m map[string]any
	if err := json.Unmarshal(resp.Message.ToolCalls[0].Arguments, &m); err != nil {
		t.Fatalf("%s: %v", resp.Message.ToolCalls[0].Arguments, err)
	}
	return m
}

func TestReadsThePromptsOfTheActions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		golden, tool, wantWord string
		fields                 []string
	}{
		{"de-alternative", "set_file_alternative_text", "vor allem Blau und Weiß", []string{"alternative"}},
		{"en-alternative", "set_file_alternative_text", "mostly blue and white", []string{"alternative"}},
		{"fr-alternative", "set_file_alternative_text", "mostly blue and white", []string{"alternative"}},
		{"de-alternative-note", "set_file_alternative_text", "vor allem Blau und Weiß", []string{"alternative"}},
		{"de-alternative-operator", "set_file_alternative_text", "Blau", []string{"alternative"}},
		{"de-asset", "update_fal_asset_meta", "Blau", []string{"title", "description"}},
		{"en-asset-operator", "update_fal_asset_meta", "blue", []string{"title", "description"}},
	} {
		resp := ask(t, prompted(t, c.golden, ""))
		got := args(t, resp)
		if call := resp.Message.ToolCalls[0]; call.Name != c.tool || call.ID == "" || resp.FinishReason != providers.FinishToolCalls {
			t.Errorf("%s: %+v", c.golden, call)
		}
		if len(got) != len(c.fields)+1 || got["uid"] != 7.0 {
			t.Errorf("%s: %v", c.golden, got)
		}
		for _, f := range c.fields {
			text, _ := got[f].(string)
			if !strings.HasPrefix(text, "Demo") || !strings.Contains(text, c.wantWord) {
				t.Errorf("%s: %s is %q", c.golden, f, text)
			}
		}
	}
}

func TestKeepsEveryToldLimit(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"- `alternative` (höchstens %d Zeichen):", "- `alternative`: at most %d characters", "* `alternative` (at most %d characters):"} {
		for limit := 1; limit < 200; limit += 1 + limit/20 {
			req := prompted(t, "de-alternative", "")
			text := strings.Replace(req.Messages[1].Text, "- `alternative`:", fmt.Sprintf(line, limit), 1)
			req.Messages[1].Text = text
			got, _ := args(t, ask(t, req))["alternative"].(string)
			if n := uniseg.GraphemeClusterCount(got); n > limit || n == 0 {
				t.Fatalf("limit %d: %d characters: %q", limit, n, got)
			}
		}
	}
}

func TestLooksAtThePixels(t *testing.T) {
	t.Parallel()
	noise := func(x, y int) color.Color {
		v := uint8((x*7919 + y*104729 + x*y*31) % 251)
		return color.NRGBA{v, uint8(int(v) * 7 % 256), uint8(int(v) * 13 % 256), 255}
	}
	flat := func(c color.Color) func(int, int) color.Color { return func(int, int) color.Color { return c } }
	for name, c := range map[string]struct {
		img  *media.Image
		want []string
	}{
		"panorama": {picture(t, media.PNG, 300, 60, noise), []string{"im Panoramaformat", "fotoähnliches Bild", "vielen Einzelheiten"}},
		"portrait": {picture(t, media.JPEG, 60, 90, noise), []string{"im Hochformat", "fotoähnliches Bild"}},
		"drawing":  {seaAndSky(t), []string{"im Querformat", "gezeichnetes Bild", "Blau und Weiß", "wenigen"}},
		"square":   {picture(t, media.PNG, 50, 50, func(x, _ int) color.Color { return color.NRGBA{uint8(x), 0, 0, 255} }), []string{"quadratisch", "dunkel", "Schwarz"}},
		"see-through": {picture(t, media.PNG, 50, 40, func(x, _ int) color.Color {
			if x == 3 {
				return blue
			}
			return color.NRGBA{}
		}), []string{"Weiß", "hell"}},
		"one point":  {picture(t, media.PNG, 1, 1, flat(blue)), nil},
		"one colour": {picture(t, media.PNG, 40, 30, flat(blue)), nil},
	} {
		req := prompted(t, "de-alternative", "")
		req.Messages[2].Parts[0].Image = c.img
		got, _ := args(t, ask(t, req))["alternative"].(string)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q does not say %q", name, got, want)
			}
		}
		if c.want == nil && got != "" {
			t.Errorf("%s: %q, want an empty text: it only decorates", name, got)
		}
	}
}

// answered adds a call and its result to a request.
func answered(req providers.Request, resp providers.Response, result string) providers.Request {
	req.Messages = append(append([]providers.Message(nil), req.Messages...), resp.Message)
	for _, c := range resp.Message.ToolCalls {
		req.Messages = append(req.Messages, providers.Message{Role: providers.ToolRole, ToolCallID: c.ID, ToolName: c.Name, Text: result, ToolError: !strings.Contains(result, "done")})
	}
	return req
}

func TestAskAgain_ReadsTheReason(t *testing.T) {
	t.Parallel()
	for _, golden := range []string{"de-alternative", "en-alternative"} {
		req := prompted(t, golden, "")
		first := ask(t, req)
		was, _ := args(t, first)["alternative"].(string)
		for reason, check := range map[string]func(string) bool{
			"Zu lang, bitte kürzen": func(s string) bool { return len(s) < len(was) },
			"too long":              func(s string) bool { return len(s) < len(was) },
			"Bitte ausführlicher":   func(s string) bool { return len(s) > len(was) },
			"more detail please":    func(s string) bool { return len(s) > len(was) },
			"That is too short":     func(s string) bool { return len(s) > len(was) },
			"Nicht gut":             func(s string) bool { return s != was },
		} {
			next := answered(req, first, fmt.Sprintf(`{"status":"approval_denied","executed":false,"reviewer_feedback":%q}`, reason))
			resp := ask(t, next)
			if now, _ := args(t, resp)["alternative"].(string); !check(now) {
				t.Errorf("%s, %q: %q became %q", golden, reason, was, now)
			}
			if resp.Message.ToolCalls[0].ID == first.Message.ToolCalls[0].ID {
				t.Error("two calls share an id")
			}
		}
	}
}

func TestClosingTurn(t *testing.T) {
	t.Parallel()
	for golden, want := range map[string]string{"de-alternative": "gespeichert", "en-asset": "stored"} {
		req := prompted(t, golden, "")
		resp := ask(t, answered(req, ask(t, req), `{"status":"done","executed":true}`))
		if len(resp.Message.ToolCalls) != 0 || !strings.Contains(resp.Message.Text, want) || resp.FinishReason != providers.FinishStop {
			t.Errorf("%s: %+v", golden, resp)
		}
	}
}

func FuzzPrompt(f *testing.F) {
	f.Add("Call the tool `x` for `uid 7`.\n- `alternative` (at most 9 characters):\nLanguage: English (en)", "demo: twice", "demo-slow.jpg")
	f.Fuzz(func(t *testing.T, prompt, reason, name string) {
		if strings.Contains(strings.ToLower(name+prompt+reason), "slow") || strings.Contains(strings.ToLower(name+prompt+reason), "langsam") {
			return
		}
		resp, err := demo.Instant("demo").Complete(t.Context(), providers.Request{FileName: name, Messages: []providers.Message{
			{Role: providers.User, Text: prompt},
			{Role: providers.User, Parts: []providers.Part{{Type: providers.ImagePart, Image: seaAndSky(t)}}},
			{Role: providers.ToolRole, ToolCallID: "a", Text: reason},
		}})
		if _, typed := errors.AsType[*providers.Error](err); err != nil && !typed {
			t.Fatal(err)
		}
		for _, c := range resp.Message.ToolCalls {
			if !json.Valid(c.Arguments) {
				t.Fatalf("%s", c.Arguments)
			}
		}
	})
}
