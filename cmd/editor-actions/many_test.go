package main

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"editor-actions/internal/config"
)

// shown is one box of the inbox.
func shown(id string, card apiCard) string {
	return fmt.Sprintf("%s:%d:%s", id, card.Turn, card.Digest)
}

// proposedText has the model propose a text of its own for one file.
func (s *service) proposedText(c *client, file uint64, text string) (string, apiCard) {
	s.t.Helper()
	s.model.Script(alternative(`{"uid":` + strconv.FormatUint(file, 10) + `,"alternative":"` + text + `"}`))
	return s.proposed(c, file)
}

// approveMany posts the boxes and answers what the next page says.
func (c *client) approveMany(boxes ...string) string {
	c.t.Helper()
	r := c.postForm("/review", url.Values{"run": boxes})
	if r.code != http.StatusSeeOther {
		c.t.Fatalf("%d %s", r.code, r.body)
	}
	message, _, _ := strings.Cut(r.header.Get("Set-Cookie"), ";")
	return html.UnescapeString(string(c.getWith(r.header.Get("Location"), "Cookie", message).body))
}

func TestApproveMany_OpenedCleanCardsEachWithItsOwnDecision(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		first, firstCard := s.proposedText(editor, fileLake, "Mist over a lake at dawn")
		second, secondCard := s.proposedText(editor, fileSunset, "The sun comes up behind green hills")
		unread, unreadCard := s.proposedText(editor, 42, "A meeting room with a long table")
		hinting, hintingCard := s.proposedText(editor, 45, "Image of a door")
		for _, id := range []string{first, second, hinting} {
			reviewer.get("/review/" + id)
		}
		page := string(reviewer.get("/review").body)
		for id, want := range map[string]bool{first: true, second: true, unread: false, hinting: false} {
			if got := strings.Contains(page, `id="pick-`+id+`"`); got != want {
				t.Errorf("%s can be picked: %v, want %v", id, got, want)
			}
		}
		if other := string(s.as(editorUID).get("/review").body); strings.Contains(other, `id="pick-`) {
			t.Error("what one person has opened counts for another")
		}
		before := s.writes()
		said := reviewer.approveMany(shown(first, firstCard), shown(unread, unreadCard), shown(hinting, hintingCard), shown(second, secondCard))
		if n := s.writes() - before; n != 2 {
			t.Errorf("%d writes", n)
		}
		for id, want := range map[string]int{first: 1, second: 1, unread: 0, hinting: 0} {
			if n := s.count("SELECT COUNT(*) FROM tx_editoractions_decision WHERE run_id = ? AND verb = 'approve'", id); n != want {
				t.Errorf("%s has %d decisions, want %d", id, n, want)
			}
		}
		for _, want := range []string{"2 proposals were approved", "2 were not stored:", "have not opened this card", "carries a hint"} {
			if !strings.Contains(said, want) {
				t.Errorf("the page does not say %q", want)
			}
		}
		if got := text(s.metadata(fileSunset).Alternative); got != "The sun comes up behind green hills" {
			t.Errorf("stored %q", got)
		}
		if n := s.count("SELECT COUNT(DISTINCT digest) FROM tx_editoractions_decision"); n != 2 {
			t.Errorf("%d digests for two decisions", n)
		}
	})
}

// A card that moved, was decided, or repeats a text that was just stored holds up no other.
func TestApproveMany_WhatMovedIsLeftForALook(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		moved, movedCard := s.proposedText(editor, fileLake, "Mist over a lake at dawn")
		decided, decidedCard := s.proposedText(editor, 42, "A meeting room with a long table")
		good, goodCard := s.proposedText(editor, fileSunset, "The sun comes up behind green hills")
		twin, twinCard := s.proposedText(editor, 45, "the sun comes up behind GREEN hills")
		for _, id := range []string{moved, decided, good, twin} {
			reviewer.get("/review/" + id)
		}
		s.exec("UPDATE sys_file_metadata SET alternative = 'somebody was here' WHERE uid = ?", s.metadata(fileLake).UID)
		_, res := editor.decide(decided, decisionBody(decidedCard, "reject"))
		if res.Outcome != "rejected" {
			t.Fatal(res)
		}
		before := s.writes()
		said := reviewer.approveMany(shown(moved, movedCard), shown(decided, decidedCard), shown(good, goodCard), shown(twin, twinCard))
		if n := s.writes() - before; n != 1 {
			t.Errorf("%d writes", n)
		}
		for _, want := range []string{"1 proposal was approved", "3 were not stored:", "Something changed since", "It was decided already", "carries a hint"} {
			if !strings.Contains(said, want) {
				t.Errorf("the page does not say %q: %.6000s", want, said)
			}
		}
		page := string(reviewer.get("/review").body)
		if strings.Contains(page, `id="pick-`+moved) {
			t.Error("the card that was drawn anew counts as opened")
		}
		reviewer.get("/review/" + moved)
		if page := string(reviewer.get("/review").body); strings.Contains(page, `id="pick-`+moved) {
			t.Error("a card that says what moved is decided on its own page")
		}
	})
}

