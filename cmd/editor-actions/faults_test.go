package main

import (
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers/providertest"
)

// ending is how a run ends when a model or its provider misbehaves, with a part of
// the sentence that the editor reads.
type ending struct {
	answers        []providertest.Answer
	status, reason string
	kind, sentence string
	requests       int
}

func times(n int, a providertest.Answer) []providertest.Answer {
	out := make([]providertest.Answer, n)
	for i := range out {
		out[i] = a
	}
	return out
}

// alternative is a call of the one tool with these arguments.
func alternative(args string) providertest.Answer {
	return providertest.Calls(providertest.Call{Name: "set_file_alternative_text", Arguments: args})
}

// faultEndings is the matrix: each fault, its outcome, and what a person is told. The
// contract suites of the wires hold how each fault is recognised.
var faultEndings = map[string]ending{
	"key refused":              {times(1, providertest.Status(401)), "failed", "provider_failed", "auth", "refused the key", 1},
	"forbidden":                {times(1, providertest.Status(403)), "failed", "provider_failed", "auth", "refused the key", 1},
	"no credit":                {times(1, providertest.Status(402)), "failed", "provider_failed", "quota", "quota is used up", 1},
	"quota and not rate":       {times(1, providertest.Error(429, "insufficient_quota")), "failed", "provider_failed", "quota", "quota is used up", 1},
	"rate limited":             {times(2, providertest.Status(429, "Retry-After", "0")), "failed", "provider_failed", "rate_limited", "slow down", 2},
	"rate limited once":        {times(1, providertest.Status(429)), "waiting", "", "", "", 2},
	"bad request":              {times(1, providertest.Status(400)), "failed", "provider_failed", "bad_request", "did not accept", 1},
	"unknown model":            {times(1, providertest.Error(404, "model_not_found")), "failed", "provider_failed", "bad_request", "did not accept", 1},
	"context window":           {times(1, providertest.Error(400, "context_length_exceeded")), "failed", "provider_failed", "too_large", "too large", 1},
	"body too large":           {times(1, providertest.Status(413)), "failed", "provider_failed", "too_large", "too large", 1},
	"unavailable":              {times(2, providertest.Status(503)), "failed", "provider_failed", "unavailable", "not available right now", 2},
	"overloaded":               {times(2, providertest.Status(529)), "failed", "provider_failed", "unavailable", "not available right now", 2},
	"unavailable once":         {times(1, providertest.Status(502)), "waiting", "", "", "", 2},
	"connection lost":          {times(2, providertest.Hangup()), "failed", "provider_failed", "unavailable", "not available right now", 2},
	"connection lost once":     {times(1, providertest.Hangup()), "waiting", "", "", "", 2},
	"half an answer":           {times(1, providertest.Cut()), "failed", "provider_failed", "bad_answer", "could not be read", 1},
	"unparsable":               {times(1, providertest.Broken()), "failed", "provider_failed", "bad_answer", "could not be read", 1},
	"page with 200":            {times(1, providertest.Page(200)), "failed", "provider_failed", "bad_answer", "could not be read", 1},
	"endless answer":           {times(1, providertest.Flood(8<<20)), "failed", "provider_failed", "bad_answer", "could not be read", 1},
	"too slow":                 {times(1, providertest.Slow(20*time.Second, providertest.Text("late"))), "failed", "provider_failed", "timeout", "took too long", 1},
	"empty with usage":         {times(1, providertest.Empty("stop")), "failed", "provider_failed", "empty_answer", "was empty", 1},
	"reasoning ate the budget": {times(1, providertest.Empty("length")), "failed", "provider_failed", "truncated", "output limit", 1},
	"content filter":           {times(1, providertest.Finish("A", "content_filter")), "failed", "provider_failed", "refused", "refused to answer", 1},
	"refusal":                  {times(1, providertest.Refusal("No.")), "failed", "provider_failed", "refused", "refused to answer", 1},
	"redirect":                 {times(1, providertest.Redirect(307, "http://elsewhere.invalid/")), "failed", "provider_failed", "configuration", "configuration does not work", 1},
	"words and no call":        {times(1, providertest.Text("I cannot see enough.")), "completed", "no_proposal", "", "I cannot see enough.", 1},
	"call as text":             {times(2, providertest.Text("```json\n{\"uid\": 23, \"alternative\": \"A lake\"}\n```")), "failed", "refused_call", "call_as_text", "wrote its proposal as text", 2},
	"call as text once":        {times(1, providertest.Text(`{"name":"set_file_alternative_text","arguments":{"uid":23,"alternative":"A lake"}}`)), "waiting", "", "", "", 2},
	"broken arguments":         {times(2, alternative(`{"uid":23,`)), "failed", "refused_call", "arguments_not_object", "", 2},
	"markdown around JSON":     {times(2, alternative("```json\n{\"uid\":23,\"alternative\":\"A lake\"}\n```")), "failed", "refused_call", "arguments_not_object", "", 2},
	"markdown once":            {times(1, alternative("```json\n{}\n```")), "waiting", "", "", "", 2},
	"unknown tool":             {times(2, providertest.Calls(providertest.Call{Name: "delete_file", Arguments: `{}`})), "failed", "refused_call", "wrong_tool", "", 2},
	"two calls":                {times(2, providertest.Calls(providertest.Call{Name: "set_file_alternative_text", Arguments: `{"uid":23,"alternative":"A"}`}, providertest.Call{ID: "b", Name: "set_file_alternative_text", Arguments: `{"uid":23,"alternative":"B"}`})), "failed", "refused_call", "second_call", "", 2},
	"empty arguments":          {times(2, alternative(``)), "failed", "refused_call", "argument_missing", "", 2},
	"another record":           {times(2, alternative(`{"uid":24,"alternative":"A lake"}`)), "failed", "refused_call", "wrong_uid", "", 2},
	"wrong types":              {times(2, alternative(`{"uid":"23","alternative":["A lake"]}`)), "failed", "refused_call", "argument_type", "", 2},
	"call and words":           {times(1, alternative(`{"uid":23,"alternative":"A lake in the morning"}`)), "waiting", "", "", "", 1},
	"text in another language": {times(1, alternative(`{"uid":23,"alternative":"Un lago tranquilo al amanecer entre montañas"}`)), "waiting", "", "", "", 1},
	"thoughts before a call":   {times(1, providertest.Raw(`{"model":"m","choices":[{"message":{"content":"<think>hm","tool_calls":[{"id":"c","type":"function","function":{"name":"set_file_alternative_text","arguments":"{\"uid\":23,\"alternative\":\"A lake\"}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`)), "waiting", "", "", "", 1},
	"error inside 200":         {times(2, providertest.Raw(`{"error":{"code":503,"message":"CANARY-BODY"}}`)), "failed", "provider_failed", "unavailable", "not available right now", 2},
}

