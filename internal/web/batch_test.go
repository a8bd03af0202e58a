package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

const batchID = "01a23207-de6f-5f30-8fa9-41ae0659420c"

// PlanBatch knows the file 7, and skips everything else for one reason or another.
func (f *fakeRuns) PlanBatch(_ context.Context, _ *typo3.BackendUser, action, numbers string) (*actions.Plan, error) {
	a, ok := actions.ActionByKey(action)
	if !ok {
		return nil, actions.ErrNotAvailable
	}
	p := &actions.Plan{Action: a}
	for i, w := range strings.Fields(numbers) {
		e := actions.PlanEntry{Word: w, UID: uint64(i), Skip: []actions.Skip{
			actions.SkipJunk, actions.SkipDuplicate, actions.SkipNotAvailable, actions.SkipOpen, actions.SkipOverCap,
		}[i%5]}
		if w == "7" {
			e = actions.PlanEntry{UID: 7, File: &f.gate.files[0].File}
		}
		p.Entries = append(p.Entries, e)
	}
	return p, nil
}

func (f *fakeRuns) StartBatch(ctx context.Context, r agent.BatchRequest) (*agent.Batch, error) {
	p, err := f.PlanBatch(ctx, r.User, r.Action, r.Numbers)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(p.Runs()) > 0 {
		f.batches = append(f.batches, r)
	}
	return &agent.Batch{ID: batchID, Plan: p}, f.err
}

func (f *fakeRuns) BatchRuns(_ context.Context, _ *typo3.BackendUser, id string) ([]agent.RunView, error) {
	if f.batchFails != nil {
		return nil, f.batchFails
	}
	if id != batchID || len(f.batches) == 0 {
		return nil, agent.ErrRunNotFound
	}
	var out []agent.RunView
	for _, run := range f.order {
		out = append(out, f.cards[run].View)
	}
	return out, nil
}

func TestBatch_PlanSaysWhatWouldRunAndWhatNot(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, user := range []*typo3.BackendUser{editor, german} {
		_, doc := f.get(user, "/batch?action=suggest_alternative_text&uid=junk&uid=7&uid=9+10+11+12")
		checkPage(t, doc, user.Language)
		want := []string{"1 file will be started", "Will be started", "Not the number of a file", "Not available for this action", "Is in work already", "More than are started at once", "hero.jpg", "Start 1 run"}
		if user == german {
			want = []string{"1 Datei wird gestartet", "Nicht die Nummer einer Datei", "1 Lauf starten"}
		}
		for _, w := range want {
			if !strings.Contains(text(doc), w) {
				t.Errorf("the page does not say %q", w)
			}
		}
	}
	_, doc := f.get(editor, "/batch")
	if find(doc, "button", "class", "btn btn-primary btn-large") != nil || !strings.Contains(text(doc), "No file was chosen yet.") {
		t.Error("an empty plan can be started")
	}
	if len(f.runs.batches) != 0 {
		t.Error("looking starts something")
	}
	if res := f.do(request{path: "/batch?action=nonsense&uid=7", user: editor}); res.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown action: %d", res.StatusCode)
	}
}

func TestBatch_StartsWithTheTokenOnly(t *testing.T) {
	t.Parallel()
	f := setup(t)
	form := func() url.Values {
		return url.Values{"key": {"form-0001"}, "action": {"suggest_alternative_text"}, "uid": {"7"}, "note": {"Mention the bridge"}}
	}
	res := f.post(editor, "/batch", form())
	wantStatus(t, res, http.StatusSeeOther)
	if got := res.Header.Get("Location"); got != "/batch/"+batchID {
		t.Errorf("leads to %s", got)
	}
	if b := f.runs.batches; len(b) != 1 || b[0].Note != "Mention the bridge" || b[0].Key != "form-0001" || b[0].User.UID != editor.UID {
		t.Fatalf("%+v", b)
	}
	_, doc := f.get(editor, "/batch/"+batchID)
	checkPage(t, doc, "en")
	if find(doc, "progress", "class", "batch-progress") == nil || find(doc, "div", "data-poll", "/batch/"+batchID) == nil {
		t.Error("no progress")
	}
	f.runs.batches = nil
	for code, spoil := range map[int]func(url.Values){
		http.StatusForbidden:           func(v url.Values) { v.Set("token", "forged") },
		http.StatusUnprocessableEntity: func(v url.Values) { v.Set("key", "x") },
	} {
		v := form()
		spoil(v)
		res := f.post(editor, "/batch", v)
		wantStatus(t, res, code)
		doc := parse(t, res)
		if !strings.Contains(text(doc), "Mention the bridge") || len(f.runs.batches) != 0 {
			t.Errorf("%d: the note is lost, or something was started", code)
		}
	}
	v := form()
	v.Set("uid", "junk")
	res = f.post(editor, "/batch", v)
	wantStatus(t, res, http.StatusUnprocessableEntity)
	if !strings.Contains(text(parse(t, res)), "nothing to start") {
		t.Error("an empty batch is not explained")
	}
	f.runs.batchFails = errors.New("the database went away")
	res = f.post(editor, "/batch", form())
	if got := res.Header.Get("Location"); res.StatusCode != http.StatusSeeOther || got != "/batch/"+batchID {
		t.Errorf("what was started is told as nothing: %d %s", res.StatusCode, got)
	}
}

func TestBatch_WhatWasNeverStartedCanBePlannedAgain(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.post(editor, "/batch", url.Values{"key": {"form-0001"}, "action": {"suggest_alternative_text"}, "uid": {"7"}})
	rest := f.runs.cards[runWorking].View.Run
	rest.Status, rest.Reason, rest.ErrorKind, rest.Settled = suspend.Cancelled, suspend.ReasonCancelled, suspend.BatchStopped, clock
	_, doc := f.get(editor, "/batch/"+batchID)
	if find(doc, "a", "href", "/batch?action=suggest_alternative_text&uid=7") == nil || !strings.Contains(text(doc), "1 file got no proposal") {
		t.Errorf("no way to go on: %s", text(doc))
	}
	if res := f.do(request{path: "/batch/" + strings.Replace(batchID, "01a2", "01a3", 1), user: editor}); res.StatusCode != http.StatusNotFound {
		t.Errorf("a batch that does not exist: %d", res.StatusCode)
	}
}

func TestFiles_SeveralCanBeChosen(t *testing.T) {
	t.Parallel()
	f := setup(t)
	_, doc := f.get(editor, "/files")
	if find(doc, "input", "id", "pick-7") == nil || find(doc, "label", "for", "pick-7") == nil || find(doc, "form", "action", "/batch") == nil {
		t.Error("no boxes")
	}
}

func (f *fakeRuns) MayAsk(u *typo3.BackendUser) bool { return u.UID != nobody.UID }

func (f *fakeRuns) Ask(_ context.Context, r agent.AskRequest) (*suspend.Run, error) {
	if r.Text == "" {
		return nil, agent.ErrNoRequest
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r)
	return f.cards[runWorking].View.Run, f.err
}

func (f *fakeRuns) ProposalRuns(_ context.Context, _ *typo3.BackendUser, _ suspend.RunID) ([]agent.RunView, error) {
	return []agent.RunView{f.cards[runWaiting].View}, nil
}
