package main

import (
	"fmt"
	"log/slog"
	"text/tabwriter"

	"editor-actions/internal/providers"

	"github.com/spf13/cobra"
)

// exitNotWorking says that the check ran and vision actions will not work.
const exitNotWorking = 3

func (a *app) checkProviderCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check-provider [NAME]",
		Short: "Send a small picture to a configured model and say whether it really sees",
		Long: "Sends one small picture with a printed word to the model of a configuration (the default one without NAME)\n" +
			"and one tool to report the word with. The request is billed and counted like any other.\n" +
			"Exit code 3 when vision actions would not work.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.loadSettings()
			if err != nil {
				return err
			}
			name := s.Providers.Default
			if len(args) == 1 {
				name = args[0]
			}
			if name == "" {
				return &exitError{exitUsage, fmt.Errorf("name a configuration, or set providers.default")}
			}
			if _, ok := s.Providers.Configurations[name]; !ok {
				return &exitError{exitUsage, fmt.Errorf("%q: there is no such entry in providers.configurations", name)}
			}
			log := slog.New(slog.DiscardHandler)
			r, err := openSite(fixed(s), log)
			if err != nil {
				return err
			}
			defer r.close()
			r.withModels(log)
			report := r.directory.Check(cmd.Context(), name, 0)
			if err := a.printCheck(report, s.Providers.Currency); err != nil {
				return err
			}
			if !report.OK() {
				return &exitError{code: exitNotWorking}
			}
			return nil
		},
	}
}

func (a *app) printCheck(r providers.CheckReport, currency string) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	line := func(name string, value any) { _, _ = fmt.Fprintf(w, "%s\t%v\n", name, value) } // Flush reports a failure
	line("configuration", r.Configuration)
	line("vendor", r.Vendor)
	line("model", r.Model)
	if r.Answered != "" && r.Answered != r.Model {
		line("answered as", r.Answered)
	}
	if r.Host != "" {
		line("asked at", r.Host)
	}
	line("reachable", r.Reachable)
	line("key accepted", r.KeyAccepted)
	line("model known", r.ModelKnown)
	line("calls tools", r.Tools)
	line("really sees", r.Sees)
	if r.Latency > 0 {
		line("latency", fmt.Sprintf("%d ms", r.Latency.Milliseconds()))
	}
	if r.Usage.InputTokens > 0 || r.Usage.OutputTokens > 0 {
		line("tokens", fmt.Sprintf("%d in, %d out", r.Usage.InputTokens, r.Usage.OutputTokens))
		line("price", price(r.Usage.CostMicros, r.Usage.Unpriced, currency))
	}
	if r.Kind != "" {
		line("failure", r.Kind)
	}
	if r.Detail != "" {
		line("detail", r.Detail)
	}
	return w.Flush()
}

// price writes millionths, or that nobody knows.
func price(micros int64, unknown bool, currency string) string {
	if unknown {
		return "unknown: providers.models has no price for the model"
	}
	return fmt.Sprintf("%.6f %s", float64(micros)/1e6, currency)
}
