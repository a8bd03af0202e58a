package main

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/secret"
	"editor-actions/internal/testsite"

	"github.com/google/uuid"
)

// The rights that docs/typo3.md names for the database user are enough for
// everything, the service's own tables included, from an empty start.
func TestDatabaseUser_NeedsTheDocumentedRightsOnly(t *testing.T) {
	t.Parallel()
	site := testsite.MariaDB(t)
	var own []string
	if err := site.DB.Raw("SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'tx_editoractions_%'").Scan(&own).Error; err != nil || len(own) < 7 {
		t.Fatal(own, err)
	}
	for _, table := range own {
		if err := site.DB.Exec("DROP TABLE " + table).Error; err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile("../../docs/typo3.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```sql\n")
	grants, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/typo3.md has no SQL")
	}
	address, err := url.Parse(site.DSN)
	if err != nil {
		t.Fatal(err)
	}
	name, schema := "ea_"+uuid.NewString()[:8], strings.Trim(address.Path, "/")
	person := "'" + name + "'@'%'"
	statements := []string{"CREATE USER " + person + " IDENTIFIED BY 'secret'"}
	for line := range strings.Lines(grants) {
		line = strings.ReplaceAll(line, "'editor_actions'@'localhost';", person)
		statements = append(statements, strings.ReplaceAll(line, " typo3.", " `"+schema+"`."))
	}
	for _, s := range statements {
		if err := site.DB.Exec(s).Error; err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	t.Cleanup(func() { _ = site.DB.Exec("DROP USER " + person).Error }) // the server goes away with it
	address.User = url.UserPassword(name, "secret")

	db, _, err := database.Open(secret.New(address.String()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close(db) })
	if err := database.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	s := startService(t, site, func(c *config.Settings) { c.TYPO3.DSN = secret.New(address.String()) })
	editor, admin := s.as(editorUID), s.as(s.reviewer())
	s.exec("INSERT INTO cache_pages (identifier, expires) VALUES ('a', 0)")
	s.exec("INSERT INTO cache_pages_tags (identifier, tag) VALUES ('a', 'sys_file_23')")
	first, turn := s.written(editor, admin, fileLake)
	if n := s.count("SELECT COUNT(*) FROM cache_pages_tags WHERE tag = 'sys_file_23'"); n != 0 {
		t.Error("cached pages stay")
	}
	id, card := s.proposed(editor, fileSunset)
	body := decisionBody(card, "ask_again")
	body["reason"] = "shorter"
	r, res := admin.decide(id, body)
	mustOutcome(t, r, res, "asked_again")
	editor.await(id, "waiting")
	r, res = admin.decide(id, decisionBody(admin.card(id), "reject"))
	mustOutcome(t, r, res, "rejected")
	again := editor.restored(first, turn)
	r, res = admin.decide(again, decisionBody(admin.card(again), "approve"))
	mustOutcome(t, r, res, "written")
	editor.await(again, "completed")
}
