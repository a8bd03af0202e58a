package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"editor-actions/internal/agent"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

func (f *fakeRuns) Opened(_ context.Context, _ *typo3.BackendUser, card *agent.Card) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.openedCards = append(f.openedCards, card.View.Run.ID)
	return nil
}

func (f *fakeRuns) ApproveMany(ctx context.Context, who *typo3.BackendUser, _ string, cards []agent.Shown) []agent.Approved {
	var out []agent.Approved
	for _, c := range cards {
		res, err := f.Decide(ctx, agent.DecideRequest{Reviewer: who, Run: c.Run, Turn: c.Turn, Digest: c.Digest, Verb: suspend.VerbApprove})
		out = append(out, agent.Approved{Shown: c, Result: res, Err: err})
	}
	return out
}

func box(id suspend.RunID) string { return string(id) + ":1:" + digest }

func TestInbox_OnlyReadyCardsHaveABox(t *testing.T) {
	t.Parallel()
	f := setup(t)
	_, doc := f.get(reviewer, "/review")
	if find(doc, "input", "value", box(runWaiting)) == nil {
		t.Error("the card that was opened has no box")
	}
	if find(doc, "label", "for", "pick-"+string(runWaiting)) == nil {
		t.Error("the box has no label")
	}
	if find(doc, "input", "id", "pick-"+string(runTwo)) != nil {
		t.Error("a card with a hint has a box")
	}
	if got := text(doc); !strings.Contains(got, "Opened, carries a hint") || !strings.Contains(got, "Waiting for a long time") {
		t.Error("the rows do not say why")
	}
	f.runs.cards[runWaiting].View.Pick = agent.PickUnread
	_, doc = f.get(reviewer, "/review")
	if find(doc, "input", "name", "run") != nil || strings.Contains(text(doc), "Approve and store the selected") {
		t.Error("nothing can be picked, and there is a button for it")
	}
}

func TestApproveMany_SaysWhatWasStoredAndWhatWasNot(t *testing.T) {
	t.Parallel()
	for want, result := range map[string]agent.DecideResult{
		"2 proposals were approved and stored.":                    {Outcome: agent.Written},
		"2 were not stored:hero.jpg: It was decided already.":      {Outcome: agent.AlreadyDecided},
		"Nothing was stored. 2 were not stored:hero.jpg: The card": {Outcome: agent.StaleTurn},
		"hero.jpg: Something changed since the card was shown.":    {Outcome: agent.Redrawn},
	} {
		f := setup(t)
		f.runs.result = result
		got, page := f.flashOf(reviewer, f.post(reviewer, "/review", url.Values{"run": {box(runWaiting), box(runTwo)}}))
		if !strings.Contains(got, want) || page != "/review" {
			t.Errorf("%s: %q on %s", result.Outcome, got, page)
		}
		if len(f.runs.decisions) != 2 || f.runs.decisions[0].Digest != digest || f.runs.decisions[0].Turn != 1 {
			t.Errorf("%+v", f.runs.decisions)
		}
	}
}

func TestCard_OpeningItCounts(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.get(reviewer, "/review/"+string(runWaiting))
	f.do(request{path: "/review/" + string(runTwo), user: reviewer, header: map[string]string{"Sec-Purpose": "prefetch;prerender"}})
	f.do(request{path: "/review/" + string(runWaiting) + "/picture", user: reviewer})
	if len(f.runs.openedCards) != 1 || f.runs.openedCards[0] != runWaiting {
		t.Errorf("opened: %v", f.runs.openedCards)
	}
}

func TestApproveMany_RefusesWhatNoPageSends(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for name, form := range map[string]url.Values{
		"no digest":  {"run": {string(runWaiting)}},
		"no run":     {"run": {"../x:1:" + digest}},
		"no turn":    {"run": {string(runWaiting) + ":one:" + digest}},
		"four parts": {"run": {box(runWaiting) + ":x"}},
		"too many":   {"run": strings.Split(strings.Repeat(box(runWaiting)+" ", 101), " ")},
	} {
		wantStatus(t, f.post(reviewer, "/review", form), http.StatusUnprocessableEntity)
		if len(f.runs.decisions) != 0 {
			t.Fatalf("%s: %+v", name, f.runs.decisions)
		}
	}
	if res := f.do(request{method: http.MethodPost, path: "/review", user: reviewer, body: "run=" + url.QueryEscape(box(runWaiting)), header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}); res.StatusCode != http.StatusForbidden {
		t.Errorf("without the token: %d", res.StatusCode)
	}
	if got, _ := f.flashOf(reviewer, f.post(reviewer, "/review", url.Values{})); !strings.Contains(got, "no card was selected") {
		t.Errorf("%q", got)
	}
}
