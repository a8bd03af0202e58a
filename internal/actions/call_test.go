package actions_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"editor-actions/internal/actions"
	"editor-actions/internal/config"
	"editor-actions/internal/providers"
)

func TestP2_OnlyTheSoleCallOfTheRunsToolOnTheSubjectPasses(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tool := w.tool(t, actions.SetFileAlternativeText)
	good := json.RawMessage(`{"uid":7,"alternative":"A lake."}`)
	for name, tc := range map[string]struct {
		calls []providers.ToolCall
		want  string
	}{
		"one good call":    {[]providers.ToolCall{{Name: tool.Name(), Arguments: good}}, ""},
		"no call":          {nil, "no_call"},
		"another tool":     {[]providers.ToolCall{{Name: "update_fal_asset_meta", Arguments: good}}, "wrong_tool"},
		"two calls":        {[]providers.ToolCall{{Name: tool.Name(), Arguments: good}, {Name: tool.Name(), Arguments: good}}, "second_call"},
		"good and another": {[]providers.ToolCall{{Name: tool.Name(), Arguments: good}, {Name: "delete_page", Arguments: good}}, "wrong_tool"},
		"malformed":        {[]providers.ToolCall{{Name: tool.Name(), Arguments: json.RawMessage(`{}`), Malformed: true}}, "arguments_not_object"},
		"wrong uid":        {[]providers.ToolCall{{Name: tool.Name(), Arguments: json.RawMessage(`{"uid":8,"alternative":"x"}`)}}, "wrong_uid"},
		"unknown argument": {[]providers.ToolCall{{Name: tool.Name(), Arguments: json.RawMessage(`{"uid":7,"alternative":"x","title":"y"}`)}}, "argument_unknown"},
		"refused text":     {[]providers.ToolCall{{Name: tool.Name(), Arguments: json.RawMessage(`{"uid":7,"alternative":"a\nb"}`)}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call, _, err := actions.SoleCall(tool, tc.calls, file(7))
			if got := codeOf(err); got != tc.want {
				t.Fatalf("code %q, want %q", got, tc.want)
			}
			if err == nil && string(call.Arguments) != string(tc.calls[0].Arguments) {
				t.Errorf("the argument bytes were changed: %s", call.Arguments)
			}
		})
	}
}

