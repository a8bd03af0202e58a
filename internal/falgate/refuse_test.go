package falgate_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/typo3"
)

// S12, S13: excluded folders by whole path segments, storages by the list.
func TestS12_ExcludedFolders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		folder, identifier string
		sensitive, want    bool
	}{
		{"1:/secret", "/secret/a/b.jpg", true, true},
		{"1:/secret/", "/secret/a.jpg", true, true},
		{"1:/secret", "/secret-2/a.jpg", true, false},
		{"1:/secret", "/secret.jpg", true, false},
		{"1:/secret", "/a/secret/b.jpg", true, false},
		{"1:/Secret", "/secret/a.jpg", true, false},
		{"1:/Secret", "/secret/a.jpg", false, true},
		{"1:/GEHEIMES-ÄRGER", "/geheimes-ärger/a.jpg", false, true},
		{"2:/secret", "/secret/a.jpg", true, false},
		{"01:/secret", "/secret/a.jpg", true, true},
		{"1:/a//./b/../secret", "/a/secret/x.jpg", true, true},
		{"1:/", "/a.jpg", true, true},
		{"1:/M\u00fcll", "/Mu\u0308ll/a.jpg", true, true}, // one letter or two: nobody sees it
		{"1:/Mu\u0308ll", "/M\u00fcll/a.jpg", true, true},
		{"secret", "/secret/a.jpg", true, false},
	} {
		if got := falgate.Excluded(c.folder, c.identifier, c.sensitive); got != c.want {
			t.Errorf("%s on %s (case-sensitive %v): %v", c.folder, c.identifier, c.sensitive, got)
		}
	}
	s := onSQLite(t)
	s.settings.Vision.ExcludedFolders = []string{"1:/user_upload/nested"}
	for uid, want := range map[typo3.FileUID]string{nested: "excluded_folder", deeper: "excluded_folder", lake: "yes"} {
		if got := s.access("ed_uploads", uid).Usable; got != want {
			t.Errorf("file %d: %s, want %s", uid, got, want)
		}
	}
	if got := s.access("admin", nested).Usable; got != "excluded_folder" {
		t.Errorf("admin: %s", got)
	}
}

func TestS13_OnlyAllowedStorages(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	if got := s.access("admin", archive).Usable; got != "storage_not_allowed" {
		t.Errorf("the default list: %s", got)
	}
	s.settings.FAL.AllowedStorages = []uint32{0, 1, 2}
	if got := s.access("admin", archive).Usable; got != "yes" {
		t.Errorf("after the list was changed: %s", got)
	}
	s.exec("UPDATE sys_file SET storage = 0 WHERE uid = ?", lake)
	if got := s.access("admin", lake).Usable; got != "storage_not_allowed" {
		t.Errorf("storage 0: %s", got)
	}
}

