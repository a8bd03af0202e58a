package web

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"editor-actions/internal/actions"
	"editor-actions/internal/falgate"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

// usable is the gate's word for a file that texts may be written to.
const usable = "yes"

// fileDetailView is the page of one file.
type fileDetailView struct {
	page
	File     fileView
	Size     int64
	Modified time.Time
	Where    string // combined identifier
	Folder   string // address of its folder
	Fields   []textView
	NoRow    bool // the file has no metadata row to write to
	Usable   bool
	Offers   []offerView
	Open     []openRunView
	History  []historyView
	KeyID    string // idempotency key of the forms on this page
	Explain  bool
}

// textView is one stored text.
type textView struct {
	Field    actions.Field
	Text     string
	Language string // "" when nobody knows it
}

// historyView is one decision about the file.
type historyView struct {
	Verb     suspend.Verb
	Text     string // "Approved by Jo Doe"
	At       time.Time
	Detail   string // as proposed, edited, reason
	Self     bool
	Reason   string
	Category suspend.Category // what was wrong, in one word
	Fields   []changeView
	Language string // the texts were asked for in it; "" when nobody knows it
	Restored bool   // the proposal was an earlier text
	Agent    bool   // the proposal was an agent's from outside
	Run      suspend.RunID
	Restore  *restoreView // nil when there is nothing to put back
}

// changeView is a field before and after.
type changeView struct {
	Field    actions.Field
	Old, New string
	Proposed string // only when it differs from New
}

func (s *Server) filePage(c echo.Context) error {
	uid := actions.Subject{Table: actions.TableFile, UID: parseUID(c.Param("uid"))}.File()
	return s.renderFile(c, http.StatusOK, uid)
}

func (s *Server) renderFile(c echo.Context, code int, uid typo3.FileUID) error {
	ctx, viewer, w := c.Request().Context(), viewerOf(c), s.words(c)
	file, err := s.Gate.Look(ctx, viewer, uid)
	if err != nil {
		return err
	}
	access, _, err := s.Gate.Access(ctx, viewer, uid)
	if err != nil && !errors.Is(err, falgate.ErrNotAvailable) {
		return err
	}
	meta, err := s.CMS.Metadata(ctx, nil, uid)
	if err != nil && !errors.Is(err, typo3.ErrNoMetadata) {
		return err
	}
	open, err := s.Agent.OpenRuns(ctx, viewer, []typo3.FileUID{uid})
	if err != nil {
		return err
	}
	history, err := s.Agent.FileHistory(ctx, viewer, uid)
	if err != nil {
		return err
	}
	v := fileDetailView{
		page: s.newPage(c, "files", "title.plain", file.Name),
		File: fileViewOf(*file), Size: file.Size, Modified: file.Modified, Where: file.CombinedIdentifier(),
		Folder: filesLink(folderOf(file), false, 0), NoRow: meta == nil, Usable: access.Usable == usable,
		KeyID: s.NewID(), Explain: viewer.Admin,
	}
	if meta != nil {
		v.Fields = []textView{
			{Field: actions.Alternative, Text: meta.Alternative}, {Field: actions.Title, Text: meta.Title}, {Field: actions.Description, Text: meta.Description},
		}
		v.File.Gap = v.File.Picture && meta.Alternative == ""
	}
	if v.Usable {
		v.Offers = offerViews(w, s.Catalogue.Offers(ctx, viewer, actions.TableFile))
	}
	v.Open = openRunViews(w, open[uid])
	for _, d := range history {
		h := historyViewOf(w, d)
		if restorable(access, meta, d) {
			h.Restore = &restoreView{Token: v.Token, Key: fmt.Sprintf("%.40s-%s-%d", v.KeyID, tail(string(d.Run), 12), d.Turn), Run: d.Run, Turn: d.Turn}
		}
		v.History = append(v.History, h)
	}
	return s.render(c, code, "file", v.Lang, v)
}

// tail is the end of an id, which is where it differs from others.
func tail(id string, n int) string { return id[max(0, len(id)-n):] }

// folderOf is the combined identifier of the file's folder.
func folderOf(f *falgate.File) string {
	id := f.CombinedIdentifier()
	for i := len(id) - 1; i >= 0; i-- {
		if id[i] == '/' {
			return id[:i+1]
		}
	}
	return id
}

func historyViewOf(w *words, d suspend.Decision) historyView {
	h := historyView{
		Verb: d.Verb, At: d.At, Self: d.SelfApproved, Reason: d.Reason, Category: d.Category, Run: d.Run, Language: d.Language,
		Restored: d.Action == actions.RestoreTexts, Agent: d.Action == actions.ProposeTexts,
		Text: w.T(Key("history."+string(d.Verb)), d.ByName),
	}
	if d.Verb != suspend.VerbApprove {
		return h
	}
	switch {
	case d.Edited:
		h.Detail = w.T("history.edited")
	case d.Action == actions.RestoreTexts:
		h.Detail = w.T("history.restored")
	default:
		h.Detail = w.T("history.as_proposed")
	}
	for _, f := range []actions.Field{actions.Alternative, actions.Title, actions.Description} {
		ch, ok := d.Fields[string(f)]
		if !ok {
			continue
		}
		cv := changeView{Field: f, Old: ch.Old, New: ch.New}
		if ch.Proposed != ch.New {
			cv.Proposed = ch.Proposed
		}
		h.Fields = append(h.Fields, cv)
	}
	return h
}
