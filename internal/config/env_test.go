package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/secret"

	"github.com/google/go-cmp/cmp"
)

func TestEnvName(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"vision.maxImageEdge":                        "EDITOR_ACTIONS_VISION__MAX_IMAGE_EDGE",
		"images.maxPixelsJPEG":                       "EDITOR_ACTIONS_IMAGES__MAX_PIXELS_JPEG",
		"images.cacheMiB":                            "EDITOR_ACTIONS_IMAGES__CACHE_MIB",
		"typo3.lockIPv6":                             "EDITOR_ACTIONS_TYPO3__LOCK_IPV6",
		"server.typo3Origin":                         "EDITOR_ACTIONS_SERVER__TYPO3_ORIGIN",
		"typo3.defaultUserTSconfig":                  "EDITOR_ACTIONS_TYPO3__DEFAULT_USER_TSCONFIG",
		"providers.configurations.my-model2.baseURL": "EDITOR_ACTIONS_PROVIDERS__CONFIGURATIONS__MY_MODEL2__BASE_URL",
	} {
		if got := config.EnvName(key); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
}

// Every key has a variable of its own, and setting it reaches that key only.
func TestEnvironment_OverridesEveryKey(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, key := range keys(reflect.TypeFor[config.Settings](), "") {
		name := config.EnvName(key)
		if other, ok := seen[name]; ok {
			t.Errorf("%s and %s share %s", key, other, name)
		}
		seen[name] = key
		// A value that is wrong for numbers, switches, closed sets, lists of numbers
		// and most texts; a problem proves that it arrived.
		wrong := "{a: b}"
		_, _, err := config.Load("", environ(name, wrong))
		switch key {
		case "vision.excludedFolders", "vision.alternative.prompt", "vision.title.prompt", "vision.description.prompt", "typo3.cookieDomain",
			"typo3.userHomePath", "typo3.groupHomePath", "typo3.userUploadDir", "typo3.lockRootPath", "typo3.defaultUserTSconfig",
			"typo3.fileDenyPattern", "sealing.keyset", "server.trustedProxies", "typo3.redis.username", "typo3.redis.password", "typo3.cacheWebhook.secret",
			"notices.webhook.secret", "notices.mail.username", "notices.mail.password":
			wrong = "" // free texts and lists of them: below
		}
		if wrong != "" && (err == nil || !strings.Contains(err.Error(), "environment variable "+name+": "+key)) {
			t.Errorf("%s=%s: %v", name, wrong, err)
		}
	}
}

