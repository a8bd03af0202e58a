package providers_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

// withFallbacks makes main with these retries, and fallbacks that can see.
func withFallbacks(retries int, names ...string) config.Providers {
	main := fixed("m")
	main.MaxRetries, main.Fallbacks = retries, names
	p := config.Providers{Default: "main", Configurations: map[string]config.ProviderConfiguration{"main": main}, Models: models(model("blind", "chat", "tools"))}
	for _, n := range names {
		if n != "main" && n != "missing" {
			p.Configurations[n] = fixed("model-of-" + n)
		}
	}
	return p
}

func TestComplete_FillsModelAndLimit(t *testing.T) {
	t.Parallel()
	h := newHouse(withFallbacks(0))
	req := providertest.VisionRequest(t)
	resp, r, err := h.Complete(t.Context(), "main", req, providers.Requirements{})
	if err != nil || resp.Message.Text != "A boat." || r.Name != "main" {
		t.Fatalf("%+v %+v %v", resp, r, err)
	}
	if got := h.fakes["main"].asked[0]; got.Model != "m" || got.MaxOutputTokens != 77 || got.FileName != req.FileName {
		t.Errorf("got %+v", got)
	}
}

func TestP16_S14_NoByteToAModelThatCannotSee(t *testing.T) {
	t.Parallel()
	off := fixed("m")
	off.Active = false
	for name, cfg := range map[string]config.ProviderConfiguration{"text only": fixed("blind"), "criteria without vision": criteria("tools"), "switched off": off} {
		p := withFallbacks(0, "blind too")
		cfg.Fallbacks = []string{"blind too"}
		p.Configurations["main"], p.Configurations["blind too"] = cfg, fixed("blind")
		h := newHouse(p)
		// need does not say vision: the picture in the messages does.
		_, r, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.Requirements{Tools: true})
		if k := kind(err); k != providers.Unsupported && k != providers.Configuration {
			t.Errorf("%s: %v", name, err)
		}
		if h.fakes["main"].count() != 0 || h.fakes["blind too"].count() != 0 || r.Name != "" {
			t.Errorf("%s: something was sent, to %q", name, r.Name)
		}
	}
	// Without a picture a text model is as good as any.
	p := withFallbacks(0)
	p.Configurations["main"] = fixed("blind")
	req := providertest.VisionRequest(t)
	req.Messages = req.Messages[:2]
	if _, _, err := newHouse(p).Complete(t.Context(), "main", req, providers.Requirements{}); err != nil {
		t.Error(err)
	}
}

func TestP16_S56_Fallbacks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind providers.Kind
		next bool
	}{
		{providers.RateLimited, true},
		{providers.Unavailable, true},
		{providers.Timeout, true},
		{providers.Quota, true},
		{providers.BadAnswer, true},
		{providers.Auth, false},
		{providers.BadRequest, false},
		{providers.Refused, false},
		{providers.TooLarge, false},
		{providers.EmptyAnswer, false},
		{providers.Truncated, false},
		{providers.Unsupported, false},
		{providers.Configuration, false},
	} {
		p := withFallbacks(0, "main", "missing", "off", "blind", "criteria", "closed", "second", "third")
		off, closed := fixed("x"), fixed("x")
		off.Active = false
		closed.Groups = []uint32{9}
		p.Configurations["off"], p.Configurations["closed"] = off, closed
		p.Configurations["blind"], p.Configurations["criteria"] = fixed("blind"), criteria("tools")
		// The chain of a fallback is not followed.
		second := fixed("model-of-second")
		second.Fallbacks = []string{"deep"}
		p.Configurations["second"], p.Configurations["deep"] = second, fixed("x")
		h := newHouse(p)
		h.fakes["main"].answers = append(h.fakes["main"].answers, fails(providers.Error{Provider: "main", Kind: c.kind}))
		resp, r, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.Requirements{})
		if c.next != (err == nil) || c.next != (r.Name == "second") {
			t.Errorf("%s: %+v %v", c.kind, r, err)
		}
		if c.next && (resp.Usage != (providers.Usage{InputTokens: 15, OutputTokens: 1, Unpriced: true}) || h.fakes["second"].asked[0].Model != "model-of-second") {
			t.Errorf("%s: usage %+v", c.kind, resp.Usage)
		}
		for _, never := range []string{"off", "blind", "criteria", "closed", "third", "deep"} {
			if h.fakes[never].count() != 0 {
				t.Errorf("%s: %s was asked", c.kind, never)
			}
		}
		if h.fakes["main"].count() != 1 {
			t.Errorf("%s: main was asked %d times", c.kind, h.fakes["main"].count())
		}
	}
}

func TestS56_NoFallbackLeft(t *testing.T) {
	t.Parallel()
	p := withFallbacks(0, "blind")
	p.Configurations["blind"] = fixed("blind")
	h := newHouse(p)
	h.fakes["main"].answers = append(h.fakes["main"].answers, fails(providers.Error{Provider: "main", Kind: providers.Unavailable, Status: 503}))
	resp, r, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.Requirements{})
	if kind(err) != providers.Unavailable || r.Name != "main" || h.fakes["blind"].count() != 0 || resp.Usage.InputTokens != 5 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestComplete_FallbackOfTheSameGroups(t *testing.T) {
	t.Parallel()
	p := withFallbacks(0, "second")
	main, second := p.Configurations["main"], p.Configurations["second"]
	main.Groups, second.Groups = []uint32{4}, []uint32{4, 5}
	p.Configurations["main"], p.Configurations["second"] = main, second
	h := newHouse(p)
	h.fakes["main"].answers = append(h.fakes["main"].answers, fails(providers.Error{Kind: providers.Unavailable}))
	if _, r, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.Requirements{}); err != nil || r.Name != "second" {
		t.Errorf("%+v %v", r, err)
	}
}

