package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/actions"
	"editor-actions/internal/falgate"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

// filesPerPage is how many pictures a page shows.
const filesPerPage = 24

// filesView is the files page: a folder, or everything below it that lacks text.
type filesView struct {
	page
	Tree     []folderView
	Crumbs   []folderView
	Sub      []folderView
	Folder   string
	Missing  bool
	Files    []fileView
	Next     string // address of the next page
	First    bool   // this is the first page
	NoMount  bool   // the user has no folder at all
	AllLink  string
	GapLink  string
	CanStart bool   // on some of the files
	AskLink  string // a free request about the folder, "" = there is no assistant
}

// folderView is a folder as a link.
type folderView struct {
	Name    string
	Link    string
	Depth   int
	Current bool
	Inside  bool // the current folder is below this one
}

// fileView is a file as a card.
type fileView struct {
	UID         typo3.FileUID
	Name        string
	Kind        string // "JPG"
	Picture     bool   // there may be a thumbnail
	Version     string // changes with the file, for the browser's cache
	Title       string
	Alternative string
	Gap         bool // a picture without alternative text
	Missing     bool // the file is gone from its storage
	Open        []openRunView
	CanStart    bool
}

// openRunView is a badge: something is going on with this file.
type openRunView struct {
	Link string
	Text string
	Tone string
}

func (s *Server) filesPage(c echo.Context) error {
	ctx, viewer := c.Request().Context(), viewerOf(c)
	roots, err := s.Gate.Roots(ctx, viewer)
	if err != nil {
		return err
	}
	v := filesView{page: s.newPage(c, "files", "files.heading"), First: c.QueryParam("after") == ""}
	if len(roots) == 0 {
		v.NoMount = true
		return s.render(c, http.StatusOK, "files", v.Lang, v)
	}
	v.Folder = c.QueryParam("folder")
	if v.Folder == "" {
		v.Folder = roots[0].Combined
	}
	v.Missing = c.QueryParam("missing") == "1"
	sub, crumbs, err := s.Gate.Folders(ctx, viewer, v.Folder)
	if err != nil {
		return err
	}
	v.Crumbs = crumbViews(crumbs)
	v.Tree = treeViews(roots, crumbs, sub, v.Missing)
	for _, f := range sub {
		v.Sub = append(v.Sub, folderView{Name: f.Name, Link: filesLink(f.Combined, v.Missing, 0)})
	}
	if n := len(crumbs); n > 0 {
		v.Title = s.words(c).T("files.title", crumbs[n-1].Name)
	}
	files, err := s.Gate.Files(ctx, viewer, falgate.FileQuery{
		Folder: v.Folder, MissingAlternative: v.Missing,
		After: actions.Subject{Table: actions.TableFile, UID: parseUID(c.QueryParam("after"))}.File(), Limit: filesPerPage,
	})
	if err != nil {
		return err
	}
	if v.Files, err = s.fileViews(c, files.Files); err != nil {
		return err
	}
	for _, f := range v.Files {
		v.CanStart = v.CanStart || f.CanStart
	}
	if s.Agent.MayAsk(viewer) {
		v.AskLink = "/assistant?folder=" + url.QueryEscape(v.Folder)
	}
	v.AllLink, v.GapLink = filesLink(v.Folder, false, 0), filesLink(v.Folder, true, 0)
	if files.Next != 0 {
		v.Next = filesLink(v.Folder, v.Missing, files.Next)
	}
	return s.render(c, http.StatusOK, "files", v.Lang, v)
}

func (s *Server) fileViews(c echo.Context, files []falgate.FileWithMetadata) ([]fileView, error) {
	ctx, viewer, w := c.Request().Context(), viewerOf(c), s.words(c)
	uids := make([]typo3.FileUID, len(files))
	for i, f := range files {
		uids[i] = f.UID
	}
	open, err := s.Agent.OpenRuns(ctx, viewer, uids)
	if err != nil {
		return nil, err
	}
	offers := len(s.Catalogue.Offers(ctx, viewer, actions.TableFile)) > 0
	views := make([]fileView, len(files))
	for i, f := range files {
		v := fileViewOf(f.File)
		if f.Metadata != nil {
			v.Title, v.Alternative = f.Metadata.Title, f.Metadata.Alternative
		}
		v.Gap = v.Picture && v.Alternative == ""
		v.CanStart = offers && v.Picture
		v.Open = openRunViews(w, open[f.UID])
		views[i] = v
	}
	return views, nil
}

// fileViewOf is what the file itself says.
func fileViewOf(f falgate.File) fileView {
	return fileView{
		UID: f.UID, Name: f.Name, Kind: strings.ToUpper(f.Extension), Missing: f.Missing,
		Picture: pictureType(f.MimeType) && !f.Missing, Version: f.SHA1[:min(8, len(f.SHA1))],
	}
}

// pictureType reports whether a thumbnail is worth a try. Drawings and
// documents show their kind instead.
func pictureType(mime string) bool {
	return strings.HasPrefix(mime, "image/") && !strings.HasPrefix(mime, "image/svg")
}

// openRunViews are the badges of a file: one for the proposals that wait, one
// for the runs in work.
func openRunViews(w *words, runs []suspend.Run) []openRunView {
	var waiting, working []suspend.Run
	for _, r := range runs {
		if r.Status == suspend.Waiting {
			waiting = append(waiting, r)
		} else {
			working = append(working, r)
		}
	}
	var out []openRunView
	switch n := len(waiting); {
	case n == 1:
		out = append(out, openRunView{Link: "/review/" + string(waiting[0].ID), Text: w.T("badge.waiting"), Tone: "info"})
	case n > 1:
		out = append(out, openRunView{Link: "/review", Text: w.T("badge.waiting_many", n), Tone: "info"})
	}
	if len(working) > 0 {
		out = append(out, openRunView{Link: "/runs/" + string(working[0].ID), Text: w.T("badge.in_work"), Tone: "neutral"})
	}
	return out
}

func filesLink(folder string, missing bool, after typo3.FileUID) string {
	q := url.Values{"folder": {folder}}
	if missing {
		q.Set("missing", "1")
	}
	if after != 0 {
		q.Set("after", itoa(after))
	}
	return "/files?" + q.Encode()
}

func crumbViews(crumbs []falgate.Folder) []folderView {
	out := make([]folderView, len(crumbs))
	for i, f := range crumbs {
		out[i] = folderView{Name: f.Name, Link: filesLink(f.Combined, false, 0), Current: i == len(crumbs)-1}
	}
	return out
}

// treeViews lists the roots, opened along the way to the current folder, with
// the folders in it.
func treeViews(roots, crumbs, sub []falgate.Folder, missing bool) []folderView {
	var out []folderView
	add := func(f falgate.Folder, depth int, current, inside bool) {
		out = append(out, folderView{Name: f.Name, Link: filesLink(f.Combined, missing, 0), Depth: min(depth, 6), Current: current, Inside: inside})
	}
	for _, root := range roots {
		if len(crumbs) == 0 || crumbs[0].Combined != root.Combined {
			add(root, 0, false, false)
			continue
		}
		for depth, f := range crumbs {
			add(f, depth, depth == len(crumbs)-1, depth < len(crumbs)-1)
		}
		for _, f := range sub {
			add(f, len(crumbs), false, false)
		}
	}
	return out
}
