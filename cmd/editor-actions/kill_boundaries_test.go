package main

import (
	"database/sql"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/database"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/suspend"
)

// lockRun holds a run's row from another connection until release: a statement that
// changes it stands still.
func (k *killable) lockRun(id string) (release func()) {
	k.t.Helper()
	tx := k.site.DB.Begin()
	if err := tx.Exec("SELECT id FROM tx_editoractions_run WHERE id = ? FOR UPDATE", id).Error; err != nil {
		k.t.Fatal(err)
	}
	return sync.OnceFunc(func() { tx.Rollback() })
}

// conn is a connection of the site that keeps its session.
func (k *killable) conn() *sql.Conn {
	k.t.Helper()
	pool, err := k.site.DB.DB()
	if err != nil {
		k.t.Fatal(err)
	}
	c, err := pool.Conn(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	return c
}

// lockEvents holds the event stream: whatever is about to tell it something stands still,
// with all that its transaction did before.
func (k *killable) lockEvents() (release func()) {
	k.t.Helper()
	c := k.conn()
	if _, err := c.ExecContext(k.t.Context(), "LOCK TABLES tx_editoractions_event WRITE"); err != nil {
		k.t.Fatal(err)
	}
	return sync.OnceFunc(func() {
		_, err := c.ExecContext(k.t.Context(), "UNLOCK TABLES")
		if err := c.Close(); err != nil {
			k.t.Error(err)
		}
		if err != nil {
			k.t.Error(err)
		}
	})
}

// awaitState waits until a connection of the site's database is in a state of the server.
func (k *killable) awaitState(state, statement string) {
	k.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if k.count("SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND state = ? AND info LIKE ?", state, statement) > 0 {
			return
		}
		if time.Now().After(deadline) {
			k.t.Fatalf("nothing like %s is %q: %s", statement, state, k.log)
		}
	}
}

func (k *killable) awaitEvent() {
	k.t.Helper()
	k.awaitState("Waiting for table metadata lock", "%tx_editoractions_event%")
}

// until sends a request whose answer never comes, and answers what waits for its end.
func (k *killable) until(send func()) (ended func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		send()
	}()
	return func() { <-done }
}

