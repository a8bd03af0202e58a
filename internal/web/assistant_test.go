package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

func askForm() url.Values {
	return url.Values{"key": {"form-0001"}, "folder": {"1:/"}, "note": {"Describe the three product pictures."}}
}

func TestAssistant_FormCarriesTheRequestAndKeepsIt(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for user, want := range map[*typo3.BackendUser]string{editor: "What do you want?", german: "Was wünschen Sie?"} {
		_, doc := f.get(user, "/assistant?folder="+url.QueryEscape("1:/"))
		checkPage(t, doc, user.Language)
		if !strings.Contains(text(doc), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	res := f.post(editor, "/assistant", askForm())
	wantStatus(t, res, http.StatusSeeOther)
	if got := f.runs.asked; len(got) != 1 || got[0].Folder != "1:/" || got[0].Text != "Describe the three product pictures." || got[0].User.UID != editor.UID {
		t.Fatalf("%+v", got)
	}
	for code, spoil := range map[int]func(url.Values){
		http.StatusForbidden:           func(v url.Values) { v.Set("token", "forged") },
		http.StatusUnprocessableEntity: func(v url.Values) { v.Set("key", "x") },
	} {
		form := askForm()
		spoil(form)
		res := f.post(editor, "/assistant", form)
		wantStatus(t, res, code)
		if !strings.Contains(text(parse(t, res)), "Describe the three product pictures.") {
			t.Errorf("%d: the request is lost", code)
		}
	}
	form := askForm()
	form.Set("note", "")
	res = f.post(editor, "/assistant", form)
	wantStatus(t, res, http.StatusUnprocessableEntity)
	if !strings.Contains(text(parse(t, res)), "Say what you want") {
		t.Error("an empty request is not explained")
	}
	if res := f.do(request{path: "/assistant?folder=" + url.QueryEscape("1:/"), user: nobody}); res.StatusCode != http.StatusNotFound {
		t.Errorf("somebody without an assistant: %d", res.StatusCode)
	}
	if len(f.runs.asked) != 1 {
		t.Error("a refused form asked something")
	}
}

// A card that is sent back leads to the request, where the better text will be, and is
// not called rejected.
func TestAssistant_ACardThatIsSentBack(t *testing.T) {
	t.Parallel()
	for user, words := range map[*typo3.BackendUser][]string{
		reviewer: {"Sent back:", "The proposal was sent back."},
		german:   {"Zurückgegeben:", "Der Vorschlag wurde zurückgegeben."},
	} {
		f := setup(t)
		card := f.runs.cards[runWaiting]
		card.View.Run.Parent, card.View.Run.Initiator = runWorking, uint32(user.UID)
		f.runs.result = agent.DecideResult{Outcome: agent.AskedAgain, Run: card.View.Run}
		res := f.post(user, "/review/"+string(runWaiting), url.Values{"verb": {"ask_again"}, "turn": {"1"}, "digest": {card.Digest}, "category": {"too_long"}, "reason": {"Name the hills."}})
		wantStatus(t, res, http.StatusSeeOther)
		if at := res.Header.Get("Location"); at != "/runs/"+string(runWorking) {
			t.Errorf("it leads to %s", at)
		}
		doc := parse(t, f.do(request{path: "/runs/" + string(runWorking), user: user, header: map[string]string{"Cookie": flashOf(res)}}))
		if !strings.Contains(text(doc), words[0]) {
			t.Errorf("the message is missing: %s", text(doc))
		}
		card.View.Run.Status, card.View.Run.Reason = suspend.Rejected, suspend.ReasonRejected
		card.View.Decisions = []suspend.Decision{{Verb: suspend.VerbAskAgain, ByName: "Revi Ewer", At: clock}}
		_, doc = f.get(user, "/runs/"+string(runWaiting))
		checkPage(t, doc, user.Language)
		if !strings.Contains(text(doc), words[1]) || find(doc, "a", "href", "/runs/"+string(runWorking)) == nil {
			t.Errorf("the card's page: %s", text(doc))
		}
	}
}

func TestAssistant_RunPageListsItsProposals(t *testing.T) {
	t.Parallel()
	f := setup(t)
	run := f.runs.cards[runWorking].View.Run
	run.Action, run.SubjectTable, run.Folder, run.Status, run.Configuration = actions.Assistant, "sys_file_storage", "1:/press/", suspend.Paused, "demo"
	f.runs.cards[runWorking].View.File, f.runs.cards[runWorking].View.Folder, f.runs.cards[runWorking].View.Request = nil, "1:/press/", "Describe all three."
	_, doc := f.get(editor, "/runs/"+string(runWorking))
	checkPage(t, doc, "en")
	for _, want := range []string{"Request to the assistant", "The editor's request", "Describe all three.", "1:/press/", "Proposals", "Waits for review", "The assistant works", "People review its proposals"} {
		if !strings.Contains(text(doc), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	run.Status, run.Reason, run.Message, run.Settled = suspend.Completed, suspend.ReasonAnswered, "All three have a text.", clock
	_, doc = f.get(editor, "/runs/"+string(runWorking))
	if got := text(doc); !strings.Contains(got, "The assistant is done.") || !strings.Contains(got, "All three have a text.") {
		t.Error("the last word is missing")
	}
	f.runs.cards[runWorking].View.Folder = ""
	_, doc = f.get(editor, "/runs/"+string(runWorking))
	if got := text(doc); strings.Contains(got, "All three have a text.") || strings.Contains(got, "1:/press/") {
		t.Error("somebody who may not see the folder reads about it")
	}
}

// P18: a request that ended early may have proposals that are written. No sentence about it
// says that nothing was stored.
func TestP18_AnEndedRequestSaysNothingAboutItsProposals(t *testing.T) {
	t.Parallel()
	f := setup(t)
	view := &f.runs.cards[runWorking].View
	view.File, view.Folder = nil, "1:/press/"
	view.Run.Action, view.Run.Folder, view.Run.Settled = actions.Assistant, "1:/press/", clock
	for reason, status := range map[suspend.Reason]suspend.Status{
		suspend.ReasonCancelled: suspend.Cancelled, suspend.ReasonToolOff: suspend.Failed, suspend.ReasonUserGone: suspend.Failed,
		suspend.ReasonFileGone: suspend.Failed, suspend.ReasonProviderFailed: suspend.Failed, suspend.ReasonPolicyDenied: suspend.Failed,
		suspend.ReasonPolicyApproval: suspend.Failed, suspend.ReasonRetriesExhausted: suspend.Failed, suspend.ReasonUnreadable: suspend.Failed,
		suspend.ReasonInternal: suspend.Failed, suspend.ReasonLimit: suspend.Completed, suspend.ReasonAnswered: suspend.Completed,
	} {
		view.Run.Status, view.Run.Reason = status, reason
		for user, untrue := range map[*typo3.BackendUser]string{editor: "Nothing was stored", german: "nichts gespeichert"} {
			_, doc := f.get(user, "/runs/"+string(runWorking))
			got := text(find(doc, "div", "id", "outcome"))
			if got == "" || strings.Contains(got, untrue) {
				t.Errorf("%s: %q", reason, got)
			}
		}
	}
}
