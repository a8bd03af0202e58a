package providers_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

// The rows G of the specification of tool images, as far as requirements go.

func TestG01_G02_G03_MergeOnlyGrows(t *testing.T) {
	t.Parallel()
	none, subject, tool := providers.Requirements{}, providers.Requirements{Vision: providers.NeedNotRefused}, providers.Requirements{Vision: providers.NeedDeclared, Tools: true, Images: 2, Largest: 9}
	for name, c := range map[string]struct {
		got  providers.Requirements
		want providers.Need
	}{
		"none, need, none": {none.Merge(subject).Merge(none), providers.NeedNotRefused},
		"nothing":          {none.Merge(none), providers.NeedNone},
		"one way":          {subject.Merge(tool), providers.NeedDeclared},
		"the other way":    {tool.Merge(subject), providers.NeedDeclared},
	} {
		if c.got.Vision != c.want {
			t.Errorf("%s: %d", name, c.got.Vision)
		}
	}
	if got := subject.Merge(tool); !got.Tools || got.Images != 2 || got.Largest != 9 {
		t.Errorf("%+v", got)
	}
	types := providers.Requirements{Types: []media.Type{media.PNG}}
	merged := types.Merge(providers.Requirements{Types: []media.Type{media.JPEG, media.PNG}})
	if !slices.Equal(merged.Types, []media.Type{media.PNG, media.JPEG}) || len(types.Types) != 1 {
		t.Errorf("%v, and the first is %v now", merged.Types, types.Types)
	}
	merged.Types[0] = media.JPEG
	if types.Types[0] != media.PNG {
		t.Error("the result shares its list with an input")
	}
}

// G04, G06: a request that holds a picture needs vision, whatever its caller asks for,
// and a request beside it that holds none does not.
func TestG04_G06_ThePictureItselfDemandsVision(t *testing.T) {
	t.Parallel()
	p := withFallbacks(0)
	p.Configurations["main"] = fixed("blind")
	h := newHouse(p)
	text := providertest.VisionRequest(t)
	text.Messages = text.Messages[:2]
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, _, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.Requirements{}); kind(err) != providers.Unsupported {
				t.Errorf("with a picture: %v", err)
			}
		})
		wg.Go(func() {
			if _, _, err := h.Complete(t.Context(), "main", text, providers.Requirements{}); err != nil {
				t.Errorf("without: %v", err)
			}
		})
	}
	wg.Wait()
	if n := h.fakes["main"].count(); n != 20 {
		t.Errorf("asked %d times", n)
	}
}

func TestG07_G08_G09_WhatModelsDeclare(t *testing.T) {
	t.Parallel()
	p := withFallbacks(0, "silent", "seeing")
	p.Models = models(model("blind", "chat", "tools"), model("eye", "chat", "tools", "vision"))
	p.Configurations["blind"], p.Configurations["silent"], p.Configurations["seeing"] = fixed("blind"), fixed("unknown"), fixed("eye")
	h := newHouse(p)
	for _, c := range []struct {
		name          string
		subject, tool bool
	}{{"blind", false, false}, {"silent", true, false}, {"seeing", true, true}} {
		for need, want := range map[providers.Need]bool{providers.NeedNotRefused: c.subject, providers.NeedDeclared: c.tool} {
			if _, err := h.Resolve(c.name, providers.Requirements{Vision: need}); (err == nil) != want {
				t.Errorf("%s, need %d: %v", c.name, need, err)
			}
		}
	}
}

