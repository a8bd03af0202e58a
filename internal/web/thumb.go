package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/fault"
)

// thumbEdge is the longest edge of a thumbnail: twice what a card shows, for dense screens.
const thumbEdge = 560

// thumb is a small picture of a file, for those who may see the file at this
// moment. The browser may keep it, but asks again each time.
func (s *Server) thumb(c echo.Context) error {
	ctx, viewer := c.Request().Context(), viewerOf(c)
	uid := subject("sys_file", c.QueryParam("uid")).File()
	file, err := s.Gate.Look(ctx, viewer, uid)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d %d %d", file.UID, file.SHA1, file.Size, file.Modified.Unix(), thumbEdge))
	etag := `"` + hex.EncodeToString(sum[:12]) + `"`
	if matches(c.Request().Header.Get("If-None-Match"), etag) {
		keepPrivately(c, etag)
		return c.NoContent(http.StatusNotModified)
	}
	leave, err := s.thumbs.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	opened, err := s.Gate.View(ctx, viewer, uid)
	if err != nil {
		return err
	}
	small, err := s.Scaler.Fit(ctx, opened.Data, thumbEdge)
	if err != nil {
		if ctx.Err() != nil || fault.KindOf(err) == fault.RateLimited || fault.KindOf(err) == fault.Unavailable {
			return err
		}
		keepPrivately(c, etag)
		// The viewer may see the file; that it has no picture is no secret.
		return c.Blob(http.StatusOK, assetTypes["none.svg"], s.pages.files.bytes["none.svg"])
	}
	keepPrivately(c, etag)
	return c.Blob(http.StatusOK, string(small.Image.Type()), small.Image.Bytes())
}

// keepPrivately lets the one browser keep a picture, and ask each time whether it still may.
func keepPrivately(c echo.Context, etag string) {
	h := c.Response().Header()
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", etag)
}

func matches(header, etag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		if t := strings.TrimSpace(part); t == "*" || strings.TrimPrefix(t, "W/") == etag {
			return true
		}
	}
	return false
}
