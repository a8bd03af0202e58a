package providers_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

// purse is a meter that remembers.
type purse struct {
	mu      sync.Mutex
	refuse  error
	charged []providers.Charge
	billed  []providers.Usage
	unknown []bool
}

func (p *purse) Reserve(_ context.Context, c providers.Charge) (func(context.Context, providers.Billed), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuse != nil {
		return nil, p.refuse
	}
	p.charged = append(p.charged, c)
	return func(_ context.Context, b providers.Billed) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.billed, p.unknown = append(p.billed, b.Usage), append(p.unknown, b.Unknown)
	}, nil
}

func bill(u providers.Usage, err error) func(context.Context) (providers.Response, error) {
	return func(context.Context) (providers.Response, error) {
		return providers.Response{Message: providers.Message{Role: providers.Assistant, Text: "A boat."}, Usage: u}, err
	}
}

func TestCost_AsBilledOfEveryAttempt(t *testing.T) {
	t.Parallel()
	p := withFallbacks(0, "second")
	cached := 0.1
	p.Models = []config.Model{
		{ID: "m", Vendor: config.VendorOpenAI, InputPrice: 0.4, CachedInputPrice: &cached, OutputPrice: 1.6, PricedOn: "2026-12-03"},
		{ID: "model-of-second", Vendor: config.VendorOpenAI, InputPrice: 10, OutputPrice: 20, PricedOn: "2026-12-03"},
	}
	till := &purse{}
	h := newHouse(p, providers.WithMeter(till))
	h.fakes["main"].answers = append(h.fakes["main"].answers,
		bill(providers.Usage{InputTokens: 1000, CachedInputTokens: 400, OutputTokens: 50}, &providers.Error{Kind: providers.BadAnswer}))
	h.fakes["second"].answers = append(h.fakes["second"].answers, bill(providers.Usage{InputTokens: 100, OutputTokens: 10, ReasoningTokens: 4}, nil))
	req := providertest.VisionRequest(t)
	req.User = 3
	resp, _, err := h.Complete(t.Context(), "main", req, providers.VisionAction)
	// 600*0.4 + 400*0.1 + 50*1.6 = 360, and 100*10 + 10*20 = 1200 millionths.
	want := providers.Usage{InputTokens: 1100, CachedInputTokens: 400, OutputTokens: 60, ReasoningTokens: 4, CostMicros: 1560}
	if err != nil || resp.Usage != want {
		t.Errorf("%+v %v", resp.Usage, err)
	}
	if len(till.charged) != 2 || len(till.billed) != 2 || till.billed[0].CostMicros != 360 || till.billed[1].CostMicros != 1200 {
		t.Errorf("%+v %+v", till.charged, till.billed)
	}
	if c := till.charged[0]; c.User != 3 || c.Configuration != "main" || c.Model != "m" || c.Tokens < 77+85 || c.CostMicros == 0 || c.Unpriced {
		t.Errorf("reserved %+v", c)
	}
}

func TestS50_UnknownIsNotFree(t *testing.T) {
	t.Parallel()
	till := &purse{}
	h := newHouse(withFallbacks(0), providers.WithMeter(till))
	resp, _, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.VisionAction)
	if err != nil || !resp.Usage.Unpriced || resp.Usage.CostMicros != 0 || !till.charged[0].Unpriced {
		t.Errorf("%+v %v %+v", resp.Usage, err, till.charged)
	}
	mixed := providers.Usage{CostMicros: 5}.Add(providers.Usage{Unpriced: true})
	if !mixed.Unpriced {
		t.Error("a sum with an unknown part is no price")
	}
}

// What was probably billed and not said is neither free nor given back.
func TestCost_ABillThatNobodyKnows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer  func(context.Context) (providers.Response, error)
		unknown bool
	}{
		"an answer without usage": {bill(providers.Usage{}, nil), true},
		"timeout":                 {bill(providers.Usage{}, &providers.Error{Kind: providers.Timeout}), true},
		"unreadable":              {bill(providers.Usage{}, &providers.Error{Kind: providers.BadAnswer, Status: 200}), true},
		"the caller left":         {bill(providers.Usage{}, context.Canceled), true},
		"refused key":             {bill(providers.Usage{}, &providers.Error{Kind: providers.Auth, Status: 401}), false},
		"no connection":           {bill(providers.Usage{}, &providers.Error{Kind: providers.Unavailable}), false},
		"refused with a status":   {bill(providers.Usage{}, &providers.Error{Kind: providers.Refused, Status: 400}), false},
		"with usage":              {bill(providers.Usage{InputTokens: 5}, &providers.Error{Kind: providers.Truncated, Status: 200}), false},
	} {
		till := &purse{}
		p := withFallbacks(0)
		p.Models = []config.Model{{ID: "m", Vendor: config.VendorOpenAI, InputPrice: 1, OutputPrice: 1, PricedOn: "2026-12-03"}}
		h := newHouse(p, providers.WithMeter(till))
		h.fakes["main"].answers = append(h.fakes["main"].answers, c.answer)
		resp, _, _ := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.VisionAction)
		if len(till.unknown) != 1 || till.unknown[0] != c.unknown || resp.Usage.Unpriced != c.unknown {
			t.Errorf("%s: %v, usage %+v", name, till.unknown, resp.Usage)
		}
	}
}

