package notice_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/secret"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

const (
	mailUser     = "mailer"
	mailPassword = "CANARY-password"
)

// mailServer is a real SMTP server that keeps what it takes.
type mailServer struct {
	t      *testing.T
	config config.Mail
	refuse func(to string) error // nil takes everybody
	rude   bool                  // closes the connection in the middle of a mail

	mu    sync.Mutex
	mails []mailed
}

type mailed struct {
	from, to, raw string
	signedIn      bool
	tls           bool
}

// newMailServer starts a server that speaks TLS as mode says.
func newMailServer(t *testing.T, mode string) *mailServer {
	t.Helper()
	s := &mailServer{t: t}
	ca, certificate := certificates(t)
	server := smtp.NewServer(s)
	server.ErrorLog = log.New(io.Discard, "", 0)
	server.Domain, server.MaxRecipients = "mail.example.org", 10
	secure := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	var listener net.Listener
	var err error
	if mode == config.MailTLS {
		listener, err = tls.Listen("tcp", "127.0.0.1:0", secure)
	} else {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	if mode == config.MailStartTLS {
		server.TLSConfig = secure
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	// The listener, too: the server knows it only once it serves.
	t.Cleanup(func() { _ = server.Close(); _ = listener.Close(); <-done })
	s.config = mailConfig(t, listener.Addr().String(), mode)
	s.config.CAFile = ca
	if mode != config.MailPlain {
		s.config.Username, s.config.Password = mailUser, secret.New(mailPassword)
	}
	return s
}

func mailConfig(t *testing.T, address, mode string) config.Mail {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return config.Mail{Host: host, Port: number, TLS: mode, From: "Editor actions <noreply@example.org>", EveryHours: 24, At: "06:00"}
}

// certificates makes an authority, as a file, and a certificate of its for 127.0.0.1.
func certificates(t *testing.T) (caFile string, server tls.Certificate) {
	t.Helper()
	key := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	caKey, serverKey := key(), key()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "mail"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: ca.NotBefore, NotAfter: ca.NotAfter, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		t.Fatal(err)
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, ca, &serverKey.PublicKey, caKey)
	if err != nil {
		t.Fatal(err)
	}
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER}), 0o600); err != nil {
		t.Fatal(err)
	}
	return caFile, tls.Certificate{Certificate: [][]byte{leafDER}, PrivateKey: serverKey}
}

// NewSession implements smtp.Backend.
func (s *mailServer) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &mailSession{server: s, conn: c}, nil
}

type mailSession struct {
	server *mailServer
	conn   *smtp.Conn
	mail   mailed
}

func (s *mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != mailUser || password != mailPassword {
			return smtp.ErrAuthFailed
		}
		s.mail.signedIn = true
		return nil
	}), nil
}

func (s *mailSession) Mail(from string, _ *smtp.MailOptions) error {
	s.mail.from = from
	return nil
}

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if s.server.refuse != nil {
		if err := s.server.refuse(to); err != nil {
			return err
		}
	}
	s.mail.to = to
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	if s.server.rude {
		_, _ = io.CopyN(io.Discard, r, 10)
		_ = s.conn.Conn().Close()
		return errors.New("gone")
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	_, s.mail.tls = s.conn.TLSConnectionState()
	s.mail.raw = string(raw)
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, s.mail)
	return nil
}

func (s *mailSession) Reset()        { s.mail = mailed{signedIn: s.mail.signedIn} }
func (s *mailSession) Logout() error { return nil }

// taken gives the mails since the last call.
func (s *mailServer) taken() []mailed {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.mails
	s.mails = nil
	return out
}

// to are the recipients of the mails since the last call.
func (s *mailServer) to() []string {
	var out []string
	for _, m := range s.taken() {
		out = append(out, m.to)
	}
	return out
}

func (m mailed) parse(t *testing.T) *mail.Message {
	t.Helper()
	msg, err := mail.ReadMessage(strings.NewReader(m.raw))
	if err != nil {
		t.Fatalf("%v in\n%s", err, m.raw)
	}
	return msg
}
