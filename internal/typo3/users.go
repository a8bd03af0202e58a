package typo3

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// userRow is what rights need of be_users.
type userRow struct {
	UID              uint32 `gorm:"column:uid"`
	PID              uint32 `gorm:"column:pid"`
	Deleted          bool   `gorm:"column:deleted"`
	Disable          bool   `gorm:"column:disable"`
	Starttime        int64  `gorm:"column:starttime"`
	Endtime          int64  `gorm:"column:endtime"`
	Username         string `gorm:"column:username"`
	RealName         string `gorm:"column:realName"`
	Lang             string `gorm:"column:lang"`
	Admin            int    `gorm:"column:admin"`
	Options          int    `gorm:"column:options"`
	Usergroup        string `gorm:"column:usergroup"`
	DBMountpoints    string `gorm:"column:db_mountpoints"`
	FileMountpoints  string `gorm:"column:file_mountpoints"`
	FilePermissions  string `gorm:"column:file_permissions"`
	WorkspacePerms   int    `gorm:"column:workspace_perms"`
	WorkspaceID      int    `gorm:"column:workspace_id"`
	AllowedLanguages string `gorm:"column:allowed_languages"`
	TSconfig         string `gorm:"column:TSconfig"`
}

// TableName implements gorm's tabler.
func (userRow) TableName() string { return "be_users" }

// active is the enable check of TYPO3's user tables: not deleted, not disabled,
// on the root level, inside its time, where now counts by the minute.
func (r *userRow) active(now time.Time) bool {
	t := now.Unix() / 60 * 60
	return !r.Deleted && !r.Disable && r.PID == 0 && r.Starttime <= t && (r.Endtime == 0 || r.Endtime > t)
}

// optionGroupMounts is the bit of be_users.options that brings the file mounts
// of groups, their home folders included.
const optionGroupMounts = 2

// optionGroupPageMounts is the bit that brings the page mounts of groups.
const optionGroupPageMounts = 1

// User loads one user who may sign in now. ErrUserNotFound and ErrUserDisabled.
func (c *CMS) User(ctx context.Context, uid UserUID) (*BackendUser, error) {
	users, err := c.Users(ctx, uid)
	if err != nil {
		return nil, err
	}
	if u, ok := users[uid]; ok {
		return u, nil
	}
	return nil, ErrUserDisabled
}

// UserByName loads one user by the name they sign in with.
func (c *CMS) UserByName(ctx context.Context, name string) (*BackendUser, error) {
	var rows []userRow
	err := c.fields(ctx).Where("username = ? AND deleted = 0", name).Order("uid").Limit(maxSameName).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("typo3: find user: %w", err)
	}
	for _, r := range rows { // the database may take "Jo" for "jo"
		if r.Username == name {
			return c.User(ctx, UserUID(r.UID))
		}
	}
	return nil, ErrUserNotFound
}

// UserNames gives display names, deleted and disabled users included.
func (c *CMS) UserNames(ctx context.Context, ids []UserUID) (map[UserUID]string, error) {
	out := make(map[UserUID]string, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	var rows []userRow
	if err := c.conn(ctx, nil).Select("uid", "username", "realName").Where("uid IN ?", ids).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("typo3: read user names: %w", err)
	}
	for _, r := range rows {
		u := BackendUser{Username: r.Username, RealName: r.RealName}
		out[UserUID(r.UID)] = u.DisplayName()
	}
	return out, nil
}

// Emails gives the stored e-mail addresses of users who have one. Nobody has checked
// their form.
func (c *CMS) Emails(ctx context.Context, ids []UserUID) (map[UserUID]string, error) {
	out := make(map[UserUID]string, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	var rows []struct {
		UID   uint32 `gorm:"column:uid"`
		Email string `gorm:"column:email"`
	}
	err := c.conn(ctx, nil).Table("be_users").Select("uid", "email").Where("uid IN ? AND email <> ''", ids).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("typo3: read e-mail addresses: %w", err)
	}
	for _, r := range rows {
		out[UserUID(r.UID)] = r.Email
	}
	return out, nil
}

