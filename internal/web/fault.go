package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/fault"
)

// Errors of this room.
var (
	errSignedOut   = fault.New(fault.Unauthenticated, "signed_out", "You are not signed in, or your session has ended.")
	errSecondStep  = fault.New(fault.Unauthenticated, "second_factor_required", "Sign-in is not complete: the second factor is missing.")
	errNoAccess    = fault.New(fault.Forbidden, "no_access", "Your backend user may not use the editor actions. An administrator can add you to a group that may.")
	errFormToken   = fault.New(fault.Forbidden, "form_token", "This form does not belong to your current session, so nothing was done. Check what you typed and send it again.")
	errOrigin      = fault.New(fault.Forbidden, "cross_origin", "This request came from another site, so nothing was done.")
	errBodyTooBig  = fault.New(fault.TooLarge, "body_too_large", "More than 64 KiB were sent, so nothing was done. Shorten the text and send it again.")
	errBadForm     = fault.New(fault.Invalid, "bad_form", "The form could not be read. Open the page again and repeat what you did.")
	errBadID       = fault.New(fault.NotFound, "run_not_found", "There is no such run, or you may not see it.")
	errNoPage      = fault.New(fault.NotFound, "page_not_found", "There is no such page.")
	errMethod      = fault.New(fault.Invalid, "method_not_allowed", "This address cannot be used like that.")
	errPassword    = fault.New(fault.Unauthenticated, "wrong_password", "User name and password do not match.")
	errManyTries   = fault.New(fault.RateLimited, "too_many_attempts", "There were too many attempts to sign in. Wait a minute, then try again.")
	errManyStreams = fault.New(fault.RateLimited, "too_many_streams", "Too many pages are watching runs at once. Close some, or reload this page to see how the run goes on.")
	errThumbsBusy  = fault.New(fault.RateLimited, "thumbnails_busy", "Too many pictures are waiting to be scaled. Try again in a moment.")
	errNoModel     = fault.New(fault.NotFound, "unknown_model", "There is no such model configuration.")
	errChecksBusy  = fault.New(fault.RateLimited, "checks_busy", "A check of this model is still running. Wait for its answer.")
	errNoTokens    = fault.New(fault.Forbidden, "token_self_service", "Access tokens are made by your administration here, so none was made.")
	errOtherUser   = fault.New(fault.Forbidden, "token_switched_user", "You are signed in as somebody else (switch user), so no token was made in their name.")
	errAdminOnly   = fault.New(fault.Forbidden, "admin_only", "Only administrators may see this page.")
	errJSONType    = fault.New(fault.Unsupported, "json_required", "Send the request as application/json.")
	errJSONBody    = fault.New(fault.Invalid, "bad_json", "The request body is not the JSON object this call expects.")
	errIdempotency = fault.New(fault.Invalid, "idempotency_key_required", "Send an Idempotency-Key header of 8 to 64 letters, digits, - or _.")
)

// status is the one table from the kind of a failure to an HTTP status.
var status = map[fault.Kind]int{
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Stale:           http.StatusConflict,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.Unsupported:     http.StatusUnsupportedMediaType,
	fault.RateLimited:     http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
	fault.Internal:        http.StatusInternalServerError,
}

func statusOf(err error) int {
	if errors.Is(err, errMethod) {
		return http.StatusMethodNotAllowed
	}
	return status[fault.KindOf(err)]
}

// coded turns the router's own errors into ours, so that one table serves all.
func coded(err error) error {
	he, ok := errors.AsType[*echo.HTTPError](err)
	if !ok {
		return err
	}
	switch he.Code {
	case http.StatusNotFound:
		return errNoPage
	case http.StatusMethodNotAllowed:
		return errMethod
	}
	return err
}

// codeOf is the stable word of a failure for programs.
func codeOf(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Internal {
		return f.Code
	}
	return "internal"
}
