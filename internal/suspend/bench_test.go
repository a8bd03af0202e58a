package suspend_test

import (
	"testing"
	"time"

	"editor-actions/internal/database"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
	"editor-actions/internal/testsite"

	"gorm.io/gorm"
)

const benchmarkRuns = 100_000

// eachFull runs fn on both databases with 100,000 waiting runs.
func eachFull(b *testing.B, fn func(b *testing.B, s *site)) {
	b.Helper()
	for name, dsn := range map[string]func(testing.TB) string{"SQLite": sqliteDSN, "MariaDB": testsite.EmptyMariaDB} {
		var s *site
		b.Run(name, func(b *testing.B) {
			if s == nil {
				s = newSite(b, dsn(b))
				fill(b, s)
			}
			b.ResetTimer()
			fn(b, s)
		})
	}
}

// fill makes the runs in large transactions, each with a small state of its own.
func fill(b *testing.B, s *site) {
	b.Helper()
	const batch = 1000
	n := newRun()
	n.State = asked()
	n.State.Messages = []providers.Message{{Role: providers.User, Text: note}}
	for done := 0; done < benchmarkRuns; done += batch {
		err := s.db.Transaction(func(tx *gorm.DB) error {
			store := s.instance(tx)
			for range batch {
				s.clock.pass(time.Millisecond)
				if _, _, err := store.Create(b.Context(), n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRewrap puts the keys of 100,000 waiting runs under a new one.
func BenchmarkRewrap(b *testing.B) {
	eachFull(b, func(b *testing.B, s *site) {
		b.Helper()
		for b.Loop() {
			if _, err := suspend.AddPrimaryKey(s.keyset); err != nil {
				b.Fatal(err)
			}
			done, err := s.Rewrap(b.Context(), nil)
			if err != nil || done.Renewed != benchmarkRuns {
				b.Fatalf("%+v %v", done, err)
			}
		}
	})
}

// BenchmarkInbox reads a page of the review inbox among 100,000 waiting runs, and which of
// its cards the viewer has opened among as many openings. It counts its queries; none of
// them names a sealed column.
func BenchmarkInbox(b *testing.B) {
	eachFull(b, func(b *testing.B, s *site) {
		b.Helper()
		s.exec("DELETE FROM tx_editoractions_opened")
		s.exec("INSERT INTO tx_editoractions_opened (viewer, run_id, digest, clean, opened_at) SELECT 1, id, digest, 1, waiting_since FROM tx_editoractions_run")
		count, err := database.CountQueries(s.db)
		s.must(err)
		for b.Loop() {
			runs, _, err := s.Waiting(b.Context(), suspend.Query{Limit: 50})
			if err != nil || len(runs) != 50 {
				b.Fatalf("%d %v", len(runs), err)
			}
			ids := make([]suspend.RunID, len(runs))
			for i := range runs {
				ids[i] = runs[i].ID
			}
			opened, err := s.Opened(b.Context(), 1, ids...)
			if err != nil || len(opened) != 50 {
				b.Fatalf("%d %v", len(opened), err)
			}
		}
		b.ReportMetric(float64(count.Count())/float64(b.N), "queries/op")
	})
}
