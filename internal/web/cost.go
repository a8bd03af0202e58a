package web

import (
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"editor-actions/internal/providers"
)

// spent says what a run was billed so far: tokens, and the cost where its price is
// known. It is "" before the first answer.
func (w *words) spent(u providers.Usage, currency string) string {
	if u.InputTokens == 0 && u.OutputTokens == 0 {
		return ""
	}
	text := w.T("cost.spent", w.count(u.InputTokens), w.count(u.OutputTokens))
	if u.Unpriced {
		return text
	}
	return text + w.T("cost.price", w.money(u.CostMicros), currency)
}

// estimate says what an action will take at most, "" when nobody can say.
func (w *words) estimate(e *providers.Estimate) string {
	if e == nil || e.InputTokens == 0 {
		return ""
	}
	text := w.T("cost.at_most", w.count(e.InputTokens+e.OutputTokens))
	if e.Priced {
		text += w.T("cost.price", w.money(e.CostMicros), e.Currency)
	}
	if e.Sends > 1 {
		text += w.T("cost.twice")
	}
	return text + "."
}

func (w *words) count(n int64) string {
	return message.NewPrinter(language.Make(w.lang)).Sprint(number.Decimal(n))
}

// seconds writes a duration for people.
func (w *words) seconds(d time.Duration) string {
	return w.T("operator.seconds", message.NewPrinter(language.Make(w.lang)).Sprint(number.Decimal(d.Seconds(), number.Scale(1))))
}

// price writes what a million tokens cost.
func (w *words) price(p float64) string {
	return message.NewPrinter(language.Make(w.lang)).Sprint(number.Decimal(p, number.MinFractionDigits(2), number.MaxFractionDigits(4)))
}

// money writes millionths. Small sums keep four digits, because a proposal costs a
// fraction of a cent.
func (w *words) money(micros int64) string {
	p := message.NewPrinter(language.Make(w.lang))
	const smallest = 100 // 0.0001
	switch {
	case micros > 0 && micros < smallest:
		return "< " + p.Sprint(number.Decimal(0.0001, number.Scale(4)))
	case micros < 1_000_000:
		return p.Sprint(number.Decimal(float64(micros)/1e6, number.Scale(4)))
	default:
		return p.Sprint(number.Decimal(float64(micros)/1e6, number.Scale(2)))
	}
}
