package readtools_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/readtools"
	"editor-actions/internal/typo3"
)

// deaf are tools on nothing: a call that gets past its arguments panics, except
// that there is nobody to act for.
func deaf() []readtools.Tool {
	cfg := config.DefaultSettings()
	return readtools.New(readtools.Deps{Settings: func() *config.Settings { return &cfg }})
}

func TestArguments_OneClearSentence(t *testing.T) {
	t.Parallel()
	tools := map[string]readtools.Tool{}
	for _, tool := range deaf() {
		tools[tool.Name()] = tool
	}
	const uid, limit = "The argument `uid` must be a whole number from 1 to 4294967295.", "The argument `limit` must be a whole number from 1 to 50."
	for _, c := range []struct{ tool, arguments, code, sentence string }{
		{readtools.ReadFileMetadata, `{}`, "argument_missing", "The argument `uid` is missing."},
		{readtools.ReadFileMetadata, ``, "argument_missing", "The argument `uid` is missing."},
		{readtools.ReadFileMetadata, `{"uid":0}`, "argument_type", uid},
		{readtools.ReadFileMetadata, `{"uid":-1}`, "argument_type", uid},
		{readtools.ReadFileMetadata, `{"uid":1.0}`, "argument_type", uid},
		{readtools.ReadFileMetadata, `{"uid":1e3}`, "argument_type", uid},
		{readtools.ReadFileMetadata, `{"uid":4294967296}`, "argument_type", uid},
		{readtools.ReadFileMetadata, `{"uid":99999999999999999999999}`, "argument_type", uid},
		{readtools.ReadFileMetadata, `{"uid":"23"}`, "argument_type", uid},
		{readtools.ReadFileMetadata, `{"uid":[23]}`, "argument_type", uid},
		{readtools.ReadFileMetadata, `{"uid":{}}`, "argument_type", uid},
		{readtools.ReadFileMetadata, `{"uid":true}`, "argument_type", uid},
		{readtools.ReadFileMetadata, `{"uid":null}`, "argument_type", uid},
		{readtools.ReadFileMetadata, `{"uid":23,"uid":24}`, "argument_duplicate", "The argument `uid` is given twice."},
		{readtools.ReadFileMetadata, `{"uid":23,"<b>path\u0000":"/etc"}`, "argument_unknown", "There is no argument `bpath`. Allowed are: `uid`."},
		{readtools.ViewFileImage, `{"uid":23,"edge":9000}`, "argument_unknown", "There is no argument `edge`. Allowed are: `uid`."},
		{readtools.ViewFileImage, `{"UID":23}`, "argument_unknown", "There is no argument `UID`. Allowed are: `uid`."},
		{readtools.FindFileUsages, `{"uid":23,"` + strings.Repeat("x", 100) + `":1}`, "argument_unknown", "There is no argument `" + strings.Repeat("x", 40) + "`. Allowed are: `uid`, `limit`, `after`."},
		{readtools.FindFileUsages, `{"uid":23,"limit":51}`, "argument_type", limit},
		{readtools.FindFileUsages, `{"uid":23,"after":2001}`, "argument_type", "The argument `after` must be a whole number from 1 to 2000."},
		{readtools.SearchFiles, `{"limit":0}`, "argument_type", limit},
		{readtools.SearchFiles, `{"query":7}`, "argument_type", "The argument `query` must be a text of at most 200 characters."},
		{readtools.SearchFiles, `{"query":"` + strings.Repeat("ä", 201) + `"}`, "argument_type", "The argument `query` must be a text of at most 200 characters."},
		{readtools.SearchFiles, `{"query":"a\u0000b"}`, "argument_control_character", "The argument `query` has a control character in it."},
		{readtools.SearchFiles, `{"query":null}`, "argument_null", "The argument `query` is null. Leave it out, or give a text."},
		{readtools.SearchFiles, `{"missing":"caption"}`, "argument_type", "The argument `missing` must be one of `alternative`, `title`, `description`."},
		{readtools.SearchFiles, `{"folder":"/products/"}`, "argument_type", "The argument `folder` must be a folder such as `1:/products/`."},
		{readtools.SearchFiles, `{"folder":"0:/"}`, "argument_type", "The argument `folder` must be a folder such as `1:/products/`."},
		{readtools.SearchFiles, `[]`, "arguments_not_object", "The arguments are not one JSON object."},
		{readtools.SearchFiles, `null`, "arguments_not_object", "The arguments are not one JSON object."},
		{readtools.SearchFiles, `{} {}`, "arguments_not_object", "The arguments are not one JSON object."},
		{readtools.SearchFiles, `{"query":`, "arguments_not_object", "The arguments are not one JSON object."},
		{readtools.SearchFiles, "{\"query\":\"\xff\"}", "arguments_encoding", "The arguments are not valid UTF-8."},
		{readtools.SearchFiles, `{"query":"` + strings.Repeat("a", 1<<20) + `"}`, "arguments_too_large", "The arguments are larger than 16384 bytes."},
	} {
		result, err := tools[c.tool].Run(t.Context(), &typo3.BackendUser{UID: 1}, json.RawMessage(c.arguments))
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Kind != fault.Invalid || f.Code != c.code || f.Sentence() != c.sentence || result != (readtools.Result{}) {
			t.Errorf("%s %.60s: %v", c.tool, c.arguments, err)
		}
	}
}