func TestApproveMany_DoubleClickWritesOnce(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		a, aCard := s.proposedText(editor, fileLake, "Mist over a lake at dawn")
		b, bCard := s.proposedText(editor, fileSunset, "The sun comes up behind green hills")
		reviewer.get("/review/" + a)
		reviewer.get("/review/" + b)
		before := s.writes()
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				reviewer.postForm("/review", url.Values{"run": {shown(a, aCard), shown(b, bCard), shown(a, aCard)}})
			})
		}
		wg.Wait()
		if n := s.writes() - before; n != 2 {
			t.Errorf("%d writes", n)
		}
	})
}

func TestApproveMany_FourEyesStrangersAndNonsense(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Review.RequireSecondApprover = true }, func(t *testing.T, s *service) {
		editor := s.as(editorUID)
		id, card := s.proposedText(editor, fileLake, "Mist over a lake at dawn")
		editor.get("/review/" + id)
		if page := string(editor.get("/review").body); strings.Contains(page, `name="run"`) {
			t.Error("one's own run can be picked under four eyes")
		}
		before := s.writes()
		if said := editor.approveMany(shown(id, card)); !strings.Contains(said, "another person has to approve it") {
			t.Error("the own run is not explained")
		}
		stranger := s.as(11)
		stranger.postForm("/review", url.Values{"run": {shown(id, card)}})
		for name, form := range map[string]url.Values{
			"no token":    {"token": {""}, "run": {shown(id, card)}},
			"not a box":   {"run": {"x"}},
			"no run":      {"run": {"01a23207-de6f-7f30-8fa9-41ae0659420c:x:y"}},
			"hundred one": {"run": make([]string, 101)},
		} {
			if r := editor.postForm("/review", form); r.code < 400 {
				t.Errorf("%s: %d", name, r.code)
			}
		}
		if said := editor.approveMany(); !strings.Contains(said, "no card was selected") {
			t.Error("an empty choice is not explained")
		}
		if said := editor.approveMany(id + ":1:" + strings.Repeat("0", 64)); !strings.Contains(said, "1 was not stored:") {
			t.Error("a made-up digest")
		}
		if s.writes() != before {
			t.Error("something was written")
		}
	})
}

// A browser that loads pages ahead has shown them to nobody.
func TestApproveMany_APrefetchedCardIsNotOpened(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, reviewer := s.as(editorUID), s.as(s.reviewer())
		id, _ := s.proposedText(editor, fileLake, "Mist over a lake at dawn")
		reviewer.getWith("/review/"+id, "Sec-Purpose", "prefetch")
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_opened"); n != 0 {
			t.Error("it counts as opened")
		}
	})
}

// What a visitor would hear twice is said on the card: the caption, and the text of
// another file of the folder.
func TestCard_SaysWhatTheTextRepeats(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		s.exec("UPDATE sys_file_metadata SET caption = 'Mist over a lake.' WHERE uid = ?", s.metadata(fileLake).UID)
		s.exec("UPDATE sys_file_metadata SET alternative = 'mist over A LAKE' WHERE uid = ?", s.metadata(fileSunset).UID)
		editor := s.as(editorUID)
		_, card := s.proposedText(editor, fileLake, "Mist over a lake")
		found := map[string]string{}
		for _, f := range card.Fields[0].Findings {
			found[f.Rule] = f.Message
		}
		if !strings.Contains(found["same_as"], "caption") || !strings.Contains(found["same_as_file"], "sunrise_over_hills.jpg") {
			t.Errorf("%v", found)
		}
	})
}
