package guardrails_test

import (
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/guardrails"
)

// secrets are made here and belong to nobody: name -> the secret, and the part of
// it that must not be left.
func secrets() map[string][2]string {
	word := strings.Repeat("aB3dE6gH9k", 12)
	of := func(n int) string { return word[:n] }
	upper := strings.ToUpper(word)
	hex := strings.Repeat("0a9f", 8)
	return map[string][2]string{
		"OpenAI":              {fake("sk", "-", of(16)), of(16)},
		"OpenAI project":      {fake("sk", "-proj-", of(40), "_x-y"), of(40)},
		"Anthropic":           {fake("sk", "-ant-api03-", of(60)), of(60)},
		"OpenRouter":          {fake("sk", "-or-v1-", of(64)), of(64)},
		"editor-actions":      {fake("ea", "ct_", strings.Repeat(hex, 2)), hex},
		"Groq":                {fake("gs", "k_", of(52)), of(52)},
		"Hugging Face":        {fake("h", "f_", of(34)), of(34)},
		"Stripe secret":       {fake("sk", "_live_", of(24)), of(24)},
		"Stripe public":       {fake("pk", "_test_", of(30)), of(30)},
		"AWS":                 {fake("AK", "IA", upper[:16]), upper[:16]},
		"AWS session":         {fake("AS", "IA", upper[:16]), upper[:16]},
		"GitHub personal":     {fake("gh", "p_", of(36)), of(36)},
		"GitHub OAuth":        {fake("gh", "o_", of(36)), of(36)},
		"GitHub user":         {fake("gh", "u_", of(36)), of(36)},
		"GitHub refresh":      {fake("gh", "r_", of(40)), of(40)},
		"GitHub server":       {fake("gh", "s_", of(36)), of(36)},
		"GitHub fine-grained": {fake("github", "_pat_", of(22), "_", of(59)), of(22)},
		"GitLab":              {fake("gl", "pat-", of(20)), of(20)},
		"Slack bot":           {fake("xo", "xb-12345-", of(24)), of(24)},
		"Slack user":          {fake("xo", "xp-12345-", of(24)), of(24)},
		"Slack app":           {fake("xa", "pp-1-", of(24)), of(24)},
		"Slack legacy":        {fake("xo", "xr-", of(24)), of(24)},
		"Google":              {fake("AI", "za", of(35)), of(35)},
		"Mailchimp":           {fake(hex, "-us", "21"), hex},
		"SendGrid":            {fake("S", "G.", of(22), ".", of(43)), of(22)},
		"JWT":                 {fake("ey", "J", of(20), ".", "ey", "J", of(30), ".", of(43)), of(30)},
		"Bearer":              {fake("Bea", "rer ", of(30), "/+~.", "=="), of(30)},
		"Bearer, short":       {fake("bea", "rer ", of(9)), of(9)},
		"private key":         {fake("-----BEGIN RSA PRIV", "ATE KEY-----\n", of(64), "\n", of(10), "\n-----END RSA PRIV", "ATE KEY-----"), of(10)},
		"private key, cut":    {fake("-----BEGIN PRIV", "ATE KEY-----\n", of(64)), of(64)},
		"query":               {fake("https://a.example/x?to", "ken=", of(10)), of(10)},
		"query, any shape":    {"https://a.example/x?y=1&api_key=hunter", "hunter"},
		"query, prefixed":     {"https://a.example/?client_secret=hunter", "hunter"},
		"fragment":            {"https://a.example/#access_token=hunter", "hunter"},
		"HTML ampersand":      {"https://a.example/?y=1&amp;key=hunter", "hunter"},
		"password":            {"mysql://user:hunter@db.example:3306/x", "hunter"},
		"password, no user":   {"redis://:hunter@cache.example:6379/0", "hunter"},
		"password with at":    {"ftp://user:hun@ter@a.example/x", "ter"},
	}
}

