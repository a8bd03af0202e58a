package main

import (
	"os"

	"editor-actions/internal/downscaler"

	"github.com/spf13/cobra"
)

// imageWorkerCommand is how the service starts its decoding processes. It is
// no command for people.
func (a *app) imageWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    downscaler.WorkerCommand,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if code := downscaler.WorkerMain(os.Stdin, os.Stdout); code != 0 {
				return &exitError{code, nil}
			}
			return nil
		},
	}
}
