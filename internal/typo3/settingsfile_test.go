package typo3_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/secret"
	"editor-actions/internal/typo3"
)

const settingsPHP = `<?php
return [
    'BE' => [
        'adminOnly' => '0', // a number as text
        'cookieDomain' => '',
        'cookieName' => "be_\x73ite",
        'debug' => false,
        'defaultUserTSconfig' => 'options.x = it\'s
second line',
        'fileDenyPattern' => '\\.(php[3-8]?)$|^\\.htaccess$',
        'groupHomePath' => '1:group_homes/',
        'installToolPassword' => '$argon2i$v=19$x',
        'lockIP' => 2,
        'lockIPv6' => 0x4,
        'lockRootPath' => ['/srv/a/', '/srv/b/',],
        'requireMfa' => true,
        'sessionTimeout' => 3_600,
    ],
    'DB' => array(
        'Connections' => array(
            'Default' => array(
                'charset' => 'utf8mb4',
                'dbname' => 'site',
                'driver' => 'mysqli',
                'host' => 'db.example.org',
                'password' => 'p@ss:/?#%',
                'port' => 3307,
                'tableoptions' => ['charset' => 'utf8mb4'],
                'user' => 'typo3',
            ),
        ),
    ),
    # EXTENSIONS
    'EXTENSIONS' => ['x' => [null, -1, 1.5e3, "a\tb \$c \u{e4} \101 $ 5"]],
    /* SYS */
    'SYS' => ['cookieDomain' => '.example.org', 'encryptionKey' => 'abc'],
];
`

func readSettings(t *testing.T, text string) (*typo3.SettingsFile, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.php")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return typo3.ReadSettingsFile(path)
}

func overlaid(t *testing.T, text string, into config.TYPO3, set ...string) (config.TYPO3, error) {
	t.Helper()
	f, err := readSettings(t, text)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Overlay(&into, func(key string) bool {
		for _, s := range set {
			if s == key {
				return true
			}
		}
		return false
	})
	return into, err
}

func TestSettingsFile(t *testing.T) {
	got, err := overlaid(t, settingsPHP, config.TYPO3{UserHomePath: "1:kept/", AdminOnly: 1})
	want := config.TYPO3{
		DSN:           secret.New("mysql://typo3:p%40ss%3A%2F%3F%23%25@db.example.org:3307/site"),
		EncryptionKey: secret.New("abc"), CookieName: "be_site", CookieDomain: ".example.org", SessionTimeout: 3600,
		LockIP: 2, LockIPv6: 4, UserHomePath: "1:kept/", GroupHomePath: "1:group_homes/",
		FileDenyPattern: `\.(php[3-8]?)$|^\.htaccess$`, LockRootPath: []string{"/srv/a/", "/srv/b/"}, RequireMFA: 1,
		DefaultUserTSconfig: "options.x = it's\nsecond line", CookieSameSite: "strict",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v, dsn %s, %v\nwant %v", got, got.DSN.Reveal(), err, want)
	}
}

func TestSettingsFileKeepsWhatIsSet(t *testing.T) {
	in := config.TYPO3{EncryptionKey: secret.New("own"), CookieName: "own", LockIP: 4, LockRootPath: []string{"/own/"}, DSN: secret.New("sqlite:///own")}
	got, err := overlaid(t, settingsPHP, in, "typo3.encryptionKey", "typo3.cookieName", "typo3.lockIP", "typo3.lockRootPath", "typo3.dsn")
	if err != nil || got.EncryptionKey != in.EncryptionKey || got.CookieName != "own" || got.LockIP != 4 || got.LockRootPath[0] != "/own/" || got.DSN != in.DSN {
		t.Errorf("got %v, %v", got, err)
	}
	if got.SessionTimeout != 3600 {
		t.Error("what is not set must come from the file")
	}
}