func TestP6_S2_EverySecretShapeIsMasked(t *testing.T) {
	t.Parallel()
	s, err := guardrails.New(config.Guardrails{})
	if err != nil {
		t.Fatal(err)
	}
	for name, secret := range secrets() {
		for _, frame := range []string{"%", "Größe: % bitte", "(%)", "\"%\"", "a\n%\nb", "%, %"} {
			text := strings.ReplaceAll(frame, "%", secret[0])
			v := s.Text(text)
			if v.Action != guardrails.Redact || v.Rule != guardrails.RuleSecrets || !strings.Contains(v.Text, "[masked]") {
				t.Errorf("%s in %q: %+v", name, frame, v)
			}
			if strings.Contains(v.Text, secret[1]) {
				t.Errorf("%s in %q: it is still there: %q", name, frame, v.Text)
			}
			if again := s.Text(v.Text); again.Action != guardrails.Allow {
				t.Errorf("%s in %q: a second pass changes %q to %q", name, frame, v.Text, again.Text)
			}
		}
	}
	if got := guardrails.MaskSecrets("https://u:hunter@a.example:80/?key=hunter&b=1"); got != "https://u:[masked]@a.example:80/?key=[masked]&b=1" {
		t.Error(got)
	}
}

func TestP6_WholeValues(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{fake("A", "C", strings.Repeat("0a9f", 8)), fake("S", "K", strings.Repeat("0a9f", 8)), fake("A", strings.Repeat("x-Y9", 19), "abc")} {
		if got := guardrails.MaskSecrets(" " + secret + "\n"); got != "[masked]" {
			t.Errorf("%q became %q", secret, got)
		}
		if text := "In " + secret; guardrails.MaskSecrets(text) != text {
			t.Errorf("%q was found inside a text", secret)
		}
	}
}

