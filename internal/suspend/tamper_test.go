package suspend_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"editor-actions/internal/suspend"
)

func (s *site) columns(id suspend.RunID) (key, body []byte) {
	s.Helper()
	s.must(s.db.Raw("SELECT sealed_key, sealed_state FROM tx_editoractions_run WHERE id = ?", string(id)).Row().Scan(&key, &body))
	return key, body
}

func (s *site) put(id suspend.RunID, key, body []byte) {
	s.Helper()
	s.exec("UPDATE tx_editoractions_run SET sealed_key = ?, sealed_state = ? WHERE id = ?", key, body, string(id))
}

// unreadable checks that a run does not open and that looking left it alone.
func (s *site) unreadable(name string, id suspend.RunID) {
	s.Helper()
	before := s.raw(id)
	if run, state, err := s.Load(s.Context(), id); !errors.Is(err, suspend.ErrUnreadable) || run == nil || state != nil {
		s.Errorf("%s: %+v %v", name, state, err)
	}
	if s.raw(id) != before {
		s.Errorf("%s: looking changed the row", name)
	}
}

// Tink's prefix is a version byte and a key number; then nonce, ciphertext, tag. The
// body has no prefix.
const (
	tinkPrefix = 5
	nonceBytes = 12
	tagBytes   = 16
)

// spoiled are one column's bytes, damaged in each of their regions.
func spoiled(b []byte, prefix int) map[string][]byte {
	flip := func(at int, mask byte) []byte {
		c := bytes.Clone(b)
		c[at] ^= mask
		return c
	}
	out := map[string][]byte{
		"NULL": nil, "empty": {}, "one byte": b[:1], "without its last byte": b[:len(b)-1], "without its first byte": b[1:],
		"without its tag": b[:len(b)-tagBytes], "only prefix and nonce": b[:prefix+nonceBytes],
		"one byte longer": append(bytes.Clone(b), 0), "one byte before": append([]byte{0}, b...), "twice": append(bytes.Clone(b), b...),
		"zeros": make([]byte, len(b)),
	}
	for region, at := range map[string]int{
		"nonce, first": prefix, "nonce, last": prefix + nonceBytes - 1, "body, first": prefix + nonceBytes,
		"body, middle": len(b) / 2, "body, last": len(b) - tagBytes - 1, "tag, first": len(b) - tagBytes, "tag, last": len(b) - 1,
	} {
		out[region+", lowest bit"], out[region+", highest bit"] = flip(at, 1), flip(at, 0x80)
	}
	for at := range prefix {
		out[fmt.Sprintf("prefix, byte %d", at)] = flip(at, 1)
	}
	return out
}

func TestP7_EveryDamageOfASealedColumnIsNoticed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run, other := s.waiting(), s.waiting()
		key, body := s.columns(run.ID)
		otherKey, otherBody := s.columns(other.ID)
		for name, b := range spoiled(key, tinkPrefix) {
			s.put(run.ID, b, body)
			s.unreadable("key: "+name, run.ID)
		}
		for name, b := range spoiled(body, 0) {
			s.put(run.ID, key, b)
			s.unreadable("body: "+name, run.ID)
		}
		for name, c := range map[string][2][]byte{
			"both of another run": {otherKey, otherBody}, "body of another run": {key, otherBody}, "key of another run": {otherKey, body},
			"key in both columns": {key, key}, "body in both columns": {body, body}, "columns swapped": {body, key},
		} {
			if len(c[0]) > 255 { // as much as the column takes
				c[0] = c[0][:255]
			}
			s.put(run.ID, c[0], c[1])
			s.unreadable(name, run.ID)
		}
		s.put(run.ID, key, body)
		if _, _, err := s.Load(t.Context(), run.ID); err != nil {
			t.Error("the repaired row does not open:", err)
		}
	})
}

// A worker meets a damaged state: the run ends visibly and its bytes stay (P17).
func TestP17_DamageIsNoticedByAWorkerToo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		_, body := s.columns(s.queued().ID)
		for name := range spoiled(body, 0) {
			s.exec("DELETE FROM tx_editoractions_run")
			run := s.queued()
			_, own := s.columns(run.ID)
			b := spoiled(own, 0)[name]
			s.exec("UPDATE tx_editoractions_run SET sealed_state = ? WHERE id = ?", b, string(run.ID))
			if _, _, err := s.Claim(t.Context(), "w", lease, 3); !errors.Is(err, suspend.ErrNothingToDo) {
				t.Errorf("%s: %v", name, err)
			}
			if got := s.now(run.ID); got.Status != suspend.Failed || got.Reason != suspend.ReasonUnreadable {
				t.Errorf("%s: %+v", name, got)
			}
			if _, kept := s.columns(run.ID); !bytes.Equal(kept, b) {
				t.Errorf("%s: the sealed bytes were changed", name)
			}
		}
	})
}

