package typo3

import "strings"

// verdict of a condition. unclear means that it depends on what is not in the
// database.
type verdict int

const (
	no verdict = iota
	yes
	unclear
)

func (v verdict) not() verdict {
	switch v {
	case yes:
		return no
	case no:
		return yes
	}
	return unclear
}

func (v verdict) and(o verdict) verdict {
	switch {
	case v == no || o == no:
		return no
	case v == yes && o == yes:
		return yes
	}
	return unclear
}

func (v verdict) or(o verdict) verdict { return v.not().and(o.not()).not() }

// scope is a part of a text: all of it, the body of a condition, or of its else.
type scope struct {
	kind    scopeKind
	verdict verdict // of the condition of this scope alone
	applies verdict // whether TYPO3 reads what stands here
}

type scopeKind int

const (
	scopeText scopeKind = iota
	scopeCondition
	scopeElse
)

// tsReader reads one text line by line. Lines that TYPO3 does not understand
// are skipped, as TYPO3 does.
type tsReader struct {
	lines  []string
	at     int
	line   string
	who    *conditionUser
	config *TSconfig

	scope, outer *scope
	path         []*tsNode // open braces
}

func (r *tsReader) read() {
	r.scope = &scope{applies: yes}
	r.outer = r.scope
	r.unbrace()
	for r.next() {
		r.line = phpTrim(r.lines[r.at])
		switch {
		case r.line == "" || r.line[0] == '#' || strings.HasPrefix(r.line, "//"):
		case strings.HasPrefix(r.line, "/*"):
			r.skipComment()
		case r.line[0] == '[':
			r.condition()
		case r.line[0] == '}':
			if len(r.path) > 1 {
				r.path = r.path[:len(r.path)-1]
			}
		case strings.HasPrefix(r.line, "@import") || strings.HasPrefix(r.line, "<INCLUDE_TYPOSCRIPT:"):
			if r.scope.applies != no {
				r.config.Unreadable = true
			}
		default:
			r.statement()
		}
	}
}

func (r *tsReader) next() bool {
	r.at++
	return r.at < len(r.lines)
}

func (r *tsReader) unbrace() { r.path = []*tsNode{r.config.root} }

// current is the node whose braces are open.
func (r *tsReader) current() *tsNode { return r.path[len(r.path)-1] }

// skipComment goes to the line where a comment ends; the rest of that line is
// skipped as well, as TYPO3 does.
func (r *tsReader) skipComment() {
	for !strings.Contains(r.line, "*/") && r.at+1 < len(r.lines) {
		r.at++
		r.line = phpTrim(r.lines[r.at])
	}
}

// condition reads "[...]", "[else]", "[end]". Braces do not reach across it. The
// moves between scopes are those of TYPO3's TreeFromLineStreamBuilder: a condition
// ends the one before it, and lies inside an else that was not ended.
func (r *tsReader) condition() {
	upper := strings.ToUpper(r.line)
	switch {
	case strings.HasPrefix(upper, "[ELSE]"):
		if r.scope.kind == scopeCondition {
			v := r.scope.verdict.not()
			r.enter(r.outer, &scope{kind: scopeElse, verdict: v, applies: r.outer.applies.and(v)})
		}
		r.commentAfter(6)
		return
	case strings.HasPrefix(upper, "[END]"), strings.HasPrefix(upper, "[GLOBAL]"):
		if r.scope.kind != scopeText {
			r.scope = r.outer
		}
		r.unbrace()
		r.commentAfter(strings.IndexByte(r.line, ']') + 1)
		return
	}
	body, after, ok := bracketed(r.line)
	if !ok {
		return
	}
	if body != "" {
		if r.scope.kind == scopeCondition {
			r.scope = r.outer
		}
		v := r.who.evaluate(body)
		r.enter(r.scope, &scope{kind: scopeCondition, verdict: v, applies: r.scope.applies.and(v)})
	}
	r.line = phpTrim(after)
	if strings.HasPrefix(r.line, "/*") {
		r.skipComment()
	}
}

func (r *tsReader) enter(outer, inner *scope) {
	r.outer, r.scope = outer, inner
	r.unbrace()
}

func (r *tsReader) commentAfter(n int) {
	r.line = phpTrim(r.line[n:])
	if strings.HasPrefix(r.line, "/*") {
		r.skipComment()
	}
}

// bracketed splits "[body] rest"; brackets inside the body are counted.
func bracketed(line string) (body, after string, ok bool) {
	depth := 0
	for i := range len(line) {
		switch line[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return line[1:i], line[i+1:], true
			}
		}
	}
	return "", "", false
}