// reasons are all states of a file that refuse it, made on a fresh site.
func reasons(s *site) map[string]func() (who string, uid typo3.FileUID) {
	all := []uint32{1, 2, 3, 4, 7, 8}
	return map[string]func() (string, typo3.FileUID){
		"no_file":             func() (string, typo3.FileUID) { return "ed_uploads", 4_000_000_000 },
		"no_read":             func() (string, typo3.FileUID) { return "ed_uploads", private },
		"storage_not_allowed": func() (string, typo3.FileUID) { return "admin", archive },
		"storage_offline": func() (string, typo3.FileUID) {
			s.settings.FAL.AllowedStorages = all
			return "admin", offlineFile
		},
		"driver_not_supported": func() (string, typo3.FileUID) {
			s.exec("UPDATE sys_file_storage SET driver = 'S3' WHERE uid = 1")
			return "ed_uploads", lake
		},
		"base_path_invalid": func() (string, typo3.FileUID) {
			s.exec("UPDATE sys_file_storage SET configuration = REPLACE(configuration, 'fileadmin/', '/etc/') WHERE uid = 1")
			s.exec("UPDATE sys_file_storage SET configuration = REPLACE(configuration, 'relative', 'absolute') WHERE uid = 1")
			return "admin", lake
		},
		"excluded_folder": func() (string, typo3.FileUID) {
			s.settings.Vision.ExcludedFolders = []string{"1:/user_upload/"}
			return "ed_uploads", lake
		},
		"identifier_invalid": func() (string, typo3.FileUID) {
			s.exec("UPDATE sys_file SET identifier = '/user_upload/../private/hr/staff_badge.jpg' WHERE uid = ?", lake)
			return "ed_uploads", lake
		},
		"processed_file": func() (string, typo3.FileUID) {
			s.file(900, 1, s.path("/"), "/_processed_/a/csm_lake.jpg")
			return "ed_uploads", 900
		},
		"missing":      func() (string, typo3.FileUID) { return "ed_uploads", gone },
		"no_edit_meta": func() (string, typo3.FileUID) { return "ed_press_ro", 2 },
		"not_live_workspace": func() (string, typo3.FileUID) {
			return "ed_ws_in_ws", lake
		},
		"table_not_allowed":    func() (string, typo3.FileUID) { return "ed_no_meta_table", lake },
		"language_not_allowed": func() (string, typo3.FileUID) { return "ed_german_only", lake },
		"no_metadata_row":      func() (string, typo3.FileUID) { return "ed_uploads", noRow },
		"content_unreadable": func() (string, typo3.FileUID) {
			escape(s)
			return "ed_uploads", lake
		},
		"image_too_large": func() (string, typo3.FileUID) {
			s.settings.Images.MaxFileBytes = 10
			return "ed_uploads", lake
		},
	}
}

// escape makes a file of the storage a link out of it.
func escape(s *site) {
	s.t.Helper()
	at := s.path("/user_upload/lake_morning.jpg")
	if err := errors.Join(os.Remove(at), os.Symlink("/etc/hostname", at)); err != nil {
		s.t.Fatal(err)
	}
}

// P3: one answer and one cost, whatever the reason.
func TestP3_RefusalsCannotBeToldApart(t *testing.T) {
	t.Parallel()
	names := []string{}
	for reason := range reasons(nil) {
		names = append(names, reason)
	}
	for _, reason := range names {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			s := onSQLite(t)
			who, uid := reasons(s)[reason]()
			user := s.user(who)
			s.queries.Reset()
			opened, err := s.gate.Open(t.Context(), user, uid)
			if opened != nil || err == nil {
				t.Fatalf("opened %v, %v", opened, err)
			}
			if n := s.queries.Reset(); len(n) != 1 {
				t.Errorf("%d queries: %v", len(n), n)
			}
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != fault.NotFound || f.Code != falgate.ErrNotAvailable.Code || f.Sentence() != falgate.ErrNotAvailable.Sentence() || len(f.Args) != 0 {
				t.Errorf("answer %v", err)
			}
			got := falgate.Reason(err)
			if reason == "content_unreadable" && got == "missing" { // looked at before it is opened
				got = reason
			}
			if got != reason {
				t.Errorf("reason %q", got)
			}
		})
	}
}

func TestP3_SuccessCostsTheSameQueries(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		user := s.user("ed_uploads")
		s.queries.Reset()
		opened, err := s.gate.Open(t.Context(), user, lake)
		if err != nil || len(opened.Data) == 0 || len(opened.SHA256) != 64 || opened.Access.Usable != falgate.Yes {
			t.Fatalf("%+v, %v", opened, err)
		}
		if n := s.queries.Reset(); len(n) != 1 {
			t.Errorf("%d queries", len(n))
		}
		if sum, err := s.gate.ContentHash(t.Context(), &opened.File); err != nil || sum != opened.SHA256 || s.queries.Count() != 0 {
			t.Errorf("hash %s, %v", sum, err)
		}
	})
}

