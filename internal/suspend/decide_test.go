package suspend_test

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/database"
	"editor-actions/internal/fault"
	"editor-actions/internal/suspend"

	"gorm.io/gorm"
)

func TestApprove_QueuesTheClosingTurnAndRecordsWho(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.waiting()
		d := s.on(run, 9)
		d.Edited, d.HistoryUID, d.Reason, d.OriginalUser = true, 44, "shorter", 1
		d.Fields = map[string]suspend.FieldChange{"alternative": {Old: "IMG_1.JPG", Proposed: "Eine Brücke", New: "Brücke"}}
		s.must(s.approve(s.Store, d))
		got := s.now(run.ID)
		if got.Status != suspend.Queued || got.Phase != suspend.PhaseClose || !got.Written || got.Reason != suspend.ReasonApproved || got.Digest != "" || got.Attempts != 0 {
			t.Errorf("%+v", got)
		}
		d.Verb = suspend.VerbApprove
		byRun, err := s.Decisions(t.Context(), run.ID, "nothing")
		s.must(err)
		if want := map[suspend.RunID][]suspend.Decision{run.ID: {d}}; !reflect.DeepEqual(byRun, want) {
			t.Errorf("got %+v, want %+v", byRun, want)
		}
		claimed, state, err := s.Claim(t.Context(), "w", lease, 3)
		s.must(err)
		if claimed.Phase != suspend.PhaseClose || !reflect.DeepEqual(state.Plain(), closing()) {
			t.Errorf("%+v %+v", claimed, state)
		}
		s.must(s.Settle(t.Context(), run.ID, "w", suspend.Settlement{Status: suspend.Completed, Reason: suspend.ReasonApproved, Message: "Done."}))
	})
}

func TestP9_ADecisionOnAnotherTurnOrCardChangesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.waiting()
		before := s.raw(run.ID)
		for name, change := range map[string]func(*suspend.Decision){
			"S26_missing digest": func(d *suspend.Decision) { d.Digest = "" },
			"S26_altered digest": func(d *suspend.Decision) { d.Digest = "0" + d.Digest[1:] + "0" },
			"digest in capitals": func(d *suspend.Decision) { d.Digest = "A" + d.Digest[1:] },
			"earlier turn":       func(d *suspend.Decision) { d.Turn-- },
			"later turn":         func(d *suspend.Decision) { d.Turn++ },
		} {
			t.Run(name, func(t *testing.T) {
				d := s.on(run, 9)
				change(&d)
				for verb, err := range map[string]error{
					"approve":   s.approve(s.Store, d),
					"ask again": s.AskAgain(t.Context(), nil, d, closing()),
					"reject":    s.Reject(t.Context(), nil, d),
				} {
					if !errors.Is(err, suspend.ErrStaleTurn) || fault.KindOf(err) != fault.Stale {
						t.Error(verb, err)
					}
				}
				_, err := s.Redraw(t.Context(), suspend.Redrawing{Run: d.Run, Turn: d.Turn, Digest: d.Digest, State: asked()})
				if !errors.Is(err, suspend.ErrStaleTurn) {
					t.Error(err)
				}
			})
		}
		if s.raw(run.ID) != before {
			t.Error("the row was changed")
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_decision"); n != 0 {
			t.Errorf("%d decisions", n)
		}
		d := s.on(run, 9)
		d.Run = "nothing"
		if err := s.approve(s.Store, d); !errors.Is(err, suspend.ErrRunNotFound) {
			t.Error(err)
		}
		s.must(s.approve(s.Store, s.on(run, 9)))
	})
}

