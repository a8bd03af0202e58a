package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/demo"
	"editor-actions/internal/web"

	"github.com/spf13/cobra"
)

const shutdownTimeout = 15 * time.Second

func (a *app) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Run the service",
		Long:  "Run the service: pages, API and workers. Apply the migrations first (editor-actions migrate).",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithCancel(cmd.Context())
			live, err := a.watchSettings(ctx)
			if err != nil {
				cancel()
				return err
			}
			defer live.Wait()
			defer cancel()
			log := newLogger(live.Current().Server, a.stderr)
			live.LogTo(log)
			defer reloadOnSignal(ctx, live)()
			return serve(ctx, live.Current, log, nil)
		},
	}
}

// reloadOnSignal reads the settings again on SIGHUP, until the function it
// returns is called. A broken file is logged there and keeps the old settings.
func reloadOnSignal(ctx context.Context, live *config.Live) (stop func()) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-hup:
				_ = live.Reload()
			}
		}
	})
	return func() {
		signal.Stop(hup)
		cancel()
		wg.Wait()
	}
}

// serve runs one instance until ctx is done. ready, when not nil, is told the
// address once the port is open.
func serve(ctx context.Context, settings func() *config.Settings, log *slog.Logger, ready func(net.Addr)) error {
	r, err := openSite(settings, log)
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
	r.withNotices(log)
	deps := web.Deps{
		Content: r.content, Tokens: r.tokens(log),
		Agent: r.agent, Catalogue: r.catalogue, Models: r.directory, Gate: r.gate, Scaler: r.scaler, CMS: r.cms, Settings: settings, Log: log,
		Ready: func(ctx context.Context) error { return database.Ping(ctx, r.db) },
	}
	if settings().Server.SignIn == config.SignInDemo {
		deps.Sessions = &demo.Sessions{DB: r.db, Settings: settings, Now: time.Now}
	}
	deps.Agents = r.agents(log, r.readTools(log)).Handler
	server, err := web.New(deps)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", settings().Server.Listen)
	if err != nil {
		return fmt.Errorf("server.listen: %w", err)
	}
	httpServer := &http.Server{
		Handler: server.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 2 * time.Minute, // event streams move it on with every message
		IdleTimeout:  2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }, // open event streams end with the service
		ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	return runUntilDone(ctx, httpServer, listener, r, log, ready)
}

func runUntilDone(ctx context.Context, httpServer *http.Server, listener net.Listener, r *rooms, log *slog.Logger, ready func(net.Addr)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.agent.Work(ctx) })   // ends with ctx and says nothing else
	wg.Go(func() { _ = r.notices.Work(ctx) }) // the same
	failed := make(chan error, 1)
	wg.Go(func() {
		if err := httpServer.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	})
	log.InfoContext(ctx, "started service", "address", listener.Addr().String())
	if ready != nil {
		ready(listener.Addr())
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	stop, stopped := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer stopped()
	cancel()
	if shutErr := httpServer.Shutdown(stop); shutErr != nil {
		_ = httpServer.Close()
	}
	wg.Wait()
	log.InfoContext(stop, "stopped service")
	return err
}
