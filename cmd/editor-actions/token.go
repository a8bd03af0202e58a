package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/fault"
	"editor-actions/internal/token"
	"editor-actions/internal/typo3"

	"github.com/spf13/cobra"
)

func (a *app) tokenCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "token", Short: "Personal access tokens, with which agents act for a backend user", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.tokenCreateCommand(), a.tokenListCommand(), a.tokenRevokeCommand())
	return c
}

func (a *app) tokenCreateCommand() *cobra.Command {
	var user, name, scopes, expires string
	c := &cobra.Command{
		Use:   "create",
		Short: "Make an access token for a backend user and print it, once",
		Long: "Makes an access token for a backend user. The token alone goes to standard output, so that it can be kept in a file;\n" +
			"it is stored as a hash and cannot be shown again. Whoever holds it may do what the user may, within its scopes:\n" +
			"read looks at files and at own proposals, propose makes proposals that a person decides about.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			life, err := lifetime(expires)
			if err != nil {
				return &exitError{exitUsage, err}
			}
			list, err := token.ParseScopes(scopes)
			if err != nil {
				return &exitError{exitUsage, said(err)}
			}
			r, tokens, err := a.openTokens(cmd.Context())
			if err != nil {
				return err
			}
			defer r.close()
			who, err := findUser(cmd.Context(), r.cms, user)
			if err != nil {
				return said(err)
			}
			text, t, err := tokens.Create(cmd.Context(), token.NewToken{Name: name, User: who.UID, Scopes: list, Lifetime: life})
			if err != nil {
				return said(err)
			}
			_, _ = fmt.Fprintf(a.stderr, "Made token %s for %s, valid until %s. It is shown only this once:\n", t.ID, who.Username, t.Expires.Format(time.DateTime+" UTC"))
			_, err = fmt.Fprintln(a.stdout, text.Reveal())
			return err
		},
	}
	c.Flags().StringVar(&user, "user", "", "backend user, by name or uid")
	c.Flags().StringVar(&name, "name", "", "what the token is for; reviewers read it beside its proposals")
	c.Flags().StringVar(&scopes, "scopes", "read,propose", "read, propose or both")
	c.Flags().StringVar(&expires, "expires", "90d", "days (90d) or hours (12h), a year at most")
	for _, flag := range []string{"user", "name"} {
		_ = c.MarkFlagRequired(flag) // the flags exist
	}
	return c
}

var lifetimeShape = regexp.MustCompile(`^([1-9][0-9]{0,4})([dh])$`)

// lifetime reads 90d or 12h.
func lifetime(s string) (time.Duration, error) {
	m := lifetimeShape.FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("--expires %s: must be days like 90d or hours like 12h", s)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0, err
	}
	unit := time.Hour
	if m[2] == "d" {
		unit = 24 * time.Hour
	}
	return time.Duration(n) * unit, nil
}

// findUser takes a name, else a uid.
func findUser(ctx context.Context, cms *typo3.CMS, nameOrUID string) (*typo3.BackendUser, error) {
	who, err := cms.UserByName(ctx, nameOrUID)
	if uid, numErr := strconv.ParseUint(nameOrUID, 10, 32); fault.KindOf(err) == fault.NotFound && numErr == nil {
		return cms.User(ctx, typo3.UserUID(uid))
	}
	return who, err
}

// said is the sentence of a fault, without its code.
func said(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Internal {
		return fmt.Errorf("%s", f.Sentence())
	}
	return err
}

func (a *app) tokenListCommand() *cobra.Command {
	var user string
	c := &cobra.Command{
		Use:   "list",
		Short: "List access tokens and whether they work",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, tokens, err := a.openTokens(cmd.Context())
			if err != nil {
				return err
			}
			defer r.close()
			var uid typo3.UserUID
			if user != "" {
				if uid, err = anyUser(cmd.Context(), r.cms, user); err != nil {
					return said(err)
				}
			}
			list, err := tokens.List(cmd.Context(), uid)
			if err != nil {
				return err
			}
			states, err := tokens.States(cmd.Context(), list)
			if err != nil {
				return err
			}
			var uids []typo3.UserUID
			for _, t := range list {
				uids = append(uids, t.User)
			}
			users, err := r.cms.UserNames(cmd.Context(), uids)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(w, "id\tuser\tname\tscopes\tcreated\texpires\tlast used\tstate") // Flush reports a failure
			for i, t := range list {
				who, state := users[t.User], stateWords[states[i]]
				if who == "" {
					who = fmt.Sprintf("uid %d", t.User)
				}
				names := make([]string, len(t.Scopes))
				for j, s := range t.Scopes {
					names[j] = string(s)
				}
				_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, who, t.Name, strings.Join(names, ","),
					t.Created.Format(time.DateOnly), t.Expires.Format(time.DateOnly), usedOn(t.LastUsed), state)
			}
			return w.Flush()
		},
	}
	c.Flags().StringVar(&user, "user", "", "only the tokens of this backend user, by name or uid")
	return c
}

var stateWords = map[token.State]string{
	token.Valid: "valid", token.Expired: "expired", token.Revoked: "revoked", token.NoAccess: "user may not enter",
}

func usedOn(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format("2006-01-02 15:04")
}

// anyUser finds a user for a listing: a disabled one has tokens too.
func anyUser(ctx context.Context, cms *typo3.CMS, nameOrUID string) (typo3.UserUID, error) {
	_, all, err := cms.AllUserNames(ctx)
	if err != nil {
		return 0, err
	}
	if uid, ok := all[nameOrUID]; ok {
		return uid, nil
	}
	if uid, err := strconv.ParseUint(nameOrUID, 10, 32); err == nil && uid > 0 {
		return typo3.UserUID(uid), nil
	}
	return 0, typo3.ErrUserNotFound
}

func (a *app) tokenRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "End an access token for good",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, tokens, err := a.openTokens(cmd.Context())
			if err != nil {
				return err
			}
			defer r.close()
			if err := tokens.Revoke(cmd.Context(), 0, args[0]); err != nil {
				return said(err)
			}
			_, err = fmt.Fprintf(a.stdout, "Token %s no longer works.\n", args[0])
			return err
		},
	}
}

// openTokens opens the database and the store of access tokens.
func (a *app) openTokens(ctx context.Context) (*rooms, *token.Store, error) {
	s, err := a.loadSettings()
	if err != nil {
		return nil, nil, err
	}
	return openTokensOf(ctx, s)
}

func openTokensOf(ctx context.Context, s *config.Settings) (*rooms, *token.Store, error) {
	log := slog.New(slog.DiscardHandler)
	r, err := openSite(fixed(s), log)
	if err != nil {
		return nil, nil, err
	}
	if err := database.Ready(ctx, r.db); err != nil {
		r.close()
		return nil, nil, err
	}
	return r, r.tokens(log), nil
}
