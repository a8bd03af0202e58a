package demo

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"

	"editor-actions/internal/config"
	"editor-actions/internal/secret"
)

// A cookie that TYPO3 13.4 gave out at a sign-in, its site's key, and the id
// under which TYPO3 stored that session.
const (
	typo3Key    = "d71c3fa188d6d8650cfb91f9f304bf9b60c67d5c001e183c1ae5cc92779ffb2945e30e869d051014b7cd8b301a4606a6"
	typo3Cookie = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJpZGVudGlmaWVyIjoiNGMyZDJkYTUyNThmY2MyOWQ4NWE5ZjlkMjAzYmMxNDYiLCJ0aW1lIjoiMjAyNi0xMi0wMVQwMTo1MzoyMSswMDowMCIsInNjb3BlIjp7ImRvbWFpbiI6IjEyNy4wLjAuMSIsImhvc3RPbmx5Ijp0cnVlLCJwYXRoIjoiLyJ9fQ.7kcPztA_WPuNbxSMPTZvQAp3Gr3VWXGuKZe5rpqoiDg"
	typo3ID     = "12a8184ea797235dd3d6cee1cc4ba65447dfa5d0949fee4294888afb686cbf32"
)

func TestSessions_DeriveKeysAsTYPO3Does(t *testing.T) {
	t.Parallel()
	s := config.TYPO3{EncryptionKey: secret.New(typo3Key)}
	var claims jwt.MapClaims
	if _, err := jwt.ParseWithClaims(typo3Cookie, &claims, func(*jwt.Token) (any, error) { return cookieKey(s), nil }); err != nil {
		t.Fatal(err)
	}
	if got := storedID(s, claims["identifier"].(string)); got != typo3ID {
		t.Errorf("stored id %s, TYPO3 has %s", got, typo3ID)
	}
}

func TestSessions_IssueAndEnd(t *testing.T) {
	t.Parallel()
	db, err := gorm.Open(sqlite.Open(filepath.Join(t.TempDir(), "demo.sqlite")), &gorm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Exec(`CREATE TABLE be_sessions (ses_id VARCHAR(190) PRIMARY KEY, ses_iplock VARCHAR(39) NOT NULL, ses_userid INTEGER NOT NULL, ses_tstamp INTEGER NOT NULL, ses_data BLOB)`).Error; err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 3, 9, 30, 0, 0, time.UTC)
	settings := &config.Settings{TYPO3: config.TYPO3{EncryptionKey: secret.New(typo3Key), SessionTimeout: 28800, LockIP: 2, SitePath: "/"}}
	s := &Sessions{DB: db, Settings: func() *config.Settings { return settings }, Now: func() time.Time { return now }}
	cookie, err := s.IssueSession(t.Context(), 2, "127.0.0.1:8080", "192.0.2.7")
	if err != nil {
		t.Fatal(err)
	}
	var claims jwt.MapClaims
	if _, err := jwt.ParseWithClaims(cookie, &claims, func(*jwt.Token) (any, error) { return cookieKey(settings.TYPO3), nil }); err != nil {
		t.Fatal(err)
	}
	scope := claims["scope"].(map[string]any)
	if scope["domain"] != "127.0.0.1" || scope["path"] != "/" || scope["hostOnly"] != true {
		t.Errorf("scope %v", scope)
	}
	var row beSessionRow
	if err := db.First(&row, "ses_id = ?", storedID(settings.TYPO3, claims["identifier"].(string))).Error; err != nil {
		t.Fatal(err)
	}
	if row.UserID != 2 || row.Time != now.Unix() || row.IPLock != "192.0.0.0" {
		t.Errorf("row %+v", row)
	}
	for _, stranger := range []string{"", "x.y.z", typo3Cookie + "x"} {
		if err := s.EndSession(t.Context(), stranger); err != nil {
			t.Error(err)
		}
	}
	if err := s.EndSession(t.Context(), cookie); err != nil {
		t.Fatal(err)
	}
	var left int64
	if err := db.Model(&beSessionRow{}).Count(&left).Error; err != nil || left != 0 {
		t.Errorf("%d sessions left, %v", left, err)
	}
}
