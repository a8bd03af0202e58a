package suspend_test

import (
	"errors"
	"testing"
	"time"

	"editor-actions/internal/suspend"

	"gorm.io/gorm"
)

func TestPurgeEvents_OnlyOfRunsThatSettledLongAgo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		var settled []*suspend.Run
		for range 3 {
			run := s.waiting()
			s.must(s.Append(t.Context(), nil, run.ID, everything()[0]))
			s.must(s.Append(t.Context(), nil, run.ID, everything()[1]))
			s.must(s.Reject(t.Context(), nil, s.on(run, 9)))
			settled = append(settled, run)
		}
		open := s.waiting()
		s.must(s.Append(t.Context(), nil, open.ID, everything()[0]))
		last := s.now(settled[2].ID).Settled

		left := func(run *suspend.Run) int {
			events, err := s.Events(t.Context(), run.ID, -1, 100)
			s.must(err)
			return len(events)
		}
		for _, want := range []int{1, 1, 0} { // the youngest settled not before, but at that moment
			if n, err := s.PurgeEvents(t.Context(), last, 1); err != nil || n != want {
				t.Fatalf("%d runs, want %d, %v", n, want, err)
			}
		}
		if left(settled[0]) != 0 || left(settled[1]) != 0 || left(settled[2]) != 2 || left(open) != 1 {
			t.Errorf("left are %d, %d, %d, %d events", left(settled[0]), left(settled[1]), left(settled[2]), left(open))
		}
		if n, err := s.PurgeEvents(t.Context(), last.Add(24*time.Hour), 10); err != nil || n != 1 || left(open) != 1 {
			t.Errorf("%d, %v", n, err)
		}
		for _, run := range settled {
			if d, err := s.Decisions(t.Context(), run.ID); err != nil || len(d[run.ID]) != 1 {
				t.Errorf("a decision is gone: %v", err)
			}
		}
	})
}

// A purge that dies between the stream and the row leaves both.
func TestS47_APurgeNeverLeavesHalf(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.waiting()
		s.must(s.Append(t.Context(), nil, run.ID, suspend.Event{Kind: suspend.EventTool, Payload: suspend.ToolPayload{Tool: "t"}}))
		s.must(s.Reject(t.Context(), nil, s.on(run, 9)))
		crash := errors.New("the power went out")
		s.must(s.db.Callback().Delete().Before("gorm:delete").Register("test:crash", func(tx *gorm.DB) {
			if tx.Statement.Table == "tx_editoractions_run" {
				_ = tx.AddError(crash)
			}
		}))
		s.clock.pass(time.Hour)
		if _, err := s.PurgeRuns(t.Context(), s.clock.now(), 10); !errors.Is(err, crash) {
			t.Fatal(err)
		}
		both := func() (int, int) {
			return s.count("SELECT COUNT(*) FROM tx_editoractions_run"), s.count("SELECT COUNT(*) FROM tx_editoractions_event")
		}
		if runs, events := both(); runs != 1 || events != 1 {
			t.Errorf("%d runs, %d events", runs, events)
		}
		s.must(s.db.Callback().Delete().Remove("test:crash"))
		n, err := s.PurgeRuns(t.Context(), s.clock.now(), 10)
		s.must(err)
		if runs, events := both(); n != 1 || runs != 0 || events != 0 {
			t.Errorf("%d purged, %d runs, %d events", n, runs, events)
		}
	})
}

// A run that waits for its proposals still counts them and tells its model what became of
// them: a written one that was purged would be told as not written (P18).
func TestPurgeRuns_KeepsProposalsOfARunThatGoesOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		parent, children := s.paused(2)
		s.must(s.Reject(t.Context(), nil, s.on(&children[0], 9)))
		s.clock.pass(time.Hour)
		purge := func() int {
			t.Helper()
			due, err := s.CountDue(t.Context(), time.Time{}, time.Time{}, s.clock.now())
			s.must(err)
			n, err := s.PurgeRuns(t.Context(), s.clock.now(), 10)
			s.must(err)
			if due.Runs != n {
				t.Errorf("%d are purged, %d were counted", n, due.Runs)
			}
			return n
		}
		if n := purge(); n != 0 {
			t.Errorf("%d are purged under a run that goes on", n)
		}
		s.must(s.Cancel(t.Context(), parent.ID, 1))
		s.clock.pass(time.Hour)
		if n := purge(); n != 2 || s.now(children[1].ID).Status != suspend.Waiting {
			t.Errorf("%d are purged, not the run and its decided proposal", n)
		}
	})
}
