package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/labstack/echo/v4"
)

//go:embed assets
var assetFiles embed.FS

// assetTypes are the files a browser may ask for, with what they are.
var assetTypes = map[string]string{
	"app.css":  "text/css; charset=utf-8",
	"app.js":   "text/javascript; charset=utf-8",
	"icon.svg": "image/svg+xml",
	"none.svg": "image/svg+xml",
}

// assets are style, script and drawings. Their address holds a hash of all of
// them, so that they may be kept for ever and still change with a new version.
type assets struct {
	version string
	bytes   map[string][]byte
}

func loadAssets() (*assets, error) {
	a := &assets{bytes: map[string][]byte{}}
	sum := sha256.New()
	entries, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if _, known := assetTypes[e.Name()]; !known {
			return nil, fmt.Errorf("web: asset %s has no type", e.Name())
		}
		b, err := assetFiles.ReadFile("assets/" + e.Name())
		if err != nil {
			return nil, err
		}
		a.bytes[e.Name()] = b
		_, _ = sum.Write(b) // a hash never fails
	}
	a.version = hex.EncodeToString(sum.Sum(nil))[:12]
	return a, nil
}

func (a *assets) address(name string) string { return "/assets/" + a.version + "/" + name }

func (s *Server) asset(c echo.Context) error {
	body, ok := s.pages.files.bytes[c.Param("name")]
	if !ok {
		return errNoPage
	}
	cache := "no-cache" // an address of another version: right now, but not for long
	if c.Param("version") == s.pages.files.version {
		cache = "public, max-age=31536000, immutable"
	}
	c.Response().Header().Set("Cache-Control", cache)
	return c.Blob(http.StatusOK, assetTypes[c.Param("name")], body)
}
