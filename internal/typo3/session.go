package typo3

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"gorm.io/gorm"

	"editor-actions/internal/config"
)

// SessionOutcome is what a cookie is worth.
type SessionOutcome string

// The outcomes. Only SessionIsUser is a sign-in.
const (
	SessionIsUser       SessionOutcome = "user"
	SessionNone         SessionOutcome = "none"
	SessionSecondFactor SessionOutcome = "second_factor_required"
)

// Valid reports whether o is one of the known outcomes.
func (o SessionOutcome) Valid() bool {
	return o == SessionIsUser || o == SessionNone || o == SessionSecondFactor
}

// SessionResult says who a cookie belongs to. OriginalUserUID is the
// administrator who has switched to the user, else 0.
type SessionResult struct {
	Result          SessionOutcome `json:"result"`
	UserUID         UserUID        `json:"user_uid"`
	OriginalUserUID UserUID        `json:"original_user_uid"`
}

// sessionRow is TYPO3's be_sessions.
type sessionRow struct {
	ID     string `gorm:"column:ses_id"`
	IPLock string `gorm:"column:ses_iplock"`
	UserID uint32 `gorm:"column:ses_userid"`
	Time   int64  `gorm:"column:ses_tstamp"`
	Data   []byte `gorm:"column:ses_data"`
}

// TableName implements gorm's tabler.
func (sessionRow) TableName() string { return "be_sessions" }

// sessionUserRow is what a session check needs of be_users: never the password.
type sessionUserRow struct {
	UserRow userRow `gorm:"embedded"`
	MFA     []byte  `gorm:"column:mfa"`
}

// TableName implements gorm's tabler.
func (sessionUserRow) TableName() string { return "be_users" }

// SessionRequest is what a request says about who sent it.
type SessionRequest struct {
	Cookie   string // the value of TYPO3's session cookie
	Host     string // as the browser sees it, with or without a port
	RemoteIP string
	HTTPS    bool // the browser spoke TLS
	Now      time.Time
}

// SessionUser says whose backend session a cookie is, as TYPO3 would decide at
// that moment (P13). It writes nothing: a session lives on by the use of TYPO3
// alone. An error means that the database did not answer; whatever is wrong with
// the cookie or its session gives SessionNone.
func (c *CMS) SessionUser(ctx context.Context, r SessionRequest) (SessionResult, error) {
	none := SessionResult{Result: SessionNone}
	t := &c.settings().TYPO3
	if !backendOpen(t, r) {
		return none, nil
	}
	now := r.Now
	identifier, err := sessionIdentifier(t, r.Cookie, r.Host, now)
	if err != nil {
		return none, nil //nolint:nilerr // a cookie that is not TYPO3's is no session
	}
	row, err := c.sessions(t).find(ctx, storedSessionID(t, identifier))
	if row == nil || err != nil {
		return none, err
	}
	if row.UserID == 0 || !lockMatches(t, row.IPLock, r.RemoteIP) || expired(t, row.Time, now) {
		return none, nil
	}
	data := map[string]any{}
	if len(row.Data) > 0 {
		if data, err = phpScalars(row.Data); err != nil {
			return none, nil //nolint:nilerr // who switched to the user cannot be told
		}
	}
	user, err := first[sessionUserRow](c.fields(ctx).Where("uid = ?", row.UserID))
	if user == nil || err != nil || !user.UserRow.active(now) {
		return none, err
	}
	original := switchedFrom(data)
	if ok, err := c.adminOnlyAllows(ctx, t, &user.UserRow, original, now); err != nil || !ok {
		return none, err
	}
	if original == 0 {
		outcome, err := c.secondFactor(ctx, t, user, truth(data["mfa"]))
		if err != nil || outcome != SessionIsUser {
			return SessionResult{Result: outcome}, err
		}
	}
	return SessionResult{Result: SessionIsUser, UserUID: UserUID(row.UserID), OriginalUserUID: original}, nil
}

// fields is a connection that asks for the columns of a row's struct by name,
// so that columns such as passwords never leave the database.
func (c *CMS) fields(ctx context.Context) *gorm.DB {
	return c.conn(ctx, nil).Session(&gorm.Session{QueryFields: true})
}

// first takes one row; nil if there is none.
func first[T any](db *gorm.DB) (*T, error) {
	var row T
	err := db.Limit(1).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil //nolint:nilnil // the pointer says it
	}
	if err != nil {
		return nil, fmt.Errorf("typo3: look up sign-in: %w", err)
	}
	return &row, nil
}

func expired(t *config.TYPO3, last int64, now time.Time) bool {
	return t.SessionTimeout <= 0 || now.Unix() > last+int64(t.SessionTimeout)
}

