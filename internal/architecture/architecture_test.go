package architecture_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	module  = "editor-actions/"
	root    = "../.."
	maxLine = 450
)

// everywhere are the rooms that all others may import.
var everywhere = []string{"internal/fault", "internal/secret", "internal/config"}

// bottom rooms import each other only as the table says, not by the rule above.
var bottom = map[string]bool{
	"config": true, "migrations": true, "internal/fault": true, "internal/secret": true, "internal/config": true, "internal/architecture": true,
}

// below names packages under a room that the room itself may use.
var below = map[string][]string{"internal/demo": {"internal/demo/paint"}, "internal/config": {"config"}}

// owners are the only users of a foreign module. Tests of the whole service may use
// the client of a protocol that we serve.
var owners = map[string]string{
	"github.com/h2non/bimg":                  "internal/downscaler",
	"github.com/openai/openai-go":            "internal/providers/openai",
	"github.com/anthropics/anthropic-sdk-go": "internal/providers/anthropic",
	"google.golang.org/genai":                "internal/providers/gemini",
	"github.com/pressly/goose":               "internal/database",
	"github.com/labstack/echo":               "internal/web",
	"github.com/tink-crypto":                 "internal/suspend",
	"github.com/spf13/cobra":                 "cmd/editor-actions",
	protocol:                                 "internal/mcp",
	"github.com/wneessen/go-mail":            "internal/notice",
}

const protocol = "github.com/modelcontextprotocol/go-sdk"

var row = regexp.MustCompile("^\\| `([a-z0-9/-]+)/?` \\| .* \\| ([^|]*) \\|$")

// arrows reads the table of rooms.
func arrows(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		m := row.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		room := strings.TrimSuffix(m[1], "/")
		out[room] = nil
		for name := range strings.SplitSeq(m[2], ",") {
			switch name = strings.TrimSpace(name); name {
			case "-":
			case "all", "migrations":
				out[room] = append(out[room], name)
			default:
				out[room] = append(out[room], "internal/"+name)
			}
		}
	}
	if len(out) < 15 {
		t.Fatalf("ARCHITECTURE.md: found %d rooms only; has the table changed its shape?", len(out))
	}
	return out
}

type source struct {
	path, pkg string // relative to the module
	imports   []string
	lines     int
}

func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); base == "node_modules" || base == "testdata" || base == "tools" || (base != "." && strings.HasPrefix(base, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly)
		if err != nil {
			return err
		}
		s := source{path: name, pkg: path.Dir(name), lines: bytes.Count(data, []byte("\n"))}
		for _, imp := range f.Imports {
			s.imports = append(s.imports, strings.Trim(imp.Path.Value, `"`))
		}
		out = append(out, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("found %d Go files only", len(out))
	}
	return out
}

// roomOf is the room a package belongs to: "internal/demo/paint" is of "internal/demo".
func roomOf(pkg string, rooms map[string][]string) (string, bool) {
	for p := pkg; p != "."; p = path.Dir(p) {
		if _, ok := rooms[p]; ok {
			return p, true
		}
	}
	return "", false
}

// allowed is everything of ours that the packages of a room may import.
func allowed(room string, rooms map[string][]string) []string {
	out := slices.Concat(rooms[room], below[room])
	if !bottom[room] {
		out = append(out, everywhere...)
	}
	return out
}

func TestArrows_FollowTheMap(t *testing.T) {
	t.Parallel()
	rooms := arrows(t)
	for _, s := range sources(t) {
		if strings.HasSuffix(s.path, "_test.go") || s.pkg == "internal/architecture" {
			continue
		}
		room, ok := roomOf(s.pkg, rooms)
		if !ok {
			t.Errorf("%s: its package has no line in the table of ARCHITECTURE.md", s.path)
			continue
		}
		may := allowed(room, rooms)
		for _, imp := range s.imports {
			to, ours := strings.CutPrefix(imp, module)
			if !ours || slices.Contains(may, "all") || slices.Contains(may, to) {
				continue
			}
			if s.pkg != room && (to == room || strings.HasPrefix(to, room+"/")) {
				continue
			}
			t.Errorf("%s: imports %s, which ARCHITECTURE.md does not allow", s.path, to)
		}
	}
}

func TestArrows_TheMapHasNoCircleAndNoGhost(t *testing.T) {
	t.Parallel()
	rooms := arrows(t)
	var visit func(room string, way []string)
	visit = func(room string, way []string) {
		if slices.Contains(way, room) {
			t.Fatalf("the map of rooms has a circle: %v", append(way, room))
		}
		for _, to := range allowed(room, rooms) {
			if to != "all" {
				visit(to, append(slices.Clone(way), room))
			}
		}
	}
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		if _, err := os.Stat(filepath.Join(root, room)); err != nil {
			t.Errorf("ARCHITECTURE.md names a room that does not exist: %v", err)
		}
		visit(room, nil)
	}
}

func TestArrows_ForeignModulesHaveOneOwner(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, imp := range s.imports {
			for foreign, owner := range owners {
				if foreign == protocol && strings.HasSuffix(s.path, "_test.go") {
					continue
				}
				if (imp == foreign || strings.HasPrefix(imp, foreign+"/")) && s.pkg != owner {
					t.Errorf("%s: imports %s, which belongs to %s alone", s.path, imp, owner)
				}
			}
		}
	}
}

func TestFiles_StaySmall(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.lines >= maxLine {
			t.Errorf("%s: has %d lines, look for a seam (less than %d)", s.path, s.lines, maxLine)
		}
	}
}

func TestRooms_SayWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	for room := range arrows(t) {
		if !strings.HasPrefix(room, "internal/") {
			continue
		}
		names, err := filepath.Glob(filepath.Join(root, room, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found = found || bytes.Contains(data, []byte("// Package "+path.Base(room)+" "))
		}
		if !found {
			t.Errorf("%s: has no package comment", room)
		}
	}
}

// An adapter speaks one wire format and knows no other: what they share is in wire.
func TestProviders_NoAdapterImportsAnother(t *testing.T) {
	t.Parallel()
	const below = "internal/providers/"
	for _, s := range sources(t) {
		if !strings.HasPrefix(s.pkg, below) || strings.HasSuffix(s.path, "_test.go") {
			continue
		}
		for _, imp := range s.imports {
			other, ok := strings.CutPrefix(imp, "editor-actions/"+below)
			if ok && other != "wire" && below+other != s.pkg {
				t.Errorf("%s imports %s", s.path, imp)
			}
		}
	}
}
