package suspend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"editor-actions/internal/providers"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// Options of a Store. Now and NewID have working defaults.
type Options struct {
	Now     func() time.Time
	NewID   func() RunID
	Privacy func() string       // the current privacy.level
	Redact  func(string) string // one string for privacy.level "redacted"
	Log     *slog.Logger
}

// Store owns the tables run, event, decision and artifact. Every change of a run is one
// conditional UPDATE whose row count decides, so any number of instances may
// share the database. It is safe for concurrent use.
type Store struct {
	db     *gorm.DB
	sealer *Sealer
	Options
}

// NewStore makes a Store on a migrated database.
func NewStore(db *gorm.DB, sealer *Sealer, o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = func() RunID { return RunID(uuid.Must(uuid.NewV7()).String()) }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Store{db: db, sealer: sealer, Options: o}
}

// now is UTC with the microseconds that both databases keep.
func (s *Store) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

// runRow is one row without its blob, which lists never read.
type runRow struct {
	ID             string     `gorm:"column:id;primaryKey"`
	Status         string     `gorm:"column:status"`
	Phase          string     `gorm:"column:phase"`
	Reason         string     `gorm:"column:reason"`
	Action         string     `gorm:"column:action"`
	Tool           string     `gorm:"column:tool"`
	SubjectTable   string     `gorm:"column:subject_table"`
	SubjectUID     uint64     `gorm:"column:subject_uid"`
	StorageUID     uint32     `gorm:"column:storage_uid"`
	Initiator      uint32     `gorm:"column:initiator"`
	OriginalUser   uint32     `gorm:"column:original_user"`
	Language       string     `gorm:"column:language"`
	Configuration  string     `gorm:"column:configuration"`
	Vendor         string     `gorm:"column:vendor"`
	Model          string     `gorm:"column:model"`
	IdempotencyKey string     `gorm:"column:idempotency_key"`
	Turn           int        `gorm:"column:turn"`
	Redraws        int        `gorm:"column:redraws"`
	Digest         string     `gorm:"column:digest"`
	Attempts       int        `gorm:"column:attempts"`
	LeaseOwner     string     `gorm:"column:lease_owner"`
	LeaseExpires   *time.Time `gorm:"column:lease_expires"`
	CreatedAt      time.Time  `gorm:"column:created_at"`
	QueuedAt       time.Time  `gorm:"column:queued_at"`
	StartedAt      *time.Time `gorm:"column:started_at"`
	WaitingSince   *time.Time `gorm:"column:waiting_since"`
	SettledAt      *time.Time `gorm:"column:settled_at"`
	SourceSHA256   string     `gorm:"column:source_sha256"`
	Prompt         string     `gorm:"column:prompt"`
	Batch          string     `gorm:"column:batch"`
	Parent         string     `gorm:"column:parent"`
	Folder         string     `gorm:"column:folder"`
	Written        bool       `gorm:"column:written"`
	InputTokens    int64      `gorm:"column:input_tokens"`
	OutputTokens   int64      `gorm:"column:output_tokens"`
	CachedInput    int64      `gorm:"column:cached_input_tokens"`
	Reasoning      int64      `gorm:"column:reasoning_tokens"`
	CostMicros     int64      `gorm:"column:cost_micros"`
	Unpriced       bool       `gorm:"column:unpriced"`
	Message        string     `gorm:"column:message"`
	ErrorKind      string     `gorm:"column:error_kind"`
	Stale          bool       `gorm:"column:stale"`
	Version        int64      `gorm:"column:version"`
}

// sealedRow is a row with its blobs.
type sealedRow struct {
	Row         runRow `gorm:"embedded"`
	SealedKey   []byte `gorm:"column:sealed_key"`
	SealedState []byte `gorm:"column:sealed_state"`
}

// Lengths of columns for texts that come from elsewhere, in characters. A text
// that is too long is cut: an outcome that cannot be stored would be worse.
const (
	errorKindLength = 64
	modelLength     = 128
	vendorLength    = 32
	nameLength      = 190
)

func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

const runTable = "tx_editoractions_run"

// TableName implements gorm's tabler.
func (runRow) TableName() string { return runTable }

// TableName implements gorm's tabler.
func (sealedRow) TableName() string { return runTable }

