package database_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/database"
	"editor-actions/internal/secret"
	"editor-actions/internal/testsite"

	"gorm.io/gorm"
)

func TestOpen_RefusesBadAddressesWithoutQuotingThem(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ dsn, want string }{
		"empty":            {"", "must begin with mysql:// or sqlite:///"},
		"other scheme":     {"postgres://u:CANARY@h/db", "must begin with"},
		"no database":      {"mysql://u:CANARY@h:3306/", "must name one database"},
		"two databases":    {"mysql://u:CANARY@h:3306/a/b", "must name one database"},
		"no host":          {"mysql:///db", "must name a host"},
		"broken port":      {"mysql://u:CANARY@h:33x/db", "no address of the form"},
		"hash in password": {"mysql://u:CANARY#x@h/db", "no address of the form"},
		"unknown part":     {"mysql://u:CANARY@h/db?ssl=1", `unknown part "ssl"`},
		"unknown tls":      {"mysql://u:CANARY@h/db?tls=yes", "unknown tls"},
		"relative file":    {"sqlite://site.db", "no address of the form sqlite:///"},
		"missing file":     {"sqlite:///nonexistent/site.db", "/nonexistent/site.db"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := database.Open(secret.New(tc.dsn))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if err != nil && strings.Contains(err.Error(), "CANARY") {
				t.Errorf("the password is in %v", err)
			}
		})
	}
}

func TestOpen_MakesNoNewSQLiteFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "typo.sqlite")
	if _, _, err := database.Open(secret.New("sqlite://" + file)); err == nil {
		t.Error("opened a file that is not there")
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("made the file")
	}
}

func TestReady_SaysTheNextStep(t *testing.T) {
	t.Parallel()
	t.Run("unreachable", func(t *testing.T) {
		t.Parallel()
		db, _, err := database.Open(secret.New("mysql://u:CANARY@127.0.0.1:1/x"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = database.Close(db) })
		wantError(t, database.Ready(t.Context(), db), "typo3.dsn", "cannot be reached")
	})
	t.Run("not TYPO3", func(t *testing.T) {
		t.Parallel()
		s := testsite.SQLite(t)
		mustExec(t, s.DB, "DROP TABLE sys_file_metadata")
		wantError(t, database.Ready(t.Context(), s.DB), "no table sys_file_metadata")
	})
	t.Run("not migrated", func(t *testing.T) {
		t.Parallel()
		s := testsite.SQLite(t)
		mustExec(t, s.DB, "DROP TABLE tx_editoractions_migration")
		wantError(t, database.Ready(t.Context(), s.DB), "editor-actions migrate")
	})
	t.Run("newer release", func(t *testing.T) {
		t.Parallel()
		s := testsite.SQLite(t)
		mustExec(t, s.DB, "INSERT INTO tx_editoractions_migration (version_id, is_applied) VALUES (99999, 1)")
		wantError(t, database.Ready(t.Context(), s.DB), "newer release", "update the service")
	})
	t.Run("ready", func(t *testing.T) {
		t.Parallel()
		testsite.Each(t, func(t *testing.T, s *testsite.Site) {
			if err := database.Ready(t.Context(), s.DB); err != nil {
				t.Error(err)
			}
		})
	})
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not say %q", err, p)
		}
	}
	if strings.Contains(err.Error(), "CANARY") {
		t.Errorf("the password is in %q", err)
	}
}

func mustExec(t *testing.T, db *gorm.DB, statement string, args ...any) {
	t.Helper()
	if err := db.Exec(statement, args...).Error; err != nil {
		t.Fatal(err)
	}
}

func TestMigrate_TouchesOnlyOwnTables(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		for _, table := range tables(t, s) {
			if strings.HasPrefix(table, "tx_editoractions_") {
				mustExec(t, s.DB, "DROP TABLE "+table)
			}
		}
		before := tables(t, s)
		if status := status(t, s.DB); !status.Pending() || status.Applied != 0 {
			t.Errorf("before: %+v", status)
		}
		if got := tables(t, s); len(got) != len(before) {
			t.Errorf("reading the status made a table")
		}
		if err := database.Migrate(t.Context(), s.DB); err != nil {
			t.Fatal(err)
		}
		if status := status(t, s.DB); status.Pending() || status.Newer() {
			t.Errorf("after: %+v", status)
		}
		for _, table := range tables(t, s)[:] {
			known := strings.HasPrefix(table, "tx_editoractions_") || strings.HasPrefix(table, "sqlite_")
			for _, b := range before {
				known = known || b == table
			}
			if !known {
				t.Errorf("made table %s", table)
			}
		}
		if err := database.Migrate(t.Context(), s.DB); err != nil {
			t.Errorf("second time: %v", err)
		}
	})
}

