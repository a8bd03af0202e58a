package notice

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/textproto"
	"os"
	"strings"
	"time"

	"editor-actions/internal/config"

	gomail "github.com/wneessen/go-mail"
)

// mailKind says what kept a mail back.
type mailKind string

const (
	mailSettings  mailKind = "settings"
	mailConnect   mailKind = "connect"
	mailSecurity  mailKind = "tls"
	mailSignIn    mailKind = "sign-in"
	mailSender    mailKind = "sender"
	mailRecipient mailKind = "recipient" // this one only; others may be taken
	mailContent   mailKind = "content"
)

// mailError is a mail that was not taken. It quotes neither addresses nor what the
// server said, which may hold them.
type mailError struct {
	kind  mailKind
	code  int // of the server's answer, 0 = none
	cause error
}

var mailSentences = map[mailKind]string{
	mailSettings:  "the mail settings cannot be used",
	mailConnect:   "the mail server cannot be reached, or does not answer",
	mailSecurity:  "there is no trusted TLS connection to the mail server",
	mailSignIn:    "the mail server did not accept the user name and password",
	mailSender:    "the mail server refused the sender",
	mailRecipient: "the mail server refused the recipient",
	mailContent:   "the mail server did not take the mail",
}

func (e *mailError) Error() string {
	text := "notice: " + mailSentences[e.kind]
	if e.code != 0 {
		text += fmt.Sprintf(" (%d)", e.code)
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

func (e *mailError) Unwrap() error { return e.cause }

// level is Error when it does not pass by itself.
func (e *mailError) level() slog.Level {
	if e.kind == mailConnect || e.code/100 == 4 {
		return slog.LevelWarn
	}
	return slog.LevelError
}

// post hands one mail to the mail server. nil means that the server took it; every
// other outcome may be one that it took, too, when the connection ended at the wrong
// moment: the id is the same at the next try.
func (n *Notifier) post(ctx context.Context, cfg config.Mail, l letter) *mailError {
	msg, err := compose(cfg, l)
	if err != nil {
		return &mailError{kind: mailSettings, cause: err}
	}
	ctx, cancel := context.WithTimeout(ctx, 2*n.mailTimeout)
	defer cancel()
	client, err := n.mailClient(ctx, cfg)
	if err != nil {
		return &mailError{kind: mailSettings, cause: err}
	}
	conn, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return dialError(err)
	}
	err = client.SendWithSMTPClient(conn, msg)
	_ = client.CloseWithSMTPClient(conn) // taken or not was said before
	if err != nil && !msg.IsDelivered() {
		return sendError(err)
	}
	return nil
}

// compose makes the message. The library encodes what is not plain ASCII and refuses
// addresses that are none, so no header can be smuggled in.
func compose(cfg config.Mail, l letter) (*gomail.Msg, error) {
	from, err := mail.ParseAddress(cfg.From)
	if err != nil {
		return nil, errors.New("notices.mail.from is no address")
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithEncoding(gomail.EncodingQP))
	msg.FromMailAddress(from)
	if err := msg.To(l.to); err != nil {
		return nil, errors.New("the recipient is no address")
	}
	msg.Subject(l.subject)
	msg.SetDateWithValue(l.date)
	msg.SetMessageIDWithValue(l.id)
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: nobody answers it by itself
	msg.SetGenHeader("List-Id", l.listID)
	msg.SetGenHeader("Content-Language", l.language)
	msg.SetBodyString(gomail.TypeTextPlain, l.body)
	return msg, nil
}

// mailClient speaks to the server of cfg. Its connection ends with ctx.
func (n *Notifier) mailClient(ctx context.Context, cfg config.Mail) (*gomail.Client, error) {
	secure := &tls.Config{ServerName: cfg.Host, MinVersion: tls.VersionTLS12}
	if cfg.CAFile != "" {
		pool, err := authorities(cfg.CAFile)
		if err != nil {
			return nil, err
		}
		secure.RootCAs = pool
	}
	policy := gomail.NoTLS
	if cfg.TLS != config.MailTLS && cfg.TLS != config.MailPlain {
		policy = gomail.TLSMandatory
	}
	options := []gomail.Option{
		gomail.WithPort(cfg.Port), gomail.WithTimeout(n.mailTimeout), gomail.WithTLSConfig(secure), gomail.WithTLSPolicy(policy),
		gomail.WithHELO(heloName(publicHost(n.Settings()))),
		// The library's own timeouts know no cancellation once the connection stands.
		gomail.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(dialing, network, address)
			if err != nil {
				return nil, err
			}
			context.AfterFunc(ctx, func() { _ = conn.Close() }) // nothing of it is needed any more
			if cfg.TLS != config.MailTLS {
				return conn, nil
			}
			encrypted := tls.Client(conn, secure)
			if err := encrypted.HandshakeContext(dialing); err != nil {
				return nil, errors.Join(&handshakeError{err}, conn.Close())
			}
			return encrypted, nil
		}),
	}
	if cfg.Username != "" {
		options = append(options, gomail.WithUsername(cfg.Username), gomail.WithPassword(cfg.Password.Reveal()),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthCramMD5, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	return gomail.NewClient(cfg.Host, options...)
}

// heloName is a host as a greeting names it (RFC 5321, 4.1.3).
func heloName(host string) string {
	ip := net.ParseIP(host)
	switch {
	case ip == nil:
		return host
	case ip.To4() != nil:
		return "[" + host + "]"
	}
	return "[IPv6:" + host + "]"
}

// authorities are the system's and those of a PEM file.
func authorities(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file) //nolint:gosec // G304: the operator names the file
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("notices.mail.caFile holds no certificate in PEM form")
	}
	return pool, nil
}