// tampered are the columns that are not sealed and decide something, each with a value
// that somebody with the database's password could put there.
var tampered = map[string]string{
	"action": "'suggest_title'", "tool": "'set_file_reference_alternative_text'", "subject_table": "'sys_file_reference'",
	"subject_uid": "8", "storage_uid": "2", "initiator": "1", "original_user": "0", "language": "'en'",
	"configuration": "'elsewhere'", "source_sha256": "'bb'", "turn": "turn + 1", "redraws": "redraws + 1",
	"parent": "'01900000-0000-7000-8000-000000000000'", "folder": "'1:/elsewhere/'",
	"written": "1 - written", "phase": "CASE phase WHEN 'close' THEN 'propose' ELSE 'close' END",
}

func TestP9_ACardDoesNotOpenUnderAnotherRow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		for name, reach := range map[string]func() *suspend.Run{"first card": s.waiting, "redrawn": s.redrawn, "second turn": s.secondTurn} {
			run := reach()
			for column, value := range tampered {
				before := s.raw(run.ID)
				var was any
				s.must(s.db.Raw("SELECT " + column + " FROM tx_editoractions_run WHERE id = '" + string(run.ID) + "'").Row().Scan(&was))
				s.exec("UPDATE tx_editoractions_run SET "+column+" = "+value+" WHERE id = ?", string(run.ID))
				s.unreadable(name+", "+column, run.ID)
				s.exec("UPDATE tx_editoractions_run SET "+column+" = ? WHERE id = ?", was, string(run.ID))
				if s.raw(run.ID) != before || !s.opens(run.ID) {
					t.Errorf("%s, %s: the row is not as it was", name, column)
				}
			}
			for _, status := range []suspend.Status{suspend.Queued, suspend.Running} {
				s.exec("UPDATE tx_editoractions_run SET status = ? WHERE id = ?", string(status), string(run.ID))
				s.unreadable(name+", status "+string(status), run.ID)
			}
			s.exec("DELETE FROM tx_editoractions_run")
		}
	})
}

func (s *site) redrawn() *suspend.Run {
	run := s.waiting()
	_, err := s.Redraw(s.Context(), suspend.Redrawing{Run: run.ID, Turn: run.Turn, Digest: run.Digest, State: asked(), SourceSHA256: "cc"})
	s.must(err)
	return s.now(run.ID)
}

func (s *site) secondTurn() *suspend.Run {
	run := s.waiting()
	s.must(s.AskAgain(s.Context(), nil, s.on(run, 9), closing()))
	claimed, _, err := s.Claim(s.Context(), "w", lease, 3)
	s.must(err)
	return s.suspended(claimed, "w")
}

// A worker sends nothing and writes nothing for a row that is not the one it was.
func TestP16_AWorkerDoesNotTakeUpATamperedRow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		reach := map[string]func() *suspend.Run{
			"first turn": s.queued,
			"asked again": func() *suspend.Run {
				run := s.waiting()
				s.must(s.AskAgain(t.Context(), nil, s.on(run, 9), closing()))
				return run
			},
			"written": func() *suspend.Run {
				run := s.waiting()
				s.must(s.Approve(t.Context(), nil, s.on(run, 9), closing()))
				return run
			},
		}
		for name, there := range reach {
			for column, value := range tampered {
				run := there()
				s.exec("UPDATE tx_editoractions_run SET "+column+" = "+value+" WHERE id = ?", string(run.ID))
				if claimed, _, err := s.Claim(t.Context(), "w", lease, 3); !errors.Is(err, suspend.ErrNothingToDo) {
					t.Errorf("%s, %s: %+v %v", name, column, claimed, err)
				}
				got := s.now(run.ID)
				if got.ErrorKind != string(suspend.ReasonUnreadable) || !got.Status.Terminal() || (got.Status == suspend.Completed) != got.Written {
					t.Errorf("%s, %s: %+v", name, column, got)
				}
				s.exec("DELETE FROM tx_editoractions_run")
			}
		}
	})
}

