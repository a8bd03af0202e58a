package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	shipped "editor-actions/config"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	// maxFileBytes bounds a settings file or a secret's file; the shipped one has 7 kB.
	maxFileBytes = 256 << 10
	// maxMarks bounds what makes structure: the parser's time and memory grow with
	// the square of nesting.
	maxMarks = 5000
)

// shippedName is how messages call the shipped file.
const shippedName = "config/ext.yaml"

// Loader reads settings. The zero value reads the shipped ones only.
type Loader struct {
	File string                           // a site's own file, "" = none
	Env  func(name string) (string, bool) // nil = no environment
	// Overlay fills TYPO3 settings from the file that typo3.settingsFile names; set
	// reports which keys ("typo3.lockIP") the site itself has set: those stay.
	Overlay func(t *TYPO3, set func(key string) bool) error
}

// Load reads and checks everything. The error joins all problems.
func (l Loader) Load() (*Settings, []Warning, error) {
	var s Settings
	d := &decoder{
		report: report{lines: map[string]place{}, bad: map[string]bool{}},
		file:   shippedName, env: l.Env,
	}
	d.read(shipped.YAML, &s)
	if l.File != "" {
		data, err := readFile(l.File)
		if problem, ok := errors.AsType[*Problem](err); ok {
			return nil, nil, problem
		}
		if err != nil {
			return nil, nil, fmt.Errorf("settings file: %w", err)
		}
		d.file, d.user = l.File, true
		d.read(data, &s)
	}
	d.environment(&s)
	d.missingVariables(&s)
	d.shippedReminder(&s.Review)
	if l.Overlay != nil && s.TYPO3.SettingsFile != "" {
		if err := l.Overlay(&s.TYPO3, d.set); err != nil {
			d.problem("typo3.settingsFile", "%v", err)
		}
	}
	v := &validator{report: &d.report}
	v.checking = true
	v.settings(&s)
	if len(d.problems) > 0 {
		return nil, nil, d.err()
	}
	return &s, v.warnings, nil
}

// shippedReminder moves a reminder that the site did not ask for to the day before a
// short expiry, so that a shorter review.expireAfterDays alone is no error.
func (d *decoder) shippedReminder(r *Review) {
	if !d.set("review.remindAfterDays") && r.ExpireAfterDays > 0 && r.RemindAfterDays >= r.ExpireAfterDays {
		r.RemindAfterDays = r.ExpireAfterDays - 1
	}
}

// readFile reads a bounded text file.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // G304: the operator names the file
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read-only
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFileBytes {
		return nil, &Problem{File: path, Text: fmt.Sprintf("is larger than %d bytes: that is no settings file", maxFileBytes)}
	}
	if !utf8.Valid(data) {
		return nil, &Problem{File: path, Text: "is not UTF-8: save it as UTF-8"}
	}
	return data, nil
}

// read decodes one YAML document over s.
func (d *decoder) read(data []byte, s *Settings) {
	body, err := parseYAML(data)
	if err != nil {
		err.File = d.file
		d.problems = append(d.problems, err)
		return
	}
	if body != nil {
		d.value(body, root(s), "")
	}
}

// parseYAML returns the root of the only document, nil when there is nothing in it.
func parseYAML(data []byte) (ast.Node, *Problem) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if marks(data) > maxMarks {
		return nil, &Problem{Text: fmt.Sprintf("has more than %d keys, entries, quotes and brackets: that is no settings file", maxMarks)}
	}
	// A key that stands twice is our own message: the parser would stop there.
	f, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		line, text := syntaxError(err)
		return nil, &Problem{Line: line, Text: text}
	}
	var bodies []ast.Node
	for _, doc := range f.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return nil, nil // an empty document is neither a value nor an error
	case 1:
		return bodies[0], nil
	}
	return nil, &Problem{Line: lineOf(bodies[1]), Text: "holds more than one YAML document: keep one"}
}

// marks counts the tokens that make structure. Reading tokens takes time in
// proportion to the text, parsing them does not.
func marks(data []byte) int {
	n := 0
	for _, t := range lexer.Tokenize(string(data)) {
		switch t.Type {
		case token.SequenceEntryType, token.SequenceStartType, token.MappingStartType, token.MappingKeyType, token.MappingValueType,
			token.AnchorType, token.AliasType, token.TagType, token.DocumentHeaderType, token.LiteralType, token.FoldedType, token.SingleQuoteType, token.DoubleQuoteType:
			n++
		default:
		}
	}
	return n
}

// syntaxError takes line and reason out of the parser's text, which goes on with
// an excerpt of the file: an excerpt may hold a secret.
func syntaxError(err error) (int, string) {
	first, _, _ := strings.Cut(err.Error(), "\n")
	var line, column int
	if _, scanErr := fmt.Sscanf(first, "[%d:%d]", &line, &column); scanErr == nil {
		_, first, _ = strings.Cut(first, "] ")
	}
	return line, "is not valid YAML: " + first
}
