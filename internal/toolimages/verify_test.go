package toolimages_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"editor-actions/internal/fault"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
	"editor-actions/internal/toolimages"
)

// forge is a round whose reference was changed.
func (r *room) forge(p toolimages.Presentation, change func(a *toolimages.Attachment)) []providers.Message {
	r.Helper()
	p.Attachments = slices.Clone(p.Attachments)
	change(&p.Attachments[0])
	return transcript(asked("c1", viewPage), r.shown("c1", viewPage, "one", p))
}

func TestE6_References(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		a, b := r.saved("Page 1", 1), r.saved("Page 2", 21)
		honest := r.forge(a, func(*toolimages.Attachment) {})
		if _, _, err := r.project(honest); err != nil {
			t.Fatal(err)
		}
		mine := r.scope
		for name, change := range map[string]func(s *toolimages.Scope){
			"E6_W01_installation": func(s *toolimages.Scope) { s.Installation = "site-2" },
			"E6_W02_workspace":    func(s *toolimages.Scope) { s.Workspace = "2" },
			"E6_W03_user":         func(s *toolimages.Scope) { s.ActingUser = 4 },
			"E6_W04_run":          func(s *toolimages.Scope) { s.Run = r.started(3).ID },
		} {
			r.sub(name, func(*testing.T) {
				defer func() { r.scope = mine }()
				change(&r.scope)
				r.refused(name, honest, toolimages.ErrUnavailable, 0)
			})
		}
		other := b.Attachments[0]
		for name, change := range map[string]func(a *toolimages.Attachment){
			"E6_W05_forged version":            func(a *toolimages.Attachment) { a.VersionID = strings.Repeat("0", 36) },
			"E6_W05_forged artifact":           func(a *toolimages.Attachment) { a.ArtifactID = strings.Repeat("0", 36) },
			"E6_W06_version of another":        func(a *toolimages.Attachment) { a.VersionID = other.VersionID },
			"E6_W06_artifact of another":       func(a *toolimages.Attachment) { a.ArtifactID = other.ArtifactID },
			"E6_W06_both of another":           func(a *toolimages.Attachment) { a.ArtifactID, a.VersionID = other.ArtifactID, other.VersionID },
			"E6_W07_width":                     func(a *toolimages.Attachment) { a.Width++ },
			"E6_W08_height":                    func(a *toolimages.Attachment) { a.Height-- },
			"E6_W09_type":                      func(a *toolimages.Attachment) { a.MIMEType = media.JPEG },
			"E6_W10_hash":                      func(a *toolimages.Attachment) { a.SHA256 = other.SHA256 },
			"a picture of a tool is no file's": func(a *toolimages.Attachment) { a.Source = "sys_file:7" },
		} {
			r.sub(name, func(*testing.T) { r.refused(name, r.forge(a, change), toolimages.ErrUnavailable, 0) })
		}
		r.sub("E6_W11_W12_swapped bytes", func(*testing.T) {
			defer func() { r.spy.bytes = nil }()
			for name, swap := range map[string]func(data []byte) []byte{
				"W11: longer":         func(data []byte) []byte { return append(data, 0) },
				"W11: another":        func([]byte) []byte { return drawing(64, 48, 3) },
				"W12: of this length": func(data []byte) []byte { data[len(data)-20] ^= 1; return data },
				"nothing":             func([]byte) []byte { return nil },
			} {
				r.spy.bytes = func(_ suspend.Artifact, data []byte) []byte { return swap(data) }
				r.refused(name, honest, toolimages.ErrUnavailable, 1)
			}
			// A sound picture of the same size and length, other pixels.
			var twin []byte
			want, err := r.spy.Store.OpenArtifact(r.Context(), suspend.Artifact{ID: a.Attachments[0].ArtifactID, VersionID: a.Attachments[0].VersionID})
			r.must(err)
			for shade := uint8(2); len(twin) != len(want); shade++ {
				twin = drawing(8, 6, shade)
			}
			r.spy.bytes = func(suspend.Artifact, []byte) []byte { return twin }
			r.refused("W12: a twin", honest, toolimages.ErrUnavailable, 1)
		})
		r.sub("E6_W16_the store's words stay inside", func(t *testing.T) {
			defer func() { r.spy.fail = nil }()
			r.spy.fail = errors.New("revoked by bob")
			r.refused("W16", honest, toolimages.ErrUnavailable, 0)
			_, _, err := r.project(honest)
			for e := err; e != nil; e = errors.Unwrap(e) {
				if said := fmt.Sprintf("%v %+v %s %q", e, e, e, e); strings.Contains(said, "bob") {
					t.Errorf("says %q", said)
				}
			}
			if err.Error() != toolimages.ErrUnavailable.Error() || !strings.Contains(toolimages.Reason(err), "revoked by bob") || fault.KindOf(err) != fault.Unavailable {
				t.Errorf("%v because %q", err, toolimages.Reason(err))
			}
			if toolimages.Reason(errors.New("x")) != "" || toolimages.Reason(nil) != "" {
				t.Error("a reason of nothing")
			}
		})
		r.sub("E6_W19_one of three fails", func(*testing.T) {
			c := r.saved("Page 3", 41)
			durable := transcript(asked("c1", viewPage), r.shown("c1", viewPage, "three", a, b, c))
			defer func() { r.spy.bytes = nil }()
			r.spy.bytes = func(row suspend.Artifact, data []byte) []byte {
				if row.ID == other.ArtifactID {
					return data[:len(data)-1]
				}
				return data
			}
			r.refused("W19", durable, toolimages.ErrUnavailable, 2)
		})
		r.sub("E6_W21_a reviewer resumes", func(t *testing.T) {
			defer func() { r.scope = mine }()
			r.scope = toolimages.ForRun(installation, r.run) // the run knows who started it
			if _, _, err := r.project(honest); err != nil {
				t.Error(err)
			}
		})
		r.sub("E6_W22_the reviewer's own run", func(*testing.T) {
			defer func() { r.scope = mine }()
			r.scope = toolimages.ForRun(installation, r.started(9))
			r.refused("W22", honest, toolimages.ErrUnavailable, 0)
		})
		r.sub("cancelled", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, _, err := r.Project(ctx, honest, imageTools); !errors.Is(err, context.Canceled) || errors.Is(err, toolimages.ErrUnavailable) {
				t.Errorf("%v", err)
			}
		})
	})
}

