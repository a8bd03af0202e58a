package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/testsite"
)

// priced gives the scripted model a price: the script bills 1200 tokens in and 40 out.
func priced(s *config.Settings) {
	s.Providers.Currency = "EUR"
	s.Providers.Models = []config.Model{{
		ID: "scripted-vision", Vendor: config.VendorCompatible, Capabilities: []string{"chat", "vision", "tools"},
		InputPrice: 1, OutputPrice: 5, PricedOn: "2026-12-03",
	}}
}

func (c *client) usage(id string) (out struct {
	Usage *struct {
		Input    int64    `json:"input_tokens"`
		Output   int64    `json:"output_tokens"`
		Cost     *float64 `json:"cost"`
		Currency string   `json:"currency"`
	} `json:"usage"`
},
) {
	c.t.Helper()
	c.get("/api/v1/runs/" + id).decode(&out)
	return out
}

func TestUsage_OfARunAndOfTheDay(t *testing.T) {
	eachService(t, priced, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		id, card := s.proposed(c, fileLake)
		// 1200 * 1 + 40 * 5 millionths.
		if page := string(c.get("/review/" + id).body); !strings.Contains(page, "0.0014\u00a0EUR") && !strings.Contains(page, "0,0014\u00a0EUR") {
			t.Error("the card does not say what the proposal cost")
		}
		s.as(s.reviewer()).decide(id, map[string]any{"verb": "approve", "turn": card.Turn, "digest": card.Digest})
		c.await(id, "completed")
		u := c.usage(id).Usage
		if u == nil || u.Input != 2400 || u.Output != 80 || u.Cost == nil || *u.Cost != 0.0028 || u.Currency != "EUR" {
			t.Errorf("%+v", u)
		}
		code, out, errs := command(t, nil, "usage", "--config", siteFile(t, s.site), "--format", "json")
		var lines []map[string]any
		if err := json.Unmarshal([]byte(out), &lines); code != 0 || err != nil || len(lines) != 1 {
			t.Fatalf("%d %s %s %v", code, out, errs, err)
		}
		if l := lines[0]; l["requests"] != 2.0 || l["input_tokens"] != 2400.0 || l["cost"] != 0.0028 || l["model"] != "scripted-vision" || l["day"] != time.Now().UTC().Format(time.DateOnly) {
			t.Errorf("%v", l)
		}
	})
}

func TestUsage_NoNumberWhereThePriceIsUnknown(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		id, _ := s.proposed(c, fileLake)
		if u := c.usage(id).Usage; u == nil || u.Cost != nil || u.Currency != "" || u.Input != 1200 {
			t.Errorf("%+v", u)
		}
		if page := string(c.get("/review/" + id).body); !strings.Contains(page, "1,200\u00a0tokens read") && !strings.Contains(page, "1.200\u00a0Token gelesen") {
			t.Error("the card does not say how many tokens were read")
		}
		_, out, _ := command(t, nil, "usage", "--config", siteFile(t, s.site))
		if !strings.Contains(out, "unknown") || !strings.Contains(out, "total") {
			t.Error(out)
		}
	})
}

// A user's budget stops the second run before a byte is sent; a change that is approved
// is written all the same, and only its closing sentence is missing (P18).
func TestBudget_StopsRunsAndNeverAWrite(t *testing.T) {
	eachService(t, func(s *config.Settings) {
		priced(s)
		s.Providers.Budget.RequestsPerDay = 1
	}, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		id, card := s.proposed(c, fileLake)
		second := c.begin(suggestTitle, fileLake, "")
		run := c.await(second, "failed", "waiting", "completed")
		if run.Status != "failed" || run.ErrorKind != "budget" || len(s.model.Requests()) != 1 {
			t.Fatalf("%+v after %d requests", run, len(s.model.Requests()))
		}
		if page := string(c.get("/runs/" + second).body); !strings.Contains(page, "budget is used up") && !strings.Contains(page, "Budget für heute") {
			t.Error("the page does not say why")
		}
		s.as(s.reviewer()).decide(id, map[string]any{"verb": "approve", "turn": card.Turn, "digest": card.Digest})
		run = c.await(id, "completed")
		if !run.Written || run.ErrorKind != "closing_budget" || len(s.model.Requests()) != 1 {
			t.Errorf("%+v after %d requests", run, len(s.model.Requests()))
		}
		// Another user has a budget of their own.
		s.proposed(s.as(adminUID), fileLake)
	})
}

