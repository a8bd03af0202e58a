package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"editor-actions/internal/testsite"
)

// siteFile is a settings file for a site of the data set.
func siteFile(t *testing.T, s *testsite.Site) string {
	t.Helper()
	c := s.Settings.TYPO3
	return settingsFile(t, fmt.Sprintf("typo3: {dsn: %q, rootPath: %q, publicPath: %q, encryptionKey: %q, userHomePath: %q, groupHomePath: %q}\nproviders: {default: demo, configurations: {demo: {active: true, vendor: demo, model: demo}}}\n",
		c.DSN.Reveal(), c.RootPath, c.PublicPath, c.EncryptionKey.Reveal(), c.UserHomePath, c.GroupHomePath))
}

func TestP13_InspectAccessPrintsTheMatrix(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		code, out, errs := command(t, nil, "--config", siteFile(t, s), "inspect", "access", "--all")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		const header = "user_uid\tusername\tfile_uid\tstorage\tidentifier\tlanguage\tmetadata_uid\tread\twrite\teditMeta\twrite_alternative\twrite_title\twrite_description\tusable"
		if code != 0 || lines[0] != header || len(lines) != 5033 {
			t.Fatalf("%d, %d lines, %s", code, len(lines), errs)
		}
		code, out, _ = command(t, nil, "inspect", "access", "--user", "ed_uploads", "--config", siteFile(t, s))
		if code != 0 || !strings.Contains(out, "10\ted_uploads\t23\t1\t/user_upload/lake_morning.jpg\t0\t23\t1\t1\t1\tyes\tyes\tyes\tyes\n") {
			t.Errorf("%d %.400s", code, out)
		}
		if code, _, errs := command(t, nil, "inspect", "access", "--user", "nobody-of-that-name", "--config", siteFile(t, s)); code != exitFailure || errs == "" {
			t.Errorf("an unknown user: %d %q", code, errs)
		}
	})
}

func TestInspectSession_PrintsTheFixedForm(t *testing.T) {
	t.Parallel()
	site := testsite.SQLite(t)
	var facts struct {
		Cases []struct {
			Case, Cookie, Host string
			RemoteIP           string `json:"remote_ip"`
			Now                int64
			Result             string
			UserUID            int `json:"user_uid"`
			OriginalUserUID    int `json:"original_user_uid"`
		}
	}
	if err := json.Unmarshal(testsite.Read(t, "typo3/main-sessions.json.gz"), &facts); err != nil {
		t.Fatal(err)
	}
	for _, c := range facts.Cases[:8] {
		code, out, errs := command(t, nil, "inspect", "session", "--cookie", c.Cookie, "--host", c.Host, "--remote-ip", c.RemoteIP,
			"--now", fmt.Sprint(c.Now), "--config", siteFile(t, site))
		want := fmt.Sprintf(`{"result":%q,"user_uid":%d,"original_user_uid":%d}`+"\n", c.Result, c.UserUID, c.OriginalUserUID)
		if code != 0 || out != want {
			t.Errorf("%s: %d %s%s, want %s", c.Case, code, out, errs, want)
		}
	}
}

func TestInspectImage_CopyAndRefusal(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "out.jpg")
	code, out, errs := command(t, nil, "inspect", "image", testsite.Lookup(t, "images/orient_6.jpg"), "--edge", "512", "--out", file)
	var report struct {
		OK            bool
		Format        string
		Width, Height int
		Bytes         int
		SHA256        string
		Warnings      []string
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || !report.OK || report.Format != "jpeg" || report.Width != 512 || report.Warnings == nil {
		t.Fatalf("%d %s %s %v", code, out, errs, err)
	}
	data, err := os.ReadFile(file)
	if err != nil || len(data) != report.Bytes {
		t.Fatal(err)
	}
	if img, _, err := image.Decode(bytes.NewReader(data)); err != nil || img.Bounds().Dx() != 512 {
		t.Error(err)
	}
	if strings.Contains(out, "tokens") {
		t.Error("tokens are there unasked")
	}
	code, out, _ = command(t, nil, "inspect", "image", "--tokens", testsite.Lookup(t, "images/jpeg_base.jpg")) // 1024 x 683
	if code != 0 || !strings.Contains(out, `{"provider":"openai","models":"gpt-4o, gpt-4.1 (detail high)","tokens":765}`) {
		t.Errorf("%d %s", code, out)
	}
	code, out, _ = command(t, nil, "inspect", "image", "--tokens", testsite.Lookup(t, "images/trunc_99.jpg"))
	if code != exitRefusedPicture || !strings.HasPrefix(out, `{"ok":false,"kind":"`) || !strings.Contains(out, `"reason":"`) {
		t.Errorf("%d %s", code, out)
	}
}

func TestInspectText_FindingsDecideTheExitCode(t *testing.T) {
	t.Parallel()
	code, out, _ := command(t, nil, "inspect", "text", "--field", "alternative", "--lang", "en", "A red boat lies on a calm lake.")
	if code != 0 || !strings.Contains(out, `"cleaned":"A red boat lies on a calm lake."`) || !strings.Contains(out, `"findings":[`) {
		t.Errorf("%d %s", code, out)
	}
	code, out, _ = command(t, nil, "inspect", "text", "--field", "alternative", "--lang", "de", "<b>Ein Boot</b>")
	if code != exitTextError || !strings.Contains(out, `"level":"error","rule":"html"`) {
		t.Errorf("%d %s", code, out)
	}
	code, out, _ = command(t, nil, "inspect", "text", "--caption", "A red boat.", "--other", "boat.jpg=a RED boat", "--image", "../../testdata/images/gif_anim.gif", "A red boat")
	for _, rule := range []string{"same_as", "same_as_file", "first_frame"} {
		if code != 0 || !strings.Contains(out, `"rule":"`+rule+`"`) {
			t.Errorf("%s: %d %s", rule, code, out)
		}
	}
	if code, _, errs := command(t, nil, "inspect", "text", "--image", "../../testdata/images/html.jpg", "A red boat"); code != exitRefusedPicture || !strings.Contains(errs, "html.jpg") {
		t.Errorf("%d %s", code, errs)
	}
	if code, _, _ := command(t, nil, "inspect", "text", "--field", "nonsense", "x"); code != exitUsage {
		t.Errorf("%d", code)
	}
}

func TestExplain_EveryCheckInOrder(t *testing.T) {
	t.Parallel()
	site := testsite.SQLite(t)
	code, out, errs := command(t, nil, "explain", "--user", "ed_uploads", "--file", "23", "--action", suggestAlternative, "--config", siteFile(t, site))
	if code != 0 || strings.Contains(out, "NO ") || !strings.Contains(out, "ok ") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	code, out, _ = command(t, nil, "explain", "--user", "ed_uploads", "--file", "43", "--action", suggestAlternative, "--config", siteFile(t, site))
	if code != 0 || !strings.Contains(out, "NO ") || !strings.Contains(out, "no_read") {
		t.Errorf("%d %s", code, out)
	}
}
