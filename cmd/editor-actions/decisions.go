package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"editor-actions/internal/suspend"

	"github.com/spf13/cobra"
)

func (a *app) decisionsCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "decisions", Short: "The record of review: who decided what, when, on which text", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.decisionsExportCommand(), a.decisionsStatsCommand())
	return c
}

// period are the flags of a span of days.
type period struct{ from, to string }

func (p *period) flags(c *cobra.Command) {
	c.Flags().StringVar(&p.from, "from", "", "first day, like 2026-12-01; 30 days before the last one when left out")
	c.Flags().StringVar(&p.to, "to", "", "last day; today (UTC) when left out")
}

// span is from the beginning of the first day to the end of the last one.
func (p *period) span() (first, end time.Time, err error) {
	first, last, err := days(p.from, p.to, time.Now())
	if err != nil {
		return first, last, &exitError{exitUsage, err}
	}
	return first, last.AddDate(0, 0, 1), nil
}

// openRecord opens the store of decisions; no key is needed to read them.
func (a *app) openRecord() (*rooms, *suspend.Store, error) {
	s, err := a.loadSettings()
	if err != nil {
		return nil, nil, err
	}
	r, err := openSite(fixed(s), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	return r, suspend.NewStore(r.db, nil, suspend.Options{}), nil
}

func (a *app) decisionsExportCommand() *cobra.Command {
	var p period
	var format string
	c := &cobra.Command{
		Use:   "export",
		Short: "Print every decision with its texts, oldest first, as JSON lines or CSV",
		Long: "Prints every decision with its texts, oldest first. JSON lines have one decision a line, CSV one field of a decision a line.\n" +
			"In CSV a text that a spreadsheet would take for a formula begins with an apostrophe.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			first, end, err := p.span()
			if err != nil {
				return err
			}
			if format != "jsonl" && format != "csv" {
				return &exitError{exitUsage, fmt.Errorf("--format %s: must be jsonl or csv", format)}
			}
			r, store, err := a.openRecord()
			if err != nil {
				return err
			}
			defer r.close()
			if format == "jsonl" {
				e := json.NewEncoder(a.stdout)
				e.SetEscapeHTML(false)
				return store.EachDecision(cmd.Context(), first, end, func(d suspend.Decision) error { return e.Encode(exported(d)) })
			}
			w := csv.NewWriter(a.stdout)
			_ = w.Write(exportHeader) // Error reports a failure
			err = store.EachDecision(cmd.Context(), first, end, func(d suspend.Decision) error {
				for _, row := range exportRows(d) {
					_ = w.Write(row)
				}
				w.Flush()
				return w.Error()
			})
			w.Flush()
			if err != nil {
				return err
			}
			return w.Error()
		},
	}
	p.flags(c)
	c.Flags().StringVar(&format, "format", "jsonl", "jsonl or csv")
	return c
}

type exportedField struct {
	Old        string             `json:"old"`
	Proposed   string             `json:"proposed"`
	New        string             `json:"new"`
	Provenance suspend.Provenance `json:"provenance"`
}

type exportedDecision struct {
	Run          suspend.RunID            `json:"run"`
	Turn         int                      `json:"turn"`
	At           time.Time                `json:"at"`
	Verb         suspend.Verb             `json:"verb"`
	Category     suspend.Category         `json:"category,omitempty"`
	Reason       string                   `json:"reason,omitempty"`
	By           uint32                   `json:"by"`
	ByName       string                   `json:"by_name"`
	OriginalUser uint32                   `json:"original_user,omitempty"`
	SelfApproved bool                     `json:"self_approved"`
	Edited       bool                     `json:"edited"`
	File         uint64                   `json:"file"`
	Action       string                   `json:"action"`
	Language     string                   `json:"language"`
	Model        string                   `json:"model"`
	Prompt       string                   `json:"prompt,omitempty"`
	Digest       string                   `json:"digest"`
	History      uint32                   `json:"history,omitempty"`
	Fields       map[string]exportedField `json:"fields,omitempty"`
}

