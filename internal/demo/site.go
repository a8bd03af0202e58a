package demo

import (
	"cmp"
	"maps"
	"net/url"
	"path/filepath"

	"editor-actions/internal/config"
	"editor-actions/internal/secret"
	"editor-actions/internal/typo3"
)

// Uids of the demo's rows that others name.
const (
	AdminUID          typo3.UserUID = 1
	EditorUID         typo3.UserUID = 2
	EditorReadOnlyUID typo3.UserUID = 3
	ReviewerUID       typo3.UserUID = 4

	ReviewersGroup typo3.GroupUID = 4

	FileadminStorage typo3.StorageUID = 1
	ArchiveStorage   typo3.StorageUID = 2
)

// ExcludedFolder is kept away from every model by the demo's settings.
const ExcludedFolder = "1:/Vertraulich/"

// The configuration of the offline model.
const (
	configurationName = "demo"
	modelID           = "demo-vision"
)

// Site is a demo site on disk.
type Site struct {
	Dir      string // TYPO3's project folder, absolute
	Public   string // TYPO3's public folder
	Archive  string // the second storage, outside the public folder
	Database string // the SQLite file
	Built    bool   // this call made it; false = it was there already

	encryptionKey secret.String // TYPO3's SYS/encryptionKey: signs the session cookies
}

func newSite(dir string) *Site {
	return &Site{
		Dir:      dir,
		Public:   filepath.Join(dir, publicFolder),
		Archive:  filepath.Join(dir, archiveFolder),
		Database: filepath.Join(dir, databaseFile),
	}
}

// DSN names the site's database the way typo3.dsn does.
func (s *Site) DSN() string {
	return (&url.URL{Scheme: "sqlite", Path: filepath.ToSlash(s.Database)}).String()
}

// KeysetFile is where the keys that seal runs belong; the caller creates it.
func (s *Site) KeysetFile() string { return filepath.Join(s.Dir, "keyset.json") }

// Settings returns base with everything replaced that makes a service run on
// this site: database, files, sign-in by password, the offline model, a second
// person for every approval, and agents. base itself is not changed.
func (s *Site) Settings(base *config.Settings) *config.Settings {
	c := *base
	c.TYPO3 = config.TYPO3{ // a site of its own: nothing of another TYPO3 may shine through
		DSN: secret.New(s.DSN()), RootPath: s.Dir, PublicPath: s.Public, Version: "13.4", SitePath: "/",
		EncryptionKey:   s.encryptionKey,
		CookieName:      cmp.Or(base.TYPO3.CookieName, "be_typo_user"),
		SessionTimeout:  cmp.Or(base.TYPO3.SessionTimeout, 28800),
		FileDenyPattern: base.TYPO3.FileDenyPattern,
	}
	c.FAL.AllowedStorages = []uint32{uint32(FileadminStorage), uint32(ArchiveStorage)}
	c.Vision.ExcludedFolders = []string{ExcludedFolder}

	c.Providers.Default = configurationName
	c.Providers.Configurations = maps.Clone(base.Providers.Configurations)
	if c.Providers.Configurations == nil {
		c.Providers.Configurations = map[string]config.ProviderConfiguration{}
	}
	c.Providers.Configurations[configurationName] = config.ProviderConfiguration{
		Active: true, Vendor: config.VendorDemo, Model: modelID, Detail: "auto",
		MaxOutputTokens: 1024, TimeoutSeconds: 60,
	}
	c.Providers.Models = []config.Model{{ID: modelID, Vendor: config.VendorDemo, Capabilities: []string{"chat", "tools", "vision"}}}
	for _, m := range base.Providers.Models {
		if m.ID != modelID {
			c.Providers.Models = append(c.Providers.Models, m)
		}
	}

	c.Tools = config.DefaultSettings().Tools
	c.Review.ApproverGroups = []uint32{uint32(ReviewersGroup)}
	c.Review.RequireSecondApprover = true // the reviewer in a second window is the story of the demo
	c.Sealing.KeysetFile = s.KeysetFile()
	c.Sealing.Keyset = secret.String{}
	c.MCP.Enabled, c.MCP.SelfService, c.MCP.Vision, c.API.Vision = true, true, true, true
	c.Assistant.Enabled = true
	c.Server.SignIn = config.SignInDemo
	c.Server.StateDir = filepath.Join(s.Dir, "cache")
	return &c
}
