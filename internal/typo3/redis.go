package typo3

import (
	"context"
	"crypto/sha1" //nolint:gosec // TYPO3 names its keys with it
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"editor-actions/internal/config"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	redisTimeout = 2 * time.Second // for connecting, writing and reading, each
	maxSession   = 1 << 20         // bytes of one session; one with more signs nobody in
)

// redisClients keeps one client for the address in the settings.
type redisClients struct {
	mu      sync.Mutex
	current *redis.Client
	of      config.Redis
}

// store gives TYPO3's RedisSessionBackend (12.4 to 14.3): the key is "typo3_ses_BE_",
// the SHA-1 of the encryption key, "_" and the stored session id; the value is the
// row of be_sessions as a JSON object with the data serialised by PHP inside.
func (r *redisClients) store(t *config.TYPO3) redisSessions {
	sum := sha1.Sum([]byte(t.EncryptionKey.Reveal())) //nolint:gosec // see the import
	return redisSessions{client: r.client(t.Redis), prefix: "typo3_ses_BE_" + hex.EncodeToString(sum[:]) + "_"}
}

// quiet keeps the library from printing: what matters comes as an error, and is
// logged where the request ends.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

var silence = sync.OnceFunc(func() { redis.SetLogger(quiet{}) })

func (r *redisClients) client(cfg config.Redis) *redis.Client {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil && r.of == cfg {
		return r.current
	}
	if old := r.current; old != nil { // requests in work may still use it
		time.AfterFunc(4*redisTimeout, func() { _ = old.Close() })
	}
	silence()
	o := &redis.Options{
		Addr: cfg.Address, DB: cfg.Database, Username: cfg.Username, Password: cfg.Password.Reveal(),
		DialTimeout: redisTimeout, ReadTimeout: redisTimeout, WriteTimeout: redisTimeout, MaxRetries: 1, DialerRetries: 1,
		// Nothing but what is asked for: no greeting, no name, no subscription.
		Protocol: 2, DisableIdentity: true, MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if strings.HasPrefix(cfg.Address, "/") {
		o.Network = "unix"
	}
	if cfg.TLS {
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	r.current, r.of = redis.NewClient(o), cfg
	return r.current
}

func (r *redisClients) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil {
		return nil
	}
	err := r.current.Close()
	r.current = nil
	return err
}

type redisSessions struct {
	client *redis.Client
	prefix string
}

// find sends one GETRANGE, which changes nothing and bounds what comes back.
func (s redisSessions) find(ctx context.Context, id string) (*sessionRow, error) {
	text, err := s.client.GetRange(ctx, s.prefix+id, 0, maxSession).Result()
	var answer redis.Error
	if errors.As(err, &answer) && strings.HasPrefix(answer.Error(), "WRONGTYPE") {
		return nil, nil //nolint:nilnil // something else has this key
	}
	if err != nil {
		return nil, fmt.Errorf("typo3: look up session in Redis: %w", err)
	}
	if text == "" || len(text) > maxSession {
		return nil, nil //nolint:nilnil // the pointer says it
	}
	return redisSession(text), nil
}

// redisSession reads a value; nil when it is no session. PHP writes numbers as
// numbers or as texts.
func redisSession(text string) *sessionRow {
	var v struct {
		IPLock string `json:"ses_iplock"`
		UserID any    `json:"ses_userid"`
		Time   any    `json:"ses_tstamp"`
		Data   string `json:"ses_data"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil || d.More() {
		return nil
	}
	user, stamp := wholeNumber(v.UserID), wholeNumber(v.Time)
	if user < 0 || user > 1<<32-1 {
		return nil
	}
	return &sessionRow{IPLock: v.IPLock, UserID: uint32(user), Time: stamp, Data: []byte(v.Data)}
}

// wholeNumber is PHP's int cast for what JSON can hold.
func wholeNumber(v any) int64 {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			return 0
		}
		return n
	case string:
		return phpInt(v)
	}
	return 0
}
