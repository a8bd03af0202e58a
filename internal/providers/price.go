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

// maxTokens bounds what a provider may say that one request had. No model has a window
// that comes near it; more would overflow sums.
const maxTokens = 1_000_000_000

// priced bounds a usage and adds its price.
func priced(s *config.Settings, vendor, model string, u Usage) Usage {
	for _, n := range []*int64{&u.InputTokens, &u.OutputTokens, &u.CachedInputTokens, &u.ReasoningTokens} {
		*n = min(max(*n, 0), maxTokens)
	}
	if u == (Usage{}) {
		return u
	}
	micros, known := priceOf(s, vendor, model, u)
	u.CostMicros, u.Unpriced = micros, !known
	return u
}