// Whoever left the groups of a configuration gets no further answer of it; what is
// approved is written all the same, without a closing sentence.
func TestGroups_AreAskedAtEverySend(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c, reviewer := s.as(editorUID), s.as(s.reviewer())
		again, card := s.proposed(c, fileLake)
		approved, other := s.proposed(c, fileLake)
		s.change(func(n *config.Settings) {
			m := n.Providers.Configurations["scripted"]
			m.Groups = []uint32{4711}
			n.Providers.Configurations = map[string]config.ProviderConfiguration{"scripted": m}
		})
		sent := len(s.model.Requests())
		reviewer.decide(again, map[string]any{"verb": "ask_again", "reason": "shorter", "turn": card.Turn, "digest": card.Digest})
		if run := c.await(again, "failed", "waiting"); run.ErrorKind != "configuration" {
			t.Errorf("%+v", run)
		}
		reviewer.decide(approved, map[string]any{"verb": "approve", "turn": other.Turn, "digest": other.Digest})
		if run := c.await(approved, "completed"); !run.Written || run.ErrorKind != "closing_file" {
			t.Errorf("%+v", run)
		}
		if n := len(s.model.Requests()); n != sent {
			t.Errorf("%d requests for somebody who may not", n-sent)
		}
	})
}

func TestUsage_BadInputIsOneSentence(t *testing.T) {
	t.Parallel()
	file := settingsFile(t, "{}\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--from", "yesterday"}, "--from yesterday: must be a day like 2026-12-01"},
		{[]string{"--to", "2026-13-01"}, "--to 2026-13-01: must be a day"},
		{[]string{"--from", "2026-12-03", "--to", "2026-12-01"}, "is after"},
		{[]string{"--by", "user"}, "must be one of all, day, configuration, model"},
		{[]string{"--format", "xml"}, "must be table, csv or json"},
		{[]string{"extra"}, "unknown command"},
	} {
		code, _, errs := command(t, nil, append([]string{"usage", "--config", file}, c.args...)...)
		if code == 0 || !strings.Contains(errs, c.want) || strings.Count(strings.TrimSpace(errs), "\n") != 0 {
			t.Errorf("%v: %d %q", c.args, code, errs)
		}
	}
}

func TestCheckProvider_Command(t *testing.T) {
	t.Parallel()
	model := providertest.New(t)
	site := testsite.SQLite(t)
	file := settingsFile(t, fmt.Sprintf(`typo3: {dsn: %q, rootPath: %q, publicPath: %q, encryptionKey: %q}
providers:
  default: main
  configurations:
    main: {vendor: compatible, baseURL: %q, privateNetwork: true, apiKey: CANARY-KEY-4711, model: scripted-vision}
  models:
    - {id: scripted-vision, vendor: compatible, capabilities: [vision, tools], inputPrice: 1, outputPrice: 5, pricedOn: 2026-12-03}
`, site.Settings.TYPO3.DSN.Reveal(), site.Settings.TYPO3.RootPath, site.Settings.TYPO3.PublicPath, site.Settings.TYPO3.EncryptionKey.Reveal(), model.URL))
	model.Script(providertest.Calls(providertest.Call{Name: "report_word", Arguments: `{"word":"something"}`}), providertest.Status(http.StatusUnauthorized))
	code, out, errs := command(t, nil, "check-provider", "--config", file)
	for _, want := range []string{"reachable      yes", "calls tools    yes", "really sees    no", "1200 in, 40 out", "0.001400 USD", "without having looked"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %s", want, out)
		}
	}
	if code != exitNotWorking || errs != "" {
		t.Errorf("%d %q", code, errs)
	}
	code, out, errs = command(t, nil, "check-provider", "main", "--config", file)
	if code != exitNotWorking || !strings.Contains(out, "key accepted   no") || strings.Contains(out+errs, "CANARY") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	if code, _, errs = command(t, nil, "check-provider", "nobody", "--config", file); code != exitUsage || !strings.Contains(errs, "there is no such entry") {
		t.Errorf("%d %s", code, errs)
	}
	// The check is billed, so it is counted.
	_, out, _ = command(t, nil, "usage", "--config", file, "--format", "csv")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 2 || !strings.Contains(lines[1], ",main,scripted-vision,2,1200,40,") {
		t.Errorf("%q", out)
	}
}