// A storage that cannot be used is one line for the operator, not one per file.
func TestOperatorHearsOfDriversOnce(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	s.exec("UPDATE sys_file_storage SET driver = 'AusDriverAmazonS3' WHERE uid = 1")
	for range 3 {
		_ = s.access("ed_uploads", lake)
	}
	if n := strings.Count(s.log.String(), "AusDriverAmazonS3"); n != 1 {
		t.Errorf("%d lines: %s", n, s.log)
	}
	s.exec("UPDATE sys_file_storage SET driver = 'OtherDriver' WHERE uid = 1")
	for range 2 {
		_ = s.access("ed_uploads", lake)
	}
	if n := strings.Count(s.log.String(), "OtherDriver"); n != 1 {
		t.Errorf("%d lines about the next driver: %s", n, s.log)
	}
}

func TestOfflineForAWhile(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		set := func(value string) {
			s.exec("DELETE FROM sys_registry WHERE entry_key = 'sys_file_storage-1-offline-until'")
			s.exec("INSERT INTO sys_registry (entry_namespace, entry_key, entry_value) VALUES ('core', 'sys_file_storage-1-offline-until', ?)", []byte(value))
		}
		for value, want := range map[string]string{"i:1;": "yes", "i:4000000000;": "storage_offline", `s:1:"x";`: "storage_offline"} {
			set(value)
			if got := s.access("ed_uploads", lake).Usable; got != want {
				t.Errorf("%s: %s, want %s", value, got, want)
			}
		}
		set("i:4000000000;")
		if roots, err := s.gate.Roots(t.Context(), s.user("ed_uploads")); err != nil || len(roots) != 0 {
			t.Errorf("roots %v, %v", roots, err)
		}
	})
}

