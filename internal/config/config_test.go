package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	shipped "editor-actions/config"
	"editor-actions/internal/config"
	"editor-actions/internal/secret"

	"github.com/google/go-cmp/cmp"
)

var revealed = cmp.Transformer("reveal", func(s secret.String) string { return s.Reveal() })

// file writes a settings file of a site.
func file(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "site.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func environ(pairs ...string) func(string) (string, bool) {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

func mustLoad(t *testing.T, text string, env ...string) *config.Settings {
	t.Helper()
	s, _, err := config.Load(file(t, text), environ(env...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDefaults_EqualTheShippedFile(t *testing.T) {
	t.Parallel()
	s, _, err := config.Load("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.DefaultSettings(), *s, revealed); diff != "" {
		t.Errorf("config/ext.yaml differs from DefaultSettings (-code +file):\n%s", diff)
	}
}

// keys lists every key of the settings; entries of maps and lists are not keys.
func keys(t reflect.Type, prefix string) []string {
	var out []string
	for f := range t.Fields() {
		key := prefix + f.Tag.Get("yaml")
		if f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[secret.String]() {
			out = append(out, keys(f.Type, key+".")...)
			continue
		}
		out = append(out, key)
	}
	return out
}

func TestShippedFile_NamesAndExplainsEveryKey(t *testing.T) {
	t.Parallel()
	lines := strings.Split(string(shipped.YAML), "\n")
	entry := keys(reflect.TypeFor[config.ProviderConfiguration](), "")
	for _, key := range append(keys(reflect.TypeFor[config.Settings](), ""), entry...) {
		name := key[strings.LastIndex(key, ".")+1:] + ":"
		if !slices.ContainsFunc(lines, func(l string) bool {
			return strings.HasPrefix(strings.TrimLeft(l, "# "), name) || strings.Contains(l, " "+name)
		}) {
			t.Errorf("%s does not stand in config/ext.yaml", key)
		}
	}
}

// The page has a part for each section, which names its keys without the section.
func TestConfigurationPage_ExplainsEveryKey(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, part := range strings.Split(string(page), "\n## ")[1:] {
		title, text, _ := strings.Cut(part, "\n")
		parts[title] = text
	}
	for _, key := range keys(reflect.TypeFor[config.Settings](), "") {
		section, rest, _ := strings.Cut(key, ".")
		if !strings.Contains(parts[section], "`"+rest+"`") {
			t.Errorf("docs/configuration.md does not explain %s under %s", rest, section)
		}
	}
	for _, key := range keys(reflect.TypeFor[config.ProviderConfiguration](), "") {
		if key == "criteria" {
			key = "criteria.capabilities"
		}
		if !strings.Contains(parts["providers"], "`"+key+"`") {
			t.Errorf("docs/configuration.md does not explain %s of a model configuration", key)
		}
	}
	for _, variable := range regexp.MustCompile("\\| `([a-z][A-Za-z0-9.]+)` \\| `(EDITOR_ACTIONS_[A-Z0-9_]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		if want := config.EnvName(variable[1]); variable[2] != want {
			t.Errorf("the variable of %s is %s, not %s", variable[1], want, variable[2])
		}
	}
}

func TestLoad_SiteFileHoldsOnlyWhatItChanges(t *testing.T) {
	t.Parallel()
	want := config.DefaultSettings()
	want.Vision.MaxImageEdge = 512
	want.Vision.Title.MaxLength = 60
	want.FAL.AllowedStorages = []uint32{2, 3}
	want.TYPO3.Version = "14.3"
	got := mustLoad(t, "vision: {maxImageEdge: 512, title: {maxLength: 60}}\nfal:\n  allowedStorages: [2, 3]\ntypo3: {version: 14.3}\n")
	if diff := cmp.Diff(want, *got, revealed); diff != "" {
		t.Error(diff)
	}
}

func TestLoad_ReminderFitsTheExpiry(t *testing.T) {
	t.Parallel()
	for review, want := range map[string]int{
		"{}":                   7,
		"{expireAfterDays: 8}": 7,
		"{expireAfterDays: 7}": 6,
		"{expireAfterDays: 1}": 0,
		"{expireAfterDays: 0}": 7,
		"{expireAfterDays: 3, remindAfterDays: 0}":  0,
		"{expireAfterDays: 3, remindAfterDays: 2}":  2,
		"{expireAfterDays: 0, remindAfterDays: 99}": 99,
	} {
		if got := mustLoad(t, "review: "+review+"\n").Review.RemindAfterDays; got != want {
			t.Errorf("%s reminds after %d days, want %d", review, got, want)
		}
	}
}

func TestLoad_NothingToSay(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "comments": "# nothing\n# yet\n", "marker": "---\n", "null": "~\n", "blank lines": "\n\n\n", "byte order mark": "\ufeff",
		"blocks whose keys are comments": "vision:\n  # maxImageEdge: 3\nproviders:\nagent:\nserver: ~\nreview: {}\n",
		"empty lists":                    "providers: {configurations: , models: }\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := mustLoad(t, text)
			if got.Providers.Models == nil {
				got.Providers.Models = []config.Model{}
			}
			if diff := cmp.Diff(config.DefaultSettings(), *got, revealed); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLoad_Problems(t *testing.T) {
	t.Parallel()
	const main = "providers: {configurations: {main: {vendor: demo, model: m"
	for name, tc := range map[string]struct {
		yaml string
		want []string // each is one problem, in this order
	}{
		"unknown at the top":      {"nonsense: 1\n", []string{"site.yaml:1: nonsense: is not a known key. Allowed here: access, agent, api, assistant, fal, "}},
		"unknown below":           {"vision:\n  maxImageEdgee: 3\n", []string{"site.yaml:2: vision.maxImageEdgee: is not a known key. Allowed here: alternative, "}},
		"unknown two below":       {"vision:\n  title:\n    max: 3\n", []string{"site.yaml:3: vision.title.max: is not a known key. Allowed here: enabled, maxLength, prompt"}},
		"unknown in a map entry":  {main + ", key: x}}}\n", []string{"providers.configurations.main.key: is not a known key"}},
		"unknown in a list entry": {"guardrails:\n  patterns:\n    - {name: a, pattern: b, verdict: deny, when: never}\n", []string{"site.yaml:3: guardrails.patterns[0].when: is not a known key"}},
		"word for a number":       {"vision:\n  maxImageEdge: \"abc\"\n", []string{`site.yaml:2: vision.maxImageEdge: "abc": must be a whole number`}},
		"fraction":                {"vision: {maxImageEdge: 1024.5}\n", []string{`"1024.5": must be a whole number`}},
		"too big for a number":    {"vision: {maxImageEdge: 99999999999999999999}\n", []string{"must be a whole number"}},
		"no number":               {"vision: {maxImageEdge: }\n", []string{"vision.maxImageEdge: has no value"}},
		"word for a switch":       {"vision: {title: {enabled: sometimes}}\n", []string{`"sometimes": must be true or false`}},
		"list for a number":       {"vision: {maxImageEdge: [1, 2]}\n", []string{"must be a single value"}},
		"value for a block":       {"vision: 3\n", []string{"vision: must be a mapping"}},
		"value for a list":        {"fal: {allowedStorages: 1}\n", []string{"fal.allowedStorages: must be a list"}},
		"negative uid":            {"fal: {allowedStorages: [1, -2]}\n", []string{"fal.allowedStorages[1]: \"-2\": must be a whole number from 0"}},
		"list for the file":       {"- a\n- b\n", []string{"must be a mapping of keys"}},
		"text for the file":       {"hello\n", []string{"must be a mapping of keys"}},
		"twice":                   {"vision: {maxImageEdge: 512}\nagent: {workers: 3, workers: 4}\nvision: {}\n", []string{"site.yaml:2: agent.workers: stands here twice", "site.yaml:3: vision: stands here twice"}},
		"two documents":           {"vision: {}\n---\nagent: {}\n", []string{"more than one YAML document"}},
		"syntax":                  {"vision:\n  maxImageEdge: [\n", []string{"is not valid YAML"}},
		"tabs":                    {"vision:\n\tmaxImageEdge: 3\n", []string{"is not valid YAML"}},
		"alias":                   {"vision: &a {maxImageEdge: 300}\nagent: *a\n", []string{"vision: must be a mapping", "agent: must be a mapping"}},
		"range and unknown":       {"vision: {maxImageEdge: 9}\nx: 1\nagent: {maxTurns: no}\n", []string{`vision.maxImageEdge: 9: must be 64 to 4096`, "x: is not a known key", "agent.maxTurns"}},
		"edge too big":            {"vision: {maxImageEdge: 4097}\n", []string{"must be 64 to 4096"}},
		"folder without storage":  {"vision: {excludedFolders: [/private/, \"1:private\", \"1:/a/../b/\", \"1:/a//b\", \"1:/ok/\", \"2:/\"]}\n", []string{"excludedFolders[0]", "excludedFolders[1]", "excludedFolders[2]", "excludedFolders[3]"}},
		"storage 0":               {"fal: {allowedStorages: [0]}\n", []string{"built-in storage 0"}},
		"no such default":         {"providers: {default: main}\n", []string{`providers.default: "main": there is no such entry`}},
		"falls back on itself":    {main + ", fallbacks: [main]}}}\n", []string{"fallbacks[0]: \"main\": names the configuration itself"}},
		"falls back on nothing":   {main + ", fallbacks: [other]}}}\n", []string{"fallbacks[0]: \"other\": there is no such entry"}},
		"falls back twice":        {main + ", fallbacks: [b, b]}, b: {vendor: demo, model: m}}}\n", []string{"fallbacks[1]: \"b\": stands in the list twice"}},
		"name of an entry":        {"providers: {configurations: {\"a b\": {vendor: demo, model: m}}}\n", []string{"must be a name of letters"}},
		"model and criteria":      {main + ", criteria: {capabilities: [vision]}}}}\n", []string{"exactly one of the two"}},
		"neither":                 {"providers: {configurations: {main: {vendor: demo}}}\n", []string{"exactly one of the two"}},
		"no key":                  {"providers: {configurations: {main: {vendor: openai, model: m}}}\n", []string{"apiKey: must be set for vendor openai"}},
		"vendor":                  {"providers: {configurations: {main: {vendor: acme, model: m}}}\n", []string{`"acme": must be one of openai, `}},
		"compatible without":      {"providers: {configurations: {main: {vendor: compatible, model: m}}}\n", []string{"baseURL: must name the address"}},
		"password in an address":  {"providers: {configurations: {main: {vendor: compatible, model: m, baseURL: 'http://u:CANARY@h/'}}}\n", []string{"must not hold a user name"}},
		"pattern":                 {"guardrails: {patterns: [{name: a, pattern: '(', verdict: deny}, {name: a, pattern: 'x*', verdict: allow}]}\n", []string{"patterns[0].pattern: is no valid RE2", "patterns[1].name: \"a\": another pattern", "patterns[1].verdict", "patterns[1].pattern: matches the empty text"}},
		"private address":         {"providers: {configurations: {main: {vendor: compatible, baseURL: 'http://127.0.0.1:8000/v1', model: m}}}\n", []string{"baseURL: is an address of this machine or a private network: set privateNetwork: true"}},
		"private network":         {"providers: {configurations: {main: {vendor: compatible, baseURL: 'https://10.1.2.3/v1', model: m}}}\n", []string{"set privateNetwork: true"}},
		"ollama here":             {"providers: {configurations: {main: {vendor: ollama, model: m}}}\n", []string{"privateNetwork: must be true for vendor ollama without a baseURL"}},
		"limits of a model":       {"providers: {configurations: {main: {vendor: demo, model: m, limits: {pictureBytes: -1, pictureEdge: 100001, pictures: 1001, requestBytes: 2000000000}}}}\n", []string{"limits.pictureBytes: -1: must be 0 to 1073741824", "limits.pictureEdge: 100001: must be 0 to 100000", "limits.pictures: 1001: must be 0 to 1000", "limits.requestBytes: 2000000000: must be 0 to"}},
		"network of a model":      {"providers: {configurations: {main: {vendor: demo, model: m, proxy: 'proxy:8080', caFile: ca.pem, zone: mars, maxConcurrent: 0}}}\n", []string{"proxy: must be an address", "caFile: \"ca.pem\": must be an absolute path", "zone: \"mars\": must be one of local, private, eu, global", "maxConcurrent: 0: must be 1 to 1000"}},
		"allowed hosts":           {"providers: {allowedHosts: [api.mistral.ai], configurations: {main: {vendor: openai, apiKey: CANARY, model: m}}}\n", []string{"baseURL: api.openai.com is not among providers.allowedHosts"}},
		"form of a host":          {"providers: {allowedHosts: ['https://api.mistral.ai', '*.example.org']}\n", []string{"allowedHosts[0]", "allowedHosts[1]"}},
		"prices":                  {"providers: {currency: Euro, models: [{id: m, vendor: openai, inputPrice: -1, outputPrice: 1e9}]}\n", []string{"providers.currency: \"Euro\"", "inputPrice: -1: must be from 0", "outputPrice", "pricedOn: must say on which day"}},
		"day of a price":          {"providers: {models: [{id: m, vendor: openai, inputPrice: 1, outputPrice: 1, pricedOn: yesterday}]}\n", []string{"pricedOn: \"yesterday\": must be a day like 2026-12-03"}},
		"number of a price":       {"providers: {models: [{id: m, vendor: openai, inputPrice: cheap, outputPrice: .nan}]}\n", []string{"inputPrice: \"cheap\": must be a number", "outputPrice: \".nan\": must be a number"}},
		"budgets":                 {"providers: {budget: {requestsPerDay: -1, costPerDay: -0.5}, configurations: {main: {vendor: demo, model: m, budget: {tokensPerDay: -3}}}}\n", []string{"main.budget.tokensPerDay: -3", "providers.budget.requestsPerDay: -1", "costPerDay: -0.5"}},
		"budget without a price":  {"providers: {budget: {costPerDay: 5}, configurations: {main: {vendor: mistral, apiKey: CANARY, model: m}}}\n", []string{"providers.configurations.main.model: \"m\": there is a budget in USD, and providers.models has no price"}},
		"preference":              {"providers: {configurations: {main: {vendor: demo, criteria: {capabilities: [vision], prefer: beauty}}}}\n", []string{"criteria.prefer: \"beauty\": must be one of order, cost, priority"}},
		"key length":              {"typo3: {encryptionKey: CANARY}\n", []string{"typo3.encryptionKey: has 6 characters: must be SYS/encryptionKey"}},
		"demo on MariaDB":         {"typo3: {dsn: 'mysql://u:CANARY@h/db'}\nserver: {signIn: demo}\n", []string{"server.signIn: demo signs people in by a form and works on SQLite only"}},
		"dsn":                     {"typo3: {dsn: 'CANARY'}\n", []string{"typo3.dsn: must begin with mysql://"}},
		"relative paths":          {"typo3: {rootPath: site, publicPath: ./public}\nsealing: {keysetFile: k}\n", []string{"rootPath: \"site\": must be an absolute path", "publicPath", "sealing.keysetFile"}},
		"two keysets":             {"sealing: {keysetFile: /k, keyset: CANARY}\n", []string{"sealing.keyset: is set together with"}},
		"reminder after the end":  {"review: {expireAfterDays: 30, remindAfterDays: 30}\n", []string{"site.yaml:1: review.remindAfterDays: 30: must be less than review.expireAfterDays (30), or 0 for never"}},
		"reminder of a past day":  {"review: {expireAfterDays: 0, remindAfterDays: -1}\n", []string{"review.remindAfterDays: -1: must be 0 to 3650"}},
		"notice webhook":          {"notices: {webhook: {url: 'ftp://h/x', secret: CANARY, timeoutSeconds: 61}}\n", []string{"webhook.timeoutSeconds: 61", "notices.webhook.url: must be an address that begins with http", "notices.webhook.secret: has 6 characters: must be 16 or more"}},
		"notice without a link":   {"notices: {webhook: {url: 'https://h/x', secret: 0123456789abcdef}}\n", []string{"notices.webhook.url: needs server.publicOrigin"}},
		"mail without a sender":   {"server: {publicOrigin: 'https://h'}\nnotices: {mail: {host: mail.example.org}}\n", []string{"notices.mail.from: \"\": must be an e-mail address"}},
		"mail without a link":     {"notices: {mail: {host: mail.example.org, from: a@example.org}}\n", []string{"notices.mail.host: needs server.publicOrigin"}},
		"mail":                    {"notices: {mail: {port: 0, tls: maybe, caFile: ca.pem, everyHours: 0, at: noon}}\n", []string{"mail.port: 0", "everyHours: 0: must be 1 to 168", "tls: \"maybe\": must be one of starttls, tls, none", "caFile: \"ca.pem\": must be an absolute path", "at: \"noon\": must be a time of day"}},
		"host of a mail server":   {"server: {publicOrigin: 'https://h'}\nnotices: {mail: {host: 'smtp://mail', from: a@example.org}}\n", []string{"notices.mail.host: \"smtp://mail\": must be a host name"}},
		"two lines in a sender":   {"server: {publicOrigin: 'https://h'}\nnotices: {mail: {host: mail, from: \"a@example.org\\r\\nBcc: b@example.org\"}}\n", []string{"notices.mail.from: "}},
		"half a sign-in for mail": {"server: {publicOrigin: 'https://h'}\nnotices: {mail: {host: mail, from: a@example.org, password: CANARY}}\n", []string{"notices.mail.password: is needed together with"}},
		"password in the clear":   {"server: {publicOrigin: 'https://h'}\nnotices: {mail: {host: mail, from: a@example.org, tls: none, username: u, password: CANARY}}\n", []string{"notices.mail.tls: none would send the password unencrypted"}},
		"redis":                   {"typo3: {sessionBackend: files, redis: {address: 'here', database: -1}}\n", []string{"sessionBackend", "redis.address: \"here\": must be host:port", "redis.database"}},
		"address masks":           {"typo3: {ipMaskList: 'example.org'}\n", []string{"ipMaskList: \"example.org\": must be addresses"}},
		"cache webhook":           {"typo3: {cookieSameSite: most, cacheWebhook: {url: 'https://h/x', secret: CANARY, timeoutSeconds: 0}}\n", []string{"cookieSameSite", "cacheWebhook.timeoutSeconds", "cacheWebhook.secret: has 6 characters: must be 16 or more"}},
		"cache webhook address":   {"typo3: {cacheWebhook: {url: 'ftp://h/x', secret: 0123456789abcdef}}\n", []string{"cacheWebhook.url: must be an address that begins with http"}},
		"deny pattern":            {"typo3: {fileDenyPattern: '(?<!a)b'}\n", []string{"fileDenyPattern: cannot be evaluated here"}},
		"hosts of origins":        {"server: {publicOrigin: 'https://w;ww', typo3Origin: 'https://*'}\n", []string{"publicOrigin: \"w;ww\": must name one host", "typo3Origin: \"*\": must name one host"}},
		"server":                  {"server: {listen: nowhere, basePath: a/, publicOrigin: 'ftp://x', typo3Origin: 'https://x/y', trustedProxies: [me], logLevel: loud, logFormat: xml, signIn: all}\n", []string{"listen", "basePath", "publicOrigin", "typo3Origin", "trustedProxies[0]", "signIn", "logLevel", "logFormat"}},
		"mcp":                     {"mcp: {maxWaiting: 0, callsPerMinute: 0}\n", []string{"mcp.maxWaiting: 0: must be 1 to 10000", "mcp.callsPerMinute: 0: must be 1 to 100000"}},
		"inline":                  {"inline: {maxImageBytes: -1, maxBinaryBytes: -1}\n", []string{"inline.maxImageBytes: -1: must be 0 to ", "inline.maxBinaryBytes: -1: must be 0 to "}},
		"assistant":               {"assistant: {maxSteps: 0, maxPictures: -1, maxProposals: 0, maxTokens: -1, maxCost: -1}\n", []string{"assistant.maxSteps: 0: must be 1 to 50", "assistant.maxPictures: -1", "assistant.maxProposals: 0", "assistant.maxTokens: -1", "assistant.maxCost: -1: must be 0 to 1000000"}},
		"unset variable":          {"typo3:\n  dsn: ${SITE_DSN}\n", []string{"site.yaml:2: typo3.dsn: uses ${SITE_DSN}, but neither SITE_DSN nor SITE_DSN_FILE is set"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := config.Load(file(t, tc.yaml), environ())
			wantProblems(t, err, tc.want...)
		})
	}
}

// wantProblems holds err against the expected problems, one line each.
func wantProblems(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("loaded")
	}
	if strings.Contains(err.Error(), "CANARY") {
		t.Errorf("a secret is in %v", err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d problems, want %d:\n%v", len(lines), len(want), err)
	}
	for i, w := range want {
		if !strings.Contains(lines[i], w) {
			t.Errorf("problem %d is %q, want %q", i, lines[i], w)
		}
	}
}

func TestLoad_FilesThatAreNone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"10 MB":      {strings.Repeat("# comment\n", 1<<20), "is larger than"},
		"not UTF-8":  {"vision: {maxImageEdge: 512} # gr\xfcn\n", "is not UTF-8"},
		"brackets":   {strings.Repeat("[", 200_000), "keys, entries, quotes and brackets"},
		"entries":    {strings.Repeat("- ", 100_000), "keys, entries, quotes and brackets"},
		"keys":       {strings.Repeat("? ", 100_000), "keys, entries, quotes and brackets"},
		"binary":     {"\x00\x01\x02PNG", "must be a mapping"},
		"deep lists": {strings.Repeat("- ", 2000), "must be a mapping"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := config.Load(file(t, tc.text), nil)
			if err == nil || !strings.Contains(err.Error(), "site.yaml") || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		t.Parallel()
		_, _, err := config.Load("/nonexistent/site.yaml", nil)
		wantProblems(t, err, "settings file: open /nonexistent/site.yaml")
	})
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		_, _, err := config.Load(t.TempDir(), nil)
		wantProblems(t, err, "settings file: read ")
	})
}