// lockDisabled is what TYPO3 stores for a session that is bound to no address.
const lockDisabled = "[DISABLED]"

// lockMatches is TYPO3's IpLocker: a session that is bound to an address may be
// used from it only. While the setting is 0 no address matches.
func lockMatches(t *config.TYPO3, lock, remoteIP string) bool {
	if lock == lockDisabled {
		return true
	}
	a, err := netip.ParseAddr(remoteIP)
	if err != nil {
		return false
	}
	var want string
	if a = a.Unmap(); a.Is4() {
		want = cutAddress(a.String(), ".", t.LockIP, "0")
	} else {
		want = cutAddress(a.WithZone("").StringExpanded(), ":", t.LockIPv6, "0000")
	}
	return want != "" && lock == want
}

// cutAddress keeps the first parts of an address; "" if it keeps none.
func cutAddress(address, separator string, keep int, rest string) string {
	if keep <= 0 {
		return ""
	}
	parts := strings.Split(address, separator)
	for i := keep; i < len(parts); i++ {
		parts[i] = rest
	}
	return strings.Join(parts, separator)
}

// switchedFrom is the administrator who works as this user.
func switchedFrom(data map[string]any) UserUID {
	var n int64
	switch v := data["backuserid"].(type) {
	case int64:
		n = v
	case string:
		n = phpInt(v)
	}
	if n <= 0 || n > 1<<32-1 {
		return 0
	}
	return UserUID(n)
}

// adminOnlyAllows is BE/adminOnly: while it is set, administrators come in, and
// whom they have switched to. A negative one keeps everybody out, see backendOpen.
func (c *CMS) adminOnlyAllows(ctx context.Context, t *config.TYPO3, user *userRow, original UserUID, now time.Time) (bool, error) {
	if t.AdminOnly == 0 || user.Admin&1 == 1 {
		return true, nil
	}
	if original == 0 {
		return false, nil
	}
	who, err := first[sessionUserRow](c.fields(ctx).Where("uid = ?", original))
	if who == nil || err != nil {
		return false, err
	}
	return who.UserRow.active(now) && who.UserRow.Admin&1 == 1, nil
}

// secondFactor says whether a sign-in is complete. Whoever must have a second
// factor and has none is sent to its setup by TYPO3, and is not signed in here.
func (c *CMS) secondFactor(ctx context.Context, t *config.TYPO3, user *sessionUserRow, passed bool) (SessionOutcome, error) {
	if activeFactor(user.MFA) {
		if passed {
			return SessionIsUser, nil
		}
		return SessionSecondFactor, nil
	}
	required, err := c.factorRequired(ctx, t, &user.UserRow)
	if err != nil || required {
		return SessionNone, err
	}
	return SessionIsUser, nil
}

// activeFactor reports whether be_users.mfa holds a second factor in use.
// Recovery codes alone are none. What cannot be read counts as one.
func activeFactor(mfa []byte) bool {
	if len(mfa) == 0 {
		return false
	}
	var factors map[string]json.RawMessage
	if err := json.Unmarshal(mfa, &factors); err != nil {
		return string(mfa) != "[]" // PHP's empty array
	}
	for name, raw := range factors {
		var f struct {
			Active any `json:"active"`
			Secret any `json:"secret"`
		}
		if name == "recovery-codes" || string(raw) == "[]" {
			continue
		}
		if err := json.Unmarshal(raw, &f); err != nil {
			return true
		}
		if jsonTruth(f.Active) && (name != "totp" || jsonTruth(f.Secret)) {
			return true
		}
	}
	return false
}

func jsonTruth(v any) bool {
	switch v.(type) {
	case nil, bool, float64, string:
		return truth(v)
	}
	return true
}

// factorRequired is BE/requireMfa, which a user's TSconfig auth.mfa.required
// overrules (BackendUserAuthentication::isMfaSetupRequired). Who is a system
// maintainer is not known here: any administrator may be one. TSconfig that cannot
// be read whole may add the duty, never lift it.
func (c *CMS) factorRequired(ctx context.Context, t *config.TYPO3, user *userRow) (bool, error) {
	admin := user.Admin&1 == 1
	required := t.RequireMFA == 1 || t.RequireMFA == 2 && !admin || t.RequireMFA >= 3 && admin
	all, err := c.groups(ctx)
	if err != nil {
		return false, err
	}
	texts := []string{t.DefaultUserTSconfig}
	groups := resolveGroups(all, user.Usergroup)
	for _, g := range groups {
		texts = append(texts, g.TSconfig)
	}
	ts := parseTSconfig(asked(user, groups), append(texts, user.TSconfig)...)
	if v, ok := ts.Lookup("auth.mfa.required"); ok {
		return phpTrue(v) || ts.Unreadable && required, nil
	}
	return required, nil
}
