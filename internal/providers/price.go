package providers

import (
	"math"

	"editor-actions/internal/config"
)

// priceOf is what usage of a model costs, in millionths of the settings' currency,
// and whether that is known: a model without a price is not free.
func priceOf(s *config.Settings, vendor, model string, u Usage) (micros int64, known bool) {
	for i := range s.Providers.Models {
		m := &s.Providers.Models[i]
		if m.Vendor != vendor || m.ID != model {
			continue
		}
		if !m.Priced() {
			return 0, false
		}
		cached := m.InputPrice
		if m.CachedInputPrice != nil {
			cached = *m.CachedInputPrice
		}
		// A price for a million tokens is millionths for one token.
		fresh := max(0, u.InputTokens-u.CachedInputTokens)
		sum := float64(fresh)*m.InputPrice + float64(u.CachedInputTokens)*cached + float64(u.OutputTokens)*m.OutputPrice
		return int64(math.Ceil(sum - 1e-9)), true
	}
	return 0, vendor == config.VendorDemo // the offline model costs nothing
}

// priced adds the price to a usage.
func priced(s *config.Settings, vendor, model string, u Usage) Usage {
	if u == (Usage{}) {
		return u
	}
	micros, known := priceOf(s, vendor, model, u)
	u.CostMicros, u.Unpriced = micros, !known
	return u
}
