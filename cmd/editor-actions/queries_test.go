package main

import (
	"log/slog"
	"net/http"
	"testing"

	"editor-actions/internal/agent"
	"editor-actions/internal/config"
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
		settings := func() *config.Settings { return cfg }
		log := slog.New(slog.DiscardHandler)
		r, err := openSite(settings, log)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.close)
		if err := r.withScaler(log); err != nil {
			t.Fatal(err)
		}
		r.withCatalogue(log)
		if err := r.withAgent(log); err != nil {
			t.Fatal(err)
		}
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
