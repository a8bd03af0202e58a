package notice_test

import (
	"context"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"

	"github.com/google/go-cmp/cmp"
)

func (m mailed) text(t *testing.T) (subject, body string, header mail.Header) {
	t.Helper()
	msg := m.parse(t)
	raw, err := io.ReadAll(quotedprintable.NewReader(msg.Body))
	if err != nil {
		t.Fatal(err)
	}
	subject, err = new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	return subject, strings.ReplaceAll(string(raw), "\r\n", "\n"), msg.Header
}

func TestDigest_SpeaksTheReadersLanguage(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.groupOf(reviewers, 10, 11, 12)
		f.exec("UPDATE be_users SET lang = 'de' WHERE uid = 11")
		f.exec("UPDATE be_users SET lang = 'fr' WHERE uid = 12")
		server := f.mailing(byGroup)
		f.waiting(20)
		f.clock.pass(9 * 24 * time.Hour)
		f.waiting(20)
		f.nextDay()
		f.instance(nil).Digests(t.Context())
		english := `2 proposals wait for your decision.
The oldest has waited for 10 days.
1 of them has waited for 7 days or longer.

Review: https://www.example.org/editor-actions/review

Nothing is written before somebody decides. This mail was sent automatically.
An administrator can switch these mails off for you.
`
		german := `2 Vorschläge warten auf Ihre Entscheidung.
Der älteste wartet seit 10 Tagen.
1 davon wartet seit 7 Tagen oder länger.

Prüfen: https://www.example.org/editor-actions/review

Nichts wird gespeichert, bevor jemand entscheidet. Diese Mail wurde automatisch verschickt.
Eine Administratorin oder ein Administrator kann diese Mails für Sie abschalten.
`
		want := map[string][3]string{
			"ed_uploads@example.org":   {"2 proposals wait for your decision", english, "en"},
			"ed_press_ro@example.org":  {"2 Vorschläge warten auf Ihre Entscheidung", german, "de"},
			"ed_press2024@example.org": {"2 proposals wait for your decision", english, "en"},
		}
		got := map[string][3]string{}
		for _, m := range server.taken() {
			subject, body, h := m.text(t)
			got[m.to] = [3]string{subject, body, h.Get("Content-Language")}
			if h.Get("Auto-Submitted") != "auto-generated" || h.Get("List-Id") == "" || h.Get("Date") == "" || !strings.HasPrefix(h.Get("Content-Type"), "text/plain; charset=UTF-8") {
				t.Errorf("%v", h)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDigest_OneCard(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.groupOf(reviewers, 10, 11)
		f.exec("UPDATE be_users SET lang = 'de' WHERE uid = 11")
		server := f.mailing(func(c *config.Settings) { byGroup(c); c.Review.RemindAfterDays = 0 })
		f.clock.pass(19*time.Hour + 30*time.Minute) // half an hour before the period
		f.waiting(20)
		f.clock.pass(time.Hour)
		f.instance(nil).Digests(t.Context())
		for _, m := range server.taken() {
			_, body, _ := m.text(t)
			first, _, _ := strings.Cut(body, "\n\n")
			want := "1 proposal waits for your decision.\nThe oldest has waited for less than a day."
			if strings.HasPrefix(m.to, "ed_press_ro") {
				want = "1 Vorschlag wartet auf Ihre Entscheidung.\nDer älteste wartet seit weniger als einem Tag."
			}
			if first != want {
				t.Errorf("%q", first)
			}
		}
	})
}

// Names and addresses are other people's words: they add no header and no recipient.
func TestDigest_NothingIsSmuggledIn(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.groupOf(reviewers, 10, 11, 12, 13, 14)
		evil := "x\r\nBcc: victim@example.org\r\n\r\nCANARY"
		f.exec("UPDATE be_users SET realName = ?, username = ? WHERE uid = 10", evil, "CANARY\r\nBcc: v@example.org")
		for uid, email := range map[int]string{
			11: "a@example.org\r\nBcc: victim@example.org", 12: "a@example.org, victim@example.org", 13: "CANARY <a@example.org>", 14: "\"a\r\nBcc: v\"@example.org",
		} {
			f.exec("UPDATE be_users SET email = ? WHERE uid = ?", email, uid)
		}
		server := f.mailing(func(c *config.Settings) { byGroup(c); c.Privacy.Level = config.PrivacyFull })
		f.waiting(20)
		f.nextDay()
		n := f.instance(nil)
		n.Digests(t.Context())
		got := server.taken()
		if len(got) != 1 || got[0].to != "ed_uploads@example.org" {
			t.Fatalf("%+v", got)
		}
		m := got[0]
		_, body, h := m.text(t)
		if strings.Contains(m.raw+body, "CANARY") || h.Get("Bcc") != "" || strings.Contains(m.raw, "victim") {
			t.Error(m.raw)
		}
		if strings.Contains(f.log.String()+f.dump("tx_editoractions_digest"), "CANARY") || strings.Contains(f.log.String(), "@") {
			t.Error(f.log.String())
		}
		if status, err := n.Status(t.Context()); err != nil || status.Unreachable != 4 {
			t.Errorf("%+v %v", status, err)
		}
	})
}

// A shutdown in the middle of a mail leaves it to the next start.
func TestDigest_ShutdownGivesBack(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		server := f.mailing(nil)
		good := f.settings.Notices.Mail
		cfg, reached := silent(t, true)
		f.set(func(c *config.Settings) { c.Notices.Mail = cfg })
		f.waiting(10)
		f.nextDay()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-reached; cancel() }()
		f.instance(nil).Digests(ctx)
		f.set(func(c *config.Settings) { c.Notices.Mail = good })
		f.instance(nil).Digests(t.Context())
		if got := server.to(); len(got) != 1 || strings.Contains(f.log.String(), "ERROR") {
			t.Errorf("%v\n%s", got, f.log)
		}
	})
}
