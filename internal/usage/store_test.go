package usage_test

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/testsite"
	"editor-actions/internal/usage"
)

// till is a store whose settings and clock a test can change.
type till struct {
	*usage.Store
	settings *config.Settings
	now      time.Time
}

func open(t *testing.T, s *testsite.Site) *till {
	t.Helper()
	x := &till{
		now: time.Date(2026, 12, 3, 23, 59, 0, 0, time.UTC),
		settings: &config.Settings{Providers: config.Providers{Configurations: map[string]config.ProviderConfiguration{
			"main": {}, "other": {},
		}}},
	}
	x.Store = usage.New(s.DB, func() *config.Settings { return x.settings }, slog.New(slog.DiscardHandler), func() time.Time { return x.now })
	return x
}

// limit sets the budget of main; the map is new, as a reload makes one.
func (x *till) limit(user, main config.Budget) {
	x.settings = &config.Settings{Providers: config.Providers{Budget: user, Configurations: map[string]config.ProviderConfiguration{"main": {Budget: main}, "other": {}}}}
}

func charge(user uint32, tokens, cost int64) providers.Charge {
	return providers.Charge{Configuration: "main", Model: "m", User: user, Tokens: tokens, CostMicros: cost}
}

func kind(err error) providers.Kind {
	if e, ok := errors.AsType[*providers.Error](err); ok {
		return e.Kind
	}
	return ""
}

func TestReserve_EachLimitStops(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		for name, c := range map[string]struct {
			user, main config.Budget
			fits       int // reservations of 100 tokens and 0.5 each
		}{
			"none":                     {config.Budget{}, config.Budget{}, 5},
			"requests of a user":       {config.Budget{RequestsPerDay: 2}, config.Budget{}, 2},
			"tokens of a user":         {config.Budget{TokensPerDay: 399}, config.Budget{}, 3},
			"cost of a user":           {config.Budget{CostPerDay: 1}, config.Budget{}, 2},
			"requests of a model":      {config.Budget{}, config.Budget{RequestsPerDay: 1}, 1},
			"tokens of a model":        {config.Budget{}, config.Budget{TokensPerDay: 99}, 0},
			"cost of a model":          {config.Budget{}, config.Budget{CostPerDay: 1.99}, 3},
			"the smaller of the two":   {config.Budget{RequestsPerDay: 4}, config.Budget{TokensPerDay: 200}, 2},
			"the smaller of the other": {config.Budget{CostPerDay: 0.5}, config.Budget{RequestsPerDay: 9}, 1},
		} {
			x := open(t, s)
			x.limit(c.user, c.main)
			x.now = x.now.AddDate(0, 0, len(name)*7) // a day of its own
			for i := range 5 {
				_, err := x.Reserve(t.Context(), charge(3, 100, 500_000))
				if (err == nil) != (i < c.fits) || (err != nil && kind(err) != providers.Budget) {
					t.Errorf("%s, request %d: %v", name, i+1, err)
				}
			}
			// What was refused for one budget is not charged to the other.
			today, err := x.Today(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range today {
				if a.Requests != int64(c.fits) || a.Tokens != int64(c.fits)*100 {
					t.Errorf("%s: %+v, %d fit", name, a, c.fits)
				}
			}
		}
	})
}

func TestReserve_WhoIsBounded(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		x := open(t, s)
		x.limit(config.Budget{RequestsPerDay: 1}, config.Budget{})
		for _, user := range []uint32{3, 4, 0, 0} { // nobody in particular has no budget of a user
			if _, err := x.Reserve(t.Context(), charge(user, 1, 1)); err != nil {
				t.Errorf("user %d: %v", user, err)
			}
		}
		if _, err := x.Reserve(t.Context(), charge(3, 1, 1)); kind(err) != providers.Budget {
			t.Error(err)
		}
		x.now = x.now.Add(time.Minute) // midnight
		if _, err := x.Reserve(t.Context(), charge(3, 1, 1)); err != nil {
			t.Errorf("on the next day: %v", err)
		}
		x.limit(config.Budget{CostPerDay: 5}, config.Budget{})
		c := charge(9, 1, 0)
		c.Unpriced = true
		if _, err := x.Reserve(t.Context(), c); kind(err) != providers.Budget {
			t.Errorf("a model without a price under a budget in money: %v", err)
		}
	})
}

