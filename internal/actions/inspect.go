package actions

// Inspection is what the text checks say about one text.
type Inspection struct {
	Cleaned  string    `json:"cleaned"`
	Findings []Finding `json:"findings"`
}

// HasError reports whether the text could not be approved.
func (i Inspection) HasError() bool { return HasError(i.Findings) }

// Inspect cleans a text and lints what is left, as for a text that just came from
// a model. Findings is never nil.
func Inspect(field Field, lang, text string, ctx LintContext) Inspection {
	i := Inspection{Cleaned: Clean(field, lang, text), Findings: []Finding{}}
	i.Findings = append(i.Findings, Lint(field, lang, i.Cleaned, ctx)...)
	if i.Cleaned != text {
		l := linter{ctx: ctx}
		l.warn(RuleCleaned)
		i.Findings = append(i.Findings, l.findings...)
	}
	return i
}