func TestCost_HostileNumbersAreBounded(t *testing.T) {
	t.Parallel()
	till := &purse{}
	p := withFallbacks(0)
	p.Models = []config.Model{{ID: "m", Vendor: config.VendorOpenAI, InputPrice: 100_000, OutputPrice: 100_000, PricedOn: "2026-12-03"}}
	h := newHouse(p, providers.WithMeter(till))
	h.fakes["main"].answers = append(h.fakes["main"].answers, bill(providers.Usage{InputTokens: math.MaxInt64, OutputTokens: math.MaxInt64, CachedInputTokens: math.MinInt64, ReasoningTokens: -1}, nil))
	resp, _, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.VisionAction)
	if u := resp.Usage; err != nil || u.InputTokens != 1_000_000_000 || u.CachedInputTokens != 0 || u.CostMicros <= 0 || u.CostMicros > 1e15 {
		t.Errorf("%+v %v", u, err)
	}
}

// A provider that panics gives its place back.
func TestSlots_APanicGivesItsPlaceBack(t *testing.T) {
	t.Parallel()
	cfg := withFallbacks(0)
	main := cfg.Configurations["main"]
	main.MaxConcurrent = 1
	cfg.Configurations["main"] = main
	till := &purse{}
	h := newHouse(cfg, providers.WithMeter(till))
	h.fakes["main"].answers = append(h.fakes["main"].answers, func(context.Context) (providers.Response, error) { panic("a bug") })
	func() {
		defer func() { _ = recover() }()
		_, _, _ = h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.VisionAction)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if _, _, err := h.Complete(ctx, "main", providertest.VisionRequest(t), providers.VisionAction); err != nil || len(till.unknown) != 2 || !till.unknown[0] {
		t.Errorf("%v %v", err, till.unknown)
	}
}

// A budget that is used up ends the run before a byte is sent, with no fallback.
func TestBudget_StopsHard(t *testing.T) {
	t.Parallel()
	till := &purse{refuse: &providers.Error{Provider: "main", Kind: providers.Budget}}
	h := newHouse(withFallbacks(3, "second"), providers.WithMeter(till))
	_, _, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.VisionAction)
	if kind(err) != providers.Budget || h.fakes["main"].count() != 0 || h.fakes["second"].count() != 0 {
		t.Errorf("%v, asked %d and %d times", err, h.fakes["main"].count(), h.fakes["second"].count())
	}
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	p := withFallbacks(0)
	p.Configurations["main"] = fixed("gpt-4.1-mini")
	p.Configurations["other"] = fixed("nobody-knows")
	p.Models = []config.Model{{ID: "gpt-4.1-mini", Vendor: config.VendorOpenAI, InputPrice: 0.4, OutputPrice: 1.6, PricedOn: "2026-12-03"}}
	p.Currency = "EUR"
	h := newHouse(p)
	req := providers.Request{
		Messages: []providers.Message{{Role: providers.User, Text: strings.Repeat("x", 300)}},
		Tools:    []providers.Tool{{Name: "t", Parameters: json.RawMessage(`{}`)}},
	}
	once, known := h.Estimate("main", req, 1024, 1)
	twice, _ := h.Estimate("main", req, 1024, 2)
	// A picture of 1024 x 1024 is 1024 patches times 1.62, the text a third of its length.
	if !known || once.InputTokens < 1659+100 || once.InputTokens > 1659+130 || !once.Priced || once.CostMicros == 0 || once.Currency != "EUR" {
		t.Errorf("%+v %v", once, known)
	}
	if twice.InputTokens < 2*once.InputTokens || twice.CostMicros <= once.CostMicros {
		t.Errorf("two sends: %+v", twice)
	}
	if e, known := h.Estimate("other", req, 1024, 1); known {
		t.Errorf("a model whose pictures nobody can count: %+v", e)
	}
	if _, known := h.Estimate("gone", req, 1024, 1); known {
		t.Error("a configuration that is not there")
	}
}

func TestCheck_TellsLookingFromGuessing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer      providertest.Answer
		reach, key  providers.Verdict
		tools, sees providers.Verdict
	}{
		"guesses":          {providertest.Calls(providertest.Call{Name: "report_word", Arguments: `{"word":"a word"}`}), "yes", "yes", "yes", "no"},
		"sees no picture":  {providertest.Calls(providertest.Call{Name: "report_word", Arguments: `{"word":""}`}), "yes", "yes", "yes", "no"},
		"words, no tool":   {providertest.Text("I see a picture with a word."), "yes", "yes", "no", "no"},
		"another tool":     {providertest.Calls(providertest.Call{Name: "other", Arguments: `{"word":"x"}`}), "yes", "yes", "no", "no"},
		"broken arguments": {providertest.Calls(providertest.Call{Name: "report_word", Arguments: `{"word":`}), "yes", "yes", "no", "no"},
		"wrong key":        {providertest.Status(401), "yes", "no", "unknown", "unknown"},
		"no such model":    {providertest.Error(404, "model_not_found"), "yes", "yes", "unknown", "unknown"},
		"hangs up":         {providertest.Hangup(), "no", "unknown", "unknown", "unknown"},
		"limited":          {providertest.Status(429), "yes", "yes", "unknown", "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := checkWith(t, c.answer)
			if got.Reachable != c.reach || got.KeyAccepted != c.key || got.Tools != c.tools || got.Sees != c.sees || got.OK() {
				t.Errorf("%+v", got)
			}
			if got.Detail == "" && got.Kind == "" {
				t.Error("it does not say why")
			}
		})
	}
}