// AllUserNames lists every user that is not deleted, by uid. For operators.
func (c *CMS) AllUserNames(ctx context.Context) (names []string, all map[string]UserUID, err error) {
	var rows []userRow
	if err := c.conn(ctx, nil).Select("uid", "username").Order("uid").Find(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("typo3: list users: %w", err)
	}
	all = make(map[string]UserUID, len(rows))
	for _, r := range rows {
		names = append(names, r.Username)
		all[r.Username] = UserUID(r.UID)
	}
	return names, all, nil
}

// Users loads several users in at most four queries. A user who may not sign in
// is left out. Rights are as of now and are not kept.
func (c *CMS) Users(ctx context.Context, ids ...UserUID) (map[UserUID]*BackendUser, error) {
	var rows []userRow
	if err := c.fields(ctx).Where("uid IN ?", ids).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("typo3: read users: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(r userRow) bool { return !r.active(c.now()) })
	if len(rows) == 0 {
		return map[UserUID]*BackendUser{}, nil
	}
	groups, err := c.groups(ctx)
	if err != nil {
		return nil, err
	}
	var (
		resolved   = make([][]*groupRow, len(rows))
		mounts     []uint32
		workspaces []workspaceRow
		asked      bool
	)
	for i := range rows {
		resolved[i] = resolveGroups(groups, rows[i].Usergroup)
		mounts = append(mounts, mountUIDs(&rows[i], resolved[i])...)
		if c.has(ctx, "sys_workspace") && !asked && needsWorkspaces(&rows[i], resolved[i]) {
			asked = true
			if err := c.conn(ctx, nil).Where("deleted = 0").Order("title").Find(&workspaces).Error; err != nil {
				return nil, fmt.Errorf("typo3: read workspaces: %w", err)
			}
		}
	}
	byUID, err := c.mounts(ctx, mounts)
	if err != nil {
		return nil, err
	}
	out := make(map[UserUID]*BackendUser, len(rows))
	for i := range rows {
		out[UserUID(rows[i].UID)] = c.assemble(ctx, &rows[i], resolved[i], byUID, workspaces)
	}
	return out, nil
}

func (c *CMS) groups(ctx context.Context) (map[uint32]*groupRow, error) {
	var rows []groupRow
	if err := c.conn(ctx, nil).Where("deleted = 0 AND hidden = 0").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("typo3: read groups: %w", err)
	}
	out := make(map[uint32]*groupRow, len(rows))
	for i := range rows {
		out[rows[i].UID] = &rows[i]
	}
	return out, nil
}

