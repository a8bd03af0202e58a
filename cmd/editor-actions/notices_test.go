package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/secret"
	"editor-actions/internal/webhook"

	"github.com/emersion/go-smtp"
)

const noticeSecret = "0123456789abcdef"

// program is a receiver of messages.
type program struct {
	url  string
	got  chan []byte
	code int
}

func newProgram(t *testing.T, code int) *program {
	t.Helper()
	p := &program{got: make(chan []byte, 100), code: code}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Webhook-Signature") != webhook.Signature(secret.New(noticeSecret), r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), body) {
			t.Errorf("wrong signature of %s", body)
		}
		p.got <- body
		w.WriteHeader(p.code)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

type received struct {
	Type string
	Data struct {
		RunID     string            `json:"run_id"`
		Turn      int               `json:"turn"`
		Outcome   string            `json:"outcome"`
		ReviewURL string            `json:"review_url"`
		FileName  string            `json:"file_name"`
		Texts     map[string]string `json:"texts"`
	}
}

func (p *program) next(t *testing.T) (m received, body string) {
	t.Helper()
	select {
	case raw := <-p.got:
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		return m, string(raw)
	case <-time.After(30 * time.Second):
		t.Fatal("no message came")
		return m, ""
	}
}

// A running service tells about a real card, with its contents at privacy.level full only.
func TestNotices_OfARunningService(t *testing.T) {
	eachService(t, func(c *config.Settings) {
		c.Server.PublicOrigin = "https://www.example.org"
		c.Privacy.Level = config.PrivacyFull
	}, func(t *testing.T, s *service) {
		p := newProgram(t, http.StatusNoContent)
		s.change(func(c *config.Settings) {
			c.Notices.Webhook = config.NoticeWebhook{URL: p.url, Secret: secret.New(noticeSecret), TimeoutSeconds: 5}
		})
		editor, admin := s.as(editorUID), s.as(s.reviewer())
		id, card := s.proposed(editor, fileLake)
		m, body := p.next(t)
		if m.Type != "run.waiting" || m.Data.RunID != id || m.Data.Turn != 1 || m.Data.ReviewURL != "https://www.example.org/review/"+id ||
			m.Data.FileName != "lake_morning.jpg" || m.Data.Texts["alternative"] == "" {
			t.Errorf("%s", body)
		}
		s.change(func(c *config.Settings) { c.Privacy.Level = config.PrivacyRedacted })
		r, res := admin.decide(id, decisionBody(card, "reject"))
		mustOutcome(t, r, res, "rejected")
		if m, body := p.next(t); m.Type != "run.decided" || m.Data.RunID != id || m.Data.Outcome != "rejected" || strings.Contains(body, "lake_morning") {
			t.Errorf("%s", body)
		}
		again, _ := s.proposed(editor, fileLake)
		if m, body := p.next(t); m.Data.RunID != again || m.Data.FileName != "" || m.Data.Texts != nil || strings.Contains(body, "lake_morning") {
			t.Errorf("%s", body)
		}
		for deadline := time.Now().Add(30 * time.Second); s.count("SELECT COUNT(*) FROM tx_editoractions_notice WHERE status = 'sent'") < 3; {
			if time.Now().After(deadline) {
				t.Fatal("the outcome of the last message is not stored")
			}
			time.Sleep(20 * time.Millisecond)
		}
		s.stop()
		code, out, errs := command(t, nil, "doctor", "--config", settingsFileOf(t, s, p.url))
		if !strings.Contains(out, "webhook") || !strings.Contains(out, "3 messages were taken") || !strings.Contains(out, "no digests: notices.mail.host is empty") {
			t.Errorf("%d\n%s\n%s", code, out, errs)
		}
	})
}

