package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"editor-actions/internal/providers"
)

func TestTexts_EveryLanguageHasEveryKey(t *testing.T) {
	t.Parallel()
	for key, en := range english.texts {
		de, ok := german.texts[key]
		if !ok {
			t.Errorf("%s: no German text", key)
			continue
		}
		if en == "" || de == "" {
			t.Errorf("%s: empty text", key)
		}
		if verbs(en) != verbs(de) {
			t.Errorf("%s: %q and %q take different arguments", key, en, de)
		}
	}
	for key := range german.texts {
		if !english.Has(key) {
			t.Errorf("%s: no English text", key)
		}
	}
}

var verb = regexp.MustCompile(`%(\[\d+\])?[a-z]`)

// verbs is which arguments a format takes, in a fixed order.
func verbs(format string) string {
	found := verb.FindAllString(format, -1)
	if strings.Contains(format, "%[") {
		slices.Sort(found)
	}
	return strings.Join(found, "")
}

var (
	templateKey = regexp.MustCompile(`\(?\btn? "([a-z0-9_.]+)"`)
	keyInCode   = regexp.MustCompile(`"([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+|skip|for|optional|preview_of|signed_in_as|sign_out|length)"`)
)

// Keys that code puts together from a word of another room.
var builtKeys = []string{
	"field.", "month.", "error.heading.", "history.", "flash.", "step.", "outcome.", "cause.", "warning.", "status.",
	"why_not.", "check.", "action.", "review.when.", "review.pick.", "batch.skip.", "zone.", "vision.", "token_state.", "verdict.", "category.", "operator.", "reason.",
}

// Every way in which a provider fails is explained to the person who waits.
func TestTexts_EveryProviderFaultHasASentence(t *testing.T) {
	t.Parallel()
	seen := map[string]providers.Kind{}
	for _, k := range providers.Kinds() {
		for _, w := range languages() {
			key := Key("cause." + string(k))
			if !w.Has(key) || w.T(key) == "" {
				t.Errorf("%s: no sentence for %s", w.lang, k)
			}
			if other, ok := seen[w.T(key)]; ok {
				t.Errorf("%s: %s and %s have the same sentence", w.lang, k, other)
			}
			seen[w.T(key)] = k
		}
	}
}

func TestTexts_EveryKeyIsKnownAndUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	known := func(file, key string) {
		used[key] = true
		if english.Has(Key(key)) {
			return
		}
		if english.Has(Key(key+"_one")) && english.Has(Key(key+"_other")) {
			used[key+"_one"], used[key+"_other"] = true, true
			return
		}
		t.Errorf("%s: there is no text for %q", file, key)
	}
	err := fs.WalkDir(templateFiles, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(templateFiles, path)
		for _, m := range templateKey.FindAllStringSubmatch(string(b), -1) {
			known(path, m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	code, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range code {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "texts_") || strings.HasPrefix(path, "faults_") {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range keyInCode.FindAllStringSubmatch(string(b), -1) {
			used[m[1]] = true
			used[m[1]+"_one"], used[m[1]+"_other"] = true, true
		}
	}
	for key := range english.texts {
		k := string(key)
		built := slices.ContainsFunc(builtKeys, func(p string) bool { return strings.HasPrefix(k, p) })
		if !used[k] && !built {
			t.Errorf("the text %q is used nowhere", k)
		}
	}
}

// TestFaults_HaveSentencesInEveryLanguage walks the code base for the codes of
// faults: what a person can read must exist in German too. English travels with
// the fault itself.
func TestFaults_HaveSentencesInEveryLanguage(t *testing.T) {
	t.Parallel()
	codes := faultCodes(t, "../..")
	if len(codes) < 20 {
		t.Fatalf("only %d codes found", len(codes))
	}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		c := codes[code]
		de, ok := german.faults[code]
		if !ok {
			t.Errorf("%s (%s): no German sentence for %q", code, c.where, c.format)
			continue
		}
		if got, want := verbs(de), verbs(c.format); got != want && (want != "%s" || got != "") {
			t.Errorf("%s (%s): German takes %q, English %q", code, c.where, got, want)
		}
	}
	for code := range german.faults {
		if _, ok := codes[code]; !ok && !strings.HasPrefix(code, "text_") {
			t.Errorf("%s: a sentence for a code that nobody uses", code)
		}
	}
}

// silent are the rooms whose faults end on a terminal, where everything is English.
var silent = []string{"internal/config/", "internal/database/", "internal/demo/", "internal/testsite/", "cmd/"}

type foundCode struct{ where, format string }

var codeShape = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// faultCodes finds calls of fault.New, and calls of functions that hand a code
// on to it: those are calls with a code-shaped literal before a sentence.
func faultCodes(t *testing.T, root string) map[string]foundCode {
	t.Helper()
	codes := map[string]foundCode{}
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".") && name != ".." && name != "../.." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			slices.ContainsFunc(silent, func(room string) bool { return strings.Contains(filepath.ToSlash(path), "../"+room) }) {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			for i := 0; i+1 < len(call.Args); i++ {
				code, format := literal(call.Args[i]), literal(call.Args[i+1])
				if codeShape.MatchString(code) && (isFaultNew(call) || refuser(call)) && format != "" {
					codes[code] = foundCode{set.Position(call.Pos()).String(), format}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			if err == nil {
				return s
			}
		}
	case *ast.BinaryExpr:
		if a, b := literal(e.X), literal(e.Y); a != "" && b != "" {
			return a + b
		}
	}
	return ""
}

func isFaultNew(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "New" {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "fault"
}

// refuser reports whether a function's name says that it makes a fault.
func refuser(call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	if !ok {
		return false
	}
	name := strings.ToLower(id.Name)
	for _, word := range []string{"refuse", "reject", "fail", "bad", "invalid", "fault"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
