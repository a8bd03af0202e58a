package main

import (
	"editor-actions/internal/suspend"
)

// metadataRow is the live default row of a file.
type metadataRow struct {
	UID         uint32
	Title       *string
	Alternative *string
	Description *string
}

func (s *service) metadata(file uint64) metadataRow {
	s.t.Helper()
	var m metadataRow
	err := s.site.DB.WithContext(s.t.Context()).Raw(
		"SELECT uid, title, alternative, description FROM sys_file_metadata WHERE file = ? AND sys_language_uid = 0 AND t3ver_wsid = 0 AND t3ver_oid = 0 ORDER BY uid LIMIT 1", file).Scan(&m).Error
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

func (s *service) count(query string, args ...any) int {
	s.t.Helper()
	var n int
	if err := s.site.DB.WithContext(s.t.Context()).Raw(query, args...).Scan(&n).Error; err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *service) exec(query string, args ...any) {
	s.t.Helper()
	if err := s.site.DB.WithContext(s.t.Context()).Exec(query, args...).Error; err != nil {
		s.t.Fatal(err)
	}
}

func (s *service) writes() int {
	return s.count("SELECT COUNT(*) FROM sys_history WHERE tablename = 'sys_file_metadata' AND actiontype = 2")
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// toolPicture keeps a picture of a tool for a run, as the service would.
func (s *service) toolPicture(run string) (*suspend.Store, suspend.Artifact) {
	s.t.Helper()
	sealer, err := suspend.LoadKeyset(s.settings.Load().Sealing)
	if err != nil {
		s.t.Fatal(err)
	}
	store := suspend.NewStore(s.site.DB, sealer, suspend.Options{})
	a, err := store.SaveArtifact(s.t.Context(), suspend.Artifact{Run: suspend.RunID(run), Source: "tool"}, []byte("pixels"))
	if err != nil {
		s.t.Fatal(err)
	}
	return store, a
}
