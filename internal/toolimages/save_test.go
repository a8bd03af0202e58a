package toolimages_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"editor-actions/internal/fault"
	"editor-actions/internal/media"
	"editor-actions/internal/suspend"
	"editor-actions/internal/testsite"
	"editor-actions/internal/toolimages"

	"github.com/rivo/uniseg"
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(testsite.Lookup(t, "images/"+name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// E.4 with the real libvips.
func TestE4_Save(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		ctx, s := t.Context(), r.real()
		in := toolimages.SaveInput{Data: drawing(8, 6, 1), MIMEType: "image/png", Title: "Page 3"}
		var first toolimages.Presentation
		t.Run("E4_S01_one attachment", func(t *testing.T) {
			p, err := s.Save(ctx, in)
			if err != nil || len(p.Attachments) != 1 || p.Type != "editor-actions.tool-output" || p.Version != 1 {
				t.Fatalf("%+v %v", p, err)
			}
			first = p
			a := p.Attachments[0]
			img, err := s.Preview(ctx, r.run.ID, a.ArtifactID, a.VersionID, nil)
			if err != nil || img.SHA256() != a.SHA256 || a.Width != 8 || a.Height != 6 || a.MIMEType != media.PNG {
				t.Errorf("%+v is not %s, %v", a, img, err)
			}
			if a.Title != "Page 3" || a.Alt != a.Title || a.Detail != "high" || a.Source != "tool" || a.Type != "image" {
				t.Errorf("%+v", a)
			}
		})
		t.Run("E4_S02_no bytes in the result", func(t *testing.T) {
			raw, err := json.Marshal(first)
			img, _ := s.Preview(ctx, r.run.ID, first.Attachments[0].ArtifactID, first.Attachments[0].VersionID, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, no := range []string{"data:", "base64", "http", "/tmp", ".png", img.Base64()[:20], base64.StdEncoding.EncodeToString(in.Data)[:20], installation} {
				if strings.Contains(string(raw), no) {
					t.Errorf("%q is in %s", no, raw)
				}
			}
		})
		t.Run("E4_S03_same bytes again", func(t *testing.T) {
			again, err := s.Save(ctx, in)
			if err != nil || again.Attachments[0] != first.Attachments[0] || r.rows() != 1 {
				t.Errorf("%+v, %d rows, %v", again, r.rows(), err)
			}
		})
		t.Run("E4_S04_same bytes in another run", func(t *testing.T) {
			mine := r.scope
			defer func() { r.scope = mine }()
			r.scope = toolimages.ForRun(installation, r.started(3))
			other, err := s.Save(ctx, in)
			if err != nil || other.Attachments[0].ArtifactID == first.Attachments[0].ArtifactID || other.Attachments[0].SHA256 != first.Attachments[0].SHA256 {
				t.Errorf("%+v %v", other, err)
			}
		})
		rows := r.rows()
		large := append(drawing(64, 48, 3), make([]byte, 6_000_000)...)
		for name, c := range map[string]struct {
			data []byte
			mime string
		}{
			"E4_S05_text":                       {[]byte("a text, and no picture"), "image/png"},
			"E4_S07_6000001 bytes":              {large[:6_000_001], "image/png"},
			"E4_S08_empty":                      {nil, "image/png"},
			"E4_S09_JPEG as PNG":                {file(t, "jpeg_base.jpg"), "image/png"},
			"E4_S09_no claim":                   {in.Data, ""},
			"E4_S09_claim with parameters":      {in.Data, "image/png; charset=binary"},
			"E4_S11_SVG":                        {file(t, "svg.svg"), "image/svg+xml"},
			"E4_S11_PDF":                        {file(t, "pdf.pdf"), "application/pdf"},
			"E4_S11_AVIF":                       {file(t, "avif.avif"), "image/avif"},
			"E4_S11_HEIC":                       {file(t, "heic.heic"), "image/heic"},
			"E4_S11_TIFF":                       {[]byte("II*\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"), "image/tiff"},
			"E4_S13_truncated PNG":              {in.Data[:len(in.Data)-20], "image/png"},
			"E4_S13_truncated JPEG":             {file(t, "trunc_99.jpg"), "image/jpeg"},
			"E4_S13_PNG with a wrong checksum":  {file(t, "badcrc_screenshot.png"), "image/png"},
			"E4_S13_PNG signature alone":        {in.Data[:8], "image/png"},
			"E4_S13_prose that begins as a GIF": {[]byte("GIF89a is a format"), "image/gif"},
		} {
			t.Run(name, func(t *testing.T) {
				_, _, _ = r.spy.calls()
				p, err := s.Save(ctx, toolimages.SaveInput{Data: c.data, MIMEType: c.mime, Title: "x"})
				if saves, _, _ := r.spy.calls(); !errors.Is(err, toolimages.ErrInvalid) || saves != 0 || len(p.Attachments) != 0 || r.rows() != rows {
					t.Errorf("%+v %v, %d saves", p, err, saves)
				}
				if err != nil && (err.Error() != toolimages.ErrInvalid.Error() || toolimages.Reason(err) == "") {
					t.Errorf("says %q because %q", err, toolimages.Reason(err))
				}
			})
		}
		t.Run("E4_S06_6000000 bytes pass the check of the size", func(t *testing.T) {
			// Bytes behind a picture are no part of it and are dropped.
			if _, err := s.Save(ctx, toolimages.SaveInput{Data: large[:6_000_000], MIMEType: "image/png"}); err != nil {
				t.Errorf("%v: %s", err, toolimages.Reason(err))
			}
		})
		t.Run("E4_S10_GIF becomes PNG, WebP is taken", func(t *testing.T) {
			for name, mime := range map[string]string{"gif_anim.gif": "image/gif", "webp_anim.webp": "image/webp", "webp_alpha.webp": "image/webp"} {
				p, err := s.Save(ctx, toolimages.SaveInput{Data: file(t, name), MIMEType: mime})
				if err != nil {
					t.Fatalf("%s: %v (%s)", name, err, toolimages.Reason(err))
				}
				if a := p.Attachments[0]; !a.MIMEType.Valid() || mime == "image/gif" && a.MIMEType != media.PNG || a.Title != "" {
					t.Errorf("%s: %+v", name, a)
				}
			}
		})
		t.Run("E4_S17_upright and without metadata", func(t *testing.T) {
			src := file(t, "orient_6.jpg")
			h, err := media.ReadHeader(src)
			if err != nil || h.Orientation != 6 {
				t.Fatalf("%+v %v", h, err)
			}
			for _, data := range [][]byte{src, file(t, "jpeg_all_metadata.jpg")} {
				p, err := s.Save(ctx, toolimages.SaveInput{Data: data, MIMEType: "image/jpeg"})
				if err != nil {
					t.Fatal(err)
				}
				a := p.Attachments[0]
				img, err := s.Preview(ctx, r.run.ID, a.ArtifactID, a.VersionID, nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := media.ReadHeader(img.Bytes())
				if err != nil || got.Metadata || got.Orientation != 1 || got.Profile || bytes.Contains(img.Bytes(), []byte("Exif")) {
					t.Errorf("%+v %v", got, err)
				}
				if bytes.Equal(data, src) && (got.Width > got.Height) == (h.Width > h.Height) {
					t.Errorf("%d x %d became %d x %d", h.Width, h.Height, got.Width, got.Height)
				}
			}
		})
	})
}

// S12: a header that promises a huge picture is refused before anything of its size exists.
func TestE4_S12_PixelsAreCountedFirst(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		s := r.service(mustNotRun{t}, toolimages.DefaultConfig())
		for name, data := range map[string][]byte{
			"16777217 pixels": claimsToBe(16_777_217, 1), "bomb": file(t, "bomb_30000_rgb.png"), "more than an int32": claimsToBe(1<<31-1, 1<<31-1),
		} {
			_, err := s.Save(t.Context(), toolimages.SaveInput{Data: data, MIMEType: "image/png"})
			if !errors.Is(err, toolimages.ErrInvalid) || !strings.Contains(toolimages.Reason(err), "pixels") {
				t.Errorf("%s: %v (%s)", name, err, toolimages.Reason(err))
			}
		}
		counted := &counter{}
		if _, err := r.service(counted, toolimages.DefaultConfig()).Save(t.Context(), toolimages.SaveInput{Data: claimsToBe(4096, 4096), MIMEType: "image/png"}); err == nil || counted.n != 1 {
			t.Errorf("16777216 pixels did not reach the scaler: %v", err)
		}
	})
}

