package main

import (
	"strings"
	"testing"
	"time"
)

func TestPurge_CountsFirstAndKeepsDecisions(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c, reviewer := s.as(editorUID), s.as(s.reviewer())
		id, card := s.proposed(c, fileLake)
		reviewer.decide(id, map[string]any{"verb": "approve", "turn": card.Turn, "digest": card.Digest})
		c.await(id, "completed")
		waits, _ := s.proposed(c, fileLake)
		_, over := s.tokenOf(editorUID)
		_, live := s.tokenOf(editorUID)
		s.stop()
		old := time.Now().UTC().AddDate(0, 0, -100)
		s.exec("UPDATE tx_editoractions_run SET settled_at = ? WHERE id = ?", old, id)
		s.exec("UPDATE tx_editoractions_run SET waiting_since = ? WHERE id = ?", old, waits)
		s.exec("INSERT INTO tx_editoractions_artifact (id, version_id, run_id, scope_hash, acting_user, source, sha256, mime, width, height, size, title, live, created_at)" +
			" VALUES ('a', 'v', 'gone', '', 1, 'tool', '', 'image/png', 1, 1, 1, '', 1, '2026-01-01 00:00:00')")
		s.exec("UPDATE tx_editoractions_token SET expires_at = ? WHERE id = ?", old, over)
		file := siteFile(t, s.site)
		code, out, errs := command(t, nil, "purge", "--dry-run", "--runs", "90", "--config", file)
		if code != 0 || out != "Would expire 1 waiting runs, delete the events of 1 runs, and delete 1 runs, 1 pictures without a run and 1 access tokens.\n" {
			t.Fatalf("%d %q %s", code, out, errs)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE status = 'waiting'"); n != 1 {
			t.Error("a dry run changed something")
		}
		code, out, _ = command(t, nil, "purge", "--runs", "90", "--config", file)
		if code != 0 || out != "Expired 1 waiting runs, deleted the events of 1 runs, and deleted 1 runs, 1 pictures without a run and 1 access tokens.\n" {
			t.Errorf("%d %q", code, out)
		}
		for query, want := range map[string]int{
			"SELECT COUNT(*) FROM tx_editoractions_run":                                                             1,
			"SELECT COUNT(*) FROM tx_editoractions_run WHERE status = 'expired' AND sealed_state IS NULL":           1,
			"SELECT COUNT(*) FROM tx_editoractions_artifact":                                                        0,
			"SELECT COUNT(*) FROM tx_editoractions_token":                                                           1,
			"SELECT COUNT(*) FROM tx_editoractions_token WHERE id = '" + live + "'":                                 1,
			"SELECT COUNT(*) FROM tx_editoractions_decision":                                                        1,
			"SELECT COUNT(*) FROM tx_editoractions_event WHERE run_id NOT IN (SELECT id FROM tx_editoractions_run)": 0,
		} {
			if n := s.count(query); n != want {
				t.Errorf("%s: %d, want %d", query, n, want)
			}
		}
		if _, out, _ = command(t, nil, "purge", "--config", file); !strings.HasPrefix(out, "Expired 0 waiting runs, deleted the events of 0 runs") {
			t.Error(out)
		}
		if code, _, errs = command(t, nil, "purge", "--runs", "-1", "--config", file); code != exitUsage || !strings.Contains(errs, "must be a number of days") {
			t.Errorf("%d %s", code, errs)
		}
	})
}

func TestDoctor_SaysWhatIsWrong(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		id, _ := s.proposed(s.as(editorUID), fileLake)
		s.toolPicture(id)
		file := s.keysFile()
		code, out, errs := command(t, nil, "doctor", "--config", file)
		for _, want := range []string{"ok  settings", "ok  database", "ok  pictures", "may use the service", "1 in the keyset, 1 runs are sealed with them, and 1 pictures of tools", "1 wait for a person"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in\n%s", want, out)
			}
		}
		if code != 0 || errs != "" {
			t.Errorf("%d %s", code, errs)
		}
		s.exec("UPDATE tx_editoractions_run SET sealed_key = ?", []byte("\x01\x00\x00\x00\x09 of another keyset"))
		if code, out, _ = command(t, nil, "doctor", "--config", file); code != exitFailure || !strings.Contains(out, "NOT OK") || !strings.Contains(out, "1 are sealed with a key that the keyset does not have") {
			t.Errorf("%d %s", code, out)
		}
		s.exec("UPDATE tx_editoractions_artifact SET sealed_key = ?", []byte("\x01\x00\x00\x00\x09 of another keyset"))
		if code, out, _ = command(t, nil, "doctor", "--config", file); code != exitFailure || !strings.Contains(out, "NOT OK  unreadable pictures") {
			t.Errorf("%d %s", code, out)
		}
		if code, out, _ = command(t, nil, "doctor", "--config", settingsFile(t, "vision: {maxImageEdge: 1}\n")); code != exitFailure || !strings.Contains(out, "NOT OK  settings") {
			t.Errorf("%d %s", code, out)
		}
	})
}
