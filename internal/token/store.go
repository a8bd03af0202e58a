package token

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/fault"
	"editor-actions/internal/secret"
	"editor-actions/internal/typo3"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

const (
	// prefix lets people and the catalogue of secrets recognise a token.
	prefix      = "eact_"
	secretBytes = 32
	// usedEvery is how exactly last_used_at is known: a call is not worth a write.
	usedEvery = time.Minute
)

var shape = regexp.MustCompile(`^` + prefix + `[0-9a-f]{64}$`)

// users loads backend users with their rights as of now; typo3.CMS is the real one.
type users interface {
	Users(ctx context.Context, ids ...typo3.UserUID) (map[typo3.UserUID]*typo3.BackendUser, error)
}

// Store owns the table of tokens. It is safe for concurrent use.
type Store struct {
	db       *gorm.DB
	users    users
	settings func() *config.Settings
	log      *slog.Logger
	now      func() time.Time
}

// New makes a Store on a migrated database.
func New(db *gorm.DB, u users, settings func() *config.Settings, log *slog.Logger, now func() time.Time) *Store {
	return &Store{db: db, users: u, settings: settings, log: log, now: now}
}

type row struct {
	ID         string     `gorm:"column:id;primaryKey"`
	Name       string     `gorm:"column:name"`
	User       uint32     `gorm:"column:be_user"`
	SecretHash string     `gorm:"column:secret_hash"`
	Scopes     string     `gorm:"column:scopes"`
	CreatedAt  time.Time  `gorm:"column:created_at"`
	ExpiresAt  time.Time  `gorm:"column:expires_at"`
	LastUsedAt *time.Time `gorm:"column:last_used_at"`
	RevokedAt  *time.Time `gorm:"column:revoked_at"`
}

// TableName implements gorm's tabler.
func (row) TableName() string { return "tx_editoractions_token" }

func (r *row) token() Token {
	t := Token{ID: r.ID, Name: r.Name, User: typo3.UserUID(r.User), Created: r.CreatedAt.UTC(), Expires: r.ExpiresAt.UTC()}
	for s := range strings.SplitSeq(r.Scopes, ",") {
		if Scope(s).Valid() { // a scope of another version gives nothing
			t.Scopes = append(t.Scopes, Scope(s))
		}
	}
	if r.LastUsedAt != nil {
		t.LastUsed = r.LastUsedAt.UTC()
	}
	if r.RevokedAt != nil {
		t.Revoked = r.RevokedAt.UTC()
	}
	return t
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// moment is now with the microseconds that both databases keep.
func (s *Store) moment() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// Create makes a token for a user who may use the service, and forgets what of theirs
// ended more than KeepEnded ago. The secret is in the answer and nowhere else.
func (s *Store) Create(ctx context.Context, n NewToken) (secret.String, *Token, error) {
	if err := n.check(); err != nil {
		return secret.String{}, nil, err
	}
	if _, err := s.owner(ctx, n.User); err != nil {
		if errors.Is(err, ErrInvalid) {
			err = fault.New(fault.Forbidden, "token_user", "This backend user may not sign in or may not use this service, so a token would open nothing.").Because(err)
		}
		return secret.String{}, nil, err
	}
	var random [secretBytes]byte
	_, _ = rand.Read(random[:]) // never fails, see crypto/rand
	text := prefix + hex.EncodeToString(random[:])
	names := make([]string, len(n.Scopes))
	for i, scope := range n.Scopes {
		names[i] = string(scope)
	}
	now := s.moment()
	r := row{
		ID: n.id(), Name: n.Name, User: uint32(n.User), SecretHash: hash(text),
		Scopes: strings.Join(names, ","), CreatedAt: now, ExpiresAt: now.Add(n.Lifetime),
	}
	if err := s.insert(ctx, &r, now); err != nil {
		return secret.String{}, nil, err
	}
	t := r.token()
	s.log.InfoContext(ctx, "made access token", "token_id", t.ID, "be_user_uid", t.User)
	return secret.New(text), &t, nil
}

// insert stores a new token, or one whose form came again. The limit on tokens is asked
// before: two that come together may pass it by one.
func (s *Store) insert(ctx context.Context, r *row, now time.Time) error {
	db := s.db.WithContext(ctx)
	if err := db.Where("be_user = ?", r.User).Where(ended, now.Add(-KeepEnded), now.Add(-KeepEnded)).Delete(&row{}).Error; err != nil {
		return fmt.Errorf("token: forget ended: %w", err)
	}
	var live int64
	if err := db.Model(&row{}).Where("be_user = ? AND id <> ? AND revoked_at IS NULL AND expires_at > ?", r.User, r.ID, now).Count(&live).Error; err != nil {
		return fmt.Errorf("token: count: %w", err)
	}
	if live >= maxLive {
		return ErrTooMany
	}
	err := db.Create(r).Error
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		res := db.Model(&row{}).
			Where("id = ? AND be_user = ? AND revoked_at IS NULL AND last_used_at IS NULL AND created_at > ?", r.ID, r.User, now.Add(-remakeWithin)).
			Updates(map[string]any{"secret_hash": r.SecretHash, "name": r.Name, "scopes": r.Scopes, "expires_at": r.ExpiresAt})
		if res.Error == nil && res.RowsAffected == 0 {
			return ErrUsed
		}
		err = res.Error
	}
	if err != nil {
		return fmt.Errorf("token: create: %w", err)
	}
	return nil
}

// ended is what a token fulfils that ended before a moment, given twice.
const ended = "(expires_at < ? OR revoked_at < ?)"

