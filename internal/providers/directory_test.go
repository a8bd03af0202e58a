package providers_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
)

// fake is a provider that answers from a list and counts.
type fake struct {
	mu      sync.Mutex
	answers []func(ctx context.Context) (providers.Response, error)
	asked   []providers.Request
}

func (f *fake) Complete(ctx context.Context, req providers.Request) (providers.Response, error) {
	f.mu.Lock()
	f.asked = append(f.asked, req)
	answer := says("A boat.")
	if len(f.answers) > 0 {
		answer, f.answers = f.answers[0], f.answers[1:]
	}
	f.mu.Unlock()
	return answer(ctx)
}

func (f *fake) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

func says(text string) func(context.Context) (providers.Response, error) {
	return func(context.Context) (providers.Response, error) {
		return providers.Response{Message: providers.Message{Role: providers.Assistant, Text: text}, Usage: providers.Usage{InputTokens: 10, OutputTokens: 1}}, nil
	}
}

func fails(e providers.Error) func(context.Context) (providers.Response, error) {
	return func(context.Context) (providers.Response, error) {
		return providers.Response{Usage: providers.Usage{InputTokens: 5}}, &e
	}
}

// house is a directory over fakes.
type house struct {
	*providers.Directory
	settings *config.Settings
	fakes    map[string]*fake
}

func newHouse(p config.Providers, options ...providers.Option) *house {
	h := &house{settings: &config.Settings{Providers: p}, fakes: map[string]*fake{}}
	for name := range p.Configurations {
		h.fakes[name] = &fake{}
	}
	h.Directory = providers.NewDirectory(func() *config.Settings { return h.settings },
		func(name string, _ config.ProviderConfiguration) (providers.Provider, error) {
			return h.fakes[name], nil
		},
		append([]providers.Option{providers.WithLog(slog.New(slog.DiscardHandler))}, options...)...)
	return h
}

func kind(err error) providers.Kind {
	if e, ok := errors.AsType[*providers.Error](err); ok {
		return e.Kind
	}
	return ""
}

func models(m ...config.Model) []config.Model { return m }

func model(id string, capabilities ...string) config.Model {
	return config.Model{ID: id, Vendor: config.VendorOpenAI, Capabilities: capabilities}
}

func fixed(model string) config.ProviderConfiguration {
	return config.ProviderConfiguration{Active: true, Vendor: config.VendorOpenAI, Model: model, System: "role", MaxOutputTokens: 77}
}

func criteria(capabilities ...string) config.ProviderConfiguration {
	return config.ProviderConfiguration{Active: true, Vendor: config.VendorOpenAI, Criteria: &config.Criteria{Capabilities: capabilities}}
}

func TestOfferVision(t *testing.T) {
	t.Parallel()
	inactive, grouped := fixed("m"), fixed("m")
	inactive.Active = false
	grouped.Groups = []uint32{4, 5}
	seeing := models(model("m", "chat", "vision", "tools"))
	for _, c := range []struct {
		name   string
		cfg    config.ProviderConfiguration
		models []config.Model
		groups []uint32
		want   bool
		vision providers.VisionState
	}{
		{"S14_chat and tools", fixed("m"), models(model("m", "chat", "tools")), nil, false, providers.VisionNo},
		{"S14_declares that it can do nothing", fixed("m"), models(config.Model{ID: "m", Vendor: config.VendorOpenAI, Capabilities: []string{}}), nil, false, providers.VisionNo},
		{"S15_declares nothing", fixed("m"), models(model("m")), nil, true, providers.VisionUndeclared},
		{"S15_not in the list", fixed("m"), nil, nil, true, providers.VisionUndeclared},
		{"S15_declares vision", fixed("m"), seeing, nil, true, providers.VisionYes},
		{"S15_other vendor's model of the same name", fixed("m"), models(config.Model{ID: "m", Vendor: config.VendorGroq, Capabilities: []string{"chat"}}), nil, true, providers.VisionUndeclared},
		{"vision without tools cannot run", fixed("m"), models(model("m", "vision")), nil, false, providers.VisionYes},
		{"S16_criteria without vision, all models see", criteria("chat", "tools"), seeing, nil, false, ""},
		{"S16_no criteria at all", criteria(), seeing, nil, false, ""},
		{"S16_criteria with vision", criteria("tools", "vision"), seeing, nil, true, providers.VisionYes},
		{"S16_criteria are strict about undeclared", criteria("vision"), models(model("m")), nil, false, ""},
		{"S16_criteria with vision, no model has tools", criteria("vision"), models(model("m", "vision")), nil, false, ""},
		{"switched off", inactive, seeing, nil, false, ""},
		{"in a group", grouped, seeing, []uint32{1, 5}, true, providers.VisionYes},
		{"in no group", grouped, seeing, []uint32{1}, false, ""},
		{"without groups", grouped, seeing, nil, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(config.Providers{Default: "main", Configurations: map[string]config.ProviderConfiguration{"main": c.cfg}, Models: c.models})
			r, ok := h.OfferVision(c.groups)
			if ok != c.want || r.Vision != c.vision {
				t.Errorf("got %v %+v", ok, r)
			}
			if ok && (r.Name != "main" || r.Model != "m" || r.Vendor != config.VendorOpenAI) {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestOfferVision_NoDefault(t *testing.T) {
	t.Parallel()
	if _, ok := newHouse(config.Providers{}).OfferVision(nil); ok {
		t.Error("offered without a configuration")
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	off := fixed("m")
	off.Active = false
	h := newHouse(config.Providers{
		Default: "main",
		Configurations: map[string]config.ProviderConfiguration{
			"main": fixed("m"), "off": off, "criteria": criteria("vision"), "demo": {Active: true, Vendor: config.VendorDemo, Model: "demo"},
		},
		Models: models(model("blind", "tools"), model("m2", "vision"), model("m3", "Vision ", "tools")),
	})
	if r, err := h.Resolve("", providers.Requirements{}); err != nil || r.Name != "main" || r.System != "role" || r.MaxOutputTokens != 77 {
		t.Errorf("default: %+v %v", r, err)
	}
	if r, err := h.Resolve("criteria", providers.Requirements{}); err != nil || r.Model != "m2" {
		t.Errorf("criteria: %+v %v", r, err)
	}
	// Requirements only grow: what is needed is looked for together with the criteria.
	if r, err := h.Resolve("criteria", providers.Requirements{Tools: true}); err != nil || r.Model != "m3" {
		t.Errorf("criteria and tools: %+v %v", r, err)
	}
	if r, err := h.Resolve("demo", providers.VisionAction); err != nil || r.Vision != providers.VisionYes {
		t.Errorf("demo: %+v %v", r, err)
	}
	for name, want := range map[string]providers.Kind{"off": providers.Configuration, "gone": providers.Configuration} {
		if _, err := h.Resolve(name, providers.Requirements{}); kind(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A reload is seen at the next call.
	next := *h.settings
	next.Providers.Configurations = map[string]config.ProviderConfiguration{"main": fixed("blind")}
	h.settings = &next
	if _, err := h.Resolve("main", providers.Requirements{Vision: providers.NeedNotRefused}); kind(err) != providers.Unsupported {
		t.Errorf("after a reload: %v", err)
	}
}
