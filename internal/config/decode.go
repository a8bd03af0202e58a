package config

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"editor-actions/internal/secret"

	"github.com/goccy/go-yaml/ast"
)

// decoder fills Settings from YAML nodes and collects every problem. A library's
// strict decoder would stop at the first one.
type decoder struct {
	report
	file  string
	user  bool
	env   func(string) (string, bool)
	unset []unset
}

func root(s *Settings) reflect.Value { return reflect.ValueOf(s).Elem() }

var secretType = reflect.TypeFor[secret.String]()

// here is the place of a node.
func (d *decoder) here(node ast.Node) place {
	p := place{file: d.file, user: d.user}
	if !fromEnvironment(d.file) {
		p.line = lineOf(node)
	}
	return p
}

// value decodes node into v.
func (d *decoder) value(node ast.Node, v reflect.Value, key string) {
	if t, ok := node.(*ast.TagNode); ok {
		node = t.Value
	}
	if key != "" {
		d.lines[key] = d.here(node)
	}
	if _, ok := node.(*ast.NullNode); ok {
		d.null(v, key)
		return
	}
	switch {
	case v.Type() == secretType:
		if s, ok := d.text(node, key); ok {
			v.Set(reflect.ValueOf(secret.New(s)))
		}
	case v.Kind() == reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		d.value(node, p.Elem(), key)
		v.Set(p)
	case v.Kind() == reflect.Struct:
		d.mapping(node, key, func(name string, child ast.Node, at string) {
			f, ok := field(v, name)
			if !ok {
				d.lines[at] = d.here(child)
				d.problem(at, "is not a known key. Allowed here: %s", strings.Join(names(v.Type()), ", "))
				return
			}
			d.value(child, f, at)
		})
	case v.Kind() == reflect.Map:
		out := reflect.MakeMap(v.Type())
		d.mapping(node, key, func(name string, child ast.Node, at string) {
			e := reflect.New(v.Type().Elem()).Elem()
			if !entryName.MatchString(name) {
				d.lines[at] = d.here(child)
				d.problem(at, "must be a name of letters, digits, - and _, 64 at most")
				return
			}
			if e.Type() == reflect.TypeFor[ProviderConfiguration]() {
				e.Set(reflect.ValueOf(DefaultConfiguration()))
			}
			d.value(child, e, at)
			out.SetMapIndex(reflect.ValueOf(name), e)
		})
		v.Set(out)
	case v.Kind() == reflect.Slice:
		d.sequence(node, v, key)
	default:
		if s, ok := d.text(node, key); ok {
			d.scalar(s, v, key)
		}
	}
}

// entryName is what an entry of a map may be called: the name is part of an
// environment variable and of a database column.
var entryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// null is a key with nothing behind it. A block whose keys are all commented out
// changes nothing; a number has to be given.
func (d *decoder) null(v reflect.Value, key string) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == secretType {
			v.SetZero()
		}
	case reflect.String, reflect.Pointer, reflect.Slice:
		v.SetZero()
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	default:
		d.problem(key, "has no value: give one, or remove the key")
	}
}

// mapping walks the entries of a YAML mapping.
func (d *decoder) mapping(node ast.Node, key string, entry func(name string, child ast.Node, at string)) {
	var values []*ast.MappingValueNode
	switch n := node.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		if key == "" {
			d.problems = append(d.problems, &Problem{File: d.file, Line: lineOf(node), Text: "must be a mapping of keys"})
			return
		}
		d.problem(key, "must be a mapping of keys")
		return
	}
	seen := map[string]bool{}
	for _, kv := range values {
		name := kv.Key.GetToken().Value
		at := name
		if key != "" {
			at = key + "." + name
		}
		if seen[name] {
			d.problems = append(d.problems, &Problem{File: d.file, Line: lineOf(kv.Key), Key: at, Text: "stands here twice: keep one"})
			continue
		}
		seen[name] = true
		entry(name, kv.Value, at)
	}
}

func (d *decoder) sequence(node ast.Node, v reflect.Value, key string) {
	n, ok := node.(*ast.SequenceNode)
	if !ok {
		d.problem(key, "must be a list, for instance [a, b]")
		return
	}
	out := reflect.MakeSlice(v.Type(), len(n.Values), len(n.Values))
	for i, child := range n.Values {
		d.value(child, out.Index(i), fmt.Sprintf("%s[%d]", key, i))
	}
	v.Set(out)
}

// text is the source text of a scalar node, with ${NAME} replaced.
func (d *decoder) text(node ast.Node, key string) (string, bool) {
	var s string
	switch n := node.(type) {
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		s = n.Value.Value
	case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode, *ast.AnchorNode, *ast.AliasNode:
		d.problem(key, "must be a single value, written out")
		return "", false
	default:
		s = node.GetToken().Value
	}
	return d.expand(s, key)
}

func (d *decoder) scalar(s string, v reflect.Value, key string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Bool:
		switch s {
		case "true":
			v.SetBool(true)
		case "false":
			v.SetBool(false)
		default:
			d.problem(key, "%s: must be true or false", shown(s))
		}
	case reflect.Float64:
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			d.problem(key, "%s: must be a number, for instance 0.40", shown(s))
			return
		}
		v.SetFloat(n)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
		if err != nil {
			d.problem(key, "%s: must be a whole number", shown(s))
			return
		}
		v.SetInt(n)
	case reflect.Uint32:
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil {
			d.problem(key, "%s: must be a whole number from 0 to 4294967295", shown(s))
			return
		}
		v.SetUint(n)
	default:
		panic("config: settings have a type the decoder does not know: " + v.Type().String())
	}
}

// shown quotes a value for a message, bounded.
func shown(s string) string {
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	return strconv.Quote(s)
}

func field(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func names(t reflect.Type) []string {
	out := make([]string, t.NumField())
	for i := range t.NumField() {
		out[i] = t.Field(i).Tag.Get("yaml")
	}
	slices.Sort(out)
	return out
}

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}
