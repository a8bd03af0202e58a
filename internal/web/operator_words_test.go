package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What the providers room says to operators has a German sentence, and none is left over.
func TestOperator_EveryDetailHasAGermanSentence(t *testing.T) {
	t.Parallel()
	found := operatorDetails(t, "../providers")
	if len(found) < 30 {
		t.Fatalf("only %d details found", len(found))
	}
	for en, where := range found {
		de, ok := germanOperatorDetails[en]
		if !ok {
			t.Errorf("%s: no German sentence for %q", where, en)
			continue
		}
		if got, want := len(formatVerb.FindAllString(en, -1)), strings.Count(de, "%"); got != want {
			t.Errorf("%q and %q take different arguments", en, de)
		}
	}
	for en := range germanOperatorDetails {
		if _, ok := found[en]; !ok {
			t.Errorf("a sentence for a detail that nobody uses: %q", en)
		}
	}
}

func TestOperator_KeepsTheArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ detail, en, de string }{
		{"the connection was refused", "The connection was refused.", "Die Verbindung wurde abgelehnt."},
		{"the model tiny-1 does not declare vision", "The model tiny-1 does not declare vision.", "Für das Modell tiny-1 ist nicht angegeben, dass es Bilder sieht."},
		{"groq takes 5 pictures, not 6", "groq takes 5 pictures, not 6.", "groq nimmt 5 Bilder an, nicht 6."},
	} {
		if got := english.operator(c.detail); got != (operatorView{Text: c.en}) {
			t.Errorf("English: %+v", got)
		}
		if got := german.operator(c.detail); got != (operatorView{Text: c.de}) {
			t.Errorf("German: %+v", got)
		}
	}
	if got := german.operator("words of another version"); got != (operatorView{Text: "words of another version", Lang: "en"}) {
		t.Errorf("%+v", got)
	}
	if got := english.operator("words of another version"); got.Lang != "" {
		t.Errorf("%+v", got)
	}
}

// operatorDetails finds the texts that become the detail of a provider's error or of a
// check: literals with a blank in calls that make one, in fields named Detail, and in tables behind
// the kind of a failure.
func operatorDetails(t *testing.T, root string) map[string]string {
	t.Helper()
	makers := []string{"Fail", "fail", "no", "unsupported", "BadAnswer", "large"}
	found := map[string]string{}
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "providertest" {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		take := func(e ast.Expr) {
			if call, ok := e.(*ast.CallExpr); ok && nameOf(call.Fun) == "Sprintf" {
				e = call.Args[0]
			}
			if text := literal(e); strings.Contains(text, " ") {
				found[text] = set.Position(e.Pos()).String()
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if slices.Contains(makers, nameOf(n.Fun)) {
					for _, a := range n.Args {
						take(a)
					}
				}
			case *ast.CompositeLit: // a row of a table: words of a vendor, the kind, our words
				for i := 1; i < len(n.Elts); i++ {
					if kind, ok := n.Elts[i-1].(*ast.SelectorExpr); ok && nameOf(kind.X) == "providers" {
						take(n.Elts[i])
					}
				}
			case *ast.KeyValueExpr:
				if nameOf(n.Key) == "Detail" || nameOf(n.Key) == "detail" {
					take(n.Value)
				}
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if nameOf(to) == "Detail" && i < len(n.Rhs) {
						take(n.Rhs[i])
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// Every reason that the gate or the catalogue gives has a sentence.
func TestReasons_HaveSentences(t *testing.T) {
	t.Parallel()
	found := 0
	for _, path := range []string{"../falgate/file.go", "../actions/reason.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 || !strings.HasPrefix(strings.ToLower(spec.Names[0].Name), "reason") {
				return true
			}
			found++
			if reason := literal(spec.Values[0]); !english.Has(Key("reason." + reason)) {
				t.Errorf("%s: no sentence for %q", path, reason)
			}
			return true
		})
	}
	if texts := len(englishReasonTexts); found != texts {
		t.Errorf("%d reasons, %d sentences", found, texts)
	}
}
