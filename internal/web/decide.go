package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/fault"
	"editor-actions/internal/suspend"
)

var errEmptyText = fault.New(fault.Invalid, "alternative_empty", "Write an alternative text, or mark the picture as decorative.")

// decide takes a reviewer's decision from the card's form.
func (s *Server) decide(c echo.Context) error {
	id, err := runIDOf(c)
	if err != nil {
		return err
	}
	f, err := readForm(c)
	if err != nil {
		return err
	}
	in := current(c)
	if err := in.checkToken(f.Text("token")); err != nil {
		return s.cardAgain(c, id, f, err)
	}
	req := decideRequest(f, id)
	req.Reviewer, req.RemoteIP = in.viewer, c.RealIP()
	if req.Verb == suspend.VerbApprove && emptied(f) {
		return s.cardAgain(c, id, f, errEmptyText)
	}
	res, err := s.Agent.Decide(c.Request().Context(), req)
	if err != nil {
		return s.cardAgain(c, id, f, err)
	}
	return s.decided(c, id, f, res)
}

// decideRequest reads the form. Every text area comes along, touched or not; the
// agent finds out whether anything was edited.
func decideRequest(f form, id suspend.RunID) agent.DecideRequest {
	turn, _ := strconv.Atoi(f.Text("turn")) // no number is turn 0, which never waits
	r := agent.DecideRequest{Run: id, Turn: turn, Digest: f.Text("digest"), Verb: suspend.Verb(f.Text("verb")), Reason: f.Text("reason"), Category: suspend.Category(f.Text("category"))}
	if r.Verb != suspend.VerbApprove {
		return r
	}
	r.Category = "" // the list stands beside the other buttons
	for _, field := range []actions.Field{actions.Alternative, actions.Title, actions.Description} {
		if !f.Has(string(field)) {
			continue
		}
		if f.Has("keep_" + string(field)) {
			r.Keep = append(r.Keep, field)
			continue
		}
		if r.Edits == nil {
			r.Edits = map[actions.Field]string{}
		}
		r.Edits[field] = typedText(f, field)
	}
	return r
}

