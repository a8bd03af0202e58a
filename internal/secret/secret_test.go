package secret_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"editor-actions/internal/secret"

	"github.com/goccy/go-yaml"
)

const text = "s3cr3t-marker"

type holder struct {
	Name  string
	Key   secret.String
	Inner struct{ Token secret.String }
	List  []secret.String
	Map   map[string]secret.String
}

func hold() holder {
	s := secret.New(text)
	h := holder{Name: "n", Key: s, List: []secret.String{s}, Map: map[string]secret.String{"k": s}}
	h.Inner.Token = s
	return h
}

func TestP15_String_NoWayOfPrintingShowsIt(t *testing.T) {
	t.Parallel()
	s, h := secret.New(text), hold()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%10s", "%-3.2s"} {
		for _, value := range []any{s, &s, h, &h, []any{s, h}} {
			if got := fmt.Sprintf(verb, value); strings.Contains(got, text) || strings.Contains(strings.ToLower(got), fmt.Sprintf("%x", text)) {
				t.Errorf("%s of %T shows the text: %s", verb, value, got)
			}
		}
	}
	for name, encode := range map[string]func(any) ([]byte, error){"json": json.Marshal, "yaml": yaml.Marshal} {
		got, err := encode(h)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if bytes.Contains(got, []byte(text)) || !bytes.Contains(got, []byte("***")) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got, err := xml.Marshal(s); err != nil || bytes.Contains(got, []byte(text)) {
		t.Errorf("xml: %s, %v", got, err)
	}
	for name, handler := range map[string]func(*bytes.Buffer) slog.Handler{
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		"json": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
	} {
		var b bytes.Buffer
		slog.New(handler(&b)).Info("used key", "key", s, "holder", h, "pointer", &h, "err", fmt.Errorf("bad key %v: %w", s, errors.New("no")))
		if strings.Contains(b.String(), text) {
			t.Errorf("%s log shows the text: %s", name, b.String())
		}
	}
}

func TestString_RevealAndEmpty(t *testing.T) {
	t.Parallel()
	var zero secret.String
	if !zero.Empty() || zero.Reveal() != "" || secret.New(text).Empty() || secret.New(text).Reveal() != text {
		t.Error("Reveal or Empty is wrong")
	}
	if zero.String() != secret.New(text).String() {
		t.Error("an empty secret looks different from a set one")
	}
	if same := secret.New(text); same != secret.New(text) || same == zero {
		t.Error("secrets compare by their text")
	}
}

func TestString_IsReadFromPlainText(t *testing.T) {
	t.Parallel()
	var h struct{ Key secret.String }
	if err := json.Unmarshal([]byte(`{"Key":"`+text+`"}`), &h); err != nil || h.Key.Reveal() != text {
		t.Errorf("json: %q, %v", h.Key.Reveal(), err)
	}
}
