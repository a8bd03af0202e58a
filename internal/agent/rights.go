package agent

import (
	"context"

	"editor-actions/internal/actions"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

// seesAll reports whether a user sees and decides everybody's runs.
func seesAll(approverGroups []uint32, u *typo3.BackendUser) bool {
	return u.Admin || u.InGroup(approverGroups...)
}

// mayRead reports whether a run exists for a user: their own, or all of them
// for admins and reviewers.
func mayRead(approverGroups []uint32, u *typo3.BackendUser, run *suspend.Run) bool {
	return seesAll(approverGroups, u) || run.Initiator == uint32(u.UID)
}

// actingUser loads the person in whose name a run acts, with the rights of this
// moment (P11). Whoever may no longer use the service at all acts no more, and their
// runs with them.
func (a *Agent) actingUser(ctx context.Context, run *suspend.Run) (*typo3.BackendUser, error) {
	user, err := a.Users.User(ctx, typo3.UserUID(run.Initiator))
	if err != nil {
		return nil, err
	}
	if !user.MayEnter(a.Settings().Access.Groups) {
		return nil, ErrActingUser
	}
	return user, nil
}

// samePerson reports whether a user is the person who started the run: the
// user itself, or an administrator in a switched session on either side.
func samePerson(u *typo3.BackendUser, run *suspend.Run) bool {
	started := []uint32{run.Initiator, run.OriginalUser}
	for _, s := range started {
		if s != 0 && (s == uint32(u.UID) || s == uint32(u.OriginalUID)) {
			return true
		}
	}
	return false
}

// mayDecide answers why a user may not take a decision, or nil. With
// review.requireSecondApprover, or that of the run's configuration, nobody approves their
// own run, admins included; rejecting and asking again stay possible.
func (a *Agent) mayDecide(u *typo3.BackendUser, run *suspend.Run, verb suspend.Verb) error {
	s := a.Settings()
	review, fourEyes := s.Review, s.Review.RequireSecondApprover || s.Providers.Configurations[run.Configuration].RequireSecondApprover
	if verb == suspend.VerbApprove && fourEyes && samePerson(u, run) {
		return ErrOwnRun
	}
	if verb == suspend.VerbApprove && len(review.ApproverGroups) > 0 && !seesAll(review.ApproverGroups, u) {
		return ErrNotAReviewer
	}
	if !mayRead(review.ApproverGroups, u, run) {
		return ErrRunNotFound
	}
	return nil
}

// subject is the file a run is about, 0 for one about a folder: no file has that number.
func subject(run *suspend.Run) typo3.FileUID {
	if run.SubjectTable != actions.TableFile {
		return 0
	}
	return typo3.FileUID(run.SubjectUID) //nolint:gosec // sys_file.uid has 32 bits
}
