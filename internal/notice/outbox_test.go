package notice_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/webhook"

	"github.com/google/go-cmp/cmp"
)

func TestMessages_ReceiverIsDown(t *testing.T) {
	down := errors.New("webhook: answered with status 503")
	t.Run("for hours", func(t *testing.T) {
		each(t, func(t *testing.T, f *fixture) {
			up := f.clock.now().Add(5 * time.Hour)
			r := &receiver{answer: func(int, webhook.Message) error {
				if f.clock.now().Before(up) {
					return down
				}
				return nil
			}}
			n := f.instance(r)
			f.waiting(10)
			for range 24 * 60 {
				n.Messages(t.Context())
				f.clock.pass(time.Minute)
			}
			// Tried at 0, 1, 6, 21, 81, 201 minutes, and taken at 441.
			if len(r.got) != 7 || f.count("SELECT COUNT(*) FROM tx_editoractions_notice WHERE status = 'sent'") != 1 {
				t.Errorf("%d attempts: %s", len(r.got), f.dump("tx_editoractions_notice"))
			}
		})
	})
	t.Run("for ever", func(t *testing.T) {
		each(t, func(t *testing.T, f *fixture) {
			r := &receiver{answer: func(int, webhook.Message) error { return down }}
			n := f.instance(r)
			f.waiting(10)
			start := f.clock.now()
			for !strings.Contains(f.log.String(), "gave up notice") && f.clock.now().Sub(start) < 72*time.Hour {
				n.Messages(t.Context())
				f.clock.pass(5 * time.Minute)
			}
			if took := f.clock.now().Sub(start); took < 20*time.Hour || took > 30*time.Hour {
				t.Errorf("given up after %s", took)
			}
			attempts := len(r.got)
			f.clock.pass(48 * time.Hour)
			n.Messages(t.Context())
			if len(r.got) != attempts || attempts != 9 || strings.Count(f.log.String(), `"level":"ERROR"`) != 1 {
				t.Errorf("%d attempts, then %d\n%s", attempts, len(r.got), f.log)
			}
		})
	})
}

// While the receiver does not answer, the other messages wait and lose no try.
func TestMessages_DownReceiverIsLeftAlone(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		r := &receiver{answer: func(int, webhook.Message) error { return errors.New("down") }}
		n := f.instance(r)
		for range 5 {
			f.waiting(10)
		}
		n.Messages(t.Context())
		n.Messages(t.Context())
		if len(r.got) != 1 {
			t.Errorf("%d attempts", len(r.got))
		}
		f.clock.pass(31 * time.Second)
		r.answer = nil
		n.Messages(t.Context())
		if len(r.got) != 5 { // the first one has its turn later
			t.Errorf("%d attempts", len(r.got))
		}
	})
}

func TestMessages_RefusedIsFinal(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		r := &receiver{answer: func(n int, _ webhook.Message) error {
			if n == 1 {
				return fmt.Errorf("%w with status 400", webhook.ErrRefused)
			}
			return nil
		}}
		n := f.instance(r)
		f.waiting(10)
		f.waiting(10)
		n.Messages(t.Context())
		f.clock.pass(48 * time.Hour)
		n.Messages(t.Context())
		if len(r.got) != 2 || len(r.ids()) != 2 || strings.Count(f.log.String(), "gave up notice") != 1 {
			t.Errorf("%v\n%s", r.ids(), f.log)
		}
	})
}

// A receiver is never told that a card waits that does not, and hears the end of
// everything it may have heard of.
func TestMessages_DecidedBeforeTheyWereSent(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		r := &receiver{}
		n := f.instance(r)
		quick := f.waiting(10)
		f.must(f.runs.Reject(t.Context(), nil, f.decision(quick, 1)))
		n.Messages(t.Context())
		if len(r.got) != 0 || f.count("SELECT COUNT(*) FROM tx_editoractions_notice") != 0 {
			t.Errorf("a card nobody could see was told: %v", r.ids())
		}
		r.answer = func(int, webhook.Message) error { return errors.New("down") }
		tried, untried := f.waiting(10), f.waiting(10)
		n.Messages(t.Context()) // tries the first one only
		r.answer = nil
		f.must(f.runs.Reject(t.Context(), nil, f.decision(tried, 1)))
		f.must(f.runs.Cancel(t.Context(), untried.ID, 10))
		f.clock.pass(48 * time.Hour)
		n.Messages(t.Context())
		n.Messages(t.Context())
		id := string(tried.ID)
		if diff := cmp.Diff(map[string]int{id + "-1-waiting": 1, id + "-1-decided": 1}, r.ids()); diff != "" {
			t.Error(diff)
		}
	})
}