// An earlier state of the same run opens with the run's id; what it was sealed for tells
// it from the one that belongs there.
func TestP9_AnEarlierStateOfTheSameRunDoesNotFit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		type past struct{ key, body []byte }
		var states []past
		keep := func(id suspend.RunID) {
			key, body := s.columns(id)
			states = append(states, past{key, body})
		}
		replay := func(name string, run *suspend.Run, claim bool) {
			key, body := s.columns(run.ID)
			for i, p := range states {
				s.put(run.ID, p.key, p.body)
				s.unreadable(fmt.Sprintf("%s: state %d", name, i), run.ID)
			}
			s.put(run.ID, key, body)
			if !s.opens(run.ID) {
				t.Fatalf("%s: its own state does not open", name)
			}
			if claim { // nobody sends what was answered already
				s.put(run.ID, states[len(states)-1].key, states[len(states)-1].body)
				if _, _, err := s.Claim(ctx, "w", lease, 3); !errors.Is(err, suspend.ErrNothingToDo) {
					t.Errorf("%s: %v", name, err)
				}
			}
			keep(run.ID)
		}
		run := s.queued()
		keep(run.ID)
		claimed, _, err := s.Claim(ctx, "w", lease, 3)
		s.must(err)
		run = s.suspended(claimed, "w")
		replay("first card", run, false)
		_, err = s.Redraw(ctx, suspend.Redrawing{Run: run.ID, Turn: 1, Digest: run.Digest, State: asked(), SourceSHA256: run.SourceSHA256})
		s.must(err)
		run = s.now(run.ID)
		replay("redrawn", run, false)
		s.must(s.AskAgain(ctx, nil, s.on(run, 9), closing()))
		replay("asked again", s.now(run.ID), false)
		claimed, _, err = s.Claim(ctx, "w", lease, 3)
		s.must(err)
		run = s.suspended(claimed, "w")
		replay("second card", run, false)
		s.must(s.Approve(ctx, nil, s.on(run, 9), closing()))
		replay("approved", s.now(run.ID), true)
	})
}

// The digest of a card is no secret: whoever puts an earlier card back, with its turn and
// digest, meets the turn's number and its decision.
func TestP10_ACardThatIsPutBackWholeWritesNothingTwice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		run := s.waiting()
		key, body := s.columns(run.ID)
		s.must(s.Approve(ctx, nil, s.on(run, 9), closing()))
		s.exec("UPDATE tx_editoractions_run SET status = 'waiting', phase = 'propose', written = 0, turn = 1, redraws = 0, digest = ?, waiting_since = ?, sealed_key = ?, sealed_state = ? WHERE id = ?",
			run.Digest, run.WaitingSince, key, body, string(run.ID))
		if !s.opens(run.ID) {
			t.Fatal("the whole row as it was is a row like any other")
		}
		before := s.raw(run.ID)
		for verb, err := range map[string]error{
			"approve":   s.Approve(ctx, nil, s.on(run, 9), closing()),
			"ask again": s.AskAgain(ctx, nil, s.on(run, 9), closing()),
			"reject":    s.Reject(ctx, nil, s.on(run, 9)),
		} {
			if !errors.Is(err, suspend.ErrAlreadyDecided) {
				t.Errorf("%s: the turn was decided twice: %v", verb, err)
			}
		}
		if s.raw(run.ID) != before {
			t.Error("the row was changed")
		}
	})
}

// Rows of a release that sealed no origin go on.
func TestState_OfAnEarlierReleaseOpensAndIsBoundByItsNextMove(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.waiting()
		old, err := s.Unbound(run.ID, asked())
		s.must(err)
		s.put(run.ID, old.Key, old.Body)
		_, state, err := s.Load(t.Context(), run.ID)
		s.must(err)
		s.must(s.Store.AskAgain(t.Context(), nil, s.on(run, 9), *state))
		s.exec("UPDATE tx_editoractions_run SET initiator = 1 WHERE id = ?", string(run.ID))
		s.unreadable("after its next move", run.ID)
	})
}

// Nobody stores a state for a run that was not opened from it: it would be bound to nothing.
func TestState_OfNobodyIsNotStored(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx, run := t.Context(), s.waiting()
		before := s.raw(run.ID)
		_, redraw := s.Store.Redraw(ctx, suspend.Redrawing{Run: run.ID, Turn: run.Turn, Digest: run.Digest, State: asked()})
		for i, err := range []error{s.Store.Approve(ctx, nil, s.on(run, 9), closing()), s.Store.AskAgain(ctx, nil, s.on(run, 9), closing()), redraw} {
			if err == nil {
				t.Errorf("%d is stored", i)
			}
		}
		if s.raw(run.ID) != before {
			t.Error("the row was changed")
		}
	})
}

// Columns that are neither sealed nor bound: what they can do, and that it is no write.
func TestTampering_OfColumnsThatAreNotBound(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.waiting()
		for column, value := range map[string]string{"digest": "'" + suspend.Digest([]suspend.PendingCall{{ID: "x"}}, 0) + "'"} {
			s.exec("UPDATE tx_editoractions_run SET "+column+" = "+value+" WHERE id = ?", string(run.ID))
			s.unreadable(column, run.ID)
			s.exec("UPDATE tx_editoractions_run SET digest = ? WHERE id = ?", run.Digest, string(run.ID))
		}
		// Only what lists and the record show, and when something is due.
		s.exec("UPDATE tx_editoractions_run SET model = 'x', vendor = 'y', prompt = 'z', message = 'm', error_kind = 'e', stale = 1, attempts = 99, waiting_since = ? WHERE id = ?",
			run.WaitingSince.Add(-time.Hour), string(run.ID))
		_, state, err := s.Load(t.Context(), run.ID)
		s.must(err)
		if !json.Valid(state.Preview) || !bytes.Equal(state.Pending[0].Arguments, []byte(arguments)) {
			t.Errorf("%+v", state)
		}
	})
}
