package falgate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"editor-actions/internal/falgate"
	"editor-actions/internal/typo3"
)

// flex is a storage's configuration as TYPO3's form writes it.
func flex(fields ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="utf-8" standalone="yes" ?>` + "\n<T3FlexForms>\n<data>\n<sheet index=\"sDEF\">\n<language index=\"lDEF\">\n")
	for i := 0; i < len(fields); i += 2 {
		fmt.Fprintf(&b, "<field index=%q>\n<value index=\"vDEF\">%s</value>\n</field>\n", fields[i], fields[i+1])
	}
	return b.String() + "</language>\n</sheet>\n</data>\n</T3FlexForms>"
}

func TestP13_EveryShapeOfALocalStorage(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	allowed := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(allowed, "media", "a"), 0o750))
	must(t, os.WriteFile(filepath.Join(allowed, "media", "a", "x.jpg"), []byte("x"), 0o600))
	must(t, os.MkdirAll(filepath.Join(s.Public, "sub", "a"), 0o750))
	must(t, os.WriteFile(filepath.Join(s.Public, "sub", "a", "x.jpg"), []byte("x"), 0o600))
	must(t, os.MkdirAll(filepath.Join(s.Root, "public-2", "a"), 0o750))
	must(t, os.WriteFile(filepath.Join(s.Root, "public-2", "a", "x.jpg"), []byte("x"), 0o600))
	outside := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(outside, "a"), 0o750))
	must(t, os.WriteFile(filepath.Join(outside, "a", "x.jpg"), []byte("x"), 0o600))
	s.exec("INSERT INTO sys_file_storage (uid, name, driver) VALUES (7, 'Seven', 'Local')")
	s.row(950, 7, "/a/x.jpg")
	s.settings.FAL.AllowedStorages = []uint32{7}
	s.settings.TYPO3.LockRootPath = []string{allowed + "/"}
	for name, c := range map[string]struct {
		configuration any
		want          string
	}{
		"relative":                      {flex("basePath", "sub/", "pathType", "relative"), "yes"},
		"relative without a slash":      {flex("basePath", "sub", "pathType", "relative", "caseSensitive", "1"), "yes"},
		"relative with a leading slash": {flex("basePath", "/sub/", "pathType", "relative"), "yes"},
		"relative with dots":            {flex("basePath", "x/../sub/./", "pathType", "relative"), "yes"},
		"beside the public folder":      {flex("basePath", "../public-2/", "pathType", "relative"), "yes"},
		"absolute":                      {flex("basePath", s.Public+"/sub/", "pathType", "absolute"), "yes"},
		"absolute below lockRootPath":   {flex("basePath", allowed+"/media", "pathType", "absolute"), "yes"},
		"no path type is absolute":      {flex("basePath", s.Public+"/sub/"), "yes"},
		"absolute and not allowed":      {flex("basePath", outside, "pathType", "absolute"), "base_path_invalid"},
		"allowed only by its letters":   {flex("basePath", allowed+"-2/", "pathType", "absolute"), "base_path_invalid"},
		"out by dots":                   {flex("basePath", "../../../../../../../../../../etc/", "pathType", "relative"), "base_path_invalid"},
		"out of lockRootPath by dots":   {flex("basePath", allowed+"/../"+filepath.Base(outside), "pathType", "absolute"), "base_path_invalid"},
		"folder is gone":                {flex("basePath", "nowhere/", "pathType", "relative"), "base_path_invalid"},
		"a file":                        {flex("basePath", "sub/a/x.jpg", "pathType", "relative"), "base_path_invalid"},
		"empty path":                    {flex("basePath", "", "pathType", "relative"), "base_path_invalid"},
		"no path":                       {flex("pathType", "relative"), "base_path_invalid"},
		"entities":                      {strings.Replace(flex("basePath", "sub/", "pathType", "relative"), "sub/", "&#115;ub/", 1), "yes"},
		"cdata":                         {strings.Replace(flex("basePath", "sub/", "pathType", "relative"), "sub/", "<![CDATA[sub/]]>", 1), "yes"},
		"another sheet":                 {strings.Replace(flex("basePath", "sub/", "pathType", "relative"), "sDEF", "sOther", 1), "base_path_invalid"},
		"null":                          {nil, "base_path_invalid"},
		"no XML":                        {"fileadmin/", "base_path_invalid"},
		"broken XML":                    {flex("basePath", "sub/")[:120], "base_path_invalid"},
		"external entity":               {`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>` + strings.Replace(flex("basePath", "&e;"), `<?xml version="1.0" encoding="utf-8" standalone="yes" ?>`, "", 1), "base_path_invalid"},
	} {
		s.exec("UPDATE sys_file_storage SET configuration = ? WHERE uid = 7", c.configuration)
		if got := s.access("admin", 950); got.Usable != c.want || (c.want != "yes" && (got.Read || got.Write || got.EditMeta)) {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}

func TestP13_NamesAsPeopleGiveThem(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		for i, name := range []string{
			"Mu\u0308hle.jpg", "M\u00fchle.jpg", "a 'quoted' \"name\".jpg", "100% & more +.jpg", " leading.jpg", "trailing .jpg", "日本.jpg", "🌄.jpg", "a;b,c=d.jpg", "#hash?.jpg",
		} {
			uid := typo3.FileUID(910 + i)
			s.file(uid, 1, s.path("/"), "/user_upload/"+name)
			opened, err := s.gate.Open(t.Context(), s.user("ed_uploads"), uid)
			if err != nil || string(opened.Data) != "picture /user_upload/"+name || opened.File.Name != name {
				t.Errorf("%q: %v", name, err)
			}
		}
	})
}

// A storage that ignores case: mounts, exclusions and files on disk do as well.
func TestP13_StorageThatIgnoresCase(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		s.exec("UPDATE sys_file_storage SET configuration = ? WHERE uid = 1", flex("basePath", "fileadmin/", "pathType", "relative", "caseSensitive", "0"))
		s.exec("UPDATE sys_filemounts SET identifier = '1:/User_Upload/ÄRGER/' WHERE uid = 1")
		s.file(920, 1, s.path("/"), "/user_upload/ärger/bild.jpg")
		s.exec("UPDATE sys_file SET identifier = '/user_upload/Ärger/Bild.jpg', name = 'Bild.jpg' WHERE uid = 920")
		opened, err := s.gate.Open(t.Context(), s.user("ed_uploads"), 920)
		if err != nil || len(opened.Data) == 0 {
			t.Fatalf("%v: %s", err, falgate.Reason(err))
		}
		if got := s.access("ed_uploads", lake).Usable; got != "no_read" {
			t.Errorf("beside the mount: %s", got)
		}
		s.settings.Vision.ExcludedFolders = []string{"1:/USER_UPLOAD/ärger"}
		if got := s.access("ed_uploads", 920).Usable; got != "excluded_folder" {
			t.Errorf("excluded: %s", got)
		}
	})
}

func TestFlexValues(t *testing.T) {
	t.Parallel()
	want := map[string]string{"basePath": "a/", "caseSensitive": ""}
	if got := falgate.FlexValues(flex("basePath", "a/", "caseSensitive", "")); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	for _, bad := range []string{"", "<", "<a/>x", "<T3FlexForms><data>", strings.Repeat(" ", 1<<20+1)} {
		if got := falgate.FlexValues(bad); len(got) != 0 {
			t.Errorf("%.20q: %v", bad, got)
		}
	}
}

func FuzzFlexForm(f *testing.F) {
	for _, s := range []string{flex("basePath", "a/"), "", "<T3FlexForms>", "<!DOCTYPE x [<!ENTITY a 'b'>]><T3FlexForms>&a;</T3FlexForms>", "\xff\xfe<", `<?xml version="1.0" encoding="iso-8859-1"?><a/>`} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		_ = falgate.FlexValues(text) // must come back
	})
}

func FuzzDenyPattern(f *testing.F) {
	for _, s := range []string{`\.(php[3-8]?)(\..*)?$|^\.htaccess$`, `[]a]`, `[^]]`, `\w[[:alpha:]]`, `(?:a)`, `\x{41}`, "$"} {
		f.Add(s, "a.php.jpg")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		re := falgate.DenyPattern(pattern)
		if re != nil && strings.ContainsRune(name, 7) && !re.MatchString(name) {
			t.Fatalf("%q lets a control character pass", pattern)
		}
	})
}

// FuzzIdentifier holds that no identifier of the index leads to the file
// outside, and that what is excluded stays excluded however it is written.
func FuzzIdentifier(f *testing.F) {
	for _, s := range []string{"/private/x.jpg", "/private/../x", "/PRIVATE/x", "//private//x", "private", "/private-2/x", "\x00", "/Mu\u0308/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, identifier string) {
		in := falgate.Excluded("1:/private/", identifier, true)
		if in && !strings.HasPrefix(identifier, "/private") {
			t.Fatalf("%q counts as below /private/", identifier)
		}
		if !in && strings.HasPrefix(identifier, "/private/") {
			t.Fatalf("%q does not", identifier)
		}
		if in && !falgate.Excluded("1:/private/", identifier, false) {
			t.Fatalf("%q is let in when case does not count", identifier)
		}
	})
}