// typedText is what stands in a field's text area. Return in a one-line field
// is a blank, and a ticked box is the empty text.
func typedText(f form, field actions.Field) string {
	text := plainLines(f.Text(string(field)))
	if field == actions.Description {
		return text
	}
	if field == actions.Alternative && f.Has("decorative") {
		return ""
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// emptied reports an alternative text that was cleared without the choice that
// the picture is decorative.
func emptied(f form) bool {
	return f.Has(string(actions.Alternative)) && !f.Has("keep_alternative") && !f.Has("decorative") &&
		typedText(f, actions.Alternative) == ""
}

// wroteSomething reports whether the reviewer typed anything that would be lost.
func wroteSomething(f form) bool {
	if plainLines(f.Text("reason")) != "" {
		return true
	}
	for _, field := range []actions.Field{actions.Alternative, actions.Title, actions.Description} {
		if seen := f.Text("seen_" + string(field)); seen != "" && fingerprint(f.Text(string(field))) != seen {
			return true
		}
	}
	return false
}

// decided says what the decision did, on the page where one goes on from there.
func (s *Server) decided(c echo.Context, id suspend.RunID, f form, res agent.DecideResult) error {
	run, card := "/runs/"+string(id), "/review/"+string(id)
	w := s.words(c)
	name := w.T("flash.the_file")
	if v, err := s.Agent.View(c.Request().Context(), viewerOf(c), id); err == nil && v.File != nil {
		name = v.File.Name
	}
	what := w.T("flash.run_of", w.action(res.Run.Action), name)
	switch res.Outcome {
	case agent.Written:
		s.setFlash(c, flash{
			Tone: "success", Key: "flash.written", Args: []any{what},
			Link: "/files/" + itoa(res.Run.SubjectUID), LinkKey: "flash.show_file",
		})
		return s.redirect(c, "/review")
	case agent.AskedAgain:
		if res.Run.Parent != "" { // this card has ended; a better text comes on one of its own
			s.setFlash(c, flash{Tone: "info", Key: "flash.sent_back", Args: []any{what}})
			return s.redirect(c, "/runs/"+string(res.Run.Parent))
		}
		s.setFlash(c, flash{Tone: "info", Key: "flash.asked_again", Args: []any{what}})
		return s.redirect(c, run)
	case agent.Rejected:
		s.setFlash(c, flash{Tone: "info", Key: "flash.rejected", Args: []any{what}})
		return s.redirect(c, "/review")
	case agent.AlreadyDecided:
		fl := flash{Tone: "info", Key: "flash.already_decided", Args: []any{what}}
		if d := res.Earlier; d != nil {
			fl = flash{Tone: "info", Key: Key("flash.already." + string(d.Verb)), Args: []any{d.ByName, what}}
		}
		s.setFlash(c, fl)
		return s.redirect(c, run)
	case agent.Redrawn, agent.StaleTurn:
		key := Key("flash." + string(res.Outcome))
		if wroteSomething(f) {
			return s.staleCard(c, id, f, w.T(key, what))
		}
		s.setFlash(c, flash{Tone: "warning", Key: key, Args: []any{what}})
		return s.redirect(c, card)
	}
	return s.redirect(c, run)
}

// staleCard draws the card as it is now with what was typed on the former one.
func (s *Server) staleCard(c echo.Context, id suspend.RunID, f form, warning string) error {
	card, err := s.Agent.Card(c.Request().Context(), viewerOf(c), id)
	if err != nil {
		return err
	}
	if !waits(card) {
		s.setFlash(c, flash{Tone: "warning", Key: "title.plain", Args: []any{warning}})
		return s.redirect(c, "/runs/"+string(id))
	}
	v := s.words(c).cardView(card)
	v.keep(f)
	v.Stale = warning
	return s.renderCard(c, http.StatusConflict, v)
}

// cardAgain draws the card with what was typed and what was wrong with it.
func (s *Server) cardAgain(c echo.Context, id suspend.RunID, f form, cause error) error {
	if kind := fault.KindOf(cause); kind == fault.NotFound || kind == fault.Internal {
		if kind == fault.Internal {
			return keep(cause, f, "/review/"+string(id))
		}
		return cause
	}
	card, err := s.Agent.Card(c.Request().Context(), viewerOf(c), id)
	if err != nil {
		return err
	}
	if !waits(card) {
		return keep(cause, f, "/runs/"+string(id))
	}
	w := s.words(c)
	v := w.cardView(card)
	v.keep(f)
	v.blame(w, cause, f)
	if fault.KindOf(cause) == fault.Unavailable {
		s.Log.WarnContext(c.Request().Context(), "refused decision", "request_id", requestID(c), "run_id", id, "err", cause)
	}
	return s.renderCard(c, statusOf(cause), v)
}

// keep puts what was typed back into the card's form.
func (v *cardView) keep(f form) {
	v.Reason, v.Category = f.Text("reason"), suspend.Category(f.Text("category"))
	for i := range v.Fields {
		field := &v.Fields[i]
		name := string(field.Field)
		if !f.Has(name) {
			continue
		}
		field.Value = plainLines(f.Text(name))
		field.Keep = f.Has("keep_" + name)
		field.Decorate = field.MayBeEmpty && f.Has("decorative")
	}
}

// blame puts an error into the summary and at the field it is about.
func (v *cardView) blame(w *words, cause error, f form) {
	text, field := w.sentence(cause), ""
	if te, ok := errors.AsType[*agent.TextError](cause); ok {
		field, text = string(te.Field), te.Finding.Message
		for _, cf := range v.Fields {
			if cf.Field != te.Field {
				continue
			}
			for _, finding := range actions.Lint(cf.Field, cf.Language, typedText(f, cf.Field), actions.LintContext{
				UILanguage: w.lang, MaxLength: cf.MaxLength, Decorative: f.Has("decorative"),
			}) {
				if finding.Rule == te.Finding.Rule {
					text = finding.Message
				}
			}
		}
	} else if fe, ok := errors.AsType[*fault.Error](cause); ok {
		switch {
		case errors.Is(fe, errEmptyText):
			field = string(actions.Alternative)
		case errors.Is(fe, agent.ErrReason):
			field, v.ReasonBad = "reason", text
		case len(fe.Args) > 0:
			if name, ok := fe.Args[0].(string); ok && actions.Field(name).Valid() {
				field = name
			}
		}
	}
	for i := range v.Fields {
		if string(v.Fields[i].Field) == field {
			v.Fields[i].Error = text
		}
	}
	v.Errors = append(v.Errors, errorView{Text: text, Field: field})
}
