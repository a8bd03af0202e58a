package suspend_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/fault"
	"editor-actions/internal/secret"
	"editor-actions/internal/suspend"

	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/mac"
)

func TestSealer_OpensOnlyItsOwn(t *testing.T) {
	t.Parallel()
	s, plain := newSealer(t), []byte("a picture and its words")
	sealed, err := s.Seal(plain, "purpose", "run-1")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Open(sealed, "purpose", "run-1"); err != nil || !bytes.Equal(got, plain) {
		t.Fatalf("%q %v", got, err)
	}
	if bytes.Contains(sealed.Body, plain[:8]) {
		t.Error("not sealed")
	}
	if again, err := s.Seal(plain, "purpose", "run-1"); err != nil || bytes.Equal(again.Body, sealed.Body) || bytes.Equal(again.Key, sealed.Key) {
		t.Errorf("sealing twice gives the same bytes: %v", err)
	}
	for name, open := range map[string]func() ([]byte, error){
		"S37_another run":     func() ([]byte, error) { return s.Open(sealed, "purpose", "run-2") },
		"S37_another purpose": func() ([]byte, error) { return s.Open(sealed, "purposes", "run-1") },
		"boundary moved":      func() ([]byte, error) { return s.Open(sealed, "purpose\x00run", "-1") },
		"another keyset":      func() ([]byte, error) { return newSealer(t).Open(sealed, "purpose", "run-1") },
	} {
		if got, err := open(); !errors.Is(err, suspend.ErrUnreadable) || got != nil {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	// The sealed form costs a fixed number of bytes.
	if n := len(sealed.Body) - len(plain); n != 28 {
		t.Errorf("the body grew by %d bytes", n)
	}
}

func TestInitKeyset_NeverTouchesAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "k.json")
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		made int
	)
	for range 8 {
		wg.Go(func() {
			err := suspend.InitKeyset(file)
			mu.Lock()
			defer mu.Unlock()
			switch f := (*fault.Error)(nil); {
			case err == nil:
				made++
			case !errors.As(err, &f) || f.Code != "keyset_exists":
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made != 1 {
		t.Errorf("made %d keysets", made)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
	if _, err := suspend.LoadKeyset(config.Sealing{KeysetFile: file}); err != nil {
		t.Error(err)
	}
	if err := suspend.InitKeyset(filepath.Join(file, "no", "folder")); err == nil {
		t.Error("made a file in no folder")
	}
}

func TestLoadKeyset_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := filepath.Join(dir, "good.json")
	if err := suspend.InitKeyset(good); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(text)
	material := regexp.MustCompile(`"value":"[^"]*"`)
	replaced := func(re, by string) string { return regexp.MustCompile(re).ReplaceAllString(whole, by) }
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "not JSON"},
		{"half a file", whole[:len(whole)/2], "not JSON"},
		{"a plain key", strings.Repeat("k", 32), "not JSON"},
		{"another JSON", `{"a":1}`, "no Tink keyset"},
		{"no object", `[]`, "no Tink keyset"},
		{"no keys", `{"primaryKeyId":1,"key":[]}`, "no Tink keyset"},
		{"no primary", replaced(`"primaryKeyId":\d+,`, ""), "no primary key"},
		{"primary of another keyset", replaced(`"primaryKeyId":\d+`, `"primaryKeyId":1`), "no primary key"},
		{"primary disabled", replaced(`ENABLED`, "DISABLED"), "not enabled"},
		{"key too short", material.ReplaceAllString(whole, `"value":"GgEB"`), "wrong length"},
		{"key of no bytes", material.ReplaceAllString(whole, `"value":""`), "wrong length"},
		{"keys for signatures", macKeyset(t), "something else than sealing"},
	} {
		file := filepath.Join(dir, "k.json")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := suspend.LoadKeyset(config.Sealing{KeysetFile: file})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "sealing.keysetFile: "+file) {
			t.Errorf("%s: %v", c.name, err)
		} else if m := material.FindString(c.text); m != "" && strings.Contains(err.Error(), m[9:len(m)-1]) && len(m) > 15 {
			t.Errorf("%s: the error quotes a key: %v", c.name, err)
		}
		if c.text == "" {
			continue
		}
		if _, err := suspend.LoadKeyset(config.Sealing{Keyset: secret.New(c.text)}); err == nil || !strings.HasPrefix(err.Error(), "sealing.keyset: ") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := suspend.LoadKeyset(config.Sealing{Keyset: secret.New(whole)}); err != nil {
		t.Error(err)
	}
	if _, err := suspend.LoadKeyset(config.Sealing{}); err == nil || !strings.Contains(err.Error(), "keys init") {
		t.Error(err)
	}
	if _, err := suspend.LoadKeyset(config.Sealing{KeysetFile: filepath.Join(dir, "none")}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
	for mode, ok := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o440: true, 0o644: false, 0o660: false, 0o604: false} {
		if err := os.Chmod(good, mode); err != nil {
			t.Fatal(err)
		}
		_, err := suspend.LoadKeyset(config.Sealing{KeysetFile: good})
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
}

func macKeyset(t *testing.T) string {
	t.Helper()
	h, err := keyset.NewHandle(mac.HMACSHA256Tag256KeyTemplate())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := insecurecleartextkeyset.Write(h, keyset.NewJSONWriter(&b)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func FuzzSealer_Open(f *testing.F) {
	file := filepath.Join(f.TempDir(), "k.json")
	if err := suspend.InitKeyset(file); err != nil {
		f.Fatal(err)
	}
	s, err := suspend.LoadKeyset(config.Sealing{KeysetFile: file})
	if err != nil {
		f.Fatal(err)
	}
	sealed, err := s.Seal([]byte("x"), "p", "r")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed.Key, sealed.Body)
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, key, body []byte) {
		plain, err := s.Open(suspend.Sealed{Key: key, Body: body}, "p", "r")
		if err == nil && !(bytes.Equal(key, sealed.Key) && bytes.Equal(body, sealed.Body)) {
			t.Errorf("opened %q", plain)
		}
	})
}
