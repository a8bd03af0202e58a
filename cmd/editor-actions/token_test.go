package main

import (
	"regexp"
	"strings"
	"testing"

	"editor-actions/internal/testsite"
)

var tokenLine = regexp.MustCompile(`^eact_[0-9a-f]{64}\n$`)

// tokenFor makes a token with the command.
func tokenFor(t *testing.T, file, user, scopes string) string {
	t.Helper()
	code, out, errs := command(t, nil, "token", "create", "--user", user, "--name", "Test agent", "--scopes", scopes, "--config", file)
	if code != 0 || !tokenLine.MatchString(out) {
		t.Fatalf("%d %q %s", code, out, errs)
	}
	return strings.TrimSpace(out)
}

func TestToken_CreateListRevoke(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		file := siteFile(t, s)
		secret := tokenFor(t, file, "ed_uploads", "read,propose")
		_ = tokenFor(t, file, "11", "read") // by uid
		code, out, errs := command(t, nil, "token", "list", "--config", file)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if code != 0 || len(lines) != 3 || !strings.Contains(lines[1], "Test agent") || !strings.Contains(lines[1], "read,propose") || !strings.HasSuffix(lines[1], "valid") {
			t.Fatalf("%d %s%s", code, out, errs)
		}
		if strings.Contains(out, secret[5:]) {
			t.Error("the list shows a secret")
		}
		code, out, _ = command(t, nil, "token", "list", "--user", "ed_uploads", "--config", file)
		if code != 0 || len(strings.Split(strings.TrimSpace(out), "\n")) != 2 {
			t.Errorf("%d %s", code, out)
		}
		id := strings.Fields(lines[1])[0]
		if code, out, errs = command(t, nil, "token", "revoke", id, "--config", file); code != 0 || !strings.Contains(out, "no longer works") {
			t.Errorf("%d %s%s", code, out, errs)
		}
		if err := s.DB.Exec("UPDATE be_users SET disable = 1 WHERE uid = 11").Error; err != nil {
			t.Fatal(err)
		}
		_, out, _ = command(t, nil, "token", "list", "--config", file)
		if !strings.Contains(out, "revoked") || !strings.Contains(out, "user may not enter") {
			t.Error(out)
		}
	})
}

func TestToken_RefusalsAreOneSentence(t *testing.T) {
	t.Parallel()
	file := siteFile(t, testsite.SQLite(t))
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"unknown user":  {[]string{"--user", "nobody", "--name", "x"}, exitFailure, "There is no such backend user."},
		"disabled user": {[]string{"--user", "4242", "--name", "x"}, exitFailure, "may not sign in"},
		"two years":     {[]string{"--user", "ed_uploads", "--name", "x", "--expires", "730d"}, exitFailure, "365 days at most"},
		"no unit":       {[]string{"--user", "ed_uploads", "--name", "x", "--expires", "90"}, exitUsage, "days like 90d"},
		"unknown scope": {[]string{"--user", "ed_uploads", "--name", "x", "--scopes", "write"}, exitUsage, `"write" is no scope`},
		"no name":       {[]string{"--user", "ed_uploads", "--name", " "}, exitFailure, "needs a name"},
	} {
		code, out, errs := command(t, nil, append([]string{"token", "create", "--config", file}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(strings.TrimSpace(errs), "\n") != 0 {
			t.Errorf("%s: %d %q %q", name, code, out, errs)
		}
	}
	if code, _, errs := command(t, nil, "token", "revoke", "x", "--config", file); code != exitFailure || !strings.Contains(errs, "no such access token") {
		t.Errorf("%d %q", code, errs)
	}
}
