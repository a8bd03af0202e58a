package main

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"editor-actions/internal/agent"
	"editor-actions/internal/database"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/suspend"
	"editor-actions/internal/testsite"
)

// maxQueries is the budget of a click, up to the request on the wire, and of
// an approval, up to its commit. BEGIN and COMMIT do not count.
const maxQueries = 12

func TestQueries_ClickAndApproveStayInBudget(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		model := providertest.New(t)
		cfg := prepare(t, site, model, nil)
		r := instance(t, cfg)
		counter, err := database.CountQueries(r.db)
		if err != nil {
			t.Fatal(err)
		}
		onWire := make(chan []string, 4)
		texts := "A text from the scripted model."
		model.Default = func(w http.ResponseWriter, req *http.Request, in providertest.Request) {
			onWire <- counter.Reset()
			providertest.Cooperate(texts)(w, req, in)
		}
		editor, err := r.cms.User(t.Context(), editorUID)
		if err != nil {
			t.Fatal(err)
		}
		admin, err := r.cms.User(t.Context(), adminUID)
		if err != nil {
			t.Fatal(err)
		}
		run := func() *suspend.Run {
			started, err := r.agent.Start(t.Context(), agent.StartRequest{User: editor, Action: suggestAlternative, Table: "sys_file", UID: fileLake})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.agent.WorkOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
			return started
		}
		approve := func(id suspend.RunID) []string {
			card, err := r.agent.Card(t.Context(), admin, id)
			if err != nil {
				t.Fatal(err)
			}
			counter.Reset()
			res, err := r.agent.Decide(t.Context(), agent.DecideRequest{
				Reviewer: admin, Run: id, Turn: card.Turn, Digest: card.Digest, Verb: suspend.VerbApprove, RemoteIP: "127.0.0.1",
			})
			if err != nil || res.Outcome != agent.Written {
				t.Fatal(res, err)
			}
			return counter.Reset()
		}
		first := run() // the first time a process looks which tables there are
		<-onWire
		approve(first.ID)
		if err := r.agent.WorkOnce(t.Context()); err != nil { // its closing turn
			t.Fatal(err)
		}
		<-onWire
		texts = "Another text."
		counter.Reset()
		started := run()
		if q := <-onWire; len(q) > maxQueries {
			t.Errorf("a click sends %d queries:\n%s", len(q), lines(q))
		} else {
			t.Logf("click to wire: %d queries\n%s", len(q), lines(q))
		}
		if q := approve(started.ID); len(q) > maxQueries {
			t.Errorf("an approval sends %d queries:\n%s", len(q), lines(q))
		} else {
			t.Logf("approve to commit: %d queries\n%s", len(q), lines(q))
		}
	})
}

// maxInboxQueries is the budget of the inbox: three lists, each with its files, names and
// decisions, and which cards were opened.
const maxInboxQueries = 13

// The inbox costs as many queries with one row as with a page full, and reads no sealed column.
func TestInbox_ConstantNumberOfQueries(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		r := instance(t, prepare(t, site, providertest.New(t), nil))
		editor, err := r.cms.User(t.Context(), editorUID)
		if err != nil {
			t.Fatal(err)
		}
		admin, err := r.cms.User(t.Context(), adminUID)
		if err != nil {
			t.Fatal(err)
		}
		start := func(uid uint64) {
			if _, err := r.agent.Start(t.Context(), agent.StartRequest{User: editor, Action: suggestAlternative, Table: "sys_file", UID: uid}); err != nil {
				t.Fatal(err)
			}
		}
		start(fileLake)
		if err := r.agent.WorkOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		box, err := r.agent.Inbox(t.Context(), admin, agent.InboxQuery{})
		if err != nil || len(box.Waiting) != 1 {
			t.Fatal(box, err)
		}
		model, state, err := r.store.Load(t.Context(), box.Waiting[0].Run.ID)
		if err != nil {
			t.Fatal(err)
		}
		// One of each kind, then many of each.
		settle := func() {
			if err := r.store.Cancel(t.Context(), copyOf(t, r, model, state).ID, adminUID); err != nil {
				t.Fatal(err)
			}
		}
		start(fileSunset)
		settle()
		counter, err := database.CountQueries(r.db)
		if err != nil {
			t.Fatal(err)
		}
		look := func(waiting int) int {
			t.Helper()
			counter.Reset()
			box, err := r.agent.Inbox(t.Context(), admin, agent.InboxQuery{})
			if err != nil || len(box.Waiting) != waiting || len(box.Active) == 0 || len(box.Recent) == 0 {
				t.Fatalf("%+v %v", box, err)
			}
			return counter.Count()
		}
		few := look(1)
		t.Logf("%d queries:\n%s", few, lines(counter.Reset()))
		for range 60 {
			copyOf(t, r, model, state)
			settle()
		}
		start(42)
		if many := look(25); many != few || many > maxInboxQueries {
			t.Errorf("%d queries with one card, %d with a page of them, at most %d", few, many, maxInboxQueries)
		}
		for _, q := range counter.Reset() {
			if strings.Contains(q, "sealed_") {
				t.Errorf("reads a sealed column: %s", q)
			}
		}
	})
}

// The folders of requests to the assistant cost one query more, however many there are.
func TestInbox_FoldersAreOneQuery(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		r := instance(t, prepare(t, site, providertest.New(t), withAssistant))
		admin, err := r.cms.User(t.Context(), adminUID)
		if err != nil {
			t.Fatal(err)
		}
		sub, _, err := r.gate.Folders(t.Context(), admin, "1:/")
		if err != nil || len(sub) < 3 {
			t.Fatal(sub, err)
		}
		counter, err := database.CountQueries(r.db)
		if err != nil {
			t.Fatal(err)
		}
		few := 0
		for i, folder := range sub {
			if _, err := r.agent.Ask(t.Context(), agent.AskRequest{User: admin, Folder: folder.Combined, Text: "Describe them."}); err != nil {
				t.Fatal(err)
			}
			counter.Reset()
			box, err := r.agent.Inbox(t.Context(), admin, agent.InboxQuery{})
			if err != nil || len(box.Active) != i+1 || box.Active[i].Folder != folder.Combined {
				t.Fatalf("%+v %v", box, err)
			}
			if n := counter.Count(); i == 0 {
				few = n
			} else if n != few {
				t.Errorf("%d queries with %d folders, %d with one:\n%s", n, i+1, few, lines(counter.Reset()))
			}
		}
	})
}

// The plan of a batch costs as many queries for a hundred numbers as for one.
func TestBatch_APlanIsAConstantNumberOfQueries(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		r := instance(t, prepare(t, site, providertest.New(t), nil))
		editor, err := r.cms.User(t.Context(), editorUID)
		if err != nil {
			t.Fatal(err)
		}
		counter, err := database.CountQueries(r.db)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for uid := range 100 {
			words = append(words, strconv.Itoa(uid+1))
		}
		plan := func(n int) int {
			t.Helper()
			counter.Reset()
			p, err := r.agent.PlanBatch(t.Context(), editor, suggestAlternative, strings.Join(words[:n], " "))
			if err != nil || len(p.Entries) != n {
				t.Fatalf("%+v %v", p, err)
			}
			return counter.Count()
		}
		if few, many := plan(1), plan(100); few != many {
			t.Errorf("%d queries for one number, %d for a hundred:\n%s", few, many, lines(counter.Reset()))
		}
	})
}

func lines(q []string) string {
	var out string
	for _, s := range q {
		if len(s) > 110 {
			s = s[:110] + "…"
		}
		out += "  " + s + "\n"
	}
	return out
}
