package web

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, after string
		was, is             []diffPart
	}{
		{"nothing changed", "one two", "one two", []diffPart{{"one two", false}}, []diffPart{{"one two", false}}},
		{
			"a word in the middle", "a red boat", "a blue boat",
			[]diffPart{{"a ", false}, {"red ", true}, {"boat", false}},
			[]diffPart{{"a ", false}, {"blue ", true}, {"boat", false}},
		},
		{"a new text", "", "a boat", nil, []diffPart{{"a boat", true}}},
		{"a text taken away", "a boat", "", []diffPart{{"a boat", true}}, nil},
		{"hardly anything in common", "IMG 1234", "A boat on a lake", []diffPart{{"IMG 1234", true}}, []diffPart{{"A boat on a lake", true}}},
	} {
		was, is := diff(c.before, c.after)
		if d := cmp.Diff(c.was, was); d != "" {
			t.Errorf("%s, before: %s", c.name, d)
		}
		if d := cmp.Diff(c.is, is); d != "" {
			t.Errorf("%s, after: %s", c.name, d)
		}
	}
}

func FuzzDiff_LosesNothing(f *testing.F) {
	f.Add("a red boat", "a blue boat")
	f.Add(" a  b\n", "b\ta ")
	f.Fuzz(func(t *testing.T, before, after string) {
		was, is := diff(before, after)
		if joined(was) != before || joined(is) != after {
			t.Errorf("%q -> %q gives %v and %v", before, after, was, is)
		}
	})
}

func joined(parts []diffPart) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func TestWordsAccepted(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"": "en", "de": "de", "de-AT,de;q=0.9,en;q=0.8": "de", "fr,de;q=0.5,en;q=0.3": "de", "en-GB,de": "en", "fr": "en", ";;,": "en",
	} {
		if got := wordsAccepted(header).lang; got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
}

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"/review/1?a=b": "/review/1?a=b", "/files#x": "/files", "": "/files", "review": "/files", "//evil": "/files", "/\\evil": "/files",
		"http:/x": "/files", "/a\nb": "/files", "///evil": "/files",
	} {
		if got := localPath(next); got != want {
			t.Errorf("%q: %s, want %s", next, got, want)
		}
	}
}
