package guardrails

import (
	"errors"
	"fmt"
	"regexp"

	"editor-actions/internal/config"
)

// Action is what a verdict demands. It is a closed set, stored as the word.
type Action string

// The actions, weakest first.
const (
	Allow           Action = "allow"
	Redact          Action = "redact"
	RequireApproval Action = "require_approval"
	Deny            Action = "deny"
)

// Valid reports whether a is one of the known actions.
func (a Action) Valid() bool {
	switch a {
	case Allow, Redact, RequireApproval, Deny:
		return true
	}
	return false
}

// Identifiers of the built-in rules. They are stored in events and never change.
const (
	RuleSecrets = "secret-redaction"
	RuleSize    = "size-limit"
)

// mask stands for what was taken out.
const mask = "[masked]"

// maxScreened bounds the work on one text, in bytes. No prompt comes near it.
const maxScreened = 4 << 20

// Verdict is the answer about one text. Text is what may be sent: the same text,
// or the redacted one; it is empty when nothing may be sent. Rule is the
// identifier of the rule that decided, "" when none did.
type Verdict struct {
	Action Action
	Text   string
	Rule   string
}

// Rule describes one guardrail for operators.
type Rule struct {
	ID        string
	Action    Action
	Mandatory bool // cannot be switched off
}

// Screener holds compiled rules. It is immutable and safe for concurrent use.
type Screener struct {
	patterns []pattern
}

type pattern struct {
	name        string
	re          *regexp.Regexp
	action      Action
	replacement string
}

// New compiles the operator's patterns. All that is wrong with them is reported
// at once; a screener that would let something through by mistake is never made.
func New(cfg config.Guardrails) (*Screener, error) {
	s := &Screener{}
	var problems []error
	for i, p := range cfg.Patterns {
		compiled, err := compile(p)
		if err != nil {
			problems = append(problems, fmt.Errorf("guardrails.patterns[%d]: %w", i, err))
			continue
		}
		s.patterns = append(s.patterns, compiled)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return s, nil
}

func compile(p config.GuardrailPattern) (pattern, error) {
	action := Action(p.Verdict)
	if !action.Valid() || action == Allow {
		return pattern{}, fmt.Errorf("verdict %q: must be one of redact, deny, require_approval", p.Verdict)
	}
	if p.Name == "" || p.Name == RuleSecrets || p.Name == RuleSize {
		return pattern{}, fmt.Errorf("name %q: must not be empty or the name of a built-in rule", p.Name)
	}
	re, err := regexp.Compile(p.Pattern)
	if err != nil {
		return pattern{}, fmt.Errorf("pattern: %w", err)
	}
	if re.MatchString("") {
		return pattern{}, errors.New("pattern: matches a text without any character, so it would match everywhere")
	}
	replacement := p.Replacement
	if replacement == "" { // nothing in its place could join what must stay apart
		replacement = mask
	}
	return pattern{p.Name, re, action, replacement}, nil
}

// Rules lists what this screener applies, in order.
func (s *Screener) Rules() []Rule {
	rules := []Rule{{RuleSecrets, Redact, true}, {RuleSize, Deny, true}}
	for _, p := range s.patterns {
		rules = append(rules, Rule{ID: p.name, Action: p.action})
	}
	return rules
}

// Text screens one text. It never fails: what cannot be screened is denied.
func (s *Screener) Text(text string) Verdict {
	if len(text) > maxScreened {
		return Verdict{Action: Deny, Rule: RuleSize}
	}
	v := Verdict{Action: Allow, Text: text}
	if masked := MaskSecrets(text); masked != text {
		v = Verdict{Action: Redact, Text: masked, Rule: RuleSecrets}
	}
	var stop Verdict
	for _, p := range s.patterns {
		if !p.re.MatchString(v.Text) {
			continue
		}
		switch p.action {
		case Deny:
			return Verdict{Action: Deny, Rule: p.name}
		case RequireApproval:
			if stop.Action == "" {
				stop = Verdict{Action: RequireApproval, Rule: p.name}
			}
		case Redact:
			changed := p.re.ReplaceAllLiteralString(v.Text, p.replacement)
			if changed == v.Text {
				continue
			}
			v.Action, v.Text = Redact, changed
			if v.Rule == "" {
				v.Rule = p.name
			}
		default: // New makes no other
			return Verdict{Action: Deny, Rule: p.name}
		}
	}
	if stop.Action != "" {
		return stop
	}
	return v
}