// statement reads "key operator ...".
func (r *tsReader) statement() {
	path, rest := identifier(r.line)
	rest = phpTrim(rest)
	switch {
	case strings.HasPrefix(rest, "=<"):
		r.change(path, func(n *tsNode) { // a reference, which nothing resolves in TSconfig
			n.value, n.unknown = nil, true
		})
	case strings.HasPrefix(rest, "="):
		r.assign(path, phpTrim(rest[1:]))
	case strings.HasPrefix(rest, "{"):
		n := &tsNode{} // of a body that is not read
		if r.scope.applies != no {
			n = r.current().make(path)
		}
		if !strings.HasPrefix(phpTrim(rest[1:]), "}") {
			r.path = append(r.path, n)
		}
	case strings.HasPrefix(rest, ">"):
		r.unset(path)
		r.commentIn(strings.Trim(rest, ">"))
	case strings.HasPrefix(rest, "<"):
		r.copyFrom(path, phpTrim(rest[1:]))
	case strings.HasPrefix(rest, "("):
		r.multiline(path, rest[1:])
	case strings.HasPrefix(rest, ":="):
		r.function(path, phpTrim(rest[2:]))
	case strings.HasPrefix(rest, "/*"):
		r.commentIn(rest)
	}
}

// commentIn skips a comment that begins where the rest of a line begins.
func (r *tsReader) commentIn(rest string) {
	if r.line = phpTrim(rest); strings.HasPrefix(r.line, "/*") {
		r.skipComment()
	}
}

// identifier reads a dotted key up to a blank or an operator. "\." is a dot
// inside a name. The first character is always part of the key.
func identifier(line string) (path []string, rest string) {
	var name strings.Builder
	end := func() {
		if name.Len() > 0 {
			path = append(path, name.String())
			name.Reset()
		}
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		if i > 0 && (strings.IndexByte(" \t=<>{(", c) >= 0 || strings.HasPrefix(line[i:], ":=")) {
			end()
			return path, line[i:]
		}
		switch {
		case strings.HasPrefix(line[i:], `\.`):
			name.WriteByte('.')
			i++
		case c == '.':
			end()
		default:
			name.WriteByte(c)
		}
	}
	end()
	return path, ""
}

// change applies a change of one node, or marks the node when whether TYPO3
// makes that change cannot be told.
func (r *tsReader) change(path []string, do func(*tsNode)) {
	if len(path) == 0 {
		return
	}
	switch r.scope.applies {
	case yes:
		do(r.current().make(path))
	case unclear:
		r.current().make(path).unknown = true
	}
}

func (r *tsReader) assign(path []string, value string) {
	r.change(path, func(n *tsNode) {
		n.value = &value
		if len(n.children) == 0 {
			n.unknown = false
		}
	})
}

func (r *tsReader) unset(path []string) {
	if len(path) == 0 {
		return
	}
	switch r.scope.applies {
	case yes:
		if parent := r.current().find(path[:len(path)-1]); parent != nil {
			delete(parent.children, path[len(path)-1])
		}
	case unclear:
		r.change(path, nil)
	}
}

func (r *tsReader) copyFrom(path []string, rest string) {
	from := r.config.root
	if strings.HasPrefix(rest, ".") {
		from, rest = r.current(), rest[1:]
	}
	if rest == "" || rest[0] == '#' || strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*") {
		r.commentIn(rest)
		return
	}
	source, after := identifier(rest)
	if len(source) > 0 && len(path) > 0 {
		if r.scope.applies == yes {
			if n := from.find(source); n != nil {
				copyNode(r.current(), path, n)
			}
		} else {
			r.change(path, nil)
		}
	}
	r.commentIn(after)
}

// multiline reads "key ( ... )". The text ends at a line that begins with ")".
// One that does not end is no assignment.
func (r *tsReader) multiline(path []string, rest string) {
	var b strings.Builder
	first, second, line := true, false, rest
	for {
		if after, ok := strings.CutPrefix(strings.TrimLeft(line, " \t\n\r\x00\x0b"), ")"); ok {
			if b.Len() > 0 {
				r.assign(path, b.String())
			}
			r.commentIn(after)
			return
		}
		if first && strings.HasSuffix(line, ")") {
			if line = line[:len(line)-1]; len(line) > 1 {
				r.assign(path, line)
			}
			return
		}
		if first && line != "" {
			b.WriteString(line + "\n")
		}
		if !first {
			if !second {
				b.WriteByte('\n')
			}
			b.WriteString(line)
		}
		if !r.next() {
			return
		}
		first, second = false, first
		line = r.lines[r.at]
	}
}

// function reads "name(argument)"; the argument may hold parentheses.
func (r *tsReader) function(path []string, rest string) {
	name, argument, ok := strings.Cut(rest, "(")
	if !ok || name == "" {
		return
	}
	depth := 1
	for i := range len(argument) {
		switch argument[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			r.change(path, func(n *tsNode) {
				n.unknown = n.unknown || !modify(n, name, argument[:i])
			})
			r.commentIn(argument[i+1:])
			return
		}
	}
}