func TestP9_ARedrawnCardRefusesTheOldForm(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		run := s.waiting()
		old := s.on(run, 9)
		st := asked()
		st.MovedFields, st.Preview = []string{"alternative"}, []byte(`{"moved":true}`)
		digest, err := s.Redraw(ctx, suspend.Redrawing{Run: run.ID, Turn: run.Turn, Digest: run.Digest, State: st, SourceSHA256: "bb"})
		s.must(err)
		got, state, err := s.Load(ctx, run.ID)
		s.must(err)
		if digest == run.Digest || got.Digest != digest || got.Turn != run.Turn || got.Status != suspend.Waiting || !got.Stale || got.SourceSHA256 != "bb" || !got.WaitingSince.Equal(run.WaitingSince) {
			t.Errorf("%+v", got)
		}
		if !reflect.DeepEqual(state.Plain(), st) {
			t.Errorf("%+v", state)
		}
		if err := s.approve(s.Store, old); !errors.Is(err, suspend.ErrStaleTurn) {
			t.Error(err)
		}
		again, err := s.Redraw(ctx, suspend.Redrawing{Run: run.ID, Turn: run.Turn, Digest: digest, State: st})
		if err != nil || again == digest || again == run.Digest {
			t.Errorf("%q %v", again, err)
		}
		s.must(s.AskAgain(ctx, nil, s.on(s.now(run.ID), 9), closing()))
		claimed, _, err := s.Claim(ctx, "w", lease, 3)
		s.must(err)
		if next := s.suspended(claimed, "w"); next.Stale || next.Turn != 2 {
			t.Errorf("%+v", next) // a new turn shows the values of now
		}
	})
}

func TestAskAgain_TheOldTurnIsOver(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		run := s.waiting()
		first := s.on(run, 9)
		first.Reason = "too long"
		s.must(s.AskAgain(ctx, nil, first, closing()))
		if err := s.Reject(ctx, nil, first); !errors.Is(err, suspend.ErrAlreadyDecided) {
			t.Error(err)
		}
		claimed, _, err := s.Claim(ctx, "w", lease, 3)
		s.must(err)
		if claimed.Phase != suspend.PhasePropose || claimed.Written {
			t.Errorf("%+v", claimed)
		}
		run = s.suspended(claimed, "w")
		if run.Turn != 2 || run.Digest != first.Digest {
			t.Errorf("%+v", run) // the same call again: only the turn tells the cards apart
		}
		if err := s.approve(s.Store, first); !errors.Is(err, suspend.ErrStaleTurn) {
			t.Error(err)
		}
		s.must(s.Reject(ctx, nil, s.on(run, 8)))
		list, err := s.DecisionsForSubject(ctx, "sys_file", 7, 10)
		s.must(err)
		if len(list) != 2 || list[0].Verb != suspend.VerbReject || list[1].Verb != suspend.VerbAskAgain || list[1].Reason != "too long" {
			t.Errorf("%+v", list)
		}
		if list, err := s.DecisionsForSubject(ctx, "sys_file", 7, 1); err != nil || len(list) != 1 {
			t.Errorf("%+v %v", list, err)
		}
	})
}

func TestDecide_RolledBackWithItsTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.waiting()
		before := s.raw(run.ID)
		crash := errors.New("the power went out")
		err := s.db.Transaction(func(tx *gorm.DB) error {
			s.must(s.Approve(t.Context(), tx, s.on(run, 9), closing()))
			s.must(s.Append(t.Context(), tx, run.ID, suspend.Event{Kind: suspend.EventTool, Payload: suspend.ToolPayload{Tool: "t"}}))
			return crash
		})
		if !errors.Is(err, crash) {
			t.Fatal(err)
		}
		if s.raw(run.ID) != before {
			t.Error("the run moved")
		}
		if n := s.count("SELECT (SELECT COUNT(*) FROM tx_editoractions_decision) + (SELECT COUNT(*) FROM tx_editoractions_event)"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		s.must(s.approve(s.Store, s.on(run, 9)))
	})
}

// S30: a decision that cannot be recorded is not carried out.
func TestS30_WithoutAuditNothingHappens(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.waiting()
		before := s.raw(run.ID)
		s.exec("ALTER TABLE tx_editoractions_decision RENAME TO away")
		if err := s.Approve(t.Context(), nil, s.on(run, 9), closing()); err == nil {
			t.Error("approved without a record")
		}
		if s.raw(run.ID) != before {
			t.Error("the run moved")
		}
		s.exec("ALTER TABLE away RENAME TO tx_editoractions_decision")
		s.must(s.approve(s.Store, s.on(run, 9)))
	})
}

