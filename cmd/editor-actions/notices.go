package main

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/notice"
	"editor-actions/internal/webhook"

	"github.com/spf13/cobra"
)

func (a *app) noticesCommand() *cobra.Command {
	c := &cobra.Command{Use: "notices", Short: "Messages and mails about waiting cards", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	c.AddCommand(a.noticesTestCommand())
	return c
}

func (a *app) noticesTestCommand() *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "test",
		Short: "Send a test message to the webhook and a test mail to an address",
		Long: "Sends a message of type \"notices.test\" to notices.webhook.url and a mail through notices.mail.host to the address given with --to,\n" +
			"and says in one sentence each what happened. It needs no database. Exit code 1 when one of them was not taken, or neither is set up.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.loadSettings()
			if err != nil {
				return err
			}
			hook, mail := s.Notices.Webhook.URL != "", s.Notices.Mail.Host != ""
			switch {
			case !hook && !mail:
				return errors.New("nothing is set up: set notices.webhook.url or notices.mail.host")
			case mail && to == "":
				return &exitError{exitUsage, errors.New("--to: name the address that gets the test mail")}
			case !mail && to != "":
				return &exitError{exitUsage, errors.New("--to: no mail server is set up (notices.mail.host)")}
			}
			hooks := webhook.New(time.Now)
			defer func() { _ = hooks.Close() }() // idle connections only
			n := notice.New(notice.Deps{Webhooks: hooks, Settings: fixed(s), Log: slog.New(slog.DiscardHandler), Now: time.Now})
			var problems []error
			say := func(err error, taken, not string) {
				if err != nil {
					problems = append(problems, err)
					_, _ = fmt.Fprintf(a.stdout, "%s: %v.\n", not, err) // the exit code says it too
					return
				}
				_, _ = fmt.Fprintln(a.stdout, taken)
			}
			if hook {
				say(n.TryWebhook(cmd.Context()), "Webhook: the receiver took the test message.", "Webhook: the test message was not taken")
			}
			if mail {
				say(n.TryMail(cmd.Context(), to), "Mail: the mail server took the test mail.", "Mail: the test mail was not taken")
			}
			if len(problems) > 0 {
				return &exitError{code: exitFailure}
			}
			return nil
		},
	}
	c.Flags().StringVar(&to, "to", "", "address that gets the test mail")
	return c
}

// withNotices adds what tells programs and people that cards wait.
func (r *rooms) withNotices(log *slog.Logger) {
	hooks := webhook.New(time.Now)
	r.closers = append(r.closers, hooks.Close)
	r.notices = notice.New(notice.Deps{
		DB: r.db, Runs: r.store, Cards: r.agent, Users: r.cms, Webhooks: hooks, Settings: r.settings, Log: log, Now: time.Now,
	})
}

// notices says how messages and mails fare; it sends nothing.
func (d *doctor) notices(s *config.Settings, status notice.Status) {
	if s.Notices.Webhook.URL == "" {
		d.say(fine, "webhook", "nobody is told: notices.webhook.url is empty")
	} else {
		level := fine
		if status.Failed > 0 || status.Retrying > 0 {
			level = warn
		}
		d.say(level, "webhook", "%d messages were taken, the last %s; %d were refused or given up in the last 30 days, %d are tried again",
			status.Sent, moment(status.LastSent), status.Failed, status.Retrying)
	}
	if s.Notices.Mail.Host == "" {
		d.say(fine, "mail", "no digests: notices.mail.host is empty")
		return
	}
	level := fine
	if status.Undelivered > 0 || status.Unreachable > 0 {
		level = warn
	}
	d.say(level, "mail", "cards wait for %d people with an address and %d without; the last digests are those of %s; of %d people the last mail was not taken",
		status.Recipients, status.Unreachable, moment(status.LastMail), status.Undelivered)
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format("2006-01-02 15:04 UTC")
}
