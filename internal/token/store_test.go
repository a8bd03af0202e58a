package token_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/fault"
	"editor-actions/internal/testsite"
	"editor-actions/internal/token"
	"editor-actions/internal/typo3"
)

const (
	admin  = typo3.UserUID(1)
	editor = typo3.UserUID(10)
)

// desk is a store whose settings, clock and log a test can see and change.
type desk struct {
	*token.Store
	site     *testsite.Site
	settings config.Settings
	now      time.Time
	log      bytes.Buffer
}

func open(t *testing.T, s *testsite.Site) *desk {
	t.Helper()
	d := &desk{site: s, settings: s.Settings, now: time.Now().UTC()}
	settings := func() *config.Settings { return &d.settings }
	now := func() time.Time { return d.now }
	d.Store = token.New(s.DB, typo3.New(s.DB, settings, now), settings, slog.New(slog.NewJSONHandler(&d.log, nil)), now)
	return d
}

func (d *desk) make(t *testing.T, user typo3.UserUID, life time.Duration, scopes ...token.Scope) (string, *token.Token) {
	t.Helper()
	secret, tok, err := d.Create(t.Context(), token.NewToken{Name: "An agent", User: user, Scopes: scopes, Lifetime: life})
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal(), tok
}

func (d *desk) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if err := d.site.DB.Exec(sql, args...).Error; err != nil {
		t.Fatal(err)
	}
}

func TestCreate_TheSecretIsShownOnceAndStoredNowhere(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		d := open(t, s)
		text, made := d.make(t, editor, token.DefaultLifetime, token.Read, token.Propose)
		if !strings.HasPrefix(text, "eact_") || len(text) != 5+64 {
			t.Errorf("a token of %d characters", len(text))
		}
		other, _ := d.make(t, editor, token.DefaultLifetime, token.Read)
		if other == text {
			t.Error("two tokens are the same")
		}
		got, user, err := d.Check(t.Context(), text)
		if err != nil || got.ID != made.ID || user.UID != editor || !got.May(token.Read) || !got.May(token.Propose) || got.Name != "An agent" {
			t.Fatalf("%+v %v", got, err)
		}
		var rows []map[string]any
		if err := s.DB.Table("tx_editoractions_token").Find(&rows).Error; err != nil || len(rows) != 2 {
			t.Fatal(err)
		}
		for _, r := range rows {
			for column, v := range r {
				if b, ok := v.([]byte); ok {
					v = string(b)
				}
				if str, ok := v.(string); ok && (strings.Contains(str, text[5:]) || strings.Contains(str, "eact_")) {
					t.Errorf("%s holds the secret", column)
				}
			}
		}
		if strings.Contains(d.log.String(), "eact_") {
			t.Error("the log holds a token (P15)")
		}
		list, err := d.List(t.Context(), editor)
		if err != nil || len(list) != 2 || list[0].ID != made.ID || list[0].LastUsed.IsZero() || !list[1].LastUsed.IsZero() {
			t.Errorf("%+v %v", list, err)
		}
		if list, err := d.List(t.Context(), admin); err != nil || len(list) != 0 {
			t.Errorf("%+v %v", list, err)
		}
	})
}

func TestCheck_OneAnswerForEveryInvalidToken(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		d := open(t, s)
		good, tok := d.make(t, editor, time.Hour, token.Read)
		wrong := good[:len(good)-1] + map[bool]string{true: "0", false: "1"}[good[len(good)-1] != '0']
		refused := func(name, text string) {
			t.Helper()
			_, _, err := d.Check(t.Context(), text)
			if !errors.Is(err, token.ErrInvalid) || err.Error() != token.ErrInvalid.Error() {
				t.Errorf("%s: %v", name, err)
			}
		}
		works := func(name string) {
			t.Helper()
			if _, _, err := d.Check(t.Context(), good); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for name, text := range map[string]string{
			"empty": "", "another prefix": "x" + good, "one letter off": wrong, "cut": good[:40], "longer": good + "0",
			"upper case": strings.ToUpper(good), "the id": tok.ID, "SQL": "eact_' OR 1=1 --", "long": "eact_" + strings.Repeat("a", 1<<20),
		} {
			refused(name, text)
		}
		works("before")
		for name, change := range map[string][2]string{
			"disabled": {"UPDATE be_users SET disable = 1 WHERE uid = 10", "UPDATE be_users SET disable = 0 WHERE uid = 10"},
			"deleted":  {"UPDATE be_users SET deleted = 1 WHERE uid = 10", "UPDATE be_users SET deleted = 0 WHERE uid = 10"},
			"over":     {"UPDATE be_users SET endtime = 1000 WHERE uid = 10", "UPDATE be_users SET endtime = 0 WHERE uid = 10"},
		} {
			d.exec(t, change[0])
			refused(name, good)
			d.exec(t, change[1])
			works(name)
		}
		d.settings.Access.Groups = []uint32{4242}
		refused("not in access.groups", good)
		d.settings.Access.Groups = nil
		d.settings.TYPO3.AdminOnly = 1
		refused("adminOnly", good)
		d.settings.TYPO3.AdminOnly = 0
		before := d.now
		d.now = before.Add(time.Hour)
		refused("expired to the moment", good)
		d.now = before
		works("in time")
		if err := d.Revoke(t.Context(), 0, tok.ID); err != nil {
			t.Fatal(err)
		}
		refused("revoked", good)
	})
}

