package main

import (
	"fmt"
	"log/slog"
	"text/tabwriter"

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
	keys.AddCommand(a.keysRotateCommand(), a.keysStatusCommand())
	return keys
}

func (a *app) keysRotateCommand() *cobra.Command {
	var resume, retire bool
	c := &cobra.Command{
		Use:   "rotate",
		Short: "Add a new primary key and put every waiting run and picture under it",
		Long: "Adds a key to sealing.keysetFile, makes it the primary one, and puts the data key of every waiting run and of every picture of a tool under it.\n" +
			"Old keys stay until --retire takes out those that seal nothing any more. Instances that share the file notice by themselves;\n" +
			"one with a copy of its own needs the new file first. It may be stopped at any time: --resume goes on without another key.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, path, err := a.openSealed()
			if err != nil {
				return err
			}
			defer r.close()
			if retire {
				gone, err := r.store.RetireKeys(cmd.Context(), path)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.stdout, "Took %d keys out of %s that sealed nothing any more.\n", len(gone), path)
				return err
			}
			if !resume {
				id, err := suspend.AddPrimaryKey(path)
				if err != nil {
					return err
				}
				if _, err := fmt.Fprintf(a.stdout, "Added key %d to %s. Keep a copy of the file.\n", id, path); err != nil {
					return err
				}
			}
			done, err := r.store.Rewrap(cmd.Context(), func(n int) {
				if n%10_000 == 0 {
					_, _ = fmt.Fprintf(a.stderr, "%d rows looked at\n", n) // only to see that it goes on
				}
			})
			if err != nil {
				return fmt.Errorf("%w; go on with `editor-actions keys rotate --resume`", err)
			}
			if _, err := fmt.Fprintf(a.stdout, "%d runs and pictures are under the new key, %d were already.\n", done.Renewed, done.Already); err != nil {
				return err
			}
			if done.Unreadable > 0 {
				return fmt.Errorf("%d runs or pictures open with none of the keys; they were kept as they are: see `editor-actions keys status`", done.Unreadable)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&resume, "resume", false, "go on with a rotation that was stopped: add no key")
	c.Flags().BoolVar(&retire, "retire", false, "take out the keys that seal nothing any more, and do nothing else")
	c.MarkFlagsMutuallyExclusive("resume", "retire")
	return c
}

func (a *app) keysStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "List the keys and how many waiting runs and pictures of tools each seals",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, path, err := a.openSealed()
			if err != nil {
				return err
			}
			defer r.close()
			keys, foreign, err := r.store.Keys(cmd.Context())
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintf(w, "key\tprimary\truns\tpictures\n") // Flush reports a failure
			for _, k := range keys {
				primary := ""
				if k.Primary {
					primary = "yes"
				}
				_, _ = fmt.Fprintf(w, "%d\t%s\t%d\t%d\n", k.ID, primary, k.Rows, k.Artifacts)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			if foreign.Any() {
				return fmt.Errorf("%d waiting runs and %d pictures of tools are sealed with a key that %s does not have: put the key back from your copy of the file. Until then their cards are unreadable; they are kept, and can only be rejected", foreign.Runs, foreign.Artifacts, path)
			}
			return nil
		},
	}
}

// openSealed opens the database and the store of sealed runs, and names the keyset file.
func (a *app) openSealed() (*rooms, string, error) {
	s, err := a.loadSettings()
	if err != nil {
		return nil, "", err
	}
	path := s.Sealing.KeysetFile
	if !s.Sealing.Keyset.Empty() || path == "" {
		return nil, "", &exitError{exitUsage, fmt.Errorf("sealing.keysetFile is not set, or sealing.keyset holds the keys: only a file can be rotated")}
	}
	log := slog.New(slog.DiscardHandler)
	r, err := openSite(fixed(s), log)
	if err != nil {
		return nil, "", err
	}
	if err := r.withStore(log); err != nil {
		r.close()
		return nil, "", err
	}
	return r, path, nil
}
