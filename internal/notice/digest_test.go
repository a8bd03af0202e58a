package notice_test

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/notice"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"
)

func TestPeriodOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		at          string
		every       int
		now, period string
	}{
		{"06:00", 24, "2026-12-03T10:00:00Z", "2026-12-03T06:00:00Z"},
		{"06:00", 24, "2026-12-03T06:00:00Z", "2026-12-03T06:00:00Z"},
		{"06:00", 24, "2026-12-03T05:59:59Z", "2026-12-02T06:00:00Z"},
		{"06:30", 12, "2026-12-03T18:29:00Z", "2026-12-03T06:30:00Z"},
		{"06:30", 1, "2026-12-03T18:31:00Z", "2026-12-03T18:30:00Z"},
		{"06:00", 168, "2026-12-03T10:00:00Z", "2026-11-30T06:00:00Z"}, // a Monday
		{"06:00", 24, "2023-05-05T05:00:00Z", "2023-05-04T06:00:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, tc.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := notice.PeriodOf(now, config.Mail{EveryHours: tc.every, At: tc.at}).Format(time.RFC3339); got != tc.period {
			t.Errorf("%s of %d hours at %s began at %s, want %s", tc.now, tc.every, tc.at, got, tc.period)
		}
	}
}

// mailing adds a mail server and the approver group 2 (ed_uploads, ed_two_groups, ...).
func (f *fixture) mailing(change func(*config.Settings)) *mailServer {
	server := newMailServer(f.T, config.MailStartTLS)
	f.set(func(c *config.Settings) {
		c.Notices.Webhook.URL = ""
		c.Notices.Mail = server.config
		if change != nil {
			change(c)
		}
	})
	return server
}

func (f *fixture) nextDay() { f.clock.pass(24 * time.Hour) }

// groupOf makes a group with exactly these members beside what they have.
func (f *fixture) groupOf(uid int, members ...uint32) {
	f.Helper()
	f.exec("INSERT INTO be_groups (uid, pid, title) VALUES (?, 0, 'Reviewers')", uid)
	for _, m := range members {
		f.exec("UPDATE be_users SET usergroup = ? WHERE uid = ?", uid, m)
	}
}

const reviewers = 900

func byGroup(c *config.Settings) { c.Review.ApproverGroups = []uint32{reviewers} }

