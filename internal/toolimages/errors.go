package toolimages

import (
	"errors"
	"fmt"

	"editor-actions/internal/fault"
)

// Errors of this room. Each has one sentence, which does not say which check failed and
// repeats nothing that a caller gave.
var (
	ErrScope       = fault.New(fault.Internal, "tool_image_scope", "Images of tools need a run and an acting user.")
	ErrInvalid     = fault.New(fault.Unsupported, "tool_image_invalid", "The image is not usable.")
	ErrUnavailable = fault.New(fault.Unavailable, "tool_image_unavailable", "The image is not available in this run or has changed.")
	ErrRound       = fault.New(fault.Internal, "tool_round_incomplete", "The round of tool calls is incomplete.")
	ErrBatch       = fault.New(fault.TooLarge, "tool_image_batch", "There are too many images in one step.")
	ErrSummary     = fault.New(fault.Invalid, "tool_summary", "The result of a tool needs a short text of its own, without an image in it.")
)

// refusal is one of the errors with its true cause, which Error does not tell.
type refusal struct {
	public *fault.Error
	reason string
}

func (r *refusal) Error() string { return r.public.Error() }

// Unwrap gives fault.KindOf and errors.Is the public error, and not the cause.
func (r *refusal) Unwrap() error { return r.public }

func because(public *fault.Error, format string, args ...any) error {
	return &refusal{public, fmt.Sprintf(format, args...)}
}

// Reason is the true cause of an error of this room, for the operator's log and for
// explain; "" when there is none. It is never part of Error, and holds no content.
func Reason(err error) string {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.reason
	}
	return ""
}
