package typo3_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"editor-actions/internal/config"
	"editor-actions/internal/secret"
	"editor-actions/internal/typo3"
)

func TestPHPScalars(t *testing.T) {
	got, err := typo3.PHPScalars([]byte(`a:10:{s:1:"a";b:1;s:1:"b";i:-5;s:1:"c";d:0.5;s:1:"d";N;s:1:"e";s:4:"x";y";i:7;s:2:"ä";` +
		`s:1:"f";a:1:{s:3:"mfa";b:1;}s:1:"g";O:8:"stdClass":1:{s:1:"x";r:1;}s:1:"h";E:5:"Foo:A";s:1:"i";d:INF;}`))
	want := map[string]any{"a": true, "b": int64(-5), "c": 0.5, "d": nil, "e": `x";y`, "7": "ä", "i": math.Inf(1)}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := typo3.PHPScalars([]byte(`a:2:{s:3:"mfa";b:1;s:3:"mfa";b:0;}`)); err != nil || got["mfa"] != false {
		t.Errorf("the last one wins: %v, %v", got, err)
	}
	for _, bad := range []string{
		"", "N;", "b:1;", "a:0:{}x", "a:0:{", "a:1:{}", "a:0:{i:0;N;}", "a:-1:{}", "a:99999999999:{}", "a:+0:{}", `a:1:{s:5:"mfa";b:1;}`,
		`a:1:{s:3:"mfa";b:2;}`, `a:1:{s:3:"mfa";b:1}`, `a:1:{s:2:"mfa";b:1;}`, `a:1:{b:1;b:1;}`, `a:1:{N;N;}`, `a:1:{i:0;C:1:"X":0:{}}`,
		`a:1:{i:0;d:;}`, `a:1:{i:0;d:0x1p3;}`, `a:1:{i:0;i:99999999999999999999;}`, strings.Repeat("a:1:{i:0;", 100) + "N;" + strings.Repeat("}", 100),
		"a:0:{}" + strings.Repeat(" ", 1<<20),
	} {
		if got, err := typo3.PHPScalars([]byte(bad)); err == nil {
			t.Errorf("%.60q: got %v", bad, got)
		}
	}
}

func FuzzPHPScalars(f *testing.F) {
	for _, s := range []string{"a:0:{}", `a:2:{s:26:"formProtectionSessionToken";s:2:"ab";s:3:"mfa";b:1;}`, `a:1:{i:0;a:1:{i:0;O:1:"X":0:{}}}`, "a:1:{s:9223372036854775807:\"", `a:1:{i:0;d:1e5;}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := typo3.PHPScalars(data)
		if (got == nil) == (err == nil) {
			t.Fatalf("got %v, %v", got, err)
		}
		for k, v := range got {
			switch v.(type) {
			case nil, bool, int64, float64, string:
			default:
				t.Fatalf("%q is a %T", k, v)
			}
		}
	})
}

func FuzzSettingsFile(f *testing.F) {
	f.Add(settingsPHP)
	for _, s := range []string{"<?php return [];", "<?php return ['a' => \"\\u{", "<?php return [1 => -", "<?php return [\"\\", "<?php return array(0x,1e,'\\'", "<?php /*", "<?php return [// ?>"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		_ = typo3.ParsePHPReturn(text) // must come back
	})
}

// FuzzCookie holds that only what was signed with the key is a session.
func FuzzCookie(f *testing.F) {
	good := sign(f, jwt.SigningMethodHS256, signKey("13.4"), claimsFor(testHost, "/"))
	f.Add(good, testHost)
	f.Add(sign(f, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, claimsFor(testHost, "/")), testHost)
	f.Add(testIdent, "")
	f.Add("..", "[::1]:80")
	settings := config.TYPO3{Version: "13.4", EncryptionKey: secret.New(testKey), SitePath: "/"}
	f.Fuzz(func(t *testing.T, cookie, host string) {
		id, err := typo3.SessionIdentifier(&settings, cookie, host, testNow)
		if err == nil && (cookie != good || id != testIdent) {
			t.Fatalf("%q is taken for %q", cookie, id)
		}
	})
}
