package main

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/testsite"
)

// replaceFile puts a picture of testdata/images in the place of a file.
func (s *service) replaceFile(identifier, picture string) {
	s.t.Helper()
	data, err := os.ReadFile(testsite.Lookup(s.t, "images/"+picture))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.site.Public, "fileadmin", identifier), data, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

const lakeIdentifier = "user_upload/lake_morning.jpg"

// sentHeader reads the header of the picture in the last request.
func (s *service) sentHeader() (media.Header, []byte) {
	s.t.Helper()
	reqs := s.model.Requests()
	if len(reqs) == 0 {
		s.t.Fatal("nothing was sent")
	}
	data := reqs[len(reqs)-1].Image(s.t)
	h, err := media.ReadHeader(data)
	if err != nil {
		s.t.Fatalf("what was sent is no picture: %v", err)
	}
	return h, data
}

func TestS1_FirstRequestIsStringMessageThenPicture(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		s.proposed(c, fileLake)
		req := s.model.Requests()[0]
		var users []providertest.Message
		for _, m := range req.Messages {
			if m.Role == "user" {
				users = append(users, m)
			}
		}
		if len(req.Messages) != 2 || len(users) != 2 {
			t.Fatalf("%d messages, %d of the user", len(req.Messages), len(users))
		}
		if users[0].Text() == "" || users[0].Parts() != nil {
			t.Error("the prompt is no string content")
		}
		parts := users[1].Parts()
		if len(parts) != 1 || parts[0].Type != "image_url" || !strings.HasPrefix(parts[0].ImageURL.URL, "data:image/jpeg;base64,") {
			t.Errorf("the second message does not hold exactly one picture: %d parts", len(parts))
		}
		if len(req.Tools) != 1 || req.Tools[0] != "set_file_alternative_text" {
			t.Errorf("offered tools: %v", req.Tools)
		}
		t.Run("P2_OneToolOnly", func(t *testing.T) {
			if len(req.Tools) != 1 {
				t.Error(req.Tools)
			}
		})
	})
}

func TestS2_NoteIsMaskedAndPictureUnchanged(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		secretText := "sk" + "-" + strings.Repeat("Abc123", 6)
		c.await(c.begin(suggestAlternative, fileLake, ""), "waiting")
		c.await(c.begin(suggestAlternative, fileLake, "Mention the key "+secretText+" please"), "waiting")
		reqs := s.model.Requests()
		prompt := reqs[1].Messages[0].Text()
		if strings.Contains(string(reqs[1].Body), secretText) || !strings.Contains(prompt, "Mention the key sk-") {
			t.Error("the note was not masked inline")
		}
		if !bytes.Equal(reqs[0].Image(t), reqs[1].Image(t)) {
			t.Error("the picture differs")
		}
		t.Run("P6_NoteIsScreened", func(t *testing.T) {
			if strings.Contains(string(reqs[1].Body), secretText) {
				t.Error("the secret left")
			}
		})
		if strings.Contains(s.log.String(), secretText) {
			t.Error("the secret is in the log")
		}
	})
}

func TestS3_SentPictureObeysTheEdge(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Vision.MaxImageEdge = 640 }, func(t *testing.T, s *service) {
		s.proposed(s.as(editorUID), fileSunset)
		h, data := s.sentHeader()
		if max(h.Width, h.Height) != 640 {
			t.Errorf("sent %dx%d", h.Width, h.Height)
		}
		t.Run("P4_DecodedBySomebodyElse", func(t *testing.T) {
			img, _, err := image.Decode(bytes.NewReader(data))
			if err != nil || max(img.Bounds().Dx(), img.Bounds().Dy()) != 640 {
				t.Error(err)
			}
			original, err := os.ReadFile(filepath.Join(s.site.Public, "fileadmin/user_upload/sunrise_over_hills.jpg"))
			if err != nil || bytes.Contains(s.model.Requests()[0].Body, original[:200]) {
				t.Error("the original was sent", err)
			}
		})
	})
}

func TestS4_SmallPictureIsNotEnlarged(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		s.replaceFile(lakeIdentifier, "gif_offset.gif") // 800x600
		s.proposed(s.as(editorUID), fileLake)
		if h, _ := s.sentHeader(); h.Width != 800 || h.Height != 600 {
			t.Errorf("sent %dx%d", h.Width, h.Height)
		}
	})
}

func TestS5_AnimationIsSentAsOnePNG(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		s.replaceFile(lakeIdentifier, "gif_anim.gif")
		s.proposed(s.as(editorUID), fileLake)
		if h, _ := s.sentHeader(); h.Format != media.FormatPNG || h.Frames != 1 {
			t.Errorf("sent %+v", h)
		}
	})
}

func TestS6_HeavyPNGIsSentAsJPEG(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		s.replaceFile(lakeIdentifier, "png_noise.png")
		s.proposed(c, fileLake)
		if h, _ := s.sentHeader(); h.Format != media.FormatJPEG {
			t.Errorf("heavy one sent as %s", h.Format)
		}
		s.replaceFile(lakeIdentifier, "png_screenshot.png")
		s.proposed(c, fileLake)
		if h, data := s.sentHeader(); h.Format != media.FormatPNG || len(data) > 512<<10 {
			t.Errorf("light one sent as %s with %d bytes", h.Format, len(data))
		}
	})
}

func TestS7_NoRunWithoutAUsablePicture(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Images.MaxPixels, c.Images.MaxPixelsJPEG = 10_000, 10_000 }, func(t *testing.T, s *service) {
		r := s.as(editorUID).post("/api/v1/runs", startBody(suggestAlternative, fileLake, ""))
		if r.code != http.StatusNotFound || r.problem() != "not_available" {
			t.Errorf("%d %s", r.code, r.body)
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != 0 || len(s.model.Requests()) != 0 {
			t.Errorf("%d runs, %d requests", n, len(s.model.Requests()))
		}
		t.Run("P5_VisionActionDoesNotRunBlind", func(t *testing.T) {
			if len(s.model.Requests()) != 0 {
				t.Error("something was sent")
			}
		})
	})
}

