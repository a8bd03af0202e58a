package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"editor-actions/internal/config"
	"editor-actions/internal/demo"
	"editor-actions/internal/suspend"

	"github.com/spf13/cobra"
)

func (a *app) demoCommand() *cobra.Command {
	var dir, listen string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Serve a small TYPO3-shaped site with pictures and an offline model",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			base, _, err := a.loader().Load() // warnings are about a site's own settings
			if err != nil {
				return err
			}
			abs, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			if err := free(cmd.Context(), listen); err != nil { // before half a minute of drawing
				return err
			}
			log := newLogger(config.Server{LogLevel: base.Server.LogLevel, LogFormat: "text"}, a.stderr)
			_, _ = fmt.Fprintf(a.stdout, "Making the demo site in %s\n", abs)
			site, err := demo.Build(cmd.Context(), abs, demo.Options{Log: log})
			if err != nil {
				return err
			}
			if err := ensureKeyset(site.KeysetFile()); err != nil {
				return err
			}
			s := site.Settings(base)
			s.Server.Listen = listen
			r, err := openSite(fixed(s), log)
			if err != nil {
				return err
			}
			err = r.migrate(cmd.Context())
			r.close()
			if err != nil {
				return err
			}
			return serve(cmd.Context(), fixed(s), log, func(addr net.Addr) {
				if err := site.Served("http://" + addr.String()); err != nil {
					log.WarnContext(cmd.Context(), "note address", "err", err)
				}
				a.welcome(addr)
			})
		},
	}
	c.Flags().StringVar(&dir, "dir", ".demo", "folder of the demo site")
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "address to listen on; port 0 takes a free one")
	return c
}

// free reports whether somebody else listens on an address already.
func free(ctx context.Context, address string) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("--listen %s: %w; choose another address, port 0 takes a free one", address, err)
	}
	return l.Close()
}

// ensureKeyset makes the demo's keys once; a file that is there is kept.
func ensureKeyset(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return suspend.InitKeyset(path)
}

func (a *app) welcome(addr net.Addr) {
	_, _ = fmt.Fprintf(a.stdout, "\nAddress: http://%s/\n\nSign in as\n", addr)
	for _, s := range demo.SignIns {
		_, _ = fmt.Fprintf(a.stdout, "  %-16s %-24s %s\n", s.Username, s.Password, s.Role)
	}
	_, _ = fmt.Fprintf(a.stdout, "\nAgents connect to http://%s/mcp with a token, see docs/agents.md. Make one on the page http://%s/tokens.\n", addr, addr)
	_, _ = fmt.Fprintln(a.stdout, "\nStop with Ctrl+C. Nothing leaves this machine: the model is a demonstration.")
}