// CountEnded counts the tokens that ended before a moment.
func (s *Store) CountEnded(ctx context.Context, before time.Time) (int, error) {
	var n int64
	if err := s.db.WithContext(ctx).Model(&row{}).Where(ended, before, before).Count(&n).Error; err != nil {
		return 0, fmt.Errorf("token: count ended: %w", err)
	}
	return int(n), nil
}

// PurgeEnded deletes tokens that ended before a moment, at most limit, and answers how many.
func (s *Store) PurgeEnded(ctx context.Context, before time.Time, limit int) (int, error) {
	db := s.db.WithContext(ctx)
	var ids []string
	if err := db.Model(&row{}).Where(ended, before, before).Order("id").Limit(limit).Pluck("id", &ids).Error; err != nil {
		return 0, fmt.Errorf("token: find ended: %w", err)
	}
	if len(ids) == 0 {
		return 0, nil
	}
	if err := db.Where("id IN ?", ids).Delete(&row{}).Error; err != nil {
		return 0, fmt.Errorf("token: delete ended: %w", err)
	}
	return len(ids), nil
}

// List gives the tokens of one user, or of all when the user is 0, oldest first.
func (s *Store) List(ctx context.Context, user typo3.UserUID) ([]Token, error) {
	q := s.db.WithContext(ctx).Order("created_at, id")
	if user != 0 {
		q = q.Where("be_user = ?", uint32(user))
	}
	var rows []row
	if err := q.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("token: list: %w", err)
	}
	out := make([]Token, len(rows))
	for i := range rows {
		out[i] = rows[i].token()
	}
	return out, nil
}

// States tells which of the tokens work now, in the order of the list.
func (s *Store) States(ctx context.Context, list []Token) ([]State, error) {
	uids := make([]typo3.UserUID, len(list))
	for i := range list {
		uids[i] = list[i].User
	}
	owners, err := s.users.Users(ctx, uids...)
	if err != nil {
		return nil, fmt.Errorf("token: load owners: %w", err)
	}
	out, now := make([]State, len(list)), s.moment()
	for i := range list {
		switch {
		case !list[i].Revoked.IsZero():
			out[i] = Revoked
		case !list[i].Live(now):
			out[i] = Expired
		case !s.admits(owners[list[i].User]):
			out[i] = NoAccess
		default:
			out[i] = Valid
		}
	}
	return out, nil
}

// Revoke ends a token for good: one of that user's, or anybody's when the user is 0. A
// token that was revoked before keeps the moment it was. Errors: ErrNotFound.
func (s *Store) Revoke(ctx context.Context, user typo3.UserUID, id string) error {
	if uuid.Validate(id) != nil { // MariaDB fails to compare some texts with a column of ASCII
		return ErrNotFound
	}
	whose := func() *gorm.DB {
		db := s.db.WithContext(ctx).Model(&row{}).Where("id = ?", id)
		if user != 0 {
			db = db.Where("be_user = ?", uint32(user))
		}
		return db
	}
	res := whose().Where("revoked_at IS NULL").Update("revoked_at", s.moment())
	if res.Error != nil {
		return fmt.Errorf("token: revoke: %w", res.Error)
	}
	if res.RowsAffected == 1 {
		s.log.InfoContext(ctx, "revoked access token", "token_id", id)
		return nil
	}
	var known int64
	if err := whose().Count(&known).Error; err != nil {
		return fmt.Errorf("token: revoke: %w", err)
	}
	if known == 0 {
		return ErrNotFound
	}
	return nil
}

// Check answers whose token text is, with the rights the owner has now. Every token
// that opens nothing gives ErrInvalid; another error is about the database.
func (s *Store) Check(ctx context.Context, text string) (*Token, *typo3.BackendUser, error) {
	if !shape.MatchString(text) {
		return nil, nil, ErrInvalid
	}
	want := hash(text)
	var rows []row
	if err := s.db.WithContext(ctx).Where("secret_hash = ?", want).Limit(1).Find(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("token: check: %w", err)
	}
	if len(rows) == 0 || subtle.ConstantTimeCompare([]byte(rows[0].SecretHash), []byte(want)) != 1 {
		return nil, nil, ErrInvalid
	}
	t, now := rows[0].token(), s.moment()
	if !t.Live(now) {
		return nil, nil, ErrInvalid
	}
	user, err := s.owner(ctx, t.User)
	if err != nil {
		return nil, nil, err
	}
	s.touch(ctx, &t, now)
	return &t, user, nil
}

// owner loads a user who may sign in and use the service; everybody else is ErrInvalid.
func (s *Store) owner(ctx context.Context, uid typo3.UserUID) (*typo3.BackendUser, error) {
	found, err := s.users.Users(ctx, uid)
	if err != nil {
		return nil, fmt.Errorf("token: load owner: %w", err)
	}
	if !s.admits(found[uid]) {
		return nil, ErrInvalid
	}
	return found[uid], nil
}

// admits reports whether a user, nil for one that cannot sign in, may use the service.
// BE/adminOnly: below 0 nobody comes in, above it administrators do.
func (s *Store) admits(user *typo3.BackendUser) bool {
	settings := s.settings()
	only := settings.TYPO3.AdminOnly
	return user != nil && user.MayEnter(settings.Access.Groups) && only >= 0 && (only == 0 || user.Admin)
}

// touch notes that a token was used. That it cannot be noted stops nobody.
func (s *Store) touch(ctx context.Context, t *Token, now time.Time) {
	before := now.Add(-usedEvery)
	if t.LastUsed.After(before) {
		return
	}
	err := s.db.WithContext(ctx).Model(&row{}).
		Where("id = ? AND (last_used_at IS NULL OR last_used_at <= ?)", t.ID, before).Update("last_used_at", now).Error
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "note use of access token", "token_id", t.ID, "err", err)
	}
}
