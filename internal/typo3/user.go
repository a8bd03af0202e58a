package typo3

import "slices"

// UserUID is be_users.uid.
type UserUID uint32

// GroupUID is be_groups.uid.
type GroupUID uint32

// FileUID is sys_file.uid.
type FileUID uint32

// StorageUID is sys_file_storage.uid.
type StorageUID uint32

// PageUID is pages.uid.
type PageUID uint32

// MetadataUID is sys_file_metadata.uid.
type MetadataUID uint32

// LanguageUID is a site language; 0 is the default language, -1 all languages.
type LanguageUID int32

// BackendUser is a backend user with everything that decides about rights,
// resolved from the tables at one moment. It is immutable; load it again to
// decide again (P11).
type BackendUser struct {
	UID         UserUID
	Username    string
	RealName    string
	Admin       bool
	Language    string     // be_users.lang as an interface language: "en" (for "default"), "de", ...
	Groups      []GroupUID // final order, by last occurrence
	OriginalUID UserUID    // administrator behind a switched session, else 0

	Workspace        int             // 0 live, above a custom workspace, -99 none
	Frozen           bool            // the workspace takes no edits
	MetadataTable    bool            // tables_modify has sys_file_metadata, or admin
	TitleField       bool            // non_exclude_fields has sys_file_metadata:title, or admin
	AllowedLanguages []LanguageUID   // empty = all
	NoLanguage       bool            // a list that holds no language at all
	FileMounts       []FileMount     // user's, groups', home folders; whether a folder exists is not checked here
	ReadTables       []string        // tables_select and tables_modify of the groups; admins need none
	PageMounts       []PageUID       // user's and groups' db_mountpoints; whether a page is there and readable is not checked here
	WorkspaceMounts  []PageUID       // db_mountpoints of the workspace, which limit the user's; empty = no limit
	FilePermissions  map[string]bool // union of user and groups, before TSconfig
	TSconfig         *TSconfig       // never nil
}

// FileMount is one folder a user may enter. A path that does not exist on disk
// grants nothing.
type FileMount struct {
	Storage        StorageUID
	DefaultStorage bool   // the mount names no storage: the default one is meant
	Path           string // canonical, starts with "/", ends with "/"
	ReadOnly       bool
}

// DisplayName is the real name, else the user name.
func (u *BackendUser) DisplayName() string {
	if u.RealName != "" {
		return u.RealName
	}
	return u.Username
}

// Live reports whether the user works in the live workspace.
func (u *BackendUser) Live() bool { return u.Workspace == 0 }

// MayUseLanguage reports whether rows of that language may be edited.
func (u *BackendUser) MayUseLanguage(l LanguageUID) bool {
	if u.Admin || l == -1 || len(u.AllowedLanguages) == 0 && !u.NoLanguage {
		return true
	}
	return slices.Contains(u.AllowedLanguages, l)
}

// MayReadTable reports whether records of a table may be listed: a right to
// select or to modify it (TYPO3 BackendUserAuthentication::fetchGroupData joins the two lists).
func (u *BackendUser) MayReadTable(table string) bool {
	return u.Admin || slices.Contains(u.ReadTables, table)
}

// MayFile reports a file permission such as "readFile" for a storage: the union
// of user and groups, overlaid by TSconfig for all storages and then for this one
// (TYPO3 BackendUserAuthentication::getFilePermissionsForStorage).
func (u *BackendUser) MayFile(permission string, storage StorageUID) bool {
	if u.Admin {
		return true
	}
	if u.TSconfig.Unreadable {
		return false
	}
	may := u.FilePermissions[permission]
	if v, ok := u.TSconfig.Lookup("permissions.file.default." + permission); ok {
		may = phpTrue(v)
	}
	if v, ok := u.TSconfig.Lookup("permissions.file.storage." + decimal(storage) + "." + permission); ok {
		may = phpTrue(v)
	}
	return may
}

// MayEnter reports whether the user may use this service at all: access.groups
// names its groups, none means everybody. Administrators always may.
func (u *BackendUser) MayEnter(groups []uint32) bool {
	return u.Admin || len(groups) == 0 || u.InGroup(groups...)
}

// InGroup reports whether the user is in one of the groups.
func (u *BackendUser) InGroup(groups ...uint32) bool {
	for _, g := range u.Groups {
		if slices.Contains(groups, uint32(g)) {
			return true
		}
	}
	return false
}