// formUntilDeath posts a page's form as postUntilDeath posts to the API.
func (k *killable) formUntilDeath(c *client, path string, form url.Values) {
	form.Set("token", c.token)
	req, err := http.NewRequestWithContext(k.t.Context(), http.MethodPost, k.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.AddCookie(c.cookie)
	if resp, err := (&http.Client{Timeout: time.Minute}).Do(req); err == nil {
		_ = resp.Body.Close()
	}
}

// waits brings the lake's file to a card and says what is shown.
func (k *killable) waits() (string, *client, apiCard) {
	k.t.Helper()
	id := k.as(editorUID).begin(suggestAlternative, fileLake, "")
	k.awaitRow(id, "status = 'waiting'")
	admin := k.as(adminUID)
	return id, admin, admin.card(id)
}

// begun starts a run whose model holds its answer until release.
func (k *killable) begun() (id string, release func()) {
	k.t.Helper()
	answer := make(chan struct{})
	k.model.Script(providertest.Hold(answer, alternative(`{"uid":23,"alternative":"Never shown"}`)))
	id = k.as(editorUID).begin(suggestAlternative, fileLake, "")
	k.awaitRow(id, "status = 'running'")
	k.awaitRequests(1)
	return id, sync.OnceFunc(func() { close(answer) })
}

// undecided checks that a decision which was cut off left nothing behind.
func (k *killable) undecided(id string, before int) {
	k.t.Helper()
	k.awaitRow(id, "status = 'waiting' AND turn = 1 AND sealed_state IS NOT NULL")
	if n := k.count("SELECT COUNT(*) FROM tx_editoractions_decision WHERE run_id = ?", id); n != 0 || k.writes() != before {
		k.t.Errorf("%d decisions, %d writes of half a transaction", n, k.writes()-before)
	}
}

// boundaries hold the service between two steps by a lock of another connection or an
// answer that the model keeps, and end it there. A statement of its own that waited for
// the lock may still be carried out by the server when nobody reads its answer.
var boundaries = map[string]func(k *killable, before int){
	"S39 claimed, before the send": func(k *killable, before int) {
		editor := k.as(editorUID)
		release := k.lockEvents()
		defer release()
		id := editor.begin(suggestAlternative, fileLake, "")
		k.awaitRow(id, "status = 'running'")
		k.awaitEvent()
		if n := len(k.model.Requests()); n != 0 {
			k.t.Errorf("%d requests were sent", n)
		}
		k.kill()
		release()
		k.restart()
		k.finish(id, before)
	},
	"S39 answered, before suspend": func(k *killable, before int) {
		id, answer := k.begun()
		release := k.lockEvents()
		defer release()
		answer()
		k.awaitEvent()
		k.kill()
		release()
		k.awaitRow(id, "status = 'running' AND turn = 0")
		k.restart()
		k.finish(id, before)
	},
	"inside suspend": func(k *killable, before int) {
		id, answer := k.begun()
		release := k.lockRun(id)
		defer release()
		answer()
		k.awaitLockWait("%sealed_state%")
		k.kill()
		release()
		k.restart()
		k.awaitRow(id, "status = 'waiting'")
		admin := k.as(adminUID)
		body := decisionBody(admin.card(id), "approve")
		body["edits"] = map[string]string{"alternative": "A text from the scripted model."}
		r, res := admin.decide(id, body)
		mustOutcome(k.t, r, res, "written")
		k.written(id, before)
	},
	"inside ask again": func(k *killable, before int) {
		id, admin, card := k.waits()
		release := k.lockEvents()
		defer release()
		body := decisionBody(card, "ask_again")
		body["reason"] = "Name the season."
		ended := k.until(func() { k.postUntilDeath(admin, id, body) })
		k.awaitEvent()
		k.kill()
		ended()
		release()
		k.undecided(id, before)
		k.restart()
		k.finish(id, before)
	},
	"inside reject": func(k *killable, before int) {
		id, admin, card := k.waits()
		release := k.lockEvents()
		defer release()
		ended := k.until(func() { k.postUntilDeath(admin, id, decisionBody(card, "reject")) })
		k.awaitEvent()
		k.kill()
		ended()
		release()
		k.undecided(id, before)
		k.restart()
		k.finish(id, before)
	},
	"inside redraw": func(k *killable, before int) {
		id, admin, card := k.waits()
		k.exec("UPDATE sys_file_metadata SET alternative = 'changed meanwhile' WHERE uid = ?", k.metadata(fileLake).UID)
		release := k.lockRun(id)
		defer release()
		ended := k.until(func() { k.postUntilDeath(admin, id, decisionBody(card, "approve")) })
		k.awaitLockWait("%redraws%")
		k.kill()
		ended()
		release()
		k.undecided(id, before)
		k.restart()
		k.finish(id, before)
	},
	"inside expire": func(k *killable, before int) {
		id, _, card := k.waits()
		k.kill()
		k.exec("UPDATE tx_editoractions_run SET waiting_since = ? WHERE id = ?", time.Now().UTC().AddDate(0, 0, -31), id)
		release := k.lockRun(id)
		defer release()
		k.restart() // its housekeeper begins at once
		k.awaitLockWait("%waiting_since%")
		k.kill()
		release()
		k.restart()
		k.awaitRow(id, "status = 'expired' AND reason = 'expired' AND written = 0 AND sealed_state IS NULL AND sealed_key IS NULL")
		if r, res := k.as(adminUID).decide(id, decisionBody(card, "approve")); res.Outcome != "already_decided" || k.writes() != before {
			k.t.Errorf("%d %s", r.code, r.body)
		}
	},
	"inside cancel": func(k *killable, before int) {
		id, admin, _ := k.waits()
		release := k.lockRun(id)
		defer release()
		ended := k.until(func() { k.formUntilDeath(admin, "/runs/"+id+"/cancel", url.Values{}) })
		k.awaitLockWait("%cancelled%")
		k.kill()
		ended()
		release()
		k.restart()
		// Carried out or not: what the row says is what holds.
		if k.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND status = 'waiting'", id) == 1 {
			k.finish(id, before)
			return
		}
		k.awaitRow(id, "status = 'cancelled' AND written = 0 AND sealed_state IS NULL")
		if k.writes() != before {
			k.t.Error("a cancelled run wrote")
		}
	},
	"S38 closing turn answered, before settle": func(k *killable, before int) {
		id, admin, card := k.waits()
		answer := make(chan struct{})
		k.model.Script(providertest.Hold(answer, providertest.Text("The text was saved.")))
		r, res := admin.decide(id, decisionBody(card, "approve"))
		mustOutcome(k.t, r, res, "written")
		k.awaitRequests(2)
		release := k.lockRun(id)
		defer release()
		close(answer)
		k.awaitLockWait("%settled_at%")
		k.kill()
		release()
		k.restart()
		k.written(id, before)
	},
	"between two cards of many": func(k *killable, before int) {
		editor, admin := k.as(editorUID), k.as(adminUID)
		first, firstCard := k.proposedText(editor, fileLake, "Mist over a lake at dawn")
		second, secondCard := k.proposedText(editor, fileSunset, "The sun comes up behind green hills")
		k.model.Script(held()) // the first one's closing turn
		admin.get("/review/" + first)
		admin.get("/review/" + second)
		release := k.lockRun(second)
		defer release()
		ended := k.until(func() {
			k.formUntilDeath(admin, "/review", url.Values{"run": {shown(first, firstCard), shown(second, secondCard)}})
		})
		k.awaitRow(first, "written = 1")
		k.awaitLockWait("%tx_editoractions_run%phase%")
		k.kill()
		ended()
		release()
		k.awaitRow(second, "status = 'waiting' AND written = 0")
		if n := k.writes() - before; n != 1 {
			k.t.Errorf("%d writes", n)
		}
		k.restart()
		k.awaitRow(first, "status = 'completed' AND reason = 'approved' AND sealed_state IS NULL")
		admin = k.as(adminUID)
		r, res := admin.decide(second, decisionBody(admin.card(second), "approve"))
		mustOutcome(k.t, r, res, "written")
		k.awaitRow(second, "status = 'completed' AND reason = 'approved' AND sealed_state IS NULL")
		k.approvedOnce(first)
		k.approvedOnce(second)
		if n := k.writes() - before; n != 2 || text(k.metadata(fileLake).Alternative) != "Mist over a lake at dawn" || text(k.metadata(fileSunset).Alternative) != "The sun comes up behind green hills" {
			k.t.Errorf("%d writes", n)
		}
	},
	"between two batches of keys rotate": func(k *killable, before int) {
		id, _, _ := k.waits()
		k.kill()
		r := k.stores()
		run, state, err := r.store.Load(k.t.Context(), suspend.RunID(id))
		if err != nil {
			k.t.Fatal(err)
		}
		const runs = 450 // three batches of 200
		for range runs - 1 {
			copyOf(k.t, r, run, state)
		}
		var last string
		if err := k.site.DB.Raw("SELECT id FROM tx_editoractions_run ORDER BY id LIMIT 1 OFFSET 300").Scan(&last).Error; err != nil {
			k.t.Fatal(err)
		}
		release := k.lockRun(last)
		defer release()
		rotate := k.program("keys", "rotate")
		k.killed(rotate, func() { k.awaitLockWait("%sealed_key%") })
		release()
		if code, out, errs := command(k.t, nil, "keys", "rotate", "--resume", "--config", k.file); code != 0 || !strings.Contains(out, "250 runs and pictures are under the new key, 200 were already.") {
			k.t.Errorf("%d %s %s", code, out, errs)
		}
		keys, foreign, err := r.store.Keys(k.t.Context())
		if err != nil || foreign != (suspend.Foreign{}) || len(keys) != 2 || keys[0].Rows != 0 || keys[1].Rows != runs {
			k.t.Errorf("%+v %+v %v", keys, foreign, err)
		}
		k.restart()
		k.finish(id, before)
	},
	"inside migrate": func(k *killable, before int) {
		id, _, _ := k.waits()
		k.kill()
		status, err := database.ReadStatus(k.t.Context(), k.site.DB)
		if err != nil {
			k.t.Fatal(err)
		}
		for version := int64(1); version <= status.Latest; version++ {
			k.diesInMigration(version, func() { // on the tables of today, with a run in them
				k.exec("DELETE FROM tx_editoractions_migration WHERE version_id > 0")
			})
		}
		k.restart()
		k.finish(id, before)
		k.kill()
		for version := int64(1); version <= status.Latest; version++ {
			k.diesInMigration(version, func() { // from nothing
				var tables []string
				if err := k.site.DB.Raw("SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'tx_editoractions%' AND table_name <> 'tx_editoractions_migration'").Scan(&tables).Error; err != nil {
					k.t.Fatal(err)
				}
				for _, name := range tables {
					k.exec("DROP TABLE " + name)
				}
				k.exec("DELETE FROM tx_editoractions_migration WHERE version_id > 0")
			})
		}
		k.restart()
		k.exec("UPDATE sys_file_metadata SET alternative = 'as before' WHERE uid = ?", k.metadata(fileLake).UID)
		k.finish(k.as(editorUID).begin(suggestAlternative, fileLake, ""), k.writes())
	},
}