// A process that dies between two CREATE TABLE of MariaDB leaves the first one behind.
func TestMigrate_GoesOnAfterACrash(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		if s.Dialect == database.SQLite {
			for _, table := range tables(t, s) { // SQLite rolls the whole migration back
				if strings.HasPrefix(table, "tx_editoractions_") {
					mustExec(t, s.DB, "DROP TABLE "+table)
				}
			}
		} else {
			mustExec(t, s.DB, "DROP TABLE tx_editoractions_decision")
			mustExec(t, s.DB, "DROP TABLE tx_editoractions_migration")
		}
		if err := database.Migrate(t.Context(), s.DB); err != nil {
			t.Fatal(err)
		}
		mustExec(t, s.DB, "SELECT COUNT(*) FROM tx_editoractions_decision")
	})
}

// Each migration works on tables that a former release has filled.
func TestMigrate_FromTheVersionBefore(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		drop := "DROP INDEX tx_editoractions_decision_decided"
		if s.Dialect == database.MySQL {
			drop = "ALTER TABLE tx_editoractions_decision DROP KEY decided"
		}
		mustExec(t, s.DB, drop)
		drop = "DROP INDEX tx_editoractions_run_parent"
		if s.Dialect == database.MySQL {
			drop = "ALTER TABLE tx_editoractions_run DROP KEY parent"
		}
		mustExec(t, s.DB, drop)
		drop = "DROP INDEX tx_editoractions_run_batch"
		if s.Dialect == database.MySQL {
			drop = "ALTER TABLE tx_editoractions_run DROP KEY batch"
		}
		mustExec(t, s.DB, drop)
		for _, column := range []string{"run DROP COLUMN parent", "run DROP COLUMN folder", "run DROP COLUMN batch", "run DROP COLUMN prompt", "decision DROP COLUMN prompt", "decision DROP COLUMN category"} {
			mustExec(t, s.DB, "ALTER TABLE tx_editoractions_"+column)
		}
		former := []string{"run", "event", "decision", "usage", "budget", "migration"}
		for _, table := range tables(t, s) {
			if name, ours := strings.CutPrefix(table, "tx_editoractions_"); ours && !slices.Contains(former, name) {
				mustExec(t, s.DB, "DROP TABLE "+table)
			}
		}
		mustExec(t, s.DB, "DELETE FROM tx_editoractions_migration WHERE version_id >= 4")
		mustExec(t, s.DB, `INSERT INTO tx_editoractions_run (id, status, phase, action, tool, subject_table, subject_uid, initiator, idempotency_key, created_at, queued_at, input_tokens, message)
			VALUES ('01a23207-de6f-7f30-8fa9-41ae0659420c', 'completed', 'close', 'a', 't', 'sys_file', 23, 10, 'k', '2026-01-01 00:00:00', '2026-01-01 00:00:00', 7, '')`)
		for _, what := range []string{"once", "cut off before it was recorded"} {
			if s.Dialect == database.SQLite && what != "once" {
				break // SQLite rolls the whole migration back
			}
			if err := database.Migrate(t.Context(), s.DB); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			var rows int64
			if err := s.DB.Raw("SELECT COUNT(*) FROM tx_editoractions_run WHERE input_tokens = 7 AND prompt = ''").Scan(&rows).Error; err != nil || rows != 1 {
				t.Errorf("%s: %d rows, %v", what, rows, err)
			}
			mustExec(t, s.DB, "DELETE FROM tx_editoractions_migration WHERE version_id >= 4")
		}
	})
}

// TYPO3's database analyser, or a process that died early, can leave the table of
// versions without its first row.
func TestMigrate_EmptyTableOfVersions(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		mustExec(t, s.DB, "DELETE FROM tx_editoractions_migration")
		for _, table := range tables(t, s) {
			if strings.HasPrefix(table, "tx_editoractions_") && table != "tx_editoractions_migration" {
				mustExec(t, s.DB, "DROP TABLE "+table)
			}
		}
		if err := database.Migrate(t.Context(), s.DB); err != nil {
			t.Fatal(err)
		}
		if got := status(t, s.DB); got.Pending() {
			t.Errorf("still pending: %+v", got)
		}
	})
}

