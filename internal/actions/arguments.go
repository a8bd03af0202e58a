package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"editor-actions/internal/fault"
)

// maxArgumentBytes bounds the arguments of one call. The longest valid call is
// far below it, and a column of 64 KiB holds whatever passes.
const maxArgumentBytes = 64 << 10

// maxEchoRunes bounds the part of an unknown argument's name that is repeated.
const maxEchoRunes = 40

// argument is one member of the arguments object: a text, or the literal of a number.
type argument struct {
	text   string
	number bool
}

// member is one name and value of a JSON object, as written.
type member struct {
	name  string
	value json.RawMessage
}

// readMembers takes one JSON object apart without losing duplicates or order.
// It is stricter than encoding/json on purpose: the same bytes are shown,
// decided and written, so nothing in them may have two readings.
func readMembers(raw json.RawMessage) ([]member, error) {
	if len(raw) > maxArgumentBytes {
		return nil, fault.New(fault.Invalid, "arguments_too_large", "The arguments are larger than %s bytes.", decimal(maxArgumentBytes))
	}
	if !utf8.Valid(raw) {
		return nil, fault.New(fault.Invalid, "arguments_encoding", "The arguments are not valid UTF-8.")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errNotAnObject(err)
	}
	var members []member
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, errNotAnObject(err)
		}
		name, ok := t.(string)
		if !ok {
			return nil, errNotAnObject(nil)
		}
		m := member{name: name}
		if err := d.Decode(&m.value); err != nil {
			return nil, errNotAnObject(err)
		}
		members = append(members, m)
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return nil, errNotAnObject(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotAnObject(err)
	}
	return members, nil
}

// readArguments reads a flat object of texts and numbers whose members are all
// in known. The first member that is not refuses the whole call by name.
func readArguments(raw json.RawMessage, known []string) (map[string]argument, error) {
	members, err := readMembers(raw)
	if err != nil {
		return nil, err
	}
	args := make(map[string]argument, len(known))
	for _, m := range members {
		if !slices.Contains(known, m.name) {
			return nil, fault.New(fault.Invalid, "argument_unknown",
				"There is no argument `%s`. Allowed are: %s.", echo(m.name), "`"+strings.Join(known, "`, `")+"`")
		}
		if _, twice := args[m.name]; twice {
			return nil, fault.New(fault.Invalid, "argument_duplicate", "The argument `%s` is given twice.", m.name)
		}
		if args[m.name], err = m.scalar(); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// scalar reads a text or a number; a number keeps its literal.
func (m member) scalar() (argument, error) {
	switch c := m.value[0]; {
	case c == '"':
		var text string
		if err := json.Unmarshal(m.value, &text); err != nil {
			return argument{}, errNotAnObject(err)
		}
		return argument{text: text}, nil
	case c == '-' || c >= '0' && c <= '9':
		return argument{text: string(m.value), number: true}, nil
	case c == 'n':
		return argument{}, fault.New(fault.Invalid, "argument_null", "The argument `%s` is null. Leave it out, or give a text.", m.name)
	default:
		return argument{}, fault.New(fault.Invalid, "argument_type", "The argument `%s` must be %s.", m.name, wantedType(m.name))
	}
}

func errNotAnObject(cause error) error {
	f := fault.New(fault.Invalid, "arguments_not_object", "The arguments are not one JSON object.")
	if cause == nil {
		return f
	}
	return f.Because(cause)
}

func wantedType(name string) string {
	if name == argUID {
		return "a whole number"
	}
	return "a text"
}

// wholeNumber is how a uid is written: no sign, no fraction, no exponent, no
// leading zero, so that it has one reading.
var wholeNumber = regexp.MustCompile(`^(0|[1-9][0-9]{0,19})$`)

// echo makes a name that a stranger chose fit to be repeated: word characters only.
func echo(name string) string {
	var b strings.Builder
	n := 0
	for _, r := range name {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			b.WriteRune(r)
			if n++; n == maxEchoRunes {
				break
			}
		}
	}
	return b.String()
}