// settingsFileOf is a settings file for commands on the service's site.
func settingsFileOf(t *testing.T, s *service, hook string) string {
	t.Helper()
	c := s.settings.Load()
	return settingsFile(t, "typo3: {dsn: '"+s.site.DSN+"', rootPath: '"+s.site.Root+"', publicPath: '"+s.site.Public+"', encryptionKey: '"+c.TYPO3.EncryptionKey.Reveal()+"'}\n"+
		"sealing: {keysetFile: '"+c.Sealing.KeysetFile+"'}\nserver: {publicOrigin: 'https://www.example.org'}\n"+
		"notices: {webhook: {url: '"+hook+"', secret: '"+noticeSecret+"'}}\n")
}

// postOffice takes every mail.
type postOffice struct{ taken chan string }

func (p *postOffice) NewSession(*smtp.Conn) (smtp.Session, error) { return p, nil }
func (p *postOffice) Mail(string, *smtp.MailOptions) error        { return nil }
func (p *postOffice) Rcpt(string, *smtp.RcptOptions) error        { return nil }
func (p *postOffice) Reset()                                      {}
func (p *postOffice) Logout() error                               { return nil }
func (p *postOffice) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	p.taken <- string(raw)
	return err
}

func TestNoticesTest_SaysWhatHappened(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	office := &postOffice{taken: make(chan string, 10)}
	server := smtp.NewServer(office)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); _ = listener.Close(); <-done })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	good, bad := newProgram(t, http.StatusOK), newProgram(t, http.StatusForbidden)
	hook := func(p *program) string { return "webhook: {url: '" + p.url + "', secret: '" + noticeSecret + "'}" }
	mail := func(port string) string {
		return "mail: {host: 127.0.0.1, port: " + port + ", tls: none, from: 'Editor actions <noreply@example.org>'}"
	}
	const tookHook, tookMail = "Webhook: the receiver took the test message.\n", "Mail: the mail server took the test mail.\n"
	for name, tc := range map[string]struct {
		notices string
		args    []string
		code    int
		out     string // beginning
		errs    string // part
	}{
		"both":            {hook(good) + ", " + mail(port), []string{"--to", "me@example.org"}, 0, tookHook + tookMail, ""},
		"webhook":         {hook(good), nil, 0, tookHook, ""},
		"refused webhook": {hook(bad) + ", " + mail(port), []string{"--to", "me@example.org"}, exitFailure, "Webhook: the test message was not taken: webhook: refused with status 403.\n" + tookMail, ""},
		"no mail server":  {mail("1"), []string{"--to", "me@example.org"}, exitFailure, "Mail: the test mail was not taken: notice: the mail server cannot be reached", ""},
		"two recipients":  {mail(port), []string{"--to", "me@example.org, you@example.org"}, exitFailure, "Mail: the test mail was not taken: the recipient must be one plain e-mail address.\n", ""},
		"no recipient":    {hook(good) + ", " + mail(port), nil, exitUsage, "", "--to: name the address"},
		"useless address": {hook(good), []string{"--to", "me@example.org"}, exitUsage, "", "--to: no mail server is set up"},
		"nothing":         {"", nil, exitFailure, "", "nothing is set up: set notices.webhook.url or notices.mail.host"},
	} {
		file := settingsFile(t, "server: {publicOrigin: 'https://www.example.org'}\nnotices: {"+tc.notices+"}\n")
		code, out, errs := command(t, nil, append([]string{"notices", "test", "--config", file}, tc.args...)...)
		if code != tc.code || !strings.HasPrefix(out, tc.out) || tc.out == "" && out != "" || !strings.Contains(errs, tc.errs) || strings.Contains(out+errs, noticeSecret) {
			t.Errorf("%s: %d\n%s\n%s", name, code, out, errs)
		}
	}
	if m, body := good.next(t); m.Type != "notices.test" {
		t.Errorf("%s", body)
	}
	if raw := <-office.taken; !strings.Contains(raw, "Subject: Test mail of editor-actions") || !strings.Contains(raw, "https://www.example.org/review") {
		t.Errorf("%s", raw)
	}
}