func TestDefinitions_AreStrictAndInAFixedOrder(t *testing.T) {
	t.Parallel()
	var names []string
	for _, tool := range deaf() {
		d := tool.Definition()
		names = append(names, d.Name)
		var schema struct {
			Type                 string                     `json:"type"`
			Properties           map[string]json.RawMessage `json:"properties"`
			Required             []string                   `json:"required"`
			AdditionalProperties *bool                      `json:"additionalProperties"`
		}
		if err := json.Unmarshal(d.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		if schema.Type != "object" || schema.AdditionalProperties == nil || *schema.AdditionalProperties || len(schema.Properties) == 0 || len(d.Description) < 60 || d.Name != tool.Name() {
			t.Errorf("%s: %s", d.Name, d.Parameters)
		}
		if slices.Contains(schema.Required, "uid") != (d.Name != readtools.SearchFiles) || len(schema.Required) > 1 {
			t.Errorf("%s requires %v", d.Name, schema.Required)
		}
		if tool.Image() != (d.Name == readtools.ViewFileImage) {
			t.Errorf("%s: image %v", d.Name, tool.Image())
		}
	}
	if got := strings.Join(names, " "); got != "search_files read_file_metadata view_file_image find_file_usages" {
		t.Error(got)
	}
}

func TestOn_FollowsTheSettings(t *testing.T) {
	t.Parallel()
	cfg := config.DefaultSettings()
	tools := readtools.New(readtools.Deps{Settings: func() *config.Settings { return &cfg }})
	if n := len(readtools.On(&cfg, tools)); n != 4 {
		t.Errorf("%d tools are on as shipped", n)
	}
	for i, off := range []func(*config.Tools){
		func(c *config.Tools) { c.SearchFiles = false }, func(c *config.Tools) { c.ReadFileMetadata = false },
		func(c *config.Tools) { c.ViewFileImage = false }, func(c *config.Tools) { c.FindFileUsages = false },
	} {
		cfg = config.DefaultSettings()
		off(&cfg.Tools)
		on := readtools.On(&cfg, tools)
		if len(on) != 3 || slices.Contains(on, tools[i]) || len(tools) != 4 {
			t.Errorf("without %s: %v", tools[i].Name(), on)
		}
		_, err := tools[i].Run(t.Context(), &typo3.BackendUser{UID: 1}, json.RawMessage(`{"uid":23}`))
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != "read_tool_off" || f.Kind != fault.Unavailable {
			t.Errorf("%s runs although it is off: %v", tools[i].Name(), err)
		}
	}
}

// FuzzArguments: whatever a stranger sends is refused as invalid or is a call
// in nobody's name, and never more than that.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"uid":23}`, `{"query":"a b","folder":"1:/x/","missing":"title","limit":5,"after":9}`, `{"uid":23,"limit":1,"after":3}`, `{"uid":1e400}`, `{"a":{"b":[`, "\x00", `{"query":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	tools := deaf()
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, tool := range tools {
			_, err := tool.Run(t.Context(), nil, raw)
			fe, ok := errors.AsType[*fault.Error](err)
			if !ok || fe.Kind != fault.Invalid && !errors.Is(err, falgate.ErrNotAvailable) {
				t.Fatalf("%s: %v", tool.Name(), err)
			}
			if s := fe.Sentence(); len(s) > 300 || strings.ContainsAny(s, "\x00\n<") {
				t.Fatalf("%s: %q", tool.Name(), s)
			}
		}
	})
}
