package suspend_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/database"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
)

func TestCreate_KeepsWhatItWasGiven(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.queued()
		got, state, err := s.Load(t.Context(), run.ID)
		s.must(err)
		if !reflect.DeepEqual(run, got) {
			t.Errorf("stored %+v, read %+v", run, got)
		}
		if got.Status != suspend.Queued || got.Phase != suspend.PhasePropose || got.Created.Location() != time.UTC || !got.Started.IsZero() {
			t.Errorf("%+v", got)
		}
		if !reflect.DeepEqual(state.Plain(), begun()) {
			t.Errorf("state %+v", state)
		}
		if len(run.ID) != 36 || run.ID[14] != '7' {
			t.Errorf("%q is no UUIDv7", run.ID)
		}
		for _, id := range []suspend.RunID{"nothing", "", "💥", "nothing\x00", "\xff"} { // agents name runs, too
			if _, err := s.Get(t.Context(), id); !errors.Is(err, suspend.ErrRunNotFound) {
				t.Errorf("%q: %v", id, err)
			}
		}
		if _, _, err := s.Load(t.Context(), "nothing"); !errors.Is(err, suspend.ErrRunNotFound) {
			t.Error(err)
		}
	})
}

func TestCreate_RepeatedKeyIsTheSameRun(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		for _, key := range []string{"form-1", strings.Repeat("long ü ", 500)} {
			n := newRun()
			n.IdempotencyKey = key
			first, created, err := s.Create(t.Context(), n)
			s.must(err)
			n.SubjectUID = 8
			again, createdAgain, err := s.Create(t.Context(), n)
			s.must(err)
			if !created || createdAgain || first.ID != again.ID || again.SubjectUID != 7 {
				t.Errorf("%v %v %+v %+v", created, createdAgain, first, again)
			}
			n.Initiator = 4 // somebody else's key is another key
			if other, created, err := s.Create(t.Context(), n); err != nil || !created || other.ID == first.ID {
				t.Errorf("%v %v", created, err)
			}
		}
	})
}

func TestState_ArgumentBytesSurvive(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.waiting()
		_, state, err := s.Load(t.Context(), run.ID)
		s.must(err)
		if !reflect.DeepEqual(state.Plain(), asked()) {
			t.Errorf("got %+v", state)
		}
		if !bytes.Equal(state.Pending[0].Arguments, []byte(arguments)) {
			t.Errorf("arguments are %s", state.Pending[0].Arguments)
		}
		if run.Digest != suspend.Digest(state.Pending, 0) {
			t.Error("the digest is not that of the stored bytes")
		}
		if run.Model != "eye-1" || run.Vendor != "openai" || run.Usage.InputTokens != 100 || run.Usage.OutputTokens != 10 || run.LeaseOwner != "" || run.WaitingSince.IsZero() {
			t.Errorf("%+v", run)
		}
	})
}

func TestP7_SealedAtRestAndGoneWhenSettled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		ends := map[string]func(run *suspend.Run) suspend.Status{
			"rejected": func(run *suspend.Run) suspend.Status {
				s.must(s.Reject(ctx, nil, s.on(run, 9)))
				return suspend.Rejected
			},
			"cancelled": func(run *suspend.Run) suspend.Status {
				s.must(s.Cancel(ctx, run.ID, 9))
				return suspend.Cancelled
			},
			"expired": func(*suspend.Run) suspend.Status {
				s.clock.pass(time.Second)
				n, err := s.Expire(ctx, s.clock.now(), 10)
				s.must(err)
				if n != 1 {
					t.Errorf("expired %d", n)
				}
				return suspend.Expired
			},
			"closed": func(run *suspend.Run) suspend.Status {
				s.must(s.approve(s.Store, s.on(run, 9)))
				claimed, _, err := s.Claim(ctx, "w", lease, 3)
				s.must(err)
				s.must(s.Settle(ctx, claimed.ID, "w", suspend.Settlement{Status: suspend.Completed, Reason: suspend.ReasonApproved}))
				return suspend.Completed
			},
			"exhausted": func(run *suspend.Run) suspend.Status {
				s.must(s.AskAgain(ctx, nil, s.on(run, 9), closing()))
				if _, _, err := s.Claim(ctx, "w", lease, 0); !errors.Is(err, suspend.ErrNothingToDo) {
					t.Error(err)
				}
				return suspend.Failed
			},
		}
		for name, end := range ends {
			run := s.waiting()
			row := s.raw(run.ID)
			for _, word := range []string{note, "Brücke", "alternative\"", "IHDR", "messages"} {
				if strings.Contains(row, word) {
					t.Errorf("the row shows %q", word)
				}
			}
			want := end(run)
			if got := s.now(run.ID); got.Status != want || got.Settled.IsZero() || got.Digest != "" || !got.WaitingSince.IsZero() || got.LeaseOwner != "" {
				t.Errorf("%s: %+v", name, got)
			}
			t.Run("S45_"+name, func(t *testing.T) {
				if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE sealed_state IS NOT NULL OR sealed_key IS NOT NULL"); n != 0 {
					t.Error("the state is still there")
				}
			})
			if got, state, err := s.Load(ctx, run.ID); err != nil || state != nil || got.Status != want {
				t.Errorf("%s: %+v %v", name, state, err)
			}
		}
	})
}