// Between the look for due messages and the turn of one its card may be decided.
func TestMessages_DecidedWhileOthersAreSent(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		r := &receiver{}
		n := f.instance(r)
		first, second := f.waiting(10), f.waiting(10)
		r.answer = func(n int, _ webhook.Message) error {
			if n == 1 {
				return f.runs.Reject(t.Context(), nil, f.decision(second, 1))
			}
			return nil
		}
		n.Messages(t.Context())
		n.Messages(t.Context())
		if diff := cmp.Diff(map[string]int{string(first.ID) + "-1-waiting": 1}, r.ids()); diff != "" {
			t.Error(diff)
		}
	})
}

// An instance that was away for longer than its claim changes nothing of what another one
// has done since.
func TestMessages_LateOutcomeCountsForNothing(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		r := &receiver{}
		slow, other := f.instance(r), f.instance(r)
		r.answer = func(n int, _ webhook.Message) error {
			switch n {
			case 1:
				f.clock.pass(2 * time.Minute)
				other.Messages(t.Context())
				return fmt.Errorf("%w with status 400", webhook.ErrRefused)
			case 2:
				return errors.New("down")
			}
			return nil
		}
		f.waiting(10)
		slow.Messages(t.Context())
		if f.count("SELECT COUNT(*) FROM tx_editoractions_notice WHERE status = 'due' AND attempts = 2") != 1 {
			t.Error(f.dump("tx_editoractions_notice"))
		}
		f.clock.pass(10 * time.Minute)
		other.Messages(t.Context())
		if len(r.got) != 3 || f.count("SELECT COUNT(*) FROM tx_editoractions_notice WHERE status = 'sent'") != 1 {
			t.Error(f.dump("tx_editoractions_notice"))
		}
	})
}

func TestMessages_OldRowsGoAndCardsAreNotToldAgain(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		r := &receiver{}
		n := f.instance(r)
		stays, goes := f.waiting(10), f.waiting(10)
		n.Messages(t.Context())
		f.must(f.runs.Reject(t.Context(), nil, f.decision(goes, 1)))
		n.Messages(t.Context())
		f.clock.pass(31 * 24 * time.Hour)
		n.Messages(t.Context())
		n.Messages(t.Context())
		if rows := f.count("SELECT COUNT(*) FROM tx_editoractions_notice"); rows != 1 || len(r.got) != 3 {
			t.Errorf("%d rows, %d messages", rows, len(r.got))
		}
		f.must(f.runs.Reject(t.Context(), nil, f.decision(stays, 1)))
		n.Messages(t.Context())
		if r.ids()[string(stays.ID)+"-1-decided"] != 1 {
			t.Error("the end of an old card was not told")
		}
		// A run that was deleted meanwhile blocks nothing.
		gone, next := f.waiting(10), f.waiting(10)
		n.Messages(t.Context())
		f.exec("DELETE FROM tx_editoractions_run WHERE id = ?", string(gone.ID))
		f.must(f.runs.Reject(t.Context(), nil, f.decision(next, 1)))
		n.Messages(t.Context())
		if r.ids()[string(next.ID)+"-1-decided"] != 1 || strings.Contains(f.log.String(), "ERROR") {
			t.Errorf("%v\n%s", r.ids(), f.log)
		}
	})
}

func TestP8_MessagesHoldContentAtFullOnly(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for _, level := range []string{config.PrivacyNone, config.PrivacyMetadata, config.PrivacyRedacted, "unknown", config.PrivacyFull} {
			f.set(func(c *config.Settings) { c.Privacy.Level = level })
			r := &receiver{}
			n := f.instance(r)
			run := f.waiting(10)
			n.Messages(t.Context())
			f.must(f.runs.Reject(t.Context(), nil, f.decision(run, 1)))
			n.Messages(t.Context())
			if len(r.bodies) != 2 {
				t.Fatalf("%s: %d messages", level, len(r.bodies))
			}
			full := strings.Contains(r.bodies[0], `"file_name":"`+canaryFile+`","texts":{"alternative":"`+canaryText+`"}`)
			if full != (level == config.PrivacyFull) || !full && strings.Contains(r.bodies[0], "CANARY") || strings.Contains(r.bodies[1], "CANARY") {
				t.Errorf("%s: %v", level, r.bodies)
			}
		}
		// A card that cannot be opened is told all the same.
		f.cards.err = errors.New("broken")
		r := &receiver{}
		f.waiting(10)
		f.instance(r).Messages(t.Context())
		if len(r.bodies) != 1 {
			t.Errorf("%d messages", len(r.bodies))
		}
		if strings.Contains(f.log.String()+f.dump("tx_editoractions_notice"), "CANARY") {
			t.Errorf("content in log or table:\n%s\n%s", f.log, f.dump("tx_editoractions_notice"))
		}
	})
}

