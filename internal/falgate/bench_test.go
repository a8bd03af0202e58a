package falgate_test

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/falgate"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

// benchmarkFiles seeds an index where one picture in a hundred lacks a text and
// half of the files lie outside of the editor's mount.
func benchmarkFiles(b *testing.B, rows int) {
	for _, on := range []struct {
		name string
		open func(testing.TB) *testsite.Site
	}{{"SQLite", testsite.SQLite}, {"MariaDB", testsite.MariaDB}} {
		b.Run(on.name, func(b *testing.B) {
			if on.name == "MariaDB" && os.Getenv(testsite.EnvMySQL) == "" {
				b.Skip(testsite.EnvMySQL + " is not set")
			}
			s := on.open(b)
			settings := func() *config.Settings { return &s.Settings }
			cms := typo3.New(s.DB, settings, time.Now)
			gate := falgate.New(cms, s.DB, settings, slog.New(slog.DiscardHandler))
			seed(b, s, rows)
			who, err := cms.UserByName(b.Context(), "ed_uploads")
			if err != nil {
				b.Fatal(err)
			}
			for _, q := range []falgate.SearchQuery{
				{Limit: 50},
				{Text: "nowhere to be found", Limit: 50}, // looks at the whole window
				{Text: "nowhere", Missing: "title", Folder: "1:/user_upload/", Limit: 50, After: typo3.FileUID(rows / 2)},
			} {
				b.Run(fmt.Sprintf("search=%q,after=%d", q.Text, q.After), func(b *testing.B) {
					for b.Loop() {
						if _, err := gate.Search(b.Context(), who, q); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			for _, q := range []falgate.FileQuery{
				{Folder: "1:/user_upload/", Limit: 50},
				{Folder: "1:/user_upload/", Limit: 50, MissingAlternative: true},
				{Folder: "1:/user_upload/", Limit: 50, MissingAlternative: true, After: typo3.FileUID(rows / 2)},
			} {
				b.Run(fmt.Sprintf("missing=%v,after=%d", q.MissingAlternative, q.After), func(b *testing.B) {
					for b.Loop() {
						if _, err := gate.Files(b.Context(), who, q); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

func seed(b *testing.B, s *testsite.Site, rows int) {
	b.Helper()
	const batch = 500
	tx := s.DB.Begin()
	for at := 0; at < rows; at += batch {
		var files, metadata []string
		var fileArgs, metadataArgs []any
		for i := at; i < min(at+batch, rows); i++ {
			folder := []string{"/user_upload", "/press"}[i%2] + fmt.Sprintf("/%04d", i%5000)
			name := fmt.Sprintf("%07d.jpg", i)
			files = append(files, "(?, 1, ?, ?, 'jpg', 'image/jpeg', 2, ?, ?)")
			fileArgs = append(fileArgs, 1000+i, folder+"/"+name, name, falgate.SHA1(folder+"/"+name), falgate.FolderHash(folder))
			alternative := "text"
			if i%100 == 0 {
				alternative = ""
			}
			metadata = append(metadata, "(?, ?)")
			metadataArgs = append(metadataArgs, 1000+i, alternative)
		}
		for _, err := range []error{
			tx.Exec("INSERT INTO sys_file (uid, storage, identifier, name, extension, mime_type, type, identifier_hash, folder_hash) VALUES "+strings.Join(files, ","), fileArgs...).Error,
			tx.Exec("INSERT INTO sys_file_metadata (file, alternative) VALUES "+strings.Join(metadata, ","), metadataArgs...).Error,
		} {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := tx.Commit().Error; err != nil {
		b.Fatal(err)
	}
}