// retry runs one send against these failures and gives the time it took.
func retry(t *testing.T, retries int, options []providers.Option, failures ...providers.Error) (asked int, took time.Duration, err error) {
	t.Helper()
	req := providertest.VisionRequest(t)
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(withFallbacks(retries), options...)
		for _, f := range failures {
			h.fakes["main"].answers = append(h.fakes["main"].answers, fails(f))
		}
		began := time.Now()
		var resp providers.Response
		resp, _, err = h.Complete(t.Context(), "main", req, providers.Requirements{})
		asked, took = h.fakes["main"].count(), time.Since(began)
		if want := int64(min(asked, len(failures)))*5 + int64(max(0, asked-len(failures)))*10; resp.Usage.InputTokens != want {
			t.Errorf("usage %d, want %d: all attempts are billed", resp.Usage.InputTokens, want)
		}
	})
	return asked, took, err
}

func TestComplete_Retries(t *testing.T) {
	unavailable, limited := providers.Error{Kind: providers.Unavailable}, providers.Error{Kind: providers.RateLimited}
	asks := func(d time.Duration) providers.Error {
		return providers.Error{Kind: providers.RateLimited, RetryAfter: d}
	}
	for _, c := range []struct {
		name        string
		retries     int
		failures    []providers.Error
		asked       int
		least, most time.Duration
		want        providers.Kind
	}{
		{"none", 3, nil, 1, 0, 0, ""},
		{"one", 3, []providers.Error{unavailable}, 2, 250 * time.Millisecond, 750 * time.Millisecond, ""},
		{"doubles", 3, []providers.Error{unavailable, limited, unavailable}, 4, 1750 * time.Millisecond, 5250 * time.Millisecond, ""},
		{"used up", 2, []providers.Error{unavailable, unavailable, limited, unavailable}, 3, 750 * time.Millisecond, 2250 * time.Millisecond, providers.RateLimited},
		{"zero retries", 0, []providers.Error{unavailable}, 1, 0, 0, providers.Unavailable},
		{"Retry-After", 3, []providers.Error{asks(7 * time.Second)}, 2, 7 * time.Second, 8 * time.Second, ""},
		{"Retry-After beyond the budget", 3, []providers.Error{asks(2 * time.Minute)}, 1, 0, 0, providers.RateLimited},
		{"budget", 10, []providers.Error{asks(40 * time.Second), asks(40 * time.Second)}, 2, 40 * time.Second, 45 * time.Second, providers.RateLimited},
		{"timeout", 3, []providers.Error{{Kind: providers.Timeout}}, 1, 0, 0, providers.Timeout},
		{"auth", 3, []providers.Error{{Kind: providers.Auth}}, 1, 0, 0, providers.Auth},
		{"quota", 3, []providers.Error{{Kind: providers.Quota}}, 1, 0, 0, providers.Quota},
		{"bad answer", 3, []providers.Error{{Kind: providers.BadAnswer}}, 1, 0, 0, providers.BadAnswer},
		{"empty answer", 3, []providers.Error{{Kind: providers.EmptyAnswer}}, 1, 0, 0, providers.EmptyAnswer},
		{"after a retry final", 3, []providers.Error{unavailable, {Kind: providers.BadRequest}}, 2, 250 * time.Millisecond, 750 * time.Millisecond, providers.BadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked, took, err := retry(t, c.retries, nil, c.failures...)
			if asked != c.asked || kind(err) != c.want || (err == nil) != (c.want == "") {
				t.Errorf("asked %d times: %v", asked, err)
			}
			if took < c.least || took > c.most {
				t.Errorf("took %s, want %s to %s", took, c.least, c.most)
			}
		})
	}
}

func TestComplete_CallerGoesAwayWhileWaiting(t *testing.T) {
	req := providertest.VisionRequest(t)
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(withFallbacks(3, "second"))
		h.fakes["main"].answers = append(h.fakes["main"].answers, fails(providers.Error{Kind: providers.RateLimited, RetryAfter: 30 * time.Second}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, _, err := h.Complete(ctx, "main", req, providers.Requirements{})
		if !errors.Is(err, context.DeadlineExceeded) || kind(err) != "" || time.Since(began) != time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		if h.fakes["second"].count() != 0 {
			t.Error("a fallback was asked for nobody")
		}
	})
}

func TestComplete_BuildsAgainWhenTheConfigurationChanges(t *testing.T) {
	t.Parallel()
	s := &config.Settings{Providers: withFallbacks(0)}
	built := 0
	d := providers.NewDirectory(func() *config.Settings { return s }, func(string, config.ProviderConfiguration) (providers.Provider, error) {
		built++
		if built == 3 {
			return nil, errors.New("no address")
		}
		return &fake{}, nil
	})
	ask := func() error {
		_, _, err := d.Complete(t.Context(), "", providertest.VisionRequest(t), providers.Requirements{})
		return err
	}
	if err := errors.Join(ask(), ask()); err != nil || built != 1 {
		t.Fatalf("built %d times: %v", built, err)
	}
	for want := 2; want <= 3; want++ {
		next := *s
		next.Providers = withFallbacks(want)
		s = &next
		if err := ask(); built != want || (want == 3) != (kind(err) == providers.Configuration) {
			t.Errorf("built %d times: %v", built, err)
		}
	}
}