// TestFaults_EachHasItsOutcomeAndItsSentence runs the matrix through the service, and
// looks for the key and for the provider's words everywhere a person can look.
func TestFaults_EachHasItsOutcomeAndItsSentence(t *testing.T) {
	if len(faultEndings) < 40 {
		t.Fatalf("%d cases", len(faultEndings))
	}
	eachService(t, func(s *config.Settings) {
		c := s.Providers.Configurations["scripted"]
		c.MaxRetries, c.TimeoutSeconds = 1, 2
		s.Providers.Configurations["scripted"] = c
	}, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		for name, want := range faultEndings {
			before, sent := s.writes(), len(s.model.Requests())
			s.freshBreaker()
			s.model.Script(want.answers...)
			id := c.begin(suggestAlternative, fileLake, "")
			run := c.await(id, "failed", "waiting", "completed")
			if run.Status != want.status || run.Reason != want.reason || (want.kind != "" && run.ErrorKind != want.kind) {
				t.Errorf("%s: %s because %s, %s", name, run.Status, run.Reason, run.ErrorKind)
			}
			if n := len(s.model.Requests()) - sent; n != want.requests {
				t.Errorf("%s: %d requests, want %d", name, n, want.requests)
			}
			page := c.get("/runs/" + id)
			if text := html.UnescapeString(string(page.body)); page.code == http.StatusOK && !strings.Contains(text, want.sentence) {
				t.Errorf("%s: the page does not say %q", name, want.sentence)
			}
			for where, text := range map[string]string{"page": string(page.body), "events": s.events(id), "log": s.log.String()} {
				for _, canary := range []string{"CANARY-KEY", "CANARY-BODY"} {
					if strings.Contains(text, canary) {
						t.Fatalf("%s: the %s holds %s", name, where, canary)
					}
				}
			}
			if run.Status == "waiting" {
				card := c.card(id)
				c.decide(id, map[string]any{"verb": "reject", "turn": card.Turn, "digest": card.Digest})
			}
			if s.writes() != before {
				t.Fatalf("%s: something was written", name)
			}
			s.model.Reset()
		}
	})
}

// freshBreaker forgets failures before, as a changed configuration does.
func (s *service) freshBreaker() {
	s.change(func(n *config.Settings) {
		c := n.Providers.Configurations["scripted"]
		c.MaxOutputTokens++
		n.Providers.Configurations = map[string]config.ProviderConfiguration{"scripted": c}
	})
}
