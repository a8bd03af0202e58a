package providers

import (
	"slices"

	"editor-actions/internal/config"
)

// Zone says how far from the house a provider is, as the operator declares it.
// Smaller is more trusted.
type Zone int

// The zones, from the most trusted one.
const (
	ZoneLocal   Zone = iota // this machine
	ZonePrivate             // the operator's own network
	ZoneEU                  // a processor in the European Union
	ZoneGlobal
)

// zoneOf reads a configuration's zone; one that names none is global. The offline model
// is in this process.
func zoneOf(c config.ProviderConfiguration) Zone {
	if c.Vendor == config.VendorDemo {
		return ZoneLocal
	}
	if i := slices.Index(config.Zones, c.Zone); i >= 0 {
		return Zone(i)
	}
	return ZoneGlobal
}

// String is the word of the settings.
func (z Zone) String() string { return config.Zones[z] }
