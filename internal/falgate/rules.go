package falgate

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"editor-actions/internal/config"
	"editor-actions/internal/typo3"
)

// denied reports whether TYPO3's deny pattern matches a file's name, for
// admins too. A pattern that RE2 cannot read denies everything: guessing would
// be a hole.
func denied(pattern string, f *File) bool {
	if !utf8.ValidString(f.Name) || !utf8.ValidString(f.Identifier) {
		return true
	}
	re, err := regexp.Compile(`(?i)(?:[[:cntrl:]]|` + pattern + `)`)
	if pattern == "" {
		re, err = regexp.Compile(`[[:cntrl:]]`)
	}
	return err != nil || re.MatchString(f.Name) || re.MatchString(path.Base(f.Identifier))
}

// excluded reports whether a folder setting such as "1:/private/" covers an
// identifier: whole path segments, recursive, compared as the storage compares.
func excluded(folders []string, s *storage, identifier string) bool {
	for _, f := range folders {
		uid, p, ok := strings.Cut(f, ":")
		if !ok || uid != strconv.FormatUint(uint64(s.uid), 10) {
			continue
		}
		folder := typo3.CanonicalPath(p)
		if folder != "/" {
			folder += "/"
		}
		if s.within(identifier, folder) {
			return true
		}
	}
	return false
}

// inMount reports whether an identifier lies in one of the user's mounts whose
// folder exists; writable asks for one that is not read-only. The processing
// folder belongs to everybody.
func inMount(u *typo3.BackendUser, s *storage, identifier string, writable bool) bool {
	if s.within(identifier, strings.TrimSuffix(s.processing, "/")+"/") {
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
	deny := denied(cfg.TYPO3.FileDenyPattern, f)
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
	case excluded(cfg.Vision.ExcludedFolders, s, f.Identifier):
		return ReasonExcluded
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
