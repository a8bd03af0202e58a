package notice_test

import (
	"bufio"
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/notice"
	"editor-actions/internal/secret"

	"github.com/emersion/go-smtp"
)

// poster is a notifier for mails alone.
func poster(cfg config.Mail) *notice.Notifier {
	s := config.DefaultSettings()
	s.Server.PublicOrigin, s.Notices.Mail = "https://www.example.org", cfg
	return notice.New(notice.Deps{Settings: func() *config.Settings { return &s }, Now: func() time.Time { return time.Date(2026, 12, 3, 10, 0, 0, 0, time.UTC) }})
}

func TestMail_ReachesTheServer(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{config.MailStartTLS, config.MailTLS, config.MailPlain} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			server := newMailServer(t, mode)
			if err := poster(server.config).TryMail(t.Context(), "someone@example.org"); err != nil {
				t.Fatal(err)
			}
			got := server.taken()
			if len(got) != 1 || got[0].from != "noreply@example.org" || got[0].to != "someone@example.org" {
				t.Fatalf("%+v", got)
			}
			if secure := mode != config.MailPlain; got[0].signedIn != secure || mode == config.MailStartTLS && !got[0].tls {
				t.Errorf("signed in %v, TLS %v", got[0].signedIn, got[0].tls)
			}
			h := got[0].parse(t).Header
			for name, want := range map[string]string{
				"From": `"Editor actions" <noreply@example.org>`, "To": "<someone@example.org>", "Auto-Submitted": "auto-generated",
				"List-Id": "<digest.editor-actions.www.example.org>", "Date": "Thu, 03 Dec 2026 10:00:00 +0000",
			} {
				if h.Get(name) != want {
					t.Errorf("%s: %q, want %q", name, h.Get(name), want)
				}
			}
			if id := h.Get("Message-Id"); !strings.HasPrefix(id, "<test-") || !strings.HasSuffix(id, "@example.org>") {
				t.Errorf("Message-Id: %q", id)
			}
		})
	}
}

// What goes wrong is said in one sentence, without addresses, passwords or what the server said.
func TestMail_Failures(t *testing.T) {
	t.Parallel()
	starttls := func(t *testing.T) *mailServer { return newMailServer(t, config.MailStartTLS) }
	for name, tc := range map[string]struct {
		server func(t *testing.T) *mailServer
		change func(s *mailServer)
		want   string
	}{
		"password":            {starttls, func(s *mailServer) { s.config.Password = secret.New("CANARY-wrong") }, "did not accept the user name and password (535)"},
		"unknown authority":   {starttls, func(s *mailServer) { s.config.CAFile = "" }, "no trusted TLS connection to the mail server: "},
		"other host":          {starttls, func(s *mailServer) { s.config.Host = "localhost" }, "no trusted TLS connection to the mail server: "},
		"unknown, from start": {func(t *testing.T) *mailServer { return newMailServer(t, config.MailTLS) }, func(s *mailServer) { s.config.CAFile = "" }, "no trusted TLS connection to the mail server: "},
		"no STARTTLS": {
			func(t *testing.T) *mailServer { return newMailServer(t, config.MailPlain) }, func(s *mailServer) { s.config.TLS = config.MailStartTLS },
			"the server offers no STARTTLS",
		},
		"plain for TLS": {starttls, func(s *mailServer) { s.config.TLS = config.MailTLS }, "no trusted TLS connection to the mail server: "},
		"no authority":  {starttls, func(s *mailServer) { s.config.CAFile = "/nonexistent/ca.pem" }, "mail settings cannot be used: open /nonexistent/ca.pem"},
		"recipient": {starttls, func(s *mailServer) {
			s.refuse = func(string) error { return &smtp.SMTPError{Code: 550, Message: "CANARY-answer"} }
		}, "refused the recipient (550)"},
		"closes in DATA": {starttls, func(s *mailServer) { s.rude = true }, "cannot be reached, or does not answer"},
		"nobody there":   {starttls, func(s *mailServer) { s.config.Port = closedPort(s.t) }, "cannot be reached, or does not answer: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := tc.server(t)
			tc.change(server)
			err := poster(server.config).TryMail(t.Context(), "CANARY@example.org")
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "CANARY") || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if got := server.taken(); len(got) != 0 {
				t.Errorf("%d mails were taken", len(got))
			}
		})
	}
}

func closedPort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// silent is a server that stops talking: before its greeting, or after the first command.
func silent(t *testing.T, greets bool) (config.Mail, <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	reached := make(chan struct{})
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		if greets {
			_, _ = conn.Write([]byte("220 mail.example.org\r\n"))
			_, _ = bufio.NewReader(conn).ReadString('\n')
		}
		close(reached)
		_, _ = conn.Read(make([]byte, 1)) // until the client gives up
	}()
	return mailConfig(t, l.Addr().String(), config.MailStartTLS), reached
}

func TestMail_SilentServer(t *testing.T) {
	t.Parallel()
	for name, greets := range map[string]bool{"from the start": false, "after its greeting": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, _ := silent(t, greets)
			n := poster(cfg)
			n.Impatient(50 * time.Millisecond)
			if err := n.TryMail(t.Context(), "a@example.org"); err == nil || !strings.Contains(err.Error(), "does not answer") {
				t.Error(err)
			}
			// With all its patience it still ends with its context.
			cfg, reached := silent(t, greets)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-reached; cancel() }()
			start := time.Now()
			if err := poster(cfg).TryMail(ctx, "a@example.org"); err == nil || time.Since(start) > 10*time.Second {
				t.Errorf("%v after %s", err, time.Since(start))
			}
		})
	}
}

func TestMail_AddressesThatAreNone(t *testing.T) {
	t.Parallel()
	server := newMailServer(t, config.MailStartTLS)
	for _, to := range []string{"", "a", "a@b@c", "a@example.org, b@example.org", "A <a@example.org>", "<a@example.org>", "a@example.org\r\nBcc: b@example.org", "<a@example.org>\nX: y", "\"a\r\nb\"@example.org"} {
		if err := poster(server.config).TryMail(t.Context(), to); err == nil || !strings.Contains(err.Error(), "one plain e-mail address") {
			t.Errorf("%q: %v", to, err)
		}
	}
	if got := server.taken(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
