package typo3

import (
	"strconv"
	"strings"
)

// conditionUser is what conditions in TSconfig may ask about the user. A nil one
// leaves every such question open.
type conditionUser struct {
	uid    uint32
	admin  bool
	groups []uint32 // in their final order
}

// maxCondition and maxConditionDepth bound what a condition may be.
const (
	maxCondition      = 4096
	maxConditionDepth = 50
)

// evaluate answers a condition of TSconfig (a Symfony expression) as far as it
// is about the user: backend.user.isAdmin, isLoggedIn, userId, userGroupIds and
// userGroupList, with comparisons, "in", lists, like() and the logical operators.
// All else (request, date, page, workspace, functions of extensions) is unclear.
func (u *conditionUser) evaluate(expression string) verdict {
	if len(expression) > maxCondition {
		return unclear
	}
	tokens, ok := conditionTokens(expression)
	if !ok {
		return unclear
	}
	p := &conditionParser{tokens: tokens, user: u}
	v := p.or()
	if p.failed || len(p.tokens) > 0 {
		return unclear
	}
	return conditionTruth(v)
}

// open is a value that cannot be known here.
type open struct{}

// conditionTruth is PHP's truth of a value.
func conditionTruth(v any) verdict {
	truth := false
	switch v := v.(type) {
	case bool:
		truth = v
	case int64:
		truth = v != 0
	case string:
		truth = phpTrue(v)
	case []any:
		truth = len(v) > 0
	case nil:
	default:
		return unclear
	}
	if truth {
		return yes
	}
	return no
}

func verdictValue(v verdict) any {
	if v == unclear {
		return open{}
	}
	return v == yes
}

// conditionParser is a recursive descent over Symfony's operators, weakest first.
type conditionParser struct {
	tokens []conditionToken
	user   *conditionUser
	depth  int
	failed bool
}

func (p *conditionParser) fail() any {
	p.failed = true
	p.tokens = nil
	return open{}
}

func (p *conditionParser) peek() conditionToken {
	if len(p.tokens) == 0 {
		return conditionToken{}
	}
	return p.tokens[0]
}

// accept takes the next token if it is one of these operators or words.
func (p *conditionParser) accept(texts ...string) (string, bool) {
	t := p.peek()
	if t.kind != tokenOperator && t.kind != tokenWord {
		return "", false
	}
	for _, text := range texts {
		if t.text == text {
			p.tokens = p.tokens[1:]
			return text, true
		}
	}
	return "", false
}

func (p *conditionParser) or() any {
	if p.depth++; p.depth > maxConditionDepth {
		return p.fail()
	}
	defer func() { p.depth-- }()
	v := p.and()
	for {
		if _, ok := p.accept("||", "or"); !ok {
			return v
		}
		v = verdictValue(conditionTruth(v).or(conditionTruth(p.and())))
	}
}

func (p *conditionParser) and() any {
	v := p.comparison()
	for {
		if _, ok := p.accept("&&", "and"); !ok {
			return v
		}
		v = verdictValue(conditionTruth(v).and(conditionTruth(p.comparison())))
	}
}

func (p *conditionParser) comparison() any {
	v := p.concatenation()
	for {
		// "not" stands between operands only before "in".
		if p.peek().text == "not" && p.peek().kind == tokenWord {
			p.tokens = p.tokens[1:]
			if _, ok := p.accept("in"); !ok {
				return p.fail()
			}
			v = verdictValue(conditionIn(v, p.concatenation()).not())
			continue
		}
		op, ok := p.accept("==", "!=", "===", "!==", "<=", ">=", "<", ">", "in", "contains")
		if !ok {
			return v
		}
		v = verdictValue(compareCondition(op, v, p.concatenation()))
	}
}

func (p *conditionParser) concatenation() any {
	v := p.unary()
	for {
		if _, ok := p.accept("~"); !ok {
			return v
		}
		a, ok1 := conditionText(v)
		b, ok2 := conditionText(p.unary())
		if !ok1 || !ok2 {
			v = open{}
		} else {
			v = a + b
		}
	}
}

func (p *conditionParser) unary() any {
	if p.depth++; p.depth > maxConditionDepth {
		return p.fail()
	}
	defer func() { p.depth-- }()
	if _, ok := p.accept("!"); ok {
		return verdictValue(conditionTruth(p.unary()).not())
	}
	if _, ok := p.accept("not"); ok { // weaker than a comparison
		return verdictValue(conditionTruth(p.comparison()).not())
	}
	return p.primary()
}

func (p *conditionParser) primary() any {
	t := p.peek()
	if len(p.tokens) == 0 {
		return p.fail()
	}
	p.tokens = p.tokens[1:]
	switch t.kind {
	case tokenText:
		return t.text
	case tokenNumber:
		n, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil {
			return open{}
		}
		return n
	case tokenWord:
		return p.word(t.text)
	case tokenOperator:
		switch t.text {
		case "(":
			v := p.or()
			if _, ok := p.accept(")"); !ok {
				return p.fail()
			}
			return v
		case "[":
			items, ok := p.items("]")
			if !ok {
				return p.fail()
			}
			return items
		}
	}
	return p.fail()
}

