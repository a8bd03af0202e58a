package providers_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

func TestBreaker_LeavesAFailingProviderAlone(t *testing.T) {
	req := providertest.VisionRequest(t)
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(withFallbacks(0, "second"))
		main, second := h.fakes["main"], h.fakes["second"]
		ask := func() (providers.Resolved, error) {
			_, r, err := h.Complete(t.Context(), "main", req, providers.VisionAction)
			return r, err
		}
		for range 5 {
			main.answers = append(main.answers, fails(providers.Error{Kind: providers.Unavailable}))
			_, _ = ask()
		}
		if r, err := ask(); err != nil || r.Name != "second" || main.count() != 5 {
			t.Errorf("after five failures: %+v %v, asked %d times", r, err, main.count())
		}
		if o := h.Overviews(); !o[0].Open || o[1].Open {
			t.Errorf("%+v", o)
		}
		// Its probe fails with something that says nothing about its health: still open for a probe.
		time.Sleep(31 * time.Second)
		main.answers = append(main.answers, fails(providers.Error{Kind: providers.Auth}))
		if _, err := ask(); kind(err) != providers.Auth || main.count() != 6 {
			t.Errorf("the probe: %v, asked %d times", err, main.count())
		}
		main.answers = append(main.answers, fails(providers.Error{Kind: providers.Timeout}))
		if r, _ := ask(); r.Name != "second" || main.count() != 7 {
			t.Errorf("the second probe: %+v, asked %d times", r, main.count())
		}
		if _, _ = ask(); main.count() != 7 {
			t.Error("asked although the probe failed")
		}
		time.Sleep(31 * time.Second)
		for range 3 {
			if r, err := ask(); err != nil || r.Name != "main" {
				t.Errorf("well again: %+v %v", r, err)
			}
		}
		if main.count() != 10 || second.count() != 5+3 {
			t.Errorf("main %d, second %d", main.count(), second.count())
		}
	})
}

// An open breaker without a fallback is its own kind, and is not retried.
func TestBreaker_WithoutAFallback(t *testing.T) {
	req := providertest.VisionRequest(t)
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(withFallbacks(3))
		for range 20 {
			h.fakes["main"].answers = append(h.fakes["main"].answers, fails(providers.Error{Kind: providers.Unavailable}))
		}
		_, _, _ = h.Complete(t.Context(), "main", req, providers.VisionAction)
		_, _, err := h.Complete(t.Context(), "main", req, providers.VisionAction)
		if kind(err) != providers.CircuitOpen || h.fakes["main"].count() != 5 {
			t.Errorf("%v, asked %d times", err, h.fakes["main"].count())
		}
	})
}

// What an answer says about a picture says nothing about the provider.
func TestBreaker_AnswersDoNotTrip(t *testing.T) {
	t.Parallel()
	for _, k := range []providers.Kind{providers.Auth, providers.Quota, providers.BadRequest, providers.Refused, providers.TooLarge, providers.EmptyAnswer, providers.Truncated, providers.Configuration} {
		h := newHouse(withFallbacks(0))
		for range 9 {
			h.fakes["main"].answers = append(h.fakes["main"].answers, fails(providers.Error{Kind: k}))
			if _, _, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.VisionAction); kind(err) != k {
				t.Errorf("%s: %v", k, err)
			}
		}
	}
}

// crowd counts how many are inside at the same time.
type crowd struct {
	mu           sync.Mutex
	inside, most int
	fail         *providers.Error
}

func (c *crowd) Complete(context.Context, providers.Request) (providers.Response, error) {
	c.mu.Lock()
	c.inside++
	c.most = max(c.most, c.inside)
	fail := c.fail
	c.mu.Unlock()
	time.Sleep(time.Second)
	c.mu.Lock()
	c.inside--
	c.mu.Unlock()
	if fail != nil {
		return providers.Response{}, fail
	}
	return providers.Response{Message: providers.Message{Role: providers.Assistant, Text: "A boat."}}, nil
}

func (c *crowd) round(t *testing.T, d *providers.Directory, names ...string) int {
	t.Helper()
	c.mu.Lock()
	c.most = 0
	c.mu.Unlock()
	req := providertest.VisionRequest(t)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() { _, _, _ = d.Complete(t.Context(), names[i%len(names)], req, providers.VisionAction) })
	}
	wg.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.most
}

func TestSlots_AdaptToTheRateOfAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := fixed("m"), fixed("m2") // one key, so one rate
		a.MaxConcurrent, b.MaxConcurrent = 8, 8
		p := config.Providers{Default: "a", Configurations: map[string]config.ProviderConfiguration{"a": a, "b": b}}
		c := &crowd{}
		d := providers.NewDirectory(func() *config.Settings { return &config.Settings{Providers: p} },
			func(string, config.ProviderConfiguration) (providers.Provider, error) { return c, nil })
		if n := c.round(t, d, "a", "b"); n != 8 {
			t.Errorf("%d at the same time, 8 are configured", n)
		}
		c.fail = &providers.Error{Kind: providers.RateLimited}
		_, _, _ = d.Complete(t.Context(), "a", providertest.VisionRequest(t), providers.VisionAction)
		time.Sleep(2 * time.Second)
		_, _, _ = d.Complete(t.Context(), "b", providertest.VisionRequest(t), providers.VisionAction)
		c.fail = nil
		first := c.round(t, d, "a", "b")
		if first < 2 || first > 7 {
			t.Errorf("%d at the same time after two refusals", first)
		}
		for range 3 {
			c.round(t, d, "a", "b")
		}
		if n := c.round(t, d, "a", "b"); n != 8 {
			t.Errorf("%d at the same time when all is well again", n)
		}
	})
}

func TestSlots_WaitingEndsWithItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := fixed("m")
		cfg.MaxConcurrent = 1
		p := config.Providers{Default: "a", Configurations: map[string]config.ProviderConfiguration{"a": cfg}}
		c := &crowd{}
		d := providers.NewDirectory(func() *config.Settings { return &config.Settings{Providers: p} },
			func(string, config.ProviderConfiguration) (providers.Provider, error) { return c, nil })
		req := providertest.VisionRequest(t)
		go func() { _, _, _ = d.Complete(t.Context(), "a", req, providers.VisionAction) }()
		time.Sleep(100 * time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if _, _, err := d.Complete(ctx, "a", req, providers.VisionAction); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		time.Sleep(time.Second)
		if _, _, err := d.Complete(t.Context(), "a", req, providers.VisionAction); err != nil {
			t.Errorf("the place was lost: %v", err)
		}
	})
}