func at(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

func (r *runRow) run() *Run {
	return &Run{
		ID: RunID(r.ID), Status: Status(r.Status), Phase: Phase(r.Phase), Reason: Reason(r.Reason),
		Action: r.Action, Tool: r.Tool, SubjectTable: r.SubjectTable, SubjectUID: r.SubjectUID, StorageUID: r.StorageUID,
		Initiator: r.Initiator, OriginalUser: r.OriginalUser, Language: r.Language,
		Configuration: r.Configuration, Vendor: r.Vendor, Model: r.Model, Turn: r.Turn, Digest: r.Digest,
		Attempts: r.Attempts, LeaseOwner: r.LeaseOwner, LeaseExpires: at(r.LeaseExpires),
		Created: r.CreatedAt.UTC(), Started: at(r.StartedAt), WaitingSince: at(r.WaitingSince), Settled: at(r.SettledAt),
		SourceSHA256: r.SourceSHA256, Prompt: r.Prompt, Batch: r.Batch, Parent: RunID(r.Parent), Folder: r.Folder, Written: r.Written,
		Usage: providers.Usage{
			InputTokens: r.InputTokens, OutputTokens: r.OutputTokens, CachedInputTokens: r.CachedInput,
			ReasoningTokens: r.Reasoning, CostMicros: r.CostMicros, Unpriced: r.Unpriced,
		},
		Message: r.Message, ErrorKind: r.ErrorKind, Stale: r.Stale, Version: r.Version,
	}
}

// conn is tx when there is one, else the store's own connection. It names the
// columns it reads: with * a list would fetch every blob.
func (s *Store) conn(ctx context.Context, tx *gorm.DB) *gorm.DB {
	if tx == nil {
		tx = s.db
	}
	return tx.Session(&gorm.Session{Context: ctx, QueryFields: true})
}

// Create stores a run with its sealed state. A repeated idempotency key
// of the same initiator answers the run it made, and created is false.
func (s *Store) Create(ctx context.Context, n NewRun) (run *Run, created bool, err error) {
	return s.create(ctx, nil, n)
}

func (s *Store) create(ctx context.Context, tx *gorm.DB, n NewRun) (run *Run, created bool, err error) {
	id := n.ID
	if id == "" {
		id = s.NewID()
	}
	key := string(id)
	if n.IdempotencyKey != "" {
		key = keyHash(n.IdempotencyKey)
	}
	now := s.now()
	born := toCreate
	switch {
	case len(n.State.Pending) > 0:
		born = toPropose
	case n.Configuration == "":
		return nil, false, errors.New("suspend: create run: neither a model nor a call")
	}
	row := sealedRow{Row: runRow{
		ID: string(id), Status: born.target(), Phase: string(PhasePropose), Action: n.Action, Tool: n.Tool,
		SubjectTable: n.SubjectTable, SubjectUID: n.SubjectUID, StorageUID: n.StorageUID, Initiator: n.Initiator,
		OriginalUser: n.OriginalUser, Language: n.Language, Configuration: n.Configuration, IdempotencyKey: key,
		Vendor: clip(n.Vendor, vendorLength), Model: clip(n.Model, modelLength),
		CreatedAt: now, QueuedAt: now, SourceSHA256: n.SourceSHA256, Prompt: n.Prompt, Batch: n.Batch, Parent: string(n.Parent), Folder: n.Folder, Version: 1,
	}}
	if len(n.State.Pending) > 0 {
		row.Row.Turn, row.Row.Digest, row.Row.WaitingSince = 1, Digest(n.State.Pending, 0), &now
	}
	of := row.Row.origin()
	sealed, err := s.seal(id, n.State, &of)
	if err != nil {
		return nil, false, err
	}
	row.SealedKey, row.SealedState = sealed.Key, sealed.Body
	err = s.conn(ctx, tx).Create(&row).Error
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		first, err := s.byKey(ctx, tx, n.Initiator, key)
		return first, false, err
	}
	if err != nil {
		return nil, false, fmt.Errorf("suspend: create run: %w", err)
	}
	return row.Row.run(), true, nil
}

// keyHash fits whatever a caller made up, of any length, into the column.
func keyHash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

func (s *Store) byKey(ctx context.Context, tx *gorm.DB, initiator uint32, hash string) (*Run, error) {
	var row runRow
	err := s.conn(ctx, tx).Where("initiator = ? AND idempotency_key = ?", initiator, hash).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, ErrRunNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("suspend: find run of idempotency key: %w", err)
	}
	return row.run(), nil
}

// ByKey finds the run that an initiator's idempotency key made, else ErrRunNotFound.
func (s *Store) ByKey(ctx context.Context, initiator uint32, key string) (*Run, error) {
	return s.byKey(ctx, nil, initiator, keyHash(key))
}

// Get reads one run without its state.
func (s *Store) Get(ctx context.Context, id RunID) (*Run, error) {
	run, _, err := s.get(ctx, id)
	return run, err
}

// get also answers how often the waiting card was drawn anew.
func (s *Store) get(ctx context.Context, id RunID) (run *Run, redraws int, err error) {
	if strings.ContainsFunc(string(id), func(r rune) bool { return r > unicode.MaxASCII }) {
		return nil, 0, ErrRunNotFound // MariaDB fails to compare it with a column of ASCII
	}
	var row runRow
	err = s.conn(ctx, nil).Where("id = ?", string(id)).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, 0, ErrRunNotFound
	}
	if err != nil {
		return nil, 0, fmt.Errorf("suspend: read run: %w", err)
	}
	return row.run(), row.Redraws, nil
}

// Load reads one run with its state, in one query. A state that does not open
// gives ErrUnreadable together with the run, and so does one that is not what the
// digest of a waiting card says; the row is left as it is (P17). A settled run has
// no state: State is nil then.
func (s *Store) Load(ctx context.Context, id RunID) (*Run, *State, error) {
	var row sealedRow
	err := s.conn(ctx, nil).Where("id = ?", string(id)).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil, ErrRunNotFound
	}
	if err != nil {
		return nil, nil, fmt.Errorf("suspend: read run: %w", err)
	}
	run := row.Row.run()
	if run.Status.Terminal() {
		return run, nil, nil
	}
	state, err := s.open(&row)
	if err == nil && run.Status == Waiting && run.Digest != Digest(state.Pending, row.Row.Redraws) {
		return run, nil, ErrUnreadable.Because(errors.New("the pending calls are not those of the digest"))
	}
	return run, state, err
}
