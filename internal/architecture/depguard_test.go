package architecture_test

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The linter shows a wrong arrow in the editor, the test above on any machine:
// both must say the same.
func TestDepguard_SaysWhatTheMapSays(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(root, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var lint struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]struct {
						ListMode string   `yaml:"list-mode"`
						Files    []string `yaml:"files"`
						Allow    []string `yaml:"allow"`
						Deny     []struct {
							Pkg string `yaml:"pkg"`
						} `yaml:"deny"`
					} `yaml:"rules"`
				} `yaml:"depguard"`
			} `yaml:"settings"`
		} `yaml:"linters"`
	}
	if err := yaml.Unmarshal(data, &lint); err != nil {
		t.Fatal(err)
	}
	rules, rooms := lint.Linters.Settings.Depguard.Rules, arrows(t)
	for room := range rooms {
		if !strings.HasPrefix(room, "internal/") {
			continue
		}
		rule, ok := rules[path.Base(room)]
		if !ok {
			t.Errorf(".golangci.yml: depguard has no rule %q", path.Base(room))
			continue
		}
		if len(rule.Deny) != 1 || rule.Deny[0].Pkg != module || rule.ListMode != "lax" || !slices.Contains(rule.Files, "**/"+room+"/**") {
			t.Errorf(".golangci.yml: depguard rule %s does not deny %s in %s", path.Base(room), module, room)
		}
		want := []string{module + room}
		for _, to := range allowed(room, rooms) {
			if !strings.HasPrefix(to, room+"/") {
				want = append(want, module+to+"$")
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		slices.Sort(rule.Allow)
		if !slices.Equal(rule.Allow, want) {
			t.Errorf(".golangci.yml: depguard rule %s allows\n%v, the map of rooms\n%v", path.Base(room), rule.Allow, want)
		}
	}
}
