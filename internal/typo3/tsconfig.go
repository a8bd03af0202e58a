package typo3

import (
	"maps"
	"slices"
	"strings"
)

// maxTSconfig bounds one text; real ones have some kB.
const maxTSconfig = 1 << 20

// decisive are the keys that rights are read from. What cannot be evaluated
// matters only where it could change one of them.
var decisive = []string{"permissions.file", "options.folderTree", "options.workspaces", "auth.mfa"}

// TSconfig is a user's TSconfig, as a tree of values.
type TSconfig struct {
	// Unreadable is set when a key that decides about rights depends on what the
	// database does not hold: an import, a condition on the request or the date, a
	// function of an extension. Whoever asks for a right must deny then.
	Unreadable bool

	root *tsNode
}

// tsNode is a node of TypoScript: a value, children, both or neither.
type tsNode struct {
	value    *string
	children map[string]*tsNode
	unknown  bool // whether this node or what is below it is as it stands here cannot be told
}

// ParseTSconfig reads texts in order; later ones win. It never fails. Conditions
// on the user cannot be answered by it: see parseTSconfig.
func ParseTSconfig(texts ...string) *TSconfig { return parseTSconfig(nil, texts...) }

// parseTSconfig reads texts as TYPO3 12 and later do (LossyTokenizer, AstBuilder);
// who answers conditions on the user. Every text begins outside of braces and
// conditions.
func parseTSconfig(who *conditionUser, texts ...string) *TSconfig {
	t := &TSconfig{root: &tsNode{}}
	for _, text := range texts {
		if len(text) > maxTSconfig {
			t.Unreadable = true
			continue
		}
		r := &tsReader{lines: strings.Split(text, "\n"), at: -1, who: who, config: t}
		for i, l := range r.lines {
			r.lines[i] = strings.TrimRight(l, "\r")
		}
		r.read()
	}
	t.Unreadable = t.Unreadable || t.root.undecided("")
	return t
}

// Lookup finds the value of a dotted key.
func (t *TSconfig) Lookup(key string) (string, bool) {
	n := t.root
	for name := range strings.SplitSeq(key, ".") {
		if n = n.children[name]; n == nil {
			return "", false
		}
	}
	if n.value == nil {
		return "", false
	}
	return *n.value, true
}

// undecided reports whether a key that decides may be other than it stands here.
func (n *tsNode) undecided(at string) bool {
	if n.unknown && slices.ContainsFunc(decisive, func(key string) bool { return overlap(at, key) }) {
		return true
	}
	for name, child := range n.children {
		path := name
		if at != "" {
			path = at + "." + name
		}
		if child.undecided(path) {
			return true
		}
	}
	return false
}

// overlap reports whether one of two keys is the other or lies below it.
func overlap(a, b string) bool {
	return a == b || a == "" || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

func (n *tsNode) child(name string) *tsNode {
	c := n.children[name]
	if c == nil {
		c = &tsNode{}
		n.add(name, c)
	}
	return c
}

func (n *tsNode) add(name string, c *tsNode) {
	if n.children == nil {
		n.children = map[string]*tsNode{}
	}
	n.children[name] = c
}

func (n *tsNode) find(path []string) *tsNode {
	for _, name := range path {
		if n == nil {
			return nil
		}
		n = n.children[name]
	}
	return n
}

func (n *tsNode) make(path []string) *tsNode {
	for _, name := range path {
		n = n.child(name)
	}
	return n
}

func (n *tsNode) clone() *tsNode {
	c := &tsNode{value: n.value, unknown: n.unknown, children: maps.Clone(n.children)}
	for name, child := range c.children {
		c.children[name] = child.clone()
	}
	return c
}

// copyNode is "target < source": the source's children take the place of the
// target's; a value that the source has not leaves the target's.
func copyNode(parent *tsNode, path []string, source *tsNode) {
	parent, name := parent.make(path[:len(path)-1]), path[len(path)-1]
	c := source.clone()
	if old := parent.children[name]; c.value == nil && old != nil && old.value != nil && phpTrue(*old.value) {
		c.value = old.value
		c.unknown = c.unknown || old.unknown
	}
	parent.add(name, c)
}

// modify is "key := function(argument)"; false when only TYPO3 itself can tell.
func modify(n *tsNode, function, argument string) bool {
	old := ""
	if n.value != nil {
		old = *n.value
	}
	var v string
	switch function {
	case "prependString":
		v = argument + old
	case "appendString":
		v = old + argument
	case "removeString":
		v = replaceAll(old, argument, "")
	case "replaceString":
		from, to, _ := strings.Cut(argument, "|")
		v = replaceAll(old, from, to)
	case "addToList":
		v = argument
		if n.value != nil {
			v = old + "," + argument
		}
	case "removeFromList":
		gone := explode(argument)
		v = strings.Join(slices.DeleteFunc(explode(old), func(s string) bool { return slices.Contains(gone, s) }), ",")
	case "uniqueList":
		var items []string
		for _, item := range explode(old) {
			if !slices.Contains(items, item) {
				items = append(items, item)
			}
		}
		v = strings.Join(items, ",")
	case "reverseList":
		items := explode(old)
		slices.Reverse(items)
		v = strings.Join(items, ",")
	default: // sortList by PHP's rules, getEnv, functions of extensions
		return false
	}
	n.value = &v
	return true
}

// replaceAll is PHP's str_replace: an empty search changes nothing.
func replaceAll(s, from, to string) string {
	if from == "" {
		return s
	}
	return strings.ReplaceAll(s, from, to)
}

// explode is TYPO3's trimExplode: items are trimmed, empty ones stay.
func explode(s string) []string {
	items := strings.Split(s, ",")
	for i := range items {
		items[i] = phpTrim(items[i])
	}
	return items
}

// phpTrim strips what PHP's trim does: ASCII blanks, not those of Unicode.
func phpTrim(s string) string { return strings.Trim(s, " \t\n\r\x00\x0b") }
