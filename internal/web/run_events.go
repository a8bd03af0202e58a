package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/agent"
	"editor-actions/internal/suspend"
)

const (
	streamBeat = 15 * time.Second // a comment that keeps proxies from closing the stream
	streamLife = 4 * time.Minute  // then the browser comes again and is asked for its session again
	streamSlow = 10 * time.Second // a reader that takes longer is gone
)

// eventView is one message of the stream: where the run stands, no content.
type eventView struct {
	Status suspend.Status `json:"status"`
	Turn   int            `json:"turn"`
	Ended  bool           `json:"ended"` // nothing more comes
}

// runEvents streams the changes of a run. The page works without it: the script
// that listens does nothing but load the page again.
func (s *Server) runEvents(c echo.Context) error {
	id, err := runIDOf(c)
	if err != nil {
		return err
	}
	leave, err := s.streams.enter(viewerOf(c).UID)
	if err != nil {
		return err
	}
	defer leave()
	ctx := c.Request().Context()
	changes, err := s.Agent.Watch(ctx, viewerOf(c), id)
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	c.Response().WriteHeader(http.StatusOK)
	out := &eventWriter{c: c, control: http.NewResponseController(c.Response())}
	// The server's limit for reading a request would end the stream as well.
	_ = out.control.SetReadDeadline(time.Time{})
	if out.send("retry: 2000\n\n") != nil {
		return nil
	}
	beat, life := time.NewTicker(streamBeat), time.NewTimer(streamLife)
	defer beat.Stop()
	defer life.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-life.C:
			return nil
		case <-beat.C:
			if out.send(": still here\n\n") != nil {
				return nil
			}
		case v, more := <-changes:
			if !more {
				return nil
			}
			if out.change(v) != nil {
				return nil
			}
		}
	}
}

type eventWriter struct {
	c       echo.Context
	control *http.ResponseController
}

func (w *eventWriter) change(v agent.RunView) error {
	body, err := json.Marshal(eventView{
		Status: v.Run.Status, Turn: v.Run.Turn,
		Ended: v.Run.Status.Terminal() || v.Run.Status == suspend.Waiting,
	})
	if err != nil {
		return err
	}
	return w.send(fmt.Sprintf("id: %d\nevent: change\ndata: %s\n\n", v.Run.Version, body))
}

func (w *eventWriter) send(text string) error {
	// Not every ResponseWriter has a deadline; then the server's own holds.
	_ = w.control.SetWriteDeadline(time.Now().Add(streamSlow))
	if _, err := w.c.Response().Write([]byte(text)); err != nil {
		return err
	}
	w.c.Response().Flush()
	return nil
}
