package suspend_test

import (
	"testing"
	"time"
	"strings"

	"editor-actions/internal/suspend"
)

func TestZZScale(t *testing.T) {
	{ s := newSite(t, mariaDSN(t))
		run := s.waiting()
		blob := strings.Repeat("x", 20000)
		s.exec("UPDATE tx_editoractions_run SET sealed_state = ? WHERE id = ?", []byte(blob), string(run.ID))
		cols := "status,phase,reason,action,tool,subject_table,storage_uid,language,configuration,turn,digest,created_at,queued_at,waiting_since,source_sha256,message,sealed_state,sealed_key"
		start := time.Now()
		s.exec("INSERT INTO tx_editoractions_run (id,initiator,idempotency_key,subject_uid,"+cols+") SELECT LPAD(seq,36,'0'), seq%50, CONCAT('k',seq), seq, "+strings.Replace(strings.Replace(cols,"waiting_since","waiting_since + interval seq second",1),"queued_at","queued_at + interval seq second",1)+" FROM tx_editoractions_run JOIN seq_1_to_100000 WHERE id = ?", string(run.ID))
		s.exec("ANALYZE TABLE tx_editoractions_run")
		t.Log("filled", time.Since(start))
		me := uint32(3)
		timed := func(name string, fn func() error) {
			var best time.Duration
			for range 5 {
				b := time.Now()
				err := fn()
				if d := time.Since(b); best == 0 || d < best { best = d }
				if err != nil { t.Log(name, err) }
			}
			t.Log(name, best)
		}
		ctx := t.Context()
		timed("waiting", func() error { _, _, err := s.Waiting(ctx, suspend.Query{Limit: 50}); return err })
		_, next, _ := s.Waiting(ctx, suspend.Query{Limit: 20000})
		timed("waiting deep", func() error { _, _, err := s.Waiting(ctx, suspend.Query{Limit: 50, After: next}); return err })
		timed("waiting mine", func() error { _, _, err := s.Waiting(ctx, suspend.Query{Limit: 50, Initiator: &me}); return err })
		timed("count", func() error { _, err := s.CountWaiting(ctx, nil); return err })
		timed("count mine", func() error { _, err := s.CountWaiting(ctx, &me); return err })
		timed("active", func() error { _, err := s.Active(ctx, nil, 50); return err })
		timed("open", func() error { _, err := s.OpenForSubject(ctx, "sys_file", []uint64{1,2,3,4,5,6,7,8,9,10}); return err })
		timed("load", func() error { _, _, err := s.Load(ctx, run.ID); return err })
		s.clock.pass(1000*time.Hour)
		s.exec("UPDATE tx_editoractions_run SET status='queued'")
		timed("find work", func() error { rows, err := s.db.Raw("EXPLAIN SELECT id FROM tx_editoractions_run WHERE "+suspend.NextWork, "queued", s.clock.now(), "running", s.clock.now()).Rows(); if err != nil { return err }; for rows.Next() { c, _ := rows.Columns(); v := make([]any, len(c)); p := make([]any, len(c)); for i := range v { p[i] = &v[i] }; _ = rows.Scan(p...); for i := range v { if b, ok := v[i].([]byte); ok { v[i] = string(b) } }; t.Log(v...) }; return rows.Close() })
 timed("find", func() error { var id string; return s.db.Raw("SELECT id FROM tx_editoractions_run WHERE "+suspend.NextWork, "queued", s.clock.now(), "running", s.clock.now()).Row().Scan(&id) })
	}
}