func exported(d suspend.Decision) exportedDecision {
	out := exportedDecision{
		Run: d.Run, Turn: d.Turn, At: d.At, Verb: d.Verb, Category: d.Category, Reason: d.Reason, By: d.By, ByName: d.ByName,
		OriginalUser: d.OriginalUser, SelfApproved: d.SelfApproved, Edited: d.Edited, File: d.FileUID, Action: d.Action,
		Language: d.Language, Model: d.Model, Prompt: d.Prompt, Digest: d.Digest, History: d.HistoryUID, Fields: map[string]exportedField{},
	}
	for name, f := range d.Fields {
		out.Fields[name] = exportedField{Old: f.Old, Proposed: f.Proposed, New: f.New, Provenance: d.Provenance(name)}
	}
	return out
}

var exportHeader = []string{
	"at", "run", "turn", "verb", "category", "reason", "by", "by name", "self approved", "file", "action", "language", "model", "prompt", "field", "old", "proposed", "new", "provenance",
}

// exportRows has one row for each field, and one for a decision without any.
func exportRows(d suspend.Decision) [][]string {
	head := []string{
		d.At.Format(time.RFC3339), string(d.Run), strconv.Itoa(d.Turn), string(d.Verb), string(d.Category), harmless(d.Reason), strconv.FormatUint(uint64(d.By), 10),
		harmless(d.ByName), strconv.FormatBool(d.SelfApproved), strconv.FormatUint(d.FileUID, 10), d.Action, d.Language, harmless(d.Model), d.Prompt,
	}
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
		f := d.Fields[name]
		rows = append(rows, append(slices.Clone(head), name, harmless(f.Old), harmless(f.Proposed), harmless(f.New), string(d.Provenance(name))))
	}
	if rows == nil {
		rows = append(rows, append(slices.Clone(head), "", "", "", "", ""))
	}
	return rows
}

// harmless keeps a spreadsheet from reading a text as a formula.
func harmless(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

func (a *app) decisionsStatsCommand() *cobra.Command {
	var p period
	c := &cobra.Command{
		Use:   "stats",
		Short: "Count approvals, edits and reasons of rejection by action, model, prompt and language",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			first, end, err := p.span()
			if err != nil {
				return err
			}
			r, store, err := a.openRecord()
			if err != nil {
				return err
			}
			defer r.close()
			counts, err := store.DecisionCounts(cmd.Context(), first, end)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(w, "action\tmodel\tprompt\tlanguage\tas proposed\tedited\tasked again\trejected\treasons") // Flush reports a failure
			for _, l := range statLines(counts) {
				_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\n", l.action, l.model, l.prompt, l.language, l.asProposed, l.edited, l.askedAgain, l.rejected, l.reasons())
			}
			return w.Flush()
		},
	}
	p.flags(c)
	return c
}

// statLine is what people decided about one prompt at one model.
type statLine struct {
	action, model, prompt, language          string
	asProposed, edited, askedAgain, rejected int
	categories                               map[suspend.Category]int
}

func statLines(counts []suspend.DecisionCount) []*statLine {
	var out []*statLine
	at := map[[4]string]*statLine{}
	for _, c := range counts {
		key := [4]string{c.Action, c.Model, c.Prompt, c.Language}
		l := at[key]
		if l == nil {
			l = &statLine{action: c.Action, model: dash(c.Model), prompt: dash(c.Prompt), language: dash(c.Language), categories: map[suspend.Category]int{}}
			at[key] = l
			out = append(out, l)
		}
		switch {
		case c.Verb == suspend.VerbAskAgain:
			l.askedAgain += c.Count
		case c.Verb == suspend.VerbReject:
			l.rejected += c.Count
		case c.Edited:
			l.edited += c.Count
		default:
			l.asProposed += c.Count
		}
		if c.Verb != suspend.VerbApprove && c.Category != "" {
			l.categories[c.Category] += c.Count
		}
	}
	return out
}

func (l *statLine) reasons() string {
	var parts []string
	for _, c := range suspend.Categories() {
		if n := l.categories[c]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", c, n))
		}
	}
	return dash(strings.Join(parts, ", "))
}

// dash stands for a cell with nothing in it.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