func TestSettle_ReplacesTheReservationAndSums(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		x := open(t, s)
		x.limit(config.Budget{TokensPerDay: 1000}, config.Budget{CostPerDay: 1})
		billed := providers.Usage{InputTokens: 70, OutputTokens: 5, CachedInputTokens: 20, ReasoningTokens: 2, CostMicros: 40}
		for range 3 {
			settle, err := x.Reserve(t.Context(), charge(3, 900, 900_000))
			if err != nil {
				t.Fatal(err) // the second would not fit if the first were still reserved
			}
			x.now = x.now.Add(30 * time.Second) // the last one is settled after midnight, and counts for the day it was sent on
			settle(t.Context(), providers.Billed{Usage: billed})
		}
		x.now = time.Date(2026, 12, 3, 12, 0, 0, 0, time.UTC)
		today, err := x.Today(t.Context())
		if err != nil || len(today) != 2 {
			t.Fatalf("%+v %v", today, err)
		}
		if c := today[0]; c.Scope != "configuration" || c.Name != "main" || c.CostMicros != 80 || c.Requests != 2 {
			t.Errorf("%+v", c)
		}
		if u := today[1]; u.Scope != "user" || u.Name != "3" || u.Tokens != 150 {
			t.Errorf("%+v", u)
		}
		other := charge(3, 1, 1)
		other.Configuration, other.Model, other.Unpriced = "other", "m2", true
		settle, err := x.Reserve(t.Context(), other)
		if err != nil {
			t.Fatal(err)
		}
		settle(t.Context(), providers.Billed{Usage: providers.Usage{InputTokens: 1, Unpriced: true}})
		sums, err := x.Sums(t.Context(), x.now, x.now.AddDate(0, 0, 1))
		if err != nil || len(sums) != 3 {
			t.Fatalf("%+v %v", sums, err)
		}
		if got := sums[0]; got.Requests != 2 || got.Model != "m" || got.Unpriced != 0 ||
			got.Usage != (providers.Usage{InputTokens: 140, OutputTokens: 10, CachedInputTokens: 40, ReasoningTokens: 4, CostMicros: 80}) {
			t.Errorf("%+v", got)
		}
		if got := sums[1]; got.Configuration != "other" || got.Unpriced != 1 || !got.Usage.Unpriced {
			t.Errorf("%+v", got)
		}
		if got := sums[2]; got.Day != "2026-12-04" || got.Requests != 1 {
			t.Errorf("%+v", got)
		}
		// Days that are over leave no budgets behind.
		x.now = x.now.AddDate(0, 0, 9)
		if _, err := x.Reserve(t.Context(), charge(3, 1, 1)); err != nil {
			t.Fatal(err)
		}
		var left int64
		if err := s.DB.Table("tx_editoractions_budget").Where("day < '2026-12-05'").Count(&left).Error; err != nil || left != 0 {
			t.Errorf("%d budgets are left, %v", left, err)
		}
	})
}

// A request that was probably billed, nobody knows how much, stays charged as estimated.
func TestSettle_UnknownKeepsTheReservation(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		x := open(t, s)
		x.limit(config.Budget{TokensPerDay: 250}, config.Budget{})
		for i := range 4 {
			settle, err := x.Reserve(t.Context(), charge(3, 100, 1))
			if (err == nil) != (i < 2) {
				t.Fatalf("request %d: %v", i+1, err)
			}
			if err == nil {
				settle(t.Context(), providers.Billed{Unknown: true})
			}
		}
		sums, err := x.Sums(t.Context(), x.now, x.now)
		if err != nil || len(sums) != 1 || sums[0].Requests != 2 || sums[0].Unpriced != 2 {
			t.Errorf("%+v %v", sums, err)
		}
	})
}

// Parallel runs cannot overshoot together: the database decides.
func TestReserve_ExactUnderParallelRuns(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		const limit, tries = 37, 150
		x := open(t, s)
		x.limit(config.Budget{TokensPerDay: limit * 10}, config.Budget{RequestsPerDay: limit + 20})
		second := usage.New(s.DB, func() *config.Settings { return x.settings }, slog.New(slog.DiscardHandler), func() time.Time { return x.now })
		var fit, refused atomic.Int64
		var wg sync.WaitGroup
		for i := range tries {
			wg.Go(func() {
				store := x.Store
				if i%2 == 0 {
					store = second
				}
				_, err := store.Reserve(t.Context(), charge(3, 10, 1))
				switch {
				case err == nil:
					fit.Add(1)
				case kind(err) == providers.Budget:
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if fit.Load() != limit || refused.Load() != tries-limit {
			t.Errorf("%d fit and %d were refused, the budget bears %d", fit.Load(), refused.Load(), limit)
		}
	})
}
