package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"editor-actions/internal/config"
	"editor-actions/internal/demo"
	"editor-actions/internal/typo3"

	"github.com/spf13/cobra"
)

// loader reads the site's file, the environment and TYPO3's own settings file.
func (a *app) loader() config.Loader {
	return config.Loader{File: a.configFile, Env: a.env, Overlay: func(t *config.TYPO3, set func(string) bool) error {
		f, err := typo3.ReadSettingsFile(t.SettingsFile)
		if err != nil {
			return err
		}
		return f.Overlay(t, set)
	}}
}

// loadSettings reads the settings once, for commands that end soon.
func (a *app) loadSettings() (*config.Settings, error) {
	s, warnings, err := a.loader().Load()
	if err != nil {
		return nil, err
	}
	if a.demoDir != "" {
		return a.demoSettings(s)
	}
	for _, w := range warnings {
		_, _ = fmt.Fprintln(a.stderr, "editor-actions: warning: "+w.String())
	}
	return s, nil
}

// demoSettings are those of the demo site named by --demo.
func (a *app) demoSettings(base *config.Settings) (*config.Settings, error) {
	site, err := demo.Find(a.demoDir)
	if err != nil {
		return nil, said(err)
	}
	s := site.Settings(base)
	if s.Server.PublicOrigin == "" {
		if s.Server.PublicOrigin, err = site.Origin(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// watchSettings reads the settings and follows changes of the file.
func (a *app) watchSettings(ctx context.Context) (*config.Live, error) {
	return a.loader().Watch(ctx)
}

func fixed(s *config.Settings) func() *config.Settings {
	return func() *config.Settings { return s }
}

func newLogger(s config.Server, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if s.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

func (a *app) checkConfigCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check-config",
		Short: "Check the settings and say everything that is wrong",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if _, err := a.loadSettings(); err != nil {
				return err
			}
			_, err := fmt.Fprintln(a.stdout, "The settings are valid.")
			return err
		},
	}
}
