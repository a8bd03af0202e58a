package testsite_test

import (
	"os"
	"path/filepath"
	"testing"

	"editor-actions/internal/testsite"
)

func TestEach_GivesTheWholeDataSetFresh(t *testing.T) {
	t.Parallel()
	for range 2 { // the second copy does not see what the first one did
		testsite.Each(t, func(t *testing.T, s *testsite.Site) {
			for table, want := range map[string]int64{"be_users": 68, "sys_file": 68, "sys_file_storage": 4, "tx_editoractions_run": 0} {
				var got int64
				if err := s.DB.Table(table).Count(&got).Error; err != nil {
					t.Fatal(err)
				}
				if got != want {
					t.Errorf("%s has %d rows, want %d", table, got, want)
				}
			}
			for _, name := range []string{"public/fileadmin/user_upload/Büro – Eingang.png", "archive_store"} {
				if _, err := os.Stat(filepath.Join(s.Root, name)); err != nil {
					t.Error(err)
				}
			}
			if s.Settings.TYPO3.EncryptionKey.Empty() || s.Settings.TYPO3.UserHomePath != "1:user_homes/" || s.Settings.TYPO3.DSN.Reveal() != s.DSN {
				t.Error("the settings of the site are missing")
			}
			if err := s.DB.Exec("DELETE FROM be_users").Error; err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(s.Public); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestLookup_FindsTestdata(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(testsite.Lookup(t, "typo3/README.md")); err != nil {
		t.Error(err)
	}
	if len(testsite.Read(t, "typo3/main-matrix.tsv.gz")) < 1_000_000 {
		t.Error("the matrix is not unpacked")
	}
}
