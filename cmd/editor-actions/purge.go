package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"editor-actions/internal/token"

	"github.com/spf13/cobra"
)

// purgeBatch is how many rows one statement of a purge touches.
const purgeBatch = 500

func (a *app) purgeCommand() *cobra.Command {
	var dry bool
	var runs int
	c := &cobra.Command{
		Use:   "purge",
		Short: "Expire and delete what is due now, in small chunks",
		Long: "Does at once what a running service does now and then: expires runs that waited longer than review.expireAfterDays and\n" +
			"deletes event streams privacy.retentionDays after their run has settled. With --runs it also deletes settled runs that are older.\n" +
			"Pictures that tools made go with the end of their run; what is left of a run that is gone is deleted too,\n" +
			"and so are access tokens that expired or were revoked more than 90 days ago.\n" +
			"Decisions stay: they are the record of review. Proposals stay while their assistant run goes on. --dry-run only counts.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runs < 0 {
				return &exitError{exitUsage, fmt.Errorf("--runs %d: must be a number of days, or 0 to keep all runs", runs)}
			}
			s, err := a.loadSettings()
			if err != nil {
				return err
			}
			r, store, err := a.openRecord()
			if err != nil {
				return err
			}
			defer r.close()
			ago := func(days int) time.Time {
				if days <= 0 {
					return time.Time{}
				}
				return time.Now().AddDate(0, 0, -days)
			}
			tokens, ended := r.tokens(slog.New(slog.DiscardHandler)), time.Now().Add(-token.KeepEnded)
			expire, events, old := ago(s.Review.ExpireAfterDays), ago(s.Privacy.RetentionDays), ago(runs)
			if dry {
				due, err := store.CountDue(cmd.Context(), expire, events, old)
				if err != nil {
					return err
				}
				over, err := tokens.CountEnded(cmd.Context(), ended)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.stdout, "Would expire %d waiting runs, delete the events of %d runs, and delete %d runs, %d pictures without a run and %d access tokens.\n", due.Expire, due.Events, due.Runs, due.Artifacts, over)
				return err
			}
			expired, err := inChunks(cmd.Context(), expire, store.Expire)
			if err != nil {
				return err
			}
			streams, err := inChunks(cmd.Context(), events, store.PurgeEvents)
			if err != nil {
				return err
			}
			deleted, err := inChunks(cmd.Context(), old, store.PurgeRuns)
			if err != nil {
				return err
			}
			pictures, err := inChunks(cmd.Context(), time.Now(), func(ctx context.Context, _ time.Time, limit int) (int, error) {
				return store.PurgeArtifacts(ctx, limit)
			})
			if err != nil {
				return err
			}
			forgotten, err := inChunks(cmd.Context(), ended, tokens.PurgeEnded)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "Expired %d waiting runs, deleted the events of %d runs, and deleted %d runs, %d pictures without a run and %d access tokens.\n", expired, streams, deleted, pictures, forgotten)
			return err
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "count and change nothing")
	c.Flags().IntVar(&runs, "runs", 0, "delete runs that settled more than so many days ago; 0 keeps all")
	return c
}

// inChunks repeats do until nothing is left. A zero moment does nothing.
func inChunks(ctx context.Context, before time.Time, do func(ctx context.Context, before time.Time, limit int) (int, error)) (done int, err error) {
	if before.IsZero() {
		return 0, nil
	}
	for {
		n, err := do(ctx, before, purgeBatch)
		done += n
		if err != nil || n < purgeBatch {
			return done, err
		}
	}
}
