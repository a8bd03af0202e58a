package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/testsite"
)

// killable is the program as a real process on a MariaDB site, which tests end
// with SIGKILL.
type killable struct {
	*service
	file string
	cmd  *exec.Cmd
}

// yamlOf writes the settings a process needs.
func yamlOf(s *config.Settings) string {
	quote := func(v string) string { b, _ := json.Marshal(v); return string(b) } // a string always marshals
	p := s.Providers.Configurations["scripted"]
	return fmt.Sprintf(`
typo3: {dsn: %s, rootPath: %s, publicPath: %s, encryptionKey: %s, userHomePath: %s, groupHomePath: %s}
sealing: {keysetFile: %s}
agent: {leaseSeconds: 5, workers: 1, maxAttempts: 5}
assistant: {enabled: true}
images: {workers: 1}
server: {listen: "127.0.0.1:0", stateDir: %s}
providers:
  default: scripted
  configurations:
    scripted: {active: true, vendor: compatible, baseURL: %s, privateNetwork: true, model: scripted-vision, maxRetries: 0}
  models: [{id: scripted-vision, vendor: compatible, capabilities: [chat, vision, tools]}]
`, quote(s.TYPO3.DSN.Reveal()), quote(s.TYPO3.RootPath), quote(s.TYPO3.PublicPath), quote(s.TYPO3.EncryptionKey.Reveal()),
		quote(s.TYPO3.UserHomePath), quote(s.TYPO3.GroupHomePath), quote(s.Sealing.KeysetFile), quote(s.Server.StateDir), quote(p.BaseURL))
}

func startKillable(t *testing.T) *killable {
	t.Helper()
	site := testsite.MariaDB(t)
	k := &killable{service: &service{t: t, site: site, model: providertest.New(t), settings: &atomic.Pointer[config.Settings]{}, log: &logBuffer{}}}
	s := prepare(t, site, k.model, nil)
	k.settings.Store(s)
	k.file = settingsFile(t, yamlOf(s))
	k.restart()
	t.Cleanup(k.kill)
	return k
}

// restart starts the process and waits for its address in the log.
func (k *killable) restart() {
	k.t.Helper()
	k.cmd = k.program("serve")
	stderr, err := k.cmd.StderrPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := k.cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			_, _ = k.log.Write(append(lines.Bytes(), '\n'))
			var line struct {
				Msg     string `json:"msg"`
				Address string `json:"address"`
			}
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "started service" {
				address <- line.Address
			}
		}
	}()
	select {
	case a := <-address:
		k.url = "http://" + a
	case <-time.After(30 * time.Second):
		k.t.Fatalf("the process did not start: %s", k.log)
	}
}

// program is this program as a process with the site's settings.
func (k *killable) program(args ...string) *exec.Cmd {
	k.t.Helper()
	self, err := os.Executable()
	if err != nil {
		k.t.Fatal(err)
	}
	cmd := exec.Command(self, append(args, "--config", k.file)...)
	cmd.Env = append(os.Environ(), envRunMain+"=1")
	return cmd
}

// kill ends the process without a chance to tidy up.
func (k *killable) kill() {
	if k.cmd.Process != nil {
		_ = k.cmd.Process.Kill()
		_ = k.cmd.Wait()
	}
}

// awaitRow polls the database, which outlives the process.
func (k *killable) awaitRow(id, condition string) {
	k.t.Helper()
	for deadline := time.Now().Add(40 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if k.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND "+condition, id) == 1 {
			return
		}
		if time.Now().After(deadline) {
			k.t.Fatalf("run %s never has %s: %s", id, condition, k.log)
		}
	}
}

// finish approves what waits and checks that exactly one write came of it all.
func (k *killable) finish(id string, before int) {
	k.t.Helper()
	k.awaitRow(id, "status = 'waiting'")
	admin := k.as(adminUID)
	r, res := admin.decide(id, decisionBody(admin.card(id), "approve"))
	if res.Outcome == "redrawn" { // the record moved before the process died
		r, res = admin.decide(id, decisionBody(admin.card(id), "approve"))
	}
	mustOutcome(k.t, r, res, "written")
	k.written(id, before)
}

// written waits for the end of an approved run: one write, one approval, and the text is there.
func (k *killable) written(id string, before int) {
	k.t.Helper()
	k.awaitRow(id, "status = 'completed' AND reason = 'approved' AND sealed_state IS NULL")
	if n := k.writes() - before; n != 1 {
		k.t.Errorf("%d writes", n)
	}
	if got := text(k.metadata(fileLake).Alternative); got != "A text from the scripted model." {
		k.t.Errorf("the file has %q", got)
	}
	k.approvedOnce(id)
}

func (k *killable) approvedOnce(id string) {
	k.t.Helper()
	if n := k.count("SELECT COUNT(*) FROM tx_editoractions_decision WHERE run_id = ? AND verb = 'approve'", id); n != 1 {
		k.t.Errorf("%d approvals", n)
	}
}