// A reader inside the loser's transaction would see the time before the winner.
func TestP10_TheLoserLearnsThatItIsLate(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		if s.db.Name() == "sqlite" {
			t.Skip("SQLite has one writer: there is no older snapshot to read from")
		}
		run := s.waiting()
		err := s.db.Transaction(func(tx *gorm.DB) error {
			var n int64
			s.must(tx.Raw("SELECT COUNT(*) FROM tx_editoractions_run").Scan(&n).Error) // takes the snapshot
			s.must(s.Reject(t.Context(), nil, s.on(run, 8)))
			return s.Approve(t.Context(), tx, s.on(run, 9), closing())
		})
		// A server with innodb_snapshot_isolation ends the transaction instead; the
		// caller tries again and is told then.
		if !errors.Is(err, suspend.ErrAlreadyDecided) && !database.IsTransient(err) {
			t.Error(err)
		}
	})
}

func TestP10_ManyApprovesOnTwoInstancesWriteOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		const clicks = 200
		s.exec("CREATE TABLE written (n INTEGER NOT NULL)")
		run := s.waiting()
		next := s.Follow(t.Context(), run.ID, closing())
		dbs := []*gorm.DB{s.db, connect(t, s.dsn)}
		stores := []*suspend.Store{s.Store, s.instance(dbs[1])}
		var (
			wg       sync.WaitGroup
			mu       sync.Mutex
			outcomes = map[error]int{}
		)
		for i := range clicks {
			wg.Go(func() {
				d := s.on(run, uint32(i))
				var err error
				for range 10 {
					err = dbs[i%2].WithContext(context.Background()).Transaction(func(tx *gorm.DB) error {
						if err := tx.Exec("INSERT INTO written (n) VALUES (?)", i).Error; err != nil {
							return err
						}
						return stores[i%2].Approve(context.Background(), tx, d, next)
					})
					if !database.IsTransient(err) {
						break
					}
				}
				for _, known := range []error{suspend.ErrAlreadyDecided, suspend.ErrStaleTurn} {
					if errors.Is(err, known) {
						err = known
					}
				}
				mu.Lock()
				outcomes[err]++
				mu.Unlock()
			})
		}
		wg.Wait()
		if outcomes[nil] != 1 || outcomes[suspend.ErrAlreadyDecided] != clicks-1 {
			t.Errorf("outcomes %v", outcomes)
		}
		if n := s.count("SELECT COUNT(*) FROM written"); n != 1 {
			t.Errorf("written %d times", n)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_decision"); n != 1 {
			t.Errorf("%d decisions", n)
		}
	})
}

// Every pair of things that can happen to a waiting run at once: one wins whole.
func TestP10_OneOfTwoConcurrentTransitionsWins(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := context.Background()
		moves := map[string]func(*suspend.Run) error{
			"approve": func(r *suspend.Run) error { return s.Approve(ctx, nil, s.on(r, 9), closing()) },
			"again":   func(r *suspend.Run) error { return s.AskAgain(ctx, nil, s.on(r, 9), closing()) },
			"reject":  func(r *suspend.Run) error { return s.Reject(ctx, nil, s.on(r, 9)) },
			"expire": func(r *suspend.Run) error {
				n, err := s.Expire(ctx, s.clock.now().Add(time.Hour), 1000)
				if err == nil && n == 0 {
					return suspend.ErrAlreadyDecided
				}
				return err
			},
		}
		for name, one := range moves {
			for other, two := range moves {
				for range 3 {
					run := s.waiting()
					var wg sync.WaitGroup
					var a, b error
					wg.Go(func() { a = one(run) })
					wg.Go(func() { b = two(run) })
					wg.Wait()
					if (a == nil) == (b == nil) {
						t.Errorf("%s and %s: %v and %v", name, other, a, b)
					}
					if got := s.now(run.ID); got.Status == suspend.Waiting {
						t.Errorf("%s and %s: %+v", name, other, got)
					}
					_ = s.Cancel(ctx, run.ID, 1) // not left for later claims; a written run stays
					s.exec("UPDATE tx_editoractions_run SET status = 'completed' WHERE status = 'queued'")
				}
			}
		}
	})
}