func TestSettingsFileSessions(t *testing.T) {
	const redis = `TYPO3\\CMS\\Core\\Session\\Backend\\RedisSessionBackend`
	start := config.TYPO3{SessionBackend: config.SessionsInDatabase, Redis: config.Redis{Address: "kept:1"}, CookieSameSite: "strict"}
	for php, want := range map[string]func(c *config.TYPO3){
		`'BE'=>['IPmaskList'=>'10.*','lockSSL'=>true,'cookieSameSite'=>'Lax']`: func(c *config.TYPO3) {
			c.IPMaskList, c.LockSSL, c.CookieSameSite = "10.*", true, "lax"
		},
		`'BE'=>['lockSSL'=>0,'cookieSameSite'=>'']`: func(*config.TYPO3) {},
		`'SYS'=>['session'=>['BE'=>['backend'=>'TYPO3\\CMS\\Core\\Session\\Backend\\DatabaseSessionBackend','options'=>['table'=>'be_sessions']]]]`: func(*config.TYPO3) {},
		`'SYS'=>['session'=>['BE'=>['backend'=>'` + redis + `']]]`: func(c *config.TYPO3) {
			c.SessionBackend, c.Redis = config.SessionsInRedis, config.Redis{Address: "127.0.0.1:6379"}
		},
		`'SYS'=>['session'=>['BE'=>['backend'=>'\\` + redis + `','options'=>['hostname'=>'cache','port'=>6380,'database'=>3,'password'=>'p','username'=>'u']]]]`: func(c *config.TYPO3) {
			c.SessionBackend, c.Redis = config.SessionsInRedis, config.Redis{Address: "cache:6380", Database: 3, Username: "u", Password: secret.New("p")}
		},
		`'SYS'=>['session'=>['BE'=>['backend'=>'` + redis + `','options'=>['hostname'=>'/run/redis.sock','port'=>0]]]]`: func(c *config.TYPO3) {
			c.SessionBackend, c.Redis = config.SessionsInRedis, config.Redis{Address: "/run/redis.sock"}
		},
	} {
		expected := start
		want(&expected)
		if got, err := overlaid(t, "<?php return ["+php+"];", start); err != nil || !reflect.DeepEqual(got, expected) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", php, got, err, expected)
		}
	}
	_, err := overlaid(t, `<?php return ['SYS'=>['session'=>['BE'=>['backend'=>'Vendor\\Own']]]];`, start)
	if err == nil || !strings.Contains(err.Error(), "SYS/session/BE/backend: is not one this program can read") {
		t.Error(err)
	}
	own := start
	own.SessionBackend, own.Redis = config.SessionsInRedis, config.Redis{Address: "own:1"}
	if got, err := overlaid(t, `<?php return ['SYS'=>['session'=>['BE'=>['backend'=>'Vendor\\Own']]]];`, own, "typo3.sessionBackend"); err != nil || !reflect.DeepEqual(got, own) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSettingsFileConnection(t *testing.T) {
	for php, want := range map[string]string{
		`'driver'=>'pdo_mysql','dbname'=>'a','user'=>'u','password'=>''`:                                        "mysql://u:@localhost/a",
		`'driver'=>'mysqli','dbname'=>'a','user'=>'u','password'=>'p','host'=>'::1'`:                            "mysql://u:p@[::1]/a",
		`'driver'=>'mysqli','dbname'=>'a','user'=>'u','password'=>'p','host'=>'::1','port'=>'3306'`:             "mysql://u:p@[::1]:3306/a",
		`'driver'=>'mysqli','dbname'=>'a','user'=>'u','password'=>'p','host'=>'x','unix_socket'=>'/run/m.sock'`: "mysql://u:p@/a?socket=%2Frun%2Fm.sock",
		`'driver'=>'pdo_sqlite','path'=>'/srv/my site.sqlite'`:                                                  "sqlite:///srv/my%20site.sqlite",
		`'driver'=>'mysqli','user'=>'u'`:                                                                        "! DB/Connections/Default/dbname",
		`'driver'=>'pdo_pgsql','dbname'=>'a'`:                                                                   "! DB/Connections/Default/driver",
		`'driver'=>'pdo_sqlite','path'=>'x.db'`:                                                                 "! DB/Connections/Default/path",
		`'driver'=>'mysqli','dbname'=>['a'=>true]`:                                                              "! DB/Connections/Default/dbname",
	} {
		got, err := overlaid(t, "<?php return ['DB'=>['Connections'=>['Default'=>["+php+"]]]];", config.TYPO3{})
		if problem, bad := strings.CutPrefix(want, "! "); bad {
			if err == nil || !strings.Contains(err.Error(), problem) || !got.DSN.Empty() {
				t.Errorf("%s: got %s, %v", php, got.DSN.Reveal(), err)
			}
		} else if err != nil || got.DSN.Reveal() != want {
			t.Errorf("%s: got %s, %v; want %s", php, got.DSN.Reveal(), err, want)
		}
	}
}