func TestValidate_Arguments(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, tc := range []struct{ name, tool, raw, code string }{
		{"plain", actions.SetFileAlternativeText, `{"uid":7,"alternative":"A lake."}`, ""},
		{"empty is decorative", actions.SetFileAlternativeText, `{"uid":7,"alternative":""}`, ""},
		{"number as text", actions.SetFileAlternativeText, `{"uid":7,"alternative":2024}`, ""},
		{"null", actions.SetFileAlternativeText, `{"uid":7,"alternative":null}`, "argument_null"},
		{"missing", actions.SetFileAlternativeText, `{"uid":7}`, "argument_missing"},
		{"no uid", actions.SetFileAlternativeText, `{"alternative":"x"}`, "argument_missing"},
		{"object", actions.SetFileAlternativeText, `{"uid":7,"alternative":{"de":"x"}}`, "argument_type"},
		{"list", actions.SetFileAlternativeText, `{"uid":7,"alternative":["x"]}`, "argument_type"},
		{"bool", actions.SetFileAlternativeText, `{"uid":7,"alternative":true}`, "argument_type"},
		{"uid as text", actions.SetFileAlternativeText, `{"uid":"7","alternative":"x"}`, "argument_type"},
		{"uid with fraction", actions.SetFileAlternativeText, `{"uid":7.5,"alternative":"x"}`, "argument_type"},
		{"uid with exponent", actions.SetFileAlternativeText, `{"uid":7e0,"alternative":"x"}`, "argument_type"},
		{"uid negative", actions.SetFileAlternativeText, `{"uid":-7,"alternative":"x"}`, "argument_type"},
		{"uid zero", actions.SetFileAlternativeText, `{"uid":0,"alternative":"x"}`, "argument_type"},
		{"uid too large", actions.SetFileAlternativeText, `{"uid":9223372036854775808,"alternative":"x"}`, "wrong_uid"},
		{"uid wraps to 7", actions.SetFileAlternativeText, `{"uid":4294967303,"alternative":"x"}`, "wrong_uid"},
		{"same name twice", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a","alternative":"b"}`, "argument_duplicate"},
		{"same name twice, escaped", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a","\u0061lternative":"b"}`, "argument_duplicate"},
		{"other case", actions.SetFileAlternativeText, `{"uid":7,"Alternative":"a"}`, "argument_unknown"},
		{"two objects", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a"} {}`, "arguments_not_object"},
		{"cut off", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a"`, "arguments_not_object"},
		{"list of arguments", actions.SetFileAlternativeText, `[]`, "arguments_not_object"},
		{"nothing", actions.SetFileAlternativeText, ``, "arguments_not_object"},
		{"not UTF-8", actions.SetFileAlternativeText, "{\"uid\":7,\"alternative\":\"\xff\"}", "arguments_encoding"},
		{"too large", actions.SetFileAlternativeText, `{"uid":7,"alternative":"` + strings.Repeat("a", 70<<10) + `"}`, "arguments_too_large"},
		{"deep", actions.SetFileAlternativeText, `{"uid":7,"alternative":` + strings.Repeat("[", 20000) + `}`, "arguments_not_object"},
		{"line break", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a\nb"}`, "value_line_break"},
		{"line separator", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a\u2028b"}`, "value_line_break"},
		{"trailing line break is trimmed", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a\n"}`, ""},
		{"control character", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a\u0000b"}`, "value_control_character"},
		{"tab", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a\tb"}`, "value_control_character"},
		{"tab in a title", actions.UpdateFALAssetMeta, `{"uid":7,"title":"a\tb"}`, "value_control_character"},
		{"tab in a description", actions.UpdateFALAssetMeta, `{"uid":7,"description":"a\tb\nc"}`, ""},
		{"nothing to see", actions.SetFileAlternativeText, `{"uid":7,"alternative":"\u200d\u00ad\u3164"}`, "value_control_character"},
		{"a lone mark", actions.SetFileAlternativeText, `{"uid":7,"alternative":"\u0301"}`, "value_control_character"},
		{"hidden bytes", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a\ufe01\ufe02\ufe03b"}`, "value_control_character"},
		{"right to left override", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a\u202eb"}`, "value_control_character"},
		{"tag", actions.SetFileAlternativeText, `{"uid":7,"alternative":"<b>A</b>"}`, "value_html"},
		{"open tag", actions.SetFileAlternativeText, `{"uid":7,"alternative":"<img src=x onerror=alert(1) "}`, "value_html"},
		{"comment", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a <!-- b"}`, "value_html"},
		{"less than", actions.SetFileAlternativeText, `{"uid":7,"alternative":"a < b & c > d"}`, ""},
		{"title alone", actions.UpdateFALAssetMeta, `{"uid":7,"title":"A"}`, ""},
		{"description alone", actions.UpdateFALAssetMeta, `{"uid":7,"description":"A\nb\n\nc"}`, ""},
		{"cleared", actions.UpdateFALAssetMeta, `{"uid":7,"title":"","description":""}`, ""},
		{"neither", actions.UpdateFALAssetMeta, `{"uid":7}`, "no_field"},
		{"title null", actions.UpdateFALAssetMeta, `{"uid":7,"title":null,"description":"x"}`, "argument_null"},
		{"alternative is not its field", actions.UpdateFALAssetMeta, `{"uid":7,"title":"x","alternative":"x"}`, "argument_unknown"},
		{"title of 255 bytes", actions.UpdateFALAssetMeta, `{"uid":7,"title":"` + strings.Repeat("a", 255) + `"}`, ""},
		{"title of 256 bytes", actions.UpdateFALAssetMeta, `{"uid":7,"title":"` + strings.Repeat("ä", 128) + `"}`, "value_too_long_bytes"},
		{"a letter under a heap of marks", actions.UpdateFALAssetMeta, `{"uid":7,"description":"a` + strings.Repeat("\u0301", 64) + `"}`, "value_marks"},
		{"a letter with as many as are taken", actions.UpdateFALAssetMeta, `{"uid":7,"description":"a` + strings.Repeat("\u0301", 63) + `"}`, ""},
		{"people of long emoji", actions.UpdateFALAssetMeta, `{"uid":7,"description":"👩🏽\u200d❤️\u200d💋\u200d👨🏽"}`, ""},
		{"title line break", actions.UpdateFALAssetMeta, `{"uid":7,"title":"a\rb"}`, "value_line_break"},
		{"description of 2000", actions.UpdateFALAssetMeta, `{"uid":7,"description":"` + strings.Repeat("ä", 2000) + `"}`, ""},
		{"description of 2001", actions.UpdateFALAssetMeta, `{"uid":7,"description":"` + strings.Repeat("ä", 2001) + `"}`, "value_too_long"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := w.tool(t, tc.tool).Validate(json.RawMessage(tc.raw), file(7))
			if got := codeOf(err); got != tc.code {
				t.Fatalf("code %q, want %q (%v)", got, tc.code, err)
			}
		})
	}
}

func TestValidate_EchoIsWordCharactersOnly(t *testing.T) {
	t.Parallel()
	tool := setup(t).tool(t, actions.SetFileAlternativeText)
	_, err := tool.Validate(json.RawMessage(`{"uid":7,"<script>al\u202eert_1":1}`), file(7))
	mustContain(t, err.Error(), "`scriptalert_1`")
	mustNotContain(t, err.Error(), "<", "\u202e")
}

func TestS20_WithoutALimitAThousandCharactersPass(t *testing.T) {
	t.Parallel()
	tool := setup(t).tool(t, actions.SetFileAlternativeText)
	if _, err := tool.Validate(alt(7, strings.Repeat("ö", 1000)).Arguments, file(7)); err != nil {
		t.Error(err)
	}
	if _, err := tool.Validate(alt(7, strings.Repeat("ö", 1001)).Arguments, file(7)); codeOf(err) != "value_too_long" {
		t.Errorf("code %q", codeOf(err))
	}
}

func TestP12_TheLimitCountsUserPerceivedCharacters(t *testing.T) {
	t.Parallel()
	t.Run("S21_Multibyte", func(t *testing.T) {
		t.Parallel()
		w := setup(t)
		w.settings.Vision.Alternative.MaxLength = 10
		tool := w.tool(t, actions.SetFileAlternativeText)
		for _, cluster := range []string{"a", "ä", "a\u0308", "語", "👩‍👩‍👧", "🇩🇪", "é"} {
			if _, err := tool.Validate(alt(7, strings.Repeat(cluster, 10)).Arguments, file(7)); err != nil {
				t.Errorf("10 x %q: %v", cluster, err)
			}
			_, err := tool.Validate(alt(7, strings.Repeat(cluster, 11)).Arguments, file(7))
			if codeOf(err) != "value_too_long" || !actions.IsValueRefusal(err) {
				t.Errorf("11 x %q: %v", cluster, err)
			}
		}
	})
	t.Run("SmallestWins", func(t *testing.T) {
		t.Parallel()
		s := &config.Settings{}
		s.Vision.Alternative.MaxLength, s.Vision.Title.MaxLength = 5000, 40
		got := []int{actions.MaxLength(s, actions.Alternative), actions.MaxLength(s, actions.Title), actions.MaxLength(s, actions.Description)}
		if diff := cmp.Diff([]int{1000, 40, 2000}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestEditedCall(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tool := w.tool(t, actions.UpdateFALAssetMeta)
	both := asset(7, `,"description":"B <b>","title":"A"`)
	for _, tc := range []struct {
		name  string
		edits map[actions.Field]string
		keep  []actions.Field
		want  string
		code  string
	}{
		{"edit one", map[actions.Field]string{actions.Title: " Ä & \"Ö\" "}, nil, `{"uid":7,"title":" Ä & \"Ö\" ","description":"B <b>"}`, ""},
		{"keep one", nil, []actions.Field{actions.Title}, `{"uid":7,"description":"B <b>"}`, ""},
		{"keep both", nil, []actions.Field{actions.Title, actions.Description}, "", "no_field"},
		{"edit too long", map[actions.Field]string{actions.Title: strings.Repeat("ä", 128)}, nil, "", "value_too_long_bytes"},
		{"edit a field that is not there", map[actions.Field]string{actions.Alternative: "x"}, nil, "", "field_not_in_call"},
		{"keep a field that is not there", nil, []actions.Field{actions.Title, "caption"}, "", "field_not_in_call"},
		{"clear", map[actions.Field]string{actions.Description: ""}, nil, `{"uid":7,"title":"A","description":""}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := actions.EditedCall(tool, both, tc.edits, tc.keep)
			if codeOf(err) != tc.code {
				t.Fatalf("code %q, want %q", codeOf(err), tc.code)
			}
			if tc.code == "" && string(got.Arguments) != tc.want {
				t.Errorf("got  %s\nwant %s", got.Arguments, tc.want)
			}
		})
	}
	t.Run("repairs a refused text", func(t *testing.T) {
		t.Parallel()
		bad := alt(7, "<b>x</b>")
		tool := w.tool(t, actions.SetFileAlternativeText)
		if _, err := actions.EditedCall(tool, bad, nil, nil); codeOf(err) != "value_html" {
			t.Fatalf("code %q", codeOf(err))
		}
		got, err := actions.EditedCall(tool, bad, map[actions.Field]string{actions.Alternative: "x"}, nil)
		if err != nil || string(got.Arguments) != `{"uid":7,"alternative":"x"}` {
			t.Errorf("%s %v", got.Arguments, err)
		}
	})
}

func FuzzValidate(f *testing.F) {
	for _, s := range []string{`{"uid":7,"alternative":"x"}`, `{"uid":7,"uid":8}`, `{"uid":7,"alternative":"\ud800"}`, `{`, `[[[`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		w := setup(t)
		tool := w.tool(t, actions.SetFileAlternativeText)
		p, err := tool.Validate(raw, file(7))
		if err != nil {
			return
		}
		text := p.Fields[actions.Alternative]
		if strings.TrimSpace(text) != text || strings.ContainsAny(text, "\n\r\t\x00") || actions.Length(text) > 1000 {
			t.Errorf("passed: %q", text)
		}
		var named struct{ UID uint64 }
		if err := json.Unmarshal(raw, &named); err != nil || named.UID != 7 {
			t.Errorf("passed about another record: %q", raw)
		}
	})
}