func TestMigrate_SeveralInstancesAtOnce(t *testing.T) {
	t.Parallel()
	s := testsite.MariaDB(t)
	for _, table := range tables(t, s) {
		if strings.HasPrefix(table, "tx_editoractions_") {
			mustExec(t, s.DB, "DROP TABLE "+table)
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := database.Migrate(t.Context(), s.DB); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var rows int64
	if err := s.DB.Table("tx_editoractions_migration").Where("version_id = 1").Count(&rows).Error; err != nil || rows != 1 {
		t.Errorf("migration 1 is recorded %d times, %v", rows, err)
	}
}

func status(t *testing.T, db *gorm.DB) database.Status {
	t.Helper()
	s, err := database.ReadStatus(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tables(t *testing.T, s *testsite.Site) []string {
	t.Helper()
	query := "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
	if s.Dialect == database.SQLite {
		query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
	}
	var names []string
	if err := s.DB.Raw(query).Scan(&names).Error; err != nil {
		t.Fatal(err)
	}
	return names
}

func TestOpen_SettlesWhatTheDialectsDoDifferently(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		t.Run("found rows count", func(t *testing.T) {
			for range 2 { // the second time nothing changes
				res := s.DB.Exec("UPDATE be_users SET realName = ? WHERE uid = ?", "Same name", 1)
				if res.Error != nil || res.RowsAffected != 1 {
					t.Errorf("%d rows, %v", res.RowsAffected, res.Error)
				}
			}
		})
		t.Run("times are UTC with microseconds", func(t *testing.T) {
			at := time.Date(2026, 3, 29, 2, 30, 0, 123456000, time.UTC) // an hour that Berlin does not have
			mustExec(t, s.DB, "INSERT INTO tx_editoractions_event (run_id, sequence, kind, created_at, payload) VALUES ('x', 1, 'k', ?, '')", at)
			var row struct{ CreatedAt time.Time }
			if err := s.DB.Table("tx_editoractions_event").Select("created_at").Where("run_id = 'x'").Take(&row).Error; err != nil {
				t.Fatal(err)
			}
			if !row.CreatedAt.Equal(at) || row.CreatedAt.Location() != time.UTC {
				t.Errorf("got %v, want %v", row.CreatedAt, at)
			}
		})
		t.Run("four-byte characters", func(t *testing.T) {
			const text = "Bär 🐻 \\ ' \" % _ \x00 end"
			mustExec(t, s.DB, "UPDATE sys_file_metadata SET description = ? WHERE uid = 1", text)
			var got string
			if err := s.DB.Raw("SELECT description FROM sys_file_metadata WHERE uid = 1").Scan(&got).Error; err != nil || got != text {
				t.Errorf("got %q, %v", got, err)
			}
		})
	})
	t.Run("too long is an error on MariaDB", func(t *testing.T) {
		s := testsite.MariaDB(t)
		if err := s.DB.Exec("UPDATE sys_file_metadata SET title = ? WHERE uid = 1", strings.Repeat("x", 70000)).Error; err == nil {
			t.Error("the text was cut")
		}
	})
}

// Two writers on one SQLite file wait for each other.
func TestOpen_SQLiteWritersWait(t *testing.T) {
	t.Parallel()
	s := testsite.SQLite(t)
	mustExec(t, s.DB, "UPDATE be_users SET lang = '' WHERE uid = 1")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				err := s.DB.Transaction(func(tx *gorm.DB) error {
					var n int
					if err := tx.Raw("SELECT LENGTH(lang) FROM be_users WHERE uid = 1").Scan(&n).Error; err != nil {
						return err
					}
					return tx.Exec("UPDATE be_users SET lang = ? WHERE uid = 1", strings.Repeat("x", n+1)).Error
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var n int
	if err := s.DB.Raw("SELECT LENGTH(lang) FROM be_users WHERE uid = 1").Scan(&n).Error; err != nil || n != 80 {
		t.Errorf("%d of 80 updates, %v", n, err)
	}
}

func TestCountQueries_CountsEveryStatement(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		c, err := database.CountQueries(s.DB)
		if err != nil {
			t.Fatal(err)
		}
		second, err := database.CountQueries(s.DB)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		s.DB.Table("be_users").Pluck("username", &names)
		s.DB.Table("be_users").Where("uid = ?", 1).Update("lang", "de")
		s.DB.Exec("DELETE FROM be_sessions WHERE ses_userid = 99999")
		s.DB.Table("sys_history").Create(map[string]any{"tablename": "x", "recuid": 1, "history_data": ""})
		rows, err := s.DB.Raw("SELECT 1").Rows()
		if err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
		_ = rows.Err()
		if c.Count() != 5 || second.Count() != 5 {
			t.Errorf("counted %d and %d of 5: %q", c.Count(), second.Count(), c.Statements())
		}
		if got := c.Reset(); len(got) != 5 || c.Count() != 0 {
			t.Errorf("reset returned %d, left %d", len(got), c.Count())
		}
	})
}
