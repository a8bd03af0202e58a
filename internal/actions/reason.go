package actions

import (
	"errors"

	"editor-actions/internal/falgate"
)

// Reasons of this room why an action is not available, for the operator. The
// gate and the downscaler add their own words.
const (
	reasonNoUser     = "no_user"
	reasonNoAction   = "no_such_action"
	reasonWrongTable = "not_on_this_table"
	reasonToolOff    = "tool_off"
	reasonNoField    = "no_field_enabled"
	reasonNoVision   = "no_vision_model"
	reasonField      = "field_not_permitted"
)

// refusal is the true reason behind ErrNotAvailable.
type refusal struct {
	reason string
	cause  error
}

func (r *refusal) Error() string {
	if r.cause == nil {
		return "actions: " + r.reason
	}
	return "actions: " + r.reason + ": " + r.cause.Error()
}

func (r *refusal) Unwrap() error { return r.cause }

// unavailable is the neutral refusal with its reason and an optional cause.
func unavailable(reason string, cause error) error {
	if reason == "" || reason == falgate.Yes {
		reason = falgate.Reason(cause)
	}
	return ErrNotAvailable.Because(&refusal{reason: reason, cause: cause})
}

// Reason gives the operator's word for the reason behind an ErrNotAvailable, or "".
func Reason(err error) string {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.reason
	}
	return falgate.Reason(err)
}
