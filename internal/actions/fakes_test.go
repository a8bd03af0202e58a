package actions_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"gorm.io/gorm"

	"editor-actions/internal/actions"
	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/typo3"
)

// fakeFile is a file as the fake gate knows it.
type fakeFile struct {
	falgate.File
	access falgate.Access
	data   []byte
	hash   string
}

// fakeGate answers from a map and counts what it was asked.
type fakeGate struct {
	files map[typo3.FileUID]*fakeFile
	cms   *fakeCMS
	asked atomic.Int32
	err   error
}

func (g *fakeGate) AccessIn(_ context.Context, _ *gorm.DB, _ *typo3.BackendUser, uid typo3.FileUID) (falgate.Access, *falgate.File, error) {
	g.asked.Add(1)
	if g.err != nil {
		return falgate.Access{}, nil, g.err
	}
	f, ok := g.files[uid]
	if !ok {
		return falgate.Access{Usable: "no_file"}, nil, nil
	}
	file, access := f.File, f.access
	if m, has := g.cms.rows[uid]; has {
		file.Metadata = &m
	} else if access.Usable == "yes" {
		access.Usable = "no_metadata_row"
	}
	return access, &file, nil
}

func (g *fakeGate) AccessMany(ctx context.Context, who *typo3.BackendUser, uids []typo3.FileUID) (map[typo3.FileUID]falgate.Accessed, error) {
	out := map[typo3.FileUID]falgate.Accessed{}
	for _, uid := range uids {
		access, file, err := g.AccessIn(ctx, nil, who, uid)
		if err != nil {
			return nil, err
		}
		if file != nil {
			out[uid] = falgate.Accessed{File: file, Access: access}
		}
	}
	return out, nil
}

func (g *fakeGate) Open(_ context.Context, _ *typo3.BackendUser, uid typo3.FileUID) (*falgate.Opened, error) {
	g.asked.Add(1)
	if g.err != nil {
		return nil, g.err
	}
	f, ok := g.files[uid]
	if !ok || f.access.Usable != "yes" {
		return nil, falgate.ErrNotAvailable.Because(errors.New("fake gate refuses"))
	}
	return &falgate.Opened{File: f.File, Access: f.access, Data: f.data, SHA256: f.hash}, nil
}

func (g *fakeGate) ContentHash(_ context.Context, f *falgate.File) (string, error) {
	return g.files[f.UID].hash, nil
}

// fakeCMS holds metadata rows in a map and writes into it.
type fakeCMS struct {
	rows   map[typo3.FileUID]typo3.Metadata
	writes []typo3.MetadataWrite
	drop   string // a field that is lost on the way
}

func (c *fakeCMS) Metadata(_ context.Context, _ *gorm.DB, file typo3.FileUID) (*typo3.Metadata, error) {
	m, ok := c.rows[file]
	if !ok {
		return nil, typo3.ErrNoMetadata
	}
	return &m, nil
}

func (c *fakeCMS) WriteMetadata(_ context.Context, _ *gorm.DB, w typo3.MetadataWrite) (uint32, error) {
	c.writes = append(c.writes, w)
	m := c.rows[w.File]
	for f, v := range w.Fields {
		if f == c.drop {
			continue
		}
		switch f {
		case "alternative":
			m.Alternative = v
		case "title":
			m.Title = v
		case "description":
			m.Description = v
		}
	}
	c.rows[w.File] = m
	return 51, nil
}

// fakeScaler makes one small picture of anything but "broken".
type fakeScaler struct{ img *media.Image }

func (s fakeScaler) Fit(_ context.Context, src []byte, _ int) (*downscaler.Result, error) {
	if string(src) == "broken" {
		return nil, fault.New(fault.Unsupported, "image_truncated", "The picture is cut off.")
	}
	return &downscaler.Result{Image: s.img, Warnings: []string{"tiny_source"}}, nil
}

type fakeModels struct {
	model providers.Resolved
	ok    bool
}

func (m *fakeModels) Estimate(string, providers.Request, int, int) (providers.Estimate, bool) {
	return providers.Estimate{}, false
}

func (m *fakeModels) OfferVision([]uint32) (providers.Resolved, bool) { return m.model, m.ok }

// world is everything a test needs around one catalogue.
type world struct {
	gate     *fakeGate
	cms      *fakeCMS
	models   *fakeModels
	settings *config.Settings
	log      *bytes.Buffer
	cat      *actions.Catalogue
	editor   *typo3.BackendUser
}

const editorUID = 10

