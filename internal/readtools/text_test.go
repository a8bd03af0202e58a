package readtools_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"editor-actions/internal/readtools"
)

func TestClean_TakesOutWhatHidesOrTurnsWords(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"harbour.jpg":                          "harbour.jpg",
		"a\u202egpj.exe":                       "agpj.exe",
		"x\u2066y\u2069z":                      "xyz",
		"a\x00b\x1bc\u0085d":                   "abc\nd",
		"hide\U000E0049\U000E0067me":           "hideme",
		"zero\u200bwidth\ufeff":                "zerowidth",
		"bytes\ufe00\ufe01\ufe02 in selectors": "bytes\ufe00 in selectors",
		"heart ❤\ufe0f stays":                  "heart ❤\ufe0f stays",
		"family 👨\u200d👩\u200d👧 stays":         "family 👨\u200d👩\u200d👧 stays",
		"one\r\ntwo\u2028three":                "one\ntwo\nthree",
		"bad \xff byte":                        "bad \uFFFD byte",
		"  edges \n":                           "edges",
	} {
		if got := readtools.Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := readtools.CleanLine("a\r\nb\tc"); got != "a b c" {
		t.Errorf("%q", got)
	}
}

func TestCut_BetweenCharactersAndWithAMark(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("ä", 100), strings.Repeat("👨\u200d👩\u200d👧", 20), strings.Repeat("e\u0301", 80), "a" + strings.Repeat("\u0301", 5000), strings.Repeat("🇩🇪", 40),
	} {
		for limit := 6; limit < 90; limit++ {
			got, was := readtools.Cut(text, limit)
			if !was || len(got) > limit || !utf8.ValidString(got) || !strings.HasSuffix(got, "…") || !strings.HasPrefix(text, strings.TrimSuffix(got, "…")) {
				t.Fatalf("%d of %.20q: %q", limit, text, got)
			}
			if rest := text[len(got)-len("…"):]; strings.HasPrefix(rest, "\u0301") || strings.HasPrefix(rest, "\u200d") {
				t.Fatalf("%d of %.20q: a character is torn: %q", limit, text, got)
			}
		}
	}
	if got, was := readtools.Cut("short", 5); was || got != "short" {
		t.Errorf("%q, %v", got, was)
	}
}
