package providers

import (
	"crypto/sha256"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"editor-actions/internal/config"

	"github.com/sony/gobreaker/v2"
)

// Resolved is a configuration with the model it stands for right now.
type Resolved struct {
	Name            string // of the configuration
	Vendor          string
	Model           string
	System          string // role text, may be empty
	MaxOutputTokens int    // 0 = the provider's default
	Vision          VisionState
	Zone            Zone
}

// Build makes the provider of one configuration. It must not connect.
type Build func(name string, cfg config.ProviderConfiguration) (Provider, error)

// Directory knows the configured models. It reads the settings of the moment at
// every call, keeps one Provider per configuration until that configuration
// changes, and is safe for concurrent use.
type Directory struct {
	settings func() *config.Settings
	build    Build
	log      *slog.Logger
	budget   time.Duration
	meter    Meter

	mu    sync.Mutex
	built map[string]*builtProvider
	slots map[[sha256.Size]byte]*slots
}

// builtProvider is what is kept of a configuration until it changes.
type builtProvider struct {
	cfg      config.ProviderConfiguration
	provider Provider
	breaker  *gobreaker.CircuitBreaker[Response]
	slots    *slots // shared by all configurations of one key
}

// Option changes a Directory.
type Option func(*Directory)

// WithLog says where skipped fallbacks and retries are logged; the default is slog.Default.
func WithLog(log *slog.Logger) Option { return func(d *Directory) { d.log = log } }

// WithRetryBudget bounds the time from the first attempt at a configuration to
// the start of the last one; the default is one minute.
func WithRetryBudget(budget time.Duration) Option { return func(d *Directory) { d.budget = budget } }

// WithMeter says who counts what is spent and stops it at the budgets; without one
// nothing is counted.
func WithMeter(m Meter) Option { return func(d *Directory) { d.meter = m } }

// NewDirectory makes a Directory. build must not be nil.
func NewDirectory(settings func() *config.Settings, build Build, options ...Option) *Directory {
	d := &Directory{
		settings: settings, build: build, log: slog.Default(), budget: time.Minute, meter: noMeter{},
		built: map[string]*builtProvider{}, slots: map[[sha256.Size]byte]*slots{},
	}
	for _, o := range options {
		o(d)
	}
	return d
}

// OfferVision resolves the default configuration for a user with these groups
// and reports whether a vision action may be offered on it (ADR-235): a model
// that declares capabilities without vision is not offered, one that declares
// nothing is, and a configuration with criteria only when they demand vision.
func (d *Directory) OfferVision(groups []uint32) (Resolved, bool) {
	s := d.settings()
	cfg, ok := s.Providers.Configurations[s.Providers.Default]
	if !ok || !allows(cfg.Groups, groups) {
		return Resolved{}, false
	}
	r, err := resolve(s, s.Providers.Default, VisionAction)
	return r, err == nil
}

// MayUse reports whether somebody in groups may use a configuration now.
func (d *Directory) MayUse(name string, groups []uint32) bool {
	cfg, ok := d.settings().Providers.Configurations[name]
	return ok && allows(cfg.Groups, groups)
}

// allows reports whether somebody in groups may use what is limited to allowed.
func allows(allowed, groups []uint32) bool {
	return len(allowed) == 0 || slices.ContainsFunc(groups, func(g uint32) bool { return slices.Contains(allowed, g) })
}

// Resolve finds the model of a configuration and holds it against what is needed.
// An empty name is the default configuration. Errors are *Error of kind
// Configuration, Unsupported or TooLarge.
func (d *Directory) Resolve(name string, need Requirements) (Resolved, error) {
	s := d.settings()
	if name == "" {
		name = s.Providers.Default
	}
	return resolve(s, name, need)
}

