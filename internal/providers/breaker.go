package providers

import (
	"errors"
	"log/slog"
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	breakerFailures = 5 // in a row
	breakerCooldown = 30 * time.Second
)

// newBreaker stops asking a provider that failed several times in a row, and lets one
// request through after a while to see. A failure that says nothing about the
// provider's health, a wrong key for instance, counts neither way.
func newBreaker(name string, log *slog.Logger) *gobreaker.CircuitBreaker[Response] {
	return gobreaker.NewCircuitBreaker[Response](gobreaker.Settings{
		Name: name, MaxRequests: 1, Timeout: breakerCooldown,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakerFailures },
		IsExcluded: func(err error) bool {
			if err == nil {
				return false
			}
			e, ok := errors.AsType[*Error](err)
			return !ok || !e.trips()
		},
		OnStateChange: func(_ string, from, to gobreaker.State) {
			log.Warn("circuit breaker", "provider", name, "from", from.String(), "to", to.String())
		},
	})
}

// trips reports whether a failure says that the provider is not well.
func (e *Error) trips() bool {
	switch e.Kind {
	case Unavailable, RateLimited, Timeout, BadAnswer:
		return true
	default:
		return false
	}
}

// broken is the answer of an open breaker.
func broken(name string) *Error {
	return &Error{Provider: name, Kind: CircuitOpen, Detail: "it failed several times in a row and is not asked for half a minute; nothing was sent"}
}
