package falgate

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"editor-actions/internal/config"
	"editor-actions/internal/typo3"

	"golang.org/x/text/unicode/norm"
)

// excluded reports whether a folder setting such as "1:/private/" covers an
// identifier: whole path segments, recursive, compared as the storage compares.
// The two Unicode forms of a letter count as one here, although the storage tells
// them apart: nobody sees which one a settings file holds.
func excluded(folders []string, s *storage, identifier string) bool {
	for _, f := range excludedFolders(folders, s) {
		if s.within(norm.NFC.String(identifier), norm.NFC.String(f)) {
			return true
		}
	}
	return false
}

// excludedFolders are the settings about one storage, as canonical paths with a
// slash at their end.
func excludedFolders(folders []string, s *storage) []string {
	var out []string
	for _, f := range folders {
		uid, p, ok := strings.Cut(f, ":")
		if n, err := strconv.ParseUint(uid, 10, 32); !ok || err != nil || typo3.StorageUID(n) != s.uid {
			continue
		}
		folder := typo3.CanonicalPath(p)
		if folder != "/" {
			folder += "/"
		}
		out = append(out, folder)
	}
	return out
}

// sound reports whether an identifier means one file only: valid text, and the
// path that TYPO3 would make of it. "/press/../private/x" lies in a mount by its
// letters and outside of it on disk.
func sound(identifier string) bool {
	return utf8.ValidString(identifier) && identifier == typo3.CanonicalPath(identifier)
}

// inMount reports whether an identifier lies in one of the user's mounts whose
// folder exists; writable asks for one that is not read-only. The processing
// folder belongs to everybody.
func inMount(u *typo3.BackendUser, s *storage, identifier string, writable bool) bool {
	if s.within(identifier, s.processingFolder()) {
		return true
	}
	for _, m := range u.FileMounts {
		if m.DefaultStorage && !s.isDefault || !m.DefaultStorage && m.Storage != s.uid {
			continue
		}
		if writable && m.ReadOnly || !s.within(identifier, m.Path) {
			continue
		}
		if s.hasFolder(m.Path) {
			return true
		}
	}
	return false
}

// decide answers everything about one file and the metadata row of one
// language. u nil is a user who cannot log in.
func decide(cfg *config.Settings, u *typo3.BackendUser, f *File, language typo3.LanguageUID, hasRow bool) Access {
	a := Access{WriteAlternative: ReasonNoLogin, WriteTitle: ReasonNoLogin, WriteDescription: ReasonNoLogin, Visible: ReasonNoLogin, Usable: ReasonNoLogin}
	if u == nil {
		return a
	}
	s := f.storage
	if s.base == "" { // never opened, so never permitted
		a.WriteAlternative, a.WriteTitle, a.WriteDescription = "no", "no", "no"
		a.Visible = why(cfg, u, f, a)
		a.Usable = a.Visible
		return a
	}
	info, err := s.stat(f.Identifier)
	there := err == nil && !info.IsDir()
	deny := s.denied(f)
	a.Read = !deny && (u.Admin || u.MayFile("readFile", s.uid) && inMount(u, s, f.Identifier, false))
	a.Write = !deny && s.writable && !f.Missing && there && (u.Admin || u.MayFile("writeFile", s.uid) && inMount(u, s, f.Identifier, true))
	a.EditMeta = u.Admin || inMount(u, s, f.Identifier, true)
	a.WriteAlternative = lands(u, a, language, hasRow)
	a.WriteDescription, a.WriteTitle = a.WriteAlternative, a.WriteAlternative
	if !u.TitleField && (a.WriteTitle == Yes || a.WriteTitle == "version") {
		a.WriteTitle = "no"
	}
	a.Visible = why(cfg, u, f, a)
	if a.Visible == Yes && (f.Missing || !there) {
		a.Usable = ReasonMissing
		return a
	}
	a.Usable = usable(u, a, language, hasRow)
	return a
}

// lands is what TYPO3's DataHandler would do with a text of that row.
func lands(u *typo3.BackendUser, a Access, language typo3.LanguageUID, hasRow bool) string {
	switch {
	case !hasRow:
		return "no_row"
	case !a.EditMeta || !u.MetadataTable || !u.MayUseLanguage(language) || u.Frozen || u.Workspace < 0:
		return "no"
	case u.Workspace > 0:
		return "version"
	}
	return Yes
}

// why is the first reason against showing a file at all.
func why(cfg *config.Settings, u *typo3.BackendUser, f *File, a Access) string {
	s := f.storage
	switch {
	case s.uid == 0 || !slices.Contains(cfg.FAL.AllowedStorages, uint32(s.uid)):
		return ReasonStorage
	case s.driver != localDriver:
		return ReasonDriver
	case !s.online:
		return ReasonOffline
	case s.base == "":
		return ReasonBasePath
	case !sound(f.Identifier):
		return ReasonIdentifier
	case excluded(cfg.Vision.ExcludedFolders, s, f.Identifier):
		return ReasonExcluded
	case s.within(f.Identifier, s.processingFolder()):
		return ReasonProcessed
	case !a.Read || u == nil:
		return ReasonNoRead
	}
	return Yes
}

// usable is the first reason against describing a file in the user's name.
func usable(u *typo3.BackendUser, a Access, language typo3.LanguageUID, hasRow bool) string {
	switch {
	case a.Visible != Yes:
		return a.Visible
	case !a.EditMeta:
		return ReasonNoEditMeta
	case !u.Live() || u.Frozen:
		return ReasonWorkspace
	case !u.MetadataTable:
		return ReasonTable
	case !u.MayUseLanguage(language):
		return ReasonLanguage
	case !hasRow:
		return ReasonNoRow
	}
	return Yes
}