// held is an answer that waits for ever, so that a process dies while it waits.
func held() providertest.Answer {
	return providertest.Hold(make(chan struct{}), providertest.Text("never"))
}

func TestP10_KillAtEveryStep(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes on MariaDB")
	}
	steps := map[string]func(k *killable, before int){
		"queued": func(k *killable, before int) {
			c := k.as(editorUID)
			k.model.Script(held())
			busy := c.begin(suggestAlternative, fileSunset, "") // takes the only worker
			k.awaitRow(busy, "status = 'running'")
			id := c.begin(suggestAlternative, fileLake, "")
			k.kill()
			k.awaitRow(id, "status = 'queued'")
			k.restart()
			k.finish(id, before)
			k.awaitRow(busy, "status = 'waiting'")
		},
		"S39 running": func(k *killable, before int) {
			k.model.Script(held())
			id := k.as(editorUID).begin(suggestAlternative, fileLake, "")
			k.awaitRow(id, "status = 'running'")
			k.awaitRequests(1)
			k.kill()
			k.restart()
			k.finish(id, before)
		},
		"waiting": func(k *killable, before int) {
			id := k.as(editorUID).begin(suggestAlternative, fileLake, "")
			k.awaitRow(id, "status = 'waiting'")
			k.kill()
			k.restart()
			k.finish(id, before)
		},
		"S38 inside the write": func(k *killable, before int) {
			id := k.as(editorUID).begin(suggestAlternative, fileLake, "")
			k.awaitRow(id, "status = 'waiting'")
			admin := k.as(adminUID)
			card := admin.card(id)
			// Another connection holds the run's row, so the transaction stands before
			// its last statement: the metadata is written and not committed.
			release := k.lockRun(id)
			defer release()
			done := make(chan struct{})
			go func() {
				defer close(done)
				k.postUntilDeath(admin, id, decisionBody(card, "approve"))
			}()
			k.awaitLockWait("%tx_editoractions_run%")
			k.kill()
			<-done
			release()
			k.awaitRow(id, "status = 'waiting'")
			if k.writes() != before {
				k.t.Error("half a transaction is there")
			}
			k.restart()
			k.finish(id, before)
		},
		"S38 written, before the closing turn": func(k *killable, before int) {
			id := k.as(editorUID).begin(suggestAlternative, fileLake, "")
			k.awaitRow(id, "status = 'waiting'")
			k.model.Script(held())
			admin := k.as(adminUID)
			r, res := admin.decide(id, decisionBody(admin.card(id), "approve"))
			mustOutcome(k.t, r, res, "written")
			k.awaitRequests(2)
			k.kill()
			if !k.as2written(id) {
				k.t.Error("the write was lost")
			}
			k.restart()
			k.written(id, before)
		},
		"settled": func(k *killable, before int) {
			id := k.as(editorUID).begin(suggestAlternative, fileLake, "")
			k.finish(id, before)
			k.kill()
			k.restart()
			k.written(id, before)
			admin := k.as(adminUID)
			if run := admin.run(id); run.Status != "completed" || !run.Written {
				k.t.Errorf("%+v", run)
			}
		},
	}
	for name, step := range steps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := startKillable(t)
			step(k, k.writes())
		})
	}
}

func (k *killable) as2written(id string) bool {
	return k.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND written = 1", id) == 1
}

func (k *killable) awaitRequests(n int) {
	k.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); len(k.model.Requests()) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			k.t.Fatalf("%d requests, want %d", len(k.model.Requests()), n)
		}
	}
}

// lockTable is held by whoever reads the server's table of waiting transactions: it is
// refreshed only when nobody has read it for a tenth of a second.
var lockTable sync.Mutex

// awaitLockWait waits until a statement of the site's database waits for a row.
func (k *killable) awaitLockWait(statement string) {
	k.t.Helper()
	look := func(query string) int {
		lockTable.Lock()
		defer lockTable.Unlock()
		time.Sleep(120 * time.Millisecond)
		return k.count(query, statement)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if look(`SELECT COUNT(*) FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
			WHERE p.db = DATABASE() AND t.trx_state = 'LOCK WAIT' AND t.trx_query LIKE ?`) > 0 {
			return
		}
		if time.Now().After(deadline) {
			k.t.Fatalf("no statement like %s waits for the lock: %s", statement, k.log)
		}
	}
}

// postUntilDeath sends a decision whose answer never comes.
func (k *killable) postUntilDeath(c *client, id string, body map[string]any) {
	raw, _ := json.Marshal(body) // plain values
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, k.url+"/api/v1/review/"+id+"/decision", strings.NewReader(string(raw)))
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-EA-Token", c.token)
	req.Header.Set("Idempotency-Key", "kill-test-0001")
	req.AddCookie(c.cookie)
	if resp, err := (&http.Client{Timeout: time.Minute}).Do(req); err == nil {
		_ = resp.Body.Close()
	}
}