// Not parallel: it measures what the process allocates.
func TestE4_S12_WithoutAllocatingThem(t *testing.T) {
	s := newSQLite(t).real()
	data := claimsToBe(30000, 30000) // 900 million pixels in a few bytes
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := s.Save(t.Context(), toolimages.SaveInput{Data: data, MIMEType: "image/png"})
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, toolimages.ErrInvalid) || grown > 256<<10 {
		t.Errorf("%v after %d bytes", err, grown)
	}
}

type mustNotRun struct{ t *testing.T }

func (m mustNotRun) Normalize(context.Context, []byte, int) (*media.Image, error) {
	m.t.Error("the scaler was asked")
	return nil, errors.New("asked")
}

type counter struct{ n int }

func (c *counter) Normalize(context.Context, []byte, int) (*media.Image, error) {
	c.n++
	return nil, fault.New(fault.Unsupported, "image_corrupt", "no")
}

// claimsToBe is a sound PNG of one pixel whose header says something else.
func claimsToBe(w, h uint32) []byte {
	data := drawing(1, 1, 1)
	binary.BigEndian.PutUint32(data[16:], w)
	binary.BigEndian.PutUint32(data[20:], h)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

// S14: what grows past the bound while it is encoded anew is not kept.
func TestE4_S14_ReencodingGrowsPastTheLimit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		m := image.NewGray(image.Rect(0, 0, 400, 300))
		rnd := rand.New(rand.NewPCG(1, 2))
		for i := range m.Pix {
			m.Pix[i] = byte(rnd.Uint32())
		}
		var b bytes.Buffer
		if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 20}); err != nil {
			t.Fatal(err)
		}
		cfg := toolimages.DefaultConfig()
		cfg.MaxBytes = b.Len() + 1000
		_, err := r.service(scaler, cfg).Save(t.Context(), toolimages.SaveInput{Data: b.Bytes(), MIMEType: "image/jpeg"})
		if !errors.Is(err, toolimages.ErrInvalid) || !strings.Contains(toolimages.Reason(err), "after normalising") || r.rows() != 0 {
			t.Errorf("%v (%s), %d rows", err, toolimages.Reason(err), r.rows())
		}
	})
}

