package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/agent"
	"editor-actions/internal/falgate"
	"editor-actions/internal/suspend"
)

// cardPage shows the review card. A run that does not wait is on its own page.
func (s *Server) cardPage(c echo.Context) error {
	id, err := runIDOf(c)
	if err != nil {
		return err
	}
	card, err := s.Agent.Card(c.Request().Context(), viewerOf(c), id)
	if err != nil {
		return err
	}
	if card.View.Run.Status != suspend.Waiting {
		return s.redirect(c, "/runs/"+string(id))
	}
	s.cardShown(c, card)
	return s.renderCard(c, http.StatusOK, s.words(c).cardView(card))
}

// cardShown keeps that the viewer has the card before them. A browser that fetches
// pages ahead has nobody looking at them. That it was not kept costs the reviewer a
// click: the card is then decided alone.
func (s *Server) cardShown(c echo.Context, card *agent.Card) {
	if c.Request().Header.Get("Sec-Purpose") != "" || c.Request().Method != http.MethodGet {
		return
	}
	ctx := c.Request().Context()
	if err := s.Agent.Opened(ctx, viewerOf(c), card); err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "keep opened card", "request_id", requestID(c), "run_id", card.View.Run.ID, "err", err)
	}
}

func (s *Server) renderCard(c echo.Context, code int, v cardView) error {
	w := s.words(c)
	v.Spent = w.spent(v.usage, s.Settings().Providers.Currency)
	if v.File != nil {
		v.page = s.newPage(c, "review", "card.title", v.Action, v.File.Name)
	} else {
		v.page = s.newPage(c, "review", "card.title_withheld", v.Action)
	}
	if len(v.Errors) > 0 {
		v.Title = w.T("error.title", v.Title)
	}
	return s.render(c, code, "card", v.Lang, v)
}

// cardPicture is the picture the model was sent, byte for byte, for those who
// may see the card's contents.
func (s *Server) cardPicture(c echo.Context) error {
	id, err := runIDOf(c)
	if err != nil {
		return err
	}
	card, err := s.Agent.Card(c.Request().Context(), viewerOf(c), id)
	if err != nil {
		return err
	}
	if card.Image == nil {
		return falgate.ErrNotAvailable
	}
	return c.Blob(http.StatusOK, string(card.Image.Type()), card.Image.Bytes())
}

// waits reports whether there still is a card to draw.
func waits(card *agent.Card) bool { return card.View.Run.Status == suspend.Waiting }
