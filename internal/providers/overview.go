package providers

import (
	"errors"
	"maps"
	"slices"

	"github.com/sony/gobreaker/v2"
)

// Overview is one configuration as it stands, for administrators. It holds no key and
// no address.
type Overview struct {
	Resolved
	Default bool
	Active  bool
	Priced  bool // its model has a price
	// Prices for a million tokens in the settings' currency.
	InputPrice, OutputPrice float64
	PricedOn                string // the day somebody looked it up
	Open                    bool   // its circuit breaker is open: it is not asked right now
	Problem                 string // why no vision action can use it, "" when one can
}

// Overviews lists all configurations by name.
func (d *Directory) Overviews() []Overview {
	s := d.settings()
	var out []Overview
	for _, name := range slices.Sorted(maps.Keys(s.Providers.Configurations)) {
		cfg := s.Providers.Configurations[name]
		r, err := resolve(s, name, VisionAction)
		o := Overview{Resolved: r, Default: name == s.Providers.Default, Active: cfg.Active}
		o.Name, o.Vendor, o.Zone = name, cfg.Vendor, zoneOf(cfg)
		if o.Model == "" {
			o.Model = cfg.Model
		}
		if err != nil {
			o.Problem = err.Error()
			if e, ok := errors.AsType[*Error](err); ok && e.Detail != "" {
				o.Problem = e.Detail
			}
		}
		if o.Model != "" {
			o.Vision = declaredBy(s.Providers.Models, o.Vendor, o.Model).vision()
		}
		for i := range s.Providers.Models {
			if m := &s.Providers.Models[i]; m.Vendor == o.Vendor && m.ID == o.Model {
				o.Priced, o.PricedOn, o.InputPrice, o.OutputPrice = m.Priced(), m.PricedOn, m.InputPrice, m.OutputPrice
			}
		}
		d.mu.Lock()
		if b, ok := d.built[name]; ok {
			o.Open = b.breaker.State() == gobreaker.StateOpen
		}
		d.mu.Unlock()
		out = append(out, o)
	}
	return out
}