func TestS37_CopiedAndDamagedStatesDoNotOpen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		from, to := s.waiting(), s.waiting()
		columns := func(id suspend.RunID) (key, body []byte) {
			s.must(s.db.Raw("SELECT sealed_key, sealed_state FROM tx_editoractions_run WHERE id = ?", string(id)).Row().Scan(&key, &body))
			return key, body
		}
		fromKey, fromBody := columns(from.ID)
		key, body := columns(to.ID)
		flipped := func(b []byte, at int) []byte {
			c := bytes.Clone(b)
			c[at] ^= 1
			return c
		}
		for name, c := range map[string][2][]byte{
			"another run":          {fromKey, fromBody},
			"another run's body":   {key, fromBody},
			"another run's key":    {fromKey, body},
			"columns swapped":      {body[:200], key},
			"key damaged":          {flipped(key, len(key)-1), body},
			"key id damaged":       {flipped(key, 1), body},
			"body damaged":         {key, flipped(body, len(body)/2)},
			"body damaged at head": {key, flipped(body, 0)},
			"body cut":             {key, body[:len(body)-1]},
			"body empty":           {key, {}},
			"nothing":              {nil, nil},
			"plain text":           {nil, []byte(`{"v":1,"transcript":{"v":1,"messages":[]}}`)},
		} {
			s.exec("UPDATE tx_editoractions_run SET sealed_key = ?, sealed_state = ? WHERE id = ?", c[0], c[1], string(to.ID))
			before := s.raw(to.ID)
			run, state, err := s.Load(t.Context(), to.ID)
			if !errors.Is(err, suspend.ErrUnreadable) || run == nil || run.ID != to.ID || state != nil {
				t.Errorf("%s: %+v %v", name, state, err)
			}
			if s.raw(to.ID) != before {
				t.Errorf("%s: looking changed the row", name)
			}
		}
		s.exec("UPDATE tx_editoractions_run SET sealed_key = ?, sealed_state = ? WHERE id = ?", key, body, string(to.ID))
		if _, _, err := s.Load(t.Context(), to.ID); err != nil {
			t.Error("the repaired row does not open:", err)
		}
		t.Run("AnEarlierStateOfTheSameRun", func(t *testing.T) {
			later := asked()
			later.Pending[0].Arguments = []byte(`{"uid":7,"alternative":"another text"}`)
			s.must(s.AskAgain(t.Context(), nil, s.on(to, 9), closing()))
			run, _, err := s.Claim(t.Context(), "w", lease, 3)
			s.must(err)
			_, err = s.Suspend(t.Context(), run.ID, "w", suspend.Suspension{State: later, Turn: 2})
			s.must(err)
			s.exec("UPDATE tx_editoractions_run SET sealed_key = ?, sealed_state = ? WHERE id = ?", key, body, string(to.ID))
			if _, _, err := s.Load(t.Context(), to.ID); !errors.Is(err, suspend.ErrUnreadable) {
				t.Error("a card shows what its digest does not name:", err)
			}
		})
	})
}

func TestP17_OneUnreadableRowHidesNoOther(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		broken, whole := s.waiting(), s.waiting()
		s.exec("UPDATE tx_editoractions_run SET sealed_state = ? WHERE id = ?", []byte("garbage"), string(broken.ID))
		before := s.raw(broken.ID)
		runs, _, err := s.Waiting(ctx, suspend.Query{Limit: 10})
		s.must(err)
		if len(runs) != 2 {
			t.Errorf("lists %d", len(runs))
		}
		if _, _, err := s.Load(ctx, whole.ID); err != nil {
			t.Error(err)
		}
		t.Run("S36_RowStaysByteIdentical", func(t *testing.T) {
			if _, _, err := s.Load(ctx, broken.ID); !errors.Is(err, suspend.ErrUnreadable) {
				t.Error(err)
			}
			if s.raw(broken.ID) != before {
				t.Error("the row was changed")
			}
		})
		t.Run("CanBePutAway", func(t *testing.T) {
			s.must(s.Reject(ctx, nil, s.on(broken, 9)))
		})
	})
}

func TestP17_AWorkerPassesOverAnUnreadableStateAndKeepsIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		broken, whole := s.queued(), s.queued()
		s.exec("UPDATE tx_editoractions_run SET sealed_state = ? WHERE id = ?", []byte("garbage"), string(broken.ID))
		run, state, err := s.Claim(ctx, "w", lease, 3)
		s.must(err)
		if run.ID != whole.ID || state == nil {
			t.Errorf("claimed %s", run.ID)
		}
		got := s.now(broken.ID)
		if got.Status != suspend.Failed || got.Reason != suspend.ReasonUnreadable || got.LeaseOwner != "" {
			t.Errorf("%+v", got)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND sealed_state = ? AND sealed_key IS NOT NULL", string(broken.ID), []byte("garbage")); n != 1 {
			t.Error("the sealed bytes are gone")
		}
	})
}

