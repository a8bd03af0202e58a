package providers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"editor-actions/internal/config"

	"github.com/cenkalti/backoff/v5"
	"github.com/sony/gobreaker/v2"
)

// Complete sends req to the model of a configuration and, where that fails in a
// way another provider may not, to its fallbacks in order. Model and output
// limit of req are filled in; an empty name is the default configuration.
//
// Each candidate is checked before a byte is sent (P16): it must be active, and
// its model must meet need and what the request demands by itself: one that holds a
// picture needs vision whatever need says. A candidate that does not is skipped; when
// none is left, the error is the primary's. A primary that is switched off or missing is
// an error at once, because going elsewhere would hide it. Fallbacks
// of fallbacks are not followed. A fallback that is limited to groups is used only when
// the primary is limited to the same or fewer, and one in a less trusted zone never.
//
// The Resolved names the candidate that answered or failed last, the zero value
// when nothing was sent. Usage is what all attempts were billed, also with an error.
func (d *Directory) Complete(ctx context.Context, configuration string, req Request, need Requirements) (Response, Resolved, error) {
	s := d.settings()
	if configuration == "" {
		configuration = s.Providers.Default
	}
	need = need.Merge(RequirementsOf(req))
	primary, err := resolve(s, configuration, need)
	var (
		resp Response
		last Resolved
	)
	unmet := isUnsupported(err)
	switch {
	case err == nil:
		resp, err = d.send(ctx, s, primary, req)
		last = primary
	case !unmet:
		return Response{}, Resolved{}, err
	}
	usage := resp.Usage
	for _, name := range s.Providers.Configurations[configuration].Fallbacks {
		if ctx.Err() != nil || !unmet && !another(err) {
			break
		}
		r, skip := fallback(s, primary, name, need)
		if skip != nil {
			d.log.InfoContext(ctx, "skipped fallback", "provider", name, "err", skip)
			continue
		}
		d.log.WarnContext(ctx, "asking fallback", "provider", name, "model", r.Model, "err", err)
		last, unmet = r, false
		resp, err = d.send(ctx, s, r, req)
		usage = usage.Add(resp.Usage)
	}
	resp.Usage = usage
	return resp, last, err
}

// another reports whether err may be different at another provider.
func another(err error) bool {
	pe, ok := errors.AsType[*Error](err)
	return ok && pe.CanFallBack()
}

func isUnsupported(err error) bool {
	pe, ok := errors.AsType[*Error](err)
	return ok && pe.Kind == Unsupported
}

// fallback resolves one entry of a chain, or says why it is skipped.
func fallback(s *config.Settings, primary Resolved, name string, need Requirements) (Resolved, error) {
	no := func(detail string) (Resolved, error) {
		return Resolved{}, &Error{Provider: name, Kind: Configuration, Detail: detail}
	}
	if name == primary.Name {
		return no("a fallback to itself")
	}
	r, err := resolve(s, name, need)
	if err != nil {
		return Resolved{}, err
	}
	if r.Zone > primary.Zone {
		return no(fmt.Sprintf("its zone %s is less trusted than %s", r.Zone, primary.Zone))
	}
	from, to := s.Providers.Configurations[primary.Name].Groups, s.Providers.Configurations[name].Groups
	if len(to) > 0 && (len(from) == 0 || slices.ContainsFunc(from, func(g uint32) bool { return !slices.Contains(to, g) })) {
		return no("limited to groups that the first configuration is not limited to")
	}
	return r, nil
}

// send asks one candidate, again as long as that is worth it.
func (d *Directory) send(ctx context.Context, s *config.Settings, r Resolved, req Request) (Response, error) {
	cfg := s.Providers.Configurations[r.Name]
	b, err := d.provider(r.Name, cfg)
	if err != nil {
		return Response{}, err
	}
	req.Model, req.MaxOutputTokens = r.Model, r.MaxOutputTokens
	var (
		resp  Response
		fail  error
		usage Usage
	)
	_, stopped := backoff.Retry(ctx, func() (struct{}, error) {
		resp, fail = d.attempt(ctx, s, b, r, req)
		usage = usage.Add(resp.Usage)
		return struct{}{}, again(fail)
	},
		backoff.WithBackOff(&backoff.ExponentialBackOff{
			InitialInterval: 500 * time.Millisecond, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: 20 * time.Second,
		}),
		backoff.WithMaxTries(uint(max(cfg.MaxRetries, 0))+1),
		backoff.WithMaxElapsedTime(d.budget),
		backoff.WithNotify(func(_ error, wait time.Duration) {
			d.log.WarnContext(ctx, "retrying provider", "provider", r.Name, "model", r.Model, "duration_ms", wait.Milliseconds(), "err", fail)
		}),
	)
	resp.Usage = usage
	if stopped != nil && ctx.Err() != nil { // our own end, not the provider's failure
		return resp, fmt.Errorf("providers: ask %s: %w", r.Name, context.Cause(ctx))
	}
	return resp, fail
}

// attempt is one request: it waits for a place, asks the breaker and the budgets, and
// counts what was billed.
func (d *Directory) attempt(ctx context.Context, s *config.Settings, b *builtProvider, r Resolved, req Request) (Response, error) {
	if err := b.slots.take(ctx); err != nil {
		return Response{}, fmt.Errorf("providers: wait to ask %s: %w", r.Name, err)
	}
	var (
		resp Response
		err  error
	)
	defer func() { b.slots.free(err, time.Now()) }() // also when a provider panics
	resp, err = b.breaker.Execute(func() (resp Response, err error) {
		settle, err := d.meter.Reserve(ctx, chargeOf(s, r, req))
		if err != nil {
			return Response{}, err
		}
		billed := Billed{Unknown: true}
		defer func() { settle(context.WithoutCancel(ctx), billed) }()
		resp, err = b.provider.Complete(ctx, req)
		resp.Usage = priced(s, r.Vendor, r.Model, resp.Usage)
		if billed.Unknown = unknownBill(r.Vendor, resp.Usage, err); billed.Unknown {
			resp.Usage.Unpriced = true
		}
		billed.Usage = resp.Usage
		return resp, err
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		err = broken(r.Name)
	}
	return resp, err
}

// unknownBill reports whether a request was probably billed although nobody said how
// much: an answer came, or may have been on its way, and it brought no usage.
func unknownBill(vendor string, u Usage, err error) bool {
	if u.InputTokens > 0 || u.OutputTokens > 0 || vendor == config.VendorDemo {
		return false
	}
	e, ok := errors.AsType[*Error](err)
	if err == nil || !ok { // an answer, or a caller that left while it was on its way
		return true
	}
	switch e.Kind {
	case Timeout, BadAnswer, EmptyAnswer, Truncated, Refused:
		return e.Status < 400 // an error of the provider's is no answer
	default:
		return false
	}
}

// again turns a failure into what the retry loop understands.
func again(err error) error {
	if err == nil {
		return nil
	}
	pe, ok := errors.AsType[*Error](err)
	if !ok || !pe.IsRetryable() {
		return backoff.Permanent(err)
	}
	if pe.RetryAfter > 0 {
		// Everybody who was turned away was told the same moment: spread them.
		return &backoff.RetryAfterError{Duration: pe.RetryAfter + rand.N(pe.RetryAfter/10+100*time.Millisecond)} //nolint:gosec // a spread, no secret
	}
	return err
}
