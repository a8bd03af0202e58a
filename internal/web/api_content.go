package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/typo3"
)

// contentJSON is the content of a file in blocks, as an agent gets it over the model
// context protocol. There is one.
type contentJSON struct {
	Content []blockJSON `json:"content"`
}

type blockJSON struct {
	Type     string  `json:"type"` // text, image
	Text     *string `json:"text,omitempty"`
	MIMEType string  `json:"mimeType,omitempty"`
	Data     []byte  `json:"data,omitempty"` // base64 in JSON
}

// apiContent is the content of a file that the viewer may see. A picture is one when
// api.vision is on and the request asks for it.
func (s *Server) apiContent(c echo.Context) error {
	vision := s.Settings().API.Vision && c.QueryParam("vision") == "true"
	b, err := s.Content.File(c.Request().Context(), viewerOf(c), subject("sys_file", c.Param("uid")).File(), vision)
	if err != nil {
		return err
	}
	block := blockJSON{Type: "text", Text: &b.Text}
	if b.Image != nil {
		block = blockJSON{Type: "image", MIMEType: b.MIMEType, Data: b.Image}
	}
	return answerJSON(c, http.StatusOK, contentJSON{Content: []blockJSON{block}})
}

// agents hands requests under /mcp to the server for agents. It knows nobody's session:
// a token in the header is all that counts there. Switched off, there is nothing; a program
// asks, so it is no page that is missing.
func (s *Server) agents() echo.HandlerFunc {
	none := s.asAPI(func(echo.Context) error { return errNoPage })
	if s.Agents == nil {
		return none
	}
	h := s.Agents(func(r *http.Request) bool {
		return s.CMS.BackendOpen(typo3.SessionRequest{RemoteIP: s.proxies.clientIP(r), HTTPS: s.proxies.https(r), Now: s.Now()})
	})
	return func(c echo.Context) error {
		if !s.Settings().MCP.Enabled {
			return none(c)
		}
		r := c.Request()
		r.Header.Del("Cookie")
		r.Header.Set(echo.HeaderXRequestID, requestID(c))
		c.Response().Header().Set("X-Accel-Buffering", "no") // progress is told while a call runs
		h.ServeHTTP(c.Response(), r)
		return nil
	}
}
