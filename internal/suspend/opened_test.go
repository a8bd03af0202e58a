package suspend_test

import (
	"testing"
	"time"

	"editor-actions/internal/suspend"
)

func TestOpened_IsOfTheViewerAndTheCard(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run, other := s.waiting(), s.waiting()
		s.must(s.MarkOpened(t.Context(), suspend.Opening{Viewer: 7, Run: run.ID, Digest: "old"}))
		s.clock.pass(time.Minute)
		s.must(s.MarkOpened(t.Context(), suspend.Opening{Viewer: 7, Run: run.ID, Digest: run.Digest, Clean: true}))
		got, err := s.Opened(t.Context(), 7, run.ID, other.ID)
		s.must(err)
		if o := got[run.ID]; len(got) != 1 || !o.Clean || o.Digest != run.Digest || !o.At.Equal(s.clock.now().Truncate(time.Microsecond)) {
			t.Errorf("got %+v", got)
		}
		if got, err := s.Opened(t.Context(), 8, run.ID); err != nil || len(got) != 0 {
			t.Errorf("another viewer has opened %+v (%v)", got, err)
		}
		if got, err := s.Opened(t.Context(), 7); err != nil || len(got) != 0 {
			t.Errorf("no runs: %+v (%v)", got, err)
		}
	})
}

func TestPurgeOpened_ForgetsInBatches(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.waiting()
		for viewer := range uint32(3) {
			s.must(s.MarkOpened(t.Context(), suspend.Opening{Viewer: viewer + 1, Run: run.ID, Digest: run.Digest}))
			s.clock.pass(time.Hour)
		}
		n, err := s.PurgeOpened(t.Context(), s.clock.now().Add(-90*time.Minute), 1)
		s.must(err)
		if left := s.count("SELECT COUNT(*) FROM tx_editoractions_opened"); n != 1 || left != 2 {
			t.Errorf("%d were forgotten, %d are left", n, left)
		}
		n, err = s.PurgeOpened(t.Context(), s.clock.now().Add(-90*time.Minute), 10)
		s.must(err)
		if left := s.count("SELECT COUNT(*) FROM tx_editoractions_opened WHERE viewer = 3"); n != 1 || left != 1 {
			t.Errorf("%d were forgotten, the newest is there %d times", n, left)
		}
	})
}