// W13: a record and bytes that agree, and are no picture.
func TestE6_W13_NoPicture(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		s := drawing(8, 6, 1)
		for name, data := range map[string][]byte{"text": []byte("no picture at all"), "signature": s[:8], "cut": s[:len(s)-12], "SVG": file(t, "svg.svg"), "GIF": file(t, "gif_anim.gif")} {
			sum := sha256.Sum256(data)
			p := r.saved("x", 77)
			a := p.Attachments[0]
			scope := sha256.Sum256(fmt.Appendf(nil, `["site-1","live",3,%q]`, r.run.ID))
			row, err := r.spy.Store.SaveArtifact(t.Context(), suspend.Artifact{
				Run: r.run.ID, ScopeHash: hex.EncodeToString(scope[:]), ActingUser: 3, Source: "tool", SHA256: hex.EncodeToString(sum[:]),
				MIME: "image/png", Width: 8, Height: 6, Size: len(data),
			}, data)
			r.must(err)
			p.Attachments = []toolimages.Attachment{a}
			p.Attachments[0].ArtifactID, p.Attachments[0].VersionID, p.Attachments[0].SHA256 = row.ID, row.VersionID, row.SHA256
			r.refused(name, transcript(asked("c1", viewPage), r.shown("c1", viewPage, "one", p)), toolimages.ErrUnavailable, 1)
		}
	})
}