func TestLoad_Warnings(t *testing.T) {
	t.Parallel()
	yaml := `
vision: {alternative: {enabled: false}, title: {enabled: false}, description: {enabled: false}}
fal: {allowedStorages: []}
providers:
  default: main
  configurations:
    main: {active: false, vendor: compatible, model: m, baseURL: http://models.example.org/v1}
    next: {vendor: demo, criteria: {capabilities: [vison]}, fallbacks: [main], limits: {pictureEdge: 800}}
assistant: {enabled: true}
tools: {setFileAlternativeText: false, updateFalAssetMeta: false}
review: {requireSecondApprover: true}
privacy: {level: full}
typo3: {dsn: 'mysql://u@h/db'}
server: {listen: ':8080', trustedProxies: [0.0.0.0/0], logLevel: debug}
mcp: {enabled: true}
`
	_, warnings, err := config.Load(file(t, yaml), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range warnings {
		got = append(got, w.Key)
	}
	want := []string{
		"vision", "fal.allowedStorages", "providers.default", "providers.configurations.main.baseURL",
		"providers.configurations.next.criteria.capabilities[0]", "providers.configurations.next.criteria", "providers.configurations.next.fallbacks[0]",
		"review.requireSecondApprover", "privacy.level", "server.listen", "server.trustedProxies[0]", "server.logLevel", "typo3.encryptionKey", "server.publicOrigin",
		"assistant.enabled", "providers.configurations.next.limits.pictureEdge",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoad_WarnsOfAProxyThatIsNotBelieved(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]bool{
		"server: {publicOrigin: 'https://cms.example.org:8443'}\n":                               true,
		"server: {publicOrigin: 'https://[2001:db8::1]', trustedProxies: [127.0.0.1]}\n":         false,
		"server: {publicOrigin: 'http://cms.example.org'}\n":                                     false,
		"server: {publicOrigin: 'https://cms.example.org', trustedProxies: ['::1', 10.0.0.1]}\n": false,
	} {
		_, warnings, err := config.Load(file(t, yaml), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(warnings, func(w config.Warning) bool { return w.Key == "server.trustedProxies" }); got != want {
			t.Errorf("%s: warned %v: %v", yaml, got, warnings)
		}
	}
}

func TestSettings_PrintNoSecret(t *testing.T) {
	t.Parallel()
	s := mustLoad(t, "typo3: {dsn: 'mysql://u:CANARY@h/db'}\nsealing: {keyset: CANARY}\nproviders: {configurations: {main: {vendor: openai, model: m, apiKey: CANARY}}}\n")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(verb, *s); strings.Contains(text, "CANARY") {
			t.Errorf("%s prints a secret", verb)
		}
	}
}
