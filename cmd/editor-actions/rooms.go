package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/config"
	"editor-actions/internal/content"
	"editor-actions/internal/database"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/guardrails"
	"editor-actions/internal/notice"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/anthropic"
	"editor-actions/internal/providers/demo"
	"editor-actions/internal/providers/gemini"
	"editor-actions/internal/providers/ollama"
	"editor-actions/internal/providers/openai"
	"editor-actions/internal/readtools"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
	"editor-actions/internal/usage"
	"editor-actions/internal/webhook"

	"gorm.io/gorm"
)

// rooms are the parts of one instance, built bottom-up. Close ends them in reverse order.
type rooms struct {
	settings  func() *config.Settings
	db        *gorm.DB
	cms       *typo3.CMS
	gate      *falgate.Gate
	scaler    *downscaler.Scaler
	usage     *usage.Store
	directory *providers.Directory
	catalogue *actions.Catalogue
	store     *suspend.Store
	agent     *agent.Agent
	content   *content.Reader
	notices   *notice.Notifier

	closers []func() error
}

func (r *rooms) close() {
	for i := len(r.closers) - 1; i >= 0; i-- {
		_ = r.closers[i]() // on the way out; each logs what matters itself
	}
}

// openSite opens the database and the rooms that only read TYPO3: enough for
// the inspect commands.
func openSite(settings func() *config.Settings, log *slog.Logger) (*rooms, error) {
	r := &rooms{settings: settings}
	t := settings().TYPO3
	if t.DSN.Empty() {
		return nil, fmt.Errorf("typo3.dsn is not set: name TYPO3's database, for instance mysql://user:pass@127.0.0.1:3306/typo3")
	}
	db, _, err := database.Open(t.DSN)
	if err != nil {
		return nil, fmt.Errorf("typo3.dsn: %w", err)
	}
	r.db = db
	r.closers = append(r.closers, func() error { return database.Close(db) })
	r.cms = typo3.New(db, settings, time.Now)
	r.closers = append(r.closers, r.cms.Close)
	r.gate = falgate.New(r.cms, db, settings, log)
	return r, nil
}

// withScaler starts the decoding processes.
func (r *rooms) withScaler(log *slog.Logger) error {
	s, err := downscaler.New(r.settings().Images, downscaler.Options{CacheDir: cacheDir(r.settings()), Log: log})
	if err != nil {
		return fmt.Errorf("images: %w", err)
	}
	r.scaler = s
	r.closers = append(r.closers, s.Close)
	return nil
}

func cacheDir(s *config.Settings) string {
	dir := s.Server.StateDir
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "" // no cache
		}
		dir = filepath.Join(base, "editor-actions")
	}
	return filepath.Join(dir, "pictures")
}

// withModels adds the models and what counts their use.
func (r *rooms) withModels(log *slog.Logger) {
	r.usage = usage.New(r.db, r.settings, log, time.Now)
	r.directory = providers.NewDirectory(r.settings, buildProvider, providers.WithLog(log), providers.WithMeter(r.usage))
}

// withCatalogue adds the models and the actions.
func (r *rooms) withCatalogue(log *slog.Logger) {
	r.withModels(log)
	r.catalogue = actions.NewCatalogue(r.gate, r.scaler, r.cms, r.directory, r.settings, log)
}

func buildProvider(name string, cfg config.ProviderConfiguration) (providers.Provider, error) {
	switch cfg.Vendor {
	case config.VendorDemo:
		return demo.New(name, cfg), nil
	case config.VendorAnthropic:
		return anthropic.New(name, cfg)
	case config.VendorGemini:
		return gemini.New(name, cfg)
	case config.VendorOllama:
		return ollama.New(name, cfg)
	default:
		return openai.New(name, cfg)
	}
}

// withStore adds the runs.
func (r *rooms) withStore(log *slog.Logger) error {
	sealer, err := suspend.LoadKeyset(r.settings().Sealing)
	if err != nil {
		return fmt.Errorf("sealing: %w", err)
	}
	r.store = suspend.NewStore(r.db, sealer, suspend.Options{
		Privacy: func() string { return r.settings().Privacy.Level },
		Redact:  guardrails.RedactForStorage,
		Log:     log,
	})
	return nil
}

// withAgent adds runs and the loop.
func (r *rooms) withAgent(log *slog.Logger) error {
	if err := r.withStore(log); err != nil {
		return err
	}
	screener, err := newScreener(r.settings)
	if err != nil {
		return err
	}
	hooks := webhook.New(time.Now)
	r.closers = append(r.closers, hooks.Close)
	r.agent = agent.New(agent.Deps{
		Catalogue: r.catalogue, Gate: r.gate, Scaler: r.scaler, Users: r.cms, Metadata: r.cms, Models: r.directory, Webhooks: hooks,
		Store: r.store, DB: r.db, Screener: screener, Settings: r.settings, Log: log, Now: time.Now,
		ReadTools: r.readTools(log), Installation: installation(r.settings()),
	})
	return nil
}

// withContent adds what gives files to programs.
func (r *rooms) withContent() (err error) {
	if r.content, err = content.New(r.gate, r.scaler, r.settings); err != nil {
		return fmt.Errorf("inline: %w", err)
	}
	return nil
}

// readTools are the tools that only read, for agents outside and for the assistant.
func (r *rooms) readTools(log *slog.Logger) []readtools.Tool {
	return readtools.New(readtools.Deps{Gate: r.gate, Scaler: r.scaler, CMS: r.cms, Settings: r.settings, Log: log})
}

// installation is a stable name of the site: its database, without who connects to it.
func installation(s *config.Settings) string {
	address, err := url.Parse(s.TYPO3.DSN.Reveal())
	if err != nil { // validated before
		return "typo3"
	}
	sum := sha256.Sum256([]byte(address.Scheme + "://" + address.Host + address.Path))
	return hex.EncodeToString(sum[:8])
}

// newScreener answers the screener of the current settings, compiled once per change.
func newScreener(settings func() *config.Settings) (func() *guardrails.Screener, error) {
	type compiled struct {
		from *config.Settings
		s    *guardrails.Screener
	}
	first := settings()
	s, err := guardrails.New(first.Guardrails)
	if err != nil {
		return nil, fmt.Errorf("guardrails: %w", err)
	}
	var current atomic.Pointer[compiled]
	current.Store(&compiled{first, s})
	return func() *guardrails.Screener {
		c, now := current.Load(), settings()
		if c.from == now {
			return c.s
		}
		s, err := guardrails.New(now.Guardrails)
		if err != nil { // loading has refused such patterns; keep the stricter old ones
			return c.s
		}
		current.Store(&compiled{now, s})
		return s
	}, nil
}

// migrate brings our own tables up to date.
func (r *rooms) migrate(ctx context.Context) error {
	if err := database.Migrate(ctx, r.db); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