func TestE4_Titles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		save := func(title string) (string, error) {
			p, err := r.Save(t.Context(), toolimages.SaveInput{Data: drawing(8, 6, 1), MIMEType: "image/png", Title: title})
			if err != nil {
				return "", err
			}
			return p.Attachments[0].Title, nil
		}
		t.Run("E4_S15_600 characters", func(t *testing.T) {
			for _, one := range []string{"a", "ü", "e\u0301", "👩‍👩‍👧"} {
				got, err := save(strings.Repeat(one, 600))
				if n := uniseg.GraphemeClusterCount(got); err != nil || n > 500 || !strings.HasPrefix(strings.Repeat(one, 600), got) || len(got)%len(one) != 0 {
					t.Errorf("%q: %d characters, %v", one, n, err)
				} else if len(one)*500 <= 8<<10 && n != 500 {
					t.Errorf("%q: %d characters", one, n)
				}
			}
		})
		t.Run("E4_S16_cleaned or refused", func(t *testing.T) {
			for in, want := range map[string]string{
				"a\x00b\x1b[31m\u202Ec\u2066d\u200Ee\u061C": "ab[31mcde", " Page\n\t3 ": "Page 3", "\u200b\ufeff\x07": "", "نص\u200cها": "نص\u200cها",
				"data:image/png;base64,AAAA": "data: image/png;base64,AAAA", "a sk-secret b": "a *** b", "<b>&": "<b>&",
			} {
				if got, err := save(in); err != nil || got != want {
					t.Errorf("%q became %q, want %q, %v", in, got, want, err)
				}
			}
			if _, err := save("\xff\xfe"); !errors.Is(err, toolimages.ErrInvalid) {
				t.Errorf("no text: %v", err)
			}
			stop := errors.New("a guardrail")
			r.host.Screen = func(string) (string, error) { return "", stop }
			_, err := r.service(asIs{}, toolimages.DefaultConfig()).Save(t.Context(), toolimages.SaveInput{Data: drawing(8, 6, 70), MIMEType: "image/png", Title: "x"})
			if !errors.Is(err, stop) {
				t.Errorf("denied: %v", err)
			}
		})
	})
}

