package typo3_test

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"editor-actions/internal/config"
	"editor-actions/internal/secret"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// redisServer is a client of the test server's database n, which it empties.
func redisServer(t *testing.T, n int) (*redis.Client, config.Redis) {
	t.Helper()
	address := os.Getenv("EDITOR_ACTIONS_TEST_REDIS")
	if address == "" {
		if testing.Short() {
			t.Skip("-short: no Redis")
		}
		t.Fatal(`EDITOR_ACTIONS_TEST_REDIS is not set: run eval "$(scripts/redis.sh start)" or make test`)
	}
	c := redis.NewClient(&redis.Options{Addr: address, DB: n})
	t.Cleanup(func() { _ = c.Close() })
	if err := c.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return c, config.Redis{Address: address, Database: n}
}

// keyOf is the key TYPO3 gives a session, written anew from its source.
func keyOf(encryptionKey, storedID string) string {
	sum := sha1.Sum([]byte(encryptionKey))
	return "typo3_ses_BE_" + hex.EncodeToString(sum[:]) + "_" + storedID
}

// record is the value TYPO3 stores: UserSession::toArray as JSON.
func record(t *testing.T, id, lock string, user any, stamp any, data string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"ses_id": id, "ses_iplock": lock, "ses_userid": user, "ses_tstamp": stamp, "ses_data": data})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// All sessions of the data set, kept in Redis, are judged as in the database.
func TestP13_SessionsInRedis(t *testing.T) {
	server, settings := redisServer(t, 1)
	s := testsite.SQLite(t)
	var rows []struct {
		ID     string `gorm:"column:ses_id"`
		Lock   string `gorm:"column:ses_iplock"`
		User   int    `gorm:"column:ses_userid"`
		Tstamp int64  `gorm:"column:ses_tstamp"`
		Data   []byte `gorm:"column:ses_data"`
	}
	if err := s.DB.Table("be_sessions").Find(&rows).Error; err != nil || len(rows) < 10 {
		t.Fatalf("%d sessions, %v", len(rows), err)
	}
	for _, r := range rows {
		key := keyOf(s.Settings.TYPO3.EncryptionKey.Reveal(), r.ID)
		if err := server.Set(t.Context(), key, record(t, r.ID, r.Lock, r.User, r.Tstamp, string(r.Data)), 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DB.Exec("DELETE FROM be_sessions").Error; err != nil {
		t.Fatal(err)
	}
	s.Settings.TYPO3.SessionBackend, s.Settings.TYPO3.Redis = config.SessionsInRedis, settings
	before := dump(t, server)
	users := 0
	for _, g := range goldenSessions(t) {
		now := time.Unix(g.Now, 0)
		got, err := cmsAt(s, now).SessionUser(t.Context(), typo3.SessionRequest{Cookie: g.Cookie, Host: g.Host, RemoteIP: g.RemoteIP, Now: now})
		if err != nil || got != g.SessionResult {
			t.Errorf("%s: got %+v, %v; TYPO3: %+v", g.Case, got, err, g.SessionResult)
		}
		if got.Result == typo3.SessionIsUser {
			users++
		}
	}
	if users < 10 {
		t.Errorf("only %d sign-ins", users)
	}
	if after := dump(t, server); after != before {
		t.Error("a session was changed")
	}
}

func dump(t *testing.T, c *redis.Client) string {
	t.Helper()
	var all strings.Builder
	keys, err := c.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	for _, k := range keys {
		text, _ := c.Get(t.Context(), k).Result()
		left, _ := c.TTL(t.Context(), k).Result()
		all.WriteString(k + text + left.String())
	}
	return all.String()
}

// The service's own Redis user may send one command that reads, and no other.
func TestSessionInRedis_NeedsOneReadingCommand(t *testing.T) {
	server, settings := redisServer(t, 2)
	settings.Username, settings.Password = "ea-"+uuid.NewString(), secret.New("CANARY-password")
	if err := server.Do(t.Context(), "ACL", "SETUSER", settings.Username, "on", ">"+settings.Password.Reveal(), "~typo3_ses_BE_*", "+getrange", "+select").Err(); err != nil {
		t.Fatal(err)
	}
	s := testsite.SQLite(t)
	for _, version := range []string{"12.4", "13.4", "14.3"} {
		put(t, s, version, session{user: editor})
		id := storedID(version, testIdent)
		server.Set(t.Context(), keyOf(testKey, id), record(t, id, "[DISABLED]", editor, testNow.Unix()-10, ""), 0)
		s.Settings.TYPO3.SessionBackend, s.Settings.TYPO3.Redis = config.SessionsInRedis, settings
		cookie := sign(t, jwt.SigningMethodHS256, signKey(version), claimsFor(testHost, "/"))
		expect(t, s, cookie, testHost, "192.0.2.1", isUser(editor, 0))
		server.Del(t.Context(), keyOf(testKey, id)) // signed out: the row in the database does not count
		expect(t, s, cookie, testHost, "192.0.2.1", isNone)
	}
	wrong := settings
	wrong.Password = secret.New("CANARY-wrong")
	s.Settings.TYPO3.Redis = wrong
	cookie := sign(t, jwt.SigningMethodHS256, signKey("14.3"), claimsFor(testHost, "/"))
	if got, err := cmsAt(s, testNow).SessionUser(t.Context(), typo3.SessionRequest{Cookie: cookie, Host: testHost, Now: testNow}); err == nil || strings.Contains(err.Error(), "CANARY") || got.Result != typo3.SessionNone {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSessionInRedis_WhatIsNoSessionSignsNobodyIn(t *testing.T) {
	server, settings := redisServer(t, 3)
	s := testsite.SQLite(t)
	put(t, s, "13.4", session{user: 1}) // in the database, where nobody looks
	s.Settings.TYPO3.SessionBackend, s.Settings.TYPO3.Redis = config.SessionsInRedis, settings
	cookie := sign(t, jwt.SigningMethodHS256, signKey("13.4"), claimsFor(testHost, "/"))
	id := storedID("13.4", testIdent)
	key, fresh := keyOf(testKey, id), testNow.Unix()-10
	for name, tc := range map[string]struct {
		value string
		want  typo3.SessionResult
	}{
		"numbers":           {record(t, id, "[DISABLED]", editor, fresh, ""), isUser(editor, 0)},
		"numbers as texts":  {record(t, id, "[DISABLED]", "10", "1796090000", ""), isUser(editor, 0)},
		"switched":          {record(t, id, "[DISABLED]", editor, fresh, `a:1:{s:10:"backuserid";i:1;}`), isUser(editor, 1)},
		"visitor":           {record(t, id, "[DISABLED]", 0, fresh, ""), isNone},
		"negative":          {record(t, id, "[DISABLED]", -10, fresh, ""), isNone},
		"fraction":          {record(t, id, "[DISABLED]", 10.5, fresh, ""), isNone},
		"true":              {record(t, id, "[DISABLED]", true, fresh, ""), isNone},
		"list":              {record(t, id, "[DISABLED]", []int{10}, fresh, ""), isNone},
		"too large":         {record(t, id, "[DISABLED]", int64(1<<32+10), fresh, ""), isNone},
		"expired":           {record(t, id, "[DISABLED]", editor, fresh-30000, ""), isNone},
		"no time":           {record(t, id, "[DISABLED]", editor, nil, ""), isNone},
		"other address":     {record(t, id, "198.51.100.9", editor, fresh, ""), isNone},
		"no lock":           {record(t, id, "", editor, fresh, ""), isNone},
		"data that is cut":  {record(t, id, "[DISABLED]", editor, fresh, "a:1:{"), isNone},
		"no JSON":           {"O:8:\"stdClass\":0:{}", isNone},
		"two values":        {record(t, id, "[DISABLED]", editor, fresh, "") + record(t, id, "[DISABLED]", 1, fresh, ""), isNone},
		"JSON of something": {"[]", isNone},
		"empty":             {"", isNone},
		"huge":              {record(t, id, "[DISABLED]", editor, fresh, strings.Repeat("x", 2<<20)), isNone},
	} {
		if err := server.Set(t.Context(), key, tc.value, 0).Err(); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { expect(t, s, cookie, testHost, "192.0.2.1", tc.want) })
	}
	server.Del(t.Context(), key)
	server.RPush(t.Context(), key, "a list")
	t.Run("another type", func(t *testing.T) { expect(t, s, cookie, testHost, "192.0.2.1", isNone) })
	// A visitor's session has another prefix.
	server.Del(t.Context(), key)
	server.Set(t.Context(), strings.Replace(key, "_BE_", "_FE_", 1), record(t, id, "[DISABLED]", editor, fresh, ""), 0)
	t.Run("of the frontend", func(t *testing.T) { expect(t, s, cookie, testHost, "192.0.2.1", isNone) })
}

func TestSessionInRedis_ThatDoesNotAnswerIsAnError(t *testing.T) {
	s := testsite.SQLite(t)
	put(t, s, "13.4", session{user: editor})
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	gone, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()
	cookie := sign(t, jwt.SigningMethodHS256, signKey("13.4"), claimsFor(testHost, "/"))
	cms := cmsAt(s, testNow)
	s.Settings.TYPO3.SessionBackend = config.SessionsInRedis
	for name, address := range map[string]string{"silent": silent.Addr().String(), "gone": gone.Addr().String(), "no socket": "/nonexistent/redis.sock"} {
		s.Settings.TYPO3.Redis.Address = address
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		got, err := cms.SessionUser(ctx, typo3.SessionRequest{Cookie: cookie, Host: testHost, Now: testNow})
		if err == nil || ctx.Err() != nil || got.Result != typo3.SessionNone {
			t.Errorf("%s: %+v, %v (%v)", name, got, err, ctx.Err())
		}
		cancel()
	}
	// The next settings have an address that answers: no restart is needed.
	server, settings := redisServer(t, 4)
	id := storedID("13.4", testIdent)
	server.Set(t.Context(), keyOf(testKey, id), record(t, id, "[DISABLED]", editor, testNow.Unix(), ""), 0)
	s.Settings.TYPO3.Redis = settings
	if got, err := cms.SessionUser(t.Context(), typo3.SessionRequest{Cookie: cookie, Host: testHost, Now: testNow}); err != nil || got != isUser(editor, 0) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := cms.Close(); err != nil {
		t.Error(err)
	}
}
