package main

import (
	"fmt"

	"editor-actions/internal/suspend"

	"github.com/spf13/cobra"
)

func (a *app) keysCommand() *cobra.Command {
	keys := &cobra.Command{
		Use: "keys", Short: "The keys that seal waiting runs", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	keys.AddCommand(&cobra.Command{
		Use:   "init",
		Short: "Make the keyset file named by sealing.keysetFile",
		Long:  "Make the keyset file named by sealing.keysetFile. An existing file is never touched: a lost key makes every waiting run unreadable.",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := a.loadSettings()
			if err != nil {
				return err
			}
			path := s.Sealing.KeysetFile
			if path == "" {
				return &exitError{exitUsage, fmt.Errorf("sealing.keysetFile is not set: name the file to make")}
			}
			if err := suspend.InitKeyset(path); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "Made %s. Keep a copy: without it waiting runs cannot be opened.\n", path)
			return err
		},
	})
	return keys
}