func TestS8_BrokenFilesAreNotAvailable(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		var first []byte
		for _, picture := range []string{"pdf.pdf", "text.jpg", "trunc_99.jpg", "bomb_30000_rgb.png", "bomb_jpeg_dims.jpg", "svg.svg", "zero.jpg", "dim_20000x1.png"} {
			s.replaceFile(lakeIdentifier, picture)
			r := c.post("/api/v1/runs", startBody(suggestAlternative, fileLake, ""))
			if r.code != http.StatusNotFound {
				t.Errorf("%s: %d %s", picture, r.code, r.body)
			}
			if first == nil {
				first = r.body
			}
			if !bytes.Equal(first, r.body) {
				t.Errorf("%s answers differently: %s", picture, r.body)
			}
		}
	})
}

func TestS9_RotatedPhotoIsSentUprightWithoutMetadata(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		s.replaceFile(lakeIdentifier, "orient_6.jpg")
		s.proposed(s.as(editorUID), fileLake)
		h, data := s.sentHeader()
		if h.Metadata || h.Profile || h.Trailing || h.Orientation != 1 || bytes.Contains(data, []byte("GPS")) || bytes.Contains(data, []byte("Exif")) {
			t.Errorf("sent %+v", h)
		}
		img, _, err := image.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		b := img.Bounds()
		r, g, _, _ := img.At(b.Dx()/30, b.Dy()/30).RGBA()
		if r < 0x8000 || g > 0x8000 {
			t.Errorf("the top left corner is not red")
		}
	})
}

// unusable are records that cannot be used, each for another reason.
func unusable(s *service) map[string]uint64 {
	s.replaceFile("user_upload/opening_hours.png", "text.jpg")
	return map[string]uint64{
		"missing": 4_000_000, "forbidden": 43 /* /private/hr/salary_scan.png */, "excluded": 44 /* nested/deeper */, "unscalable": 33,
	}
}

func excludeDeeper(c *config.Settings) {
	c.Vision.ExcludedFolders = []string{"1:/user_upload/nested/deeper/"}
}

func TestS10_OneAnswerForEveryReason(t *testing.T) {
	eachService(t, excludeDeeper, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		var want string
		for name, uid := range unusable(s) {
			r := c.postKey("/api/v1/runs", "the-same-key-0001", startBody(suggestAlternative, uid, ""))
			page := c.get(fmt.Sprintf("/actions?table=sys_file&uid=%d", uid))
			r.header.Del("Date")
			r.header.Del("X-Request-Id")
			got := fmt.Sprintf("%d %v %s", r.code, r.header, r.body)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s answers\n%s\nothers\n%s", name, got, want)
			}
			if page.code != http.StatusNotFound && name != "unscalable" {
				t.Errorf("%s: the page answers %d", name, page.code)
			}
		}
		if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != 0 {
			t.Errorf("%d runs", n)
		}
		t.Run("P3_NothingConfirmsAUID", func(t *testing.T) {
			a, b := c.get("/files/4000000"), c.get("/files/43")
			if a.code != b.code || string(a.body) != string(b.body) {
				t.Error("the file page tells a missing file from a forbidden one")
			}
		})
	})
}

func TestS11_ReasonsTakeAlikeLong(t *testing.T) {
	if testing.Short() {
		t.Skip("200 calls each")
	}
	// Time is looked at on SQLite alone and not asserted beyond a wide bound:
	// the queries are what can be proven, see TestP3 in falgate. Unscalable files are
	// read and sniffed, so they may be slower than files that are never opened.
	s := startService(t, testsite.SQLite(t), excludeDeeper)
	c := s.as(editorUID)
	median := map[string]time.Duration{}
	for name, uid := range unusable(s) {
		var all []time.Duration
		for range 200 {
			began := time.Now()
			c.post("/api/v1/runs", startBody(suggestAlternative, uid, ""))
			all = append(all, time.Since(began))
		}
		median[name] = middle(all)
	}
	t.Log(median)
	if a, b := median["missing"], median["forbidden"]; a > 3*b || b > 3*a {
		t.Errorf("missing takes %v, forbidden %v", a, b)
	}
}

func TestS12_ExcludedFolderMatchesSegments(t *testing.T) {
	eachService(t, func(c *config.Settings) { c.Vision.ExcludedFolders = []string{"1:/press/2024"} }, func(t *testing.T, s *service) {
		c := s.as(adminUID)
		for uid, want := range map[uint64]int{47: http.StatusNotFound /* /press/2024/events/ */, 4: http.StatusNotFound, 31: http.StatusCreated /* /press/2024-archive/ */, 2: http.StatusCreated /* /press/2024_summary.jpg */} {
			if r := c.post("/api/v1/runs", startBody(suggestAlternative, uid, "")); r.code != want {
				t.Errorf("file %d: %d, want %d", uid, r.code, want)
			}
		}
	})
}

func TestS13_OtherStoragesAreRefused(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(adminUID)
		if r := c.post("/api/v1/runs", startBody(suggestAlternative, 58, "")); r.code != http.StatusNotFound {
			t.Errorf("storage 2: %d", r.code)
		}
		s.change(func(c *config.Settings) { c.FAL.AllowedStorages = []uint32{1, 2} })
		if r := c.post("/api/v1/runs", startBody(suggestAlternative, 58, "")); r.code != http.StatusCreated {
			t.Errorf("storage 2, allowed: %d %s", r.code, r.body)
		}
	})
}
