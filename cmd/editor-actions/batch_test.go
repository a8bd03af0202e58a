package main

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
)

// pictures of the data set in folders that the editor may use.
var pictures = []int{23, 48, 42, 45, 33, 14, 19, 20, 40, 52, 53, 36, 37, 44, 1, 6, 8, 51}

// startBatch posts the form of the plan's page and answers the address of the batch.
func (c *client) startBatch(key string, numbers string) (string, reply) {
	c.t.Helper()
	r := c.postForm("/batch", url.Values{"key": {key}, "action": {suggestAlternative}, "uid": {numbers}, "note": {""}})
	return r.header.Get("Location"), r
}

func TestS48_TwentyArePlannedTheOthersAreNamed(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		// More pictures than one batch starts, beside what cannot be used.
		for i := range 8 {
			s.exec(`INSERT INTO sys_file (uid, pid, storage, type, identifier, identifier_hash, folder_hash, extension, mime_type, name, sha1, size, missing)
				SELECT ?, pid, storage, type, identifier, identifier_hash, folder_hash, extension, mime_type, name, sha1, size, 0 FROM sys_file WHERE uid = 23`, 9000+i)
			s.exec(`INSERT INTO sys_file_metadata (uid, pid, file, sys_language_uid, t3ver_wsid, t3ver_oid) VALUES (?, 0, ?, 0, 0, 0)`, 9000+i, 9000+i)
		}
		c := s.as(editorUID)
		var words []string
		for _, uid := range pictures[:14] {
			words = append(words, fmt.Sprint(uid))
		}
		for i := range 8 {
			words = append(words, fmt.Sprint(9000+i))
		}
		words = append(words, "23", "logo", "999999")
		if len(words) != 25 {
			t.Fatal(len(words))
		}
		r := c.get("/batch?action=" + suggestAlternative + "&uid=" + url.QueryEscape(strings.Join(words, ", ")))
		page := html.UnescapeString(string(r.body))
		for want, n := range map[string]int{"Will be started": 20, "Named twice": 1, "Not the number of a file": 1, "Not available for this action": 1, "More than are started at once": 2} {
			if got := strings.Count(page, ">"+want+"<"); got != n {
				t.Errorf("%q stands %d times, want %d", want, got, n)
			}
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != 0 {
			t.Errorf("looking at the plan started %d runs", n)
		}
		if strings.Contains(page, "999999</a>") {
			t.Error("a file that does not exist has a name")
		}
	})
}

func TestBatch_IsOneForTwoClicksAndOneRunPerFile(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		address, r := c.startBatch("form-key-1", "23, 48 54 3")
		if r.code != http.StatusSeeOther || !strings.HasPrefix(address, "/batch/") {
			t.Fatalf("%d %s", r.code, r.body)
		}
		again, _ := c.startBatch("form-key-1", "23, 48 54 3")
		if again != address {
			t.Errorf("a second click leads to %s, not %s", again, address)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE batch = ?", strings.TrimPrefix(address, "/batch/")); n != 2 {
			t.Errorf("%d runs; a cut picture and one that is gone start none", n)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != 2 {
			t.Errorf("%d runs in all", n)
		}
		if r := s.as(12).get(address); r.code != http.StatusNotFound {
			t.Errorf("a stranger reads the batch: %d", r.code)
		}
		if r := c.get(address); r.code != http.StatusOK || !strings.Contains(string(r.body), "lake_morning.jpg") {
			t.Errorf("%d", r.code)
		}
		page := string(c.get("/batch?action=" + suggestAlternative + "&uid=23").body)
		if !strings.Contains(page, "Is in work already") {
			t.Error("a file whose run is under way is planned again")
		}
		if _, r := c.startBatch("form-key-2", "54 3 x"); r.code != http.StatusUnprocessableEntity {
			t.Errorf("a batch of nothing: %d", r.code)
		}
	})
}

func TestS49_ABudgetStopsTheBatch(t *testing.T) {
	eachService(t, func(c *config.Settings) {
		c.Providers.Budget.RequestsPerDay = 3
		c.Agent.Workers = 1
	}, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		for _, uid := range []int{23, 48, 42} {
			s.model.Script(alternative(fmt.Sprintf(`{"uid":%d,"alternative":"A text about file %d"}`, uid, uid)))
		}
		address, r := c.startBatch("form-key-1", "23 48 42 45 33")
		if r.code != http.StatusSeeOther {
			t.Fatalf("%d %s", r.code, r.body)
		}
		id := strings.TrimPrefix(address, "/batch/")
		for deadline := time.Now().Add(time.Minute); s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE batch = ? AND status IN ('queued', 'running')", id) > 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the batch does not end")
			}
		}
		for want, where := range map[int]string{
			3: "status = 'waiting'",
			1: "status = 'failed' AND error_kind = 'budget'",
		} {
			if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE batch = ? AND "+where, id); n != want {
				t.Errorf("%d runs are %s, want %d", n, where, want)
			}
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE batch = ? AND status = 'cancelled' AND error_kind = 'batch_stopped' AND started_at IS NULL", id); n != 1 {
			t.Errorf("%d runs were never started", n)
		}
		if n := len(s.model.Requests()); n != 3 {
			t.Errorf("%d requests left the service", n)
		}
		page := html.UnescapeString(string(c.get(address).body))
		for _, want := range []string{"5 of 5 are through.", "3 wait for a decision.", "2 files got no proposal", "Today's budget is used up", "Never started", "Plan them again"} {
			if !strings.Contains(page, want) {
				t.Errorf("the page does not say %q", want)
			}
		}
	})
}
