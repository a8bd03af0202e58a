package fault_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"editor-actions/internal/fault"
)

var errTooBig = fault.New(fault.TooLarge, "note_too_long", "The note has %d characters; %d are allowed.", 2100, 2000)

func TestError_ThreeReaders(t *testing.T) {
	t.Parallel()
	e := errTooBig.Because(io.ErrUnexpectedEOF)
	if got, want := e.Sentence(), "The note has 2100 characters; 2000 are allowed."; got != want {
		t.Errorf("the person reads %q, want %q", got, want)
	}
	if strings.Contains(e.Sentence(), "EOF") {
		t.Error("the person reads the cause")
	}
	if got, want := e.Error(), "note_too_long: The note has 2100 characters; 2000 are allowed.: unexpected EOF"; got != want {
		t.Errorf("the operator reads %q, want %q", got, want)
	}
	if got, want := errTooBig.Error(), "note_too_long: The note has 2100 characters; 2000 are allowed."; got != want {
		t.Errorf("without a cause: %q, want %q", got, want)
	}
	if e.Kind != fault.TooLarge || e.Code != "note_too_long" || len(e.Args) != 2 {
		t.Errorf("the caller sees %+v", e)
	}
}

func TestError_BecauseLeavesTheSentinelAlone(t *testing.T) {
	t.Parallel()
	first, second := errTooBig.Because(io.EOF), errTooBig.Because(io.ErrClosedPipe)
	if errors.Unwrap(errTooBig) != nil {
		t.Error("the sentinel got a cause")
	}
	if !errors.Is(first, io.EOF) || errors.Is(first, io.ErrClosedPipe) || !errors.Is(second, io.ErrClosedPipe) {
		t.Error("causes were mixed up")
	}
}

func TestError_IsMatchesByCode(t *testing.T) {
	t.Parallel()
	wrapped := fmt.Errorf("start: %w", errTooBig.Because(io.EOF))
	if !errors.Is(wrapped, errTooBig) {
		t.Error("a copy with a cause is not its sentinel")
	}
	if errors.Is(wrapped, fault.New(fault.TooLarge, "other", "Other.")) {
		t.Error("two codes of one kind are equal")
	}
	if errors.Is(errTooBig, io.EOF) {
		t.Error("a fault is equal to an error that is none")
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	inner := fault.New(fault.NotFound, "not_available", "Not available.")
	for name, c := range map[string]struct {
		err  error
		want fault.Kind
	}{
		"a fault":                       {inner, fault.NotFound},
		"wrapped":                       {fmt.Errorf("x: %w", inner), fault.NotFound},
		"joined":                        {errors.Join(io.EOF, inner), fault.NotFound},
		"the outer of two":              {fault.New(fault.Stale, "stale", "Stale.").Because(inner), fault.Stale},
		"an error that is none":         {io.EOF, fault.Internal},
		"nothing, which nobody asks of": {nil, fault.Internal},
	} {
		if got := fault.KindOf(c.err); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestKind_Valid(t *testing.T) {
	t.Parallel()
	for _, k := range []fault.Kind{
		fault.Invalid, fault.Unauthenticated, fault.Forbidden, fault.NotFound, fault.Stale, fault.TooLarge, fault.Unsupported, fault.RateLimited,
		fault.Unavailable, fault.Internal,
	} {
		if !k.Valid() {
			t.Errorf("%s is not valid", k)
		}
	}
	for _, k := range []fault.Kind{"", "Invalid", "teapot"} {
		if k.Valid() {
			t.Errorf("%q is valid", k)
		}
	}
}