func TestDigest_GoesToWhoeverDecides(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		// 10 to 17 review; most of them may not be reached.
		f.groupOf(reviewers, 10, 11, 12, 13, 14, 15, 16)
		f.exec("UPDATE be_users SET disable = 1 WHERE uid = 11")
		f.exec("UPDATE be_users SET deleted = 1 WHERE uid = 12")
		f.exec("UPDATE be_users SET endtime = ? WHERE uid = 13", f.clock.now().Unix()-3600)
		f.exec("UPDATE be_users SET email = '' WHERE uid = 14")
		f.exec("UPDATE be_users SET starttime = ? WHERE uid = 15", f.clock.now().Unix()+3600*24*300)
		f.exec("UPDATE be_users SET TSconfig = 'tx_editoractions.digest = 0' WHERE uid = 16")
		f.exec("INSERT INTO be_groups (uid, pid, title, subgroup) VALUES (901, 0, 'Above', '900')")
		f.exec("UPDATE be_users SET usergroup = '901' WHERE uid = 17") // through a subgroup
		f.waiting(20)
		server := f.mailing(byGroup)
		f.nextDay()
		n := f.instance(nil)
		n.Digests(t.Context())
		if diff := cmp.Diff([]string{"ed_title_via_other_group@example.org", "ed_uploads@example.org"}, slices.Sorted(slices.Values(server.to()))); diff != "" {
			t.Errorf("approver groups:\n%s", diff)
		}
		status, err := n.Status(t.Context())
		if err != nil || status.Recipients != 2 || status.Unreachable != 1 || status.Undelivered != 0 || status.LastMail.IsZero() {
			t.Errorf("%+v %v", status, err)
		}

		// Without groups the person who started decides, and administrators who asked for it.
		f.exec("UPDATE be_users SET TSconfig = 'tx_editoractions.digest = 1' WHERE uid = 1")
		f.set(func(c *config.Settings) { c.Review.ApproverGroups = nil })
		f.nextDay()
		f.instance(nil).Digests(t.Context())
		if diff := cmp.Diff([]string{"admin@example.org", "ed_both_languages@example.org"}, slices.Sorted(slices.Values(server.to()))); diff != "" {
			t.Errorf("no groups:\n%s", diff)
		}

		// Nobody hears of a card that they may not decide.
		f.set(func(c *config.Settings) { byGroup(c); c.Review.RequireSecondApprover = true })
		f.exec("DELETE FROM tx_editoractions_digest")
		f.exec("UPDATE tx_editoractions_run SET initiator = 10")
		f.exec("UPDATE be_users SET TSconfig = '' WHERE uid = 1")
		f.nextDay()
		f.instance(nil).Digests(t.Context())
		if diff := cmp.Diff([]string{"ed_title_via_other_group@example.org"}, server.to()); diff != "" {
			t.Errorf("second approver:\n%s", diff)
		}

		// Whoever cannot enter is not asked in.
		for name, change := range map[string]func(*config.Settings){
			"access":     func(c *config.Settings) { c.Access.Groups = []uint32{555} },
			"only admin": func(c *config.Settings) { c.TYPO3.AdminOnly = 1 },
			"locked":     func(c *config.Settings) { c.TYPO3.AdminOnly = -1 },
		} {
			f.exec("DELETE FROM tx_editoractions_digest")
			before := f.settings
			f.set(change)
			f.instance(nil).Digests(t.Context())
			if got := server.to(); len(got) != 0 {
				t.Errorf("%s: %v", name, got)
			}
			f.settings = before
		}
	})
}

func TestDigest_OncePerPeriodAndOnlyWithNews(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		server := f.mailing(nil)
		n := f.instance(nil)
		expect := func(what string, want int) {
			t.Helper()
			for range 3 {
				n.Digests(t.Context())
				f.instance(nil).Digests(t.Context()) // another one, or this one after a restart
			}
			if got := server.to(); len(got) != want {
				t.Errorf("%s: %v", what, got)
			}
		}
		expect("nothing waits", 0)
		first := f.waiting(10)
		expect("the period began before the card waited", 0)
		f.nextDay()
		expect("a first card", 1)
		f.clock.pass(time.Hour)
		expect("later that day", 0)
		f.nextDay()
		expect("nothing new", 0)
		second := f.waiting(10)
		f.nextDay()
		expect("a new card", 1)
		for day := range 6 {
			f.nextDay()
			expect("nothing new on day "+string(rune('1'+day)), 0)
		}
		f.nextDay()
		expect("a week later", 1)
		f.must(f.runs.Reject(t.Context(), nil, f.decision(first, 1)))
		f.must(f.runs.Reject(t.Context(), nil, f.decision(second, 1)))
		f.clock.pass(30 * 24 * time.Hour)
		expect("nothing waits any more", 0)
		f.clock.pass(100 * 24 * time.Hour)
		f.waiting(11)
		f.nextDay()
		expect("somebody else", 1)
		if rows := f.count("SELECT COUNT(*) FROM tx_editoractions_digest"); rows != 1 {
			t.Errorf("%d rows", rows)
		}
	})
}

func TestDigest_SeveralInstancesSendOne(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.groupOf(reviewers, 10, 11, 12, 13, 14, 15)
		server := f.mailing(byGroup)
		f.waiting(20)
		f.nextDay()
		var wg sync.WaitGroup
		for range 4 {
			n := f.instance(nil)
			wg.Go(func() { n.Digests(t.Context()) })
		}
		wg.Wait()
		got := server.to()
		slices.Sort(got)
		if len(got) != 6 || len(slices.Compact(got)) != 6 {
			t.Errorf("%v\n%s", got, f.log)
		}
	})
}

