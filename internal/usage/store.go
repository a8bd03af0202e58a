package usage

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/providers"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

const (
	usageTable  = "tx_editoractions_usage"
	budgetTable = "tx_editoractions_budget"

	settleTimeout = 10 * time.Second
	// A budget of a day is of no use when the day is over everywhere and its last
	// requests have been settled.
	budgetDays = 3
)

// Scopes of a budget.
const (
	scopeUser          = "user"
	scopeConfiguration = "configuration"
)

// Store owns both tables. It implements providers.Meter and is safe for concurrent use,
// by any number of processes.
type Store struct {
	db       *gorm.DB
	settings func() *config.Settings
	log      *slog.Logger
	now      func() time.Time
	purged   atomic.Pointer[string] // the day on which this process purged last
}

// New makes a Store on a migrated database.
func New(db *gorm.DB, settings func() *config.Settings, log *slog.Logger, now func() time.Time) *Store {
	return &Store{db: db, settings: settings, log: log, now: now}
}

// account is one budget that an attempt is charged to.
type account struct {
	scope, name string
	limit       config.Budget
}

// accounts of a charge that are bounded at all.
func (s *Store) accounts(c providers.Charge) []account {
	p := s.settings().Providers
	var out []account
	// Always in this order, so that two transactions cannot wait for each other.
	if p.Budget != (config.Budget{}) && c.User != 0 {
		out = append(out, account{scopeUser, strconv.FormatUint(uint64(c.User), 10), p.Budget})
	}
	if b := p.Configurations[c.Configuration].Budget; b != (config.Budget{}) {
		out = append(out, account{scopeConfiguration, c.Configuration, b})
	}
	return out
}

// Reserve implements providers.Meter.
func (s *Store) Reserve(ctx context.Context, c providers.Charge) (func(context.Context, providers.Billed), error) {
	day := s.now().UTC().Format(time.DateOnly)
	accounts := s.accounts(c)
	for _, a := range accounts {
		if a.limit.CostPerDay > 0 && c.Unpriced {
			return nil, &providers.Error{
				Provider: c.Configuration, Kind: providers.Budget,
				Detail: "the model " + c.Model + " has no price, so the budget cannot be kept; nothing was sent",
			}
		}
	}
	if len(accounts) > 0 {
		err := s.transaction(ctx, func(tx *gorm.DB) error {
			for _, a := range accounts {
				if err := a.reserve(tx, day, c); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	s.purgeDaily(ctx, day)
	return func(ctx context.Context, b providers.Billed) {
		ctx, cancel := context.WithTimeout(ctx, settleTimeout)
		defer cancel()
		if err := s.settle(ctx, day, accounts, c, b); err != nil {
			s.log.ErrorContext(ctx, "count usage", "provider", c.Configuration, "model", c.Model,
				"input_tokens", b.Usage.InputTokens, "output_tokens", b.Usage.OutputTokens, "err", err)
		}
	}, nil
}

// transaction runs f, again when the database ended it for its own reasons.
func (s *Store) transaction(ctx context.Context, f func(tx *gorm.DB) error) error {
	const attempts = 5
	for n := 1; ; n++ {
		err := s.db.WithContext(ctx).Transaction(f)
		if n == attempts || !database.IsTransient(err) || ctx.Err() != nil {
			return err
		}
	}
}

// reserve adds the charge if the budget bears it.
func (a account) reserve(tx *gorm.DB, day string, c providers.Charge) error {
	row := map[string]any{"day": day, "scope": a.scope, "name": a.name}
	there := clause.OnConflict{ // DoNothing needs a model on MySQL
		Columns:   []clause.Column{{Name: "day"}, {Name: "scope"}, {Name: "name"}},
		DoUpdates: clause.Assignments(map[string]any{"day": gorm.Expr(budgetTable + ".day")}),
	}
	if err := tx.Table(budgetTable).Clauses(there).Create(row).Error; err != nil {
		return fmt.Errorf("usage: open budget: %w", err)
	}
	q := tx.Table(budgetTable).Where("day = ? AND scope = ? AND name = ?", day, a.scope, a.name)
	if n := a.limit.RequestsPerDay; n > 0 {
		q = q.Where("requests + 1 <= ?", n)
	}
	if n := a.limit.TokensPerDay; n > 0 {
		q = q.Where("tokens + ? <= ?", c.Tokens, n)
	}
	if n := a.limit.CostPerDay; n > 0 {
		q = q.Where("cost_micros + ? <= ?", c.CostMicros, int64(math.Round(n*1e6)))
	}
	res := q.Updates(map[string]any{
		"requests": gorm.Expr("requests + 1"), "tokens": gorm.Expr("tokens + ?", c.Tokens), "cost_micros": gorm.Expr("cost_micros + ?", c.CostMicros),
	})
	if res.Error != nil {
		return fmt.Errorf("usage: reserve: %w", res.Error)
	}
	if res.RowsAffected != 1 {
		return &providers.Error{Provider: c.Configuration, Kind: providers.Budget, Detail: "today's budget of " + a.scope + " " + a.name + " does not bear another request; nothing was sent"}
	}
	return nil
}

// settle replaces the reservation by what was billed, and leaves it when nobody knows.
func (s *Store) settle(ctx context.Context, day string, accounts []account, c providers.Charge, b providers.Billed) error {
	u := b.Usage
	if b.Unknown {
		accounts, u.Unpriced = nil, true
	}
	return s.transaction(ctx, func(tx *gorm.DB) error {
		for _, a := range accounts {
			err := tx.Table(budgetTable).Where("day = ? AND scope = ? AND name = ?", day, a.scope, a.name).Updates(map[string]any{
				"tokens":      gorm.Expr("tokens + ?", u.InputTokens+u.OutputTokens-c.Tokens),
				"cost_micros": gorm.Expr("cost_micros + ?", u.CostMicros-c.CostMicros),
			}).Error
			if err != nil {
				return fmt.Errorf("usage: settle budget: %w", err)
			}
		}
		return s.add(tx, Sum{Day: day, Configuration: c.Configuration, Model: c.Model, Requests: 1, Usage: u, Unpriced: count(u.Unpriced)})
	})
}

// add adds a sum to the row of its day, configuration and model.
func (s *Store) add(tx *gorm.DB, n Sum) error {
	values := map[string]any{
		"requests": n.Requests, "input_tokens": n.Usage.InputTokens, "output_tokens": n.Usage.OutputTokens,
		"cached_input_tokens": n.Usage.CachedInputTokens, "reasoning_tokens": n.Usage.ReasoningTokens,
		"cost_micros": n.Usage.CostMicros, "unpriced": n.Unpriced,
	}
	changes, row := map[string]any{}, map[string]any{"day": n.Day, "configuration": n.Configuration, "model": n.Model}
	for column, value := range values {
		row[column] = value
		changes[column] = gorm.Expr(usageTable+"."+column+" + ?", value)
	}
	err := tx.Table(usageTable).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "day"}, {Name: "configuration"}, {Name: "model"}},
		DoUpdates: clause.Assignments(changes),
	}).Create(row).Error
	if err != nil {
		return fmt.Errorf("usage: add: %w", err)
	}
	return nil
}

