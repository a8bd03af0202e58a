package typo3

import (
	"context"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"

	"editor-actions/internal/fault"
)

// ErrSignIn is the one answer to a name and password that do not fit, whatever
// was wrong with them.
var ErrSignIn = fault.New(fault.Unauthenticated, "sign_in_failed", "User name and password do not match.")

// Bounds of what a stored hash may cost.
const (
	maxPassword     = 1024
	maxSameName     = 16
	maxArgonMemory  = 256 << 10 // KiB
	maxArgonTime    = 64
	maxArgonThreads = 16
	maxBcryptCost   = 15
)

// passwordRow is the only place where TYPO3's password hashes are read.
type passwordRow struct {
	UserRow  userRow `gorm:"embedded"`
	Password string  `gorm:"column:password"`
}

// TableName implements gorm's tabler.
func (passwordRow) TableName() string { return "be_users" }

// CheckPassword is a sign-in with name and password, for sites without a TYPO3
// that could ask for them. ErrSignIn for all that is wrong; a name that does not
// exist takes as long as one that does. The second factor is left to the session
// check, which lets nobody in without it.
func (c *CMS) CheckPassword(ctx context.Context, username, password string) (*BackendUser, error) {
	var rows []passwordRow
	err := c.fields(ctx).Select("uid", "pid", "deleted", "disable", "starttime", "endtime", "username", "password").
		Where("username = ? AND deleted = 0", username).Order("uid").Limit(maxSameName).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("typo3: find user: %w", err)
	}
	// For a name that does not exist the hash of somebody else is worked on, so
	// that it costs the same as on this site. It is looked up every time.
	other, err := first[passwordRow](c.fields(ctx).Select("uid", "password").
		Where("deleted = 0 AND disable = 0 AND password <> '' AND username <> '_cli_'").Order("uid"))
	if err != nil {
		return nil, err
	}
	hash, uid := "", UserUID(0)
	if other != nil {
		hash = other.Password
	}
	for i := range rows {
		if r := &rows[i]; r.UserRow.Username == username && r.UserRow.active(c.now()) {
			hash, uid = r.Password, UserUID(r.UserRow.UID)
			break
		}
	}
	if fits := passwordMatches(hash, password); !fits || uid == 0 {
		return nil, ErrSignIn
	}
	user, err := c.User(ctx, uid)
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Forbidden:
		return nil, ErrSignIn.Because(err)
	}
	return user, err
}

// passwordMatches checks a password against a hash that TYPO3 stored. It always
// does the work of one hash: for what is no hash it does that of TYPO3's default.
func passwordMatches(hash, password string) bool {
	usable := password != "" && len(password) <= maxPassword
	if !usable {
		password = ""
	}
	if matches := checker(hash); matches != nil {
		return matches(password) && usable
	}
	dummy := argonHash{memory: 64 << 10, time: 16, threads: 1, salt: make([]byte, 16), want: make([]byte, 32)}
	_ = dummy.sum(password) // for its time only
	return false
}

// checker gives the check of a stored hash; nil for a hash of another form, or
// one that would cost more than the bounds.
func checker(hash string) func(password string) bool {
	if h, ok := parseArgon(hash); ok {
		return func(password string) bool { return subtle.ConstantTimeCompare(h.sum(password), h.want) == 1 }
	}
	if cost, err := bcrypt.Cost([]byte(hash)); err == nil && cost <= maxBcryptCost && strings.HasPrefix(hash, "$2y$") {
		return func(password string) bool {
			return bcrypt.CompareHashAndPassword([]byte(hash), bcryptInput(password)) == nil
		}
	}
	return nil
}

// bcryptInput is what TYPO3 gives bcrypt instead of the password itself, which
// bcrypt would cut (BcryptPasswordHash::processPassword).
func bcryptInput(password string) []byte {
	sum := sha512.Sum384([]byte(password))
	return []byte(base64.StdEncoding.EncodeToString(sum[:]))
}

// argonHash is a hash in PHC form, $argon2id$v=19$m=65536,t=16,p=1$salt$hash.
type argonHash struct {
	id           bool // argon2id, else argon2i
	memory, time uint32
	threads      uint8
	salt, want   []byte
}

func (h *argonHash) sum(password string) []byte {
	size := uint32(len(h.want)) //nolint:gosec // at most 64
	if h.id {
		return argon2.IDKey([]byte(password), h.salt, h.time, h.memory, h.threads, size)
	}
	return argon2.Key([]byte(password), h.salt, h.time, h.memory, h.threads, size)
}

func parseArgon(s string) (*argonHash, bool) {
	parts := strings.Split(s, "$")
	if len(s) > 512 || len(parts) != 6 || parts[0] != "" || parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return nil, false
	}
	h := &argonHash{id: parts[1] == "argon2id"}
	if !h.id && parts[1] != "argon2i" {
		return nil, false
	}
	p := strings.Split(parts[3], ",")
	if len(p) != 3 {
		return nil, false
	}
	memory, ok1 := argonNumber(p[0], "m=", maxArgonMemory)
	time, ok2 := argonNumber(p[1], "t=", maxArgonTime)
	threads, ok3 := argonNumber(p[2], "p=", maxArgonThreads)
	if !ok1 || !ok2 || !ok3 || memory < 8*threads {
		return nil, false
	}
	h.memory, h.time, h.threads = memory, time, uint8(threads) //nolint:gosec // at most 16
	var err1, err2 error
	h.salt, err1 = base64.RawStdEncoding.Strict().DecodeString(parts[4])
	h.want, err2 = base64.RawStdEncoding.Strict().DecodeString(parts[5])
	ok := err1 == nil && err2 == nil && len(h.salt) >= 8 && len(h.salt) <= 64 && len(h.want) >= 16 && len(h.want) <= 64
	return h, ok
}

func argonNumber(s, name string, limit uint32) (uint32, bool) {
	digits, ok := strings.CutPrefix(s, name)
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), ok && err == nil && n >= 1 && n <= uint64(limit) // parsed with 32 bits
}