// assemble puts a user together from rows.
func (c *CMS) assemble(ctx context.Context, r *userRow, groups []*groupRow, mounts map[uint32]*mountRow, workspaces []workspaceRow) *BackendUser {
	u := &BackendUser{
		UID: UserUID(r.UID), Username: r.Username, RealName: r.RealName, Admin: r.Admin&1 == 1,
		Language: interfaceLanguage(r.Lang), FilePermissions: map[string]bool{},
	}
	texts := []string{c.settings().TYPO3.DefaultUserTSconfig}
	var tables, fields, languages []string
	for _, g := range groups {
		u.Groups = append(u.Groups, GroupUID(g.UID))
		tables = append(tables, list(g.TablesModify)...)
		u.ReadTables = append(u.ReadTables, list(g.TablesSelect)...)
		fields = append(fields, list(g.NonExcludeFields)...)
		languages = append(languages, list(g.AllowedLanguages)...)
		for _, p := range list(g.FilePermissions) {
			u.FilePermissions[p] = true
		}
		texts = append(texts, g.TSconfig)
	}
	for _, p := range list(r.FilePermissions) {
		u.FilePermissions[p] = true
	}
	languages = append(languages, list(r.AllowedLanguages)...)
	u.TSconfig = parseTSconfig(asked(r, groups), append(texts, r.TSconfig)...)
	u.ReadTables = append(u.ReadTables, tables...)
	u.PageMounts = pageMounts(r, groups)
	u.MetadataTable = u.Admin || slices.Contains(tables, "sys_file_metadata")
	u.TitleField = u.Admin || slices.Contains(fields, "sys_file_metadata:title")
	if c.has(ctx, "sys_workspace") {
		u.Workspace = activeWorkspace(r, groups, workspaces)
	}
	if u.Workspace > 0 {
		if v, ok := u.TSconfig.Lookup("options.workspaces.allowed_languages." + decimal(u.Workspace)); ok {
			languages = list(v)
		}
	}
	for _, l := range languages {
		u.AllowedLanguages = append(u.AllowedLanguages, LanguageUID(phpInt(l))) //nolint:gosec // what is no uid matches no language
	}
	var limit []uint32
	for _, w := range workspaces {
		if w.UID == u.Workspace {
			u.Frozen, limit = w.Freeze, uids(w.FileMountpoints)
			u.WorkspaceMounts = pageUIDs(w.DBMountpoints)
		}
	}
	u.FileMounts = c.fileMounts(u, r, groups, mounts, limit)
	return u
}

// asked is the user as conditions in TSconfig see them.
func asked(r *userRow, groups []*groupRow) *conditionUser {
	u := &conditionUser{uid: r.UID, admin: r.Admin&1 == 1}
	for _, g := range groups {
		u.groups = append(u.groups, g.UID)
	}
	return u
}

// interfaceLanguage is the part of TYPO3's language key that texts are chosen by.
func interfaceLanguage(lang string) string {
	if lang == "" || lang == "default" {
		return "en"
	}
	return strings.ReplaceAll(lang, "_", "-")
}

// workspaceRow is what rights need of sys_workspace.
type workspaceRow struct {
	UID             int    `gorm:"column:uid"`
	Adminusers      string `gorm:"column:adminusers"`
	Members         string `gorm:"column:members"`
	DBMountpoints   string `gorm:"column:db_mountpoints"`
	FileMountpoints string `gorm:"column:file_mountpoints"`
	Freeze          bool   `gorm:"column:freeze"`
}

// TableName implements gorm's tabler.
func (workspaceRow) TableName() string { return "sys_workspace" }

// noWorkspace is TYPO3's number for a user who may enter none.
const noWorkspace = -99

func liveAllowed(r *userRow, groups []*groupRow) bool {
	perms := r.WorkspacePerms
	for _, g := range groups {
		perms |= g.WorkspacePerms
	}
	return r.Admin&1 == 1 || perms&1 == 1
}

func needsWorkspaces(r *userRow, groups []*groupRow) bool {
	return r.WorkspaceID != 0 || !liveAllowed(r, groups)
}

// activeWorkspace is where TYPO3 would put the user at sign-in: the stored
// workspace, else live, else the first permitted one by title, else none.
func activeWorkspace(r *userRow, groups []*groupRow, all []workspaceRow) int {
	if r.WorkspaceID == 0 && liveAllowed(r, groups) {
		return 0
	}
	for _, w := range all {
		if w.UID == r.WorkspaceID && mayEnter(r, groups, w) {
			return w.UID
		}
	}
	if liveAllowed(r, groups) {
		return 0
	}
	for _, w := range all {
		if mayEnter(r, groups, w) {
			return w.UID
		}
	}
	return noWorkspace
}

func mayEnter(r *userRow, groups []*groupRow, w workspaceRow) bool {
	if r.Admin&1 == 1 {
		return true
	}
	for _, who := range append(list(w.Adminusers), list(w.Members)...) {
		if who == "be_users_"+decimal(r.UID) {
			return true
		}
		for _, g := range groups {
			if who == "be_groups_"+decimal(g.UID) {
				return true
			}
		}
	}
	return false
}
