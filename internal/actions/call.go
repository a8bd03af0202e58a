package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"editor-actions/internal/config"
	"editor-actions/internal/fault"
	"editor-actions/internal/providers"
)

// argUID is the argument that names the record.
const argUID = "uid"

// IsValueRefusal reports whether err is about a text of a call (too long, HTML,
// ...) and not about the call itself. Such a call may be shown: a reviewer can
// repair it, and it cannot be approved as it is.
func IsValueRefusal(err error) bool {
	_, ok := errors.AsType[valueRefusal](err)
	return ok
}

// SoleCall finds the one call of a turn that may be shown to a reviewer (P2): the
// run's tool, once, with readable arguments, on the run's subject. Everything
// else is a fault and must not become a card. A call whose only fault is a text
// that the tool refuses passes; its preview carries the refusal.
func SoleCall(tool Tool, calls []providers.ToolCall, subject Subject) (Call, Proposal, error) {
	if len(calls) == 0 {
		return Call{}, Proposal{}, fault.New(fault.Invalid, "no_call", "The model did not call the tool `%s`.", tool.Name())
	}
	for _, c := range calls {
		if c.Name != tool.Name() {
			return Call{}, Proposal{}, fault.New(fault.Forbidden, "wrong_tool",
				"The model called `%s`. This run may only call `%s`.", echo(c.Name), tool.Name())
		}
	}
	if len(calls) > 1 {
		return Call{}, Proposal{}, fault.New(fault.Forbidden, "second_call",
			"The model called `%s` %s times in one turn. One call is allowed.", tool.Name(), decimal(len(calls)))
	}
	c := calls[0]
	if c.Malformed {
		return Call{}, Proposal{}, errNotAnObject(nil)
	}
	p, err := tool.Validate(c.Arguments, subject)
	if err != nil && !IsValueRefusal(err) {
		return Call{}, Proposal{}, err
	}
	return Call{ID: c.ID, Tool: c.Name, Arguments: c.Arguments, Subject: subject}, p, nil
}

// EditedCall makes the call that a reviewer's edits turn call into. edits gives
// new texts for fields of the call, keep names fields that keep their stored
// text. The result passed the tool's own validation. Its arguments are new
// bytes, so it needs a new digest.
func EditedCall(tool Tool, call Call, edits map[Field]string, keep []Field) (Call, error) {
	p, err := tool.Validate(call.Arguments, call.Subject)
	if err != nil && !IsValueRefusal(err) {
		return Call{}, err
	}
	for _, f := range slices.Concat(slices.Sorted(maps.Keys(edits)), keep) { // a mistyped name must not write what was to be kept
		if _, ok := p.Fields[f]; !ok {
			return Call{}, fault.New(fault.Invalid, "field_not_in_call", "The proposal has no text for `%s`, so there is nothing to edit.", echo(string(f)))
		}
	}
	fields := make(map[Field]string, len(p.Fields))
	for f, text := range p.Fields {
		if slices.Contains(keep, f) {
			continue
		}
		if edited, ok := edits[f]; ok {
			text = edited
		}
		fields[f] = text
	}
	args, err := marshalArguments(tool, call.Subject, fields)
	if err != nil {
		return Call{}, err
	}
	if _, err := tool.Validate(args, call.Subject); err != nil {
		return Call{}, err
	}
	call.Arguments = args
	return call, nil
}

// marshalArguments writes arguments in the one order a tool declares.
func marshalArguments(tool Tool, subject Subject, fields map[Field]string) (json.RawMessage, error) {
	var b bytes.Buffer
	write := func(name string, v any) error {
		b.WriteString(`"` + name + `":`)
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // Encode ends with a line feed
		return nil
	}
	b.WriteByte('{')
	if err := write(argUID, subject.UID); err != nil {
		return nil, err
	}
	for _, f := range tool.Fields() {
		text, ok := fields[f]
		if !ok {
			continue
		}
		b.WriteByte(',')
		if err := write(string(f), text); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// validate is the one reading of a call's arguments.
func validate(s *config.Settings, w *writeTool, raw json.RawMessage, subject Subject) (Proposal, error) {
	known := []string{argUID}
	for _, f := range w.fields {
		known = append(known, string(f))
	}
	args, err := readArguments(raw, known)
	if err != nil {
		return Proposal{}, err
	}
	if err := checkUID(args, subject); err != nil {
		return Proposal{}, err
	}
	p := Proposal{Fields: make(map[Field]string, len(w.fields))}
	for _, f := range w.fields {
		if a, ok := args[string(f)]; ok {
			p.Fields[f] = strings.TrimSpace(a.text)
		} else if slices.Contains(w.required, f) {
			return Proposal{}, fault.New(fault.Invalid, "argument_missing", "The argument `%s` is missing.", string(f))
		}
	}
	if len(p.Fields) == 0 {
		return Proposal{}, fault.New(fault.Invalid, "no_field", "The call sets no field. Give at least one of: %s.", "`"+strings.Join(known[1:], "`, `")+"`")
	}
	for _, f := range w.fields {
		text, set := p.Fields[f]
		if !set {
			continue
		}
		if err := checkValue(s, f, text); err != nil {
			return p, err
		}
	}
	return p, nil
}

// checkUID holds the uid of a call against the subject of its run.
func checkUID(args map[string]argument, subject Subject) error {
	a, ok := args[argUID]
	if !ok {
		return fault.New(fault.Invalid, "argument_missing", "The argument `%s` is missing.", argUID)
	}
	if !a.number || !wholeNumber.MatchString(a.text) {
		return fault.New(fault.Invalid, "argument_type", "The argument `%s` must be %s.", argUID, wantedType(argUID))
	}
	if a.text == "0" {
		return fault.New(fault.Invalid, "argument_type", "The argument `%s` must be %s.", argUID, wantedType(argUID)+" above zero")
	}
	if subject.Table != TableFile || a.text != decimal64(subject.UID) {
		return fault.New(fault.Forbidden, "wrong_uid", "The call names uid %s, but this run is about uid %s.", a.text, decimal64(subject.UID))
	}
	return nil
}
