package toolimages_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"editor-actions/internal/media"
	"editor-actions/internal/toolimages"

	"github.com/google/go-cmp/cmp"
)

func presentation(attachments int) toolimages.Presentation {
	return toolimages.Presentation{Type: toolimages.PresentationType, Version: 1, Attachments: slices.Repeat([]toolimages.Attachment{{
		Type: "image", ArtifactID: "01a23207-de6f-7f30-8fa9-41ae0659420c", VersionID: "v", SHA256: strings.Repeat("0a", 32), MIMEType: media.PNG,
		Width: 8, Height: 6, Title: "Größe <b> & \u2028", Alt: "x", Source: "tool", Detail: "high",
	}}, attachments)}
}

func written(t testing.TB, p toolimages.Presentation) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestParsePresentation(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 3; n++ {
		want := presentation(n)
		want.Attachments[0].Title = "Größe <b> &"
		for i := range want.Attachments {
			want.Attachments[i].Title = "Größe <b> &"
		}
		got, err := toolimages.ParsePresentation(written(t, want))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%d: %v\n%s", n, err, diff)
		}
	}
	for name, change := range map[string]func(p *toolimages.Presentation, a *toolimages.Attachment){
		"type":               func(p *toolimages.Presentation, _ *toolimages.Attachment) { p.Type = "xpert.tool-output" },
		"version 0":          func(p *toolimages.Presentation, _ *toolimages.Attachment) { p.Version = 0 },
		"version 2":          func(p *toolimages.Presentation, _ *toolimages.Attachment) { p.Version = 2 },
		"no attachments":     func(p *toolimages.Presentation, _ *toolimages.Attachment) { p.Attachments = nil },
		"E5_P24_four":        func(p *toolimages.Presentation, _ *toolimages.Attachment) { *p = presentation(4) },
		"attachment type":    func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.Type = "video" },
		"no id":              func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.ArtifactID = "" },
		"long id":            func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.ArtifactID = strings.Repeat("a", 257) },
		"path as id":         func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.VersionID = "../a" },
		"short hash":         func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.SHA256 = a.SHA256[1:] },
		"hash in capitals":   func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.SHA256 = strings.ToUpper(a.SHA256) },
		"GIF":                func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.MIMEType = "image/gif" },
		"no width":           func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.Width = 0 },
		"negative height":    func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.Height = -6 },
		"long title":         func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.Title = strings.Repeat("a", 501) },
		"long alt":           func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.Alt = strings.Repeat("a", 501) },
		"control character":  func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.Title = "a\u202Eb" },
		"data URI":           func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.Alt = "data:image/png;base64,A" },
		"source":             func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.Source = "sandbox" },
		"no source":          func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.Source = "" },
		"file 0":             func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.Source = "sys_file:0" },
		"file out of bounds": func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.Source = "sys_file:9999999999" },
		"detail":             func(_ *toolimages.Presentation, a *toolimages.Attachment) { a.Detail = "ultra" },
	} {
		p := presentation(1)
		p.Attachments[0].Title = "t"
		change(&p, &p.Attachments[0])
		if got, err := toolimages.ParsePresentation(written(t, p)); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	p := presentation(1)
	p.Attachments[0].Title = "t"
	good := string(written(t, p))
	for name, bad := range map[string]string{
		"nothing": "", "null": "null", "list": "[]", "text": `"x"`, "cut": good[:len(good)-1], "more behind": good + "{}", "spaces": " " + good,
		"E5_P27_unknown key":                  strings.Replace(good, `"width"`, `"anchors":{},"width"`, 1),
		"E5_P27_unknown key of the object":    strings.Replace(good, `"version"`, `"url":"","version"`, 1),
		"a key twice":                         strings.Replace(good, `"width":8`, `"width":9,"width":8`, 1),
		"a key in capitals":                   strings.Replace(good, `"width"`, `"Width"`, 1),
		"keys in another order":               strings.Replace(good, `"width":8,"height":6`, `"height":6,"width":8`, 1),
		"a number as text":                    strings.Replace(good, `"width":8`, `"width":"8"`, 1),
		"a fraction":                          strings.Replace(good, `"width":8`, `"width":8.5`, 1),
		"no height":                           strings.Replace(good, `,"height":6`, ``, 1),
		"bytes that are no text":              strings.Replace(good, `"title":"t"`, "\"title\":\"\xff\"", 1),
		"more than any presentation can have": good + strings.Repeat(" ", 128<<10),
	} {
		if got, err := toolimages.ParsePresentation(json.RawMessage(bad)); err == nil || bad == good {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The longest presentation that can be written can be read.
func TestParsePresentation_TheLongestFits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		p, err := r.Save(t.Context(), toolimages.SaveInput{Data: drawing(8, 6, 1), MIMEType: "image/png", Title: strings.Repeat("<", 9000)})
		r.must(err)
		q, err := r.Save(t.Context(), toolimages.SaveInput{Data: drawing(8, 6, 21), MIMEType: "image/png", Title: strings.Repeat("<"+strings.Repeat("\u0336", 7), 900)})
		r.must(err)
		m := r.shown("c1", viewPage, "x", p, q, q)
		if got, err := toolimages.ParsePresentation(m.Artifact); err != nil || len(got.Attachments) != 3 {
			t.Errorf("%d bytes: %v", len(m.Artifact), err)
		}
	})
}

func FuzzParsePresentation(f *testing.F) {
	p := presentation(3)
	for i := range p.Attachments {
		p.Attachments[i].Title = "t"
	}
	good := written(f, p)
	f.Add([]byte(good))
	f.Add([]byte(`{"type":"editor-actions.tool-output","version":1,"attachments":[]}`))
	f.Add(bytes.Replace(good, []byte(`"tool"`), []byte(`"sys_file:7"`), 1))
	f.Add(bytes.Replace(good, []byte(`"t"`), []byte(`"\ud83d\ude00"`), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := toolimages.ParsePresentation(data)
		if err != nil {
			if len(data) > 8 && strings.Contains(err.Error(), string(data)) {
				t.Fatal("the error repeats its input")
			}
			return
		}
		if again, err := json.Marshal(p); err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%s was read as %s", data, again)
		}
		if len(p.Attachments) < 1 || len(p.Attachments) > 3 || bytes.Contains(bytes.ToLower(data), []byte("data:image/")) {
			t.Fatalf("%s was read", data)
		}
	})
}

// What is clean stays as it is, whatever it was before.
func FuzzTitle(f *testing.F) {
	r := newSQLite(f)
	for _, seed := range []string{"a", " a\u202Eb ", strings.Repeat("e\u0301", 600), "data:data:image/image/", "\U0001F468\u200D\U0001F469", "a\r\n\u0085b"} {
		f.Add(seed)
	}
	data := drawing(1, 1, 1)
	f.Fuzz(func(t *testing.T, title string) {
		p, err := r.Save(t.Context(), toolimages.SaveInput{Data: data, MIMEType: "image/png", Title: title})
		if err != nil {
			return
		}
		if _, err := toolimages.ParsePresentation(written(t, p)); err != nil {
			t.Fatalf("%q became %q, which is refused", title, p.Attachments[0].Title)
		}
	})
}