// killed starts a command, waits until it stands where it should, and ends it.
func (k *killable) killed(cmd *exec.Cmd, stands func()) {
	k.t.Helper()
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	stands()
}

// diesInMigration ends `migrate` when the statements of a version are done and its
// number is not stored yet, and has it run again.
func (k *killable) diesInMigration(version int64, prepare func()) {
	k.t.Helper()
	prepare()
	c := k.conn()
	defer func() { _ = c.Close() }() // and the lock with it
	lock := "SELECT GET_LOCK(CONCAT('hold:', MD5(DATABASE())), 10)"
	if _, err := c.ExecContext(k.t.Context(), lock); err != nil {
		k.t.Fatal(err)
	}
	k.exec(`CREATE TRIGGER ea_hold BEFORE INSERT ON tx_editoractions_migration FOR EACH ROW
		BEGIN IF NEW.version_id = ` + strconv.FormatInt(version, 10) + ` THEN DO GET_LOCK(CONCAT('hold:', MD5(DATABASE())), 60); END IF; END`)
	k.killed(k.program("migrate"), func() { k.awaitState("User lock", "%hold:%") })
	if _, err := c.ExecContext(k.t.Context(), "SELECT RELEASE_LOCK(CONCAT('hold:', MD5(DATABASE())))"); err != nil {
		k.t.Fatal(err)
	}
	k.exec("DROP TRIGGER ea_hold")
	if code, _, errs := command(k.t, nil, "migrate", "--config", k.file); code != 0 {
		k.t.Errorf("version %d: %s", version, errs)
	}
	if s, err := database.ReadStatus(k.t.Context(), k.site.DB); err != nil || s.Pending() {
		k.t.Errorf("version %d: %+v %v", version, s, err)
	}
}

// The process dies at every boundary between two steps. Afterwards every run can be
// decided or is settled, nothing is written twice, and nothing that was approved is lost.
func TestP10_KillAtEveryBoundary(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes on MariaDB")
	}
	for name, boundary := range boundaries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := startKillable(t)
			boundary(k, k.writes())
		})
	}
}
