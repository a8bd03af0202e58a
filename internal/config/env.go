package config

import (
	"reflect"
	"regexp"
	"strings"
	"unicode"

	"editor-actions/internal/secret"

	"github.com/goccy/go-yaml/ast"
)

// envPrefix of every variable that overrides a key.
const envPrefix = "EDITOR_ACTIONS_"

// envPlace stands before the name of a variable where a problem names its file.
const envPlace = "environment variable "

func fromEnvironment(file string) bool { return strings.HasPrefix(file, envPlace) }

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// unset is a ${NAME} without a value.
type unset struct{ key, name string }

// expand replaces ${NAME} by the environment variable, or by the content of the
// file that NAME_FILE names. ok is false when the value cannot be used.
func (d *decoder) expand(s, key string) (text string, ok bool) {
	ok = true
	s = variable.ReplaceAllStringFunc(s, func(m string) string {
		name := m[2 : len(m)-1]
		v, found := d.lookup(name, key)
		if !found {
			d.unset = append(d.unset, unset{key, name})
			ok = false
		}
		return v
	})
	return s, ok
}

// missingVariables reports each ${NAME} without a value, except in a model
// configuration that is not active: nobody will use that.
func (d *decoder) missingVariables(s *Settings) {
	for _, u := range d.unset {
		if d.replaced(u.key) {
			continue
		}
		if rest, ok := strings.CutPrefix(u.key, "providers.configurations."); ok {
			entry, _, _ := strings.Cut(rest, ".")
			if c, found := s.Providers.Configurations[entry]; found && !c.Active {
				continue
			}
		}
		d.problem(u.key, "uses ${%s}, but neither %s nor %s_FILE is set in the environment", u.name, u.name, u.name)
	}
}

// replaced reports whether a variable of its own gave the key a value.
func (d *decoder) replaced(key string) bool {
	return fromEnvironment(d.place(key).file)
}

// lookup reads a variable, or the file that its _FILE twin names.
func (d *decoder) lookup(name, key string) (text string, found bool) {
	if d.env == nil {
		return "", false
	}
	direct, hasDirect := d.env(name)
	path, hasFile := d.env(name + "_FILE")
	switch {
	case hasDirect && hasFile:
		d.problem(key, "%s and %s_FILE are both set: keep one", name, name)
		return "", true
	case hasDirect:
		return direct, true
	case !hasFile:
		return "", false
	}
	data, err := readFile(path)
	if err != nil {
		d.problem(key, "cannot read the file that %s_FILE names: %v", name, err)
		return "", true
	}
	return strings.TrimRight(string(data), "\r\n"), true
}

// environment applies EDITOR_ACTIONS_* variables to every key there is.
func (d *decoder) environment(s *Settings) {
	if d.env == nil {
		return
	}
	d.user = true
	d.override(root(s), "", strings.TrimSuffix(envPrefix, "_"))
}

// override walks all keys; name is the variable of v.
func (d *decoder) override(v reflect.Value, key, name string) {
	switch {
	case v.Type() == secretType:
		if text, ok := d.envText(name, key); ok {
			v.Set(reflect.ValueOf(secret.New(text)))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			part := v.Type().Field(i).Tag.Get("yaml")
			d.override(v.Field(i), joinKey(key, part), joinName(key, name, part))
		}
	case v.Kind() == reflect.Pointer:
		d.envYAML(v, key, name)
		if !v.IsNil() {
			d.override(v.Elem(), key, name)
		}
	case v.Kind() == reflect.Map:
		d.envYAML(v, key, name)
		for _, mk := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(mk))
			d.override(e, joinKey(key, mk.String()), joinName(key, name, mk.String()))
			v.SetMapIndex(mk, e)
		}
	case v.Kind() == reflect.Slice:
		d.envYAML(v, key, name)
	default:
		if text, ok := d.envText(name, key); ok {
			d.scalar(text, v, key)
		}
	}
}

func joinKey(key, part string) string {
	if key == "" {
		return part
	}
	return key + "." + part
}

func joinName(key, name, part string) string {
	if key == "" {
		return name + "_" + upperSnake(part)
	}
	return name + "__" + upperSnake(part)
}

// envText reads the variable of a key.
func (d *decoder) envText(name, key string) (string, bool) {
	_, direct := d.env(name)
	_, viaFile := d.env(name + "_FILE")
	if !direct && !viaFile {
		return "", false
	}
	d.file = envPlace + name
	d.lines[key] = place{file: d.file, user: true}
	return d.lookup(name, key)
}

// envYAML reads a list or a mapping: YAML, or "a, b" for a list. Its text is
// never quoted, because a mapping may hold a key.
func (d *decoder) envYAML(v reflect.Value, key, name string) {
	text, ok := d.envText(name, key)
	if !ok {
		return
	}
	text = strings.TrimSpace(text)
	if v.Kind() == reflect.Slice && !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "-") {
		text = "[" + text + "]"
	}
	body, err := parseYAML([]byte(text))
	if err != nil {
		d.problem(key, "%s", err.Text)
		return
	}
	if body == nil {
		body = ast.Null(nil)
	}
	d.value(body, v, key)
	d.lines[key] = place{file: d.file, user: true}
}

// upperSnake turns maxImageEdge into MAX_IMAGE_EDGE, lockIPv6 into LOCK_IPV6 and
// cacheMiB into CACHE_MIB.
func upperSnake(s string) string {
	var b strings.Builder
	runes := []rune(strings.ReplaceAll(s, "MiB", "Mib"))
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1])) {
			b.WriteByte('_')
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = '_'
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}