// A fallback that sees answers for a first model that does not; one that is switched
// off is for an operator to see.
func TestG11_ASeeingFallbackForABlindFirst(t *testing.T) {
	t.Parallel()
	off := fixed("eye")
	off.Active = false
	for name, c := range map[string]struct {
		first config.ProviderConfiguration
		want  string
	}{"blind": {fixed("blind"), "second"}, "off": {off, ""}} {
		p := withFallbacks(0, "blind too", "second", "third")
		c.first.Fallbacks = p.Configurations["main"].Fallbacks
		p.Configurations["main"], p.Configurations["blind too"] = c.first, fixed("blind")
		h := newHouse(p)
		_, r, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.VisionAction)
		if r.Name != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %+v %v", name, r, err)
		}
		for _, never := range []string{"main", "blind too", "third"} {
			if h.fakes[never].count() != 0 {
				t.Errorf("%s: %s was asked", name, never)
			}
		}
	}
}

func TestG14_ModelSwappedAfterTheOffer(t *testing.T) {
	t.Parallel()
	h := newHouse(withFallbacks(0))
	if _, ok := h.OfferVision(nil); !ok {
		t.Fatal("not offered")
	}
	next := withFallbacks(0)
	next.Configurations["main"] = fixed("blind")
	h.settings.Providers = next
	if _, _, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.VisionAction); kind(err) != providers.Unsupported || h.fakes["main"].count() != 0 {
		t.Errorf("%v after %d requests", err, h.fakes["main"].count())
	}
}

func TestG17_CancelledAsksNobodyElse(t *testing.T) {
	t.Parallel()
	h := newHouse(withFallbacks(0, "second"))
	ctx, cancel := context.WithCancel(t.Context())
	h.fakes["main"].answers = append(h.fakes["main"].answers, func(context.Context) (providers.Response, error) {
		cancel()
		return providers.Response{}, &providers.Error{Provider: "main", Kind: providers.Unavailable}
	})
	_, _, err := h.Complete(ctx, "main", providertest.VisionRequest(t), providers.VisionAction)
	if !errors.Is(err, context.Canceled) || h.fakes["second"].count() != 0 {
		t.Errorf("%v, the fallback was asked %d times", err, h.fakes["second"].count())
	}
}

// G20: the limit counts encoded bytes.
func TestG20_EncodedSizeIsWhatCounts(t *testing.T) {
	t.Parallel()
	p := withFallbacks(0, "claude")
	claude := fixed("claude-sonnet-5")
	claude.Vendor = config.VendorAnthropic
	p.Configurations["claude"] = claude
	p.Models = nil
	h := newHouse(p)
	for encoded, want := range map[int]providers.Kind{5 << 20: "", 5<<20 + 4: providers.TooLarge} {
		_, err := h.Resolve("claude", providers.Requirements{Vision: providers.NeedNotRefused, Largest: encoded, Types: []media.Type{media.JPEG}, Images: 1})
		if kind(err) != want {
			t.Errorf("%d bytes: %v", encoded, err)
		}
	}
	if _, err := h.Resolve("claude", providers.Requirements{Types: []media.Type{"image/gif"}}); kind(err) != providers.Unsupported {
		t.Errorf("a type that no wire is sent: %v", err)
	}
	img := providertest.Picture(t)
	if img.EncodedLen() != len(img.Base64()) {
		t.Error("the encoded length is another one")
	}
}

