package wire_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"editor-actions/internal/providers/wire"
)

func TestS55_Arguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		raw, want string
		malformed bool
	}{
		{``, `{}`, false},
		{" \n", `{}`, false},
		{`null`, `{}`, false},
		{` null `, `{}`, false},
		{`{}`, `{}`, false},
		{`{ "b":1, "a" : 2.0 }`, `{ "b":1, "a" : 2.0 }`, false},
		{" {\"a\":1}\n", " {\"a\":1}\n", false},
		{`{"a":1,"a":2}`, `{"a":1,"a":2}`, false},
		{`{"uid":9007199254740993}`, `{"uid":9007199254740993}`, false},
		{`{"a":"<b>\u0042"}`, `{"a":"<b>\u0042"}`, false},
		{`{"uid":7`, `{}`, true},
		{`{"uid":7,}`, `{}`, true},
		{`{} {}`, `{}`, true},
		{`[]`, `{}`, true},
		{`7`, `{}`, true},
		{`"{}"`, `{}`, true},
		{`true`, `{}`, true},
		{"```json\n{}\n```", `{}`, true},
		{"\uFEFF{}", `{}`, true},
	} {
		got, malformed := wire.Arguments(c.raw)
		if string(got) != c.want || malformed != c.malformed {
			t.Errorf("%q: got %s, %v", c.raw, got, malformed)
		}
	}
}

func TestObject(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"a": 1}`:          `{"a": 1}`,
		" {} ":              " {} ",
		`[1, 2]`:            `{"result":[1,2]}`,
		`7`:                 `{"result":7}`,
		`null`:              `{"result":null}`,
		`"a"`:               `{"result":"a"}`,
		`done`:              `{"result":"done"}`,
		``:                  `{"result":""}`,
		`{"a":`:             `{"result":"{\"a\":"}`,
		`{} {}`:             `{"result":"{} {}"}`,
		"a\xff":             "{\"result\":\"a\uFFFD\"}",
		"{\"a\":\"\xff\"}":  "{\"a\":\"\uFFFD\"}",
		"9007199254740993":  `{"result":9007199254740993}`,
		"two\nlines \"so\"": `{"result":"two\nlines \"so\""}`,
	} {
		got := wire.Object(raw)
		var object map[string]any
		if string(got) != want || json.Unmarshal(got, &object) != nil {
			t.Errorf("%q: got %s, want %s", raw, got, want)
		}
	}
}

func TestS52_CallID(t *testing.T) {
	t.Parallel()
	valid := regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)
	for _, id := range []string{"call_1", "a", strings.Repeat("x", 40)} {
		if got := wire.CallID(id, valid); got != id {
			t.Errorf("%q became %q", id, got)
		}
	}
	seen := map[string]string{}
	for _, id := range []string{"", "a.b", "a b", strings.Repeat("x", 41), strings.Repeat("x", 42), "ü", "a\n", "\xff"} {
		got := wire.CallID(id, valid)
		if !regexp.MustCompile(`^call_[0-9a-f]{24}$`).MatchString(got) || got != wire.CallID(id, valid) {
			t.Errorf("%q became %q", id, got)
		}
		if other, again := seen[got]; again {
			t.Errorf("%q and %q became the same", id, other)
		}
		seen[got] = id
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                             "",
		"gpt-4.1":                      "gpt-4.1",
		"a\nb\r\x00\x1b[31m\x7fc":      "ab[31mc",
		"modèle":                       "modèle",
		"a\xffb":                       "a\uFFFDb",
		strings.Repeat("x", 128):       strings.Repeat("x", 128),
		strings.Repeat("x", 129):       strings.Repeat("x", 128),
		strings.Repeat("x", 127) + "é": strings.Repeat("x", 127), // not half a letter
	} {
		if got := wire.Short(in); got != want || !utf8.ValidString(got) {
			t.Errorf("%q: got %q", in, got)
		}
	}
}

func TestWithoutThoughts(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                   "",
		" A boat.\n":                         "A boat.",
		"<think>hm</think>A boat.":           "A boat.",
		"\n <think>\nhm\n</think>\n\nA boat": "A boat",
		"<think></think>":                    "",
		"<think>hm":                          "",
		"<think>a</think>b</think>c":         "b</think>c", // as short as can be
		"A <think>boat</think>.":             "A <think>boat</think>.",
		"<thinking>a</thinking>":             "<thinking>a</thinking>",
	} {
		if got := wire.WithoutThoughts(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestValid(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "bo\u00e4t": "bo\u00e4t", "a\xff\xfeb": "a\uFFFDb", "\xc3": "\uFFFD"} {
		if got := wire.Valid(in); got != want {
			t.Errorf("%q: got %q", in, got)
		}
	}
}