func TestRevoke_IsForGood(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		d := open(t, s)
		_, tok := d.make(t, editor, time.Hour, token.Read)
		if err := d.Revoke(t.Context(), 0, tok.ID); err != nil {
			t.Fatal(err)
		}
		first, _ := d.List(t.Context(), 0)
		d.now = d.now.Add(time.Minute)
		if err := d.Revoke(t.Context(), 0, tok.ID); err != nil {
			t.Errorf("a second time: %v", err)
		}
		again, err := d.List(t.Context(), 0)
		if err != nil || again[0].Revoked.IsZero() || !again[0].Revoked.Equal(first[0].Revoked) {
			t.Errorf("%+v %v", again, err)
		}
		for _, id := range []string{"nobody", "", "niemänd"} {
			if err := d.Revoke(t.Context(), 0, id); !errors.Is(err, token.ErrNotFound) {
				t.Errorf("%q: %v", id, err)
			}
		}
	})
}

func TestCheck_NotesItsUseOnceAMinute(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		d := open(t, s)
		text, _ := d.make(t, editor, time.Hour, token.Read)
		used := func() time.Time {
			t.Helper()
			if _, _, err := d.Check(t.Context(), text); err != nil {
				t.Fatal(err)
			}
			list, err := d.List(t.Context(), editor)
			if err != nil {
				t.Fatal(err)
			}
			return list[0].LastUsed
		}
		first := used()
		d.now = d.now.Add(59 * time.Second)
		if second := used(); !second.Equal(first) {
			t.Errorf("noted again after 59 seconds: %s, %s", first, second)
		}
		d.now = d.now.Add(time.Second)
		if third := used(); !third.After(first) {
			t.Errorf("not noted after a minute: %s", third)
		}
	})
}