// items reads "a, b" up to the end mark.
func (p *conditionParser) items(end string) ([]any, bool) {
	items := []any{}
	if _, ok := p.accept(end); ok {
		return items, true
	}
	for {
		items = append(items, p.or())
		if _, ok := p.accept(end); ok {
			return items, true
		}
		if _, ok := p.accept(","); !ok {
			return nil, false
		}
	}
}

// word reads true, a property such as backend.user.isAdmin, or a call.
func (p *conditionParser) word(name string) any {
	switch strings.ToLower(name) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if _, ok := p.accept("("); ok {
		arguments, ok := p.items(")")
		if !ok {
			return p.fail()
		}
		return p.member(call(name, arguments), "")
	}
	return p.member(p.user.property(name), name)
}

// member follows ".name", "[key]" and calls of methods.
func (p *conditionParser) member(v any, name string) any {
	for {
		if _, ok := p.accept(".", "?."); ok {
			t := p.peek()
			if t.kind != tokenWord {
				return p.fail()
			}
			p.tokens = p.tokens[1:]
			if name != "" {
				name += "." + t.text
			}
			v = p.user.property(name)
			continue
		}
		if _, ok := p.accept("["); ok {
			if _, ok := p.items("]"); !ok {
				return p.fail()
			}
			v, name = open{}, ""
			continue
		}
		if _, ok := p.accept("("); ok {
			if _, ok := p.items(")"); !ok {
				return p.fail()
			}
			v, name = open{}, ""
			continue
		}
		return v
	}
}

// property is a variable of TYPO3's conditions.
func (u *conditionUser) property(name string) any {
	if u == nil {
		return open{}
	}
	switch name {
	case "backend.user.isAdmin":
		return u.admin
	case "backend.user.isLoggedIn":
		return true
	case "backend.user.userId":
		return int64(u.uid)
	case "backend.user.userGroupIds":
		ids := make([]any, len(u.groups))
		for i, g := range u.groups {
			ids[i] = int64(g)
		}
		return ids
	case "backend.user.userGroupList":
		ids := make([]string, len(u.groups))
		for i, g := range u.groups {
			ids[i] = decimal(g)
		}
		return strings.Join(ids, ",")
	}
	return open{}
}

// call knows like(text, pattern), with "*" and "?" as wildcards.
func call(name string, arguments []any) any {
	if name != "like" || len(arguments) != 2 {
		return open{}
	}
	text, ok1 := conditionText(arguments[0])
	pattern, ok2 := conditionText(arguments[1])
	if !ok1 || !ok2 || strings.HasPrefix(pattern, "/") { // a regular expression of PHP
		return open{}
	}
	if pattern == "" || pattern == "0" {
		return text == pattern
	}
	return wildcard([]rune(pattern), []rune(text))
}

// wildcard matches a whole text. It works in time pattern x text.
func wildcard(pattern, text []rune) bool {
	reach := make([]bool, len(text)+1)
	reach[0] = true
	for _, p := range pattern {
		if p == '*' {
			for i := 1; i <= len(text); i++ {
				reach[i] = reach[i] || reach[i-1]
			}
			continue
		}
		for i := len(text); i >= 1; i-- {
			reach[i] = reach[i-1] && (p == '?' || p == text[i-1])
		}
		reach[0] = false
	}
	return reach[len(text)]
}

// conditionText is PHP's cast to text.
func conditionText(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case bool:
		if v {
			return "1", true
		}
		return "", true
	case int64:
		return strconv.FormatInt(v, 10), true
	case string:
		return v, true
	}
	return "", false
}

func compareCondition(op string, a, b any) verdict {
	switch op {
	case "in":
		return conditionIn(a, b)
	case "contains":
		text, ok1 := a.(string)
		part, ok2 := b.(string)
		if !ok1 || !ok2 {
			return unclear
		}
		return known(strings.Contains(text, part))
	case "==", "===":
		return conditionEqual(a, b)
	case "!=", "!==":
		return conditionEqual(a, b).not()
	}
	x, ok1 := a.(int64)
	y, ok2 := b.(int64)
	if !ok1 || !ok2 {
		return unclear
	}
	switch op {
	case "<":
		return known(x < y)
	case "<=":
		return known(x <= y)
	case ">":
		return known(x > y)
	}
	return known(x >= y)
}

func known(b bool) verdict {
	if b {
		return yes
	}
	return no
}

// conditionEqual compares values of one type. How PHP would juggle two types
// depends on the operator and the version: that is unclear.
func conditionEqual(a, b any) verdict {
	switch x := a.(type) {
	case bool:
		if y, ok := b.(bool); ok {
			return known(x == y)
		}
	case int64:
		if y, ok := b.(int64); ok {
			return known(x == y)
		}
	case string:
		y, ok := b.(string)
		if ok && x == y {
			return yes
		}
		if ok && !numeric(x) && !numeric(y) { // PHP compares "1" and "01" as numbers
			return no
		}
	}
	return unclear
}

// numeric is generous: what may look like a number to PHP.
func numeric(s string) bool { return strings.ContainsAny(s, "0123456789") }

func conditionIn(a, b any) verdict {
	items, ok := b.([]any)
	if !ok {
		return unclear
	}
	v := no
	for _, item := range items {
		v = v.or(conditionEqual(a, item))
	}
	return v
}
