package providers

import (
	"math"
	"regexp"
	"strings"

	"editor-actions/internal/config"
)

// ImageTokens is about how many tokens a picture costs in one request. Providers
// publish their formulas for some models only, and change them, so it is an estimate;
// what was billed is in a run's usage.
type ImageTokens struct {
	Provider string `json:"provider"`
	Models   string `json:"models"`
	Tokens   int    `json:"tokens"`
	AtMost   bool   `json:"at_most,omitempty"` // the provider names a ceiling only
}

// formula is how some models of one provider count a picture.
type formula struct {
	provider, models string // for people
	match            *regexp.Regexp
	tokens           func(w, h int) int
	atMost           bool
}

// formulas are what providers publish. Sources, read 2026-12-01: OpenAI's images and
// vision guide (of the time of 4.1; openai-python issue 2851 says that it does not tell
// which newer model uses which), Anthropic's vision page (older: w*h/750, newer: patches
// of 28 pixels), Google's image understanding and media resolution pages,
// mistral-common's image page. A pattern is held against "vendor/model"; the first that
// matches counts.
var formulas = []formula{
	{"openai", "gpt-4o, gpt-4.1 (detail high)", regexp.MustCompile(`^openai/(gpt-4o|gpt-4\.1)(-\d{4}.*)?$`), tiles, false},
	{"openai", "gpt-4o, gpt-4.1 (detail low)", nil, func(int, int) int { return 85 }, false},
	{"openai", "gpt-4.1-mini", regexp.MustCompile(`^openai/gpt-4\.1-mini`), patches(1.62), false},
	{"openai", "gpt-4.1-nano", regexp.MustCompile(`^openai/gpt-4\.1-nano`), patches(2.46), false},
	{"anthropic", "Claude, newer models", regexp.MustCompile(`^anthropic/claude-(opus|sonnet|haiku|fable)`), func(w, h int) int { return ceil(float64(w)/28) * ceil(float64(h)/28) }, false},
	{"anthropic", "Claude, older models", regexp.MustCompile(`^anthropic/claude-3`), func(w, h int) int { return min(1600, ceil(float64(w*h)/750)) }, false},
	{"gemini", "Gemini 1.5 to 2.5", regexp.MustCompile(`^(gemini|google)/gemini-(1\.5|2)`), geminiTiles, false},
	{"gemini", "Gemini 3 (media resolution as shipped)", regexp.MustCompile(`^(gemini|google)/gemini-3`), func(int, int) int { return 1120 }, true},
	{"mistral", "Pixtral 12B", regexp.MustCompile(`^(mistral|mistralai)/pixtral`), mistralPatches, false},
}

// EstimateImageTokens gives the known formulas for a picture of width x height pixels,
// as it is sent.
func EstimateImageTokens(width, height int) []ImageTokens {
	out := make([]ImageTokens, len(formulas))
	for i, f := range formulas {
		out[i] = ImageTokens{Provider: f.provider, Models: f.models, Tokens: f.tokens(width, height), AtMost: f.atMost}
	}
	return out
}

// ImageTokensOf is the formula of one model; known is false when nobody published one.
// The offline model counts nothing.
func ImageTokensOf(vendor, model string, width, height int) (tokens int, known bool) {
	name := vendor + "/" + strings.TrimPrefix(model, "models/")
	switch vendor {
	case config.VendorDemo:
		return 0, true
	case config.VendorOpenRouter: // names models as vendor/model
		name = model
	}
	for _, f := range formulas {
		if f.match != nil && f.match.MatchString(name) {
			return f.tokens(width, height), true
		}
	}
	return 0, false
}

func ceil(f float64) int { return int(math.Ceil(f)) }

// tiles: scaled into 2048 x 2048, then to a short side of 768 at most; 85
// tokens and 170 for each tile of 512 pixels.
func tiles(width, height int) int {
	w, h := float64(width), float64(height)
	scale := min(1, 2048/max(w, h))
	w, h = w*scale, h*scale
	scale = min(1, 768/min(w, h))
	return 85 + 170*ceil(w*scale/512)*ceil(h*scale/512)
}

// patches: of 32 pixels, 1536 at most, times a factor of the model.
func patches(factor float64) func(w, h int) int {
	return func(w, h int) int {
		return ceil(float64(min(1536, ceil(float64(w)/32)*ceil(float64(h)/32))) * factor)
	}
}

// geminiTiles: 258 tokens up to 384 pixels on both edges, else 258 for each tile of
// 768 pixels.
func geminiTiles(w, h int) int {
	if w <= 384 && h <= 384 {
		return 258
	}
	return 258 * ceil(float64(w)/768) * ceil(float64(h)/768)
}

// mistralPatches: scaled to a long edge of 1024, patches of 16 pixels, one token at
// the end of each row.
func mistralPatches(width, height int) int {
	w, h := float64(width), float64(height)
	scale := min(1, 1024/max(w, h))
	columns, rows := ceil(w*scale/16), ceil(h*scale/16)
	return columns*rows + rows
}
