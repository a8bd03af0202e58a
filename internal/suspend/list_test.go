package suspend_test

import (
	"slices"
	"testing"

	"editor-actions/internal/suspend"
)

func TestLists_PageWithoutGapsOrRepeats(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		var waiting, recent []suspend.RunID
		for i := range 7 {
			run := s.waiting()
			waiting = append(waiting, run.ID)
			if i == 3 || i == 5 { // the same moment: the id decides
				s.exec("UPDATE tx_editoractions_run SET waiting_since = (SELECT t FROM (SELECT waiting_since AS t FROM tx_editoractions_run WHERE id = ?) AS x) WHERE id = ?", string(waiting[i-1]), string(run.ID))
			}
		}
		for range 5 {
			run := s.running("w")
			s.must(s.Cancel(ctx, run.ID, 1))
			recent = append([]suspend.RunID{run.ID}, recent...)
		}
		me, other := uint32(3), uint32(4)
		type lister func(suspend.Query) ([]suspend.Run, string, error)
		for name, c := range map[string]struct {
			list lister
			want []suspend.RunID
		}{
			"waiting": {func(q suspend.Query) ([]suspend.Run, string, error) { return s.Waiting(ctx, q) }, waiting},
			"recent":  {func(q suspend.Query) ([]suspend.Run, string, error) { return s.Recent(ctx, q) }, recent},
		} {
			for _, initiator := range []*uint32{nil, &me} {
				for limit := range 9 {
					var got []suspend.RunID
					q := suspend.Query{Initiator: initiator, Limit: limit}
					for {
						runs, next, err := c.list(q)
						s.must(err)
						for _, r := range runs {
							got = append(got, r.ID)
						}
						if q.After = next; next == "" {
							break
						}
					}
					if !slices.Equal(got, c.want) {
						t.Errorf("%s by %d: %v, want %v", name, limit, got, c.want)
					}
				}
			}
			if runs, _, err := c.list(suspend.Query{Initiator: &other, Limit: 5}); err != nil || len(runs) != 0 {
				t.Errorf("%s of somebody else: %v %v", name, runs, err)
			}
			if runs, _, err := c.list(suspend.Query{After: "nonsense", Limit: 2}); err != nil || len(runs) != 2 {
				t.Errorf("%s after nonsense: %v %v", name, runs, err)
			}
		}
		for initiator, want := range map[*uint32]int{nil: 7, &me: 7, &other: 0} {
			if n, err := s.CountWaiting(ctx, initiator); err != nil || n != want {
				t.Errorf("%d, want %d: %v", n, want, err)
			}
		}
		if runs, err := s.OpenForSubject(ctx, "sys_file", nil); err != nil || len(runs) != 0 {
			t.Errorf("%v %v", runs, err)
		}
	})
}

func TestP17_OneBadDecisionHidesNoOther(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		for range 2 {
			s.must(s.Reject(t.Context(), nil, s.on(s.waiting(), 9)))
		}
		list, err := s.DecisionsForSubject(t.Context(), "sys_file", 7, 10)
		s.must(err)
		s.exec("UPDATE tx_editoractions_decision SET fields = '{broken' WHERE run_id = ?", string(list[0].Run))
		again, err := s.DecisionsForSubject(t.Context(), "sys_file", 7, 10)
		if err != nil || len(again) != 2 || again[0].Fields != nil || again[1].Fields == nil || again[0].By != 9 {
			t.Errorf("%+v %v", again, err)
		}
	})
}
