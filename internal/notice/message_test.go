package notice_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/notice"
	"editor-actions/internal/secret"
	"editor-actions/internal/suspend"
	"editor-actions/internal/webhook"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"
)

// A receiver over HTTP sees signed messages, each once.
func TestMessages_ReachTheReceiver(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		var mu sync.Mutex
		var bodies []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			id, stamp := r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp")
			if got, want := r.Header.Get("Webhook-Signature"), webhook.Signature(secret.New(hookSecret), id, stamp, body); got != want {
				t.Errorf("signed %q, want %q", got, want)
			}
			mu.Lock()
			defer mu.Unlock()
			bodies = append(bodies, id+" "+string(body))
		}))
		defer server.Close()
		f.set(func(c *config.Settings) { c.Notices.Webhook.URL = server.URL })
		sender := webhook.New(f.clock.now)
		defer func() { _ = sender.Close() }()
		n := f.instance(sender)
		run := f.waiting(10)
		since := run.WaitingSince.Format(time.RFC3339Nano)
		n.Messages(t.Context())
		n.Messages(t.Context())
		f.clock.pass(time.Hour)
		at := f.clock.now().Format(time.RFC3339Nano)
		f.must(f.runs.Reject(t.Context(), nil, f.decision(run, 1)))
		n.Messages(t.Context())
		n.Messages(t.Context())
		id := string(run.ID)
		head := `"run_id":"` + id + `","turn":1,"action":"file.alternative","file_uid":23,"initiator_uid":10,"language":"de","review_url":"https://www.example.org/editor-actions/review/` + id + `",`
		want := []string{
			id + `-1-waiting {"data":{` + head + `"waiting_since":"` + since + `"},"timestamp":"` + since + `","type":"run.waiting"}`,
			id + `-1-decided {"data":{` + head + `"outcome":"rejected","decided_at":"` + at + `","decided_by_uid":1},"timestamp":"` + at + `","type":"run.decided"}`,
		}
		if diff := cmp.Diff(want, bodies); diff != "" {
			t.Error(diff)
		}
	})
}

func TestMessages_EveryOutcome(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		r := &receiver{}
		n := f.instance(r)
		runs := map[notice.Outcome]*suspend.Run{}
		for _, o := range []notice.Outcome{notice.Approved, notice.AskedAgain, notice.Rejected, notice.Cancelled, notice.Expired} {
			runs[o] = f.waiting(10)
		}
		n.Messages(t.Context())
		ctx := t.Context()
		approved := f.decided(runs[notice.Approved].ID)
		f.must(f.db.Transaction(func(tx *gorm.DB) error {
			return f.runs.Approve(ctx, tx, f.decision(runs[notice.Approved], 1), approved)
		}))
		f.must(f.runs.AskAgain(ctx, nil, f.decision(runs[notice.AskedAgain], 1), f.decided(runs[notice.AskedAgain].ID)))
		f.must(f.runs.Reject(ctx, nil, f.decision(runs[notice.Rejected], 1)))
		f.must(f.runs.Cancel(ctx, runs[notice.Cancelled].ID, 10))
		f.clock.pass(time.Hour)
		if count, err := f.runs.Expire(ctx, f.clock.now(), 10); err != nil || count != 1 {
			t.Fatal(count, err)
		}
		n.Messages(ctx)
		for o, run := range runs {
			var got []string
			for i, m := range r.got {
				var d notice.Message
				f.must(json.Unmarshal([]byte(r.bodies[i]), &d))
				if d.RunID == string(run.ID) {
					got = append(got, fmt.Sprintf("%s %d %s", m.Type, d.Turn, d.Outcome))
				}
			}
			if diff := cmp.Diff([]string{"run.waiting 1 ", "run.decided 1 " + string(o)}, got); diff != "" {
				t.Errorf("%s:\n%s", o, diff)
			}
		}
		// The next turn of the run that was asked again is a card of its own.
		again := runs[notice.AskedAgain]
		f.exec("UPDATE tx_editoractions_run SET status = 'completed', settled_at = created_at WHERE id = ?", string(runs[notice.Approved].ID))
		second := f.suspendAgain(again.ID)
		n.Messages(ctx)
		f.must(f.runs.Reject(ctx, nil, f.decision(second, 1)))
		n.Messages(ctx)
		id := string(again.ID)
		for _, want := range []string{"-1-waiting", "-1-decided", "-2-waiting", "-2-decided"} {
			if r.ids()[id+want] != 1 {
				t.Errorf("%s was sent %d times", want, r.ids()[id+want])
			}
		}
		if len(r.got) != 12 {
			t.Errorf("%d messages", len(r.got))
		}
	})
}

func TestMessages_SeveralInstancesSendOne(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		const cards = 40
		r := &receiver{}
		for range cards {
			f.waiting(10)
		}
		var wg sync.WaitGroup
		for range 4 {
			n := f.instance(r)
			wg.Go(func() {
				for range 3 {
					n.Messages(t.Context())
				}
			})
		}
		wg.Wait()
		f.instance(r).Messages(t.Context()) // what a transient error of the database left
		ids := r.ids()
		if len(ids) != cards || len(r.got) != cards {
			t.Errorf("%d messages with %d ids about %d cards", len(r.got), len(ids), cards)
		}
	})
}

// An instance that dies between claim and outcome leaves the message to another one,
// under the same id and not before its claim has run out.
func TestMessages_CrashIsSentAgain(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		r := &receiver{}
		r.answer = func(n int, _ webhook.Message) error {
			if n == 1 {
				runtime.Goexit() // nothing of this instance runs any more
			}
			return nil
		}
		run := f.waiting(10)
		var wg sync.WaitGroup
		dying := f.instance(r)
		wg.Go(func() { dying.Messages(t.Context()) })
		wg.Wait()
		other := f.instance(r)
		other.Messages(t.Context())
		if len(r.got) != 1 {
			t.Fatalf("a claimed message was sent: %d", len(r.got))
		}
		f.clock.pass(2 * time.Minute)
		other.Messages(t.Context())
		other.Messages(t.Context())
		if diff := cmp.Diff(map[string]int{string(run.ID) + "-1-waiting": 2}, r.ids()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestMessages_ShutdownGivesBack(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx, cancel := context.WithCancel(t.Context())
		r := &receiver{}
		r.answer = func(n int, _ webhook.Message) error {
			if n == 1 {
				cancel()
				return context.Canceled
			}
			return nil
		}
		f.waiting(10)
		f.instance(r).Messages(ctx)
		f.instance(r).Messages(t.Context())
		if len(r.got) != 2 || strings.Contains(f.log.String(), "ERROR") {
			t.Errorf("%d attempts\n%s", len(r.got), f.log)
		}
	})
}
