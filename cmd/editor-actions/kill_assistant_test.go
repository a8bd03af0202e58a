package main

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"editor-actions/internal/providers/providertest"
)

// What the model says in the three turns of the request below.
const (
	turnLooks = iota
	turnProposes
	turnEnds
)

const (
	lakeDawn = "Mist over a lake at dawn"
	hillsSun = "The sun comes up behind green hills"
	bothDone = "Both pictures have a text now."
)

// stage is a model that reads out of the transcript which turn it is, so that it says the
// same whoever asks again.
type stage struct {
	mu   sync.Mutex
	held map[int]chan struct{}
}

func turnOf(r providertest.Request) int {
	turn := turnLooks
	for _, m := range r.Messages {
		switch m.ToolCallID {
		case "a1":
			turn = max(turn, turnProposes)
		case "b1":
			turn = turnEnds
		}
	}
	return turn
}

func (s *stage) answer(w http.ResponseWriter, r *http.Request, req providertest.Request) {
	turn := turnOf(req)
	s.mu.Lock()
	held := s.held[turn]
	s.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-r.Context().Done():
			return
		}
	}
	[]providertest.Answer{
		providertest.Calls(look("a1", fileLake)),
		providertest.Calls(propose("b1", fileLake, lakeDawn), propose("b2", fileSunset, hillsSun)),
		providertest.Text(bothDone),
	}[turn](w, r, req)
}

// hold keeps the answers of a turn back until release.
func (s *stage) hold(turn int) (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := make(chan struct{})
	s.held[turn] = c
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.held, turn)
		close(c)
	})
}

// requested gives the assistant its request.
func (k *killable) requested() string {
	k.t.Helper()
	return k.as(editorUID).ask("1:/user_upload/", "Describe the two landscapes.")
}

// pausedRequest brings the request to its two cards.
func (k *killable) pausedRequest() (id string, proposals []string) {
	k.t.Helper()
	id = k.requested()
	k.awaitRow(id, "status = 'paused' AND turn = 1")
	if proposals = k.proposals(id); len(proposals) != 2 {
		k.t.Fatalf("%d proposals", len(proposals))
	}
	return id, proposals
}

// approveProposals decides what waits of the request.
func (k *killable) approveProposals(id string) {
	k.t.Helper()
	k.awaitRow(id, "status = 'paused'")
	admin := k.as(adminUID)
	for _, p := range k.proposals(id) {
		if k.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND status = 'waiting'", p) == 0 {
			continue
		}
		r, res := admin.decide(p, decisionBody(admin.card(p), "approve"))
		mustOutcome(k.t, r, res, "written")
	}
}

// answered waits for the end of the request: both texts are written once, the model was
// told so, and nothing is left.
func (k *killable) answered(id string, before int) {
	k.t.Helper()
	k.awaitRow(id, "status = 'completed' AND reason = 'answered' AND message = '"+bothDone+"'")
	proposals := k.proposals(id)
	if len(proposals) != 2 {
		k.t.Errorf("%d proposals", len(proposals))
	}
	for _, p := range proposals {
		k.awaitRow(p, "status = 'completed' AND reason = 'approved'")
		k.approvedOnce(p)
	}
	if n := k.writes() - before; n != 2 || text(k.metadata(fileLake).Alternative) != lakeDawn || text(k.metadata(fileSunset).Alternative) != hillsSun {
		k.t.Errorf("%d writes, %q and %q", n, text(k.metadata(fileLake).Alternative), text(k.metadata(fileSunset).Alternative))
	}
	requests := k.model.Requests()
	if last := string(requests[len(requests)-1].Body); strings.Count(last, `\"status\":\"done\"`) != 2 {
		k.t.Errorf("the model is told %.2000s", last[max(0, len(last)-2000):])
	}
	k.nothingLeft()
}

// nothingLeft checks that no state and no picture of the request is left (P7).
func (k *killable) nothingLeft() {
	k.t.Helper()
	if states, pictures := k.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE sealed_state IS NOT NULL"), k.count("SELECT COUNT(*) FROM tx_editoractions_artifact"); states+pictures != 0 {
		k.t.Errorf("%d states and %d pictures are left", states, pictures)
	}
}

// holdRows stops every statement that is about to change a run's row in such a way, in the
// middle of its transaction, until release. stands waits for the first one.
func (k *killable) holdRows(event, condition string) (stands, release func()) {
	k.t.Helper()
	c := k.conn()
	const name = "CONCAT('hold:', MD5(DATABASE()))"
	if _, err := c.ExecContext(k.t.Context(), "SELECT GET_LOCK("+name+", 10)"); err != nil {
		k.t.Fatal(err)
	}
	k.exec("CREATE TRIGGER ea_hold " + event + " ON tx_editoractions_run FOR EACH ROW BEGIN IF " + condition + " THEN DO GET_LOCK(" + name + ", 60); DO RELEASE_LOCK(" + name + "); END IF; END")
	return func() { k.awaitState("User lock", "%hold:%") }, sync.OnceFunc(func() {
		if _, err := c.ExecContext(k.t.Context(), "SELECT RELEASE_LOCK("+name+")"); err != nil {
			k.t.Error(err)
		}
		if err := c.Close(); err != nil {
			k.t.Error(err)
		}
		k.exec("DROP TRIGGER ea_hold")
	})
}