// handshakeError marks a TLS handshake of our own.
type handshakeError struct{ err error }

func (e *handshakeError) Error() string { return e.err.Error() }
func (e *handshakeError) Unwrap() error { return e.err }

// dialError sorts what went wrong before the first mail.
func dialError(err error) *mailError {
	if answer, ok := errors.AsType[*textproto.Error](err); ok {
		kind := mailConnect
		if strings.Contains(err.Error(), "AUTH") || answer.Code == 535 || answer.Code == 534 {
			kind = mailSignIn
		}
		return &mailError{kind: kind, code: answer.Code}
	}
	_, handshake := errors.AsType[*handshakeError](err)
	_, verify := errors.AsType[*tls.CertificateVerificationError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	timeout := os.IsTimeout(err)
	switch {
	case !timeout && (handshake || verify || record || alert || name || unknown):
		return &mailError{kind: mailSecurity, cause: err}
	case strings.Contains(err.Error(), "STARTTLS"):
		return &mailError{kind: mailSecurity, cause: errors.New("the server offers no STARTTLS")}
	case strings.Contains(err.Error(), "AUTH"):
		return &mailError{kind: mailSignIn, cause: errors.New("the server offers no way to sign in that this service knows")}
	}
	if _, network := errors.AsType[*net.OpError](err); !network && !timeout {
		err = nil // it may quote the server
	}
	return &mailError{kind: mailConnect, cause: err}
}

// sendError sorts what went wrong with one mail.
func sendError(err error) *mailError {
	e, ok := errors.AsType[*gomail.SendError](err)
	if !ok {
		return &mailError{kind: mailConnect}
	}
	code := e.ErrorCode()
	switch {
	case code == 0:
		return &mailError{kind: mailConnect} // the connection ended, or nobody answered
	case e.Reason == gomail.ErrSMTPRcptTo:
		return &mailError{kind: mailRecipient, code: code}
	case e.Reason == gomail.ErrSMTPMailFrom:
		return &mailError{kind: mailSender, code: code}
	}
	return &mailError{kind: mailContent, code: code}
}

// testLetter is what the command sends.
func testLetter(s *config.Settings, to, id string, now time.Time) letter {
	return letter{
		to: to, subject: "Test mail of editor-actions", language: "en", date: now, listID: listID(s), id: "test-" + id + "-" + idTail(s),
		body: "This mail was sent by `editor-actions notices test`. Digests of waiting proposals come this way.\n\nReview: " + reviewPage(s, "") + "\n",
	}
}