// What a provider takes is its vendor's word until the settings say something else, larger or
// smaller; each number for itself.
func TestLimits_OfAConfiguration(t *testing.T) {
	t.Parallel()
	picture := providers.Requirements{Vision: providers.NeedNotRefused, Types: []media.Type{media.JPEG}, Largest: 100, Edge: 1024, Images: 2}
	with := func(change func(*providers.Requirements)) providers.Requirements {
		r := picture
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		vendor string
		limits config.Limits
		need   providers.Requirements
		want   providers.Kind
	}{
		"as published":                  {config.VendorAnthropic, config.Limits{}, picture, ""},
		"more bytes than published":     {config.VendorAnthropic, config.Limits{}, with(func(r *providers.Requirements) { r.Largest = 5<<20 + 4 }), providers.TooLarge},
		"a contract for more bytes":     {config.VendorAnthropic, config.Limits{PictureBytes: 10 << 20}, with(func(r *providers.Requirements) { r.Largest = 5<<20 + 4 }), ""},
		"and its end":                   {config.VendorAnthropic, config.Limits{PictureBytes: 10 << 20}, with(func(r *providers.Requirements) { r.Largest = 10<<20 + 4 }), providers.TooLarge},
		"a longer edge than published":  {config.VendorAnthropic, config.Limits{}, with(func(r *providers.Requirements) { r.Edge = 8001 }), providers.TooLarge},
		"another number leaves it":      {config.VendorAnthropic, config.Limits{PictureBytes: 10 << 20}, with(func(r *providers.Requirements) { r.Edge = 8001 }), providers.TooLarge},
		"a server of short edges":       {config.VendorCompatible, config.Limits{PictureEdge: 1023}, picture, providers.TooLarge},
		"exactly its edge":              {config.VendorCompatible, config.Limits{PictureEdge: 1024}, picture, ""},
		"a server of one picture":       {config.VendorCompatible, config.Limits{Pictures: 1}, picture, providers.Unsupported},
		"a server that publishes none":  {config.VendorCompatible, config.Limits{}, with(func(r *providers.Requirements) { r.Largest, r.Edge, r.Images = 1<<30, 1<<20, 999 }), ""},
		"more pictures than published":  {config.VendorGroq, config.Limits{}, with(func(r *providers.Requirements) { r.Images = 6 }), providers.Unsupported},
		"a contract for more pictures":  {config.VendorGroq, config.Limits{Pictures: 6}, with(func(r *providers.Requirements) { r.Images = 6 }), ""},
		"no numbers for a missing type": {config.VendorGroq, config.Limits{Pictures: 6}, with(func(r *providers.Requirements) { r.Types = []media.Type{"image/gif"} }), providers.Unsupported},
	} {
		p := withFallbacks(0)
		c2 := fixed("m")
		c2.Vendor, c2.Limits = c.vendor, c.limits
		p.Configurations["main"] = c2
		_, err := newHouse(p).Resolve("main", c.need)
		if kind(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && c.want == providers.TooLarge && !strings.Contains(err.Error(), "nothing was sent") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The edge that counts is the longer one, of any picture in the request.
func TestRequirementsOf_TheLongestEdge(t *testing.T) {
	t.Parallel()
	req := providertest.VisionRequest(t)
	img := req.Messages[2].Parts[0].Image
	if got := providers.RequirementsOf(req); got.Edge != max(img.Width(), img.Height()) || got.Edge == min(img.Width(), img.Height()) {
		t.Errorf("edge %d of %s", got.Edge, img)
	}
	a, b := providers.Requirements{Edge: 3}, providers.Requirements{Edge: 2}
	if a.Merge(b).Edge != 3 || b.Merge(a).Edge != 3 {
		t.Error("an edge shrank")
	}
}

// A limit of the settings on a whole request reaches each adapter: no byte leaves.
func TestLimits_OfAWholeRequest(t *testing.T) {
	t.Parallel()
	for vendor, w := range wires() {
		s := providertest.NewFor(t, w.format)
		s.Script(providertest.Text("A boat."))
		c := fixed("m")
		c.Vendor, c.BaseURL, c.PrivateNetwork, c.TimeoutSeconds = vendor, s.URL, true, 20
		c.Limits.RequestBytes = 300
		adapter, err := w.build("main", c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := adapter.Complete(t.Context(), providertest.VisionRequest(t)); kind(err) != providers.TooLarge || len(s.Requests()) != 0 {
			t.Errorf("%s: %v after %d requests", vendor, err, len(s.Requests()))
		}
		c.Limits.RequestBytes = 1 << 20
		if adapter, err = w.build("main", c); err != nil {
			t.Fatal(err)
		}
		if _, err := adapter.Complete(t.Context(), providertest.VisionRequest(t)); err != nil || len(s.Requests()) != 1 {
			t.Errorf("%s: %v after %d requests", vendor, err, len(s.Requests()))
		}
	}
}

func TestZones_NeverFurtherThanTheFirst(t *testing.T) {
	t.Parallel()
	zone := func(name string) config.ProviderConfiguration {
		c := fixed("model-of-" + name)
		c.Zone = name
		return c
	}
	for _, primary := range config.Zones {
		p := config.Providers{Default: "main", Configurations: map[string]config.ProviderConfiguration{}}
		main := zone(primary)
		for _, z := range []string{"global", "eu", "private", "local"} { // the least trusted one stands first
			p.Configurations[z] = zone(z)
			main.Fallbacks = append(main.Fallbacks, z)
		}
		p.Configurations["main"] = main
		h := newHouse(p)
		for name := range h.fakes {
			h.fakes[name].answers = append(h.fakes[name].answers, fails(providers.Error{Kind: providers.Unavailable}))
		}
		_, _, _ = h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.VisionAction)
		limit := slices.Index(config.Zones, primary)
		for i, z := range config.Zones {
			if asked := h.fakes[z].count() > 0; asked != (i <= limit) {
				t.Errorf("first in %s: the fallback in %s was asked: %v", primary, z, asked)
			}
		}
	}
}

func TestCriteria_Preference(t *testing.T) {
	t.Parallel()
	all := []string{"chat", "tools", "vision"}
	list := []config.Model{
		{ID: "first", Vendor: config.VendorOpenAI, Capabilities: all, InputPrice: 3, OutputPrice: 9, PricedOn: "2026-12-03"},
		{ID: "unpriced", Vendor: config.VendorOpenAI, Capabilities: all, Priority: 5},
		{ID: "cheap", Vendor: config.VendorOpenAI, Capabilities: all, InputPrice: 1, OutputPrice: 2, PricedOn: "2026-12-03", Priority: 2},
		{ID: "cheaper and blind", Vendor: config.VendorOpenAI, Capabilities: []string{"chat", "tools"}, PricedOn: "2026-12-03", Priority: 9},
		{ID: "elsewhere", Vendor: config.VendorGroq, Capabilities: all, PricedOn: "2026-12-03", Priority: 9},
	}
	for prefer, want := range map[string]string{"": "first", config.PreferOrder: "first", config.PreferCost: "cheap", config.PreferPriority: "unpriced"} {
		c := criteria("vision")
		c.Criteria.Prefer = prefer
		h := newHouse(config.Providers{Default: "main", Configurations: map[string]config.ProviderConfiguration{"main": c}, Models: list})
		if r, err := h.Resolve("main", providers.VisionAction); err != nil || r.Model != want {
			t.Errorf("prefer %q: %s, %v", prefer, r.Model, err)
		}
	}
}

func TestOverviews_TellWhyAndNoSecret(t *testing.T) {
	t.Parallel()
	p := withFallbacks(0)
	p.Models[0].PricedOn = "2026-12-03"
	p.Configurations["blind"] = fixed("blind")
	off := fixed("x")
	off.Active, off.Zone = false, "eu"
	p.Configurations["off"] = off
	got := newHouse(p).Overviews()
	if len(got) != 3 || got[0].Name != "blind" || got[1].Name != "main" || got[2].Name != "off" {
		t.Fatalf("%+v", got)
	}
	if !strings.Contains(got[0].Problem, "vision") || !got[0].Priced || got[0].Vision != providers.VisionNo {
		t.Errorf("blind: %+v", got[0])
	}
	if !got[1].Default || got[1].Problem != "" || got[1].Zone != providers.ZoneGlobal || got[1].Priced {
		t.Errorf("main: %+v", got[1])
	}
	if got[2].Active || got[2].Problem == "" || got[2].Zone != providers.ZoneEU || got[2].Model != "x" {
		t.Errorf("off: %+v", got[2])
	}
}
