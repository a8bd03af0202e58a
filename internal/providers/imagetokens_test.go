package providers_test

import (
	"testing"

	"editor-actions/internal/providers"
)

// The numbers are the examples that the providers' own pages work out, and what
// follows from their formulas for the sizes this service sends.
func TestEstimateImageTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		w, h                                          int
		tiles, mini, claude, older, gemini25, pixtral int
	}{
		{1024, 1024, 765, 1659, 1369, 1399, 1032, 4160},   // OpenAI's guide: 1024 x 1024 is 765
		{2048, 4096, 1105, 2489, 10878, 1600, 4644, 2112}, // OpenAI's guide: 2048 x 4096 is 1105
		{1024, 768, 765, 1245, 1036, 1049, 516, 3120},
		{1024, 683, 765, 1141, 925, 933, 516, 2795},
		{512, 512, 255, 415, 361, 350, 258, 1056},
		{300, 200, 255, 114, 88, 80, 258, 260},
		{1024, 8, 425, 52, 37, 11, 516, 65},
	} {
		got := map[string]int{}
		for _, e := range providers.EstimateImageTokens(c.w, c.h) {
			if e.Provider == "" || e.Models == "" || e.Tokens <= 0 {
				t.Errorf("%+v", e)
			}
			got[e.Models] = e.Tokens
		}
		for name, want := range map[string]int{
			"gpt-4o, gpt-4.1 (detail high)": c.tiles, "gpt-4o, gpt-4.1 (detail low)": 85, "gpt-4.1-mini": c.mini,
			"Claude, newer models": c.claude, "Claude, older models": c.older, "Gemini 1.5 to 2.5": c.gemini25, "Pixtral 12B": c.pixtral,
		} {
			if got[name] != want {
				t.Errorf("%dx%d, %s: %d, want %d", c.w, c.h, name, got[name], want)
			}
		}
	}
}