func setup(t *testing.T) *world {
	t.Helper()
	all := falgate.Access{Read: true, Write: true, EditMeta: true, WriteAlternative: "yes", WriteTitle: "yes", WriteDescription: "yes", Usable: "yes"}
	foreign := falgate.Access{Usable: "no_read", WriteAlternative: "no", WriteTitle: "no", WriteDescription: "no"}
	noTitle := all
	noTitle.WriteTitle = "no"
	w := &world{
		gate: &fakeGate{files: map[typo3.FileUID]*fakeFile{
			7:  {File: falgate.File{UID: 7, Storage: 1, Name: "lake_morning.jpg", Identifier: "/a/lake_morning.jpg"}, access: all, data: []byte("picture"), hash: "aa"},
			8:  {File: falgate.File{UID: 8, Storage: 1, Name: "secret.jpg"}, access: foreign, data: []byte("picture"), hash: "bb"},
			9:  {File: falgate.File{UID: 9, Storage: 1, Name: "broken.jpg"}, access: all, data: []byte("broken"), hash: "cc"},
			10: {File: falgate.File{UID: 10, Storage: 1, Name: "row_gone.jpg"}, access: all, data: []byte("picture"), hash: "dd"},
			11: {File: falgate.File{UID: 11, Storage: 1, Name: "no_title.jpg"}, access: noTitle, data: []byte("picture"), hash: "ee"},
		}},
		cms: &fakeCMS{rows: map[typo3.FileUID]typo3.Metadata{
			7:  {UID: 23, File: 7, Title: "Lake", Alternative: "A calm lake", Description: "Taken early."},
			8:  {UID: 24, File: 8},
			9:  {UID: 25, File: 9},
			11: {UID: 26, File: 11, Title: "Old"},
		}},
		models:   &fakeModels{model: providers.Resolved{Name: "demo", Model: "demo-1"}, ok: true},
		settings: &config.Settings{},
		log:      &bytes.Buffer{},
		editor:   &typo3.BackendUser{UID: editorUID, Username: "editor", Language: "en", MetadataTable: true, TitleField: true},
	}
	w.gate.cms = w.cms
	w.settings.Vision = config.Vision{MaxImageEdge: 1024, Alternative: config.Field{Enabled: true}, Title: config.Field{Enabled: true}, Description: config.Field{Enabled: true}}
	w.settings.Tools = config.Tools{SetFileAlternativeText: true, UpdateFALAssetMeta: true}
	w.cat = actions.NewCatalogue(w.gate, fakeScaler{picture(t)}, w.cms, w.models, func() *config.Settings { return w.settings }, slog.New(slog.NewTextHandler(w.log, nil)))
	return w
}

func (w *world) tool(t *testing.T, name string) actions.Tool {
	t.Helper()
	tool, _ := w.cat.Tool(name)
	if tool == nil {
		t.Fatalf("there is no tool %q", name)
	}
	return tool
}

// picture is one small PNG.
func picture(t *testing.T) *media.Image {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 8, 6))
	img.Set(1, 1, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	m, err := media.NewImage(b.Bytes(), media.PNG, 8, 6)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func file(uid uint64) actions.Subject { return actions.Subject{Table: "sys_file", UID: uid} }

// alt is a call of set_file_alternative_text.
func alt(uid uint64, text string) actions.Call {
	args, err := json.Marshal(map[string]any{"uid": uid, "alternative": text})
	if err != nil {
		panic(err)
	}
	return actions.Call{ID: "call_1", Tool: actions.SetFileAlternativeText, Arguments: args, Subject: file(uid)}
}

// asset is a call of update_fal_asset_meta with raw members behind the uid.
func asset(uid uint64, members string) actions.Call {
	return actions.Call{
		ID: "call_1", Tool: actions.UpdateFALAssetMeta, Subject: file(uid),
		Arguments: json.RawMessage(fmt.Sprintf(`{"uid":%d%s}`, uid, members)),
	}
}

// codeOf is the code of the first fault in err, "" for none.
func codeOf(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Code
	}
	if err != nil {
		return "no fault: " + err.Error()
	}
	return ""
}

func userText(t *testing.T, p *actions.Prepared) string {
	t.Helper()
	for _, m := range p.Messages {
		if m.Role == providers.User && m.Parts == nil {
			return m.Text
		}
	}
	t.Fatal("there is no string message of the user")
	return ""
}

func mustContain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}

func mustNotContain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(text, p) {
			t.Errorf("%q must not be in:\n%s", p, text)
		}
	}
}
