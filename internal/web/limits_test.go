package web

import (
	"strconv"
	"testing"
	"time"
)

// One refused address cannot make the limiter forget what it knows by trying
// thousands of names.
func TestSignInLimit_IsNotForgottenByManyNames(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	l := newAttemptLimit(func() time.Time { return now })
	passed := 0
	for i := range 3 * attemptKeys {
		if l.allow("ip:192.0.2.1", "user:"+strconv.Itoa(i)) {
			passed++
		}
	}
	if passed != attemptBurst || len(l.by) > attemptBurst+1 {
		t.Errorf("%d attempts passed, %d keys", passed, len(l.by))
	}
}