func TestCreate_RefusesInOneSentence(t *testing.T) {
	t.Parallel()
	d := open(t, testsite.SQLite(t))
	good := token.NewToken{Name: "n", User: editor, Scopes: []token.Scope{token.Read}, Lifetime: time.Hour}
	for name, c := range map[string]struct {
		change func(*token.NewToken)
		code   string
	}{
		"no name":       {func(n *token.NewToken) { n.Name = "  " }, "token_name"},
		"long name":     {func(n *token.NewToken) { n.Name = strings.Repeat("ü", 101) }, "token_name"},
		"hidden letter": {func(n *token.NewToken) { n.Name = "a\u202eb" }, "token_name"},
		"no scope":      {func(n *token.NewToken) { n.Scopes = nil }, "token_scopes"},
		"no time":       {func(n *token.NewToken) { n.Lifetime = 0 }, "token_lifetime"},
		"two years":     {func(n *token.NewToken) { n.Lifetime = 2 * token.MaxLifetime }, "token_lifetime"},
		"unknown user":  {func(n *token.NewToken) { n.User = 4711 }, "token_user"},
	} {
		n := good
		c.change(&n)
		_, _, err := d.Create(t.Context(), n)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if list, err := d.List(t.Context(), 0); err != nil || len(list) != 0 {
		t.Errorf("%+v %v", list, err)
	}
	if _, err := token.ParseScopes("read,write"); err == nil {
		t.Error("an unknown scope was taken")
	}
	if got, err := token.ParseScopes(" propose , read,read"); err != nil || len(got) != 2 || got[0] != token.Propose {
		t.Errorf("%v %v", got, err)
	}
}

// A form that is sent twice at once makes one token, and the secret that a person saw
// last is the one that works. Later, or once it was used, it makes none.
func TestCreate_TheSameFormTwice(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		d := open(t, s)
		ask := token.NewToken{Name: "An agent", User: editor, Scopes: []token.Scope{token.Read}, Lifetime: time.Hour, Key: "a form's key"}
		first, made, err := d.Create(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		ask.Scopes = []token.Scope{token.Read, token.Propose}
		second, again, err := d.Create(t.Context(), ask)
		if err != nil || again.ID != made.ID || second.Reveal() == first.Reveal() {
			t.Fatalf("%+v %v", again, err)
		}
		if _, _, err := d.Check(t.Context(), first.Reveal()); !errors.Is(err, token.ErrInvalid) {
			t.Errorf("the first secret: %v", err)
		}
		other := ask
		other.User = admin
		if _, theirs, err := d.Create(t.Context(), other); err != nil || theirs.ID == made.ID {
			t.Errorf("somebody else's form of that key: %v", err)
		}
		got, _, err := d.Check(t.Context(), second.Reveal())
		if err != nil || !got.May(token.Propose) {
			t.Fatalf("the second secret: %v", err)
		}
		if _, _, err := d.Create(t.Context(), ask); !errors.Is(err, token.ErrUsed) {
			t.Errorf("after its first use: %v", err)
		}
		if _, _, err := d.Check(t.Context(), second.Reveal()); err != nil {
			t.Errorf("a refused form took the token away: %v", err)
		}
		ask.Key = "another"
		_, revoked, err := d.Create(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Revoke(t.Context(), 0, revoked.ID); err != nil {
			t.Fatal(err)
		}
		if _, _, err := d.Create(t.Context(), ask); !errors.Is(err, token.ErrUsed) {
			t.Errorf("after it was revoked: %v", err)
		}
		ask.Key = "a third"
		if _, _, err := d.Create(t.Context(), ask); err != nil {
			t.Fatal(err)
		}
		d.now = d.now.Add(3 * time.Minute)
		if _, _, err := d.Create(t.Context(), ask); !errors.Is(err, token.ErrUsed) {
			t.Errorf("three minutes later: %v", err)
		}
	})
}

func TestRevoke_OnlyOnesOwn(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		d := open(t, s)
		text, tok := d.make(t, editor, time.Hour, token.Read)
		if err := d.Revoke(t.Context(), admin, tok.ID); !errors.Is(err, token.ErrNotFound) {
			t.Errorf("somebody else's: %v", err)
		}
		if _, _, err := d.Check(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := d.Revoke(t.Context(), editor, tok.ID); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := d.Check(t.Context(), text); !errors.Is(err, token.ErrInvalid) {
			t.Error(err)
		}
	})
}

func TestCreate_HasALimitAndForgetsWhatEndedLongAgo(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		d := open(t, s)
		_, old := d.make(t, editor, time.Hour, token.Read)
		_, revoked := d.make(t, editor, token.MaxLifetime, token.Read)
		if err := d.Revoke(t.Context(), 0, revoked.ID); err != nil {
			t.Fatal(err)
		}
		d.now = d.now.Add(2 * time.Hour)
		for range 50 {
			d.make(t, editor, token.MaxLifetime, token.Read)
		}
		more := token.NewToken{Name: "n", User: editor, Scopes: []token.Scope{token.Read}, Lifetime: time.Hour}
		if _, _, err := d.Create(t.Context(), more); !errors.Is(err, token.ErrTooMany) {
			t.Fatalf("the fifty-first: %v", err)
		}
		d.make(t, admin, time.Hour, token.Read)
		d.now = d.now.Add(token.KeepEnded - 3*time.Hour)
		due := d.now.Add(-token.KeepEnded)
		if n, err := d.CountEnded(t.Context(), due); err != nil || n != 0 {
			t.Errorf("%d ended too early: %v", n, err)
		}
		d.now = d.now.Add(5 * time.Hour)
		due = d.now.Add(-token.KeepEnded)
		if n, err := d.CountEnded(t.Context(), due); err != nil || n != 3 {
			t.Errorf("%d ended: %v", n, err)
		}
		if n, err := d.PurgeEnded(t.Context(), due, 1); err != nil || n != 1 {
			t.Errorf("%d deleted: %v", n, err)
		}
		if _, _, err := d.Create(t.Context(), more); !errors.Is(err, token.ErrTooMany) {
			t.Fatalf("still fifty: %v", err)
		}
		list, err := d.List(t.Context(), editor)
		if err != nil || len(list) != 50 || list[0].ID == old.ID {
			t.Errorf("%d are left: %v", len(list), err)
		}
		if n, err := d.PurgeEnded(t.Context(), due, 10); err != nil || n != 1 {
			t.Errorf("the admin's: %d deleted: %v", n, err)
		}
	})
}