// dies ends the process where it stands, lets the database go on and starts it again.
func (k *killable) dies(release func()) {
	k.t.Helper()
	k.kill()
	release()
	k.restart()
}

// storesProgress is the moment at which a turn that was answered is stored.
const storesProgress = "NEW.status = 'running' AND OLD.status = 'running' AND NOT (NEW.sealed_state <=> OLD.sealed_state)"

var assistantBoundaries = map[string]func(k *killable, s *stage, before int){
	"claimed, before the send": func(k *killable, _ *stage, before int) {
		release := k.lockEvents()
		defer release()
		id := k.requested()
		k.awaitRow(id, "status = 'running'")
		k.awaitEvent()
		k.dies(release)
		k.approveProposals(id)
		k.answered(id, before)
	},
	"asked, before the answer": func(k *killable, s *stage, before int) {
		answer := s.hold(turnLooks)
		defer answer()
		id := k.requested()
		k.awaitRequests(1)
		k.dies(answer)
		k.approveProposals(id)
		k.answered(id, before)
	},
	"answered, before it looks": func(k *killable, s *stage, before int) {
		answer := s.hold(turnLooks)
		defer answer()
		id := k.requested()
		k.awaitRequests(1)
		release := k.lockEvents()
		defer release()
		answer()
		k.awaitEvent()
		k.dies(release)
		k.approveProposals(id)
		k.answered(id, before)
	},
	"inside keeping a picture": func(k *killable, s *stage, before int) {
		answer := s.hold(turnLooks)
		defer answer()
		id := k.requested()
		k.awaitRequests(1)
		release := k.lockRun(id)
		defer release()
		answer()
		k.awaitLockWait("%SET `version`=version WHERE%")
		k.dies(release)
		k.approveProposals(id)
		k.answered(id, before)
	},
	"looked, inside storing progress": func(k *killable, _ *stage, before int) {
		stands, release := k.holdRows("BEFORE UPDATE", storesProgress)
		defer release()
		id := k.requested()
		stands()
		if n := k.count("SELECT COUNT(*) FROM tx_editoractions_artifact"); n != 1 {
			k.t.Errorf("%d pictures", n)
		}
		k.dies(release)
		k.approveProposals(id)
		k.answered(id, before)
	},
	"proposed, before the pause": func(k *killable, s *stage, before int) {
		answer := s.hold(turnProposes)
		defer answer()
		id := k.requested()
		k.awaitRequests(2)
		release := k.lockEvents()
		defer release()
		answer()
		k.awaitEvent()
		k.dies(release)
		k.approveProposals(id)
		k.answered(id, before)
	},
	"inside the pause, between its proposals": func(k *killable, _ *stage, before int) {
		stands, release := k.holdRows("BEFORE INSERT", "NEW.parent <> '' AND (SELECT COUNT(*) FROM tx_editoractions_run r WHERE r.parent = NEW.parent) = 1")
		defer release()
		id := k.requested()
		stands()
		k.kill()
		release()
		k.awaitRow(id, "status = 'running' AND turn = 0")
		if n := len(k.proposals(id)); n != 0 {
			k.t.Errorf("%d proposals of half a pause", n)
		}
		k.restart()
		k.approveProposals(id)
		k.answered(id, before)
	},
	"paused": func(k *killable, _ *stage, before int) {
		id, _ := k.pausedRequest()
		k.dies(func() {})
		k.approveProposals(id)
		k.answered(id, before)
	},
	"paused, one decided": func(k *killable, _ *stage, before int) {
		id, proposals := k.pausedRequest()
		admin := k.as(adminUID)
		r, res := admin.decide(proposals[0], decisionBody(admin.card(proposals[0]), "approve"))
		mustOutcome(k.t, r, res, "written")
		k.dies(func() {})
		k.awaitRow(proposals[0], "status = 'completed'")
		k.awaitRow(id, "status = 'paused'")
		k.approveProposals(id)
		k.answered(id, before)
	},
	"inside the write of a proposal": func(k *killable, _ *stage, before int) {
		id, proposals := k.pausedRequest()
		admin := k.as(adminUID)
		card := admin.card(proposals[1])
		release := k.lockRun(proposals[1])
		defer release()
		ended := k.until(func() { k.postUntilDeath(admin, proposals[1], decisionBody(card, "approve")) })
		k.awaitLockWait("%tx_editoractions_run%phase%")
		k.kill()
		ended()
		release()
		k.undecided(proposals[1], before)
		k.awaitRow(id, "status = 'paused'")
		k.restart()
		k.approveProposals(id)
		k.answered(id, before)
	},
	"inside sending a proposal back": func(k *killable, _ *stage, before int) {
		id, proposals := k.pausedRequest()
		admin := k.as(adminUID)
		body := decisionBody(admin.card(proposals[1]), "ask_again")
		body["reason"] = "Name the hills."
		release := k.lockRun(proposals[1])
		defer release()
		ended := k.until(func() { k.postUntilDeath(admin, proposals[1], body) })
		k.awaitLockWait("%rejected%")
		k.kill()
		ended()
		release()
		k.undecided(proposals[1], before)
		k.awaitRow(id, "status = 'paused'")
		k.restart()
		k.approveProposals(id)
		k.answered(id, before)
	},
	"decided, inside going on": func(k *killable, _ *stage, before int) {
		id, _ := k.pausedRequest()
		release := k.lockRun(id)
		defer release()
		k.approveProposals(id)
		k.awaitLockWait("%'paused'%")
		k.dies(release)
		k.answered(id, before)
	},
	"went on, inside storing the outcomes": func(k *killable, _ *stage, before int) {
		id, _ := k.pausedRequest()
		stands, release := k.holdRows("BEFORE UPDATE", storesProgress)
		defer release()
		k.approveProposals(id)
		stands()
		k.dies(release)
		k.answered(id, before)
	},
	"went on, before the last answer": func(k *killable, s *stage, before int) {
		answer := s.hold(turnEnds)
		defer answer()
		id, _ := k.pausedRequest()
		k.approveProposals(id)
		k.awaitRequests(3)
		k.dies(answer)
		k.answered(id, before)
	},
	"last word said, before the end": func(k *killable, s *stage, before int) {
		answer := s.hold(turnEnds)
		defer answer()
		id, _ := k.pausedRequest()
		k.approveProposals(id)
		k.awaitRequests(3)
		release := k.lockRun(id)
		defer release()
		answer()
		k.awaitLockWait("%settled_at%")
		k.dies(release)
		k.answered(id, before)
	},
	"inside cancel": func(k *killable, _ *stage, before int) {
		id, proposals := k.pausedRequest()
		admin := k.as(adminUID)
		release := k.lockRun(id)
		defer release()
		ended := k.until(func() { k.formUntilDeath(admin, "/runs/"+id+"/cancel", url.Values{}) })
		k.awaitLockWait("%cancelled%")
		k.kill()
		ended()
		release()
		k.restart()
		if k.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE id = ? AND status = 'paused'", id) == 1 {
			k.approveProposals(id)
			k.answered(id, before)
			return
		}
		// It was carried out: its cards stay, and nothing more is asked.
		k.awaitRow(id, "status = 'cancelled' AND sealed_state IS NULL")
		admin = k.as(adminUID)
		for _, p := range proposals {
			r, res := admin.decide(p, decisionBody(admin.card(p), "approve"))
			mustOutcome(k.t, r, res, "written")
			k.awaitRow(p, "status = 'completed' AND reason = 'approved'")
			k.approvedOnce(p)
		}
		if n := k.writes() - before; n != 2 || len(k.model.Requests()) != 2 {
			k.t.Errorf("%d writes, %d requests", n, len(k.model.Requests()))
		}
		k.awaitRow(id, "status = 'cancelled'")
		k.nothingLeft()
	},
	"expired while nobody was there": func(k *killable, _ *stage, before int) {
		id, proposals := k.pausedRequest()
		k.kill()
		k.exec("UPDATE tx_editoractions_run SET waiting_since = ? WHERE parent = ?", time.Now().UTC().AddDate(0, 0, -31), id)
		k.restart() // its housekeeper begins at once
		for _, p := range proposals {
			k.awaitRow(p, "status = 'expired' AND written = 0 AND sealed_state IS NULL")
		}
		k.awaitRow(id, "status = 'completed' AND reason = 'answered'")
		requests := k.model.Requests()
		if last := string(requests[len(requests)-1].Body); strings.Count(last, `\"rule\":\"expired\"`) != 2 || k.writes() != before {
			k.t.Errorf("%d writes; the model is told %.2000s", k.writes()-before, last[max(0, len(last)-2000):])
		}
		k.nothingLeft()
	},
}

// The process dies at every boundary of an assistant run. Afterwards the run goes on: each
// proposal is there once, what was approved is written once and told to the model, and
// nothing is left behind.
func TestP10_KillAnAssistantAtEveryBoundary(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes on MariaDB")
	}
	for name, boundary := range assistantBoundaries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := startKillable(t)
			s := &stage{held: map[int]chan struct{}{}}
			k.model.Default = s.answer
			boundary(k, s, k.writes())
			if n := k.count("SELECT COUNT(*) FROM tx_editoractions_run WHERE reason = 'retries_exhausted'"); n != 0 {
				t.Errorf("%d runs were given up", n)
			}
		})
	}
}
