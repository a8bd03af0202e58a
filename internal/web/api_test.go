package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

type htmlNode = html.Node

// call sends a JSON request as a user, with token and key.
func (f *fixture) call(user *typo3.BackendUser, path, body string, header map[string]string) *http.Response {
	f.t.Helper()
	h := map[string]string{"Content-Type": "application/json", "X-EA-Token": f.token(user), "Idempotency-Key": "key-0001"}
	for k, v := range header {
		h[k] = v
	}
	return f.do(request{method: "POST", path: path, user: user, body: body, header: h})
}

func decode[T any](t *testing.T, res *http.Response) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(body(t, res)), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

const startBody = `{"action":"suggest_alternative_text","table":"sys_file","uid":7,"note":"n"}`

func TestAPI_StartAndRead(t *testing.T) {
	t.Parallel()
	f := setup(t)
	res := f.call(editor, "/api/v1/runs", startBody, nil)
	wantStatus(t, res, http.StatusCreated)
	type run struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	}
	made := decode[run](t, res)
	again := decode[run](t, f.call(editor, "/api/v1/runs", startBody, nil))
	if made.ID == "" || again.ID != made.ID || len(f.runs.started) != 1 {
		t.Errorf("made %+v, again %+v", made, again)
	}
	wantStatus(t, f.do(request{path: "/api/v1/runs/" + made.ID, user: editor}), http.StatusOK)
	if !strings.Contains(body(t, f.do(request{path: "/api/v1/actions?table=sys_file&uid=7", user: editor})), `"key":"suggest_alternative_text"`) {
		t.Error("the action is not offered")
	}
	if !strings.Contains(body(t, f.do(request{path: "/api/v1/review", user: reviewer})), string(runWaiting)) {
		t.Error("the inbox lacks the waiting run")
	}
	card := decode[struct {
		Digest string `json:"digest"`
		Fields []struct{ Field, Proposed string }
	}](t, f.do(request{path: "/api/v1/review/" + string(runWaiting), user: reviewer}))
	if card.Digest != digest || len(card.Fields) != 1 || card.Fields[0].Proposed == "" {
		t.Errorf("card %+v", card)
	}
}

func TestAPI_Decide(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.runs.result.Outcome = agent.Written
	path := "/api/v1/review/" + string(runWaiting) + "/decision"
	res := f.call(reviewer, path, `{"verb":"approve","turn":1,"digest":"`+digest+`","edits":{"alternative":"Mine"}}`, nil)
	wantStatus(t, res, http.StatusOK)
	if d := f.runs.decisions[0]; d.Verb != suspend.VerbApprove || d.Edits[actions.Alternative] != "Mine" || d.Digest != digest {
		t.Errorf("request %+v", d)
	}
	f.runs.result.Outcome = agent.StaleTurn
	wantStatus(t, f.call(reviewer, path, `{"verb":"approve","turn":1,"digest":"x"}`, nil), http.StatusConflict)
	f.runs.err = agent.ErrOwnRun
	res = f.call(reviewer, path, `{"verb":"approve","turn":1,"digest":"x"}`, nil)
	wantStatus(t, res, http.StatusForbidden)
	problem := decode[struct{ Code, Detail string }](t, res)
	if problem.Code != "own_run" || problem.Detail == "" {
		t.Errorf("problem %+v", problem)
	}
	wantStatus(t, f.call(nobody, path, `{"verb":"approve"}`, nil), http.StatusNotFound)
}

func TestAPI_RefusesBadInput(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for name, c := range map[string]struct {
		body   string
		header map[string]string
		status int
		code   string
	}{
		"form content":    {startBody, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 415, "json_required"},
		"no token":        {startBody, map[string]string{"X-EA-Token": ""}, 403, "form_token"},
		"no key":          {startBody, map[string]string{"Idempotency-Key": ""}, 422, "idempotency_key_required"},
		"unknown field":   {`{"action":"a","nope":1}`, nil, 422, "bad_json"},
		"two values":      {startBody + startBody, nil, 422, "bad_json"},
		"no JSON":         {`note=1`, nil, 422, "bad_json"},
		"negative uid":    {`{"action":"suggest_alternative_text","table":"sys_file","uid":-1}`, nil, 422, "bad_json"},
		"uid 0":           {`{"action":"suggest_alternative_text","table":"sys_file","uid":0}`, nil, 404, "not_available"},
		"uid 2^63":        {`{"action":"suggest_alternative_text","table":"sys_file","uid":9223372036854775808}`, nil, 404, "not_available"},
		"uid 2^32 plus 7": {`{"action":"suggest_alternative_text","table":"sys_file","uid":4294967303}`, nil, 404, "not_available"},
		"unknown action":  {`{"action":"x","table":"sys_file","uid":7}`, nil, 404, "not_available"},
		"note of 1 MB":    {`{"note":"` + strings.Repeat("n", 1<<20) + `"}`, nil, 413, "body_too_large"},
	} {
		res := f.call(editor, "/api/v1/runs", c.body, c.header)
		if res.StatusCode != c.status || res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: status %d, type %s", name, res.StatusCode, res.Header.Get("Content-Type"))
		}
		if p := decode[struct{ Code string }](t, res); p.Code != c.code {
			t.Errorf("%s: code %q", name, p.Code)
		}
	}
	if len(f.runs.started) != 0 {
		t.Error("something was started")
	}
	res := f.do(request{path: "/api/v1/nothing", user: editor})
	wantStatus(t, res, http.StatusNotFound)
	if p := decode[struct{ Code string }](t, res); p.Code != "page_not_found" {
		t.Errorf("code %q", p.Code)
	}
}
