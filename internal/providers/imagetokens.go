package providers

import "math"

// ImageTokens is about how many tokens a picture costs in one request. Providers
// publish their formulas for some models only, and change them, so it is an estimate;
// what was billed is in a run's usage.
type ImageTokens struct {
	Provider string `json:"provider"`
	Models   string `json:"models"`
	Tokens   int    `json:"tokens"`
	AtMost   bool   `json:"at_most,omitempty"` // the provider names a ceiling only
}

// EstimateImageTokens gives the known formulas for a picture of width x height
// pixels, as it is sent. Sources, read 2026-12-01: OpenAI's images and vision guide (of
// the time of 4.1; openai-python issue 2851 says that it does not tell which newer model
// uses which), Anthropic's vision page (older: w*h/750, newer: patches of 28 pixels),
// Google's image understanding and media resolution pages, mistral-common's image page.
func EstimateImageTokens(width, height int) []ImageTokens {
	w, h := float64(width), float64(height)
	return []ImageTokens{
		{Provider: "openai", Models: "gpt-4o, gpt-4.1 (detail high)", Tokens: openaiTiles(w, h)},
		{Provider: "openai", Models: "gpt-4o, gpt-4.1 (detail low)", Tokens: 85},
		{Provider: "openai", Models: "gpt-4.1-mini", Tokens: openaiPatches(w, h, 1.62)},
		{Provider: "openai", Models: "gpt-4.1-nano", Tokens: openaiPatches(w, h, 2.46)},
		{Provider: "anthropic", Models: "Claude, newer models", Tokens: ceil(w/28) * ceil(h/28)},
		{Provider: "anthropic", Models: "Claude, older models", Tokens: min(1600, ceil(w*h/750))},
		{Provider: "gemini", Models: "Gemini 1.5 to 2.5", Tokens: geminiTiles(width, height)},
		{Provider: "gemini", Models: "Gemini 3 (media resolution as shipped)", Tokens: 1120, AtMost: true},
		{Provider: "mistral", Models: "Pixtral 12B", Tokens: mistralPatches(w, h)},
	}
}

func ceil(f float64) int { return int(math.Ceil(f)) }

// openaiTiles: scaled into 2048 x 2048, then to a short side of 768 at most; 85
// tokens and 170 for each tile of 512 pixels.
func openaiTiles(w, h float64) int {
	scale := min(1, 2048/max(w, h))
	w, h = w*scale, h*scale
	scale = min(1, 768/min(w, h))
	return 85 + 170*ceil(w*scale/512)*ceil(h*scale/512)
}

// openaiPatches: patches of 32 pixels, 1536 at most, times a factor of the model.
func openaiPatches(w, h, factor float64) int {
	return ceil(float64(min(1536, ceil(w/32)*ceil(h/32))) * factor)
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
func mistralPatches(w, h float64) int {
	scale := min(1, 1024/max(w, h))
	columns, rows := ceil(w*scale/16), ceil(h*scale/16)
	return columns*rows + rows
}