func TestSettingsFileWrongKinds(t *testing.T) {
	_, err := overlaid(t, `<?php return ['BE'=>['lockIP'=>'two','cookieName'=>['x'],'lockRootPath'=>[1]],'SYS'=>['encryptionKey'=>12]];`, config.TYPO3{})
	for _, want := range []string{"BE/lockIP", "BE/cookieName", "BE/lockRootPath", "SYS/encryptionKey"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not named: %v", want, err)
		}
	}
	if got, err := overlaid(t, `<?php return ['BE'=>['cookieName'=>'','lockRootPath'=>'']];`, config.TYPO3{CookieName: "kept"}); err != nil || got.CookieName != "kept" {
		t.Errorf("an empty cookie name means the default: %v, %v", got, err)
	}
}

func TestSettingsFileRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "line 1: must begin with <?php",
		"\n<?php return [];":        "line 1: must begin with <?php",
		"<?php\n$x = 1; return [];": "line 2: must return one array",
		"<?php\nreturn 5;":          "line 2: must return an array",
		"<?php\nreturn [\n'a' => 'b' . 'topsecret'];":    "line 3: strings joined with a dot",
		"<?php\nreturn [\n'a' => getenv('topsecret')];":  "line 3: only literal values",
		"<?php\nreturn [\n'a' => $topsecret];":           "line 3: only literal values",
		"<?php\nreturn [\n\n'a' => \"x{$topsecret}\"];":  "line 4: a string with a variable",
		"<?php\nreturn [\n'a' => \"x $topsecret\"];":     "line 3: a string with a variable",
		"<?php\nreturn [\n'a' => 1 + 2];":                "line 3: only literal values",
		"<?php\nreturn [\n'a' => PHP_INT_MAX];":          "line 3: only literal values",
		"<?php\nreturn [\n'a' => \\Foo::BAR];":           "line 3: only literal values",
		"<?php\nreturn [\n'a' => true ? 1 : 2];":         "line 3: only literal values",
		"<?php\nreturn [...$topsecret];":                 "line 2:",
		"<?php\nreturn ['a' => <<<X\nx\nX];":             "line 2: only literal values",
		"<?php\nreturn ['a'\n":                           "line 3: \"]\" is missing",
		"<?php\nreturn ['a' => 'topsecret":               "line 2: a string has no end",
		"<?php\nreturn [/* 'a' => 1];":                   "line 2: a comment has no end",
		"<?php\nreturn ['a' => 08];":                     "line 2: a number",
		"<?php\nreturn [];\nunlink('topsecret');":        "line 3: has something after",
		"<?php\nreturn [] ?> <b>":                        "line 2:",
		"<?php\nreturn [true => 1];":                     "line 2: an array key",
		"<?php\nreturn [\"\\u{110000}\"];":               "line 2: a string holds",
		"<?php\nreturn " + strings.Repeat("[", 60) + ";": "line 2: arrays are nested",
		"<?php return ['\xff'];":                         "is not UTF-8",
		"<?php return [];" + strings.Repeat(" ", 1<<20):  "is larger than",
	} {
		_, err := readSettings(t, text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%.60q: got %v, want %s", text, err, want)
		}
	}
	if _, err := typo3.ReadSettingsFile(filepath.Join(t.TempDir(), "none.php")); err == nil {
		t.Error("a file that is not there must be an error")
	}
}

func TestSettingsFileAccepted(t *testing.T) {
	for _, text := range []string{
		"<?php\ndeclare(strict_types=1);\nreturn [];",
		"<?php return ARRAY(); ?>\n",
		"\ufeff<?php return ['a' => NULL, 'b' => True, 5 => 'x', 'y'];",
		"<?php // a\nreturn /* b */ [ # c\n ];",
		`<?php return ["a\\{b}" => '$x {$y}', 'c' => .5, 'd' => "\q"];`,
	} {
		if _, err := readSettings(t, text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSettingsFileIsNotPrinted(t *testing.T) {
	f, err := readSettings(t, `<?php return ['SYS' => ['encryptionKey' => 'topsecret']];`)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", f, f, f, f); strings.Contains(text, "topsecret") {
		t.Error("the key was printed")
	}
}