func count(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Sum is what was asked and billed. Unpriced counts requests whose price is not known:
// the cost is then no more than a part.
type Sum struct {
	Day           string
	Configuration string
	Model         string
	Requests      int64
	Usage         providers.Usage
	Unpriced      int64
}

// sumRow is a row of the table.
type sumRow struct {
	Day               string `gorm:"column:day"`
	Configuration     string `gorm:"column:configuration"`
	Model             string `gorm:"column:model"`
	Requests          int64  `gorm:"column:requests"`
	InputTokens       int64  `gorm:"column:input_tokens"`
	OutputTokens      int64  `gorm:"column:output_tokens"`
	CachedInputTokens int64  `gorm:"column:cached_input_tokens"`
	ReasoningTokens   int64  `gorm:"column:reasoning_tokens"`
	CostMicros        int64  `gorm:"column:cost_micros"`
	Unpriced          int64  `gorm:"column:unpriced"`
}

// Sums gives the rows from the first to the last day, both included, oldest first.
func (s *Store) Sums(ctx context.Context, first, last time.Time) ([]Sum, error) {
	var rows []sumRow
	err := s.db.WithContext(ctx).Table(usageTable).Where("day BETWEEN ? AND ?", first.UTC().Format(time.DateOnly), last.UTC().Format(time.DateOnly)).
		Order("day, configuration, model").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("usage: read: %w", err)
	}
	out := make([]Sum, len(rows))
	for i, r := range rows {
		out[i] = Sum{
			Day: r.Day, Configuration: r.Configuration, Model: r.Model, Requests: r.Requests, Unpriced: r.Unpriced,
			Usage: providers.Usage{
				InputTokens: r.InputTokens, OutputTokens: r.OutputTokens, CachedInputTokens: r.CachedInputTokens,
				ReasoningTokens: r.ReasoningTokens, CostMicros: r.CostMicros, Unpriced: r.Unpriced > 0,
			},
		}
	}
	return out, nil
}

// Spent is what an account has used of today's budget, reservations included.
type Spent struct {
	Scope, Name string
	Requests    int64
	Tokens      int64
	CostMicros  int64
}

// Today gives all budgets that were touched today.
func (s *Store) Today(ctx context.Context) ([]Spent, error) {
	var rows []Spent
	err := s.db.WithContext(ctx).Table(budgetTable).Where("day = ?", s.now().UTC().Format(time.DateOnly)).
		Select("scope, name, requests, tokens, cost_micros").Order("scope, name").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("usage: read budgets: %w", err)
	}
	return rows, nil
}

// purgeDaily deletes the budgets of days that are over, once a day in each process.
// Sums are kept: they name nobody.
func (s *Store) purgeDaily(ctx context.Context, day string) {
	if last := s.purged.Swap(&day); last != nil && *last == day {
		return
	}
	before := s.now().UTC().AddDate(0, 0, -budgetDays).Format(time.DateOnly)
	if err := s.db.WithContext(ctx).Exec("DELETE FROM "+budgetTable+" WHERE day < ?", before).Error; err != nil {
		s.log.WarnContext(ctx, "delete old budgets", "err", err)
	}
}
