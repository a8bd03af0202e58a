package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"editor-actions/internal/usage"

	"github.com/spf13/cobra"
)

func (a *app) usageCommand() *cobra.Command {
	var from, to, by, format string
	c := &cobra.Command{
		Use:   "usage",
		Short: "Say how many tokens models were sent and what that cost, by day, configuration and model",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			first, last, err := days(from, to, time.Now())
			if err != nil {
				return &exitError{exitUsage, err}
			}
			if !slices.Contains(usageKeys, by) {
				return &exitError{exitUsage, fmt.Errorf("--by %s: must be one of %s", by, strings.Join(usageKeys, ", "))}
			}
			write, ok := usageFormats[format]
			if !ok {
				return &exitError{exitUsage, fmt.Errorf("--format %s: must be table, csv or json", format)}
			}
			s, err := a.loadSettings()
			if err != nil {
				return err
			}
			log := slog.New(slog.DiscardHandler)
			r, err := openSite(fixed(s), log)
			if err != nil {
				return err
			}
			defer r.close()
			r.withModels(log)
			sums, err := r.usage.Sums(cmd.Context(), first, last)
			if err != nil {
				return err
			}
			return write(a, usageLines(sums, by), s.Providers.Currency)
		},
	}
	c.Flags().StringVar(&from, "from", "", "first day, like 2026-12-01; 30 days before the last one when left out")
	c.Flags().StringVar(&to, "to", "", "last day; today (UTC) when left out")
	c.Flags().StringVar(&by, "by", "all", "what a line stands for: "+strings.Join(usageKeys, ", "))
	c.Flags().StringVar(&format, "format", "table", "table, csv or json")
	return c
}

// usageKeys are what a line can stand for; "all" is a day, a configuration and a model.
var usageKeys = []string{"all", "day", "configuration", "model"}

// days reads the two flags.
func days(from, to string, now time.Time) (first, last time.Time, err error) {
	last = now.UTC().Truncate(24 * time.Hour)
	if to != "" {
		if last, err = time.Parse(time.DateOnly, to); err != nil {
			return first, last, fmt.Errorf("--to %s: must be a day like 2026-12-01", to)
		}
	}
	first = last.AddDate(0, 0, -30)
	if from != "" {
		if first, err = time.Parse(time.DateOnly, from); err != nil {
			return first, last, fmt.Errorf("--from %s: must be a day like 2026-12-01", from)
		}
	}
	if first.After(last) {
		return first, last, fmt.Errorf("--from %s is after --to %s", first.Format(time.DateOnly), last.Format(time.DateOnly))
	}
	return first, last, nil
}

// usageLine is one line of the report. Cost is missing where a price is unknown.
type usageLine struct {
	Day           string   `json:"day,omitempty"`
	Configuration string   `json:"configuration,omitempty"`
	Model         string   `json:"model,omitempty"`
	Requests      int64    `json:"requests"`
	Input         int64    `json:"input_tokens"`
	Output        int64    `json:"output_tokens"`
	Cached        int64    `json:"cached_input_tokens"`
	Reasoning     int64    `json:"reasoning_tokens"`
	Cost          *float64 `json:"cost,omitempty"`
	Currency      string   `json:"currency,omitempty"`

	micros   int64
	unpriced bool
}

// usageLines adds up what belongs together, and everything in a last line.
func usageLines(sums []usage.Sum, by string) []usageLine {
	var out []usageLine
	at := map[[3]string]int{}
	total := usageLine{Day: "total"}
	for _, s := range sums {
		key := map[string][3]string{
			"all": {s.Day, s.Configuration, s.Model}, "day": {s.Day}, "configuration": {"", s.Configuration}, "model": {"", "", s.Model},
		}[by]
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, usageLine{Day: key[0], Configuration: key[1], Model: key[2]})
		}
		out[i].add(s)
		total.add(s)
	}
	return append(out, total)
}

func (l *usageLine) add(s usage.Sum) {
	l.Requests += s.Requests
	l.Input += s.Usage.InputTokens
	l.Output += s.Usage.OutputTokens
	l.Cached += s.Usage.CachedInputTokens
	l.Reasoning += s.Usage.ReasoningTokens
	l.micros += s.Usage.CostMicros
	l.unpriced = l.unpriced || s.Unpriced > 0
}

var usageFormats = map[string]func(a *app, lines []usageLine, currency string) error{
	"table": (*app).usageTable, "csv": (*app).usageCSV, "json": (*app).usageJSON,
}

var usageHeader = []string{"day", "configuration", "model", "requests", "input tokens", "output tokens", "cached", "reasoning", "cost"}

func (l usageLine) cells(currency string) []string {
	cost := "unknown"
	if !l.unpriced {
		cost = strings.TrimSpace(fmt.Sprintf("%.4f %s", float64(l.micros)/1e6, currency))
	}
	cells := []string{l.Day, l.Configuration, l.Model}
	for _, n := range []int64{l.Requests, l.Input, l.Output, l.Cached, l.Reasoning} {
		cells = append(cells, strconv.FormatInt(n, 10))
	}
	return append(cells, cost)
}

func (a *app) usageTable(lines []usageLine, currency string) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, strings.Join(usageHeader, "\t")) // Flush reports a failure
	for _, l := range lines {
		_, _ = fmt.Fprintln(w, strings.Join(l.cells(currency), "\t"))
	}
	return w.Flush()
}

func (a *app) usageCSV(lines []usageLine, _ string) error {
	w := csv.NewWriter(a.stdout)
	rows := [][]string{usageHeader}
	for _, l := range lines[:len(lines)-1] { // a program adds up itself
		rows = append(rows, l.cells(""))
	}
	return w.WriteAll(rows)
}

func (a *app) usageJSON(lines []usageLine, currency string) error {
	for i := range lines {
		if !lines[i].unpriced {
			cost := float64(lines[i].micros) / 1e6
			lines[i].Cost, lines[i].Currency = &cost, currency
		}
	}
	e := json.NewEncoder(a.stdout)
	e.SetIndent("", "  ")
	return e.Encode(lines[:len(lines)-1])
}
