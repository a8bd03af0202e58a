package web

import (
	"errors"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/agent"
	"editor-actions/internal/fault"
	"editor-actions/internal/suspend"
)

// maxMany is how many cards one form approves: a page of the inbox.
const maxMany = 100

// shownLeft is how many cards that were not approved the message names.
const shownLeft = 3

// approveMany approves the cards that were ticked in the inbox, each as if it were
// decided alone.
func (s *Server) approveMany(c echo.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	in := current(c)
	if err := in.checkToken(f.Text("token")); err != nil {
		return err
	}
	cards, err := shownCards(f.values["run"])
	if err != nil {
		return err
	}
	if len(cards) == 0 {
		s.setFlash(c, flash{Tone: "warning", Key: "flash.many.none"})
		return s.redirect(c, "/review")
	}
	results := s.Agent.ApproveMany(c.Request().Context(), in.viewer, c.RealIP(), cards)
	s.setFlash(c, s.manyFlash(c, results, len(cards)))
	return s.redirect(c, "/review")
}

// shownCards reads "run:turn:digest" of every ticked box.
func shownCards(values []string) ([]agent.Shown, error) {
	if len(values) > maxMany {
		return nil, errBadForm
	}
	cards := make([]agent.Shown, 0, len(values))
	for _, v := range values {
		parts := strings.Split(v, ":")
		if len(parts) != 3 || !runID.MatchString(parts[0]) {
			return nil, errBadForm
		}
		turn, err := strconv.Atoi(parts[1])
		if err != nil {
			return nil, errBadForm.Because(err)
		}
		cards = append(cards, agent.Shown{Run: suspend.RunID(parts[0]), Turn: turn, Digest: parts[2]})
	}
	return cards, nil
}

// manyFlash says how many were stored, and of the first ones that were not, why.
func (s *Server) manyFlash(c echo.Context, results []agent.Approved, asked int) flash {
	w := s.words(c)
	written, left := 0, []string(nil)
	for _, r := range results {
		if r.Err == nil && r.Result.Outcome == agent.Written {
			written++
			continue
		}
		if r.Err != nil && fault.KindOf(r.Err) == fault.Internal {
			s.Log.ErrorContext(c.Request().Context(), "approve one of many", "request_id", requestID(c), "run_id", r.Shown.Run, "err", r.Err)
		}
		if len(left) < shownLeft {
			left = append(left, w.T("flash.many.left", s.nameOfRun(c, r.Shown.Run), w.whyLeft(r)))
		}
	}
	stored := w.N("flash.many.written", written)
	if written == 0 {
		stored = w.T("flash.many.nothing")
	}
	if more := asked - written - len(left); more > 0 {
		left = append(left, w.N("flash.many.more", more))
	}
	if written == asked {
		return flash{Tone: "success", Key: "title.plain", Args: []any{stored}}
	}
	return flash{Tone: "warning", Key: "title.plain", Args: []any{stored + " " + w.N("flash.many.rest", asked-written)}, Items: left}
}

// nameOfRun is what a run is about, for those who may know.
func (s *Server) nameOfRun(c echo.Context, id suspend.RunID) string {
	w := s.words(c)
	v, err := s.Agent.View(c.Request().Context(), viewerOf(c), id)
	if err != nil || v.File == nil {
		return w.T("flash.the_file")
	}
	return v.File.Name
}

// whyLeft is why a card was not approved with the others.
func (w *words) whyLeft(r agent.Approved) string {
	if te, ok := errors.AsType[*agent.TextError](r.Err); ok {
		return te.Finding.Message
	}
	if r.Err != nil {
		return w.sentence(r.Err)
	}
	return w.T(Key("flash.many." + string(r.Result.Outcome)))
}
