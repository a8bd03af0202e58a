// Command editor-actions is the service, its demo and its tools for operators.
// Each subcommand has a file of its own; there is no logic here.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}

// exitError ends the program with a code of its own; err is printed unless nil.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// Exit codes: 1 could not do it, 2 wrong usage, others as a command documents.
const (
	exitFailure = 1
	exitUsage   = 2
)

// run is main without the process around it.
func run(ctx context.Context, args []string, env func(string) (string, bool), stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()

	app := &app{env: env, stdin: os.Stdin, stdout: stdout, stderr: stderr}
	root := app.root() //nolint:contextcheck // cobra hands the context to each command
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil || errors.Is(err, context.Canceled) {
		return 0
	}
	code := exitFailure
	if e, ok := errors.AsType[*exitError](err); ok {
		code = e.code
		if e.err == nil {
			return code
		}
	}
	_, _ = fmt.Fprintln(stderr, "editor-actions: "+strings.TrimSpace(err.Error()))
	return code
}

// buildVersion is set by `make build`: the commit as git names it.
var buildVersion string

// version is the commit that the program was built from, as `make build` says or Go knows.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, dirty := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = " with changes"
		}
	}
	if buildVersion != "" {
		revision, dirty = buildVersion, ""
	}
	return revision + dirty + ", " + info.GoVersion
}

// app is what all subcommands share.
type app struct {
	env            func(string) (string, bool)
	stdin          io.ReadCloser
	stdout, stderr io.Writer
	configFile     string
	demoDir        string
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "editor-actions",
		Short:         "Suggests image texts for TYPO3 and writes them only after a person approved",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().StringVar(&a.configFile, "config", "", "settings file (YAML); without it the shipped settings and the environment count")
	root.PersistentFlags().StringVar(&a.demoDir, "demo", "", "folder of a demo site: commands that look at a site look at that one")
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exitError{exitUsage, err} })
	root.AddCommand(
		a.serveCommand(), a.demoCommand(), a.migrateCommand(), a.checkConfigCommand(),
		a.keysCommand(), a.usageCommand(), a.checkProviderCommand(), a.decisionsCommand(),
		a.purgeCommand(), a.doctorCommand(), a.inspectCommand(), a.explainCommand(), a.imageWorkerCommand(),
		a.tokenCommand(), a.mcpCommand(), a.noticesCommand(),
	)
	return root
}
