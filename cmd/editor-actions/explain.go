package main

import (
	"fmt"
	"log/slog"
	"text/tabwriter"

	"editor-actions/internal/actions"

	"github.com/spf13/cobra"
)

func (a *app) explainCommand() *cobra.Command {
	var user, action string
	var file uint64
	c := &cobra.Command{
		Use:   "explain",
		Short: "Say every check of an action on a file, in order, with its outcome",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := slog.New(slog.DiscardHandler)
			s, err := a.loadSettings()
			if err != nil {
				return err
			}
			r, err := openSite(fixed(s), log)
			if err != nil {
				return err
			}
			defer r.close()
			if err := r.withScaler(log); err != nil {
				return err
			}
			r.withCatalogue(log)
			who, err := r.cms.UserByName(cmd.Context(), user)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, check := range r.catalogue.Explain(cmd.Context(), who, action, actions.Subject{Table: actions.TableFile, UID: file}) {
				outcome := "ok"
				if !check.OK {
					outcome = "NO"
				}
				if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", outcome, check.Name, check.Detail); err != nil {
					return err
				}
			}
			return w.Flush()
		},
	}
	c.Flags().StringVar(&user, "user", "", "backend user, by name")
	c.Flags().StringVar(&action, "action", "", "key of the action, for instance suggest_alternative_text")
	c.Flags().Uint64Var(&file, "file", 0, "uid of the file (sys_file)")
	for _, name := range []string{"user", "action", "file"} {
		_ = c.MarkFlagRequired(name) // the flags exist
	}
	return c
}
