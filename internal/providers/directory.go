package providers

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"editor-actions/internal/config"
)

// Resolved is a configuration with the model it stands for right now.
type Resolved struct {
	Name            string // of the configuration
	Vendor          string
	Model           string
	System          string // role text, may be empty
	MaxOutputTokens int    // 0 = the provider's default
	Vision          VisionState
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

	mu    sync.Mutex
	built map[string]builtProvider
}

type builtProvider struct {
	cfg      config.ProviderConfiguration
	provider Provider
}

// Option changes a Directory.
type Option func(*Directory)

// WithLog says where skipped fallbacks and retries are logged; the default is slog.Default.
func WithLog(log *slog.Logger) Option { return func(d *Directory) { d.log = log } }

// WithRetryBudget bounds the time from the first attempt at a configuration to
// the start of the last one; the default is one minute.
func WithRetryBudget(budget time.Duration) Option { return func(d *Directory) { d.budget = budget } }

// NewDirectory makes a Directory. build must not be nil.
func NewDirectory(settings func() *config.Settings, build Build, options ...Option) *Directory {
	d := &Directory{settings: settings, build: build, log: slog.Default(), budget: time.Minute, built: make(map[string]builtProvider)}
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
	r, err := resolve(s, s.Providers.Default, []Capability{CapabilityVision, CapabilityTools})
	return r, err == nil
}

// allows reports whether somebody in groups may use what is limited to allowed.
func allows(allowed, groups []uint32) bool {
	return len(allowed) == 0 || slices.ContainsFunc(groups, func(g uint32) bool { return slices.Contains(allowed, g) })
}

// Resolve finds the model of a configuration and checks that it is not known to
// lack what is needed. An empty name is the default configuration. Errors are
// *Error of kind Configuration or Unsupported.
func (d *Directory) Resolve(name string, need ...Capability) (Resolved, error) {
	s := d.settings()
	if name == "" {
		name = s.Providers.Default
	}
	return resolve(s, name, need)
}

func resolve(s *config.Settings, name string, need []Capability) (Resolved, error) {
	cfg, ok := s.Providers.Configurations[name]
	switch {
	case !ok:
		return Resolved{}, &Error{Provider: name, Kind: Configuration, Detail: "there is no such configuration"}
	case !cfg.Active:
		return Resolved{}, &Error{Provider: name, Kind: Configuration, Detail: "the configuration is switched off"}
	}
	r := Resolved{Name: name, Vendor: cfg.Vendor, Model: cfg.Model, System: cfg.System, MaxOutputTokens: cfg.MaxOutputTokens}
	if cfg.Criteria != nil {
		return resolveCriteria(s.Providers.Models, cfg, r, need)
	}
	if r.Model == "" {
		return Resolved{}, &Error{Provider: name, Kind: Configuration, Detail: "the configuration names no model"}
	}
	d := declaredBy(s.Providers.Models, r.Vendor, r.Model)
	r.Vision = d.vision()
	for _, c := range need {
		if d.lacks(c) {
			return r, unsupported(name, fmt.Sprintf("the model %s does not declare %s", r.Model, c))
		}
	}
	return r, nil
}

// resolveCriteria takes the vendor's first model that declares everything the
// criteria and the caller ask for. Vision must be among the criteria themselves:
// else another choice tomorrow could not see (ADR-235).
func resolveCriteria(models []config.Model, cfg config.ProviderConfiguration, r Resolved, need []Capability) (Resolved, error) {
	criteria := declared{true, cfg.Criteria.Capabilities}
	if slices.Contains(need, CapabilityVision) && !criteria.has(CapabilityVision) {
		return r, unsupported(r.Name, "the criteria do not demand vision")
	}
	all := slices.Clone(need)
	for _, c := range cfg.Criteria.Capabilities {
		all = append(all, Capability(strings.ToLower(strings.TrimSpace(c))))
	}
	for _, m := range models {
		d := declared{m.Capabilities != nil, m.Capabilities}
		if m.Vendor == cfg.Vendor && !slices.ContainsFunc(all, func(c Capability) bool { return !d.has(c) }) {
			r.Model, r.Vision = m.ID, d.vision()
			return r, nil
		}
	}
	return r, unsupported(r.Name, "no model declares what the criteria demand")
}

func unsupported(name, detail string) *Error {
	return &Error{Provider: name, Kind: Unsupported, Detail: detail}
}

// provider gives the provider of a configuration, a new one when it changed.
func (d *Directory) provider(name string, cfg config.ProviderConfiguration) (Provider, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b, ok := d.built[name]; ok && reflect.DeepEqual(b.cfg, cfg) {
		return b.provider, nil
	}
	p, err := d.build(name, cfg)
	if err != nil {
		d.log.Error("build provider", "provider", name, "err", err)
		return nil, &Error{Provider: name, Kind: Configuration, Detail: "the provider could not be set up"}
	}
	d.built[name] = builtProvider{cfg, p}
	return p, nil
}