func TestE6_Revoked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		ctx := t.Context()
		a := r.saved("Page 1", 1)
		old := r.forge(a, func(*toolimages.Attachment) {})
		r.sub("E6_W14_W15_by its run", func(t *testing.T) {
			r.must(r.Revoke(ctx, a.Attachments[0].ArtifactID))
			r.refused("W14", old, toolimages.ErrUnavailable, 0)
			if _, err := r.Preview(ctx, r.run.ID, a.Attachments[0].ArtifactID, a.Attachments[0].VersionID, nil); !errors.Is(err, toolimages.ErrUnavailable) {
				t.Errorf("the card: %v", err)
			}
		})
		r.sub("E6_W20_the same bytes again", func(t *testing.T) {
			again := r.saved("Page 1", 1)
			if again.Attachments[0].ArtifactID == a.Attachments[0].ArtifactID || again.Attachments[0].SHA256 != a.Attachments[0].SHA256 {
				t.Errorf("%+v", again)
			}
			r.refused("the old reference", old, toolimages.ErrUnavailable, 0)
			if _, _, err := r.project(r.forge(again, func(*toolimages.Attachment) {})); err != nil {
				t.Error(err)
			}
		})
		r.sub("of another run it is not", func(t *testing.T) {
			b := r.saved("Page 2", 21)
			mine := r.scope
			r.scope = toolimages.ForRun(installation, r.started(3))
			err := r.Revoke(ctx, b.Attachments[0].ArtifactID)
			r.scope = mine
			if !errors.Is(err, toolimages.ErrUnavailable) {
				t.Error(err)
			}
			if _, _, err := r.project(r.forge(b, func(*toolimages.Attachment) {})); err != nil {
				t.Error(err)
			}
			if err := r.Revoke(ctx, "nobody's"); !errors.Is(err, toolimages.ErrUnavailable) {
				t.Error(err)
			}
		})
	})
}

// W17: sealed bytes that lie in another row; W18: another key.
func TestE6_SealedBytes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		a, b := r.saved("Page 1", 1), r.saved("Page 2", 21)
		durable := r.forge(b, func(*toolimages.Attachment) {})
		r.sub("E6_W18_rotated", func(t *testing.T) {
			_, err := suspend.AddPrimaryKey(r.keyset)
			r.must(err)
			fresh := r.instance(connect(t, r.dsn))
			done, err := fresh.Rewrap(t.Context(), nil)
			if err != nil || done.Renewed != 3 { // the run and two pictures
				t.Fatalf("%+v %v", done, err)
			}
			if _, _, err := r.project(durable); err != nil {
				t.Errorf("%v: %s", err, toolimages.Reason(err))
			}
		})
		r.sub("E6_W17_moved", func(*testing.T) {
			var key, body []byte
			r.must(r.db.Raw("SELECT sealed_key, sealed_body FROM tx_editoractions_artifact WHERE id = ?", a.Attachments[0].ArtifactID).Row().Scan(&key, &body))
			r.exec("UPDATE tx_editoractions_artifact SET sealed_key = ?, sealed_body = ? WHERE id = ?", key, body, b.Attachments[0].ArtifactID)
			r.refused("W17", durable, toolimages.ErrUnavailable, 1)
		})
		r.sub("a damaged record", func(*testing.T) {
			defer func() { r.spy.row = nil }()
			honest := r.forge(a, func(*toolimages.Attachment) {})
			for name, change := range map[string]func(row *suspend.Artifact){
				"no size": func(row *suspend.Artifact) { row.Size = 0 }, "too large": func(row *suspend.Artifact) { row.Size = 6_000_001 },
			} {
				r.spy.row = change
				r.refused(name, honest, toolimages.ErrUnavailable, 0)
			}
		})
	})
}

