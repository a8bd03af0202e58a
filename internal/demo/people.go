package demo

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"golang.org/x/crypto/argon2"
)

// SignIn is a person who can sign in to the demo. The passwords are no secret:
// the command prints them, and they open nothing else.
type SignIn struct {
	Username string
	Password string
	Role     string // what this person may do, one line of English
}

// SignIns are the people of the demo, in the order of their uids.
var SignIns = []SignIn{
	{"admin", "admin-demo-2026", "administrator: sees every file, may decide"},
	{"editor", "editor-demo-2026", "editor: starts actions on files of both storages"},
	{"editor-readonly", "readonly-demo-2026", "editor: sees the files of one storage, may change none"},
	{"reviewer", "reviewer-demo-2026", "reviewer: decides about proposals, pages in German"},
}

type person struct {
	realName, lang, groups string
	admin                  bool
}

var people = []person{ // same order as SignIns
	{realName: "Administrator", lang: "default", admin: true},
	{realName: "Editor", lang: "default", groups: "2"},
	{realName: "Editor (read only)", lang: "default", groups: "3"},
	{realName: "Redaktion (Prüfung)", lang: "de", groups: "4"},
}

const (
	allFilePermissions  = "readFolder,writeFolder,addFolder,renameFolder,moveFolder,deleteFolder,readFile,writeFile,addFile,renameFile,replaceFile,moveFile,copyFile,deleteFile"
	tablesOfEditors     = "pages,tt_content,sys_file_reference,sys_file_metadata"
	fieldsOfEditors     = "sys_file_metadata:title,sys_file_metadata:keywords,sys_file_metadata:copyright,tt_content:header,sys_file_reference:title,sys_file_reference:alternative,sys_file_reference:description"
	contentOfEditors    = "tt_content:CType:textmedia,tt_content:CType:image,tt_content:CType:textpic,tt_content:CType:uploads"
	modulesOfEditors    = "web_layout,web_list,media_management"
	mountFileadmin      = 1
	mountArchive        = 2
	mountFileadminRead  = 3
	basicRights         = 1
	cost, memory, lanes = 2, 19 * 1024, 1 // what OWASP asks for at least; four sign-ins must not take long to build
)

var (
	groupRows = []row{
		{
			"title": "Basic rights", "db_mountpoints": "1", "file_permissions": allFilePermissions, "tables_select": "pages,tt_content,sys_file,sys_file_reference,sys_file_metadata",
			"tables_modify": tablesOfEditors, "non_exclude_fields": fieldsOfEditors, "pagetypes_select": "1,4", "explicit_allowdeny": contentOfEditors, "groupMods": modulesOfEditors, "workspace_perms": 1,
		},
		{"title": "Editors", "subgroup": basicRights, "file_mountpoints": list(mountFileadmin, mountArchive)},
		{"title": "Editors without write access to files", "subgroup": basicRights, "file_mountpoints": list(mountFileadminRead)},
		{"title": "Reviewers", "subgroup": basicRights, "file_mountpoints": list(mountFileadmin, mountArchive)},
	}
	mountRows = []row{
		{"title": "fileadmin", "identifier": "1:/", "read_only": 0},
		{"title": "Archive", "identifier": "2:/", "read_only": 0},
		{"title": "fileadmin (read only)", "identifier": "1:/", "read_only": 1},
	}
)

func list(uids ...int) string {
	s := ""
	for i, u := range uids {
		if i > 0 {
			s += ","
		}
		s += fmt.Sprint(u)
	}
	return s
}

func userRows() []row {
	rows := make([]row, len(people))
	for i, p := range people {
		rows[i] = row{
			"username": SignIns[i].Username, "password": hashPassword(SignIns[i].Username, SignIns[i].Password),
			"realName": p.realName, "lang": p.lang, "usergroup": p.groups, "admin": p.admin,
			"email": SignIns[i].Username + "@lakeside.example", "workspace_perms": 1, "options": 3,
		}
	}
	return rows
}

// hashPassword answers the Argon2id form TYPO3 stores. The salt comes from the
// user name, so that two builds give the same rows; the passwords are printed
// on the screen anyway.
func hashPassword(username, password string) string {
	salt := sha256.Sum256([]byte("editor-actions demo site: " + username))
	key := argon2.IDKey([]byte(password), salt[:16], cost, memory, lanes, 32)
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memory, cost, lanes, b64(salt[:16]), b64(key))
}