func TestEnvironment_Values(t *testing.T) {
	t.Parallel()
	const configuration = "EDITOR_ACTIONS_PROVIDERS__CONFIGURATIONS"
	for name, tc := range map[string]struct {
		env  []string
		want func(s *config.Settings)
	}{
		"number":     {[]string{"EDITOR_ACTIONS_VISION__MAX_IMAGE_EDGE", "2048"}, func(s *config.Settings) { s.Vision.MaxImageEdge = 2048 }},
		"switch":     {[]string{"EDITOR_ACTIONS_VISION__TITLE__ENABLED", "false"}, func(s *config.Settings) { s.Vision.Title.Enabled = false }},
		"text":       {[]string{"EDITOR_ACTIONS_VISION__TITLE__PROMPT", "Say ${THIS}: #1"}, func(s *config.Settings) { s.Vision.Title.Prompt = "Say ${THIS}: #1" }},
		"empty text": {[]string{"EDITOR_ACTIONS_TYPO3__FILE_DENY_PATTERN", ""}, func(s *config.Settings) { s.TYPO3.FileDenyPattern = "" }},
		"plain list": {[]string{"EDITOR_ACTIONS_FAL__ALLOWED_STORAGES", "2, 3"}, func(s *config.Settings) { s.FAL.AllowedStorages = []uint32{2, 3} }},
		"YAML list":  {[]string{"EDITOR_ACTIONS_FAL__ALLOWED_STORAGES", "[2, 3]"}, func(s *config.Settings) { s.FAL.AllowedStorages = []uint32{2, 3} }},
		"one":        {[]string{"EDITOR_ACTIONS_FAL__ALLOWED_STORAGES", "7"}, func(s *config.Settings) { s.FAL.AllowedStorages = []uint32{7} }},
		"empty list": {[]string{"EDITOR_ACTIONS_FAL__ALLOWED_STORAGES", ""}, func(s *config.Settings) { s.FAL.AllowedStorages = []uint32{} }},
		"folders":    {[]string{"EDITOR_ACTIONS_VISION__EXCLUDED_FOLDERS", "1:/private/, 2:/a b/"}, func(s *config.Settings) { s.Vision.ExcludedFolders = []string{"1:/private/", "2:/a b/"} }},
		"list of maps": {[]string{"EDITOR_ACTIONS_PROVIDERS__MODELS", "[{id: m, vendor: demo, capabilities: [vision]}]"}, func(s *config.Settings) {
			s.Providers.Models = []config.Model{{ID: "m", Vendor: "demo", Capabilities: []string{"vision"}}}
		}},
		"secret": {[]string{"EDITOR_ACTIONS_TYPO3__DSN", "mysql://u:p@h/db"}, func(s *config.Settings) { s.TYPO3.DSN = secret.New("mysql://u:p@h/db") }},
		"whole entries": {[]string{configuration, "{main: {vendor: demo, model: m}}", configuration + "__MAIN__DETAIL", "low"}, func(s *config.Settings) {
			c := config.DefaultConfiguration()
			c.Vendor, c.Model, c.Detail = "demo", "m", "low"
			s.Providers.Configurations = map[string]config.ProviderConfiguration{"main": c}
		}},
		"criteria": {[]string{configuration, "{main: {vendor: demo}}", configuration + "__MAIN__CRITERIA", "{capabilities: [vision]}", configuration + "__MAIN__GROUPS", "4"}, func(s *config.Settings) {
			c := config.DefaultConfiguration()
			c.Vendor, c.Criteria, c.Groups = "demo", &config.Criteria{Capabilities: []string{"vision"}}, []uint32{4}
			s.Providers.Configurations = map[string]config.ProviderConfiguration{"main": c}
		}},
		"unrelated": {[]string{"EDITOR_ACTIONS_TEST_MYSQL", "x"}, func(*config.Settings) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, err := config.Load("", environ(tc.env...))
			if err != nil {
				t.Fatal(err)
			}
			want := config.DefaultSettings()
			tc.want(&want)
			if diff := cmp.Diff(want, *got, revealed); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEnvironment_WinsOverTheFile(t *testing.T) {
	t.Parallel()
	s := mustLoad(t, "vision: {maxImageEdge: 512}\ntypo3: {dsn: '${NOT_SET}'}\n",
		"EDITOR_ACTIONS_VISION__MAX_IMAGE_EDGE", "256", "EDITOR_ACTIONS_TYPO3__DSN", "mysql://u@h/db")
	if s.Vision.MaxImageEdge != 256 || s.TYPO3.DSN.Reveal() != "mysql://u@h/db" {
		t.Errorf("edge %d", s.Vision.MaxImageEdge)
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	const yaml = "providers: {configurations: {main: {vendor: openai, model: m, apiKey: '${KEY}', system: 'a ${A}${B} $c {d}'}}}\n"
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("from-file\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("values", func(t *testing.T) {
		t.Parallel()
		c := mustLoad(t, yaml, "KEY", "k-1", "A", "x", "B", "").Providers.Configurations["main"]
		if c.APIKey.Reveal() != "k-1" || c.System != "a x $c {d}" {
			t.Errorf("key %q, system %q", c.APIKey.Reveal(), c.System)
		}
	})
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		c := mustLoad(t, yaml, "KEY_FILE", key, "A", "${KEY}", "B", "").Providers.Configurations["main"]
		if c.APIKey.Reveal() != "from-file" || c.System != "a ${KEY} $c {d}" { // a value is not searched again
			t.Errorf("key %q, system %q", c.APIKey.Reveal(), c.System)
		}
	})
	t.Run("own variable's file", func(t *testing.T) {
		t.Parallel()
		s := mustLoad(t, "", "EDITOR_ACTIONS_TYPO3__USER_HOME_PATH_FILE", key)
		if s.TYPO3.UserHomePath != "from-file" {
			t.Errorf("got %q", s.TYPO3.UserHomePath)
		}
	})
	t.Run("problems", func(t *testing.T) {
		t.Parallel()
		_, _, err := config.Load(file(t, yaml), environ("KEY", "CANARY", "KEY_FILE", key, "A_FILE", "/nonexistent"))
		wantProblems(t, err,
			"apiKey: KEY and KEY_FILE are both set: keep one",
			"system: cannot read the file that A_FILE names: open /nonexistent",
			"system: uses ${B}, but neither B nor B_FILE is set")
	})
	t.Run("two lines in a key", func(t *testing.T) {
		t.Parallel()
		_, _, err := config.Load(file(t, yaml), environ("KEY", "CANARY\nx", "A", "", "B", ""))
		wantProblems(t, err, "apiKey: must be one line without blanks")
	})
	t.Run("not needed where nobody uses it", func(t *testing.T) {
		t.Parallel()
		s := mustLoad(t, "providers: {configurations: {main: {active: false, vendor: openai, model: m, apiKey: '${KEY}'}}}\n")
		if !s.Providers.Configurations["main"].APIKey.Empty() {
			t.Error("a key came from nowhere")
		}
	})
}

func TestOverlay_FillsWhatTheSiteLeftOut(t *testing.T) {
	t.Parallel()
	l := config.Loader{
		File: file(t, "typo3: {settingsFile: /site/settings.php, lockIP: 2}\n"),
		Env:  environ("EDITOR_ACTIONS_TYPO3__COOKIE_NAME", "own"),
		Overlay: func(s *config.TYPO3, set func(string) bool) error {
			for key, target := range map[string]*int{"typo3.lockIP": &s.LockIP, "typo3.lockIPv6": &s.LockIPv6} {
				if !set(key) {
					*target = 4
				}
			}
			if !set("typo3.cookieName") {
				s.CookieName = "be"
			}
			return nil
		},
	}
	s, _, err := l.Load()
	if err != nil {
		t.Fatal(err)
	}
	if s.TYPO3.LockIP != 2 || s.TYPO3.LockIPv6 != 4 || s.TYPO3.CookieName != "own" {
		t.Errorf("%+v", s.TYPO3)
	}
	l.Overlay = func(*config.TYPO3, func(string) bool) error { return errors.New("is not there") }
	_, _, err = l.Load()
	wantProblems(t, err, "site.yaml:1: typo3.settingsFile: is not there")
	l.Overlay = func(s *config.TYPO3, _ func(string) bool) error { s.LockIPv6 = 99; return nil }
	_, _, err = l.Load()
	wantProblems(t, err, "typo3.lockIPv6: 99: must be 0 to 8")
}
