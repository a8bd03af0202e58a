package config

import (
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// mailHost is a host name or an address, without a scheme or a port.
var mailHost = regexp.MustCompile(`^[0-9A-Za-z]([0-9A-Za-z.:_-]*[0-9A-Za-z])?$`)

func (v *validator) notices(s *Settings) {
	hook := &s.Notices.Webhook
	v.webhook("notices.webhook", hook.URL, hook.Secret, hook.TimeoutSeconds, "its receiver")
	v.mail(&s.Notices.Mail)
	if hook.URL != "" {
		v.linked(s, "notices.webhook.url")
		if u, err := url.Parse(hook.URL); err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
			v.warn("notices.webhook.url", "is not https: messages travel unencrypted")
		}
		if s.Privacy.Level == PrivacyFull {
			v.warn("notices.webhook.url", "with privacy.level: full its messages hold file names and proposed texts")
		}
	}
	if s.Notices.Mail.Host != "" {
		v.linked(s, "notices.mail.host")
	}
}

// linked: a notice without a link to the card would be of no use.
func (v *validator) linked(s *Settings, key string) {
	if s.Server.PublicOrigin == "" {
		v.problem(key, "needs server.publicOrigin, for the address of the review page")
	}
}

func (v *validator) mail(m *Mail) {
	between(v, "notices.mail.port", m.Port, 1, 65535)
	between(v, "notices.mail.everyHours", m.EveryHours, 1, 168)
	v.oneOf("notices.mail.tls", m.TLS, MailStartTLS, MailTLS, MailPlain)
	v.absolute("notices.mail.caFile", m.CAFile)
	if _, err := time.Parse("15:04", m.At); err != nil {
		v.problem("notices.mail.at", "%s: must be a time of day, for instance \"06:00\" (UTC)", shown(m.At))
	}
	if m.Host == "" && m.From == "" {
		return
	}
	if a, err := mail.ParseAddress(m.From); err != nil || strings.ContainsAny(m.From, "\r\n\x00") || !strings.Contains(a.Address, "@") {
		v.problem("notices.mail.from", "%s: must be an e-mail address, for instance \"Editor actions <noreply@example.org>\"", shown(m.From))
	}
	if m.Host == "" {
		return
	}
	if !mailHost.MatchString(m.Host) {
		v.problem("notices.mail.host", "%s: must be a host name or an address, for instance mail.example.org", shown(m.Host))
	}
	switch {
	case (m.Username == "") != m.Password.Empty():
		v.problem("notices.mail.password", "is needed together with notices.mail.username, or neither of the two")
	case m.TLS == MailPlain && m.Username != "":
		v.problem("notices.mail.tls", "none would send the password unencrypted: use starttls or tls")
	case m.TLS == MailPlain && !loopback(m.Host):
		v.warn("notices.mail.tls", "none: mails travel unencrypted to another machine")
	}
}