// Neither "..", nor a link, nor what is no file leads anywhere.
func TestOpen_StaysInsideTheStorage(t *testing.T) {
	t.Parallel()
	secret := t.TempDir() + "/secret.jpg"
	if err := os.WriteFile(secret, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(t *testing.T, s *site){
		"link to a file outside": func(_ *testing.T, s *site) { escape(s) },
		"link to a folder outside": func(t *testing.T, s *site) {
			must(t, os.Symlink("/etc", s.path("/user_upload/out")))
			s.exec("UPDATE sys_file SET identifier = '/user_upload/out/hostname', name = 'hostname' WHERE uid = ?", lake)
		},
		"relative link outside": func(t *testing.T, s *site) {
			must(t, os.Remove(s.path("/user_upload/lake_morning.jpg")))
			must(t, os.Symlink("../../../archive_store/poster.jpg", s.path("/user_upload/lake_morning.jpg")))
		},
		"dots in the identifier": func(_ *testing.T, s *site) {
			s.exec("UPDATE sys_file SET identifier = '/user_upload/../../../archive_store/poster.jpg' WHERE uid = ?", lake)
		},
		"dots that stay inside": func(_ *testing.T, s *site) {
			s.exec("UPDATE sys_file SET identifier = '/user_upload/../private/hr/staff_badge.jpg' WHERE uid = ?", lake)
		},
		"double slash": func(_ *testing.T, s *site) {
			s.exec("UPDATE sys_file SET identifier = '/user_upload//lake_morning.jpg' WHERE uid = ?", lake)
		},
		"no leading slash": func(_ *testing.T, s *site) {
			s.exec("UPDATE sys_file SET identifier = 'user_upload/lake_morning.jpg' WHERE uid = ?", lake)
		},
		"backslash": func(_ *testing.T, s *site) {
			s.exec(`UPDATE sys_file SET identifier = ? WHERE uid = ?`, `/user_upload\lake_morning.jpg`, lake)
		},
		"a folder": func(_ *testing.T, s *site) {
			s.exec("UPDATE sys_file SET identifier = '/user_upload/nested', name = 'nested' WHERE uid = ?", lake)
		},
		"a pipe": func(t *testing.T, s *site) {
			must(t, os.Remove(s.path("/user_upload/lake_morning.jpg")))
			must(t, syscall.Mkfifo(s.path("/user_upload/lake_morning.jpg"), 0o600))
		},
		"absolute link back in": func(t *testing.T, s *site) {
			must(t, os.Remove(s.path("/user_upload/lake_morning.jpg")))
			must(t, os.Symlink(s.path("/private/hr/staff_badge.jpg"), s.path("/user_upload/lake_morning.jpg")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := onSQLite(t)
			s.settings.FAL.AllowedStorages = []uint32{1, 2}
			change(t, s)
			for _, who := range []string{"ed_uploads", "admin"} {
				if opened, err := s.gate.Open(t.Context(), s.user(who), lake); !errors.Is(err, falgate.ErrNotAvailable) {
					t.Errorf("%s: opened %v, %v", who, opened, err)
				}
				if opened, err := s.gate.View(t.Context(), s.user(who), lake); !errors.Is(err, falgate.ErrNotAvailable) {
					t.Errorf("%s: viewed %v, %v", who, opened, err)
				}
			}
		})
	}
}

// A base that is itself a link is the operator's own; what it points to is the storage.
func TestOpen_StorageBehindALink(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	shared := t.TempDir() + "/shared"
	must(t, os.Rename(s.path("/"), shared))
	must(t, os.Symlink(shared, strings.TrimSuffix(s.path("/"), "/")))
	if _, err := s.gate.Open(t.Context(), s.user("ed_uploads"), lake); err != nil {
		t.Error(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// P11: rights are asked of the tables each time.
func TestP11_RightsAreAskedAnew(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		ask := func() string { return s.access("ed_uploads", lake).Usable }
		if got := ask(); got != "yes" {
			t.Fatal(got)
		}
		for _, step := range []struct{ do, undo, want string }{
			{"UPDATE sys_filemounts SET hidden = 1 WHERE uid = 1", "UPDATE sys_filemounts SET hidden = 0 WHERE uid = 1", "no_read"},
			{"UPDATE sys_filemounts SET read_only = 1 WHERE uid = 1", "UPDATE sys_filemounts SET read_only = 0 WHERE uid = 1", "no_edit_meta"},
			{"UPDATE be_groups SET hidden = 1 WHERE uid = 2", "UPDATE be_groups SET hidden = 0 WHERE uid = 2", "no_read"},
			{"UPDATE be_groups SET TSconfig = 'permissions.file.default.readFile = 0' WHERE uid = 1", "UPDATE be_groups SET TSconfig = '' WHERE uid = 1", "no_read"},
			{"UPDATE be_groups SET TSconfig = '@import \"EXT:a/x.tsconfig\"' WHERE uid = 1", "UPDATE be_groups SET TSconfig = NULL WHERE uid = 1", "no_read"},
			{"UPDATE be_groups SET tables_modify = 'pages' WHERE uid = 1", "UPDATE be_groups SET tables_modify = 'sys_file_metadata' WHERE uid = 1", "table_not_allowed"},
			{"UPDATE be_groups SET allowed_languages = '1' WHERE uid = 1", "UPDATE be_groups SET allowed_languages = '' WHERE uid = 1", "language_not_allowed"},
			{"UPDATE sys_file_storage SET is_online = 0 WHERE uid = 1", "UPDATE sys_file_storage SET is_online = 1 WHERE uid = 1", "storage_offline"},
			{"UPDATE sys_file SET missing = 1 WHERE uid = 23", "UPDATE sys_file SET missing = 0 WHERE uid = 23", "missing"},
			{"UPDATE sys_file_metadata SET file = 9999 WHERE uid = 23", "UPDATE sys_file_metadata SET file = 23 WHERE uid = 23", "no_metadata_row"},
		} {
			s.exec(step.do)
			if got := ask(); got != step.want {
				t.Errorf("%s: %s, want %s", step.do, got, step.want)
			}
			s.exec(step.undo)
			if got := ask(); got != "yes" {
				t.Errorf("after %s: %s", step.undo, got)
			}
		}
	})
}

// S59: a draft below the live row, or a translation, is never the row that counts.
func TestS59_DraftsDoNotCount(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		s.exec("UPDATE sys_file_metadata SET uid = 5000 WHERE uid = 23")
		s.exec("INSERT INTO sys_file_metadata (uid, file, t3ver_oid, t3ver_wsid, alternative) VALUES (23, 23, 5000, 1, 'draft')")
		s.exec("INSERT INTO sys_file_metadata (uid, file, sys_language_uid, l10n_parent, alternative) VALUES (4000, 23, 1, 5000, 'Entwurf')")
		s.exec("INSERT INTO sys_file_metadata (uid, file, alternative) VALUES (5001, 23, 'second')")
		_, f, err := s.gate.Access(t.Context(), s.user("ed_uploads"), lake)
		if err != nil || f.Metadata == nil || f.Metadata.UID != 5000 || f.Metadata.Alternative != "A calm lake in the morning" {
			t.Fatalf("%+v, %v", f, err)
		}
		m, err := s.cms.Metadata(t.Context(), nil, lake)
		if err != nil || m.UID != 5000 {
			t.Errorf("%+v, %v", m, err)
		}
	})
}

// S60: missing, foreign and without metadata: one answer to a look as well.
func TestS60_LookIsNeutral(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	who := s.user("ed_uploads")
	for _, uid := range []typo3.FileUID{0, 4_000_000_000, private, archive, gone, marked, phpName} {
		if f, err := s.gate.Look(t.Context(), who, uid); f != nil || !errors.Is(err, falgate.ErrNotAvailable) {
			t.Errorf("%d: %v, %v", uid, f, err)
		}
	}
	found, err := s.gate.LookMany(t.Context(), who, []typo3.FileUID{lake, private, archive, 4_000_000_000, nested})
	if err != nil || len(found) != 2 || found[lake] == nil || found[nested] == nil {
		t.Errorf("%v, %v", found, err)
	}
}

func TestDenyPattern(t *testing.T) {
	t.Parallel()
	shipped := config.DefaultSettings().TYPO3.FileDenyPattern
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{shipped, "a.php", true},
		{shipped, "a.PHP5", true},
		{shipped, "a.php.jpg", true},
		{shipped, "a.phar", true},
		{shipped, "x.pl", true},
		{shipped, ".htaccess", true},
		{shipped, "a.htaccess", false},
		{shipped, "a.jpg", false},
		{shipped, "php.jpg", false},
		{shipped, "a\x07.jpg", true},
		{shipped, "a\u0085.jpg", true},
		{shipped, "a.php\n", true},
		{"", "a.php", false},
		{"", "a\n.jpg", true},
		{`\.exe$`, "a.exe", true},
		{`^\w+\.bin$`, "größe.bin", true},
		{`\d`, "a٣.jpg", true},
		{`[\w.]+x$`, "ä.x", true},
		{`[[:alpha:]]\.zip`, "ß.zip", true},
		{`[]x]$`, "a]", true},
		{`[^]x]$`, "a]", false},
		{`[^]x]$`, "b", true},
		{`a[[]b`, "a[b", true},
		{`(?=x)`, "plain.jpg", true},
		{`\bfoo\b`, "plain.jpg", true},
		{`(`, "plain.jpg", true},
		{`(a)\1`, "plain.jpg", true},
		{`a++`, "plain.jpg", true},
		{`[[:<:]]`, "plain.jpg", true},
		{`\`, "plain.jpg", true},
		{`[a`, "plain.jpg", true},
		{`(?i)x`, "plain.jpg", true},
		{`(*UTF8)x`, "plain.jpg", true},
	} {
		re := falgate.DenyPattern(c.pattern)
		if got := re == nil || re.MatchString(c.name); got != c.want {
			t.Errorf("%s on %q: %v", c.pattern, c.name, got)
		}
	}
}