// Without an address nothing is looked for, and what waits then is told later.
func TestMessages_OffUntilAnAddressIsSet(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		address := f.settings.Notices.Webhook.URL
		f.set(func(c *config.Settings) { c.Notices.Webhook.URL = "" })
		r := &receiver{}
		n := f.instance(r)
		f.waiting(10)
		n.Messages(t.Context())
		if len(r.got) != 0 || f.count("SELECT COUNT(*) FROM tx_editoractions_notice") != 0 {
			t.Error("worked for nobody")
		}
		f.set(func(c *config.Settings) { c.Notices.Webhook.URL = address })
		n.Messages(t.Context())
		if len(r.got) != 1 {
			t.Errorf("%d messages", len(r.got))
		}
	})
}

// What became visible late, because clocks differ or a transaction took long, is found by
// the comparison of everything.
func TestMessages_LateCardsAreFound(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		r := &receiver{}
		n := f.instance(r)
		known := f.waiting(10)
		n.Messages(t.Context())
		late := f.waiting(10)
		hidden := f.clock.now().Add(-30 * time.Minute)
		f.exec("UPDATE tx_editoractions_run SET waiting_since = ? WHERE id = ?", hidden, string(late.ID))
		f.must(f.runs.Reject(t.Context(), nil, f.decision(known, 1)))
		f.exec("UPDATE tx_editoractions_run SET settled_at = ? WHERE id = ?", hidden, string(known.ID))
		f.exec("UPDATE tx_editoractions_decision SET decided_at = ?", hidden)
		n.Messages(t.Context())
		if len(r.got) != 1 {
			t.Errorf("the scan of recent cards found an old one: %v", r.ids())
		}
		f.clock.pass(time.Hour)
		n.Messages(t.Context())
		if diff := cmp.Diff(map[string]int{string(known.ID) + "-1-waiting": 1, string(known.ID) + "-1-decided": 1, string(late.ID) + "-1-waiting": 1}, r.ids()); diff != "" {
			t.Error(diff)
		}
	})
}

// A first scan of many cards needs several batches.
func TestMessages_MoreThanABatch(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		const cards = 1203
		for i := range cards / 3 {
			var values []string
			for j := range 3 { // three cards of one moment each
				id := fmt.Sprintf("019ae3c1-0000-7000-8000-%08d%04d", j, i)
				values = append(values, "('"+id+"', 'waiting', 'propose', 'a', 't', 'sys_file', 23, 10, '"+id+"', '2026-12-01', '2026-12-01', '"+
					f.clock.now().Add(-time.Duration(i) * time.Minute).Format("2006-01-02 15:04:05.000000+00:00")[:26]+"', 1, '')")
			}
			f.exec("INSERT INTO tx_editoractions_run (id, status, phase, action, tool, subject_table, subject_uid, initiator, idempotency_key, created_at, queued_at, waiting_since, turn, message) VALUES " + strings.Join(values, ", "))
		}
		n := f.instance(&receiver{answer: func(int, webhook.Message) error { return errors.New("down") }})
		n.Messages(t.Context())
		if rows := f.count("SELECT COUNT(*) FROM tx_editoractions_notice"); rows != cards {
			t.Errorf("%d rows about %d cards", rows, cards)
		}
		f.exec("UPDATE tx_editoractions_run SET status = 'cancelled', settled_at = waiting_since")
		f.clock.pass(2 * time.Hour)
		n.Messages(t.Context())
		if rows := f.count("SELECT COUNT(*) FROM tx_editoractions_notice WHERE waits = 1"); rows != 0 {
			t.Errorf("%d rows still wait", rows)
		}
	})
}

func TestWork_EndsWithItsContext(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx, cancel := context.WithCancel(t.Context())
		r := &receiver{answer: func(int, webhook.Message) error { cancel(); return nil }}
		f.waiting(10)
		if err := f.instance(r).Work(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if f.count("SELECT COUNT(*) FROM tx_editoractions_notice WHERE status = 'sent'") != 1 {
			t.Error("the outcome of the last message was lost: ", f.dump("tx_editoractions_notice"))
		}
	})
}