// S25: with the real libvips, on connections of their own.
func TestE4_S25_ParallelSavesAreOneVersion(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		services := make([]*toolimages.Service, 4)
		for i := range services {
			s, err := toolimages.New(r.instance(connect(t, r.dsn)), scaler, r.host, toolimages.DefaultConfig())
			r.must(err)
			services[i] = s
		}
		var wg sync.WaitGroup
		got := make([]toolimages.Presentation, 20)
		for i := range got {
			wg.Go(func() {
				p, err := services[i%len(services)].Save(t.Context(), toolimages.SaveInput{Data: drawing(64, 48, 1), MIMEType: "image/png"})
				if err != nil {
					t.Error(err)
				}
				got[i] = p
			})
		}
		wg.Wait()
		for _, p := range got {
			if len(p.Attachments) != 1 || p.Attachments[0] != got[0].Attachments[0] {
				t.Fatalf("%+v and %+v", p, got[0])
			}
		}
		if r.rows() != 1 {
			t.Errorf("%d rows", r.rows())
		}
	})
}

// A scaler without time for a picture does not say that the picture is bad.
func TestSave_ABusyScalerIsNotThePicturesFault(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		for _, kind := range []fault.Kind{fault.RateLimited, fault.Unavailable, fault.Internal} {
			_, err := r.service(failing{fault.New(kind, "image_busy", "busy")}, toolimages.DefaultConfig()).
				Save(t.Context(), toolimages.SaveInput{Data: drawing(8, 6, 1), MIMEType: "image/png"})
			if errors.Is(err, toolimages.ErrInvalid) || fault.KindOf(err) != kind {
				t.Errorf("%s: %v", kind, err)
			}
		}
		r.must(r.spy.Cancel(t.Context(), r.run.ID, 3))
		if _, err := r.Save(t.Context(), toolimages.SaveInput{Data: drawing(8, 6, 1), MIMEType: "image/png"}); !errors.Is(err, suspend.ErrRunEnded) || r.rows() != 0 {
			t.Errorf("after the run's end: %v", err)
		}
	})
}

type failing struct{ err error }

func (f failing) Normalize(context.Context, []byte, int) (*media.Image, error) { return nil, f.err }

// What a tool draws is no longer than the edge that everything sent has (P4).
func TestP4_SavedPicturesHaveTheEdge(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3000, 1000))); err != nil {
			t.Fatal(err)
		}
		p, err := r.real().Save(t.Context(), toolimages.SaveInput{Data: b.Bytes(), MIMEType: "image/png"})
		if err != nil || p.Attachments[0].Width != 1024 || p.Attachments[0].Height != 341 {
			t.Errorf("%+v %v", p, err)
		}
	})
}
