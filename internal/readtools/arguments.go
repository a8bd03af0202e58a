package readtools

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"editor-actions/internal/fault"
)

// maxArgumentBytes bounds the arguments of one call.
const maxArgumentBytes = 16 << 10

// maxEchoRunes bounds the part of an unknown argument's name that is repeated.
const maxEchoRunes = 40

// parameter is one argument a tool takes: a whole number from 1 to most, a text
// of at most most characters, or one of choices. The schema a model is offered and
// the check of its call are made from the same parameter.
type parameter struct {
	name        string
	description string
	required    bool
	number      bool
	most        int64
	choices     []string
	pattern     *regexp.Regexp // of a text
	example     string         // what pattern means, for a sentence
}

// uidParameter names a file.
var uidParameter = parameter{name: "uid", description: "uid of the file (sys_file)", required: true, number: true, most: math.MaxUint32}

// limitParameter bounds a page.
var limitParameter = parameter{name: "limit", description: "how many to list, 20 when left out", number: true, most: maxLimit}

const (
	maxLimit     = 50
	defaultLimit = 20
)

// wanted says in words what a value must be.
func (p *parameter) wanted() string {
	switch {
	case p.number:
		return "a whole number from 1 to " + strconv.FormatInt(p.most, 10)
	case len(p.choices) > 0:
		return "one of `" + strings.Join(p.choices, "`, `") + "`"
	case p.example != "":
		return p.example
	}
	return "a text of at most " + strconv.FormatInt(p.most, 10) + " characters"
}

// schema is the JSON schema of some parameters.
func schema(parameters []parameter) json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for _, p := range parameters {
		property := map[string]any{"type": "string", "description": p.description}
		switch {
		case p.number:
			property["type"], property["minimum"], property["maximum"] = "integer", 1, p.most
		case len(p.choices) > 0:
			property["enum"] = p.choices
		default:
			property["maxLength"] = p.most
		}
		properties[p.name] = property
		if p.required {
			required = append(required, p.name)
		}
	}
	b, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	if err != nil {
		panic(err) // strings and numbers only
	}
	return b
}

// arguments are the checked values of a call. What was left out is not in them.
type arguments map[string]any

func (a arguments) number(name string) uint32 {
	n, _ := a[name].(uint32)
	return n
}

func (a arguments) text(name string) string {
	s, _ := a[name].(string)
	return s
}

// limit is how many entries a page has.
func (a arguments) limit() int {
	if n := a.number(limitParameter.name); n > 0 {
		return int(n)
	}
	return defaultLimit
}

// readArguments reads one JSON object whose members are all parameters, each
// given once. The first thing that is wrong refuses the whole call. No arguments at
// all are an empty object; an empty text is as good as none.
func readArguments(raw json.RawMessage, parameters []parameter) (arguments, error) {
	if len(raw) > maxArgumentBytes {
		return nil, fault.New(fault.Invalid, "arguments_too_large", "The arguments are larger than %s bytes.", strconv.Itoa(maxArgumentBytes))
	}
	if !utf8.Valid(raw) {
		return nil, fault.New(fault.Invalid, "arguments_encoding", "The arguments are not valid UTF-8.")
	}
	args := arguments{}
	if len(raw) > 0 {
		if err := readMembers(raw, parameters, args); err != nil {
			return nil, err
		}
	}
	for _, p := range parameters {
		if _, given := args[p.name]; p.required && (!given || args[p.name] == "") {
			return nil, fault.New(fault.Invalid, "argument_missing", "The argument `%s` is missing.", p.name)
		}
	}
	return args, nil
}

func readMembers(raw json.RawMessage, parameters []parameter, args arguments) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errNotAnObject(err)
	}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return errNotAnObject(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return errNotAnObject(err)
		}
		at := slices.IndexFunc(parameters, func(p parameter) bool { return p.name == name })
		if at < 0 {
			return unknown(name, parameters)
		}
		if _, twice := args[name]; twice {
			return fault.New(fault.Invalid, "argument_duplicate", "The argument `%s` is given twice.", name)
		}
		if args[name], err = parameters[at].read(value); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return errNotAnObject(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errNotAnObject(err)
	}
	return nil
}

// wholeNumber is how a number is written: no sign, no fraction, no exponent, no
// leading zero.
var wholeNumber = regexp.MustCompile(`^[1-9][0-9]{0,9}$`)

// read checks one value.
func (p *parameter) read(value json.RawMessage) (any, error) {
	wrong := fault.New(fault.Invalid, "argument_type", "The argument `%s` must be %s.", p.name, p.wanted())
	if value[0] == 'n' && !p.number {
		return nil, fault.New(fault.Invalid, "argument_null", "The argument `%s` is null. Leave it out, or give a text.", p.name)
	}
	if p.number {
		n, err := strconv.ParseUint(string(value), 10, 32)
		if err != nil || !wholeNumber.Match(value) || int64(n) > p.most {
			return nil, wrong
		}
		return uint32(n), nil
	}
	var text string
	if value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return nil, wrong
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return nil, fault.New(fault.Invalid, "argument_control_character", "The argument `%s` has a control character in it.", p.name)
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", nil
	case len(p.choices) > 0 && !slices.Contains(p.choices, text),
		p.pattern != nil && !p.pattern.MatchString(text),
		p.most > 0 && int64(utf8.RuneCountInString(text)) > p.most:
		return nil, wrong
	}
	return text, nil
}

func errNotAnObject(cause error) error {
	f := fault.New(fault.Invalid, "arguments_not_object", "The arguments are not one JSON object.")
	if cause == nil {
		return f
	}
	return f.Because(cause)
}

func unknown(name string, parameters []parameter) error {
	known := make([]string, len(parameters))
	for i, p := range parameters {
		known[i] = p.name
	}
	return fault.New(fault.Invalid, "argument_unknown",
		"There is no argument `%s`. Allowed are: %s.", echo(name), "`"+strings.Join(known, "`, `")+"`")
}

// echo makes a name that a stranger chose fit to be repeated: word characters only.
func echo(name string) string {
	word := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, name)
	return word[:min(len(word), maxEchoRunes)]
}
