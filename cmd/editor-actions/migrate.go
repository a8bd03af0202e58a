package main

import (
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"
)

func (a *app) migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Create or update the service's own tables (tx_editoractions_*)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.loadSettings()
			if err != nil {
				return err
			}
			r, err := openSite(fixed(s), slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			defer r.close()
			if err := r.migrate(cmd.Context()); err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.stdout, "The tables tx_editoractions_* are up to date.")
			return err
		},
	}
}