func TestP6_OrdinaryTextsPass(t *testing.T) {
	t.Parallel()
	s, err := guardrails.New(config.Guardrails{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", " ", "A red boat on a calm lake.", "Ein rotes Boot auf dem See, links ein Steg.",
		"http://a.example:8080/x and me@b.example", "http://a.example:8080, mail me@b.example", "http://a.example:8080;me@b.example",
		"https://user@a.example/", "https://a.example/?key=&y=1", "https://a.example/?monkey=banana&keyboard=1",
		"the task-oriented-and-long-winded-committee", "sk-short", "bearer documents", "The bearer of bad news",
		"skis_live_here", "AKIA", "eyJabc", "ghp_short", "AIzaShort", "uid 4711", "a@b.example", "data:image/png;base64,AAAA",
		"=== NOTE 0123456789ab ===", "file-us1.jpg", "12:30 @ Berlin", "C:\\temp\\x@y",
	} {
		if v := s.Text(text); v != (guardrails.Verdict{Action: guardrails.Allow, Text: text}) {
			t.Errorf("%q: %+v", text, v)
		}
	}
}

func TestP6_OrderOfRules(t *testing.T) {
	t.Parallel()
	s, err := guardrails.New(config.Guardrails{Patterns: []config.GuardrailPattern{
		{Name: "ask", Pattern: `falcon`, Verdict: "require_approval"},
		{Name: "cut", Pattern: `secretly`, Verdict: "redact"},
		{Name: "masked first", Pattern: `hunter`, Verdict: "deny"},
		{Name: "after cut", Pattern: `\[masked\] done`, Verdict: "deny"},
		{Name: "stop", Pattern: `eagle`, Verdict: "deny"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]guardrails.Verdict{
		"https://a.example/?key=hunter": {Action: guardrails.Redact, Text: "https://a.example/?key=[masked]", Rule: guardrails.RuleSecrets},
		"secretly good":                 {Action: guardrails.Redact, Text: "[masked] good", Rule: "cut"},
		"secretly done":                 {Action: guardrails.Deny, Rule: "after cut"},
		"falcon":                        {Action: guardrails.RequireApproval, Rule: "ask"},
		"secretly falcon":               {Action: guardrails.RequireApproval, Rule: "ask"},
		"falcon and eagle":              {Action: guardrails.Deny, Rule: "stop"},
		"nothing of it":                 {Action: guardrails.Allow, Text: "nothing of it"},
	} {
		if got := s.Text(text); got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
	if r := s.Rules(); len(r) != 7 || r[0] != (guardrails.Rule{ID: guardrails.RuleSecrets, Action: guardrails.Redact, Mandatory: true}) {
		t.Errorf("%+v", r)
	}
	if v := s.Text(strings.Repeat("x", 5<<20)); v.Action != guardrails.Deny || v.Rule != guardrails.RuleSize || v.Text != "" {
		t.Errorf("a text too long to screen: %s %s", v.Action, v.Rule)
	}
}

func TestNew_ReportsAllProblems(t *testing.T) {
	t.Parallel()
	_, err := guardrails.New(config.Guardrails{Patterns: []config.GuardrailPattern{
		{Name: "a", Pattern: "x", Verdict: "allow"},
		{Name: "b", Pattern: "x", Verdict: "retry"},
		{Name: "c", Pattern: "x"},
		{Name: "", Pattern: "x", Verdict: "deny"},
		{Name: guardrails.RuleSecrets, Pattern: "x", Verdict: "deny"},
		{Name: "d", Pattern: "(", Verdict: "deny"},
		{Name: "e", Pattern: "x*", Verdict: "redact"},
		{Name: "ok", Pattern: "x", Verdict: "deny"},
	}})
	if err == nil || strings.Count(err.Error(), "guardrails.patterns[") != 7 {
		t.Errorf("%v", err)
	}
}

func TestS43_RedactForStorage(t *testing.T) {
	t.Parallel()
	key := fake("sk", "-", strings.Repeat("a1", 20))
	uri := "data:image/jpeg;base64,/9j/" + strings.Repeat("AIzaAB"+key[3:20], 20000)
	long := strings.Repeat("wort ", 20000)
	for name, c := range map[string][2]string{
		"picture":              {uri, uri[:len("data:image/jpeg;base64,")+2000] + guardrails.CutMarker},
		"picture and a word":   {"data:image/png;base64," + strings.Repeat("A", 1990) + " me@example.org", "data:image/png;base64," + strings.Repeat("A", 1978) + guardrails.CutMarker},
		"small picture":        {"data:image/png;base64,AAAA", "data:image/png;base64,AAAA"},
		"no picture":           {"data:image/png;base64,see me@example.org", "data:image/png;base64,see [masked]"},
		"secret and e-mail":    {key + " me.you@mail.example.org", "sk-[masked] [masked]"},
		"e-mail with umlaut":   {"Jörg@bücher.example", "[masked]"},
		"exactly as long":      {strings.Repeat("ä", 2000), strings.Repeat("ä", 2000)},
		"one more":             {strings.Repeat("ä", 2001), strings.Repeat("ä", 2000) + guardrails.CutMarker},
		"very long":            {long, long[:2000] + guardrails.CutMarker},
		"long after masking":   {strings.Repeat(key+" ", 3000), strings.Repeat("sk-[masked] ", 3000)[:2000] + guardrails.CutMarker},
		"secret over the edge": {strings.Repeat("x", 1990) + " " + key, strings.Repeat("x", 1990) + " sk-[maske" + guardrails.CutMarker},
		"empty":                {"", ""},
	} {
		want := c[1]
		if name == "secret over the edge" {
			want = (strings.Repeat("x", 1990) + " sk-[masked]")[:2000] + guardrails.CutMarker
		}
		if got := guardrails.RedactForStorage(c[0]); got != want {
			t.Errorf("%s: got %d bytes, %q", name, len(got), got[max(0, len(got)-60):])
		}
	}
}

// Stored tool calls are JSON: an escape in front of a secret is no part of its word.
func TestP6_S43_SecretBehindAnEscapeOfJSONIsMasked(t *testing.T) {
	t.Parallel()
	for _, escape := range []string{`\n`, `\t`, `\r`, `\u003c`, `\u2028`} {
		for name, c := range secrets() {
			if got := guardrails.MaskSecrets(`{"reviewer_feedback":"x.` + escape + c[0] + `"}`); strings.Contains(got, c[1]) {
				t.Errorf("%s behind %s: %s", name, escape, got)
			}
		}
	}
}

// A secret that the bound on the search cuts in two is not shown by half.
func TestS43_NoHalfSecretAtTheBound(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("Zz9", 100)
	for shift := range 40 {
		head := fake("-----BEGIN PRIV", "ATE KEY-----") + strings.Repeat("k", 64<<10-200-shift) + fake("-----END PRIV", "ATE KEY-----") + " "
		if got := guardrails.RedactForStorage(head + fake("sk", "-") + body + strings.Repeat(" more", 100)); strings.Contains(got, body[:12]) {
			t.Fatalf("shift %d: %q", shift, got)
		}
	}
}

func FuzzRedactForStorage(f *testing.F) {
	f.Add("data:image/png;base64," + strings.Repeat("A", 3000))
	f.Add(strings.Repeat("ä", 3000) + " me@example.org")
	f.Fuzz(func(t *testing.T, text string) {
		got := strings.TrimSuffix(guardrails.RedactForStorage(text), guardrails.CutMarker)
		if address, base64, ok := strings.Cut(got, ";base64,"); ok && strings.HasPrefix(address, "data:") && len([]rune(got)) > 2000 {
			got = base64
		}
		if n := len([]rune(got)); n > 2000 {
			t.Fatalf("%d characters", n)
		}
	})
}
