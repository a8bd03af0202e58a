package typo3

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
)

const (
	maxSerialised      = 1 << 20
	maxSerialisedDepth = 32
)

var errSerialised = errors.New("typo3: not a PHP-serialised array")

// phpScalars reads a PHP-serialised array and gives its scalars by key: nil,
// bool, int64, float64 or string. Arrays and objects in it are checked for form
// and left out. Nothing is ever made into an object.
func phpScalars(data []byte) (map[string]any, error) {
	if len(data) > maxSerialised {
		return nil, errSerialised
	}
	p := &phpReader{rest: data}
	out := map[string]any{}
	if !p.literal("a:") || !p.entries(0, func(key string, v any, scalar bool) {
		delete(out, key) // PHP: the last entry of a key wins
		if scalar {
			out[key] = v
		}
	}) || len(p.rest) != 0 {
		return nil, errSerialised
	}
	return out, nil
}

// phpReader reads PHP's serialize format from the front of rest.
type phpReader struct{ rest []byte }

func (p *phpReader) literal(s string) bool {
	rest, ok := bytes.CutPrefix(p.rest, []byte(s))
	if ok {
		p.rest = rest
	}
	return ok
}

// until gives the text before the next end mark and goes past the mark.
func (p *phpReader) until(end byte) (string, bool) {
	const longest = 64 // numbers are short
	i := bytes.IndexByte(p.rest[:min(len(p.rest), longest)], end)
	if i < 0 {
		return "", false
	}
	s := string(p.rest[:i])
	p.rest = p.rest[i+1:]
	return s, true
}

func (p *phpReader) integer(end byte) (int64, bool) {
	s, ok := p.until(end)
	if !ok || strings.HasPrefix(s, "+") {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

func (p *phpReader) length() (int, bool) {
	n, ok := p.integer(':')
	return int(n), ok && n >= 0 && n <= int64(len(p.rest))
}

// text reads `5:"hello"`.
func (p *phpReader) text() (string, bool) {
	n, ok := p.length()
	if !ok || len(p.rest) < n+2 || p.rest[0] != '"' || p.rest[n+1] != '"' {
		return "", false
	}
	s := string(p.rest[1 : n+1])
	p.rest = p.rest[n+2:]
	return s, true
}

// entries reads `2:{key value key value}`.
func (p *phpReader) entries(depth int, entry func(key string, v any, scalar bool)) bool {
	n, ok := p.length()
	if !ok || depth > maxSerialisedDepth || !p.literal("{") {
		return false
	}
	for range n {
		key, _, ok := p.value(depth + 1)
		if !ok {
			return false
		}
		var name string
		switch k := key.(type) {
		case string:
			name = k
		case int64:
			name = strconv.FormatInt(k, 10)
		default:
			return false
		}
		v, scalar, ok := p.value(depth + 1)
		if !ok {
			return false
		}
		if entry != nil {
			entry(name, v, scalar)
		}
	}
	return p.literal("}")
}

// value reads one value; v is set for scalars only.
func (p *phpReader) value(depth int) (v any, scalar, ok bool) {
	if p.literal("N;") {
		return nil, true, true
	}
	if len(p.rest) < 2 || p.rest[1] != ':' {
		return nil, false, false
	}
	kind := p.rest[0]
	p.rest = p.rest[2:]
	switch kind {
	case 'b':
		n, ok := p.integer(';')
		return n == 1, true, ok && (n == 0 || n == 1)
	case 'i':
		n, ok := p.integer(';')
		return n, true, ok
	case 'd':
		n, ok := p.float()
		return n, true, ok
	case 's':
		s, ok := p.text()
		return s, true, ok && p.literal(";")
	case 'a':
		return nil, false, p.entries(depth, nil)
	case 'O':
		_, ok := p.text()
		return nil, false, ok && p.literal(":") && p.entries(depth, nil)
	case 'E':
		_, ok := p.text()
		return nil, false, ok && p.literal(";")
	case 'r', 'R':
		n, ok := p.integer(';')
		return nil, false, ok && n > 0
	}
	return nil, false, false
}

func (p *phpReader) float() (float64, bool) {
	s, ok := p.until(';')
	if !ok {
		return 0, false
	}
	switch s {
	case "INF":
		return math.Inf(1), true
	case "-INF":
		return math.Inf(-1), true
	case "NAN":
		return math.NaN(), true
	}
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}

// truth is PHP's cast of a scalar to bool.
func truth(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return phpTrue(v)
	}
	return false
}
