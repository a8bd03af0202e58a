package config_test

import (
	"errors"
	"strings"
	"testing"

	shipped "editor-actions/config"
	"editor-actions/internal/config"
)

// FuzzLoad feeds files of strangers: no panic, no secret in an error, and every
// problem names its file.
func FuzzLoad(f *testing.F) {
	f.Add(string(shipped.YAML), "")
	for _, seed := range []string{
		"", "~", "---\n...\n---\n", "a: b: c", "? [x]\n: y\n", "vision: &a {maxImageEdge: 1}\nagent: *a\n", "<<: {vision: {}}\n",
		"vision: !!map {maxImageEdge: !!int \"64\"}\n", "\"vision\": {'maxImageEdge': 64}\n", "typo3:\n  dsn: >-\n    mysql://u\n    x\n",
		"typo3: {dsn: |\n CANARY-7}\n", "fal: {allowedStorages: [.nan, 0x10, 1e3, -0]}\n", "providers: {configurations: {a: , b: ~, c: []}}\n", "typo3: {dsn: \"${A}${B_FILE}\"}\n",
	} {
		f.Add(seed, "x")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		env := environ("A", value, "EDITOR_ACTIONS_PROVIDERS__MODELS", value, "EDITOR_ACTIONS_PROVIDERS__CONFIGURATIONS", value)
		s, _, err := config.Load(file(t, text), env)
		if (s == nil) == (err == nil) {
			t.Fatalf("%v, %v", s, err)
		}
		if err == nil {
			return
		}
		problems := []error{err}
		if joined, ok := errors.AsType[interface {
			error
			Unwrap() []error
		}](err); ok {
			problems = joined.Unwrap()
		}
		for _, p := range problems {
			problem, ok := errors.AsType[*config.Problem](p)
			if !ok {
				t.Fatalf("no problem but %v", p)
			}
			if problem.File == "" || problem.Text == "" {
				t.Errorf("%#v", problem)
			}
		}
		if strings.Contains(err.Error(), "CANARY-7") && strings.Contains(text, "dsn: |\n CANARY-7") {
			t.Errorf("a secret is in %v", err)
		}
	})
}
