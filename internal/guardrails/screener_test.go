package guardrails_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"editor-actions/internal/config"
	"editor-actions/internal/guardrails"
)

// fake joins parts, so that no secret-shaped text stands in the source.
func fake(parts ...string) string { return strings.Join(parts, "") }

func TestP6_SecretShapesAreMaskedInline(t *testing.T) {
	t.Parallel()
	s, err := guardrails.New(config.Guardrails{})
	if err != nil {
		t.Fatal(err)
	}
	x := strings.Repeat("Ab3", 20)
	for name, secret := range map[string]string{
		"openai": fake("sk", "-", x[:24]), "openai project": fake("sk", "-proj-", x[:40]), "stripe": fake("sk", "_live_", x[:24]),
		"aws": fake("AK", "IA", strings.ToUpper(x[:16])), "github": fake("gh", "p_", x[:36]), "github fine": fake("github", "_pat_", x[:30]),
		"slack": fake("xo", "xb-", x[:20]), "google": fake("AI", "za", x[:35]), "sendgrid": fake("S", "G.", x[:22], ".", x[:43]),
		"jwt": fake("ey", "J", x[:20], ".", x[:20], ".", x[:20]), "bearer": fake("Bea", "rer ", x[:20], "=="),
		"mailchimp": fake(strings.Repeat("0a", 16), "-us", "12"),
	} {
		v := s.Text("The boat. Use " + secret + " please.")
		if v.Action != guardrails.Redact || v.Rule != guardrails.RuleSecrets || strings.Contains(v.Text, x[4:14]) {
			t.Errorf("%s: %+v", name, v)
		}
		if !strings.HasPrefix(v.Text, "The boat. Use ") || !strings.HasSuffix(v.Text, " please.") {
			t.Errorf("%s: took more than the secret: %q", name, v.Text)
		}
	}
	for _, harmless := range []string{"A red boat on a calm lake.", "See https://example.org:8080/a?b=c and mail me@example.org", "task-oriented", ""} {
		if v := s.Text(harmless); v.Action != guardrails.Allow || v.Text != harmless {
			t.Errorf("%q: %+v", harmless, v)
		}
	}
}

func TestScreener_URLCredentials(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://a.example/x?api_key=abc123&y=1":       "https://a.example/x?api_key=[masked]&y=1",
		"https://a.example/?client_secret=q) and more": "https://a.example/?client_secret=[masked]) and more",
		"mysql://user:pa55@db.example:3306/x":          "mysql://user:[masked]@db.example:3306/x",
		"http://a.example:8080/x and me@b.example":     "http://a.example:8080/x and me@b.example",
	} {
		if got := guardrails.MaskSecrets(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestP6_OperatorPatterns(t *testing.T) {
	t.Parallel()
	s, err := guardrails.New(config.Guardrails{Patterns: []config.GuardrailPattern{
		{Name: "projects", Pattern: `(?i)project \w+`, Verdict: "redact", Replacement: "[project]"},
		{Name: "stop", Pattern: `TOP SECRET`, Verdict: "deny"},
		{Name: "ask", Pattern: `ask first`, Verdict: "require_approval"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if v := s.Text("About Project Falcon"); v.Action != guardrails.Redact || v.Text != "About [project]" {
		t.Error(v)
	}
	if v := s.Text("Project X is TOP SECRET"); v.Action != guardrails.Deny || v.Text != "" || v.Rule != "stop" {
		t.Error(v)
	}
	if v := s.Text("ask first"); v.Action != guardrails.RequireApproval {
		t.Error(v)
	}
	if _, err := guardrails.New(config.Guardrails{Patterns: []config.GuardrailPattern{{Name: "x", Pattern: "x", Verdict: "allow"}}}); err == nil {
		t.Error("an unknown verdict was taken")
	}
}

func TestS43_RedactForStorageCuts(t *testing.T) {
	t.Parallel()
	uri := "data:image/png;base64," + strings.Repeat("A", 5000)
	if got := guardrails.RedactForStorage(uri); got != uri[:len("data:image/png;base64,")+2000]+"…[cut]" {
		t.Errorf("got %d bytes", len(got))
	}
	if got := guardrails.RedactForStorage("mail me@example.org"); got != "mail [masked]" {
		t.Error(got)
	}
	if got := guardrails.RedactForStorage(strings.Repeat("ä", 3000)); got != strings.Repeat("ä", 2000)+"…[cut]" {
		t.Errorf("got %d bytes", len(got))
	}
}

func TestMaskSecrets_IsLinear(t *testing.T) {
	t.Parallel()
	began := time.Now()
	guardrails.MaskSecrets(strings.Repeat("a:b://x:y", 200_000))
	if time.Since(began) > 20*time.Second {
		t.Fatal("a long text takes too long")
	}
}

func FuzzScreener(f *testing.F) {
	s, err := guardrails.New(config.Guardrails{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("a " + fake("sk", "-", strings.Repeat("x", 30)))
	f.Fuzz(func(t *testing.T, text string) {
		switch v := s.Text(text); {
		case v.Action == guardrails.Allow && v.Text != text:
			t.Fatalf("allowed, and changed to %q", v.Text)
		case v.Action == guardrails.Redact && v.Text == text:
			t.Fatal("redacted, and not changed")
		case !v.Action.Valid():
			t.Fatalf("verdict %q", v.Action)
		case utf8.ValidString(text) && !utf8.ValidString(v.Text):
			t.Fatalf("masking broke the encoding: %q", v.Text)
		}
	})
}