func TestP18_AWrittenRunIsNeverStoredAsFailed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		written := func() *suspend.Run {
			run := s.waiting()
			s.must(s.approve(s.Store, s.on(run, 9)))
			return run
		}
		want := func(name string, id suspend.RunID, note string) {
			t.Helper()
			run := s.now(id)
			if run.Status != suspend.Completed || run.Reason != suspend.ReasonApproved || !run.Written || run.ErrorKind != note {
				t.Errorf("%s: %+v", name, run)
			}
		}
		run := written()
		if _, _, err := s.Claim(ctx, "w", lease, 0); !errors.Is(err, suspend.ErrNothingToDo) {
			t.Error(err)
		}
		want("too many attempts", run.ID, "retries_exhausted")

		run = written()
		s.exec("UPDATE tx_editoractions_run SET sealed_state = ? WHERE id = ?", []byte("garbage"), string(run.ID))
		if _, _, err := s.Claim(ctx, "w", lease, 3); !errors.Is(err, suspend.ErrNothingToDo) {
			t.Error(err)
		}
		want("unreadable", run.ID, "unreadable")

		run = written()
		_, _, err := s.Claim(ctx, "w", lease, 3)
		s.must(err)
		s.must(s.Settle(ctx, run.ID, "w", suspend.Settlement{Status: suspend.Failed, Reason: suspend.ReasonProviderFailed}))
		want("settled as failed", run.ID, "provider_failed")

		run = written()
		if err := s.Cancel(ctx, run.ID, 9); !errors.Is(err, suspend.ErrNotCancellable) {
			t.Error(err)
		}
		claimed, _, err := s.Claim(ctx, "w", lease, 3)
		s.must(err)
		if _, err := s.Suspend(ctx, run.ID, "w", suspend.Suspension{State: asked(), Turn: claimed.Turn + 1}); err == nil {
			t.Error("a written run waits again")
		}
	})
}

func TestSettle_LongWordsAndUnknownWords(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.running("w")
		for _, n := range []suspend.Settlement{
			{Status: suspend.Waiting, Reason: suspend.ReasonApproved},
			{Status: suspend.Rejected, Reason: suspend.ReasonRejected}, // only a person rejects
			{Status: suspend.Failed, Reason: "because"},
			{Status: suspend.Failed},
		} {
			if err := s.Settle(t.Context(), run.ID, "w", n); err == nil {
				t.Errorf("%+v is accepted", n)
			}
		}
		s.must(s.Settle(t.Context(), run.ID, "w", suspend.Settlement{
			Status: suspend.Failed, Reason: suspend.ReasonPolicyDenied, ErrorKind: strings.Repeat("ü", 100),
			Model: strings.Repeat("m", 500), Vendor: strings.Repeat("v", 500), Usage: providers.Usage{InputTokens: 5, OutputTokens: 6},
		}))
		got := s.now(run.ID)
		if got.ErrorKind != strings.Repeat("ü", 64) || len(got.Model) != 128 || got.Usage.InputTokens != 5 || got.Usage.OutputTokens != 6 {
			t.Errorf("%+v", got)
		}
	})
}

func TestGet_ReadsNoBlob(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.waiting()
		s.must(s.Reject(t.Context(), nil, s.on(run, 9)))
		run = s.waiting()
		s.running("w")
		counter, err := database.CountQueries(s.db)
		s.must(err)
		ctx, q := t.Context(), suspend.Query{Limit: 10}
		me := uint32(3)
		for _, q := range []suspend.Query{q, {Limit: 10, Initiator: &me}} {
			for _, list := range []func() ([]suspend.Run, error){
				func() ([]suspend.Run, error) { r, _, err := s.Waiting(ctx, q); return r, err },
				func() ([]suspend.Run, error) { r, _, err := s.Recent(ctx, q); return r, err },
				func() ([]suspend.Run, error) { return s.Active(ctx, q.Initiator, 10) },
			} {
				if runs, err := list(); err != nil || len(runs) != 1 {
					t.Errorf("%d runs, %v", len(runs), err)
				}
			}
		}
		byFile, err := s.OpenForSubject(ctx, "sys_file", []uint64{7, 8})
		if err != nil || len(byFile[7]) != 2 {
			t.Errorf("%+v %v", byFile, err)
		}
		s.now(run.ID)
		n, err := s.CountWaiting(ctx, nil)
		if err != nil || n != 1 {
			t.Errorf("%d %v", n, err)
		}
		statements := counter.Reset()
		if len(statements) != 9 {
			t.Errorf("%d statements", len(statements))
		}
		for _, sql := range statements {
			if strings.Contains(sql, "sealed_") || strings.Contains(strings.ReplaceAll(sql, "count(*)", ""), "*") {
				t.Errorf("reads a blob: %s", sql)
			}
		}
	})
}
