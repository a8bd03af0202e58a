package providers

import (
	"slices"
	"unicode/utf8"
)

// Estimate is about what a run will take, before it starts. It is for people: what was
// billed is in the run's usage.
type Estimate struct {
	Sends        int   // requests that hold the picture
	InputTokens  int64 // of all sends
	OutputTokens int64 // of all sends, as such answers usually are
	CostMicros   int64
	Priced       bool // the model has a price
	Currency     string
}

// usualAnswer is about what a call with its texts has in tokens.
const usualAnswer = 120

// Times is the estimate of n such runs.
func (e Estimate) Times(n int) Estimate {
	e.InputTokens *= int64(n)
	e.OutputTokens *= int64(n)
	e.CostMicros *= int64(n)
	return e
}

// Estimate tells about what sends of a request with a picture of edge x edge pixels will
// take at most with a configuration; the second and later ones carry the answers of
// those before. known is false when nothing can be said: there is no such
// configuration, or nobody published how its model counts pictures.
func (d *Directory) Estimate(configuration string, req Request, edge, sends int) (e Estimate, known bool) {
	s := d.settings()
	if configuration == "" {
		configuration = s.Providers.Default
	}
	r, err := resolve(s, configuration, Requirements{})
	if err != nil {
		return Estimate{}, false
	}
	if r.System != "" && !slices.ContainsFunc(req.Messages, func(m Message) bool { return m.Role == System }) {
		req.Messages = append([]Message{{Role: System, Text: r.System}}, req.Messages...)
	}
	in := estimateInput(r.Vendor, r.Model, req)
	in.picture(r.Vendor, r.Model, edge, edge)
	if !in.known {
		return Estimate{}, false
	}
	e = Estimate{Sends: sends, Currency: s.Providers.Currency}
	for i := range sends {
		e.InputTokens += in.text + in.images + int64(i)*usualAnswer
		e.OutputTokens += usualAnswer
	}
	e.CostMicros, e.Priced = priceOf(s, r.Vendor, r.Model, Usage{InputTokens: e.InputTokens, OutputTokens: e.OutputTokens})
	return e, true
}

type inputEstimate struct {
	text, images int64
	known        bool  // how the model counts pictures is known, or there is none
	worst        int64 // of the pictures, by the dearest formula there is
}

// estimateInput counts texts as one token for three characters, which is right for
// German and a little high for English, and pictures by the provider's formula.
func estimateInput(vendor, model string, req Request) inputEstimate {
	e := inputEstimate{known: true}
	text := func(s string) { e.text += int64(utf8.RuneCountInString(s)+2) / 3 }
	for _, t := range req.Tools {
		text(t.Name + t.Description + string(t.Parameters))
	}
	for _, m := range req.Messages {
		e.text += 4 // roles and separators
		text(m.Text)
		for _, c := range m.ToolCalls {
			text(c.Name + string(c.Arguments))
		}
		for _, p := range m.Parts {
			text(p.Text)
			if p.Image != nil {
				e.picture(vendor, model, p.Image.Width(), p.Image.Height())
			}
		}
	}
	return e
}

func (e *inputEstimate) picture(vendor, model string, width, height int) {
	n, known := ImageTokensOf(vendor, model, width, height)
	e.images += int64(n)
	e.known = e.known && known
	for _, f := range EstimateImageTokens(width, height) {
		e.worst = max(e.worst, int64(f.Tokens))
	}
}
