package media_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"editor-actions/internal/media"

	"github.com/google/go-cmp/cmp"
)

const (
	pngHead = "\x89PNG\r\n\x1a\n"
	zipHead = "PK\x03\x04\x14\x00\x00\x00\xff\xfe"
)

func webp(size int) string { return ("RIFF\x00\x00\x00\x00WEBP" + strings.Repeat("\x00", 40))[:size] }

// The names are those of the specification's vectors.
func TestClassify_Vectors(t *testing.T) {
	t.Parallel()
	const ceiling = 100
	pad := func(head string, n int) string { return head + strings.Repeat("\x00", n-len(head)) }
	for name, tc := range map[string]struct {
		file, data, mediaType string
		text, renderable      bool
	}{
		"C01 PNG":                      {"x.bin", pad(pngHead, 40), "image/png", false, true},
		"C02 JPEG":                     {"x.bin", pad("\xff\xd8\xff", 40), "image/jpeg", false, true},
		"C03 GIF":                      {"x.bin", pad("GIF87a", 40), "image/gif", false, true},
		"C04 WebP":                     {"x.bin", webp(40), "image/webp", false, true},
		"C07 GIF that is valid UTF-8":  {"tiny.gif", pad("GIF89a", 14), "image/gif", false, true},
		"C08 WebP that is valid UTF-8": {"a", webp(16), "image/webp", false, true},
		"C09 ZIP named PNG":            {"screenshot.png", zipHead, "image/png", false, false},
		"C10 PNG named DAT":            {"screenshot.dat", pad(pngHead, 40), "image/png", false, true},
		"C11 binary named PDF":         {"report.pdf", "\xff\xfe\x00", "application/pdf", false, false},
		"C12 PDF":                      {"a.pdf", "%PDF-1.7\xff\xfe", "application/pdf", false, false},
		"C13 without extension":        {"a", "\xff\xfe", "application/octet-stream", false, false},
		"no name":                      {"", "\xff\xfe", "application/octet-stream", false, false},
		"C14 Markdown":                 {"a.md", "# Title", "text/markdown", true, false},
		"C15 SVG":                      {"a.svg", "<svg/>", "image/svg+xml", true, false},
		"C16 SVG in UTF-16":            {"a.svg", "\xff\xfe<\x00s\x00", "image/svg+xml", false, false},
		"C17 PNG over the ceiling":     {"a.png", pad(pngHead, 4000), "image/png", false, false},
		"C18 PNG of the ceiling":       {"a.png", pad(pngHead, ceiling), "image/png", false, true},
		"C19 one byte more":            {"a.png", pad(pngHead, ceiling+1), "image/png", false, false},
		"C22 empty":                    {"x.png", "", "image/png", true, false},
		"C23 seven bytes":              {"a.png", pngHead[:7], "image/png", false, false},
		"eight bytes":                  {"a", pngHead, "image/png", false, true},
		"C24 two bytes of a JPEG":      {"a.jpg", "\xff\xd8", "image/jpeg", false, false},
		"C25 three bytes of a JPEG":    {"a", "\xff\xd8\xff", "image/jpeg", false, true},
		"C26 GIF88a":                   {"a.gif", "GIF88a\x00\x00", "image/gif", true, false},
		"C27 WAVE":                     {"a.webp", "RIFF\x24\x00\x00\x00WAVE\xff", "image/webp", false, false},
		"C28 eleven bytes of a WebP":   {"a.webp", webp(11), "image/webp", true, false},
		"twelve bytes of a WebP":       {"a", webp(12), "image/webp", false, true},
		"C29 BMP":                      {"a.bmp", "BM\xff\x00", "image/bmp", false, false},
		"C29 TIFF":                     {"a.tiff", "II*\x00\xff", "image/tiff", false, false},
		"C29 AVIF":                     {"a.avif", "\x00\x00\x00\x1cftypavif\xff", "image/avif", false, false},
		"C29 HEIC":                     {"a.heic", "\x00\x00\x00\x1cftypheic\xff", "image/heic", false, false},
		"C29 icon":                     {"a.ico", "\x00\x00\x01\x00\xff", "image/vnd.microsoft.icon", false, false},
		"C30 a blank before":           {"a.png", " " + pad(pngHead, 40), "image/png", false, false},
		"line ends turned":             {"a.png", "\x89PNG\n\x1a\n\x00", "image/png", false, false},
		"C31 PNG before a ZIP":         {"a.zip", pngHead + zipHead, "image/png", false, true},
		"C32 prose":                    {"a.txt", "GIF89a is a format", "image/gif", false, true},
		"BOM":                          {"a.txt", "\xef\xbb\xbfa", "text/plain", true, false},
		"Latin-1":                      {"a.txt", "caf\xe9", "text/plain", false, false},
		"upper case, folder":           {"dir.x/A.PNG", zipHead, "image/png", false, false},
		"a query is no extension":      {"a.png?x=1", zipHead, "application/octet-stream", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := media.Classify(tc.file, []byte(tc.data), ceiling)
			if err != nil {
				t.Fatal(err)
			}
			want := media.Resource{Name: tc.file, MediaType: tc.mediaType, Size: len(tc.data), Text: tc.text, Renderable: tc.renderable} // C06
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	var renderable []string // C05
	for _, f := range []media.Format{
		media.FormatJPEG, media.FormatPNG, media.FormatGIF, media.FormatWebP, media.FormatAVIF, media.FormatHEIC, media.FormatTIFF, media.FormatBigTIFF,
		media.FormatBMP, media.FormatICO, media.FormatSVG, media.FormatPDF, media.FormatJXL, media.FormatJP2, media.FormatVideo, media.FormatUnknown, "",
	} {
		if f.Renderable() {
			renderable = append(renderable, string(f))
		}
	}
	if !slices.Equal(renderable, []string{"jpeg", "png", "gif", "webp"}) {
		t.Errorf("%v", renderable)
	}
	if r, err := media.Classify("a.png", []byte(pngHead), 0); err != nil || r.Renderable { // C20
		t.Errorf("ceiling 0: %+v, %v", r, err)
	}
	if _, err := media.Classify("a.png", []byte(pngHead), -1); err == nil { // C21
		t.Error("a negative ceiling passes")
	}
	if media.DefaultMaxInlineImage < 2<<20 || media.DefaultMaxInlineImage <= 50*media.DefaultMaxInlineBinary { // C34
		t.Error("the ceilings are too close")
	}
	// C31, C32: what is a picture by its first bytes is still refused where pixels are promised.
	for _, data := range []string{pngHead + zipHead, "GIF89a is a format", pngHead, "\xff\xd8\xff"} {
		if _, err := media.ReadHeader([]byte(data)); err == nil {
			t.Errorf("%q has a header", data)
		}
	}
}

func TestEnvelope_Vectors(t *testing.T) {
	t.Parallel()
	const ceiling = 20
	text := func(name, data, want string) {
		t.Helper()
		if got, err := media.Envelope(name, []byte(data), ceiling); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	for _, s := range []string{"#!/bin/sh\n", "é 中文 🌄", "", "a\x00b", "\xef\xbb\xbfa", strings.Repeat("long ", 100)} { // E01 to E06
		text("a.sh", s, s)
	}
	binary := "\xff\xfe\x00\x01"
	text("a.png", binary, `{"name":"a.png","media_type":"image/png","size_bytes":4,"encoding":"base64","content":"//4AAQ=="}`)                     // E07, E09, E15
	text("a.zzz", binary, `{"name":"a.zzz","media_type":"application/octet-stream","size_bytes":4,"encoding":"base64","content":"//4AAQ=="}`)      // E08, E10
	text("a.dat", pngHead, `{"name":"a.dat","media_type":"application/octet-stream","size_bytes":8,"encoding":"base64","content":"iVBORw0KGgo="}`) // E11
	at, over := strings.Repeat("\xff", ceiling), strings.Repeat("\xff", ceiling+1)
	text("a", at, `{"name":"a","media_type":"application/octet-stream","size_bytes":20,"encoding":"base64","content":"`+base64.StdEncoding.EncodeToString([]byte(at))+`"}`)                                // E12
	text("a", over, `{"name":"a","media_type":"application/octet-stream","size_bytes":21,"encoding":"none","note":"The file has 21 bytes; up to 20 bytes are included. Nothing of it is included here."}`) // E13, E14, E16

	if got, err := media.Envelope("a", []byte("\xff"), 0); err != nil || !strings.Contains(got, `"none"`) { // E17
		t.Errorf("%s, %v", got, err)
	}
	if _, err := media.Envelope("a", []byte("\xff"), -1); err == nil { // E18
		t.Error("a negative ceiling passes")
	}
	name := "a\"<b>&\n.png" // E19
	got, err := media.Envelope(name, []byte(binary), ceiling)
	var back map[string]any
	if err != nil || json.Unmarshal([]byte(got), &back) != nil || back["name"] != name || strings.Contains(got, `\u003c`) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestDeliverer_ARealPictureHasFourOutcomes(t *testing.T) {
	t.Parallel()
	png := []byte(pngHead + strings.Repeat("\x00", 92))
	for name, tc := range map[string]struct {
		o    media.DeliveryOptions
		want string // native, base64, stub
	}{
		"blind, small":         {media.DeliveryOptions{MaxInlineBinary: 100, MaxInlineImage: 100}, "base64"},
		"blind, large":         {media.DeliveryOptions{MaxInlineBinary: 99, MaxInlineImage: 100}, "stub"},
		"sees":                 {media.DeliveryOptions{Vision: true, MaxInlineBinary: 0, MaxInlineImage: 100}, "native"},
		"sees, over the first": {media.DeliveryOptions{Vision: true, MaxInlineBinary: 100, MaxInlineImage: 99}, "base64"},
		"sees, over both":      {media.DeliveryOptions{Vision: true, MaxInlineBinary: 99, MaxInlineImage: 99}, "stub"},
	} {
		d, err := media.NewDeliverer(tc.o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Deliver("a.dat", png)
		if err != nil {
			t.Fatal(err)
		}
		is := "stub"
		switch {
		case got.Image != nil:
			is = "native"
		case strings.Contains(got.Text, `"base64"`):
			is = "base64"
		}
		if is != tc.want || (is == "native") != bytes.Equal(got.Image, png) || is == "native" && got.Resource.MediaType != "image/png" {
			t.Errorf("%s: %s, want %s", name, is, tc.want)
		}
		if envelope, _ := media.Envelope("a.dat", png, tc.o.MaxInlineBinary); !tc.o.Vision && got.Text != envelope {
			t.Errorf("%s: the old answer changed: %s", name, got.Text)
		}
	}
	for _, o := range []media.DeliveryOptions{{MaxInlineImage: -1}, {MaxInlineBinary: -1}, {Vision: true, MaxInlineImage: -1}} { // I14
		if _, err := media.NewDeliverer(o); err == nil {
			t.Errorf("%+v passes", o)
		}
	}
}

func FuzzClassify(f *testing.F) { // C35
	f.Add("a.png", []byte(pngHead), 10)
	f.Add("a.txt", []byte("GIF89a"), 0)
	f.Fuzz(func(t *testing.T, name string, data []byte, ceiling int) {
		r, err := media.Classify(name, data, ceiling)
		if (err != nil) != (ceiling < 0) {
			t.Fatalf("ceiling %d: %v", ceiling, err)
		}
		if r.Renderable && (r.Text || !media.Sniff(data).Renderable() || len(data) > ceiling) {
			t.Errorf("%+v", r)
		}
		if ceiling < 0 {
			return
		}
		text, err := media.Envelope(name, data, ceiling)
		if err != nil {
			t.Fatal(err)
		}
		if utf8.Valid(data) {
			if text != string(data) {
				t.Error("a text was changed")
			}
			return
		}
		var e struct{ Content string }
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		if back, err := base64.StdEncoding.DecodeString(e.Content); err != nil || len(back) != 0 && !bytes.Equal(back, data) {
			t.Error("content was changed")
		}
	})
}
