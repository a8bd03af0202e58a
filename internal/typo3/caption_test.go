package typo3_test

import (
	"testing"

	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

func TestCaption_WithAndWithoutItsExtension(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		var uid uint32
		if err := s.DB.Raw("SELECT uid FROM sys_file_metadata WHERE file = 23 AND sys_language_uid = 0 AND t3ver_oid = 0").Scan(&uid).Error; err != nil || uid == 0 {
			t.Fatal(uid, err)
		}
		ask := func(uid typo3.MetadataUID, want string) {
			t.Helper()
			if got, err := cmsAt(s, testNow).Caption(t.Context(), uid); err != nil || got != want {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		}
		exec := func(sql string, args ...any) {
			t.Helper()
			if err := s.DB.Exec(sql, args...).Error; err != nil {
				t.Fatal(err)
			}
		}
		exec("UPDATE sys_file_metadata SET caption = ? WHERE uid = ?", "Nebel über dem See", uid)
		ask(typo3.MetadataUID(uid), "Nebel über dem See")
		exec("UPDATE sys_file_metadata SET caption = NULL WHERE uid = ?", uid)
		ask(typo3.MetadataUID(uid), "")
		ask(999_999, "")
		exec("ALTER TABLE sys_file_metadata DROP COLUMN caption")
		ask(typo3.MetadataUID(uid), "")
	})
}