func resolve(s *config.Settings, name string, need Requirements) (Resolved, error) {
	cfg, ok := s.Providers.Configurations[name]
	switch {
	case !ok:
		return Resolved{}, &Error{Provider: name, Kind: Configuration, Detail: "there is no such configuration"}
	case !cfg.Active:
		return Resolved{}, &Error{Provider: name, Kind: Configuration, Detail: "the configuration is switched off"}
	}
	r := Resolved{
		Name: name, Vendor: cfg.Vendor, Model: cfg.Model, System: cfg.System, MaxOutputTokens: cfg.MaxOutputTokens, Zone: zoneOf(cfg),
	}
	if cfg.Criteria != nil {
		return resolveCriteria(s.Providers.Models, cfg, r, need)
	}
	if r.Model == "" {
		return Resolved{}, &Error{Provider: name, Kind: Configuration, Detail: "the configuration names no model"}
	}
	d := declaredBy(s.Providers.Models, r.Vendor, r.Model)
	r.Vision = d.vision()
	return r, need.check(name, cfg, r.Model, d)
}

// resolveCriteria takes the vendor's model that declares everything the criteria and
// the caller ask for: the first, the cheapest or the one of highest priority. Vision
// must be among the criteria themselves: else another choice tomorrow could not see
// (ADR-235).
func resolveCriteria(models []config.Model, cfg config.ProviderConfiguration, r Resolved, need Requirements) (Resolved, error) {
	criteria := declared{true, cfg.Criteria.Capabilities}
	if need.Vision > NeedNone && !criteria.has(CapabilityVision) {
		return r, unsupported(r.Name, "the criteria do not demand vision")
	}
	all := make([]Capability, 0, len(cfg.Criteria.Capabilities)+1)
	if need.Tools {
		all = append(all, CapabilityTools)
	}
	for _, c := range cfg.Criteria.Capabilities {
		all = append(all, Capability(strings.ToLower(strings.TrimSpace(c))))
	}
	var chosen *config.Model
	for i := range models {
		m := &models[i]
		d := declared{m.Capabilities != nil, m.Capabilities}
		if m.Vendor != cfg.Vendor || slices.ContainsFunc(all, func(c Capability) bool { return !d.has(c) }) {
			continue
		}
		if chosen == nil || preferred(cfg.Criteria.Prefer, m, chosen) {
			chosen = m
		}
	}
	if chosen == nil {
		return r, unsupported(r.Name, "no model declares what the criteria demand")
	}
	d := declared{true, chosen.Capabilities}
	r.Model, r.Vision = chosen.ID, d.vision()
	return r, need.check(r.Name, cfg, r.Model, d)
}

// preferred reports whether a is to be taken before b, which stands before it in the
// settings. A model without a price is dearer than any that has one: unknown is not free.
func preferred(by string, a, b *config.Model) bool {
	switch by {
	case config.PreferCost:
		return a.Priced() && (!b.Priced() || a.InputPrice+a.OutputPrice < b.InputPrice+b.OutputPrice)
	case config.PreferPriority:
		return a.Priority > b.Priority
	default:
		return false
	}
}

func unsupported(name, detail string) *Error {
	return &Error{Provider: name, Kind: Unsupported, Detail: detail}
}

// provider gives the provider of a configuration, a new one when it changed.
func (d *Directory) provider(name string, cfg config.ProviderConfiguration) (*builtProvider, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b, ok := d.built[name]; ok && reflect.DeepEqual(b.cfg, cfg) {
		return b, nil
	}
	p, err := d.build(name, cfg)
	if err != nil {
		d.log.Error("build provider", "provider", name, "err", err)
		return nil, &Error{Provider: name, Kind: Configuration, Detail: "the provider could not be set up"}
	}
	b := &builtProvider{cfg: cfg, provider: p, breaker: newBreaker(name, d.log), slots: d.slotsOf(cfg)}
	d.built[name] = b
	return b, nil
}

// slotsOf gives the places of a key, which configurations may share. The caller holds mu.
func (d *Directory) slotsOf(cfg config.ProviderConfiguration) *slots {
	id := sha256.Sum256([]byte(cfg.Vendor + "\x00" + cfg.BaseURL + "\x00" + cfg.APIKey.Reveal()))
	s, ok := d.slots[id]
	if !ok {
		s = newSlots(cfg.MaxConcurrent)
		d.slots[id] = s
	}
	s.bound(cfg.MaxConcurrent)
	return s
}
