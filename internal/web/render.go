package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"editor-actions/internal/actions"
	"editor-actions/internal/typo3"
)

//go:embed templates/*.html
var templateFiles embed.FS

// page is what every page needs. Each page's view embeds it.
type page struct {
	Lang    string
	Title   string
	Nav     string // files, actions, review, tokens, explain, models: which entry is the current one
	Agents  bool   // programs may connect, so there is a page of tokens
	Viewer  *viewerView
	Token   string
	Pending int // proposals that wait, for the navigation
	Flash   *flashView
}

type viewerView struct {
	Name    string
	Admin   bool
	SignOut bool
}

// renderer holds the parsed templates: one set per page and language, so that
// no template can forget whose language it speaks.
type renderer struct {
	base  string
	files *assets
	sets  map[string]map[string]*template.Template // language, then page
}

func newRenderer(base string) (*renderer, error) {
	files, err := loadAssets()
	if err != nil {
		return nil, err
	}
	r := &renderer{base: base, files: files, sets: map[string]map[string]*template.Template{}}
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return nil, err
	}
	for _, w := range languages() {
		shared, err := template.New("").Funcs(r.funcs(w)).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html")
		if err != nil {
			return nil, fmt.Errorf("web: parse templates: %w", err)
		}
		set := map[string]*template.Template{}
		for _, name := range names {
			short := strings.TrimSuffix(path.Base(name), ".html")
			if short == "layout" || short == "parts" {
				continue
			}
			t, err := template.Must(shared.Clone()).ParseFS(templateFiles, name)
			if err != nil {
				return nil, fmt.Errorf("web: parse templates: %w", err)
			}
			set[short] = t
		}
		r.sets[w.lang] = set
	}
	return r, nil
}

func (r *renderer) funcs(w *words) template.FuncMap {
	return template.FuncMap{
		"t":        func(key string, args ...any) string { return w.T(Key(key), args...) },
		"tn":       func(key string, n int, args ...any) string { return w.N(Key(key), n, args...) },
		"path":     func(parts ...any) string { return r.base + fmt.Sprint(parts...) },
		"asset":    func(name string) string { return r.base + r.files.address(name) },
		"time":     func(t time.Time) timeView { return timeViewOf(w, t) },
		"day":      func(t time.Time) timeView { return dayViewOf(w, t) },
		"field":    func(f actions.Field) string { return w.field(f) },
		"language": w.languageName,
		"bytes":    w.bytes,
		"length":   actions.Length,
		"operator": w.operator,
		"icon":     func(name string) iconView { return iconView{Name: name} },
		"warning":  func(code string) string { return w.T(Key("warning." + code)) },
		"diffpart": func(tag string, parts []diffPart) diffTag { return diffTag{tag, parts} },
		"offerpart": func(o offerView, token, key string, f fileView, primary bool) offerPart {
			return offerPart{Offer: o, Token: token, KeyID: key, UID: f.UID, Name: f.Name, Primary: primary}
		},
	}
}

// iconView names one of the drawings in parts.html.
type iconView struct{ Name string }

// diffTag is one side of a comparison, with the element that marks changes.
type diffTag struct {
	Tag   string
	Parts []diffPart
}

// offerPart is an action's form for one file.
type offerPart struct {
	Offer        offerView
	Token, KeyID string
	UID          typo3.FileUID
	Name         string
	Primary      bool
}

// timeView is a moment for a <time> element. The text is in UTC and says so;
// the script puts the reader's own zone in its place.
type timeView struct{ Machine, Text string }

func timeViewOf(w *words, t time.Time) timeView {
	u := t.UTC()
	return timeView{
		Machine: u.Format(time.RFC3339),
		Text:    w.T("time.full", u.Day(), w.T(Key("month."+u.Format("01"))), u.Year(), u.Format("15:04")),
	}
}

// dayViewOf is a day without a time.
func dayViewOf(w *words, t time.Time) timeView {
	return timeView{Machine: t.Format(time.DateOnly), Text: w.T("time.day", t.Day(), w.T(Key("month."+t.Format("01"))), t.Year())}
}

// languageName names a language tag in the reader's language.
func (w *words) languageName(tag string) string {
	if name := display.Tags(language.Make(w.lang)).Name(language.Make(tag)); name != "" {
		return name
	}
	return tag
}

func (w *words) bytes(n int64) string {
	switch {
	case n < 1000:
		return w.T("bytes.b", n)
	case n < 1000*1000:
		return w.T("bytes.kb", (n+500)/1000)
	}
	text := fmt.Sprintf("%.1f", float64(n)/1e6)
	if w.lang == "de" {
		text = strings.ReplaceAll(text, ".", ",")
	}
	return w.T("bytes.mb", text)
}

// render executes a page into a buffer first, so that a failure still can be answered.
func (s *Server) render(c echo.Context, code int, name string, lang string, view any) error {
	t, ok := s.pages.sets[lang][name]
	if !ok {
		return fmt.Errorf("web: no template %q in %q", name, lang)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "layout", view); err != nil {
		return fmt.Errorf("web: render %s: %w", name, err)
	}
	if c.Request().Method == http.MethodHead {
		return c.NoContent(code)
	}
	return c.HTMLBlob(code, b.Bytes())
}

// newPage fills the frame of a page for whoever is signed in. The count in the
// navigation is a service: when it cannot be had, the page still is.
func (s *Server) newPage(c echo.Context, nav string, title Key, args ...any) page {
	w := s.words(c)
	p := page{Lang: w.lang, Title: w.T(title, args...), Nav: nav}
	in, ok := c.Get(keySession).(*session)
	if !ok {
		return p
	}
	p.Viewer = &viewerView{Name: in.viewer.DisplayName(), Admin: in.viewer.Admin, SignOut: s.demo()}
	p.Token, p.Agents = in.token, s.Settings().MCP.Enabled
	n, err := s.Agent.Count(c.Request().Context(), in.viewer)
	if err != nil {
		s.Log.WarnContext(c.Request().Context(), "count waiting runs", "request_id", requestID(c), "err", err)
	}
	p.Pending = n
	p.Flash = s.takeFlash(c)
	return p
}
