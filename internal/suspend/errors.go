package suspend

import "editor-actions/internal/fault"

// Errors of this room.
var (
	ErrRunNotFound      = fault.New(fault.NotFound, "run_not_found", "There is no such run, or you may not see it.")
	ErrStaleTurn        = fault.New(fault.Stale, "stale_turn", "This run has moved on since the page was opened. Nothing was written; look at it again.")
	ErrAlreadyDecided   = fault.New(fault.Stale, "already_decided", "This run was decided already.")
	ErrNotCancellable   = fault.New(fault.Stale, "not_cancellable", "This run has ended or has written its change, so it cannot be cancelled.")
	ErrNotPaused        = fault.New(fault.Stale, "not_paused", "The assistant no longer waits for this proposal, so it cannot be asked again.")
	ErrLeaseLost        = fault.New(fault.Internal, "lease_lost", "Another worker has taken this run over.")
	ErrNothingToDo      = fault.New(fault.NotFound, "nothing_to_do", "No run waits for a worker.")
	ErrRunEnded         = fault.New(fault.Stale, "run_ended", "This run has ended, so nothing is kept for it any more.")
	ErrArtifactNotFound = fault.New(fault.NotFound, "artifact_not_found", "There is no such picture in this run.")
	ErrUnreadable       = fault.New(fault.Unavailable, "state_unreadable", "The sealed state of this run does not open with the configured keys.")
)
