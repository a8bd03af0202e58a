package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/mcp"
	"editor-actions/internal/readtools"
	"editor-actions/internal/secret"
	"editor-actions/internal/token"

	"github.com/spf13/cobra"
)

// tokenVariable holds the access token of `editor-actions mcp`.
const tokenVariable = "EDITOR_ACTIONS_MCP_TOKEN"

func (a *app) mcpCommand() *cobra.Command {
	var tokenFile string
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve one agent over standard input and output (model context protocol)",
		Long: "Serves one agent on this machine over standard input and output. The agent's program starts it.\n" +
			"It acts for the owner of an access token: name a file that holds it with --token-file, or set " + tokenVariable + ".\n" +
			"The service need not run for this: it shares the database. An approved text is written by the service when a person decides.\n" +
			"Logs go to standard error.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := a.agentToken(tokenFile)
			if err != nil {
				return &exitError{exitUsage, err}
			}
			s, err := a.loadSettings()
			if err != nil {
				return err
			}
			return a.serveAgent(cmd.Context(), s, text)
		},
	}
	c.Flags().StringVar(&tokenFile, "token-file", "", "file that holds the access token")
	return c
}

// agentToken reads the token from the file, else from the environment.
func (a *app) agentToken(file string) (secret.String, error) {
	text, ok := a.env(tokenVariable)
	if file != "" {
		b, err := os.ReadFile(file) //nolint:gosec // the operator names it
		if err != nil {
			return secret.String{}, fmt.Errorf("--token-file: %w", err)
		}
		text, ok = string(b), true
	}
	if text = strings.TrimSpace(text); !ok || text == "" {
		return secret.String{}, fmt.Errorf("there is no access token: name a file with --token-file, or set %s; `editor-actions token create` makes one", tokenVariable)
	}
	return secret.New(text), nil
}

// serveAgent answers one agent until it goes away.
func (a *app) serveAgent(ctx context.Context, s *config.Settings, text secret.String) error {
	log := newLogger(s.Server, a.stderr)
	r, err := openSite(fixed(s), log)
	if err != nil {
		return err
	}
	defer r.close()
	if err := database.Ready(ctx, r.db); err != nil {
		return err
	}
	if err := r.withScaler(log); err != nil {
		return err
	}
	r.withCatalogue(log)
	if err := r.withAgent(log); err != nil {
		return err
	}
	if err := r.withContent(); err != nil {
		return err
	}
	err = r.agents(log, r.readTools(log)).ServeStdio(ctx, text, a.stdin, nopCloser{a.stdout})
	return said(err)
}

// tokens is the store of access tokens.
func (r *rooms) tokens(log *slog.Logger) *token.Store {
	return token.New(r.db, r.cms, r.settings, log, time.Now)
}

// agents is the server for agents, over whichever transport.
func (r *rooms) agents(log *slog.Logger, tools []readtools.Tool) *mcp.Server {
	return mcp.New(mcp.Deps{
		Tokens: r.tokens(log), Proposals: r.agent, WriteTools: r.catalogue, ReadTools: tools,
		Files: r.gate, Content: r.content, Settings: r.settings, Log: log, Version: version(),
	})
}

// nopCloser keeps standard output open for whoever gave it to us.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