// An instance that dies after its claim, with the mail sent or not, leaves it to another
// one: under the same id, and not before the claim has run out.
func TestDigest_CrashIsSentAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		update int32 // at which it dies: the claim, or the outcome
		mails  int
	}{"before the mail": {1, 1}, "after the mail": {2, 2}} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				server := f.mailing(nil)
				f.waiting(10)
				f.nextDay()
				var updates atomic.Int32
				die := func(db *gorm.DB) {
					if db.Statement.Table == "tx_editoractions_digest" && updates.Add(1) == tc.update {
						runtime.Goexit()
					}
				}
				var err error
				if tc.update == 1 {
					err = f.db.Callback().Update().After("gorm:update").Register("test:die", die)
				} else {
					err = f.db.Callback().Update().Before("gorm:update").Register("test:die", die)
				}
				f.must(err)
				dying, other := f.instance(nil), f.instance(nil)
				var wg sync.WaitGroup
				wg.Go(func() { dying.Digests(t.Context()) })
				wg.Wait()
				other.Digests(t.Context())
				f.clock.pass(6 * time.Minute)
				other.Digests(t.Context())
				other.Digests(t.Context())
				got := server.taken()
				if len(got) != tc.mails {
					t.Fatalf("%d mails, want %d", len(got), tc.mails)
				}
				if a, b := got[0].parse(t).Header.Get("Message-Id"), got[len(got)-1].parse(t).Header.Get("Message-Id"); a != b || a == "" {
					t.Errorf("ids %q and %q", a, b)
				}
			})
		})
	}
}

func TestDigest_ServerIsDown(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.groupOf(reviewers, 10, 11, 12)
		server := f.mailing(byGroup)
		f.waiting(20)
		f.nextDay()
		good := f.settings.Notices.Mail
		f.set(func(c *config.Settings) { c.Notices.Mail.Port = closedPort(t) })
		n := f.instance(nil)
		for range 5 * 60 {
			n.Digests(t.Context())
			f.clock.pass(time.Minute)
		}
		if got := strings.Count(f.log.String(), "could not send digests"); got < 5 || got > 8 {
			t.Errorf("the server was asked %d times in five hours", got)
		}
		f.set(func(c *config.Settings) { c.Notices.Mail = good })
		for range 60 {
			n.Digests(t.Context())
			f.clock.pass(time.Minute)
		}
		if got := server.to(); len(got) != 3 {
			t.Errorf("%v", got)
		}
		if status, err := n.Status(t.Context()); err != nil || status.Undelivered != 0 {
			t.Errorf("%+v %v", status, err)
		}
	})
}

// One person's address stops nobody else's mail.
func TestDigest_RefusedRecipients(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.groupOf(reviewers, 10, 11, 12)
		server := f.mailing(byGroup)
		var greylisted atomic.Int32
		server.refuse = func(to string) error {
			switch {
			case strings.HasPrefix(to, "ed_uploads@"):
				return &smtp.SMTPError{Code: 550, Message: "no such user CANARY"}
			case strings.HasPrefix(to, "ed_press_ro@") && greylisted.Add(1) == 1:
				return &smtp.SMTPError{Code: 450, Message: "try again"}
			}
			return nil
		}
		f.waiting(20)
		f.nextDay()
		n := f.instance(nil)
		n.Digests(t.Context())
		if diff := cmp.Diff([]string{"ed_press2024@example.org"}, server.to()); diff != "" {
			t.Error(diff)
		}
		for range 60 {
			f.clock.pass(time.Minute)
			n.Digests(t.Context())
		}
		if diff := cmp.Diff([]string{"ed_press_ro@example.org"}, server.to()); diff != "" {
			t.Error(diff)
		}
		if strings.Count(f.log.String(), "the address was refused") != 1 || strings.Contains(f.log.String(), "CANARY") || strings.Contains(f.log.String(), "@example.org") {
			t.Error(f.log.String())
		}
		if status, err := n.Status(t.Context()); err != nil || status.Undelivered != 1 {
			t.Errorf("%+v %v", status, err)
		}
	})
}
