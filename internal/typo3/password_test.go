package typo3_test

import (
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"

	"editor-actions/internal/fault"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

const (
	testPassword = "Öffne-dich 42!"
	testSalt     = "0123456789abcdef"
)

func phc(kind string, memory, time uint32, threads uint8) string {
	sum := argon2.IDKey
	if kind == "argon2i" {
		sum = argon2.Key
	}
	enc := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$%s$v=19$m=%d,t=%d,p=%d$%s$%s", kind, memory, time, threads,
		enc([]byte(testSalt)), enc(sum([]byte(testPassword), []byte(testSalt), time, memory, threads, 32)))
}

// bcryptHash is as TYPO3 makes it: of the password's SHA-384, with PHP's mark.
func bcryptHash(t *testing.T) string {
	t.Helper()
	sum := sha512.Sum384([]byte(testPassword))
	h, err := bcrypt.GenerateFromPassword([]byte(base64.StdEncoding.EncodeToString(sum[:])), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return "$2y$" + strings.TrimPrefix(string(h), "$2a$")
}

func TestPasswordHashes(t *testing.T) {
	for name, hash := range map[string]string{
		"argon2i": phc("argon2i", 256, 2, 1), "argon2id": phc("argon2id", 256, 1, 2), "bcrypt": bcryptHash(t),
	} {
		t.Run(name, func(t *testing.T) {
			if !typo3.PasswordMatches(hash, testPassword) {
				t.Error("the right password is refused")
			}
			for _, wrong := range []string{"", "x", testPassword + " ", strings.ToUpper(testPassword), strings.Repeat("a", 5000)} {
				if typo3.PasswordMatches(hash, wrong) {
					t.Errorf("%.20q is accepted", wrong)
				}
			}
		})
	}
}

func TestPasswordHashesOutOfBounds(t *testing.T) {
	good := phc("argon2id", 256, 1, 1)
	for name, hash := range map[string]string{
		"empty":          "",
		"plain text":     testPassword,
		"memory":         strings.Replace(good, "m=256", "m=4294967295", 1),
		"time":           strings.Replace(good, "t=1", "t=4294967295", 1),
		"threads":        strings.Replace(good, "p=1", "p=255", 1),
		"threads 0":      strings.Replace(good, "p=1", "p=0", 1),
		"little memory":  strings.Replace(good, "m=256", "m=1", 1),
		"other version":  strings.Replace(good, "v=19", "v=16", 1),
		"other kind":     strings.Replace(good, "argon2id", "argon2d", 1),
		"no hash":        good[:strings.LastIndex(good, "$")+1],
		"more parts":     good + "$x",
		"bcrypt cost 31": "$2y$31$" + strings.Repeat("a", 53),
		"bcrypt broken":  "$2y$04$abc",
	} {
		t.Run(name, func(t *testing.T) {
			if typo3.HashUsable(hash) {
				t.Error("would be tried")
			}
		})
	}
	if !typo3.HashUsable(good) {
		t.Error("the hash that the others are made of must be usable")
	}
	if typo3.PasswordMatches("", testPassword) || typo3.PasswordMatches(testPassword, testPassword) {
		t.Error("what is no hash matches")
	}
}

func TestCheckPassword(t *testing.T) {
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		if err := s.DB.Exec("UPDATE be_users SET password = ? WHERE username IN ('admin', 'ed_uploads', 'ed_disabled', 'ed_deleted', 'ed_expired')",
			phc("argon2id", 256, 1, 1)).Error; err != nil {
			t.Fatal(err)
		}
		cms := cmsAt(s, testNow)
		user, err := cms.CheckPassword(t.Context(), "ed_uploads", testPassword)
		if err != nil || user.UID != editor {
			t.Fatalf("got %v, %v", user, err)
		}
		for _, c := range [][2]string{
			{"ed_uploads", "wrong"},
			{"ed_uploads", ""},
			{"ED_UPLOADS", testPassword},
			{"nobody", testPassword},
			{"", testPassword},
			{"ed_disabled", testPassword},
			{"ed_deleted", testPassword},
			{"ed_expired", testPassword},
		} {
			user, err := cms.CheckPassword(t.Context(), c[0], c[1])
			f, ok := errors.AsType[*fault.Error](err)
			if user != nil || !ok || f.Kind != fault.Unauthenticated || f.Code != "sign_in_failed" || err.Error() != typo3.ErrSignIn.Error() {
				t.Errorf("%q, %q: got %v, %v", c[0], c[1], user, err)
			}
		}
	})
}
