package main

import (
	"errors"
	"testing"

	"editor-actions/internal/agent"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// Cards count as seen for the person before the screen: not for whom an administrator has
// switched to, and the other way round.
func TestApproveMany_OpenedIsAboutThePerson(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, site *testsite.Site) {
		model := providertest.New(t)
		model.Default = providertest.Cooperate("Mist over a lake at dawn")
		r := instance(t, prepare(t, site, model, nil))
		user := func(uid typo3.UserUID) *typo3.BackendUser {
			t.Helper()
			u, err := r.cms.User(t.Context(), uid)
			if err != nil {
				t.Fatal(err)
			}
			return u
		}
		editor, switched := user(editorUID), user(editorUID)
		switched.OriginalUID = adminUID
		for _, c := range []struct{ looks, decides *typo3.BackendUser }{{switched, editor}, {editor, switched}} {
			run, err := r.agent.Start(t.Context(), agent.StartRequest{User: editor, Action: suggestAlternative, Table: "sys_file", UID: fileLake})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.agent.WorkOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
			card, err := r.agent.Card(t.Context(), c.looks, run.ID)
			if err != nil || !card.Clean() {
				t.Fatalf("%+v %v", card, err)
			}
			if err := r.agent.Opened(t.Context(), c.looks, card); err != nil {
				t.Fatal(err)
			}
			pick := func(who *typo3.BackendUser) agent.Pick {
				t.Helper()
				box, err := r.agent.Inbox(t.Context(), who, agent.InboxQuery{})
				if err != nil || len(box.Waiting) != 1 {
					t.Fatalf("%+v %v", box, err)
				}
				return box.Waiting[0].Pick
			}
			if a, b := pick(c.looks), pick(c.decides); a != agent.PickReady || b != agent.PickUnread {
				t.Errorf("who looked: %s, who did not: %s", a, b)
			}
			shown := []agent.Shown{{Run: run.ID, Turn: card.Turn, Digest: card.Digest}}
			if got := r.agent.ApproveMany(t.Context(), c.decides, "127.0.0.1", shown); !errors.Is(got[0].Err, agent.ErrNotOpened) {
				t.Errorf("who did not look: %+v", got[0])
			}
			if got := r.agent.ApproveMany(t.Context(), c.looks, "127.0.0.1", shown); got[0].Err != nil || got[0].Result.Outcome != agent.Written {
				t.Errorf("who looked: %+v", got[0])
			}
			if err := r.agent.WorkOnce(t.Context()); err != nil { // its closing turn
				t.Fatal(err)
			}
			if err := site.DB.Exec("UPDATE sys_file_metadata SET alternative = '' WHERE file = ?", fileLake).Error; err != nil {
				t.Fatal(err)
			}
		}
	})
}
