package suspend_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"editor-actions/internal/suspend"

	"gorm.io/gorm"
)

// everything is one event of each kind with content at every place.
func everything() []suspend.Event {
	uri := picture().DataURI()
	return []suspend.Event{
		{Kind: suspend.EventRequest, Turn: 1, Payload: suspend.RequestPayload{Tools: []string{"set_x"}, Messages: []suspend.EventMessage{
			{Role: "user", Text: note},
			{Role: "user", Parts: []suspend.EventPart{{Type: "image", Content: uri}, {Type: "text", Content: note}}},
			{Role: "tool", Text: note, Artifact: `{"title":"` + note + `"}`},
		}}},
		{Kind: suspend.EventLLM, Turn: 1, DurationMS: 12, Payload: suspend.LLMPayload{
			Content: note, FinishReason: "tool_calls", Model: "eye-1", InputTokens: 5, OutputTokens: 6,
			Calls: []suspend.EventCall{{ID: "c", Name: "set_x", Arguments: `{"alternative":"` + note + `"}`}},
		}},
		{Kind: suspend.EventTool, Turn: 1, Payload: suspend.ToolPayload{Tool: "set_x", Arguments: note, Result: note, IsError: true}},
		{Kind: suspend.EventGuardrail, Turn: 1, Payload: suspend.GuardrailPayload{Rule: "api_key", Verdict: "deny"}},
	}
}

func (s *site) stream(level string) []suspend.Event {
	s.Helper()
	s.privacy = level
	run := s.queued()
	for _, e := range everything() {
		s.must(s.Append(s.Context(), nil, run.ID, e))
	}
	got, err := s.Events(s.Context(), run.ID, -1, 100)
	s.must(err)
	return got
}

func text(events []suspend.Event) string {
	var b strings.Builder
	for _, e := range events {
		b.Write(e.Raw)
	}
	return b.String()
}

func TestP8_WhatEachLevelKeeps(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		uri := picture().DataURI()
		for _, level := range []string{"none", "metadata", "", "FULL", "full ", "typo"} {
			t.Run("S42_"+level, func(t *testing.T) {
				all := text(s.stream(level))
				for _, word := range []string{note, uri[:30], "base64", "alternative"} {
					if strings.Contains(all, word) {
						t.Errorf("holds %q", word)
					}
				}
				for _, word := range []string{`"set_x"`, fmt.Sprint(len(uri) + len(note)), `"tool_calls"`, `"eye-1"`, `"input_tokens":5`, `"api_key"`} {
					if !strings.Contains(all, word) {
						t.Errorf("lacks %s in %s", word, all)
					}
				}
			})
		}
		t.Run("E9_X07_the reference of a tool image is content", func(t *testing.T) {
			for level, want := range map[string]string{"full": `{"title":"` + note + `"}`, "redacted": `<{"title":`, "metadata": "", "none": ""} {
				var p suspend.RequestPayload
				s.must(json.Unmarshal(s.stream(level)[0].Raw, &p))
				if got := p.Messages[2].Artifact; got != want {
					t.Errorf("%s: %q, want %q", level, got, want)
				}
			}
		})
		t.Run("S43_redacted", func(t *testing.T) {
			events := s.stream("redacted")
			all := text(events)
			if strings.Contains(all, note) || strings.Contains(all, uri) {
				t.Error("holds content that was not redacted")
			}
			var p suspend.RequestPayload
			s.must(json.Unmarshal(events[0].Raw, &p))
			// Every leaf went through the function, and through nothing else.
			if p.Messages[1].Parts[0].Content != "<"+uri[:9] || p.Messages[0].Text != "<"+note[:9] || p.Messages[1].Parts[0].Length != len(uri) {
				t.Errorf("%+v", p)
			}
		})
		t.Run("S44_full", func(t *testing.T) {
			events := s.stream("full")
			for i, want := range everything() {
				got := reflect.New(reflect.TypeOf(want.Payload))
				s.must(json.Unmarshal(events[i].Raw, got.Interface()))
				if events[i].Sequence != i || events[i].Kind != want.Kind || events[i].Turn != 1 || events[i].DurationMS != want.DurationMS {
					t.Errorf("%+v", events[i])
				}
				if want, ok := want.Payload.(suspend.RequestPayload); ok {
					sent := got.Elem().Interface().(suspend.RequestPayload)
					if sent.Messages[0].Text != want.Messages[0].Text || sent.Messages[1].Parts[0].Content != uri {
						t.Error("not what was sent")
					}
				}
			}
			if !strings.Contains(text(events), uri) {
				t.Error("the picture is not there verbatim")
			}
		})
	})
}

func TestAppend_WithoutARedactorKeepsNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		run := s.queued()
		bare := suspend.NewStore(s.db, s.sealer, suspend.Options{Privacy: func() string { return "redacted" }})
		for _, e := range everything() {
			s.must(bare.Append(t.Context(), nil, run.ID, e))
		}
		events, err := s.Events(t.Context(), run.ID, -1, 10)
		s.must(err)
		if strings.Contains(text(events), note) {
			t.Error("holds content")
		}
	})
}

func TestAppend_NumbersWithoutGapsUnderConcurrency(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		const writers, perWriter = 8, 5
		run, other := s.queued(), s.queued()
		stores := []*suspend.Store{s.Store, s.instance(connect(t, s.dsn))}
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				for range perWriter {
					e := suspend.Event{Kind: suspend.EventGuardrail, Payload: suspend.GuardrailPayload{Rule: "r"}}
					if err := stores[i%2].Append(context.Background(), nil, run.ID, e); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		s.must(s.db.Transaction(func(tx *gorm.DB) error {
			return s.Append(t.Context(), tx, other.ID, suspend.Event{Kind: suspend.EventGuardrail, Payload: suspend.GuardrailPayload{Rule: "r"}})
		}))
		events, err := s.Events(t.Context(), run.ID, -1, 1000)
		s.must(err)
		if len(events) != writers*perWriter {
			t.Errorf("%d events", len(events))
		}
		for i, e := range events {
			if e.Sequence != i {
				t.Errorf("event %d has number %d", i, e.Sequence)
			}
		}
		rest, err := s.Events(t.Context(), run.ID, 9, 3)
		if err != nil || len(rest) != 3 || rest[0].Sequence != 10 {
			t.Errorf("%+v %v", rest, err)
		}
		if events, err := s.Events(t.Context(), other.ID, -1, 10); err != nil || len(events) != 1 || events[0].Sequence != 0 {
			t.Errorf("%+v %v", events, err)
		}
	})
}