// F.4: the rights on a file are asked again whenever a picture of it is shown.
func TestFileRights_AreAskedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		ctx := t.Context()
		var asked7 []uint32
		var no error
		r.host.MayLook = func(_ context.Context, file uint32) error {
			asked7 = append(asked7, file)
			return no
		}
		s := r.service(asIs{}, toolimages.DefaultConfig())
		of := func(file uint32) toolimages.Attachment {
			p, err := s.Save(ctx, toolimages.SaveInput{Data: drawing(8, 6, 1), MIMEType: "image/png", File: file})
			r.must(err)
			return p.Attachments[0]
		}
		made, seven, nine := of(0), of(7), of(9)
		if made.Source != "tool" || seven.Source != "sys_file:7" || seven.ArtifactID == nine.ArtifactID || seven.ArtifactID == made.ArtifactID || seven.SHA256 != nine.SHA256 {
			t.Errorf("%+v\n%+v\n%+v", made, seven, nine)
		}
		round := func(a toolimages.Attachment) []providers.Message {
			return r.forge(toolimages.Presentation{Type: toolimages.PresentationType, Version: 1, Attachments: []toolimages.Attachment{a}}, func(*toolimages.Attachment) {})
		}
		project := func(a toolimages.Attachment) error {
			_, _, err := s.Project(ctx, round(a), imageTools)
			return err
		}
		if err := project(seven); err != nil || !slices.Equal(asked7, []uint32{7}) {
			t.Errorf("asked about %v, %v", asked7, err)
		}
		no = errors.New("outside file mount /secret/")
		_, _, _ = r.spy.calls()
		err := project(seven)
		if _, _, reads := r.spy.calls(); !errors.Is(err, toolimages.ErrUnavailable) || reads != 0 || strings.Contains(err.Error(), "secret") || !strings.Contains(toolimages.Reason(err), "mount") {
			t.Errorf("%v, %d reads", err, reads)
		}
		if err := project(made); err != nil {
			t.Errorf("what a tool made has no file: %v", err)
		}
		// Nobody gets around it by naming the picture as a tool's.
		if err := project(toolimages.Attachment{Type: "image", ArtifactID: seven.ArtifactID, VersionID: seven.VersionID, SHA256: seven.SHA256, MIMEType: seven.MIMEType, Width: 8, Height: 6, Source: "tool", Detail: "high"}); !errors.Is(err, toolimages.ErrUnavailable) {
			t.Error(err)
		}
	})
}

func TestPreview_WithTheViewersRights(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		ctx := t.Context()
		made := r.saved("x", 1).Attachments[0]
		p, err := r.Save(ctx, toolimages.SaveInput{Data: drawing(8, 6, 1), MIMEType: "image/png", File: 7})
		r.must(err)
		seven := p.Attachments[0]
		r.scope = toolimages.Scope{} // a reviewer has none
		r.host.MayLook = func(context.Context, uint32) error { t.Error("the acting user was asked"); return nil }
		s := r.service(asIs{}, toolimages.DefaultConfig())
		yes := func(context.Context, uint32) error { return nil }
		no := func(_ context.Context, file uint32) error { return fmt.Errorf("no access to %d", file) }
		for name, c := range map[string]struct {
			run     suspend.RunID
			a       toolimages.Attachment
			mayLook func(context.Context, uint32) error
			ok      bool
		}{
			"a tool's":          {r.run.ID, made, nil, true},
			"a tool's, asked":   {r.run.ID, made, no, true},
			"a file's":          {r.run.ID, seven, yes, true},
			"a file's, refused": {r.run.ID, seven, no, false},
			"a file's, unasked": {r.run.ID, seven, nil, false},
			"another run's":     {r.started(3).ID, made, yes, false},
			"another version":   {r.run.ID, toolimages.Attachment{ArtifactID: made.ArtifactID, VersionID: seven.VersionID}, yes, false},
			"none":              {r.run.ID, toolimages.Attachment{}, yes, false},
		} {
			img, err := s.Preview(ctx, c.run, c.a.ArtifactID, c.a.VersionID, c.mayLook)
			if c.ok && (err != nil || img.SHA256() != c.a.SHA256) || !c.ok && (!errors.Is(err, toolimages.ErrUnavailable) || img != nil) {
				t.Errorf("%s: %s %v", name, img, err)
			}
		}
		r.spy.bytes = func(_ suspend.Artifact, data []byte) []byte { return bytes.ToUpper(data) }
		if _, err := s.Preview(ctx, r.run.ID, made.ArtifactID, made.VersionID, nil); !errors.Is(err, toolimages.ErrUnavailable) {
			t.Errorf("changed bytes: %v", err)
		}
	})
}
